"""A reason read once: words by side, polarity by side, facts, how much it says. Knows nothing of other reasons.

The words of a reason stand in three groups: about A, about B, about neither or unknown. Each group begins with a blank word, so that
no group is empty (np.maximum.reduceat needs that).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rationalerm.match import facts, generic, polarity, sides, words
from rationalerm.match.vectors import IntVector

__all__ = ["Placed", "Reader", "Reading"]

_MAX_WORDS = 60_000  # 60 MB of vectors; then the reader starts afresh
_MAX_READINGS = 20_000
_CONCEDES = frozenset("while although though despite whilst".split())  # "while B is long, it never says ..."
_FACT = 30  # the least weight of a number, a name, a quoted word
_SLOT = 15  # the least weight of a word that makes a slot
_ORDER = {-1: 0, 1: 1, 0: 2}


class Word(NamedTuple):
    """What is known of a word by itself. `judges`: polarity.py knows it."""

    id: int
    weight: int
    stem: str
    vague: bool
    judges: bool


class Placed(NamedTuple):
    """A word of weight in the order of the text; `place` is its index in the reading's ids."""

    stem: str
    weight: int
    place: int


@dataclass(frozen=True, slots=True)
class Reading:
    """One reason.

    `ids`: words by group, each group after a blank (0); `starts`: where the groups begin; `weights`: whole numbers beside `ids`;
    `polarity`: of A and of B; `named`: whether a clause is about A, about B; `specific`: the weight that is not vague.
    """

    ids: npt.NDArray[np.int32]
    weights: npt.NDArray[np.int64]
    starts: tuple[int, int, int]
    polarity: tuple[float, float]
    named: tuple[bool, bool]
    facts: facts.Facts
    specific: int
    order: tuple[Placed, ...]


class Reader:
    """Reads reasons; remembers words and the last readings. Safe in threads."""

    def __init__(self, vector: Callable[[str], IntVector]) -> None:
        self._vector = vector
        self._lock = threading.Lock()
        self._reset()

    def _reset(self) -> None:
        self._words: dict[str, Word] = {}
        self._size = len(self._vector("a"))
        self._vectors = np.zeros((1024, self._size), dtype=np.float32)
        self._stems = np.zeros(1024, dtype=np.int32)
        self._stem_ids: dict[str, int] = {}
        self._readings: OrderedDict[str, Reading] = OrderedDict()

    def read(self, texts: list[str]) -> tuple[list[Reading], npt.NDArray[np.float32], npt.NDArray[np.int32]]:
        """The readings, with the tables of vectors and of stem numbers that their ids point into."""
        with self._lock:
            if len(self._words) > _MAX_WORDS:
                self._reset()
            result = []
            for text in texts:
                reading = self._readings.get(text)
                if reading is None:
                    reading = self._readings[text] = self._read(text)
                    if len(self._readings) > _MAX_READINGS:
                        self._readings.popitem(last=False)
                result.append(reading)
            return result, self._vectors, self._stems

    def _word(self, word: str) -> Word:
        new = len(self._words) + 1
        if new >= len(self._stems):  # new arrays: readers in other threads keep the old ones
            self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)])
            self._stems = np.concatenate([self._stems, np.zeros_like(self._stems)])
        self._vectors[new] = self._vector(word)
        base = words.stem(word)
        self._stems[new] = self._stem_ids.setdefault(base, len(self._stem_ids) + 1)
        self._words[word] = found = Word(new, words.weight(word), base, generic.is_vague(word), bool(polarity.word_class(word)))
        return found

    def _read(self, text: str) -> Reading:
        marked = sides.mark(text)
        tokens = words.tokens(marked)
        parts = sides.clauses(tokens)
        found = facts.find(marked, tokens)
        quoted = {t for kind in (found.quotes, found.code) for f in kind for t in words.tokens(f)}
        known, heavy = self._words, quoted | found.names
        groups: tuple[list[int], list[int], list[int]] = ([0], [0], [0])
        weights: tuple[list[int], list[int], list[int]] = ([0], [0], [0])
        seen: tuple[dict[str, int], dict[str, int], dict[str, int]] = ({}, {}, {})
        order: list[tuple[str, int, int, int]] = []
        specific = 0
        for part in parts:
            group = _ORDER[part.side]
            ids, sizes, here = groups[group], weights[group], seen[group]
            for token in part.tokens:
                word = known.get(token) or self._word(token)
                weight = word.weight
                if token in heavy or token[0].isdigit():
                    weight = max(_FACT, weight + weight // 2)
                if not weight:
                    continue
                if token not in here:
                    here[token] = len(ids)
                    ids.append(word.id)
                    sizes.append(weight)
                    if not word.vague:
                        specific += weight
                if weight >= _SLOT and (not word.judges or token in quoted):
                    order.append((word.stem, weight, group, here[token]))
        starts = (0, len(groups[0]), len(groups[0]) + len(groups[1]))
        poles, named = _poles(parts, quoted)
        return Reading(
            np.array([*groups[0], *groups[1], *groups[2]], dtype=np.int32), np.array([*weights[0], *weights[1], *weights[2]], dtype=np.int64),
            starts, poles, named, found, specific, tuple(Placed(s, w, starts[g] + k) for s, w, g, k in order),
        )  # fmt: skip


def _poles(parts: list[sides.Clause], quoted: set[str]) -> tuple[tuple[float, float], tuple[bool, bool]]:
    """Polarity of A and of B, and whether a clause is about A, about B."""
    sums: list[float | None] = [None, None]
    for k, part in enumerate(parts):
        if not part.side:
            continue
        own = _ORDER[part.side]
        value = polarity.polarity([t for t in part.tokens if t not in quoted] if quoted else part.tokens)
        if part.tokens[0] in _CONCEDES and k + 1 < len(parts) and parts[k + 1].side == part.side:
            value *= 0.3
        sums[own] = (sums[own] or 0.0) + value
        if part.only:
            sums[1 - own] = (sums[1 - own] or 0.0) - value
    return (_clip(sums[0] or 0.0), _clip(sums[1] or 0.0)), (sums[0] is not None, sums[1] is not None)


def _clip(value: float) -> float:
    return max(-1.0, min(1.0, value))
