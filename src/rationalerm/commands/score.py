"""`rationalerm score`: a table from matchings that exist already."""

from __future__ import annotations

import argparse

from rationalerm.commands.common import Subparsers, add_command, print_json, top_k
from rationalerm.commands.formats import add_format_option, format_of, print_tables
from rationalerm.errors import printable

__all__ = ["add", "run"]

_SORTS = ("recall", "precision", "f1", "average_precision")


def add(commands: Subparsers) -> None:
    """Declares the command."""
    parser = add_command(
        commands,
        "score",
        "Recall, precision, F1 and AP from results files of the released inference script, or from a run directory.",
        "rationalerm score results.jsonl --scoring released --json",
        run,
    )
    parser.add_argument("input", help="a results file, a folder of them, a run directory, or - for stdin")
    parser.add_argument("--judge", metavar="NAME", help="whose list was matched (default: found from the prompts)")
    parser.add_argument("--scoring", choices=("paper", "released"), default="paper", help="default: %(default)s")
    parser.add_argument(
        "--top-k", type=top_k, default=5, metavar="K", help="paper scoring: the first K reasons count; none: all (default: 5)"
    )
    parser.add_argument(
        "--max-checklist-len", type=int, default=10, metavar="N", help="released scoring: longer lists are skipped (default: 10)"
    )
    parser.add_argument("--sort-by", choices=_SORTS, default="recall", help="order of the judges, best first (default: recall)")
    parser.add_argument("--skip-bad", action="store_true", help="go on after a row that can't be read; it counts as an error")
    parser.add_argument("--json", action="store_true", help="full precision as JSON on stdout")
    add_format_option(parser)


def run(args: argparse.Namespace) -> int:
    """Scores and prints."""
    from rationalerm.report.tables import scores_table
    from rationalerm.report.terminal import console, print_scores
    from rationalerm.run.rescore import ScoreConfig, rescore

    form = format_of(args)
    config = ScoreConfig(args.scoring, args.top_k, args.max_checklist_len, args.judge, args.skip_bad)
    result = rescore(args.input, config)
    judges = result["judges"]
    result["judges"] = dict(sorted(judges.items(), key=lambda item: -(item[1][args.sort_by] or 0.0)))
    if result["unfinished"]:
        console(stderr=True).print("The run is not finished: these are the rows that are; run its command again.")
    if args.json:
        print_json(result)
        return _code(result["judges"])
    title = f"{args.scoring} scoring, by {args.sort_by}"
    if form == "table":
        print_scores(result["judges"], console(), title=title)
    else:
        print_tables([scores_table(result["judges"], title)], form)
    for judge, values in result["judges"].items():
        for kind in ("error_kinds", "skipped_kinds"):
            for why, count in values[kind].items():
                what = "failed" if kind == "error_kinds" else "skipped"
                console(stderr=True).print(printable(f"{judge}: {count} rows {what}: {why}"))
    return _code(result["judges"])


def _code(judges: dict[str, dict[str, object]]) -> int:
    """A judge of whom no row could be scored is a finding."""
    return 0 if all(values["n"] for values in judges.values()) else 1
