"""The whole domain on one screen: a pair, a verdict, a judge's answer, a matching, a row's scores.

All frozen. Sides are signs everywhere: negative = A (Response 1) better, 0 = tie, positive = B (Response 2) better. Knows
nothing of files, models or metrics.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

__all__ = ["Answer", "Judgment", "Matching", "Message", "Order", "Pair", "RowScore", "Verdict", "VerdictStatus"]

Side = Literal[-1, 0, 1]
Order = Literal["AB", "BA"]  # BA: the swapped game, in which the judge saw Response 2 as A
VerdictStatus = Literal["given", "none", "refused", "failed"]
RationaleStatus = Literal["scored", "no human reasons", "no answer", "matcher failed"]


class Verdict(IntEnum):
    """One of the five verdicts; the sign is the side, the size the strength (method.md section 2)."""

    A_MUCH_BETTER = -2
    A_BETTER = -1
    TIE = 0
    B_BETTER = 1
    B_MUCH_BETTER = 2

    @property
    def side(self) -> Side:
        """-1 A, 0 tie, 1 B."""
        return 0 if self == 0 else -1 if self < 0 else 1

    @property
    def strength(self) -> int | None:
        """1 or 2; None for a tie."""
        return abs(int(self)) or None

    @property
    def label(self) -> str:
        """`A>>B`, `A>B`, `A=B`, `B>A` or `B>>A`."""
        return _LABELS[self]

    @property
    def swapped(self) -> Verdict:
        """The same verdict with the letters changed over."""
        return Verdict(-self)

    @classmethod
    def from_label(cls, label: str) -> Verdict:
        """The verdict of an exact label. Raises ValueError on any other text."""
        for verdict, text in _LABELS.items():
            if text == label:
                return verdict
        raise ValueError(f"not a verdict label: {label!r}; one of {', '.join(_LABELS.values())}")


_LABELS = {
    Verdict.A_MUCH_BETTER: "A>>B",
    Verdict.A_BETTER: "A>B",
    Verdict.TIE: "A=B",
    Verdict.B_BETTER: "B>A",
    Verdict.B_MUCH_BETTER: "B>>A",
}


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the conversation that both responses answer."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What one judge gave for one pair in one order, as it stands in the file: nothing parsed yet.

    `text` None means that there is no answer (the call failed, the field is null); `reasons` None means that no list
    was given beside the text. `label` is a verdict given beside the text.
    """

    judge: str
    text: str | None = None
    reasons: tuple[str, ...] | None = None
    label: Verdict | None = None
    order: Order = "AB"
    finish_reason: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """A prompt, two responses, the human's side and the human's reasons.

    `label` is the human's side (None: unlabelled), `preference` the number it was read from. `human_reasons` None means that
    the row has none; `prose` that they were split from prose offline. `cluster` is equal for pairs that share a prompt.
    """

    id: str
    messages: tuple[Message, ...] = ()
    response_a: str = ""
    response_b: str = ""
    label: Side | None = None
    preference: float | None = None
    human_reasons: tuple[str, ...] | None = None
    prose: bool = False
    domain: str | None = None
    cluster: str = ""
    row: int = 0
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgment:
    """A judge's answer as read: verdict (None: no verdict, never a guess), strength where the text gives one, reasons from
    most to least important, and what the parser noted."""

    verdict: Verdict | None
    strength: int | None = None
    reasons: tuple[str, ...] = ()
    status: VerdictStatus = "none"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Matching:
    """How far model reason j fulfils human reason i: `scores[(i, j)]`, 0-based, in (0, 1]; absent = 0."""

    n_human: int
    n_model: int
    scores: Mapping[tuple[int, int], float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowScore:
    """One row's metrics, each in [0, 1] (method.md section 2)."""

    recall: float
    precision: float
    f1: float
    average_precision: float
    average_precision_soft: float
