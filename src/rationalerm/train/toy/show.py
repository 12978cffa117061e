"""The arms in a table, and what it says in sentences. Every word of comparison follows from two figures and their intervals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from rationalerm.errors import printable
from rationalerm.report.terminal import print_rows
from rationalerm.train.toy.run import ToySummary

__all__ = ["print_toy", "sentences"]

_TRAINED_ON = {
    "outcome": "rewarded for the verdict alone",
    "hybrid": "rewarded only when verdict and reasons are right",
    "control": "rewarded for the verdict alone, where the cues said nothing (measured on the same pairs as the others)",
    "additive": "rewarded for verdict and reasons added up",
    "rationale": "rewarded for the reasons alone",
    "capped": "as hybrid, with only the first four reasons counted",
}


def print_toy(summary: ToySummary, out: Console, path: str | Path | None = None) -> None:
    """Prints what was run, the table, what it says, and where it is kept."""
    world, config = summary.config.start.world, summary.config
    out.print(
        f"A toy with a shortcut on purpose: in {world.cue_rate:.0%} of the pairs surface cues point at the response that the "
        "human prefers. It shows the mechanism, not the size of the effect in real models."
    )
    out.print(f"{config.held_out} held-out pairs an arm; OA of as many whose cues always mislead beside; seed {config.seed}.")
    print_rows(
        ("OA [95%]", "RC [95%]", "AP", "misled OA", "reasons", "generic", "padding"),
        {name: _cells(arm) for name, arm in summary.arms.items()},
        out,
        None,
        head="arm",
    )
    if missing := _missing(summary):
        out.print(missing)
    for line in sentences(summary):
        out.print(Text(line, style="bold"))
    if path is not None:
        out.print(printable(f"Run directory: {path} (both curves in curves.png, answers in examples.jsonl)"))


def sentences(summary: ToySummary) -> Iterator[str]:
    """What became of each trained arm, against the base."""
    base = summary.arms.get("base")
    for name, arm in summary.arms.items():
        if base is None or name not in _TRAINED_ON:
            continue
        yield (
            f"{name}, {_TRAINED_ON[name]}: its verdicts {_moved(base, arm, 'outcome_accuracy', 'are right')}, and the share of "
            f"the human's reasons that it gives {_moved(base, arm, 'rationale_consistency', '')}{_padded(base, arm)}."
            f"{_misled(base, arm)}"
        )


def _misled(base: dict[str, Any], arm: dict[str, Any]) -> str:
    """What became of the verdicts on pairs whose cues always mislead, where that was measured."""
    if "misled" not in base or "misled" not in arm:
        return ""
    return f" Where the cues mislead, its verdicts {_moved(base['misled'], arm['misled'], 'outcome_accuracy', 'are right')}."


def _missing(summary: ToySummary) -> str:
    """Answers that are in no mean: they are counted, never 0."""
    found = [
        f"{name} {arm['no_verdict']} ({arm['truncated']} cut off)" for name, arm in summary.arms.items() if arm["no_verdict"]
    ]
    return f"Without a verdict, and so not in OA: {', '.join(found)} of {summary.config.held_out} answers." if found else ""


def _moved(base: dict[str, Any], arm: dict[str, Any], metric: str, verb: str) -> str:
    """How a figure moved; "clearly" needs intervals that don't overlap."""
    before, now = base[metric], arm[metric]
    if before is None or now is None:
        return "could not be measured"
    low, high = base[f"{metric}_ci"] or (before, before), arm[f"{metric}_ci"] or (now, now)
    if verb:
        word = "more often" if high[0] > low[1] else "less often" if high[1] < low[0] else "not clearly more or less often"
        return f"{verb} {word} ({before:.2f} -> {now:.2f})"
    word = "rises" if high[0] > low[1] else "falls" if high[1] < low[0] else "does not clearly change"
    return f"{word} ({before:.2f} -> {now:.2f})"


def _padded(base: dict[str, Any], arm: dict[str, Any]) -> str:
    """Whether the list grew, and how much of it stands behind the last reason that is the human's."""
    if not base["reasons"] or arm["reasons"] < 1.2 * base["reasons"] or arm["padding"] is None:
        return ""
    return (
        f"; its lists grow from {base['reasons']:.1f} to {arm['reasons']:.1f} reasons, {arm['padding']:.0%} of them behind the "
        "last one that counts, which average precision does not charge for"
    )


def _cells(arm: dict[str, Any]) -> tuple[str, ...]:
    return (
        _interval(arm, "outcome_accuracy"),
        _interval(arm, "rationale_consistency"),
        _number(arm["average_precision"]),
        _number(arm["misled"]["outcome_accuracy"]),
        _number(arm["reasons"], 1),
        _number(arm["generic"]),
        _number(arm["padding"]),
    )


def _interval(arm: dict[str, Any], metric: str) -> str:
    ends = arm[f"{metric}_ci"]
    return _number(arm[metric]) + (f" [{ends[0]:.2f}, {ends[1]:.2f}]" if ends else "")


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
