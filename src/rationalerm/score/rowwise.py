"""Two evaluators row by row and reason by reason. Rows here have model reasons: without any, every evaluator says 0.

What each figure is stands in agreement.py. Knows nothing of means over judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rationalerm.match.assign import assign
from rationalerm.score.consistency import Scoring
from rationalerm.score.resample import Floats, Ranks, kappa, pearson, weighted_mean
from rationalerm.types import Matching

__all__ = ["MATCHED", "OVER_ROWS", "RatedTwice", "Rowwise", "partners"]

MATCHED = 0.5
OVER_ROWS = ("pearson", "spearman", "mean_absolute_difference", "same_reason", "kappa")
_CORRELATIONS, _REASONS = ("pearson", "spearman"), ("same_reason", "kappa")
_LEAST = 3  # rows of a correlation


class RatedTwice(NamedTuple):
    """One row (a game) as both evaluators scored it: the metric's value by each, and the matchings that the values were
    made of (cut to K, copies merged), where both are known. `asked` is False for a row without model reasons."""

    judge: str
    pair: str
    cluster: str
    a: float
    b: float
    asked: bool = True
    matchings: tuple[Matching, Matching] | None = None


class Rowwise:
    """The rows in columns. `number`: cluster -> its place in the weights."""

    def __init__(self, rows: Sequence[RatedTwice], number: Mapping[str, int], scoring: Scoring) -> None:
        self._a, self._b = np.array([row.a for row in rows], float), np.array([row.b for row in rows], float)
        self._cluster = np.array([number[row.cluster] for row in rows], dtype=np.int64)
        self._ranks = (Ranks(self._a), Ranks(self._b)) if rows else None
        self._reasons = np.zeros((len(number), 5))  # both matched, only by A, only by B, by neither; the same model reason
        for row in rows:
            if row.matchings is not None:
                self._reasons[number[row.cluster]] += _reasons(*row.matchings, scoring)

    def statistics(self, weights: Floats) -> dict[str, Floats]:
        """Each of `OVER_ROWS`, a number a draw, NaN where not defined."""
        table = weights @ self._reasons
        with np.errstate(invalid="ignore", divide="ignore"):
            same = table[:, 4] / table[:, :4].sum(axis=1)
        out = {"same_reason": same, "kappa": kappa(table[:, :4])}
        if self._ranks is None:
            return out | dict.fromkeys(OVER_ROWS[:3], np.full(len(weights), np.nan))
        by_row = weights[:, self._cluster]
        ranks_a, ranks_b = (ranks.under(by_row) for ranks in self._ranks)
        return out | {
            "pearson": pearson(self._a, self._b, by_row),
            "spearman": pearson(ranks_a, ranks_b, by_row),
            "mean_absolute_difference": weighted_mean(np.abs(self._b - self._a), by_row),
        }

    def size(self, name: str) -> int:
        """Rows, or human reasons."""
        return int(self._reasons[:, :4].sum()) if name in _REASONS else len(self._a)

    def why(self, name: str) -> str | None:
        """Why a figure is not defined, as far as the rows as they are tell."""
        if name in _REASONS and not self.size(name):
            return "no matchings of both on the same rows"
        if name == "kappa":
            both, only_a, only_b, none = self._reasons[:, :4].sum(axis=0)
            if not both + only_a + only_b or not none + only_a + only_b:
                return f"both {'never' if none else 'always'} match a human reason at {MATCHED:g} or more"
        if not len(self._a):
            return "no row with model reasons that both scored"
        if name in _CORRELATIONS and len(self._a) < _LEAST:
            return f"needs {_LEAST} rows or more, there {'is' if len(self._a) == 1 else 'are'} {len(self._a)}"
        flat = next((who for who, of in (("A", self._a), ("B", self._b)) if np.ptp(of) <= 1e-12), None)
        return f"{flat} gives every row the same value" if name in _CORRELATIONS and flat else None


def partners(matching: Matching, scoring: Scoring) -> dict[int, tuple[int, float]]:
    """Human reason -> its model reason and the score: in the one-to-one optimum, or its best (the first of equals)."""
    if scoring == "paper":
        return {i: (j, score) for i, j, score in assign(matching)}
    best: dict[int, tuple[int, float]] = {}
    for (i, j), score in sorted(matching.scores.items()):
        if score > best.get(i, (0, 0.0))[1]:
            best[i] = j, score
    return best


def _reasons(a: Matching, b: Matching, scoring: Scoring) -> list[int]:
    """Of a row's human reasons: matched by both, only by A, only by B, by neither; and with the same model reason, or none."""
    first, second = partners(a, scoring), partners(b, scoring)
    counts = [0, 0, 0, 0, 0]
    for i in range(a.n_human):
        (j, score), (k, other) = first.get(i, (None, 0.0)), second.get(i, (None, 0.0))
        counts[2 * (score < MATCHED) + (other < MATCHED)] += 1
        counts[4] += j == k
    return counts
