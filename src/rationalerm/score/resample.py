"""Statistics of weighted rows, for all bootstrap resamples at once: a resample is a weight a row, how often its prompt was drawn.

Every function takes weights of shape (draws, rows) and gives one number a draw, NaN where it is not defined; weights of ones give
the statistic of the rows themselves, so that a figure and its interval come from the same lines. Knows nothing of judges.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np
from numpy.typing import NDArray

from rationalerm.score.intervals import Interval

__all__ = ["Floats", "Ranks", "cluster_draws", "interval", "kappa", "pearson", "varies", "weighted_mean"]

Floats = NDArray[np.float64]

_CHUNK = 1_000_000  # numbers at a time: an array of 8 MB
_DEFINED = 0.95  # an interval needs the figure in that share of the resamples
_SAME = 1e-12  # a spread of that share of the largest value is rounding


def cluster_draws(clusters: int, draws: int, width: int, seed: int = 0) -> Iterator[Floats]:
    """How often each cluster is drawn, (k, clusters) at a time, `draws` in all; k so that k * width numbers are few.

    Source: the cluster bootstrap of Davison and Hinkley, "Bootstrap Methods and their Application", section 3.8.
    """
    generator = np.random.default_rng(seed)
    left, step = draws, max(1, _CHUNK // max(clusters, width))
    while left > 0:
        k = min(step, left)
        picked = generator.integers(clusters, size=(k, clusters)) + clusters * np.arange(k)[:, None]
        yield np.bincount(picked.ravel(), minlength=k * clusters).reshape(k, clusters).astype(np.float64)
        left -= k


def interval(values: Floats, level: float = 0.95) -> Interval | None:
    """The percentile interval of a figure over the resamples; None where too many of them do not define it."""
    defined = values[np.isfinite(values)]
    if not len(defined) or len(defined) < _DEFINED * len(values):
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """Mean of `values` (rows,) or (draws, rows) under each draw's weights; NaN without weight."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return cast(Floats, (values * weights).sum(axis=1) / weights.sum(axis=1))


def pearson(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Pearson's correlation; NaN where one side does not vary."""
    left, right = (x - weighted_mean(x, weights)[:, None], y - weighted_mean(y, weights)[:, None])
    xx, yy, xy = ((weights * a * b).sum(axis=1) for a, b in ((left, left), (right, right), (left, right)))
    both = varies(x, xx, weights) & varies(y, yy, weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        return cast(Floats, np.where(both, np.clip(xy / np.sqrt(xx * yy), -1, 1), np.nan))


def varies(x: Floats, squares: Floats, weights: Floats) -> NDArray[np.bool_]:
    """Are the values of a draw different ones? `squares`: the weighted sum of their squared distances from their mean."""
    largest = np.abs(x).max(axis=-1, initial=0.0)
    return np.asarray(np.sqrt(squares) > _SAME * largest * np.sqrt(weights.sum(axis=1)))  # False where something is NaN


class Ranks:
    """Mid-ranks of fixed values under changing weights: equal values share the mean of their ranks (for Spearman)."""

    def __init__(self, values: Floats) -> None:
        _, self._group = np.unique(np.round(values, 12), return_inverse=True)  # equal within rounding is equal
        self._order = np.argsort(self._group, kind="stable")
        self._starts = np.searchsorted(self._group[self._order], np.arange(self._group.max(initial=-1) + 1))

    def under(self, weights: Floats) -> Floats:
        """(draws, rows): each row's rank, 1 = lowest."""
        sizes = np.add.reduceat(weights[:, self._order], self._starts, axis=1)
        middle = np.cumsum(sizes, axis=1) - sizes + (sizes + 1) / 2
        return middle[:, self._group]


def kappa(table: Floats) -> Floats:
    """Cohen's kappa of two yes/no raters from (draws, 4): both yes, only A, only B, both no.

    (observed - expected agreement) / (1 - expected); NaN where both give the same one answer throughout.
    Source: Cohen, "A coefficient of agreement for nominal scales", 1960.
    """
    n = table.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        both, only_a, only_b, none = (table / n[:, None]).T
        a, b = both + only_a, both + only_b
        expected = a * b + (1 - a) * (1 - b)
        return cast(Floats, np.where(1 - expected > _SAME, (both + none - expected) / (1 - expected), np.nan))
