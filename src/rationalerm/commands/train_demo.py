"""`rationalerm train demo`: the effect on a laptop, from nothing but a seed."""

from __future__ import annotations

import argparse

from rationalerm.commands.common import Subparsers, add_command, print_json

__all__ = ["add", "run"]

ARMS = ("base", "outcome", "hybrid", "control", "additive", "rationale", "capped")
_DEFAULT = ("base", "outcome", "hybrid", "control")


def add(commands: Subparsers) -> None:
    """Declares the command."""
    parser = add_command(
        commands,
        "demo",
        "A tiny reward model trained on its verdicts alone, and on verdicts and reasons: what becomes of the reasons. No GPU.",
        "rationalerm train demo --out runs/toy",
        run,
    )
    parser.add_argument("--out", metavar="DIR", help="keep the run directory: figures, both curves as a PNG, examples")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="of world, start and training (default: 0)")
    parser.add_argument("--steps", metavar="N", type=int, default=150, help="of GRPO, an arm (default: 150)")
    parser.add_argument(
        "--arms", metavar="NAME[,NAME]", type=_arms, default=_DEFAULT, help=f"of {', '.join(ARMS)} (default: the first four)"
    )
    parser.add_argument("--json", action="store_true", help="the summary as JSON on stdout")


def _arms(text: str) -> tuple[str, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in ARMS]
    if unknown or not names:
        raise argparse.ArgumentTypeError(f"no arm {', '.join(unknown) or text!r}; of {', '.join(ARMS)}")
    return tuple(name for name in ARMS if name in names or name == "base")  # what all others start from is always shown


def run(args: argparse.Namespace) -> int:
    """Trains the arms and shows what became of them."""
    from rationalerm.report.terminal import console
    from rationalerm.train.toy import ToyConfig, run_toy
    from rationalerm.train.toy.show import print_toy

    summary = run_toy(ToyConfig(seed=args.seed, steps=args.steps), args.arms, args.out, progress=True)
    if args.json:
        print_json(summary.to_json())
    else:
        print_toy(summary, console(), args.out)
    return 0
