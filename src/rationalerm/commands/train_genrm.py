"""`rationalerm train genrm`: a generative reward model by GRPO with the hybrid reward."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rationalerm.commands.common import Subparsers, add_command, print_json
from rationalerm.commands.train_words import add_words, said
from rationalerm.train.genrm import PRESETS

if TYPE_CHECKING:
    from rationalerm.train.genrm.config import GenRMConfig

__all__ = ["add", "run"]


def add(actions: Subparsers) -> None:
    """Declares the action."""
    parser = add_command(
        actions,
        "genrm",
        "Trains a generative reward model by GRPO: rewarded only when verdict and reasons are right.",
        "rationalerm train genrm data/ --preset small --policy Qwen/Qwen3-0.6B --out runs/genrm",
        run,
    )
    parser.add_argument("prompts", help="a folder that `train prepare` wrote")
    parser.add_argument(
        "--out", required=True, metavar="DIR", help="the run directory; the same command goes on from its last checkpoint"
    )
    parser.add_argument("--preset", choices=PRESETS, help="what to begin with; --config may name it too")
    parser.add_argument("--policy", metavar="MODEL", help="a model's folder or its name on the hub")
    add_words(parser)
    parser.add_argument("--dry-run", action="store_true", help="print the configuration and the trainer's, and load nothing")
    parser.add_argument("--json", action="store_true", help="the summary as JSON on stdout")


def _config_of(args: argparse.Namespace) -> GenRMConfig:
    """Preset, file and words, in that order."""
    from rationalerm.train.genrm.config import load_config

    policy = {"policy": args.policy} if args.policy is not None else {}
    return load_config(args.preset, args.config, said(args) | policy)


def run(args: argparse.Namespace) -> int:
    """Trains and prints; exit 1 where degeneration is seen at the end."""
    from pathlib import Path

    config = _config_of(args)
    if args.dry_run:
        from rationalerm.train.genrm.trl import grpo_arguments

        ours = {name: value for name, value in config.to_json().items() if name != "reward"}
        arguments = grpo_arguments(config, Path(args.out) / "checkpoints")
        print_json({"config": ours, "reward": config.to_json()["reward"], "trainer": arguments})
        return 0
    from rationalerm.train.genrm.running import train_genrm

    summary = train_genrm(args.prompts, args.out, config)
    if args.json:
        print_json(summary)
    elif summary:
        _show(summary, args.out)
    return 1 if summary and summary["degeneration"]["at_the_end"] else 0


def _show(summary: dict[str, Any], out: str) -> None:
    from rationalerm.errors import printable
    from rationalerm.report.terminal import console, print_rows
    from rationalerm.train.genrm.card import HEAD, cells_of

    screen = console()
    cells = [cells_of(row) for row in summary["held_out"]]
    print_rows(HEAD[1:], {first: rest for first, *rest in cells}, screen, "held-out prompts [95% interval]", head="update")
    said = summary["degeneration"]["said"]
    screen.print(printable(f"{said[0].upper()}{said[1:]}."), soft_wrap=True)
    if summary["seconds_an_update"] is not None:
        share = summary["reward_share"]
        screen.print(f"{summary['seconds_an_update']:.1f} s an update, {share:.0%} of it in the reward")
    screen.print(printable(f"{out}/model holds the model and its card"), soft_wrap=True)
