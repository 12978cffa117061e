"""A piecewise linear map of evidence to a score, by its knots. Knows nothing of what the evidence is."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

__all__ = ["mapped", "reaches"]

Knots = Sequence[tuple[float, float]]


def mapped(z: float, knots: Knots, floor: float) -> float:
    """The score of `z`, to four decimals; 0 where it stays under `floor`."""
    if z <= knots[0][0]:
        return 0.0
    value = knots[-1][1]
    for (z0, s0), (z1, s1) in itertools.pairwise(knots):
        if z < z1:
            value = s0 + (s1 - s0) * (z - z0) / (z1 - z0)
            break
    return round(value, 4) if value >= floor else 0.0


def reaches(knots: Knots, floor: float) -> float:
    """The z from which on a score is not under `floor`."""
    for (z0, s0), (z1, s1) in itertools.pairwise(knots):
        if s1 >= floor:
            return z0 + max(0.0, floor - s0) * (z1 - z0) / (s1 - s0)
    return knots[-1][0]
