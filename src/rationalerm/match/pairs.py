"""What is known of a pair of reasons, as a few numbers. Knows nothing of how they are weighed (calibration.py).

Sides and polarity are read together. A reason's favour is polarity(A) - polarity(B): "A omits the name", "only B has it" and "unlike A,
B has it" all favour B. Two reasons that favour different responses can't be the same reason, whatever their words share; two that favour
the same one from different sides ("A omits it", "B includes it") say half of the same thing unless one of them names both.
"""

from __future__ import annotations

from collections.abc import Callable

from rationalerm.match.align import FULL
from rationalerm.match.facts import conflict, found, siblings_conflict
from rationalerm.match.reading import Placed, Reading

__all__ = ["FEATURES", "features"]

FEATURES = (
    "recall", "precision", "exact", "exact_precision", "cosine", "residual", "missing", "substituted",
    "facts_found", "facts_missed", "numbers_conflict", "quotes_conflict", "code_conflict", "names_conflict", "siblings_conflict", "slot",
    "contradicts", "agrees", "other_side", "other_side_contradicts", "mirrored", "crossed", "vague", "conflict_near", "contradicts_near",
)  # fmt: skip
Near = Callable[[int, int], int]  # (word of the human reason, word of the model reason) -> their f of align, 0..FULL
_SYNONYM = 450  # from here on two words in one place may be one word for the other
_LONGEST_RUN = 3
VAGUE = 130  # specific weight from which on a remark says something in particular


def _clip(value: float) -> float:
    return max(-1.0, min(1.0, value))


def features(
    human: Reading, model: Reading, aligned: tuple[float, float, float, float, float, float, int, int], by_side: list[list[int]], near: Near
) -> list[float]:
    """The numbers in the order of `FEATURES`.

    Args:
        aligned: recall, precision, exact, exact_precision, cosine, residual, missing, missing_model of the pair (align.Alignment).
        near: how near two words are, by their places in the readings.
        by_side: [3, 3], the recalled weight of the human's words on A, on B, on neither by the model's.
    """
    recall, precision, exact, exact_precision, cosine, residual, missing, missing_model = aligned
    favours, others = _relation(human, model)
    same, cross = by_side[0][0] + by_side[1][1], by_side[0][1] + by_side[1][0]
    both = all(human.named) and all(model.named)
    crossed = (cross - same) / max(1, cross + same) if both else 0.0
    single = human.named != model.named and not both and sum(human.named) == sum(model.named) == 1
    known = _facts(human, model)
    slot = _slots(human, model, near) if min(exact, exact_precision) > 0.35 else 0.0
    return [
        recall, precision, exact, exact_precision, cosine, residual * (1 - exact), missing / (100 * FULL),
        min(missing, missing_model) / (100 * FULL) * exact,
        *known, slot,
        max(0.0, -favours) if not single else 0.0, max(0.0, favours) * min(1.0, recall / 0.4) if not single else 0.0, float(single),
        max(0.0, -favours) if single else 0.0, max(0.0, favours) if single else 0.0,
        crossed * (1.0 if others >= 0 else -1.0), max(0.0, 1 - model.specific / VAGUE),
        max(*known[2:], slot) * recall, max(0.0, -favours) * recall,
    ]  # fmt: skip


def _slots(human: Reading, model: Reading, near: Near) -> float:
    """What share of the human reason's weight stands in one place of both texts in different words: "answers in [Java] though Kotlin", "answers in [Scala] though
    Kotlin". A place is a run of up to three words that the other text lacks, between two words that both have (or an end)."""
    own, other = {w.stem for w in human.order}, {w.stem for w in model.order}
    theirs = {(left, right): run for left, run, right in _runs(model.order, own)}
    slot = 0
    for left, run, right in _runs(human.order, other):
        there = theirs.get((left, right))
        if there and (left or right) and max(near(a.place, b.place) for a in run for b in there) < _SYNONYM:
            slot = max(slot, min(sum(w.weight for w in run), sum(w.weight for w in there)))
    return slot / max(1, sum(w.weight for w in human.order))


def _runs(order: tuple[Placed, ...], known: set[str]) -> list[tuple[str, list[Placed], str]]:
    result: list[tuple[str, list[Placed], str]] = []
    run: list[Placed] = []
    left = ""
    for word in (*order, None):
        if word is not None and word.stem not in known:
            run.append(word)
            continue
        if 0 < len(run) <= _LONGEST_RUN:
            result.append((left, run, word.stem if word else ""))
        run, left = [], word.stem if word else ""
    return result


def _relation(human: Reading, model: Reading) -> tuple[float, float]:
    """The product of the favours, -1..1, and of the polarities where both reasons speak of one side."""
    h = _clip(human.polarity[0] - human.polarity[1])
    m = _clip(model.polarity[0] - model.polarity[1])
    same = human.polarity[0] * model.polarity[0] + human.polarity[1] * model.polarity[1]
    cross = human.polarity[0] * model.polarity[1] + human.polarity[1] * model.polarity[0]
    size = min(abs(h), abs(m))
    return size if h * m > 0 else -size, same if same else cross


def _facts(human: Reading, model: Reading) -> list[float]:
    h, m = human.facts, model.facts
    kinds = [(h.numbers, m.numbers, "", ""), *((a, b, h.text, m.text) for a, b in zip(h.kinds()[1:], m.kinds()[1:], strict=True))]
    wanted = sum(len(a) for a, *_ in kinds)
    share = sum(found(a, b, there) for a, b, _, there in kinds) / wanted if wanted else 0.0
    clashes = [float(conflict(a, b, here, there)) for a, b, here, there in kinds]
    return [share, (1 - share) if wanted else 0.0, *clashes, float(siblings_conflict(h, m))]
