"""`rationalerm cache`: what was paid for and kept, and clearing it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from rationalerm.commands.common import Subparsers, add_command, number, print_json
from rationalerm.errors import printable

if TYPE_CHECKING:
    from rationalerm.llm.cache_admin import CacheStats

__all__ = ["add", "run_clear", "run_stats"]


def add(commands: Subparsers) -> None:
    """Declares the command and its two actions."""
    what = "Answers of endpoints that were paid for, kept for every later run: counted, or cleared."
    parser = add_command(commands, "cache", what, "rationalerm cache stats", run_stats)
    actions = parser.add_subparsers(metavar="ACTION", required=True, parser_class=type(parser))
    stats = add_command(actions, "stats", "What the cache holds, a row a model.", "rationalerm cache stats --json", run_stats)
    stats.add_argument("--json", action="store_true", help="the counts as JSON on stdout")
    clear = add_command(
        actions,
        "clear",
        "Removes answers; runs that use the cache at the moment go on.",
        "rationalerm cache clear --older-than 30",
        run_clear,
    )
    clear.add_argument("--older-than", type=_days, metavar="DAYS", help="only answers of more than DAYS days ago")
    clear.add_argument("--model", metavar="M", help="only this model's answers")
    clear.add_argument("--yes", action="store_true", help="don't ask first; only a terminal is asked")


def run_stats(args: argparse.Namespace) -> int:
    """Counts."""
    from rationalerm.llm.cache import cache_file
    from rationalerm.llm.cache_admin import stats

    found = stats(cache_file())
    if args.json:
        print_json(_as_json(found))
    else:
        _show(found)
    return 0


def run_clear(args: argparse.Namespace) -> int:
    """Removes, after a question where a person can answer it: the answers were paid for."""
    from rationalerm.llm.cache import cache_file
    from rationalerm.llm.cache_admin import clear
    from rationalerm.report.terminal import console

    path, out = cache_file(), console()
    if not path.exists():
        out.print(printable(f"{path}: no cache there, nothing to clear"), soft_wrap=True)
        return 0
    part = [f"of {args.model}"] if args.model is not None else []
    part += [f"over {args.older_than:g} days old"] if args.older_than is not None else []
    what = " ".join(["answers", *part]) if part else "all answers"
    if not args.yes and sys.stdin.isatty() and not _agreed(f"{path}: remove {what}? They were paid for. [y/N] "):
        out.print("nothing was removed")
        return 0
    done = clear(path, older_than=args.older_than, model=args.model)
    if done.whole:
        line = f"{path}: it could not be read and was removed whole, {_size(done.freed)}"
    else:
        line = f"{path}: {done.removed:,} answers removed, {done.left:,} left, {_size(done.freed)} given back"
    out.print(printable(line), soft_wrap=True)
    return 0


def _agreed(question: str) -> bool:
    sys.stderr.write(printable(question))
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _show(found: CacheStats) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from rationalerm.report.terminal import console

    out = console()
    if not found.answers:
        out.print(printable(f"{found.path}: no answers"), soft_wrap=True)
        return
    between = f"from {_when(found.oldest, ' ')} to {_when(found.newest, ' ')} UTC"
    out.print(printable(f"{found.path}: {found.answers:,} answers, {_size(found.size)}, {between}"), soft_wrap=True)
    table = Table(box=SIMPLE_HEAD)
    table.add_column("model", overflow="fold")
    for name in ("answers", "prompt tokens", "completion tokens"):
        table.add_column(name, justify="right")
    for name, model in found.models.items():
        table.add_row(
            printable(name) or "(no name)", f"{model.answers:,}", f"{model.prompt_tokens:,}", f"{model.completion_tokens:,}"
        )
    out.print(table)
    if found.rejected:
        out.print(f"{found.rejected:,} of them are not served again: no reader could use them.")
    if found.paid > found.answers:
        out.print(f"The tokens are those of {found.paid:,} answers: {found.paid - found.answers:,} were replaced by later ones.")


def _as_json(found: CacheStats) -> dict[str, object]:
    return {
        "file": printable(str(found.path)),
        "bytes": found.size,
        "answers": found.answers,
        "rejected": found.rejected,
        "paid": found.paid,
        "prompt_tokens": sum(model.prompt_tokens for model in found.models.values()),
        "completion_tokens": sum(model.completion_tokens for model in found.models.values()),
        "oldest": _when(found.oldest, "T"),
        "newest": _when(found.newest, "T"),
        "models": {name: model._asdict() for name, model in found.models.items()},
    }


def _when(seconds: float | None, separator: str) -> str | None:
    """UTC, to the second."""
    from datetime import UTC, datetime

    if seconds is None:
        return None
    text = datetime.fromtimestamp(seconds, UTC).isoformat(separator, "seconds")
    return text if separator == "T" else text.removesuffix("+00:00")


def _size(count: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def _days(text: str) -> float:
    value = number(text)
    if value < 0:
        raise argparse.ArgumentTypeError("give 0 or more days")
    return value
