"""Prose into sentences that can stand as reasons. Knows nothing of lists."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rationalerm.data.prose import split_sentences
from rationalerm.judge.headings import Section, read_heading, with_side
from rationalerm.judge.verdict import is_verdict_line

__all__ = ["sentences"]

_GREETING = re.compile(
    r"(?i)^(?:sure|certainly|of course|okay|ok|alright|hello|hi|great|understood|thank(?:s| you)|absolutely"
    r"|no problem|here (?:is|are|'s)|below (?:is|are)|let me|let's|let us|let’s)\b[^.!?]{0,160}[.!:?]*$"
    r"|^(?:i will|i'll|i am going to|i'm going to|we will|we'll|now,? (?:i|let)|first,? (?:i will|i'll|let)"
    r"|to (?:evaluate|determine|compare|judge|assess|solve|generate|answer|provide|address|find)\b.{0,80}\b(?:i|we"
    r"|let)\b|in evaluating the (?:two )?(?:outputs|responses|answers), we need to)\b.{0,200}$"
    r"|^(?:after|upon) (?:carefully )?(?:reading|reviewing|comparing|evaluating)[^,.]{0,80}[.:]$|^(?:reason"
    r"|reasons|reasoning|explanation|justification|rationale|analysis|evaluation|critique)s?\s*:?$"
)
_LEAD = re.compile(
    r"^(?:reason(?:ing|s)?|explanation|justification|rationale|analysis|evaluation|feedback|critique|comments?|assessment)\s*:\s+",
    re.I,
)
_SKIP_LINE = re.compile(r"^\s*(?:#{1,6}\s|[-=*_]{3,}\s*$|\||<[^<>]{1,60}>\s*$|\$\$|\\\[|\\\]|!\[)")
_OWN_SUBJECT = re.compile(r"(?i)\W*(?:overall|in (?:summary|conclusion|comparison)|to (?:sum|conclude)|therefore|my|i)\b")
_OF_BOTH = re.compile(
    r"(?i)\b(?:both|neither|comparing|compared)\b|\bbetween the\b"
    r"|\b(?:the|their|these|two) (?:\w+ )?(?:assistants|responses|answers|outputs)\b"
)
_EMPHASIS = re.compile(r"(?<!\w)\*\*(?=\S)([^*\n]{1,400})(?<=\S)\*\*(?!\w)")
_MOST = 2000


def sentences(text: str) -> list[str]:
    """The sentences of an answer without a list, without headings, code, greetings, announcements and verdicts.

    Under a heading that names a response they carry its name, unless they speak of both.
    """
    found: list[str] = []
    done = ""  # the section in which the comparison has begun
    for paragraph, label in _paragraphs(text):
        for sentence in _rejoined(split_sentences(paragraph)):
            words = _LEAD.sub("", _EMPHASIS.sub(r"\1", sentence).strip())
            if words and not words.endswith(":") and not _GREETING.match(words) and not is_verdict_line(words):
                done = label if _OF_BOTH.search(words) else done
                found.append(words if label == done or _OWN_SUBJECT.match(words) else with_side(words, label))
        if len(found) > _MOST:
            break
    return found


def _rejoined(parts: Iterable[str]) -> list[str]:
    """Sentences cut behind a quoted question or exclamation (`"Who wears shorts?" and names it.`) are one again."""
    whole: list[str] = []
    for part in parts:
        if whole and part[:1].islower() and whole[-1][-1:] in "\"')”’":
            whole[-1] += " " + part
        else:
            whole.append(part)
    return whole


def _paragraphs(text: str) -> list[tuple[str, str]]:
    """The paragraphs, each with the name of the response that the heading above it gives."""
    paragraphs: list[tuple[str, str]] = []
    lines: list[str] = []
    fenced = False
    section = Section()
    for line in [*text.split("\n"), ""]:
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        if fenced:
            continue
        stripped = line.strip()
        heading = read_heading(line)
        if not stripped or heading or _SKIP_LINE.match(line) or is_verdict_line(stripped):
            if lines:
                paragraphs.append((" ".join(lines), section.label))
            if heading:
                section.enter(heading)
            lines = []
            continue
        lines.append(stripped.lstrip("> "))
    return paragraphs
