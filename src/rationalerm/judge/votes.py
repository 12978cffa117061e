"""Several samples of one game -> one answer: the side that most of them name. Knows no file, and nothing of how they were got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rationalerm.types import Judgment

__all__ = ["Vote", "decide"]


class Vote(NamedTuple):
    """Which sample speaks for the game, whether its verdict counts, and what has to be said of the vote."""

    speaker: int | None
    counts: bool
    notes: tuple[str, ...] = ()


def decide(judgments: Sequence[Judgment | None]) -> Vote:
    """Counts the votes; None is a failed call, and no vote.

    The side that strictly most samples with a verdict name wins (A, tie and B alike), and the first of its samples speaks for the
    game, reasons and strength included. Where no side has most, there is no verdict; the reasons are those of the first
    sample that gave one. Without any verdict the first answer speaks; without any answer nobody does.

    >>> from rationalerm.types import Verdict
    >>> decide([Judgment(Verdict.A_BETTER), Judgment(Verdict.B_BETTER), Judgment(Verdict.B_MUCH_BETTER)])
    Vote(speaker=1, counts=True, notes=('votes: A 1, tie 0, B 2',))
    """
    answered = [k for k, judgment in enumerate(judgments) if judgment is not None]
    if not answered:
        return Vote(None, False)
    if len(judgments) == 1:
        return Vote(0, True)
    sides = {k: judgment.verdict.side for k, judgment in enumerate(judgments) if judgment and judgment.verdict is not None}
    counted = Counter(sides.values())
    said = f"A {counted[-1]}, tie {counted[0]}, B {counted[1]}"
    without = [f"{len(answered) - len(sides)} without a verdict"] if len(sides) < len(answered) else []
    failed = [f"{len(judgments) - len(answered)} failed"] if len(answered) < len(judgments) else []
    said = ", ".join([said, *without, *failed])
    if not sides:
        return Vote(answered[0], True, (f"votes: {said}",))
    (side, most), *others = counted.most_common()
    if others and others[0][1] == most:
        return Vote(next(iter(sides)), False, (f"votes split: {said}",))
    return Vote(next(k for k in sides if sides[k] == side), True, (f"votes: {said}",))
