"""`rationalerm train sft`: the best of the judges' answers as demonstrations, and a policy trained on them."""

from __future__ import annotations

import argparse
from typing import Any

from rationalerm.commands.common import NOT_RELEASED, Subparsers, add_command, add_field_options, print_json, share
from rationalerm.commands.train_words import add_words, values_of

__all__ = ["add", "run"]


def add(actions: Subparsers) -> None:
    """Declares the action."""
    parser = add_command(
        actions,
        "sft",
        "A warm start: of all that judges answered, the best of each game by the hybrid reward; and a policy trained on them.",
        "rationalerm train sft runs/judge --prompts data/ --policy Qwen/Qwen3-0.6B --out runs/start",
        run,
    )
    parser.add_argument(
        "input", help="pairs with human reasons and judges' answers: a file, or the folder of a judge run (all votes)"
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="the run directory; the same command goes on")
    parser.add_argument("--judge", action="append", default=[], metavar="NAME", help="a judge; repeat it (default: all)")
    parser.add_argument("--prompts", metavar="DIR", help="what `train prepare` wrote: its held-out prompts stay out")
    parser.add_argument("--policy", metavar="MODEL", help="train this model; without it only the demonstrations are made")
    parser.add_argument("--min-reward", type=share, default=0.3, metavar="X", help="the least reward (default: 0.3)")
    parser.add_argument("--max-reasons", type=int, metavar="N", help="only an answer's first N reasons are kept and scored")
    parser.add_argument("--verbatim", action="store_true", help="the judge's text as it is, not only its reasons and verdict")
    parser.add_argument("--gold", action="store_true", help="where no answer is good enough, the human's own reasons and verdict")
    parser.add_argument(
        "--ties", choices=("drop", "keep"), default="drop", help="rows without a human preference (default: drop)"
    )
    parser.add_argument("--skip-bad", action="store_true", help="go on after a bad row, and count it")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N rows")
    add_words(parser)
    add_field_options(
        parser.add_argument_group(NOT_RELEASED),
        *("--human-field", "--reasons-field", "--text-field", "--label-field", "--label-map", "--id-field"),
    )
    parser.add_argument("--json", action="store_true", help="the summary as JSON on stdout")


def run(args: argparse.Namespace) -> int:
    """Makes them, trains, prints."""
    from rationalerm.data.labels import parse_label_map
    from rationalerm.data.released import Columns
    from rationalerm.train.sft.config import SFTOptions
    from rationalerm.train.sft.demonstrations import DemonstrationOptions
    from rationalerm.train.sft.running import Judged, train_sft

    picking = DemonstrationOptions(
        min_reward=args.min_reward,
        max_reasons=args.max_reasons,
        verbatim=args.verbatim,
        gold=args.gold,
        ties=args.ties,
        validation=0.0 if args.prompts else 0.05,
    )
    options = SFTOptions.of(values_of(args))
    columns = Columns(
        judges=tuple(args.judge),
        human_field=args.human_field,
        reasons_field=args.reasons_field,
        text_field=args.text_field,
        label_field=args.label_field,
        label_map=parse_label_map(args.label_map) if args.label_map else None,
        id_field=args.id_field,
    )
    judged = Judged(args.input, columns, args.prompts, args.skip_bad, args.limit)
    summary = train_sft(judged, args.out, picking, options, policy=args.policy)
    if args.json:
        print_json(summary)
    elif summary:
        _show(summary, args.out)
    return 0


def _show(summary: dict[str, Any], out: str) -> None:
    from rationalerm.errors import printable
    from rationalerm.report.terminal import console

    screen = console()
    for name in ("rows", "games", "answers"):
        said = ", ".join(f"{count} {what}" for what, count in summary[name].items())
        screen.print(printable(f"{name}: {said}"), soft_wrap=True)
    screen.print(f"{summary['demonstrations']} demonstrations, mean reward {_number(summary['mean_reward'])}")
    if "updates" in summary:
        long = f"; {summary['too_long']} demonstrations were too long" if summary["too_long"] else ""
        first, last = (_number(summary[name], 3) for name in ("first_loss", "last_loss"))
        screen.print(f"loss {first} -> {last} in {summary['updates']} updates{long}")
        screen.print(printable(f"{out}/model holds the model"), soft_wrap=True)


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
