"""What changes a run's numbers: written to run.json, checked once, the same in a resumed run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rationalerm.data.labels import parse_label_map
from rationalerm.data.pairs import Columns
from rationalerm.errors import UsageError
from rationalerm.score.consistency import TOP_K, Scoring
from rationalerm.score.summary import SPURIOUS_UNDER

__all__ = ["EvaluateConfig"]


@dataclass(frozen=True, slots=True)
class EvaluateConfig:
    """Scoring and field names.

    `top_k` None counts all of a judge's reasons. `repeats`: how often an LLM matcher is asked about each game; scores are then
    means over the repeats. `label_map` (the human's column) and `judge_label_map` are written as for `--label-map`.

    Raises:
        UsageError: a value out of range.
    """

    scoring: Scoring = "paper"
    top_k: int | None = TOP_K
    spurious_under: float = SPURIOUS_UNDER
    repeats: int = 1
    human_field: str | None = None
    reasons_field: str = "{judge}-checklist"
    text_field: str = "{judge}-generated_text"
    label_field: str | None = None
    label_map: str | None = None
    judge_label_field: str = "{judge}-label"
    judge_label_map: str | None = None
    id_field: str = "id"
    feedback: str | None = None

    def __post_init__(self) -> None:
        if self.scoring not in ("paper", "released"):
            raise UsageError(f"no scoring {self.scoring!r}; paper or released")
        if self.top_k is not None and (not isinstance(self.top_k, int) or self.top_k < 1):
            raise UsageError(f"--top-k is {self.top_k!r}; give 1 or more, or none for all reasons")
        if not 0 <= self.spurious_under <= 1:  # NaN too
            raise UsageError(f"--s-corr is {self.spurious_under!r}; give a number from 0 to 1")
        if self.repeats < 1:
            raise UsageError(f"--repeats is {self.repeats}; give 1 or more")
        self.columns(())

    def columns(self, judges: Sequence[str]) -> Columns:
        """The fields to read."""
        return Columns(
            judges=tuple(judges),
            human_field=self.human_field,
            reasons_field=self.reasons_field,
            text_field=self.text_field,
            label_field=self.label_field,
            label_map=parse_label_map(self.label_map),
            judge_label_field=self.judge_label_field,
            judge_label_map=parse_label_map(self.judge_label_map, "--judge-label-map"),
            id_field=self.id_field,
        )

    def to_json(self) -> dict[str, Any]:
        """For run.json."""
        return {name: getattr(self, name) for name in self.__slots__}
