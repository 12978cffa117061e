"""How sure a mean is: clustered intervals, paired cluster permutation, Holm.

Rows that share a prompt are not independent, so whole clusters are resampled (or have their signs turned) together. All draws
come from a fixed seed: the same rows give the same interval. Which interval serves which values was decided by measured coverage
(tests/score/test_coverage.py). Knows nothing of judges.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import product
from typing import Any

import numpy as np

from rationalerm.score.bca import Floats, Interval, expanded_bca, unvaried, wilson

__all__ = ["SHARE", "Interval", "bootstrap", "by_cluster", "holm", "paired_permutation"]

SHARE: Interval = (0.0, 1.0)

_CHUNK = 4_000_000  # draws at a time: keeps peak memory near 64 MB
_EXACT = 12  # up to so many clusters all sign patterns are tried
_SAME = 1e-12  # a spread of that share of the largest value is rounding


def bootstrap(
    values: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    draws: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    bounds: Interval | None = SHARE,
) -> Interval | None:
    """The interval of the mean, over clusters.

    Three kinds of values have each their own (bca.py has formulas and sources):

    * all rows right, wrong or half (the two games of a pair): Wilson's score interval, with the effective size that the
      clusters' variance gives. The bootstrap of a share near 1 covers far too seldom (0.90 in the place of 0.95 with 30 clusters
      at 0.9), since a resample can't hold an error that the sample has not.
    * anything else: the expanded BCa interval of the cluster bootstrap.
    * clusters that all have the same mean: the exact bound of an event that was never seen in so many clusters; an all-right
      sample gets [low, 1], never [1, 1]. It needs `bounds`; without them there is nothing to say but the value itself.

    Args:
        values: one number a row.
        clusters: the row's cluster, same length.
        draws: bootstrap samples.
        level: coverage.
        seed: of the generator.
        bounds: the least and the greatest value that there can be; None, or values beyond them: not known.

    Returns:
        (low, high), or None with fewer than two clusters.
    """
    sums, sizes = by_cluster(values, clusters)
    n = len(sums)
    if n < 2:
        return None
    inside = bounds if bounds and bounds[0] <= min(values) and max(values) <= bounds[1] else None
    center = float(sums.sum() / sizes.sum())
    if np.abs(sums - center * sizes).max() <= _SAME * np.abs(sums).max():
        return unvaried(center, n, level, inside) if inside else (center, center)
    if inside and inside[0] >= 0 and (halves := _halves(np.asarray(values, float), inside)):
        low, width = inside[0], inside[1] - inside[0]
        left, right = wilson((sums - low * sizes) / width, sizes, level, len(values) * halves)
        return low + width * left, low + width * right
    return expanded_bca(sums, sizes, draws, level, seed)


def paired_permutation(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[Hashable], *, draws: int = 10_000, seed: int = 0
) -> float:
    """Two-sided p-value of mean(first) - mean(second) on the same rows: signs of whole clusters' differences are turned.

    Args:
        first, second: one number a row, same rows in the same order.
        clusters: the row's cluster.
        draws: random sign patterns; with 12 clusters or fewer all patterns are tried instead.
        seed: of the generator.

    Returns:
        p in (0, 1]; 1.0 with no rows.
    """
    if len(first) != len(second):
        raise ValueError(f"first has {len(first)} rows, second {len(second)}")
    sums, _ = by_cluster([a - b for a, b in zip(first, second, strict=True)], clusters)
    sums = sums[sums != 0]
    n = len(sums)
    if n == 0:
        return 1.0
    seen = abs(sums.sum()) - 1e-9 * np.abs(sums).sum()  # equal within rounding counts as equal
    if n <= _EXACT:
        signs = np.array(list(product((-1.0, 1.0), repeat=n)))
        return float(np.mean(np.abs(signs @ sums) >= seen))
    generator = np.random.default_rng(seed)
    hits, left, step = 0, draws, max(1, _CHUNK // n)
    while left > 0:
        signs = generator.integers(2, size=(min(step, left), n), dtype=np.int8) * 2.0 - 1.0
        hits += int(np.sum(np.abs(signs @ sums) >= seen))
        left -= step
    return (1 + hits) / (1 + draws)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    m = len(p_values)
    adjusted, running = [0.0] * m, 0.0
    for rank, index in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        running = max(running, min(1.0, (m - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted


def _halves(values: Floats, bounds: Interval) -> int:
    """Are all values at one of the bounds (1), or there and half-way between them (2)? 0 if not."""
    steps = 2 * (values - bounds[0]) / (bounds[1] - bounds[0])
    if not np.isin(steps, (0.0, 1.0, 2.0)).all():
        return 0
    return 2 if (steps == 1.0).any() else 1


def by_cluster(values: Sequence[float], clusters: Sequence[Hashable]) -> tuple[Floats, Floats]:
    """Sum and size of each cluster, in order of first appearance."""
    number: dict[Any, int] = {}
    index = np.fromiter((number.setdefault(c, len(number)) for c in clusters), dtype=np.int64, count=len(clusters))
    if len(index) != len(values):
        raise ValueError(f"{len(values)} values, {len(index)} clusters")
    weights = np.asarray(values, dtype=np.float64)
    sums = np.bincount(index, weights, len(number)).astype(np.float64)
    return sums, np.bincount(index, minlength=len(number)).astype(np.float64)
