"""The degeneration alarm: verdicts get better while reasons get worse (method.md sections 4 and 5). Knows nothing of trainers.

The last `window` updates are held against the `window` updates with the best rationale part so far. Degeneration is told when the
rationale part has fallen from there by at least `drop` of its value, the outcome part has risen since by at least 0.02, and both
by more than noise: three standard errors of the difference of the two windows' means.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Alarm", "Degeneration"]

_RISE = 0.02  # the least rise of the outcome part that is one, absolute
_ERRORS = 3.0  # it looks at every update: with 2, mere noise would ring in every tenth long run


@dataclass(frozen=True, slots=True)
class Degeneration:
    """What was seen: means of both parts in the best window, which ended at update `since`, and in the last one, at `step`."""

    step: int
    since: int
    rationale_before: float
    rationale: float
    outcome_before: float
    outcome: float

    @property
    def fall(self) -> float:
        """Of the rationale part, relative to what it was."""
        return 1 - self.rationale / self.rationale_before

    def __str__(self) -> str:
        return (
            f"rationale degeneration: from update {self.since} to {self.step} the rationale part fell from "
            f"{self.rationale_before:.3f} to {self.rationale:.3f} ({self.fall:.0%}) while the outcome part rose from "
            f"{self.outcome_before:.3f} to {self.outcome:.3f}: the verdicts get better, the reasons do not carry them"
        )

    def to_json(self) -> dict[str, Any]:
        """For summary.json."""
        names = ("step", "since", "rationale_before", "rationale", "outcome_before", "outcome", "fall")
        return {name: getattr(self, name) for name in names}


class Alarm:
    """Fed with every update's means of the two parts.

    Args:
        window: updates that are put together.
        drop: the least relative fall of the rationale part.

    >>> alarm = Alarm(window=2)
    >>> for step, (outcome, rationale) in enumerate([(0.70, 0.30), (0.71, 0.31), (0.80, 0.20), (0.81, 0.19)], 1):
    ...     seen = alarm.saw(step, outcome, rationale)
    >>> seen.since, seen.step, round(seen.fall, 2)
    (2, 4, 0.36)
    """

    def __init__(self, window: int = 20, drop: float = 0.1) -> None:
        self._window, self._drop = window, drop
        self._steps: list[int] = []
        self._outcome: list[float] = []
        self._rationale: list[float] = []
        self._best: int | None = None  # where the window with the best rationale part ends
        self.first: Degeneration | None = None
        self.worst: Degeneration | None = None
        self.last: Degeneration | None = None

    @property
    def too_few(self) -> str:
        """Why it can't tell yet; empty where it can."""
        seen, needed = len(self._steps), 2 * self._window
        return f"{seen} updates with a score were logged, and the alarm needs {needed}" if seen < needed else ""

    def saw(self, step: int, outcome: float | None, rationale: float | None) -> Degeneration | None:
        """One update's means; None where nothing was scored (then the update does not count).

        Returns:
            What is seen now; None where all is well or it is too early to say.
        """
        if outcome is None or rationale is None or not (math.isfinite(outcome) and math.isfinite(rationale)):
            return self.last
        self._steps.append(step)
        self._outcome.append(outcome)
        self._rationale.append(rationale)
        self.last = self._look()
        if self.last is not None:
            self.first = self.first or self.last
            if self.worst is None or self.last.fall > self.worst.fall:
                self.worst = self.last
        return self.last

    def _look(self) -> Degeneration | None:
        end = len(self._steps)
        if end < self._window:
            return None
        if self._best is None or _mean(self._of(self._rationale, end)) > _mean(self._of(self._rationale, self._best)):
            self._best = end
        if end - self._best < self._window:  # the two windows would share updates
            return None
        before, now = self._of(self._rationale, self._best), self._of(self._rationale, end)
        was, is_ = self._of(self._outcome, self._best), self._of(self._outcome, end)
        fell = _mean(before) - _mean(now)
        if fell < self._drop * _mean(before) or fell <= _ERRORS * _error(before, now):
            return None
        if _mean(is_) - _mean(was) < max(_RISE, _ERRORS * _error(was, is_)):
            return None
        return Degeneration(self._steps[end - 1], self._steps[self._best - 1], _mean(before), _mean(now), _mean(was), _mean(is_))

    def _of(self, values: Sequence[float], end: int) -> Sequence[float]:
        return values[end - self._window : end]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _error(first: Sequence[float], second: Sequence[float]) -> float:
    """The standard error of the difference of two windows' means."""
    return math.sqrt(sum(_variance(values) / len(values) for values in (first, second)))


def _variance(values: Sequence[float]) -> float:
    middle = _mean(values)
    return sum((value - middle) ** 2 for value in values) / max(1, len(values) - 1)
