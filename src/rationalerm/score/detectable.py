"""The least difference that the rows at hand can show: "with 200 rows a gap in RC under 0.04 can't be seen".

    least = (t(1 - alpha / 2) + t(power)) * se        t: Student's quantiles of clusters - 1

With two judges, se is the clustered standard error of their paired differences on the rows that both have. With one,

    se = sqrt(2 (1 - r)) * the standard error of its own mean

for a second judge as variable as this one, whose values correlate with its own by r over rows. r is an assumption (0.5: the
rows' difficulty is half of what makes a judge right) and is stated beside the figure.

Sources: Bloom, "Minimum detectable effects", Evaluation Review 19, 1995 (the sum of the two quantiles); Miller, "Adding error
bars to evals", arXiv 2411.00640, 2024 (paired and clustered). Knows nothing of files.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from rationalerm.score.bca import standard_error, student
from rationalerm.score.compare import paired_values
from rationalerm.score.intervals import by_cluster
from rationalerm.score.means import VALUES, per_pair
from rationalerm.score.rows import GameResult

__all__ = ["CORRELATION", "Detectable", "detectable", "detectable_alone", "detectable_pairs", "least_difference"]

POWER, ALPHA = 0.8, 0.05
CORRELATION = 0.5
_FEWEST = 6  # clusters: with fewer no permutation test can come under 0.05
_METRICS = {"outcome_accuracy": "OA", "rationale_consistency": "RC", "average_precision": "AP"}


@dataclass(frozen=True, slots=True)
class Detectable:
    """The least difference in one metric; None with `why` where the rows don't tell it.

    `second` is None for one judge alone; `correlation` is then what was assumed. `n`: pairs; `clusters`: prompts.
    """

    metric: str
    first: str
    second: str | None
    difference: float | None
    n: int
    clusters: int
    correlation: float | None = None
    why: str | None = None
    power: float = POWER
    alpha: float = ALPHA

    @property
    def sentence(self) -> str:
        """For a reader."""
        name, rows = _METRICS.get(self.metric, self.metric), f"{self.n} row{'' if self.n == 1 else 's'}"
        if self.difference is None:
            return f"With {rows} it is not known which gap in {name} can be seen: {self.why}."
        if self.difference >= 1:
            return f"With {rows} no gap in {name} can be relied on to be seen."
        assumed = f", if the judges' values correlate by {self.correlation:g} over rows" if self.correlation is not None else ""
        shown = f"{self.difference:.2g}" if self.difference < 0.01 else f"{self.difference:.2f}"
        how = f"{self.power:.0%} power, two-sided {self.alpha:.0%}{assumed}"
        return f"With {rows} a gap in {name} under {shown} can't be seen ({how})."

    def to_json(self) -> dict[str, Any]:
        """Full precision, and the sentence."""
        return asdict(self) | {"sentence": self.sentence}


def detectable(first: Sequence[GameResult], second: Sequence[GameResult], metric: str) -> Detectable | None:
    """Of two judges on the rows that both have; None where there are none."""
    x, y, clusters = paired_values(first, second, metric)
    if not x:
        return None
    value, prompts = _least([b - a for a, b in zip(x, y, strict=True)], clusters)
    why = _why(value, prompts, "the two don't differ in any prompt, or by the same in all")
    return Detectable(metric, first[0].judge, second[0].judge, value, len(x), prompts, why=why)


def detectable_alone(games: Sequence[GameResult], metric: str, correlation: float = CORRELATION) -> Detectable | None:
    """Of one judge and another like it; None where it has no value.

    Args:
        games: one judge's.
        metric: one of `means.VALUES`.
        correlation: assumed between the two judges' values over rows, in [-1, 1).
    """
    if not -1 <= correlation < 1:
        raise ValueError(f"a correlation of {correlation}; give one from -1 to under 1")
    found = list(per_pair(games, VALUES[metric]).values())
    if not found:
        return None
    value, prompts = _least([number for number, _ in found], [cluster for _, cluster in found])
    scaled = None if value is None else value * math.sqrt(2 * (1 - correlation))
    why = _why(scaled, prompts, "the judge has the same value in all prompts")
    return Detectable(metric, games[0].judge, None, scaled, len(found), prompts, correlation, why)


def detectable_pairs(games: Mapping[str, Sequence[GameResult]]) -> list[Detectable]:
    """OA and RC of every two judges; of one judge alone by `detectable_alone`."""
    out: list[Detectable | None] = []
    for metric in ("outcome_accuracy", "rationale_consistency"):
        if len(games) == 1:
            out += [detectable_alone(of, metric) for of in games.values()]
        out += [detectable(a, b, metric) for a, b in combinations(games.values(), 2) if a and b]
    return [one for one in out if one is not None]


def least_difference(error: float, clusters: int, power: float = POWER, alpha: float = ALPHA) -> float:
    """The formula above.

    Args:
        error: standard error of the difference.
        clusters: how many it is over, 2 or more.
        power: chance to see a difference of that size, over 0.5.
        alpha: two-sided level of the test.
    """
    return (student(1 - alpha / 2, clusters - 1) + student(power, clusters - 1)) * error


def _least(values: Sequence[float], clusters: Sequence[str]) -> tuple[float | None, int]:
    sums, sizes = by_cluster(values, clusters)
    if len(sums) < _FEWEST:
        return None, len(sums)
    error = standard_error(sums, sizes)
    return (least_difference(error, len(sums)) if error > 1e-12 else None), len(sums)


def _why(value: float | None, prompts: int, same: str) -> str | None:
    if value is not None:
        return None
    few = f"there {'is' if prompts == 1 else 'are'} {prompts} prompt{'' if prompts == 1 else 's'}, {_FEWEST} are needed"
    return few if prompts < _FEWEST else same
