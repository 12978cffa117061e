"""A training's configuration on the command line: a file, and single values over it."""

from __future__ import annotations

import argparse
from typing import Any

from rationalerm.errors import UsageError

__all__ = ["add_words", "said", "values_of"]


def add_words(parser: argparse.ArgumentParser) -> None:
    """Declares --config and --set."""
    parser.add_argument("--config", metavar="FILE", help="YAML")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="one value, as batch=32 or reward.max_reasons=5; repeat it",
    )


def said(args: argparse.Namespace) -> dict[str, Any]:
    """The values of --set, read as YAML.

    Raises:
        UsageError: a word that is no NAME=VALUE.
    """
    from rationalerm.train.trainer.yaml import read_yaml

    values: dict[str, Any] = {}
    for word in args.set:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise UsageError(f"--set {word!r}: give NAME=VALUE")
        values[name] = read_yaml(value, f"--set {name}")
    return values


def values_of(args: argparse.Namespace) -> dict[str, Any]:
    """File and words, put together."""
    from rationalerm.train.trainer.yaml import merged, read_file

    return merged(read_file(args.config) if args.config else {}, said(args))
