"""The weights of a pair's features and the map from evidence to scores, fitted to human labels.

    minimise  sum_p c_p * logloss(sigmoid(bias + w.x_p), y_p) + (l2 / n) * |w / scale|^2      with the sign of each weight given

by accelerated projected gradient steps (Nesterov; Beck & Teboulle 2009). Signs are given because a rule that points the
wrong way in a few hundred pairs is noise. Pairs whose facts conflict are left out: they are capped, whatever the rest
says (calibration.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rationalerm.match.calibration import conflicts
from rationalerm.match.pairs import FEATURES

__all__ = ["SIGNS", "Labelled", "fit"]

Floats = npt.NDArray[np.float64]
_POSITIVE = {*FEATURES[:6], "sided", "sided_residual", "agrees", "evidence"}  # the first six are similarities
SIGNS = np.array([1.0 if f in _POSITIVE else -1.0 for f in FEATURES])


@dataclass(frozen=True)
class Labelled:
    """One pair: features, the human's label in [0, 1], how much it counts."""

    x: Sequence[float]
    y: float
    count: float


def fit(pairs: list[Labelled], slot: float, l2: float = 1.0, steps: int = 3000) -> tuple[Floats, float]:
    """Weights and bias."""
    kept = [p for p in pairs if not conflicts(p.x, slot)]
    x = np.array([p.x for p in kept])
    y = np.array([p.y for p in kept])
    c = np.array([p.count for p in kept])
    c = c / c.sum()
    scale = x.std(axis=0) + 1e-6
    z = x / scale
    shrink = l2 / len(y)
    step = 1 / (0.25 * (c[:, None] * z * z).sum() + shrink + 0.25)
    w: Any = np.zeros(z.shape[1])
    b = 0.0
    ahead_w, ahead_b, t = w.copy(), b, 1.0
    for _ in range(steps):
        error = c * (1 / (1 + np.exp(-(z @ ahead_w + ahead_b))) - y)
        new_w = ahead_w - step * (z.T @ error + shrink * ahead_w)
        new_w = np.where(SIGNS * new_w < 0, 0, new_w)
        new_b = ahead_b - step * error.sum()
        new_t = (1 + (1 + 4 * t * t) ** 0.5) / 2
        ahead_w = new_w + (t - 1) / new_t * (new_w - w)
        ahead_b = new_b + (t - 1) / new_t * (new_b - b)
        w, b, t = new_w, new_b, new_t
    return w / scale, float(b)
