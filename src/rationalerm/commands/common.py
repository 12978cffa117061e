"""What several commands share: sub-parsers with an example, JSON on stdout, options of `evaluate`-like commands, field names.

Knows no command, and reads no file.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["NOT_RELEASED", "Subparsers", "add_command", "add_field_options", "number", "print_json", "share", "top_k"]

Subparsers = Any  # argparse keeps the type of add_subparsers() private

NOT_RELEASED = "field names, where they are not the released ones"
_FIELDS: dict[str, dict[str, Any]] = {
    "--human-field": {"metavar": "F", "help": "the human's reasons (human-checklist)"},
    "--reasons-field": {"metavar": "F", "default": "{judge}-checklist", "help": "a judge's reasons ({judge}-checklist)"},
    "--text-field": {"metavar": "F", "default": "{judge}-generated_text", "help": "a judge's text ({judge}-generated_text)"},
    "--label-field": {"metavar": "F", "help": "the human's side (overall_preference, then label)"},
    "--label-map": {"metavar": "MAP", "help": "what the human's codes mean, e.g. 0=A,1=B,2=tie"},
    "--judge-label-field": {"metavar": "F", "default": "{judge}-label", "help": "a judge's verdict ({judge}-label)"},
    "--judge-label-map": {"metavar": "MAP", "help": "what the judges' codes mean"},
    "--id-field": {"metavar": "F", "default": "id", "help": "a row's id (id; else its line number)"},
    "--feedback": {"metavar": "FILE", "help": "HelpSteer3's feedback config, beside its preference config"},
}


def add_command(
    commands: Subparsers, name: str, what: str, example: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    """Declares a command with its one-line help and an example."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=what,
        description=what,
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(run=run)
    return parser


def add_field_options(to: argparse._ActionsContainer, *names: str) -> None:
    """Declares options that say where a row keeps what; each means the same in every command.

    Args:
        to: a parser, or a group of one (mostly under the title NOT_RELEASED).
        names: the options, in the order of --help: "--human-field", "--label-map", ...
    """
    for name in names:
        to.add_argument(name, **_FIELDS[name])


def print_json(value: Any) -> None:
    """One JSON document on stdout; NaN can't occur in it."""
    import orjson

    sys.stdout.buffer.write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS) + b"\n")
    sys.stdout.buffer.flush()


def number(text: str) -> float:
    """A finite number."""
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is not a finite number")
    return value


def share(text: str) -> float:
    """A number from 0 to 1."""
    value = number(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not from 0 to 1")
    return value


def top_k(text: str) -> int | None:
    """`5`, or `none` for the whole list."""
    if text.lower() in ("none", "all"):
        return None
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("give 1 or more, or none for the whole list")
    return value
