"""The machinery that the embedded and the lexical matcher share: read, align, weigh. Knows nothing of where vectors come from."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from rationalerm.match.calibration import Calibration
from rationalerm.match.copies import fold, negates
from rationalerm.match.pairs import FEATURES
from rationalerm.match.reading import Reader, Reading
from rationalerm.match.rows import Rows
from rationalerm.match.vectors import IntVector
from rationalerm.types import Matching

__all__ = ["StaticMatcher", "by_human", "negated"]

_EXACT, _EXACT_PRECISION = FEATURES.index("exact"), FEATURES.index("exact_precision")
_NEAR_COPY = 0.4  # from here on a pair is worth a look for a lone negation
_LEAST_RECALL = 0.05  # pairs that share less are 0 without a look at the rest
_TOGETHER = 64  # model reasons that are aligned at once
_Scored = tuple[int, int, list[float]]


class StaticMatcher:
    """A matcher of fixed word vectors and fixed rules. Subclasses say which vectors; the rest is here.

    Cheap to make (files are read at the first match), safe in threads, picklable.
    """

    name = "static"
    reads_pasted = False  # what a judge pastes from the prompt or the responses is cut first (pasted.py)
    _vectors: Callable[[], Callable[[str], IntVector]]

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reader: Reader | None = None
        self._calibration: Calibration | None = None
        self._version: str | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]

    @property
    def version(self) -> str:
        """Changes with the rules, the tables, the calibration or the files that the vectors come from."""
        if self._version is None:
            self._version = f"{(self._calibration or self._shipped()).version}{self._print()}"
        return self._version

    def _print(self) -> str:
        """What tells the vectors' source from another one; empty where the code alone makes them."""
        return ""

    def _shipped(self) -> Calibration:
        return Calibration.load(self.name)

    def _load(self) -> tuple[Reader, Calibration]:
        with self._lock:
            if self._calibration is None:
                self._calibration = self._shipped()
            if self._reader is None:
                self._reader = Reader(type(self)._vectors())
            return self._reader, self._calibration

    def calibrated(self, calibration: Calibration) -> Self:
        """The same matcher under other numbers: for cross-validation (perf/agreement.py). A pickle of it forgets them."""
        made = copy.copy(self)  # as a pickle would: nothing read yet
        made._calibration = calibration
        return made

    def match(self, human: Sequence[str], model: Sequence[str]) -> Matching:
        """The scores of one row; pairs that don't match are absent."""
        return self._together(human, [model])[0]

    def match_many(self, rows: Iterable[tuple[Sequence[str], Sequence[str]]]) -> list[Matching]:
        """`match` of each row, in order; rows with one human list (the samples of a prompt) share the work on it."""
        todo = list(rows)
        found: dict[int, Matching] = {}
        for human, places in by_human(todo).items():
            for part in _portions(places, [len(todo[k][1]) for k in places]):
                found |= zip(part, self._together(human, [todo[k][1] for k in part]), strict=True)
        return [found[k] for k in range(len(todo))]

    def _together(self, human: Sequence[str], models: Sequence[Sequence[str]]) -> list[Matching]:
        """The scores of one human list with each of several lists."""
        reasons = [reason for model in models for reason in model]
        scores: list[dict[tuple[int, int], float]] = [{} for _ in models]
        if human and reasons:
            owner = [(k, j) for k, model in enumerate(models) for j in range(len(model))]
            reader, calibration = self._load()
            readings, vectors, stems = reader.read([*human, *reasons])
            ours, theirs = readings[: len(human)], readings[len(human) :]
            for i, place, x in _pairs(ours, theirs, vectors, stems, calibration):
                score = calibration.worth(calibration.score(x), theirs[place].claim.against(ours[i].claim))
                if score > 0 and not negated(x, human[i], reasons[place]):
                    k, j = owner[place]
                    scores[k][i, j] = score
            for i, place in self._copies(human, reasons):
                k, j = owner[place]
                scores[k][i, j] = 1.0
        return [Matching(len(human), len(model), found) for model, found in zip(models, scores, strict=True)]

    def _copies(self, human: Sequence[str], reasons: Sequence[str]) -> Iterator[tuple[int, int]]:
        """The pairs in which the two are copies of each other."""
        return _copies(_forms(human, self.readings(human)), _forms(reasons, self.readings(reasons)))

    def readings(self, texts: Sequence[str]) -> list[Reading]:
        """What the rules read in each text; the last ones are remembered, so it costs little after `match`."""
        return self._load()[0].read(list(texts))[0]

    def evidence(self, human: Sequence[str], model: Sequence[str]) -> list[_Scored]:
        """(human, model, features) of each pair that could match at all; recipes/matcher_static fits the calibration to these."""
        if not human or not model:
            return []
        reader, _ = self._load()
        readings, vectors, stems = reader.read([*human, *model])
        return _pairs(readings[: len(human)], readings[len(human) :], vectors, stems)


def by_human(rows: Sequence[tuple[Sequence[str], Sequence[str]]]) -> dict[tuple[str, ...], list[int]]:
    """Where the rows of each human list stand."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for k, (human, _) in enumerate(rows):
        groups.setdefault(tuple(human), []).append(k)
    return groups


def _portions(places: list[int], sizes: list[int]) -> Iterator[list[int]]:
    """The rows of one human list, so many at a time that their reasons come to no more than a few dozen."""
    part: list[int] = []
    total = 0
    for place, size in zip(places, sizes, strict=True):
        if part and total + size > _TOGETHER:
            yield part
            part, total = [], 0
        part.append(place)
        total += size
    yield part


def negated(x: Sequence[float], human: str, model: str) -> bool:
    """Whether two reasons differ by a negation alone."""
    return min(x[_EXACT], x[_EXACT_PRECISION]) >= _NEAR_COPY and negates(human, model)


def _forms(reasons: Sequence[str], readings: Sequence[Reading]) -> list[tuple[str, str]]:
    """Two forms a reason: those that share either are copies of each other."""
    return [(fold(reason), reading.copy) for reason, reading in zip(reasons, readings, strict=True)]


def _copies(human: Sequence[tuple[str, str]], model: Sequence[tuple[str, str]]) -> Iterator[tuple[int, int]]:
    """A reason fulfils itself, also where it is too vague to fulfil any other."""
    places: dict[str, list[int]] = {}
    for j, forms in enumerate(model):
        for form in {*forms, ""} - {""}:
            places.setdefault(form, []).append(j)
    for i, forms in enumerate(human):
        yield from ((i, j) for j in {j for form in forms for j in places.get(form, ())})


def _pairs(
    human: list[Reading], model: list[Reading], vectors: IntVector, stems: Any, bound: Calibration | None = None
) -> list[_Scored]:
    """The pairs that share something, with their features; with `bound`, only those that could still score."""
    rows = Rows(human, model, vectors, stems)
    possible = rows.known.known[0] >= _LEAST_RECALL
    if bound is not None:
        possible &= bound.possible(rows.known)
    return [(i, j, rows.features(i, j)) for i, j in np.argwhere(possible).tolist()]
