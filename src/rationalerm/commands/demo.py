"""`rationalerm demo`: the main job on the sample that ships, offline."""

from __future__ import annotations

import argparse

from rationalerm.commands.common import Subparsers, add_command
from rationalerm.commands.formats import add_format_option, format_of

__all__ = ["add", "run"]


def add(commands: Subparsers) -> None:
    """Declares the command."""
    parser = add_command(
        commands,
        "demo",
        "The main job on the sample that ships: three judges, one of them right for the wrong reasons. No key, no network.",
        "rationalerm demo --out runs/demo",
        run,
    )
    parser.add_argument("--out", metavar="DIR", help="keep the run directory")
    parser.add_argument("--domains", action="store_true", help="a table a domain too")
    parser.add_argument("--json", action="store_true", help="the summary as JSON on stdout")
    add_format_option(parser)


def run(args: argparse.Namespace) -> int:
    """Runs `evaluate` on the sample."""
    from importlib.resources import as_file, files

    from rationalerm.commands.evaluate import show
    from rationalerm.report.terminal import console
    from rationalerm.run import evaluate

    form = format_of(args)
    with as_file(files("rationalerm") / "sample" / "pairs.jsonl") as path:
        summary = evaluate(path, (), "embedded", args.out, progress=True)
    if form == "table":
        console().print(f"{summary.rows} pairs with human reasons, three judges; all of it written for this sample.")
        console().print("OA: share of right verdicts. RC: share of the human's reasons that the judge gives too. [95% interval]")
        console().print("S-Corr: right verdicts with an RC under 0.25. AP: a shared reason counts whole, more if it comes early.")
        console().print("precision: share of the judge's reasons that the human gives.")
    show(summary, args, [], form)
    return 0
