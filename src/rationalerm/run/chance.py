"""The chance level of the data at hand: human reasons against the same judge's reasons for another row.

No reason of another prompt is the human's reason, so what a matcher gives there is what it gives for nothing. Which rows are
taken depends on their ids alone, so that a resumed run prints the same level.
"""

from __future__ import annotations

import hashlib
import heapq
import math
from collections.abc import Sequence
from typing import NamedTuple

from rationalerm.match.base import Matcher
from rationalerm.match.pasted import as_matched
from rationalerm.score.consistency import Scoring, rationale_scores
from rationalerm.types import Matching

__all__ = ["ChanceSample", "mean_recall"]

_ROWS = 200


class _Row(NamedTuple):
    rank: int
    cluster: str
    human: tuple[str, ...]
    model: tuple[str, ...]
    shown: tuple[str, ...]


class ChanceSample:
    """A fixed-size sample of a judge's rows, and the RC between its neighbours."""

    def __init__(self, rows: int = _ROWS) -> None:
        self._size = rows
        self._heap: list[tuple[int, _Row]] = []

    def add(self, key: str, cluster: str, human: Sequence[str], model: Sequence[str], shown: Sequence[str] = ()) -> None:
        """Offers a row; the rows with the smallest hash of their id stay. `shown`: what the judge saw."""
        rank = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")
        item = (-rank, _Row(rank, cluster, tuple(human), tuple(model), tuple(shown)))
        if len(self._heap) < self._size:
            heapq.heappush(self._heap, item)
        else:
            heapq.heappushpop(self._heap, item)

    def level(self, matcher: Matcher, scoring: Scoring = "paper") -> float | None:
        """Mean recall of each row's human reasons against the next row's judge reasons; None with one prompt only."""
        crossed = self.crossed(matcher)
        return mean_recall(matcher.match_many(crossed), scoring) if crossed else None

    def crossed(self, matcher: Matcher) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Each row's human reasons with the judge's reasons for the next row of another prompt, as the matcher gets them."""
        rows = sorted(row for _, row in self._heap)
        crossed = []
        for k, row in enumerate(rows):
            other = next((o for o in rows[k + 1 :] + rows[:k] if o.cluster != row.cluster), None)
            if other is not None:
                crossed.append((row.human, as_matched(matcher, other.model, other.shown, row.human)))
        return crossed


def mean_recall(matchings: Sequence[Matching], scoring: Scoring) -> float | None:
    """Their mean row recall; None of none."""
    recalls = [rationale_scores(matching, scoring, None).recall for matching in matchings]
    return math.fsum(recalls) / len(recalls) if recalls else None  # the same in whatever order rows came
