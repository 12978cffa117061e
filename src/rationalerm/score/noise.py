"""A matcher's own noise, where each game was matched several times: how far RC moves when nothing but the asking is repeated.

A model's answers differ from call to call, at temperature 0 too. Pure; knows nothing of models.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rationalerm.score.rows import GameResult

__all__ = ["Noise", "exceeds", "noise"]

_CLEARLY = 2.0  # standard deviations of a difference


@dataclass(frozen=True, slots=True)
class Noise:
    """RC by each of the repeats, over the pairs that have all; its standard deviation; and the mean of the rows' own."""

    repeats: int
    values: tuple[float, ...]
    sd: float
    row_sd: float

    def to_json(self) -> dict[str, Any]:
        """For summary.json."""
        return asdict(self)


def noise(games: Sequence[GameResult]) -> Noise | None:
    """One judge's; None where no game was matched more than once."""
    repeated = [game for game in games if len(game.repeats) > 1]
    if not repeated:
        return None
    count = min(len(game.repeats) for game in repeated)
    pairs: dict[str, list[GameResult]] = defaultdict(list)
    for game in repeated:
        pairs[game.id].append(game)
    values = tuple(_mean([_mean([game.repeats[k] for game in of]) for of in pairs.values()]) for k in range(count))
    return Noise(count, values, _sd(values), _mean([_sd(game.repeats) for game in repeated]))


def exceeds(gap: float, first: Noise, second: Noise) -> bool:
    """Is a gap between two means over the repeats more than twice its own standard deviation?"""
    of_gap = math.sqrt(first.sd**2 / first.repeats + second.sd**2 / second.repeats)
    return abs(gap) > _CLEARLY * of_gap


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _sd(values: Sequence[float]) -> float:
    """Of a sample: over n - 1."""
    middle = _mean(values)
    return math.sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1))
