"""Markers of list items at a line's start: bullets, numbers, `R1:`, `Reason 1:`, letters, bold lead-ins.

Knows nothing of what an item is made of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rationalerm.judge.headings import BOLD_LINE

__all__ = ["Mark", "has_letters", "numbers_ahead", "read_mark"]

_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_BULLET = re.compile(r"-\s?\[[ xX]\][ \t]+(?=\S)|(?:[-*•–—◦▪‣●○·➤►✓✔✗✘✅❌➢⁃+]|□|☐|☑)[ \t]+(?=\S)|[•●▪◦‣✓✔✗✘✅❌](?=\S)")
_NUMBER = re.compile(
    r"(?:\*\*|__|#{1,6}[ \t]+(?:\*\*)?)?(?:[(\[](\d{1,3})[)\]]|(\d{1,3})(?:\\?[.)、．]|:(?=[ \t]))|#(\d{1,3})[.:)]?)"
    r"(?:[ \t]+|(?=\*\*)|(?=[^\W\d]))(?=\S)"
)
_NAMED = re.compile(
    r"(?i)(?:\*\*|__|#{1,6}[ \t]+|[-*•][ \t]+(?:\*\*)?)?(?:[RS]|(?:Reason|Point|Critique|Claim|Criterion|Issue"
    r"|Item|Argument|Difference|Observation|Justification)[ \t]*)#?(\d{1,3})(?:\*\*|__)?[ \t]?(?:[:.)]|[ \t][-–—])(?:\*\*"
    r"|__)?[ \t]*(?:\*\*)?(?=\S)"
)
_LETTER = re.compile(r"([a-z]|[ivx]{2,4})[.)][ \t]+(?=\S)")
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_LEAD_IN = re.compile(r"[ \t]*(?:\*\*|__)([^*\n]{1,80}?)(?::(?:\*\*|__)|(?:\*\*|__)[ \t]?(?::|[-–—][ \t]))[ \t]*(?=\S)")


@dataclass(slots=True)
class Mark:
    """A marker and the text behind it; `number` 0 for bullets and lead-ins."""

    kind: str  # "bullet", "number", "named", "letter", "lead"
    indent: int
    number: int
    text: str


def read_mark(line: str, letters: str) -> Mark | None:
    """The list marker at the start of a line, if there is one."""
    body = line.lstrip(" \t>")
    spaced = line.expandtabs(4) if "\t" in line else line
    indent = len(spaced) - len(spaced.lstrip(" "))
    named = _NAMED.match(body)
    if named:
        return Mark("named", indent, int(named[1]), _unbold(body, named))
    number = _NUMBER.match(body)
    if number:
        return Mark("number", indent, int(number[1] or number[2] or number[3]), _unbold(body, number))
    if body[:1] and body[0] in _CIRCLED:
        return Mark("number", indent, _CIRCLED.index(body[0]) + 1, body[1:].lstrip(" .:"))
    bullet = _BULLET.match(body)
    if bullet:
        inner = _NUMBER.match(body, bullet.end())
        return Mark("bullet", indent, 0, body[inner.end() if inner and inner[2] else bullet.end() :])
    letter = _LETTER.match(body) if letters else None
    if letter:
        return Mark("letter", indent, _letter_number(letter[1], letters), body[letter.end() :])
    lead = _LEAD_IN.match(line)
    if lead and not BOLD_LINE.match(line):
        return Mark("lead", indent, 0, body)
    return None


def _unbold(body: str, marker: re.Match[str]) -> str:
    """The text behind a marker; a bold that opened before the marker goes on behind it."""
    text = body[marker.end() :]
    if marker[0].count("**") == 1 and text.startswith("**"):
        return text[2:].lstrip()
    opened = marker[0].lstrip("#-•* \t") != marker[0].lstrip("#-• \t") and "**" in marker[0]
    closed = marker[0].count("**") % 2 == 0
    return "**" + text if opened and not closed and "**" in text else text.removesuffix("**") if opened and not closed else text


def has_letters(lines: Sequence[str]) -> str:
    """How `a)`, `b)` or `i.`, `ii.` stand at line starts in sequence: "a", "i" or nothing."""
    letters = [match[1] for line in lines if (match := _LETTER.match(line.lstrip(" \t>")))]
    first = letters[:2]
    return "a" if first == ["a", "b"] else "i" if first == ["i", "ii"] else ""


def _letter_number(letter: str, kind: str) -> int:
    if kind == "i":
        return _ROMAN.index(letter) + 1 if letter in _ROMAN else 99
    return ord(letter[0]) - 96


def numbers_ahead(lines: Sequence[str]) -> set[int]:
    """The numbers `1.` that stand at line starts."""
    return {int(match[2]) for line in lines if (match := _NUMBER.match(line)) and match[2]}
