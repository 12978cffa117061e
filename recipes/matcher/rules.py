"""What the static matcher's rules say of a training pair: the networks learn what these don't know."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rationalerm.match import sides
from rationalerm.match.fast import FastMatcher

__all__ = ["WEIGHT", "Rules"]

WEIGHT = 0.5  # of the rules' evidence beside a network's logit, in training
_LEAST, _MOST = -4.0, 4.0
_OTHER = {
    sides.MARK_A: "Response B",
    sides.MARK_B: "Response A",
    sides.MARK_BOTH: "both responses",
    sides.MARK_OTHER: "the other response",
}
Framed = tuple[str, int]


class Rules:
    """Evidence of pairs of texts in frames; a text in the other frame is the text with the responses changed over."""

    def __init__(self) -> None:
        self._matcher = FastMatcher()
        self._calibration = self._matcher._load()[1]
        self._turned: dict[str, str] = {}

    def pairs(self, wanted: Sequence[tuple[Framed, Framed]]) -> list[float]:
        """The evidence of each pair, all rules taken together."""
        by_human: dict[Framed, list[int]] = {}
        for k, (human, _) in enumerate(wanted):
            by_human.setdefault(human, []).append(k)
        result = [_LEAST] * len(wanted)
        for (human, frame), places in by_human.items():
            texts = [self._text(text, this == frame) for text, this in (wanted[k][1] for k in places)]
            for _, j, x in self._matcher.evidence([human], texts):
                result[places[j]] = float(np.clip(self._calibration.evidence(x), _LEAST, _MOST))
        return result

    def _text(self, text: str, same: bool) -> str:
        if same:
            return text
        if text not in self._turned:
            self._turned[text] = turned(text)
        return self._turned[text]


def turned(text: str) -> str:
    """The text with the responses changed over.

    >>> turned("Unlike B, it works")
    'Unlike Response A, it works'
    """
    marked = "".join(_OTHER.get(sign, sign) for sign in sides.mark(text))
    return " ".join(marked.split()).replace(" ,", ",").replace(" .", ".")
