"""What is known of a pair of reasons, as a few numbers. Knows nothing of how they are weighed (calibration.py).

Sides and polarity are read together. A reason's favour is polarity(A) - polarity(B): "A omits the name", "only B has
it" and "unlike A, B has it" all favour B. Two reasons that favour different responses can't be the same reason,
whatever their words share; two that favour the same one from different sides ("A omits it", "B includes it") say half
of the same thing unless one of them names both. Where a reason speaks of both responses, the words themselves tell: `clash` is
the share of common words that the two say of different responses.
"""

from __future__ import annotations

from collections.abc import Callable

from rationalerm.match.facts import Facts, conflict, found, siblings_conflict
from rationalerm.match.reading import Placed, Reading

__all__ = ["AGREES_FROM", "FEATURES", "RESIDUAL_UP_TO", "features"]

FEATURES = (
    "recall", "precision", "exact", "exact_precision", "cosine", "residual",
    "numbers_conflict", "quotes_conflict", "code_conflict", "names_conflict", "siblings_conflict", "slot",
    "sided", "sided_residual", "agrees", "evidence", "contradicts", "clash", "other_side", "other_side_contradicts", "vague",
)  # fmt: skip
Similar = tuple[float, float, float, float, float, float]
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


def _clip(value: float) -> float:
    return max(-1.0, min(1.0, value))


def features(human: Reading, model: Reading, similar: Similar, near: Near) -> list[float]:
    """The numbers in the order of `FEATURES`.

    Args:
        similar: recall, precision, exact, exact_precision, cosine, residual * (1 - exact) of the pair (align.py).
        near: how near two words are, by their places in the readings.
    """
    recall, _, exact, exact_precision, _, residual = similar
    favour = _favour(human, model)
    (h_a, h_b), (m_a, m_b) = human.named, model.named
    other_side = h_a != h_b and m_a != m_b and h_a != m_a
    shared = (h_a and m_a) or (h_b and m_b)
    enough = min(1.0, recall / AGREES_FROM)
    h, m = human.facts, model.facts
    few = max(len(h.names), len(m.names)) <= FEW
    return [
        *similar,
        float(conflict(h.numbers, m.numbers)), float(conflict(h.quotes, m.quotes, h.text, m.text)),
        float(conflict(h.code, m.code, h.text, m.text)), float(few and conflict(h.names, m.names, h.text, m.text)),
        float(siblings_conflict(h, m)), _slots(human, model, near) if min(exact, exact_precision) > _ALIKE else 0.0,
        enough if shared else 0.0, min(RESIDUAL_UP_TO, max(0.0, residual)) * enough if shared else 0.0,
        0.0 if other_side else max(0.0, favour) * enough,
        _evidence(h, m) if shared and favour >= 0 and human.factual() and model.factual() else 0.0,
        0.0 if other_side else max(0.0, -favour) * recall,
        _clash(human, model), float(other_side), max(0.0, -favour) if other_side else 0.0,
        max(0.0, 1 - model.specific / VAGUE),
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
    quoted, code = human.quotes | human.code, model.quotes | model.code
    return min(2, len(human.numbers & model.numbers) + found(quoted, code, model.text)) / 2


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


def _favour(human: Reading, model: Reading) -> float:
    """How surely the two favour the same response, -1 (different ones) to 1: the smaller of the two favours, in full from
    `SURE` on."""
    h = _clip(human.polarity[0] - human.polarity[1])
    m = _clip(model.polarity[0] - model.polarity[1])
    size = min(1.0, min(abs(h), abs(m)) / SURE)
    return size if h * m > 0 else -size
