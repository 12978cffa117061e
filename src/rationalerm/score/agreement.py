"""Do two evaluators agree on the same judges' rows? (method.md section 3)

Over judges, with a_j and b_j the mean of judge j by evaluator A and by B on the rows that both scored, the regression is of B on
A, by least squares: b_j = intercept + slope * a_j + e_j.

    R^2 = 1 - sum(e^2) / sum((b - mean b)^2)        RMSE = sqrt(mean(e^2)), divided by the number of judges
    mean difference = mean(b - a)                   Spearman's rho, ties sharing the mean rank

Over rows: Pearson, Spearman, mean |b - a|; over human reasons: how often both give it the same model reason (or both none), and
Cohen's kappa of "its model reason scores 0.5 or more". A human reason's model reason is its partner in the one-to-one optimum
(paper scoring) or its best, the first of equals (released scoring). Rows without model reasons are 0 for every evaluator: they
count in the means over judges, and nowhere else.

95% intervals: prompts are drawn with replacement, with all their rows. They say how the figures of these judges vary with
the rows, not how they would for other judges. Knows nothing of files and texts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rationalerm.score.consistency import Scoring
from rationalerm.score.intervals import Interval
from rationalerm.score.ranking import Ranking, rank_judges
from rationalerm.score.regression import OVER_JUDGES, regress
from rationalerm.score.resample import Floats, cluster_draws, interval
from rationalerm.score.rowwise import OVER_ROWS, RatedTwice, Rowwise

__all__ = ["Agreement", "Figure", "RatedTwice", "agreement"]

_LEAST = 3  # judges: through two points there is always a line
_DRAWS, _FEWEST_DRAWS = 2000, 400
_WORK = 100_000_000  # rows times draws


class Figure(NamedTuple):
    """A figure with its 95% interval; `why` says why there is no value, or no interval. `n` is what it is over."""

    value: float | None
    interval: Interval | None
    n: int
    why: str | None = None

    def to_json(self) -> dict[str, Any]:
        """value, ci, n, why."""
        return {"value": self.value, "ci": list(self.interval) if self.interval else None, "n": self.n, "why": self.why}


@dataclass(frozen=True, slots=True)
class Agreement:
    """All figures. `judges`: each one's mean by A and by B (`n`: pairs); `silent`: rows without model reasons."""

    judges: dict[str, tuple[Figure, Figure]]
    over_judges: dict[str, Figure]
    over_rows: dict[str, Figure]
    ranking: Ranking
    rows: int
    silent: int

    def to_json(self) -> dict[str, Any]:
        """Full precision, undefined = null."""
        return {
            "judges": {name: {"a": a.to_json(), "b": b.to_json()} for name, (a, b) in self.judges.items()},
            "over_judges": {name: figure.to_json() for name, figure in self.over_judges.items()},
            "over_rows": {name: figure.to_json() for name, figure in self.over_rows.items()},
            "ranking": self.ranking.to_json(),
            "rows": self.rows,
            "silent_rows": self.silent,
        }


def agreement(rows: Sequence[RatedTwice], scoring: Scoring = "paper", *, draws: int | None = None, seed: int = 0) -> Agreement:
    """Every figure of the agreement of A and B.

    Args:
        rows: the games that both scored.
        scoring: which model reason is a human reason's (see the module).
        draws: bootstrap samples (default 2000, fewer with very many rows).
        seed: of the generator.
    """
    number: dict[str, int] = {}
    for row in rows:
        number.setdefault(row.cluster, len(number))
    judges, rowwise = _Judges(rows, number), Rowwise([row for row in rows if row.asked], number, scoring)
    width = max(len(rows), len(judges.names) ** 2)
    draws = draws or max(_FEWEST_DRAWS, min(_DRAWS, _WORK // max(1, width)))
    value = _statistics(np.ones((1, len(number))), judges, rowwise)
    drawn: dict[str, list[Floats]] = defaultdict(list)
    for weights in cluster_draws(len(number), draws, width, seed) if len(number) > 1 else ():
        for name, of in _statistics(weights, judges, rowwise).items():
            drawn[name].append(of)
    joined = {name: np.concatenate(drawn[name]) if drawn else of[:0] for name, of in value.items()}

    def figure(name: str, n: int, why: str | None, column: int | None = None) -> Figure:
        one, many = value[name][0], joined[name]
        return _figure(*((one, many) if column is None else (one[column], many[:, column])), n, why)

    few = f"needs {_LEAST} judges or more, there {'is' if len(judges.names) == 1 else 'are'} {len(judges.names)}"
    few_judges = few if len(judges.names) < _LEAST else None
    same = _same(value, judges.names)
    return Agreement(
        judges={
            name: (figure("a", judges.pairs[name], None, j), figure("b", judges.pairs[name], None, j))
            for j, name in enumerate(judges.names)
        },
        over_judges={
            name: figure(name, len(judges.names), None if name == "mean_difference" and rows else few_judges or same.get(name))
            for name in OVER_JUDGES
        },
        over_rows={name: figure(f"row {name}", rowwise.size(name), rowwise.why(name)) for name in OVER_ROWS},
        ranking=rank_judges(judges.names, (value["a"][0], value["b"][0]), (joined["a"], joined["b"]), len(number)),
        rows=len(rows),
        silent=sum(not row.asked for row in rows),
    )


class _Judges:
    """Sums over each prompt and judge; the unit is the pair, one with two games counts once with their mean."""

    def __init__(self, rows: Sequence[RatedTwice], number: Mapping[str, int]) -> None:
        games: dict[tuple[str, str, str], list[RatedTwice]] = defaultdict(list)
        for row in rows:
            games[row.judge, row.pair, row.cluster].append(row)
        self.names = list(dict.fromkeys(row.judge for row in rows))
        self.pairs = dict.fromkeys(self.names, 0)
        column = {name: j for j, name in enumerate(self.names)}
        self._a, self._b, self._n = (np.zeros((len(number), len(self.names))) for _ in range(3))
        for (judge, _, cluster), of in games.items():
            place = number[cluster], column[judge]
            self.pairs[judge] += 1
            self._a[place] += sum(row.a for row in of) / len(of)
            self._b[place] += sum(row.b for row in of) / len(of)
            self._n[place] += 1

    def means(self, weights: Floats) -> tuple[Floats, Floats]:
        """(draws, judges) by A and by B; NaN for a judge of whom a draw holds no row."""
        with np.errstate(invalid="ignore", divide="ignore"):
            n = weights @ self._n
            return weights @ self._a / n, weights @ self._b / n


def _statistics(weights: Floats, judges: _Judges, rowwise: Rowwise) -> dict[str, Floats]:
    a, b = judges.means(weights)
    over_rows = {f"row {name}": of for name, of in rowwise.statistics(weights).items()}
    if not judges.names:
        return {"a": a, "b": b, **dict.fromkeys(OVER_JUDGES, np.full(len(weights), np.nan)), **over_rows}
    return {"a": a, "b": b, **regress(a, b), **over_rows}


def _same(value: Mapping[str, Floats], names: Sequence[str]) -> dict[str, str]:
    """Why a figure over three judges or more is not defined: one evaluator has them all alike."""
    if not names:
        return {}
    who = "A" if np.isnan(value["slope"][0]) else "B"
    return {name: f"{who} gives every judge the same value" for name in OVER_JUDGES if np.isnan(value[name][0])}


def _figure(value: Any, drawn: Floats, n: int, why: str | None) -> Figure:
    """Nothing that is not defined leaves here as a number."""
    if why is not None or not np.isfinite(value):
        return Figure(None, None, n, why or "not defined")
    if not len(drawn):
        return Figure(float(value), None, n, "no interval: all rows share one prompt")
    found = interval(drawn)
    return Figure(float(value), found, n, None if found else "no interval: not defined in too many of the resamples")
