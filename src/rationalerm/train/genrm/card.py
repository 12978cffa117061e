"""The model card: what was trained, on what, and the measured table. Every figure in it stands in summary.json."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from string import Template
from typing import Any

from rationalerm import __version__
from rationalerm.errors import printable
from rationalerm.train.genrm.config import GenRMConfig

__all__ = ["HEAD", "cells_of", "model_card"]

_COLUMNS = (
    ("outcome_accuracy", "OA"),
    ("outcome_accuracy_all", "OA, no verdict = wrong"),
    ("rationale_consistency", "RC"),
    ("average_precision", "AP"),
    ("generic", "generic reasons"),
    ("reasons", "reasons an answer"),
)


HEAD = ("update", *(label for _, label in _COLUMNS), "no verdict", "reasons unscored", "answers")
_REWARDS = {
    "product": "the hybrid reward of arXiv 2602.04649",
    "additive": "outcome and rationale added up, an ablation of the hybrid reward of arXiv 2602.04649",
    "outcome": "the outcome alone as its reward, the baseline of arXiv 2602.04649",
    "rationale": "the rationale alone as its reward, an ablation of the hybrid reward of arXiv 2602.04649",
}


def model_card(summary: dict[str, Any], config: GenRMConfig, prompts: str) -> str:
    """Markdown.

    Args:
        summary: summary.json.
        config: of the run.
        prompts: the digest of the prepared prompts.
    """
    reward, evaluations = config.reward, summary["held_out"]
    return Template((files(__package__) / "card.md").read_text("utf-8")).substitute(
        {name: f"{value:g}" if isinstance(value, float) else value for name, value in config.to_json().items()}
        | {"policy": _code(config.policy)},
        base_model=json.dumps(config.policy),  # a JSON text is a YAML one, whatever is in it
        library="transformers",
        version=__version__,
        measured_by=evaluations[-1]["matcher"] if evaluations else "-",
        table="\n".join(_table(evaluations)),
        change=_change(summary["change"]),
        degeneration=summary["degeneration"]["said"],
        reward=_REWARDS[reward.combine],
        combine=reward.combine,
        rationale=reward.rationale,
        cap=f"the first {reward.max_reasons} reasons count" if reward.max_reasons else "the list is not cut",
        matcher=f"{reward.matcher} (`{_code(reward.model)}`)" if reward.model else reward.matcher,
        updates=summary["updates"],
        lora=f", LoRA of rank {config.lora}" if config.lora else "",
        prompts=prompts,
    )


def _code(name: str) -> str:
    """A name inside backticks, whatever is in it."""
    return printable(name).replace("`", "'")


def _table(evaluations: Sequence[dict[str, Any]]) -> list[str]:
    """The first and the last evaluation."""
    shown = [*evaluations[:1], *(evaluations[-1:] if len(evaluations) > 1 else [])]
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    return lines + ["| " + " | ".join(cells_of(row)) + " |" for row in shown]


def cells_of(row: dict[str, Any]) -> list[str]:
    """An evaluation's figures with their intervals, and what is in none of them; under `HEAD`."""
    counts = row["counts"]
    no_verdict = sum(counts.get(name, 0) for name in ("none", "refused", "failed"))
    unscored = sum(counts.get(name, 0) for name in ("no human reasons", "no answer", "matcher failed"))
    return [str(row["step"]), *(_cell(row, name) for name, _ in _COLUMNS), str(no_verdict), str(unscored), str(row["games"])]


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
    return f"Paired, on pairs that both have: {'; '.join(said)}.\n" if said else ""
