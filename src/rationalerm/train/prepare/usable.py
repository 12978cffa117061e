"""Which pairs can be trained on, and which human reasons the swapped game can't be rewritten for. Knows no file."""

from __future__ import annotations

from typing import Literal

from rationalerm.data.sides import swap_sides
from rationalerm.match.sides import MARK_A, MARK_B, mark
from rationalerm.types import Pair

__all__ = ["Ties", "stays_behind", "unusable"]

Ties = Literal["drop", "keep"]
_CHANGED = {ord(MARK_A): MARK_B, ord(MARK_B): MARK_A}


def unusable(pair: Pair, ties: Ties) -> str | None:
    """Why a pair can't be trained on, None where it can.

    Ties are dropped unless they are asked for: they are the labels on which people agree least, OA leaves them out, and to every
    benchmark a judge's tie is a wrong answer.
    """
    if not pair.human_reasons:
        return "no human reasons"
    if pair.label is None:
        return "unlabelled"
    return "human tie" if pair.label == 0 and ties == "drop" else None


def stays_behind(reason: str) -> bool:
    """Does it name a response in words that are not changed over for the swapped game ("A omits ...", "the first does ...")?

    >>> stays_behind("A omits the unit."), stays_behind("Response A omits the unit."), stays_behind("Vitamin A is missing.")
    (True, False, False)
    """
    return mark(reason).translate(_CHANGED) != mark(swap_sides(reason))
