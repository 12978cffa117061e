"""Two judges (or two runs) on the rows that both have: paired differences, their intervals, tested, corrected for how many.

Knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, NamedTuple

from rationalerm.score.intervals import Interval, bootstrap, holm, paired_permutation
from rationalerm.score.means import VALUES, per_pair
from rationalerm.score.rows import GameResult

__all__ = ["DIFFERENCES", "Comparison", "Paired", "compare", "compare_domains", "paired", "paired_values"]

DIFFERENCES: Interval = (-1.0, 1.0)
Alike = Callable[[str, str], bool]

_COMPARED = ("outcome_accuracy", "rationale_consistency")


class Paired(NamedTuple):
    """Means on the pairs that both have, the two-sided p-value, how many pairs, and the 95% interval of second - first."""

    mean_first: float
    mean_second: float
    p: float
    n: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two judges in one metric; `p_adjusted` is Holm's over all comparisons of that metric.

    `low`, `high`: the 95% interval of mean_second - mean_first (paired clustered bootstrap, not corrected for how many
    comparisons there are); None where all rows share one prompt.
    """

    metric: str
    first: str
    second: str
    mean_first: float
    mean_second: float
    p: float
    p_adjusted: float
    n: int
    low: float | None = None
    high: float | None = None

    def to_json(self) -> dict[str, Any]:
        """An item of summary.json's `comparisons`."""
        return asdict(self) | {"difference": self.mean_second - self.mean_first}


def compare(games: Mapping[str, Sequence[GameResult]], alike: Alike | None = None) -> list[Comparison]:
    """Every two judges, in OA and in RC.

    Args:
        games: by judge.
        alike: were two judges' reasons scored by one evaluator in one way? Where not, a difference in RC is the evaluators' as
            much as the judges', and is not made. None: all were.
    """
    out = []
    for metric in _COMPARED:
        pairs = [two for two in combinations(games, 2) if metric == "outcome_accuracy" or alike is None or alike(*two)]
        tested = {(a, b): test for a, b in pairs if (test := paired(games[a], games[b], metric))}
        adjusted = holm([test.p for test in tested.values()])
        for ((a, b), test), p_adjusted in zip(tested.items(), adjusted, strict=True):
            out.append(Comparison(metric, a, b, test.mean_first, test.mean_second, test.p, p_adjusted, *test[3:]))
    return out


def compare_domains(games: Mapping[str, Sequence[GameResult]]) -> dict[str, list[Comparison]]:
    """`compare` within each domain, sorted; Holm's correction is over the judges there, not over the domains."""
    names = sorted({game.domain for of in games.values() for game in of if game.domain is not None})
    return {name: compare({judge: [game for game in of if game.domain == name] for judge, of in games.items()}) for name in names}


def paired(first: Sequence[GameResult], second: Sequence[GameResult], metric: str) -> Paired | None:
    """A paired cluster permutation test and interval on the pairs that both have in `metric`; None where there are none."""
    x, y, clusters = paired_values(first, second, metric)
    if not x:
        return None
    p = paired_permutation(x, y, clusters)
    interval = bootstrap([b - a for a, b in zip(x, y, strict=True)], clusters, bounds=DIFFERENCES)
    return Paired(sum(x) / len(x), sum(y) / len(y), p, len(x), *(interval or (None, None)))


def paired_values(
    first: Sequence[GameResult], second: Sequence[GameResult], metric: str
) -> tuple[list[float], list[float], list[str]]:
    """Both judges' values of the pairs that both have in `metric`, and the pairs' clusters."""
    left, right = per_pair(first, VALUES[metric]), per_pair(second, VALUES[metric])
    keys = [key for key in left if key in right and left[key][1] == right[key][1]]  # one id over two prompts is two rows
    return [left[key][0] for key in keys], [right[key][0] for key in keys], [left[key][1] for key in keys]
