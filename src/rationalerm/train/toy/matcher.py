"""The toy's matcher: a reason is the human's or it is not. Knows nothing of which reasons there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rationalerm.types import Matching

__all__ = ["ExactMatcher"]


class ExactMatcher:
    """1 for the same words, 0 for any others; white space and case aside. The toy has one wording for each reason.

    >>> ExactMatcher().match(["A is late."], ["B is late.", "a is  late."]).scores
    {(0, 1): 1.0}
    """

    name = "exact"
    version = "exact 1"

    def match(self, human: Sequence[str], model: Sequence[str]) -> Matching:
        """The scores of one row."""
        ours, theirs = [_folded(reason) for reason in human], [_folded(reason) for reason in model]
        scores = {(i, j): 1.0 for i, one in enumerate(ours) for j, other in enumerate(theirs) if one == other}
        return Matching(len(human), len(model), scores)

    def match_many(self, rows: Iterable[tuple[Sequence[str], Sequence[str]]]) -> list[Matching]:
        """`match` of each row."""
        return [self.match(human, model) for human, model in rows]


def _folded(reason: str) -> str:
    return " ".join(reason.split()).casefold()
