"""What kind of reason a judge gives, and which flaws it has (method.md section 5, docs/taxonomy.md): by rules, with no model.

Each reason is read into counted features (tag_reading.py); weights in tag_weights.txt, small whole numbers, say which kind scores
most and which flaws score above 0. Two flaws need the list: what contradicts another reason (F7), and what speaks for the other
side than the verdict (a part of F6). The rules read English; of other languages they know quotations, numbers, code, names and a
few general words. Asks no model, knows no human reasons, and not whether a reason is true.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rationalerm.judge.tag_reading import FEATURES, Seen, read_list
from rationalerm.types import Verdict

__all__ = ["FLAWS", "FLAW_NAMES", "KINDS", "KIND_NAMES", "Kind", "RuleTagger", "Tags", "Weights"]

Kind = Literal["EG", "CG", "GS"]
KINDS: tuple[Kind, ...] = ("EG", "CG", "GS")
KIND_NAMES = {"EG": "evidence-grounded", "CG": "criterion-grounded", "GS": "generic or style"}
FLAW_NAMES = {
    "F1": "style only",
    "F2": "generic correctness",
    "F3": "generic relevance",
    "F4": "single-sided praise",
    "F5": "unfalsifiable",
    "F6": "non sequitur",
    "F7": "contradicts another reason",
}
FLAWS = tuple(FLAW_NAMES)
_SCORED = FLAWS[:6]
_PRAISE = FEATURES.index("good")
_OWN = FEATURES.index("own")
_SOURCES = ("tagging.py", "tag_reading.py", "tag_sides.py", "tag_words.py", "tag_words.txt", "tag_weights.txt")


@dataclass(frozen=True, slots=True)
class Tags:
    """One reason's kind and flaws, the flaws in the order F1 to F7."""

    kind: Kind
    flaws: tuple[str, ...] = ()


class Weights(NamedTuple):
    """Hundredths. `kinds`: (features, 3); `flaws`: (features, 6); `by_kind`: (3, 6), what a kind adds to a flaw."""

    kinds: NDArray[np.int64]
    flaws: NDArray[np.int64]
    by_kind: NDArray[np.int64]


class RuleTagger:
    """The offline tagger: the same reasons and verdict give the same tags, on every machine.

    Args:
        weights: in place of the shipped ones, for fitting.

    >>> RuleTagger().tag(["A's loop drops the last element of `xs`.", "B is more helpful and detailed."])
    [Tags(kind='EG', flaws=()), Tags(kind='GS', flaws=('F3',))]
    """

    name = "rules"

    def __init__(self, weights: Weights | None = None) -> None:
        self._weights = weights

    @property
    def version(self) -> str:
        """Changes with any word, weight or rule."""
        return _version() if self._weights is None else "rules, other weights"

    def tag(self, reasons: Sequence[str], verdict: Verdict | None = None) -> list[Tags]:
        """Tags one list; a list's tags depend on nothing but it and its verdict.

        Args:
            reasons: in the judge's order.
            verdict: the list's, in the same letters; None: nothing is held against it.
        """
        if not reasons:
            return []
        seen = read_list(reasons)
        weights = self._weights or shipped_weights()
        features = np.array([one.features for one in seen], dtype=np.int64)
        chosen = (features @ weights.kinds).argmax(axis=1)
        scores = (features @ weights.flaws + weights.by_kind[chosen]).tolist()
        against, contradicting, unpraised = _of_the_list(seen, verdict)
        found = []
        for k, (kind, row) in enumerate(zip(chosen.tolist(), scores, strict=True)):
            flaws = [flaw for flaw, score in zip(_SCORED, row, strict=True) if score > 0 or (flaw == "F6" and k in against)]
            if k in unpraised and "F4" in flaws:
                flaws.remove("F4")
            if k in contradicting:
                flaws.append("F7")
            found.append(Tags(KINDS[kind], tuple(flaws)))
        return found


def _of_the_list(seen: Sequence[Seen], verdict: Verdict | None) -> tuple[set[int], set[int], set[int]]:
    """The reasons that speak for the other side than the verdict, or alike of both; those that contradict another; and those that
    tell of the losing response without a word of praise, where what is told is meant as blame."""
    side = verdict.side if verdict is not None else 0
    against: set[int] = set()
    unpraised: set[int] = set()
    claimed: dict[tuple[int, int], dict[int, list[int]]] = {}
    subject = -1
    for k, one in enumerate(seen):
        named = [place for place in (0, 1) if one.said[place] is not None]
        subject = named[0] if len(named) == 1 else subject if one.carried and not named else -1
        if side and (one.even or (not one.concedes and _lean(one, subject) * side < 0)):
            against.add(k)
        if side and subject == (1 if side < 0 else 0) and not one.features[_PRAISE]:
            unpraised.add(k)
        if one.firm or one.features[_OWN]:
            continue
        for of, number, sign in one.claims:
            whose = of if of >= 0 else subject
            if whose >= 0 or one.carried:
                claimed.setdefault((whose, number), {}).setdefault(sign, []).append(k)
    contradicting: set[int] = set()
    for signs in claimed.values():
        if len(signs) == 2 and set(signs[1]) != set(signs[-1]):
            contradicting.update(*signs.values())
    return against, contradicting, unpraised


def _lean(one: Seen, subject: int) -> int:
    """Below 0: the reason speaks for A; above: for B; 0: can't be told, or for neither."""
    a, b = one.said
    if a is not None and b is not None:
        return b - a if a * b < 0 else 0  # praise of one and blame of the other
    if subject < 0:
        return 0
    value = ((a if subject == 0 else b) or 0) + one.loose or int(one.credits)
    if one.firm and value == 1:  # one word of praise beside facts is often about what should have been
        value = 0
    return value if subject else -value


@cache
def shipped_weights() -> Weights:
    """The table in tag_weights.txt."""
    rows = {}
    for line in (files(__package__) / "tag_weights.txt").read_text("utf-8").splitlines():
        name, *numbers = line.split()
        if name != "#":
            rows[name] = [int(number) for number in numbers]
    table = np.array([rows[name] for name in FEATURES], dtype=np.int64)
    by_kind = np.array([rows[kind] for kind in KINDS], dtype=np.int64)
    return Weights(table[:, :3], table[:, 3:], by_kind[:, 3:])


@cache
def _version() -> str:
    hashed = hashlib.sha256()
    for name in _SOURCES:
        text = (files(__package__) / name).read_text("utf-8")
        hashed.update("\n".join(text.splitlines()).encode())
    return f"rules {hashed.hexdigest()[:8]}"
