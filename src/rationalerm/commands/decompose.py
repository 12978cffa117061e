"""`rationalerm decompose`: free-text feedback, or a judge's prose, into atomic reasons."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rationalerm.commands.common import Subparsers, add_command, add_field_options, print_json
from rationalerm.commands.llm_options import add_llm_options, chat_settings, failed_finding, show_forecast
from rationalerm.errors import printable

if TYPE_CHECKING:
    from rationalerm.run.decomposed import Decomposed

__all__ = ["add", "run"]


def add(commands: Subparsers) -> None:
    """Declares the command."""
    parser = add_command(
        commands,
        "decompose",
        "Annotators' comments, any text field, or judges' answers into atomic reasons, by an LLM; says what was dropped and why.",
        "rationalerm decompose preference.jsonl --feedback feedback.jsonl --model gpt-4o-mini --out atoms.jsonl --min 3 --max 7",
        run,
    )
    parser.add_argument("input", help="rows with prose: .jsonl, .json, .gz, .zst, or - for stdin")
    parser.add_argument("--out", metavar="FILE", help="the same rows with their lists; the same command resumes it")
    parser.add_argument("--side", choices=("human", "judge"), default="human", help="whose prose (default: human)")
    parser.add_argument(
        "--judge", action="append", default=[], metavar="NAME", help="with --side judge; repeat it (default: all)"
    )
    parser.add_argument("--field", metavar="F", help="a text, or a list of texts, one a person (default: HelpSteer3's comments)")
    add_field_options(parser, "--feedback")
    parser.add_argument("--min", type=int, default=0, metavar="N", help="leave out rows with fewer reasons (the paper: 3)")
    parser.add_argument("--max", type=int, metavar="N", help="leave out rows with more reasons (the paper: 7)")
    there = parser.add_mutually_exclusive_group()
    there.add_argument("--overwrite", action="store_true", help="make lists anew that are there already")
    there.add_argument("--keep", action="store_true", help="leave lists as they are that are there already")
    add_field_options(parser, "--id-field")
    parser.add_argument("--skip-bad", action="store_true", help="go on after a bad row, and count it")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N rows")
    parser.add_argument("--json", action="store_true", help="the counts as JSON on stdout")
    add_llm_options(parser)


def run(args: argparse.Namespace) -> int:
    """Runs it; exit 1 if too many texts failed."""
    from rationalerm.errors import UsageError
    from rationalerm.run.decomposing import DecomposeConfig, decompose, forecast_decomposing

    config = DecomposeConfig(
        side=args.side,
        judges=tuple(args.judge),
        field=args.field,
        feedback=args.feedback,
        id_field=args.id_field,
        least=args.min,
        most=args.max,
        existing="overwrite" if args.overwrite else "keep" if args.keep else "error",
    )
    settings = chat_settings(args)
    rows = {"skip_bad": args.skip_bad, "limit": args.limit}
    if args.dry_run:
        made = forecast_decomposing(args.input, args.out, config, settings.prices, **rows)
        show_forecast(made, args)
        return 0
    if not args.out:
        raise UsageError("--out FILE is missing: answers are paid for, and are kept there")
    done = decompose(args.input, settings, args.out, config, progress=True, **rows)
    findings = failed_finding(done.failed, done.texts, args.max_failed)
    _show(done, args, findings)
    return 1 if findings else 0


def _show(done: Decomposed, args: argparse.Namespace, findings: list[str]) -> None:
    from rationalerm.report.terminal import console

    if args.json:
        print_json(done.to_json() | {"findings": findings})
    else:
        out = console()
        mean = f", {done.kept / done.texts:.2f} a text" if done.texts else ""
        out.print(f"{done.written} of {done.rows} rows written; {done.kept} reasons{mean}")
        if done.dropped:
            out.print(printable(f"dropped: {', '.join(f'{count} {why}' for why, count in list(done.dropped.items())[:8])}"))
        left = [
            (done.outside, "outside --min and --max"),
            (done.bad_rows, "bad rows"),
            (done.empty, "without any text (empty lists)"),
        ]
        left += [(count, f"failed: {category}") for category, count in done.failures.items()]
        for count, what in left:
            if count:
                out.print(printable(f"{count} {what}"))
        out.print(printable(f"{done.said}; {done.usage['from_cache']:,} answers from the cache"))
        out.print(printable(f"{args.out}, and beside it .failures.jsonl (what was left out and why)"))
    for line in findings:
        console(stderr=True).print(printable(line))
