"""`--format`, for each command that prints a table: what it means, how it goes with --json, and the printing itself."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rationalerm.report.tables import Table

__all__ = ["add_format_option", "format_of", "print_tables"]

_CHOICES = ("table", "md", "latex", "csv", "json")


def add_format_option(parser: argparse._ActionsContainer) -> None:
    """Declares it; `--json` is the command's own and stays."""
    parser.add_argument(
        "--format",
        choices=_CHOICES,
        help="table (default), md or latex for a paper, csv with full precision, json (as --json)",
    )


def format_of(args: argparse.Namespace) -> str:
    """Which one; afterwards `args.json` says whether it is JSON, however that was asked for.

    Raises:
        UsageError: --json and another format.
    """
    from rationalerm.errors import UsageError

    if args.json and args.format not in (None, "json"):
        raise UsageError(f"--json and --format {args.format} ask for two outputs; give one of them")
    form: str = "json" if args.json else args.format or "table"
    args.json = form == "json"
    return form


def print_tables(tables: Sequence[Table], form: str, argv: Sequence[str] | None = None) -> None:
    """Writes Markdown, LaTeX or CSV to stdout, in UTF-8 whatever the terminal's encoding, with the format's own line ends.

    Args:
        tables: `report.tables.summary_tables(...)`, say.
        form: md, latex or csv.
        argv: the command's words, for the comment (default: this process's, where it was started as a command).
    """
    from rationalerm import __version__
    from rationalerm.report.formats import render

    command = f"rationalerm {shlex.join(sys.argv[1:] if argv is None else argv)}"
    sys.stdout.flush()
    sys.stdout.buffer.write(render(tables, form, version=__version__, command=command).encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()
