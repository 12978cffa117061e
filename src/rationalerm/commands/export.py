"""`rationalerm export`: a run directory in the released tool's form."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rationalerm.commands.common import Subparsers, add_command
from rationalerm.errors import UsageError, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rationalerm.run.exporting import Exported

__all__ = ["add", "run"]


def add(commands: Subparsers) -> None:
    """Declares the command."""
    parser = add_command(
        commands,
        "export",
        "A run directory's matchings as results files that the released analysis script reads, one file a judge.",
        "rationalerm export runs/first --released --out results/",
        run,
    )
    parser.add_argument("run_dir", metavar="DIR", help="the run directory of evaluate or match")
    parser.add_argument("--released", action="store_true", help="in the released script's form; the only form there is, so far")
    parser.add_argument(
        "--out", metavar="PATH", required=True, help="a folder for one file a judge; or a .jsonl file where there is one judge"
    )
    parser.add_argument("--judge", metavar="NAME", help="only this judge (default: all)")
    parser.add_argument(
        "--order", choices=("AB", "BA", "all"), default="all", help="which games, where judges saw both orders (default: all)"
    )


def run(args: argparse.Namespace) -> int:
    """Writes and says what."""
    from rationalerm.report.terminal import console
    from rationalerm.run.exporting import export_released

    if not args.released:
        raise UsageError("say in which form: --released")
    exported = export_released(args.run_dir, args.out, args.judge, args.order)
    for line in _said(exported):
        console().print(printable(line), soft_wrap=True)
    return 0


def _said(exported: Exported) -> Iterator[str]:
    for judge, path in exported.files.items():
        counts = exported.counts[judge]
        more = [f"{counts['failed']} of them failures"] if counts["failed"] else []
        more += [f"{counts['left out']} without human reasons left out"] if counts["left out"] else []
        yield f"{judge}: {counts['rows']} rows in {path}{' (' + '; '.join(more) + ')' if more else ''}"
    if exported.other_scores:
        yield (
            f"{exported.other_scores} scores are not their human reason's best, and this form has no place for them: figures "
            "other than released recall can be a little lower than the run's."
        )
    if exported.top_k != 5:
        k = "none" if exported.top_k is None else exported.top_k
        yield f"The run's figures are with top-k {k}, which the files do not say: score them with --top-k {k}."
    if exported.repeats:
        yield "Games were matched several times: the first matching of each is in the files."
    if exported.minimal:
        yield f"{exported.minimal} rows hold their lists and no more: the run's input file is gone, or says something else now."
