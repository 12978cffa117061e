"""How sure a mean is: clustered bootstrap, paired cluster permutation, Holm.

Rows that share a prompt are not independent, so whole clusters are resampled (or have their signs turned) together. All draws
come from a fixed seed: the same rows give the same interval on every machine. Knows nothing of judges.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Interval", "bootstrap", "holm", "paired_permutation"]

Interval = tuple[float, float]
Floats = NDArray[np.float64]

_CHUNK = 4_000_000  # draws at a time: keeps peak memory near 64 MB
_EXACT = 12  # up to so many clusters all sign patterns are tried


def bootstrap(
    values: Sequence[float], clusters: Sequence[Hashable], *, draws: int = 2000, level: float = 0.95, seed: int = 0
) -> Interval | None:
    """Percentile interval of the mean, resampling clusters with replacement.

    Args:
        values: one number a row.
        clusters: the row's cluster, same length.
        draws: bootstrap samples.
        level: coverage.
        seed: of the generator.

    Returns:
        (low, high), or None with fewer than two clusters.

    Source: the cluster bootstrap of Davison and Hinkley, "Bootstrap Methods and their Application", section 3.8.
    """
    sums, sizes = _by_cluster(values, clusters)
    n = len(sums)
    if n < 2:
        return None
    generator = np.random.default_rng(seed)
    even = bool((sizes == sizes[0]).all())  # mostly one row a cluster: then the size of a resample is known
    means = []
    left, step = draws, max(1, _CHUNK // n)
    while left > 0:
        picked = generator.integers(n, size=(min(step, left), n), dtype=np.int32)
        rows = n * sizes[0] if even else sizes[picked].sum(axis=1)
        means.append(sums[picked].sum(axis=1) / rows)
        left -= step
    low, high = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


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
    sums, _ = _by_cluster([a - b for a, b in zip(first, second, strict=True)], clusters)
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


def _by_cluster(values: Sequence[float], clusters: Sequence[Hashable]) -> tuple[Floats, Floats]:
    """Sum and size of each cluster, in order of first appearance."""
    number: dict[Any, int] = {}
    index = np.fromiter((number.setdefault(c, len(number)) for c in clusters), dtype=np.int64, count=len(clusters))
    if len(index) != len(values):
        raise ValueError(f"{len(values)} values, {len(index)} clusters")
    weights = np.asarray(values, dtype=np.float64)
    sums = np.bincount(index, weights, len(number)).astype(np.float64)
    return sums, np.bincount(index, minlength=len(number)).astype(np.float64)
