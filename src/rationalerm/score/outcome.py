"""Right or wrong: outcome accuracy by design.md's tie rule, and games of both orders.

Human ties are left out of OA and counted; a judge's tie on a decided row is wrong; a missing verdict is not wrong but missing,
and OA is given both ways. Knows nothing of reasons.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from rationalerm.types import Order, Side, Verdict

__all__ = ["PairOutcome", "correct", "in_row_order", "pair_outcome"]

PairOutcome = Literal["right", "wrong", "tie", "inconsistent", "incomplete"]


def in_row_order(verdict: Verdict | None, order: Order) -> Verdict | None:
    """A game's verdict in the row's own letters: the swapped game's is turned back."""
    return verdict if verdict is None or order == "AB" else verdict.swapped


def correct(verdict: Verdict | None, label: Side | None) -> bool | None:
    """Is a verdict (in the row's letters) the human's side?

    Returns:
        None where the row doesn't enter OA: no label, a human tie, or no verdict.
    """
    if verdict is None or not label:
        return None
    return verdict.side == label


def pair_outcome(sides: Iterable[Side | None], label: Side | None) -> PairOutcome:
    """One pair's outcome over its games, sides in the row's letters.

    `inconsistent` (the games name different sides) is kept apart from `tie` (all say tie); a game without a verdict makes the
    pair `incomplete`, since two missing verdicts are not an agreement.
    """
    sides = list(sides)
    if not sides or None in sides:
        return "incomplete"
    if len(set(sides)) > 1:
        return "inconsistent"
    if sides[0] == 0:
        return "tie"
    return "right" if sides[0] == label else "wrong"
