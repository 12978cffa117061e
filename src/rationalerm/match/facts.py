"""The facts that a reason names: numbers, quoted strings, identifiers, names. Knows nothing of sides or vectors.

Numbers are compared by value ("twelve" = 12, "third" = 3, "1,400" = 1400), quoted strings and code by their folded
text. Two reasons conflict in a kind of fact where each names one of that kind which the other's text does not hold at
all.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from rationalerm.match import lexicon

__all__ = ["Facts", "conflict", "find", "found", "siblings_conflict"]

_QUOTED = re.compile(
    r"\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|«([^»\n]{1,80})»|「([^」\n]{1,80})」"
    r"|(?<!\w)'([^'\n]{1,60})'(?!\w)|(?<!\w)‘([^’\n]{1,60})’(?!\w)|„([^“”\n]{1,80})[“”]"
)
_CODE = re.compile(
    r"`([^`\n]{1,80})`|(?<!\w)(--?[A-Za-z][\w-]*)"
    r"|\b([A-Za-z_]\w*(?:\.[A-Za-z_]\w+)+|[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|\w+(?=\(\))"
    r"|[OΘΩ]\([^()\n]{1,24}\))|(?<!\w)([A-Z][a-z]+[A-Z]\w*)"
)
_NUMBER = re.compile(r"(?<![\w.])[+-]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?|\d+(?:\.\d+)?")
_NAME = re.compile(r"[A-Z](?:(?<=[\w,;)] [A-Z])[\w'’-]*[a-z]\w*|(?<![\w.][A-Z])[A-Z]+\w*)")
_CODE_SIGN = re.compile(r"[`_(]|[a-z)][.A-Z][A-Za-z_]|[ \"'(]-")  # without one, "pH" and "mL" are no code
# Without these the patterns match nothing. Like _NAME they begin with a set of characters, which makes a search fast.
_MAYBE_QUOTED = re.compile(r"[\"“«「'‘„](?<!\w['‘])")
_MAYBE_CODE = re.compile(
    r"[`_.(A-Z-](?:(?<=[`_])|(?<=\.)[A-Za-z_]\w|(?<=\()\)|(?<=[OΘΩ]\()|(?<=[a-z][A-Z])|(?<=-)(?<!\w-)-?[A-Za-z])"
)
_WIDE = re.compile("[^\x00-\x7f\ue000-\ue003]")
_DIGIT = re.compile(r"\d")
_NOTHING: frozenset[str] = frozenset()
_VALUES = lexicon.values("number")
_NOT_NAMES = lexicon.words("not-name")


class Facts(NamedTuple):
    """The facts of one reason, by kind."""

    numbers: frozenset[str]
    quotes: frozenset[str]
    code: frozenset[str]
    names: frozenset[str]
    members: frozenset[tuple[str, str]]  # (kind, word) of siblings.txt
    text: str  # the folded text itself

    def kinds(self) -> tuple[frozenset[str], ...]:
        """The four sets in a fixed order."""
        return self.numbers, self.quotes, self.code, self.names


def find(marked: str, words: Sequence[str]) -> Facts:
    """The facts of a text whose mentions of responses are already signs (sides.mark); `words` are its folded tokens."""
    quotes = _texts(_QUOTED, marked) if _MAYBE_QUOTED.search(marked) else _NOTHING
    code = _texts(_CODE, marked) if _MAYBE_CODE.search(marked) and _CODE_SIGN.search(marked) else _NOTHING
    plain = unicodedata.normalize("NFKC", marked) if _WIDE.search(marked) else marked
    low = plain.casefold()
    digit = _DIGIT.search(low)
    numbers = set(map(_value, _NUMBER.findall(low, max(0, digit.start() - 1)))) if digit else set()  # a sign may stand before
    distinct = set(words)
    numbers.update(_VALUES[w] for w in distinct & _VALUES.keys())
    siblings = _siblings()
    members = [pair for w in distinct & siblings.keys() for pair in siblings[w]]
    named = _NAME.findall(plain)
    names = frozenset(n.casefold() for n in named if n not in _NOT_NAMES) if named else _NOTHING
    return Facts(frozenset(numbers), quotes, code, names, frozenset(members), low)


@lru_cache(maxsize=1)
def _siblings() -> dict[str, tuple[tuple[str, str], ...]]:
    """word -> the (kind, word) pairs it stands for."""
    result: dict[str, tuple[tuple[str, str], ...]] = {}
    for line in resources.files("rationalerm.match").joinpath("siblings.txt").read_text(encoding="utf-8").splitlines():
        kind, _, members = line.partition(": ")
        if not line.startswith("#"):
            for word in members.split():
                result[word] = (*result.get(word, ()), (kind, word.removesuffix("s")))
    return result


def _texts(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    found = (next(g for g in m.groups() if g) for m in pattern.finditer(text))
    return frozenset(t for t in (f.casefold().strip(" .,;:!?()") for f in found) if t)


def _value(number: str) -> str:
    text = number.replace(",", "").lstrip("+")
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def found(wanted: frozenset[str], here: frozenset[str], text: str = "") -> int:
    """How many of `wanted` are named: as a fact of the same kind, as part of one or around one, or anywhere in `text`."""
    return sum(1 for w in wanted if w in here or (text and (w in text or any(len(h) > 2 and h in w for h in here))))


def conflict(human: frozenset[str], model: frozenset[str], human_text: str = "", model_text: str = "") -> bool:
    """Whether each side names a fact that the other doesn't have. Without texts, facts are equal or not (numbers)."""
    if not human or not model:
        return False
    if not human_text and not model_text:
        return not human <= model and not model <= human
    return found(human, model, model_text) < len(human) and found(model, human, human_text) < len(model)


def siblings_conflict(human: Facts, model: Facts) -> bool:
    """Whether the two name different members of one kind of things ("in Spanish", "in Catalan")."""
    if not human.members or not model.members:
        return False
    left, other = human.members - model.members, model.members - human.members
    return bool({kind for kind, _ in left} & {kind for kind, _ in other})
