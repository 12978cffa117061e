"""What a list of reasons says apart from any other list: which response it speaks for, and how much of it is generic.

By the offline rules, whatever matcher scores the list: they are diagnostics of a policy's answers, not part of a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rationalerm.match.base import Matcher
from rationalerm.match.pairs import VAGUE
from rationalerm.match.reading import Reader, Reading
from rationalerm.match.static import StaticMatcher

__all__ = ["Leaning", "leaning"]

_GENERIC = VAGUE / 2  # under half of the specific weight that says something in particular, as in calibration.py


class Leaning(NamedTuple):
    """`side`: -1 the reasons speak for A, 1 for B, 0 can't be told; `generic`: share of them that say nothing in particular."""

    side: int
    generic: float


def leaning(reasons: Sequence[str], matcher: Matcher | None = None) -> Leaning:
    """Reads a list.

    Args:
        reasons: the list.
        matcher: one of the offline ones remembers what it has read; any other is not asked.

    >>> leaning(["Response A miscounts the 12 rows.", "Response B cites the source correctly."])
    Leaning(side=1, generic=0.0)
    """
    if not reasons:
        return Leaning(0, 0.0)
    readings = matcher.readings(reasons) if isinstance(matcher, StaticMatcher) else _reader().read(list(reasons))[0]
    balance = sum(reading.polarity[1] - reading.polarity[0] for reading in readings)
    generic = sum(_is_generic(reading) for reading in readings) / len(readings)
    return Leaning(0 if abs(balance) < 1e-9 else 1 if balance > 0 else -1, generic)


def _is_generic(reading: Reading) -> bool:
    return reading.specific < _GENERIC and not reading.factual()


@lru_cache(maxsize=1)
def _reader() -> Reader:
    nothing = np.zeros(1, dtype=np.float32)  # in place of word vectors, which are of no interest here
    return Reader(lambda word: nothing)
