"""Two judges (or two runs) on the rows that both have: paired differences, tested, and corrected for how many there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, NamedTuple

from rationalerm.score.intervals import holm, paired_permutation
from rationalerm.score.means import VALUES, per_pair
from rationalerm.score.rows import GameResult

__all__ = ["Comparison", "Paired", "compare", "paired"]

_COMPARED = ("outcome_accuracy", "rationale_consistency")


class Paired(NamedTuple):
    """Means on the pairs that both have, the two-sided p-value, and how many pairs."""

    mean_first: float
    mean_second: float
    p: float
    n: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two judges in one metric; `p_adjusted` is Holm's over all comparisons of that metric."""

    metric: str
    first: str
    second: str
    mean_first: float
    mean_second: float
    p: float
    p_adjusted: float
    n: int

    def to_json(self) -> dict[str, Any]:
        """An item of summary.json's `comparisons`."""
        return asdict(self) | {"difference": self.mean_second - self.mean_first}


def compare(games: Mapping[str, Sequence[GameResult]]) -> list[Comparison]:
    """Every two judges, in OA and in RC."""
    out = []
    for metric in _COMPARED:
        tested = {(a, b): test for a, b in combinations(games, 2) if (test := paired(games[a], games[b], metric))}
        adjusted = holm([test.p for test in tested.values()])
        for ((a, b), test), p_adjusted in zip(tested.items(), adjusted, strict=True):
            out.append(Comparison(metric, a, b, test.mean_first, test.mean_second, test.p, p_adjusted, test.n))
    return out


def paired(first: Sequence[GameResult], second: Sequence[GameResult], metric: str) -> Paired | None:
    """A paired cluster permutation test on the pairs that both have in `metric`; None where there are none."""
    left, right = per_pair(first, VALUES[metric]), per_pair(second, VALUES[metric])
    keys = [key for key in left if key in right and left[key][1] == right[key][1]]  # one id over two prompts is two rows
    if not keys:
        return None
    x, y = [left[key][0] for key in keys], [right[key][0] for key in keys]
    p = paired_permutation(x, y, [left[key][1] for key in keys])
    return Paired(sum(x) / len(x), sum(y) / len(y), p, len(keys))
