"""The arithmetic of an interval of a mean over clusters: expanded BCa, Wilson's with an effective size, and where nothing varies.

All take the sum and the size of each cluster; the mean is sum(sums) / sum(sizes). Which of them serves is `intervals.bootstrap`'s
to choose. Knows nothing of rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Interval", "expanded_bca", "standard_error", "student", "unvaried", "wilson"]

Floats = NDArray[np.float64]
Interval = tuple[float, float]

_CHUNK = 2_000_000  # numbers of the draws at a time, 16 MB
_SAME = 1e-12  # below it a difference is rounding
_FEW = 8  # with fewer clusters off the common value, the sample's skewness says little
_NORMAL = NormalDist()


def expanded_bca(sums: Floats, sizes: Floats, draws: int, level: float, seed: int) -> Interval:
    """The bootstrap's BCa interval, its quantiles set apart for few clusters.

    With z0 the normal quantile of the share of resamples under the mean (half of those equal to it), a the acceleration from
    the jackknife that leaves out one cluster at a time, and z = sqrt(n / (n - 1)) * t(n - 1), the ends are the quantiles
    Phi(z0 + (z0 -+ z) / (1 - a (z0 -+ z))) of the resamples. Where fewer than 8 clusters differ from the common value, z0 and a
    are guesses, and the interval spans that of z0 = a = 0 too.

    Sources: Davison and Hinkley, "Bootstrap Methods and their Application", sections 3.8 (clusters) and 5.3.2 (BCa); Hesterberg,
    "What Teachers Should Know About the Bootstrap", 2015, section 4.1 (the expansion).
    """
    n = len(sums)
    center = sums.sum() / sizes.sum()
    means = np.concatenate([_weighted(drawn, sums) / _weighted(drawn, sizes) for drawn in _draws(n, draws, seed)])
    near = _SAME * max(1.0, abs(center))
    below = np.mean(means < center - near) + np.mean(np.abs(means - center) <= near) / 2
    shift = _NORMAL.inv_cdf(min(max(float(below), 0.5 / draws), 1 - 0.5 / draws))
    bend = _acceleration(sums, sizes)
    wide = math.sqrt(n / (n - 1)) * student((1 + level) / 2, n - 1)
    places = [_place(shift, bend, -wide), _place(shift, bend, wide)]
    if _off_common(sums / sizes) < _FEW:
        places = [min(places[0], _NORMAL.cdf(-wide)), max(places[1], _NORMAL.cdf(wide))]
    low, high = np.quantile(means, places)
    return float(low), float(high)


def wilson(sums: Floats, sizes: Floats, level: float, most: float) -> Interval:
    """Wilson's score interval of a share, with the size that the clusters' own variance is worth.

    n_eff = p (1 - p) / se^2, at most `most`, with the clustered standard error. The normal quantile, as Wilson has it: Student's
    covers too often below 30 clusters (0.97 with 12).

    Sources: Wilson, "Probable inference, the law of succession, and statistical inference", 1927; with an effective size: Korn
    and Graubard, "Confidence intervals for proportions with small expected number of positive counts estimated from survey
    data", 1998; for clusters: Dean and Pagano, "Evaluating confidence interval methods for binomial proportions in clustered
    surveys", 2015.
    """
    p = float(sums.sum() / sizes.sum())
    effective = min(p * (1 - p) / standard_error(sums, sizes) ** 2, most)
    part = _NORMAL.inv_cdf((1 + level) / 2) ** 2 / effective
    half = math.sqrt(part * (p * (1 - p) + part / 4))
    return (p + part / 2 - half) / (1 + part), (p + part / 2 + half) / (1 + part)


def unvaried(value: float, n: int, level: float, bounds: Interval) -> Interval:
    """Of `n` clusters that all have the same value: clusters of another one may be as frequent as q and still never be met.

    q = 1 - ((1 - level) / 2)^(1 / n), the exact (Clopper-Pearson) bound of 0 out of n; such clusters lie within `bounds`, so the
    mean does within value - q (value - lowest) and value + q (highest - value). For a share of 1: [1 - q, 1].

    Source: Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial", 1934.
    """
    q = 1 - ((1 - level) / 2) ** (1 / n)
    return value - q * (value - bounds[0]), value + q * (bounds[1] - value)


def standard_error(sums: Floats, sizes: Floats) -> float:
    """Of the mean, over clusters (linearised ratio): sqrt(n / (n - 1) * sum((s_c - mean * m_c)^2)) / sum(m_c)."""
    n, rows = len(sums), sizes.sum()
    residuals = sums - sums.sum() / rows * sizes
    return float(math.sqrt(n / (n - 1) * (residuals @ residuals)) / rows)


def student(p: float, freedom: int) -> float:
    """Student's t quantile for p in (0.5, 1).

    Exact with 1 and 2 degrees of freedom; else Abramowitz and Stegun, 26.7.5: off by less than 0.005 at 3 of them and 0.001
    from 4 on, for p up to 0.975.
    """
    if freedom == 1:
        return math.tan(math.pi * (p - 0.5))
    if freedom == 2:
        return (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p)))
    z, v = _NORMAL.inv_cdf(p), freedom
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / v + second / v**2 + third / v**3 + fourth / v**4


def _weighted(drawn: Floats, values: Floats) -> Floats:
    """`drawn @ values` on one thread: BLAS's wait for each other on a busy machine, and differ in the last digits between two."""
    return np.asarray(np.einsum("dn,n->d", drawn, values))


def _place(shift: float, bend: float, z: float) -> float:
    """BCa's quantile; where its denominator has run out, the end that z points to."""
    down = 1 - bend * (shift + z)
    if down <= 0:
        return float(z > 0)
    return _NORMAL.cdf(shift + (shift + z) / down)


def _acceleration(sums: Floats, sizes: Floats) -> float:
    """sum(d^3) / (6 sum(d^2)^1.5), d the jackknife means' distances under their own mean."""
    without = (sums.sum() - sums) / (sizes.sum() - sizes)
    d = without.mean() - without
    squares = float(d @ d)
    return float((d**3).sum() / (6 * squares**1.5)) if squares > 0 else 0.0


def _off_common(means: Floats) -> int:
    """How many clusters do not have the commonest mean."""
    _, counts = np.unique(np.round(means, 12), return_counts=True)
    return len(means) - int(counts.max())


def _draws(n: int, draws: int, seed: int) -> Iterator[Floats]:
    """How often each of n clusters is drawn, (k, n) at a time, `draws` in all. Many means share one n: the last are kept."""
    if n * draws <= _CHUNK:
        yield _kept(n, draws, seed)
        return
    generator = np.random.default_rng(seed)
    left, step = draws, max(1, _CHUNK // n)
    while left > 0:
        yield _drawn(generator, n, min(step, left))
        left -= step


@lru_cache(maxsize=2)
def _kept(n: int, draws: int, seed: int) -> Floats:
    return _drawn(np.random.default_rng(seed), n, draws)


def _drawn(generator: np.random.Generator, n: int, k: int) -> Floats:
    picked = generator.integers(n, size=(k, n), dtype=np.int32) + n * np.arange(k)[:, None]
    return np.bincount(picked.ravel(), minlength=k * n).reshape(k, n).astype(np.float64)
