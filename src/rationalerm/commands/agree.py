"""`rationalerm agree`: do two evaluators agree on the same judges?"""

from __future__ import annotations

import argparse

from rationalerm.commands.common import Subparsers, add_command, print_json
from rationalerm.commands.formats import add_format_option, format_of, print_tables

__all__ = ["add", "run"]

_METRICS = ("rationale_consistency", "precision", "f1", "average_precision")


def add(commands: Subparsers) -> None:
    """Declares the command."""
    parser = add_command(
        commands,
        "agree",
        "Do two evaluators agree on the same judges' rows? Over judges (R^2, RMSE, slope, Spearman) and row by row.",
        "rationalerm agree runs/deepseek-r1 runs/embedded",
        run,
    )
    what = "a run directory of evaluate or match, or results files (or a folder of them) of the released inference script"
    parser.add_argument("a", metavar="A", help=f"the evaluator that is trusted: {what}")
    parser.add_argument("b", metavar="B", help="the evaluator that is to be checked, likewise; the regression is of B on A")
    parser.add_argument(
        "--judge", action="append", default=[], metavar="NAME", help="only this judge; repeat it (default: all that both have)"
    )
    parser.add_argument("--metric", choices=_METRICS, default=_METRICS[0], help="of a row (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="full precision as JSON on stdout")
    add_format_option(parser)


def run(args: argparse.Namespace) -> int:
    """Compares and prints."""
    from rationalerm.report.agreement import agreement_counts, agreement_sentences, agreement_tables, print_agreement
    from rationalerm.report.terminal import console
    from rationalerm.run.agreement import agree

    form = format_of(args)
    compared = agree(args.a, args.b, args.metric, args.judge)
    if form == "json":
        print_json(compared.to_json() | {"sentences": agreement_sentences(compared)})
    elif form != "table":
        more = agreement_counts(compared) if form == "csv" else []
        print_tables([*agreement_tables(compared), *more], form)
    else:
        print_agreement(compared, console())
    return 0
