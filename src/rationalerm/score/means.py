"""Means over pairs with their intervals. The unit is the pair: one with two games counts once, with the mean of its games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from rationalerm.score.intervals import SHARE, Interval, bootstrap
from rationalerm.score.rows import GameResult

__all__ = ["VALUES", "Mean", "Value", "by_pair", "mean", "mean_of", "per_pair"]

Value = Callable[[GameResult], float | None]

# What each mean is of; None leaves the game out.
VALUES: dict[str, Value] = {
    "outcome_accuracy": lambda game: game.correct,
    "outcome_accuracy_all": lambda game: None if not game.label else bool(game.correct),
    "rationale_consistency": lambda game: game.score.recall if game.score else None,
    "precision": lambda game: game.score.precision if game.score else None,
    "f1": lambda game: game.score.f1 if game.score else None,
    "average_precision": lambda game: game.score.average_precision if game.score else None,
    "average_precision_soft": lambda game: game.score.average_precision_soft if game.score else None,
}


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over pairs with its 95% interval. `value` is None, never 0, where nothing was scored."""

    value: float | None
    interval: Interval | None
    n: int

    def to_json(self, name: str) -> dict[str, Any]:
        """`name`, `name_ci`, `name_n`."""
        return {name: self.value, f"{name}_ci": list(self.interval) if self.interval else None, f"{name}_n": self.n}


def by_pair(games: Iterable[GameResult]) -> dict[str, list[GameResult]]:
    """The games of each pair, in order of first appearance."""
    pairs: dict[str, list[GameResult]] = defaultdict(list)
    for game in games:
        pairs[game.id].append(game)
    return pairs


def per_pair(games: Iterable[GameResult], value: Value) -> dict[str, tuple[float, str]]:
    """id -> (mean of the pair's games, its cluster), for pairs with a value."""
    out = {}
    for key, of in by_pair(games).items():
        found = [float(v) for game in of if (v := value(game)) is not None]
        if found:
            out[key] = (sum(found) / len(found), of[0].cluster)
    return out


def mean(games: Iterable[GameResult], value: Value, draws: int) -> Mean:
    """The mean over pairs, with its clustered interval."""
    return mean_of(list(per_pair(games, value).values()), draws)


def mean_of(values: list[tuple[float, str]], draws: int, bounds: Interval | None = SHARE) -> Mean:
    """The mean of (value, cluster) pairs; `bounds`: the least and greatest value there can be, None where nothing bounds them."""
    if not values:
        return Mean(None, None, 0)
    numbers = [number for number, _ in values]
    interval = bootstrap(numbers, [cluster for _, cluster in values], draws=draws, bounds=bounds)
    return Mean(sum(numbers) / len(numbers), interval, len(numbers))
