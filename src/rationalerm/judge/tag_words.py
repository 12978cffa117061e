"""The rule tagger's words, from tag_words.txt, as counters: a text's words are classed and counted in one sum.

Each class has a field of eight bits in a whole number; a word is the sum of the ones of its classes. Knows nothing of reasons.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["BREAKS", "CLASSES", "MOST", "Words", "count", "known", "listed", "pairs", "unit"]

CLASSES = (
    "style", "correct", "relevant", "good", "bad", "lack", "could", "compare", "concede", "hedge", "report", "part", "aspect",
    "ref", "spoken", "self", "plain", "specific", "number", "a", "b", "two", "both", "taste", "break", "paired",
)  # fmt: skip
MOST = 250  # words of a reason that are read: no field runs over
_PLACE = {name: 8 * place for place, name in enumerate(CLASSES)}
BREAKS = frozenset(".;:!?\n—–。；")
_SIGNS = {"\ue000": "a", "\ue001": "b", "\ue002": "two"} | dict.fromkeys(BREAKS, "break")
_KEPT = 60_000
_GENERAL = (
    "good",
    "taste",
    "style",
    "correct",
    "relevant",
    "plain",
    "aspect",
    "report",
    "part",
    "ref",
    "self",
    "hedge",
    "could",
    "compare",
    "lack",
)


@cache
def _lists() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (files(__package__) / "tag_words.txt").read_text("utf-8").splitlines():
        name, separator, words = line.partition(": ")
        if separator and not line.startswith("#"):
            found.setdefault(name, []).extend(words.split())
    return found


@cache
def listed(name: str) -> frozenset[str]:
    """The whole words of a class."""
    return frozenset(word for word in _lists().get(name, ()) if word[-1] != "*")


@cache
def pairs() -> dict[str, tuple[int, int]]:
    """word -> (number of its property, 1 or -1)."""
    found: dict[str, tuple[int, int]] = {}
    number, sign = -1, 1
    for line in (files(__package__) / "tag_words.txt").read_text("utf-8").splitlines():
        if line.startswith("pair: "):
            number, sign = number + 1, 1
            for word in line.removeprefix("pair: ").split():
                if word == "|":
                    sign = -1
                else:
                    found[word] = number, sign
    return found


def unit(name: str) -> int:
    """One of a class."""
    return 1 << _PLACE[name]


def count(total: int, name: str) -> int:
    """How many of a class a sum holds."""
    return total >> _PLACE[name] & 255


class Words(dict[str, int]):
    """word (case-folded) -> its classes as a number; classes a new word when it is asked for, and forgets all when it is full."""

    def __init__(self) -> None:
        super().__init__()
        self._whole: dict[str, int] = {}
        self._beginnings: list[tuple[str, int]] = []
        for name in CLASSES:
            for word in _lists().get(name, ()):
                if word[-1] == "*":
                    self._beginnings.append((word[:-1], unit(name)))
                elif not self._whole.get(word, 0) & unit(name):
                    self._whole[word] = self._whole.get(word, 0) + unit(name)

    def __missing__(self, word: str) -> int:
        if len(self) > _KEPT:
            self.clear()
        self[word] = found = self._class(word)
        return found

    def _class(self, word: str) -> int:
        if word in _SIGNS:
            return unit(_SIGNS[word])
        if word[0].isdigit():
            return unit("number")
        word = word.replace("’", "'")
        found = self._whole.get(word, 0) + (unit("paired") if word in pairs() and word not in listed("lack") else 0)
        for beginning, of in self._beginnings:
            if word.startswith(beginning) and not found & of:
                found += of
        if not found and word.endswith("'s"):
            return self._class(word[:-2])
        if not any(count(found, name) for name in _GENERAL) and (len(word) > 2 or not word.isascii()):
            found += unit("specific")  # also a word of praise or blame that says what: "absurd"
        return found


@cache
def known() -> Words:
    """The one table of the process: what it remembers of a word never changes what the word is."""
    return Words()
