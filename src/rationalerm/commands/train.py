"""`rationalerm train`: a generative reward model, from its data to its model card; and the effect on a laptop."""

from __future__ import annotations

import argparse

from rationalerm.commands import train_demo, train_genrm, train_prepare, train_sft
from rationalerm.commands.common import Subparsers, add_command

__all__ = ["add"]

_ACTIONS = (train_prepare, train_sft, train_genrm, train_demo)


def add(commands: Subparsers) -> None:
    """Declares the command and its actions, each in a file of its own."""
    what = "Trains a generative reward model: data, warm start, GRPO with the hybrid reward, and a demonstration."
    parser = add_command(commands, "train", what, "rationalerm train demo", _never)
    actions = parser.add_subparsers(metavar="ACTION", required=True, parser_class=type(parser))
    for module in _ACTIONS:
        module.add(actions)


def _never(args: argparse.Namespace) -> int:
    raise AssertionError("an action is required")
