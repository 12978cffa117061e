"""The model card: what was trained, on what, and the measured table. Every figure in it stands in summary.json."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from string import Template
from typing import Any

from rationalerm import __version__
from rationalerm.train.genrm.config import GenRMConfig

__all__ = ["model_card"]

_COLUMNS = (
    ("outcome_accuracy", "OA"),
    ("outcome_accuracy_all", "OA, no verdict = wrong"),
    ("rationale_consistency", "RC"),
    ("average_precision", "AP"),
    ("generic", "generic reasons"),
    ("reasons", "reasons an answer"),
)


def model_card(summary: dict[str, Any], config: GenRMConfig, prompts: str) -> str:
    """Markdown.

    Args:
        summary: summary.json.
        config: of the run.
        prompts: the digest of the prepared prompts.
    """
    reward, evaluations = config.reward, summary["held_out"]
    return Template((files(__package__) / "card.md").read_text("utf-8")).substitute(
        {name: f"{value:g}" if isinstance(value, float) else value for name, value in config.to_json().items()},
        library="peft" if config.lora else "transformers",
        version=__version__,
        measured_by=evaluations[-1]["matcher"] if evaluations else "-",
        table="\n".join(_table(evaluations)),
        change=_change(summary["change"]),
        degeneration=summary["degeneration"]["said"],
        combine=reward.combine,
        rationale=reward.rationale,
        cap=f"the first {reward.max_reasons} reasons count" if reward.max_reasons else "the list is not cut",
        matcher=f"{reward.matcher} ({reward.model})" if reward.model else reward.matcher,
        updates=summary["updates"],
        lora=f", LoRA of rank {config.lora}" if config.lora else "",
        prompts=prompts,
    )


def _table(evaluations: Sequence[dict[str, Any]]) -> list[str]:
    """The first and the last evaluation."""
    shown = [*evaluations[:1], *(evaluations[-1:] if len(evaluations) > 1 else [])]
    head = ["update", *(label for _, label in _COLUMNS), "no verdict", "reasons unscored", "answers"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in shown:
        counts = row["counts"]
        no_verdict = sum(counts.get(name, 0) for name in ("none", "refused", "failed"))
        unscored = sum(counts.get(name, 0) for name in ("no human reasons", "no answer", "matcher failed"))
        cells = [str(row["step"]), *(_cell(row, name) for name, _ in _COLUMNS), str(no_verdict), str(unscored), str(row["n"])]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _cell(row: dict[str, Any], name: str) -> str:
    value, interval = row.get(name), row.get(f"{name}_ci")
    if value is None:
        return "-"
    return f"{value:.3f}" + (f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "")


def _change(change: dict[str, Any]) -> str:
    """What changed, tested on the games that both evaluations have."""
    names = {"outcome_accuracy": "OA", "rationale_consistency": "RC", "average_precision": "AP"}
    said = [
        f"{names[name]} from {test['mean_first']:.3f} to {test['mean_second']:.3f} (n = {test['n']}, p = {test['p']:.3g})"
        for name, test in change.items()
    ]
    return f"Paired, on answers that both have: {'; '.join(said)}.\n" if said else ""
