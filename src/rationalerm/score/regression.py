"""Judges' means by evaluator B against those by evaluator A: the line, how close the judges lie to it, and their order.

Arrays are (draws, judges); every figure is one number a draw, NaN where it is not defined. The formulas stand in agreement.py.
"""

from __future__ import annotations

import numpy as np

from rationalerm.score.resample import Floats, pearson, varies, weighted_mean

__all__ = ["OVER_JUDGES", "regress"]

OVER_JUDGES = ("r2", "rmse", "slope", "intercept", "mean_difference", "spearman")


def regress(a: Floats, b: Floats) -> dict[str, Floats]:
    """Each of `OVER_JUDGES`: the least-squares regression of B on A, the mean difference, Spearman's rho.

    With A the same for all judges there is no line; with B the same there is one (slope 0), but no R^2.
    """
    ones = np.ones(a.shape)
    mean_a, mean_b = weighted_mean(a, ones), weighted_mean(b, ones)
    x, y = a - mean_a[:, None], b - mean_b[:, None]
    xx = (x * x).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.where(varies(a, xx, ones), (x * y).sum(axis=1) / xx, np.nan)
    residuals = y - slope[:, None] * x
    return {
        "r2": pearson(a, b, ones) ** 2,
        "rmse": np.sqrt((residuals**2).mean(axis=1)),
        "slope": slope,
        "intercept": mean_b - slope * mean_a,
        "mean_difference": mean_b - mean_a,
        "spearman": pearson(_ranks(a), _ranks(b), ones),
    }


def _ranks(x: Floats) -> Floats:
    """Mid-ranks within each draw; NaN in all of a draw that holds a NaN."""
    near = np.round(x, 12)  # equal within rounding is equal
    below = (near[:, :, None] > near[:, None, :]).sum(axis=2)
    equal = (near[:, :, None] == near[:, None, :]).sum(axis=2)
    return np.where(np.isnan(x).any(axis=1, keepdims=True), np.nan, below + (equal + 1) / 2)
