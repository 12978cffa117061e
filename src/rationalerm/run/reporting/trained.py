"""Runs of `train genrm`, `train sft` and `train demo` as the report takes them: curves, and the policy before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rationalerm.data.log import Log
from rationalerm.errors import DataError
from rationalerm.run.reporting.loaded import Loaded, read_summary
from rationalerm.score.rows import GameResult

__all__ = ["load_demo", "load_training", "load_warm_start"]

_TRAINED = {"outcome": "reward/outcome", "rationale": "reward/rationale", "generic": "reward/generic"}
_HELD_OUT = {
    "outcome": "outcome_accuracy",
    "rationale": "rationale_consistency",
    "average precision": "average_precision",
    "generic": "generic",
    "evidence-grounded": "eg_share",
}


def load_training(folder: Path, name: str, manifest: Mapping[str, Any], stack: ExitStack) -> Loaded:
    """A run of `train genrm`: the judges are the policy at its first and its last evaluation.

    Raises:
        DataError: no update and no evaluation yet.
    """
    steps = _by_step(folder / "steps.jsonl")
    evaluations = _by_step(folder / "evaluations.jsonl")
    if not steps and not evaluations:
        raise DataError("holds no update yet; run its command again", source=name)
    summary = read_summary(folder)
    metrics = {
        metric: {"train": _train(steps, _TRAINED.get(metric)), "held out": _held_out(evaluations, field)}
        for metric, field in _HELD_OUT.items()
    }
    seen = {metric: of for metric, of in metrics.items() if of["train"] or of["held out"]}
    return Loaded(
        name=name,
        manifest=manifest,
        games=_policies(evaluations),
        finished=summary is not None,
        without_texts="a training keeps the answers, not the pairs' texts",
        summary=summary or {},
        curves=[{"name": Path(name).name, "metrics": seen, "alarms": _alarms(summary or {})}],
    )


def load_warm_start(folder: Path, name: str, manifest: Mapping[str, Any], stack: ExitStack) -> Loaded:
    """A run of `train sft`: the curve of its loss; nothing in it is judged.

    Raises:
        DataError: no update yet, or only demonstrations were made.
    """
    steps = _by_step(folder / "steps.jsonl")
    if not steps:
        raise DataError("holds no update: nothing was trained (yet)", source=name)
    summary = read_summary(folder)
    return Loaded(
        name=name,
        manifest=manifest,
        games={},
        finished=summary is not None,
        without_texts="a warm start judges nothing",
        summary=summary or {},
        curves=[{"name": Path(name).name, "metrics": {"loss": {"train": _train(steps, "loss"), "held out": []}}, "alarms": []}],
    )


def load_demo(folder: Path, name: str, manifest: Mapping[str, Any], stack: ExitStack) -> Loaded:
    """A run of `train demo`: each arm is a judge with its figures, and a curve."""
    summary = read_summary(folder)
    arms: Mapping[str, Any] = (summary or {}).get("arms") or {}
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in Log(folder / "curves.jsonl").rows():
        rows.setdefault(str(row.get("arm")), []).append(row)
    if not arms and not rows:
        raise DataError("holds no arm yet; run its command again", source=name)
    return Loaded(
        name=name,
        manifest=manifest,
        games={arm: [] for arm in arms},
        finished=summary is not None,
        without_texts="the demonstration's pairs are made up as it runs",
        measured=arms,
        summary=summary or {},
        curves=[
            {
                "name": arm,
                "metrics": {metric: {"train": _train(of, metric), "held out": []} for metric in ("outcome", "rationale")},
                "alarms": [],
            }
            for arm, of in rows.items()
        ],
    )


def _by_step(path: Path) -> list[dict[str, Any]]:
    """The last row of each update, in order."""
    steps = {row["step"]: row for row in Log(path).rows() if isinstance(row.get("step"), int)}
    return [steps[step] for step in sorted(steps)]


def _train(rows: Sequence[Mapping[str, Any]], field: str | None) -> list[list[float]]:
    """[step, value] where there is a value: an update without a scored answer has none, and leaves a gap."""
    return [[row["step"], row[field]] for row in rows if field is not None and row.get(field) is not None]


def _held_out(rows: Sequence[Mapping[str, Any]], field: str) -> list[list[float | None]]:
    """[step, value, low, high]."""
    return [[row["step"], row[field], *(row.get(f"{field}_ci") or (None, None))] for row in rows if row.get(field) is not None]


def _alarms(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    seen = (summary.get("degeneration") or {}).get("seen")
    return [{"step": seen["step"], "text": summary["degeneration"].get("said", "")}] if seen else []


def _policies(evaluations: Sequence[Mapping[str, Any]]) -> dict[str, list[GameResult]]:
    if not evaluations:
        return {}
    chosen = {f"policy at update {row['step']}": row for row in (evaluations[0], evaluations[-1])}
    return {name: [GameResult.from_json({**game, "judge": name}) for game in row.get("rows", ())] for name, row in chosen.items()}
