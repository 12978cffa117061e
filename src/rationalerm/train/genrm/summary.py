"""What a training came to, from what it wrote down. Knows nothing of trainers or models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rationalerm.data.rundir import RunDir
from rationalerm.score.compare import paired
from rationalerm.score.rows import GameResult
from rationalerm.train.genrm.alarm import Alarm
from rationalerm.train.genrm.config import GenRMConfig

__all__ = ["summary_of"]

_TESTED = ("outcome_accuracy", "rationale_consistency", "average_precision")


def summary_of(rundir: RunDir, config: GenRMConfig, alarm: Alarm, updates: int) -> dict[str, Any]:
    """summary.json.

    Args:
        rundir: has steps.jsonl and evaluations.jsonl.
        config: of the run.
        alarm: as it stands at the end.
        updates: how many there were.
    """
    steps = {row["step"]: row for row in rundir.log("steps.jsonl").rows()}
    rows = [steps[step] for step in sorted(steps)]
    held_out = {row["step"]: row for row in rundir.log("evaluations.jsonl").rows()}
    evaluations = [held_out[step] for step in sorted(held_out)]
    seconds = sum(row["seconds"] for row in rows)
    return {
        "policy": config.policy,
        "updates": updates,
        "seconds_an_update": seconds / len(rows) if rows else None,
        "reward_share": sum(row["reward_seconds"] for row in rows) / seconds if seconds else None,
        "training": {"first": _parts(rows[: config.alarm_window]), "last": _parts(rows[-config.alarm_window :])},
        "held_out": [{name: value for name, value in row.items() if name != "rows"} for row in evaluations],
        "change": _change(evaluations),
        "degeneration": {
            "seen": alarm.first.to_json() if alarm.first else None,
            "worst": alarm.worst.to_json() if alarm.worst else None,
            "at_the_end": alarm.last is not None,
            "said": _said(alarm),
        },
    }


def _said(alarm: Alarm) -> str:
    if alarm.last is None and alarm.worst is not None:
        return f"{alarm.worst}; at the end it is not seen any more"
    if alarm.last is None and alarm.too_few:
        return f"rationale degeneration can't be told: {alarm.too_few}"
    return str(alarm.last or "no rationale degeneration was seen")


def _parts(rows: Sequence[dict[str, Any]]) -> dict[str, float | None]:
    """Means of the parts over some updates."""
    names = sorted({name for row in rows for name in row if name.startswith("reward/")} | {"reward"})
    means = {}
    for name in names:
        values = [row[name] for row in rows if row.get(name) is not None]
        means[name] = sum(values) / len(values) if values else None
    return means


def _change(evaluations: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The last evaluation against the first, paired by game, with p-values."""
    if len(evaluations) < 2:
        return {}
    first, last = ([GameResult.from_json(game) for game in row["rows"]] for row in (evaluations[0], evaluations[-1]))
    tested = {name: paired(first, last, name) for name in _TESTED}
    return {name: test._asdict() for name, test in tested.items() if test is not None}
