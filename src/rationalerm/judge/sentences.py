"""Prose into sentences that can stand as reasons. Knows nothing of lists."""

from __future__ import annotations

import re

from rationalerm.data.prose import split_sentences
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
_LEAD = re.compile(r"^(?:reason(?:ing|s)?|explanation|justification|rationale|analysis|evaluation)\s*:\s+", re.I)
_SKIP_LINE = re.compile(r"^\s*(?:#{1,6}\s|[-=*_]{3,}\s*$|\||<[^<>]{1,60}>\s*$|\$\$|\\\[|\\\]|!\[)")
_EMPHASIS = re.compile(r"(?<!\w)\*\*(?=\S)([^*\n]{1,400})(?<=\S)\*\*(?!\w)")
_MOST = 2000


def sentences(text: str) -> list[str]:
    """The sentences of an answer without a list, without headings, code, greetings, announcements and verdicts."""
    found: list[str] = []
    for paragraph in _paragraphs(text):
        for sentence in split_sentences(paragraph):
            words = _LEAD.sub("", _EMPHASIS.sub(r"\1", sentence).strip())
            if words and not words.endswith(":") and not _GREETING.match(words) and not is_verdict_line(words):
                found.append(words)
        if len(found) > _MOST:
            break
    return found


def _paragraphs(text: str) -> list[str]:
    paragraphs: list[str] = []
    lines: list[str] = []
    fenced = False
    for line in [*text.split("\n"), ""]:
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        if fenced:
            continue
        stripped = line.strip()
        heading = (
            bool(_SKIP_LINE.match(line))
            or (stripped.endswith(":") and len(stripped.split()) <= 8)
            or bool(re.fullmatch(r"\*\*[^*]{1,80}\*\*:?", stripped))
        )
        if not stripped or heading or is_verdict_line(stripped):
            if lines:
                paragraphs.append(" ".join(lines))
            lines = []
            continue
        lines.append(stripped.lstrip("> "))
    return paragraphs
