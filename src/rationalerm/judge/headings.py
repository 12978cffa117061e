"""Headings in an answer: which response they name, whether they end the reasons; and the side that a reason takes from them.

A heading is a `#` line, a line wholly in bold, or a short line that ends with a colon. Knows nothing of list markers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["BOLD_LINE", "Heading", "Section", "is_aspect", "is_verdict_title", "names_side", "read_heading", "with_side"]

BOLD_LINE = re.compile(r"[ \t]*(?:\*\*|__)([^*\n]{1,120}?)(?:\*\*|__)[ \t]*:?[ \t]*$")
_HASH = re.compile(r"[ \t]*(#{1,6})[ \t]+(.*?)[ \t#]*$")
_ASPECT = r"strengths?|weakness(?:es)?|pros|cons|issues|errors|problems|advantages|disadvantages|positives|negatives"
_NAMES_SIDE = re.compile(
    r"(?i)^[\W_]*(?:evaluation of |analysis of |assessment of |review of |(?:strengths|weaknesses|pros|cons) of |about |on "
    r"|for )?(?:the )?((?:response|assistant|answer|output|model|candidate|chatbot|summary|option"
    r"|feedback)s? \(?[AB12]\)?|[AB]|first (?:response|answer|assistant|output)|second (?:response|answer"
    r"|assistant|output))"
    r"(?:'s (?:answer|response|output|evaluation|analysis))?"
    rf"(?:(?:'s)? (?:{_ASPECT}|evaluation|analysis|assessment))?(?: \([^()]{{1,40}}\))?[\W_]*$"
)
_ASPECTS = re.compile(rf"(?i)\b({_ASPECT})\b")
_ASPECT_LINE = re.compile(rf"(?i)^[\W_\d]*(?:(?:its|their|the|main|key) )?(?:{_ASPECT})[\W_]*$")
_SIDE_WORD = re.compile(
    r"(?i)\b(?:response|assistant|answer|output|model|candidate|chatbot|summary)s? \(?[ab12]\b|\b(?:first"
    r"|second) (?:response|answer|assistant|output)\b|^\W*(?:both|neither)\b"
)
_VERDICT = re.compile(
    r"(?i)^[\W_\d.]*(?:my |the )?(?:final |overall )?(?:verdict|decision|judge?ment|winner|conclusion|result"
    r"|answer|final|preference|choice|rating|score)s?[\W_]*$"
)
_NOT_REASONS = re.compile(r"(?i)^[\W_\d.]*(?:options?|scale|rating scale|rubric|verdict options|choices|labels)[\W_]*$")
_BOLD, _COLON = 7, 8


@dataclass(frozen=True, slots=True)
class Heading:
    """`rank`: 1 to 6 of `#`, 7 bold, 8 a line with a colon. `side`: the response that it names. `aspect`: its strengths, say."""

    words: str
    rank: int
    side: str = ""
    aspect: str = ""
    closes: bool = False  # verdicts or options follow, no reasons


@dataclass(slots=True)
class Section:
    """The response (and aspect) that the headings above a place name. A lower heading keeps the side of a higher one."""

    side: str = ""
    aspect: str = ""
    _rank: int = 0

    def enter(self, heading: Heading) -> None:
        if heading.side:
            self.side, self.aspect, self._rank = heading.side, heading.aspect, heading.rank
        elif self.side and (heading.aspect or heading.rank > self._rank) and not heading.closes:
            self.aspect = heading.aspect
        else:
            self.side = self.aspect = ""

    @property
    def label(self) -> str:
        """`Assistant A`, `Assistant A: Weaknesses`, or nothing."""
        return f"{self.side}: {self.aspect}" if self.side and self.aspect else self.side


def names_side(words: str) -> str:
    """The response that a title names and nothing else: `Assistant A`; empty where it says more or none."""
    match = _NAMES_SIDE.match(words.strip(" :*_"))
    return match[1].strip("* ") if match else ""


def is_aspect(words: str) -> bool:
    """Whether a title says `Strengths`, `Weaknesses` and the like, and nothing else."""
    return bool(_ASPECT_LINE.match(words))


def is_closing(words: str) -> bool:
    """Whether a title says that a verdict, a rating or options follow."""
    return bool(_VERDICT.match(words)) or bool(_NOT_REASONS.match(words))


def is_verdict_title(words: str) -> bool:
    """Whether a title says that a verdict follows."""
    return bool(_VERDICT.match(words))


def read_heading(line: str, marked: str | None = None) -> Heading | None:
    """The heading that a line is.

    Args:
        line: the line.
        marked: the text behind its list marker, where it has one and is known to be a heading.
    """
    stripped = line.strip()
    hashed = _HASH.match(line)
    bold = None if hashed else BOLD_LINE.match(line)
    if hashed:
        words, rank = hashed[2], len(hashed[1])
    elif bold:
        words, rank = bold[1], _BOLD
    elif marked is not None:
        words, rank = marked, _BOLD if "**" in line else _COLON
    elif stripped.endswith(":") and len(stripped.split()) <= 8 and not line.startswith(("  ", "\t")):
        words, rank = stripped, _COLON
    else:
        return None
    side = names_side(words)
    named = _ASPECTS.search(words) if side or _ASPECT_LINE.match(words) else None
    return Heading(words, rank, side, named[1].capitalize() if named else "", is_closing(words))


def with_side(text: str, label: str) -> str:
    """The reason under the name of its response, unless it names one itself."""
    return text if not label or _SIDE_WORD.search(text) else f"{label}: {text}"
