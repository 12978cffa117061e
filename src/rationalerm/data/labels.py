"""Every rule about a side or a verdict that is given as a value (design.md, "Sides and labels").

Negative = A (Response 1) better, 0 = tie, positive = B (Response 2) better. A string is read only where it has one meaning; a
number only where its sign has one: codes {0, 1} or {1, 2} need a map from the user. Text of a judge is not read here: that is
the parser's work.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from rationalerm.errors import UsageError
from rationalerm.types import Verdict

__all__ = ["LabelReader", "parse_label_map", "side_of"]

_WORDS = {"a": -1, "b": 1, "1": None, "2": None, "first": -1, "second": 1, "left": -1, "right": 1}
_TIES = {"tie", "a=b", "a==b", "b=a", "equal", "draw", "both", "tied", "same", "no preference"}
_NAMED = re.compile(
    r"(?:@?(?:response|answer|assistant|model|output|candidate|option|completion|chatbot))[\s_\-]*\(?([ab12])\)?", re.IGNORECASE
)
_SIGNED = re.compile(r"([ab])\s*(>{1,2}|<{1,2}|={1,2})\s*([ab])", re.IGNORECASE)


class LabelReader:
    """Reads one column of labels; remembers what it has seen, since a lone number can't say which coding it is in.

    Args:
        label_map: value (as text) -> -1, 0 or 1, from `--label-map`.
        signed: the column's sign is known (`overall_preference`): no coding is in doubt.
    """

    def __init__(self, label_map: Mapping[str, int] | None = None, *, signed: bool = False) -> None:
        self._map = dict(label_map or {})
        self._signed = signed
        self._positive_only: set[float] = set()
        self._negative_seen = False

    def read(self, value: Any) -> Verdict | None:
        """The verdict of a value; None for null and the empty string.

        Raises:
            ValueError: the value has no single meaning; the message says what to do.
        """
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        if self._map:
            return self._mapped(value)
        if isinstance(value, bool):
            raise ValueError("is true/false; say what they mean with --label-map, e.g. --label-map true=A,false=B")
        if isinstance(value, str) and (number := _as_number(value)) is not None:
            value = number
        if isinstance(value, (int, float)):
            return self._number(value)
        if isinstance(value, str):
            return _string(value)
        raise ValueError("is neither a number nor a string")

    @property
    def ambiguous(self) -> str | None:
        """Why the numbers read so far have no sure coding, or None. To be asked after the last row."""
        if self._signed or self._negative_seen or not self._positive_only - {0.0}:
            return None
        seen = ", ".join(f"{v:g}" for v in sorted(self._positive_only)[:5])
        return (
            f"holds only {seen}: no negative value, so the coding is not sure; say it with --label-map, e.g. --label-map 0=A,1=B"
        )

    def _mapped(self, value: Any) -> Verdict:
        key = str(value).strip().lower()
        if isinstance(value, float) and value.is_integer():
            key = str(int(value))
        if key in self._map:
            return Verdict(self._map[key])
        if isinstance(value, str) and _as_number(value) is None:  # words with one meaning need no map
            return _string(value)
        raise ValueError(f"{value!r} is not in --label-map")

    def _number(self, value: float) -> Verdict:
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError("is not a finite number; write null")
        if abs(value) > 3:
            raise ValueError(f"is {str(value)[:20]}, outside -3..3; say what it means with --label-map")
        if value < 0:
            self._negative_seen = True
        else:
            self._positive_only.add(value)
        return Verdict(side_of(value))


def side_of(number: float) -> int:
    """The sign: -1 A, 0 tie, 1 B."""
    return (number > 0) - (number < 0)


def parse_label_map(text: str | None, option: str = "--label-map") -> dict[str, int] | None:
    """`0=A,1=B,2=tie` -> {"0": -1, "1": 1, "2": 0}. Raises UsageError."""
    if text is None:
        return None
    sides = {"a": -1, "b": 1, "tie": 0, "a=b": 0, "response1": -1, "response2": 1}
    out: dict[str, int] = {}
    for part in text.split(","):
        key, _, side = part.partition("=")
        if not key.strip() or side.strip().lower() not in sides:
            raise UsageError(f"{option}: can't read {part!r}; write VALUE=A, VALUE=B or VALUE=tie, e.g. 0=A,1=B")
        out[key.strip().lower()] = sides[side.strip().lower()]
    return out


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _string(value: str) -> Verdict:
    text = value.strip().strip("[](){}*`\"' \t")
    if (found := _SIGNED.fullmatch(text)) and found[1].lower() != found[3].lower():
        if found[2][0] == "=":
            return Verdict.TIE
        sign = -1 if (found[1].lower() == "a") == (found[2][0] == ">") else 1
        return Verdict(sign * len(found[2]))
    if text.lower() in _TIES:
        return Verdict.TIE
    word = _NAMED.fullmatch(text)
    letter = word[1].lower() if word else text.lower()
    side = {"1": -1, "2": 1}.get(letter) if word else None
    side = side or _WORDS.get(letter)
    if side is None:
        raise ValueError(f"{value[:40]!r} has no single meaning as a label; say it with --label-map")
    return Verdict(side)
