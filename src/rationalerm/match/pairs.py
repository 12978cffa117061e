"""What is known of a pair of reasons, as a few numbers. Knows nothing of how they are weighed (calibration.py).

Sides and polarity are read together. A reason's favour is polarity(A) - polarity(B): "A omits the name", "only B has
it" and "unlike A, B has it" all favour B. Two reasons that favour different responses can't be the same reason,
whatever their words share; two that favour the same one from different sides ("A omits it", "B includes it") say half
of the same thing unless one of them names both. Where a reason speaks of both responses, the words themselves tell: `clash` is
the share of common words that the two say of different responses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rationalerm.match.facts import Facts, conflict, found, siblings_conflict
from rationalerm.match.reading import Placed, Reading

__all__ = ["AT_ONCE", "FEATURES", "AtOnce", "at_once", "features"]

FEATURES = (
    "recall", "precision", "exact", "exact_precision", "cosine", "residual",
    "numbers_conflict", "quotes_conflict", "code_conflict", "names_conflict", "siblings_conflict", "slot",
    "sided", "sided_residual", "agrees", "evidence", "contradicts", "clash", "other_side", "other_side_contradicts", "vague",
)  # fmt: skip
AT_ONCE = (
    "recall", "precision", "exact", "exact_precision", "cosine", "residual",
    "sided", "sided_residual", "agrees", "contradicts", "other_side", "other_side_contradicts", "vague",
)  # fmt: skip
"""The features that are had for all pairs of a row at once; the others take a look at each pair."""
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Near = Callable[[int, int], int]  # (word of the human reason, word of the model reason) -> their f of align, 0..FULL
_ALIKE = 0.35  # texts that share less have no places in common
_SYNONYM = 450  # from here on two words in one place may be one word for the other
_LONGEST_RUN = 3
AGREES_FROM = 0.3  # agreement counts in full from this recall on: chance pairs agree half of the time
RESIDUAL_UP_TO = 0.12  # more than this among few words is chance
FEW = 2  # of many names, some differ in any case
SURE = 0.5
_SURELY = 0.2  # polarity from which on two clauses say opposite things
VAGUE = 130  # specific weight from which on a remark says something in particular


class AtOnce(NamedTuple):
    """`known`: the features of `AT_ONCE`, [feature, human, model]; `evident`: whether two may share evidence, [human, model]."""

    known: Floats
    evident: Bools


def at_once(human: Sequence[Reading], model: Sequence[Reading], similar: Sequence[Floats]) -> AtOnce:
    """What is known of all pairs of a row at once.

    Args:
        similar: recall, precision, exact, exact_precision, cosine, residual * (1 - exact) of the pairs (align.py).
    """
    recall, residual = similar[0], similar[5]
    h_favour, h_a, h_b, h_factual, _ = (trait[:, None] for trait in _traits(human))
    m_favour, m_a, m_b, m_factual, specific = _traits(model)
    shared = ((h_a * m_a + h_b * m_b) > 0).astype(np.float64)
    other_side = ((h_a != h_b) & (m_a != m_b) & (h_a != m_a)).astype(np.float64)
    # How surely the two favour one response, in full from `SURE` on; or different ones: the smaller of the two favours.
    sure = np.minimum(1.0, np.minimum(abs(h_favour), abs(m_favour)) / SURE)
    one = h_favour * m_favour > 0
    against = np.where(one, 0.0, sure)
    enough = np.minimum(1.0, recall / AGREES_FROM)
    sided = enough * shared
    same_side = 1 - other_side
    known = np.empty((len(AT_ONCE), *recall.shape))
    known[:6] = similar
    known[6] = sided
    known[7] = np.clip(residual, 0.0, RESIDUAL_UP_TO) * sided
    known[8] = np.where(one, sure, 0.0) * enough * same_side
    known[9] = against * recall * same_side
    known[10] = other_side
    known[11] = against * other_side
    known[12] = np.maximum(0.0, 1 - specific / VAGUE)
    return AtOnce(known, (shared * h_factual * m_factual > 0) & (against == 0))


def _traits(readings: Sequence[Reading]) -> Floats:
    """Of each reason what it favours (-1 B to 1 A), whether it is about A, about B, names facts; its specific weight."""
    traits = [(max(-1.0, min(1.0, r.polarity[0] - r.polarity[1])), *r.named, r.factual(), r.specific) for r in readings]
    return np.array(traits, dtype=np.float64).T


def features(human: Reading, model: Reading, known: Sequence[float], evident: bool, near: Near) -> list[float]:
    """The numbers in the order of `FEATURES`.

    Args:
        known: those of `AT_ONCE`.
        evident: whether the two may share evidence.
        near: how near two words are, by their places in the readings.
    """
    _, _, exact, exact_precision, *_ = known
    sided, sided_residual, agrees, contradicts, other_side, other_side_contradicts, vague = known[6:]
    h, m = human.facts, model.facts
    few = max(len(h.names), len(m.names)) <= FEW
    return [
        *known[:6],
        float(conflict(h.numbers, m.numbers)), float(conflict(h.quotes, m.quotes, h.text, m.text)),
        float(conflict(h.code, m.code, h.text, m.text)), float(few and conflict(h.names, m.names, h.text, m.text)),
        float(siblings_conflict(h, m)), _slots(human, model, near) if min(exact, exact_precision) > _ALIKE else 0.0,
        sided, sided_residual, agrees, _evidence(h, m) if evident else 0.0,
        contradicts, _clash(human, model), other_side, other_side_contradicts, vague,
    ]  # fmt: skip


def _clash(human: Reading, model: Reading) -> float:
    """What share of the words that both have is said of the other response without the opposite being said of it."""
    if not human.told and not model.told:  # all words of a reason go with its one side
        a, b = human.stance(), model.stance()
        return float(bool(a[0] and b[0]) and not _together(a, b))
    ours, theirs = human.stances(), model.stances()
    common = ours.keys() & theirs.keys()
    against = sum(1 for stem in common if not any(_together(a, b) for a in ours[stem] for b in theirs[stem]))
    return against / max(1, len(common))


def _together(a: tuple[int, float], b: tuple[int, float]) -> bool:
    return a[0] == b[0] or (a[1] * b[1] < 0 and min(abs(a[1]), abs(b[1])) >= _SURELY)


def _evidence(human: Facts, model: Facts) -> float:
    """Whether they name a number, a quotation or code that both have: 0.5 for one, 1 for more."""
    quoted = human.quotes | human.code
    named = found(quoted, model.quotes | model.code, model.text) if quoted else 0
    return min(2, len(human.numbers & model.numbers) + named) / 2


def _slots(human: Reading, model: Reading, near: Near) -> float:
    """What share of the human reason's weight stands in one place of both texts in different words: "answers in [Java]
    though Kotlin", "answers in [Scala] though Kotlin". A place is a run of up to three words that the other text lacks,
    between two words that both have (or an end)."""
    own, other = {stem for stem, *_ in human.order}, {stem for stem, *_ in model.order}
    theirs = {(left, right): run for left, run, right in _runs(model.order, own)}
    slot = 0
    for left, run, right in _runs(human.order, other):
        there = theirs.get((left, right))
        if there and (left or right) and not _synonyms(run, there, near):
            slot = max(slot, min(sum(w for _, w, _ in run), sum(w for _, w, _ in there)))
    return slot / max(1, sum(w for _, w, _ in human.order))


def _synonyms(run: list[Placed], there: list[Placed], near: Near) -> bool:
    return any(near(a, b) >= _SYNONYM for *_, a in run for *_, b in there)


def _runs(order: list[Placed], known: set[str]) -> list[tuple[str, list[Placed], str]]:
    """(word before, run, word after) of each run of words that are not `known`."""
    result: list[tuple[str, list[Placed], str]] = []
    run: list[Placed] = []
    left = ""
    for word in (*order, None):
        if word is not None and word[0] not in known:
            run.append(word)
            continue
        if 0 < len(run) <= _LONGEST_RUN:
            result.append((left, run, word[0] if word else ""))
        run, left = [], word[0] if word else ""
    return result
