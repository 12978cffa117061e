"""A reason read once: its words, its polarity by side, its facts, how much it says. Knows nothing of other reasons.

The words begin with a blank one, so that no reason is empty (np.maximum.reduceat needs that).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rationalerm.match import facts, generic, lexicon, polarity, sides, words
from rationalerm.match.claim import Claim, claim
from rationalerm.match.copies import named_fold
from rationalerm.match.vectors import IntVector

__all__ = ["Placed", "Reader", "Reading", "Stances"]

_MAX_WORDS = 60_000  # 60 MB of vectors; then the reader starts afresh
_MAX_READINGS = 10_000
_LONGEST = 300  # words of a reason that count; keeps every sum below 2^53
_CONCEDES = lexicon.words("concedes")  # "while B is long, it never says ..."
_ELLIPTIC = lexicon.words("elliptic")
_ONLY_ONE = 0.6
_FINDS = frozenset(("fault", "merit", "lack", "less"))
_FACT = 30  # the least weight of a number, a name, a quoted word
_MOST = 0.6
_SLOT = 15  # the least weight of a word that makes a slot
Placed = tuple[str, int, int]  # stem, weight, place among the ids
Stances = dict[str, list[tuple[int, float]]]  # stem -> (side, polarity) of the clauses in which it stands


class Word(NamedTuple):
    """What is known of a word by itself. `raised`: its weight where it is part of a fact; `judges`: polarity.py knows it;
    `finds`: as a fault or a merit."""

    id: int
    weight: int
    raised: int
    stem: str
    vague: bool
    judges: bool
    finds: bool


class Reading(NamedTuple):
    """One reason.

    `ids`: the distinct words in order, after a blank (0); `weights`: whole numbers beside them;
    `polarity`: of A and of B; `named`: whether a clause is about A, about B; `specific`: the weight that is not vague;
    `order`: the words of weight as the text has them, apart from those that judge;
    `told`: where it names both responses, of each word of `order` the (side, polarity) of its clauses; `copy`: equal for copies;
    `claim`: whether it says anything of a response (claim.py).
    """

    ids: npt.NDArray[np.int32]
    weights: npt.NDArray[np.int64]
    polarity: tuple[float, float]
    named: tuple[bool, bool]
    facts: facts.Facts
    specific: int
    order: list[Placed]
    told: Stances
    copy: str
    claim: Claim

    def stances(self) -> Stances:
        """Of each word of `order`, what is said with it of which response."""
        stance = self.stance()
        return self.told or {stem: [stance] for stem, *_ in self.order if stance[0]}

    def stance(self) -> tuple[int, float]:
        """Side and polarity of a reason that names one response; (0, 0) of others."""
        if self.named[0] == self.named[1]:
            return 0, 0.0
        return (-1, self.polarity[0]) if self.named[0] else (1, self.polarity[1])

    def factual(self) -> bool:
        """Whether it names a number, a quotation or code."""
        return bool(self.facts.numbers or self.facts.quotes or self.facts.code)


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
                else:
                    self._readings.move_to_end(text)
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
        weight = words.weight(word)
        raised = max(_FACT, weight + weight // 2)
        kind = polarity.word_class(word)
        known = generic.is_vague(word), bool(kind), kind in _FINDS
        self._words[word] = found = Word(new, raised if word[0].isdigit() else weight, raised, base, *known)
        return found

    def _read(self, text: str) -> Reading:
        marked = sides.mark(words.clean(text))
        tokens = words.tokens(marked)
        parts = sides.clauses(tokens)
        found = facts.find(marked, tokens)
        quoted = {t for kind in (found.quotes, found.code) for f in kind for t in words.tokens(f)}
        known, heavy = self._words, quoted | found.names
        ids, weights, places = [0], [0], dict[str, int]()
        order: list[Placed] = []
        specific = 0
        judging = False
        leans, poles, named = _poles(parts, quoted)
        told: Stances = {}
        both = all(named)
        for part, lean in zip(parts, leans, strict=True):
            for token in part.tokens:
                number, weight, raised, stem, vague, judges, finds = known.get(token) or self._word(token)
                judging = judging or (finds and token not in quoted)
                if token in heavy:
                    weight = raised
                if not weight:
                    continue
                place = places.get(token)
                if place is None:
                    if len(ids) > _LONGEST:
                        continue
                    places[token] = place = len(ids)
                    ids.append(number)
                    weights.append(weight)
                    if not vague:
                        specific += weight
                if weight >= _SLOT and (not judges or token in quoted):
                    order.append((stem, weight, place))
                    if both and part.side:
                        told.setdefault(stem, []).append((part.side, lean))
        arrays = np.array(ids, dtype=np.int32), np.array(weights, dtype=np.int64)
        claimed = claim(tokens, any(named), judging)._replace(one=named[0] != named[1], evenly=_evenly(told, order))
        return Reading(*arrays, poles, named, found, specific, order, told, named_fold(marked), claimed)


def _evenly(told: Stances, order: list[Placed]) -> bool:
    """Whether most of the words, by weight, are said of either response in the same way."""
    if not told:
        return False
    weights = {stem: weight for stem, weight, _ in order}
    alike = sum(weights[stem] for stem, stances in told.items() if any(_alike(a, b) for a in stances for b in stances))
    return alike > _MOST * sum(weights.values())


def _alike(a: tuple[int, float], b: tuple[int, float]) -> bool:
    return a[0] * b[0] < 0 and a[1] * b[1] >= 0


def _poles(parts: list[sides.Clause], quoted: set[str]) -> tuple[list[float], tuple[float, float], tuple[bool, bool]]:
    """The polarity of each clause; of A and of B; whether a clause is about A, about B."""
    sums: list[float | None] = [None, None]
    leans: list[float] = []
    for k, part in enumerate(parts):
        if quoted or part.only:
            value = polarity.polarity([t for t in part.tokens if t not in quoted and not (part.only and t == "only")])
        else:
            value = polarity.polarity(part.tokens)
        if k and part.side * parts[k - 1].side < 0 and _ELLIPTIC.issuperset(part.tokens):
            value = -leans[-1]  # "A checks the root, B does not"
        elif part.only and not value:
            value = _ONLY_ONE  # "A forgets the unit; only B does it"
        leans.append(value)
        if not part.side:
            continue
        own = 0 if part.side < 0 else 1
        if part.tokens[0] in _CONCEDES and k + 1 < len(parts) and parts[k + 1].side == part.side:
            value *= 0.3
        sums[own] = (sums[own] or 0.0) + value
        if part.only:
            sums[1 - own] = (sums[1 - own] or 0.0) - value
    return leans, (_clip(sums[0] or 0.0), _clip(sums[1] or 0.0)), (sums[0] is not None, sums[1] is not None)


def _clip(value: float) -> float:
    return max(-1.0, min(1.0, value))
