"""What several commands share: sub-parsers with an example, JSON on stdout, options of `evaluate`-like commands."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["Subparsers", "add_command", "number", "print_json", "share", "top_k"]

Subparsers = Any  # argparse keeps the type of add_subparsers() private


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
