"""The judge's own work on the task: many judges first solve it themselves ("My own answer: ..."), then compare the responses.

That part says nothing of the responses and is taken out before reasons are read. It starts where the text announces it and ends
at the first line that speaks of the responses; without an announcement it is all that stands before a heading that names the
responses, if nothing in it speaks of them. Knows nothing of lists or verdicts.
"""

from __future__ import annotations

import re

__all__ = ["without_own_work"]

_LEADING = r"(?i)^[\W_\d]*"
_OWN = re.compile(
    _LEADING + r"(?:(?:here is|here's|first,?|so,?|now,?) )?(?:"
    r"(?:my|our) (?:own )?(?:answer|response|solution|attempt)\b(?:[^:.]{0,50}:|\W*$)"
    r"|(?:generating|(?:i will|i'll|let me|let us|let's|to|step \d:?) (?:first )?(?:generate|write|give|provide)|providing)"
    r" (?:my|our|an|a) (?:own )?(?:answer|response|solution)\b"
    r"|(?:to )?(?:determine|find|identify|decide)[^.:]{0,60}?,? (?:i|we)(?:'ll| will)(?: first)?"
    r" (?:generate|provide|solve|answer|give)\b"
    r"|to (?:answer|solve|address) (?:this|the|your) (?:question|problem|prompt|puzzle|query|task|equation|exercise)"
    r"|to (?:answer|solve) (?:it|this|the \w+) (?:myself|first)"
    r"|(?:answering|solving) (?:this|the) (?:question|problem|prompt|puzzle)\b"
    r"|(?:first,? )?(?:let's|let us|let me|i will|i'll|we) (?:first )?(?:solve|work (?:through|out)"
    r"|(?:answer|analy[sz]e|break down|look at|think about) the (?:question|problem|puzzle|prompt|task))\b"
    r"|(?:the )?(?:correct|expected|ideal|reference) (?:answer|solution)(?: to [^:]{0,40})?\W*$"
    r"|(?:step[- ]by[- ]step )?solution\W*$)"
)
_NAMED = re.compile(
    r"(?i)\b(?:assistant|response|model|chatbot|candidate|system|summary|output)s? ?\(?[ab12]\b|\bassistants\b"
    r"|\b(?:both|two|the|their|each|these|ai) (?:ai )?(?:assistant|response|answer|output|model|chatbot|candidate)s\b"
    r"|\b(?:first|second) (?:assistant|response|output)\b|\b(?-i:Answers? [AB12])(?:'s)?\b"
)
_ANY_SIDE = re.compile(r"\b(?<!\()[AB]\b(?!\))|\b(?i:both|neither|either|the other|former|latter|responses?|assistants?)\b")
_HEADING = re.compile(r"[ \t]*(?:#{1,6}[ \t].*|(?:\*\*|__)[^*\n]+(?:\*\*|__):?|[^.!?]{3,110}:(?:\*\*|__)?)[ \t]*$")
_LONGEST_LINE = 400


def without_own_work(text: str) -> str:
    """The text without the judge's own solution of the task.

    >>> without_own_work("My own answer:\\n1. Use a heap.\\n\\nAssistant A sorts.\\nAssistant B uses a heap.")
    'Assistant A sorts.\\nAssistant B uses a heap.'
    """
    lines = text.split("\n")
    named = [place for place, line in enumerate(lines) if _NAMED.search(line[:_LONGEST_LINE])]
    if not named:
        return text
    start = next((place for place, line in enumerate(lines) if _OWN.match(line[:_LONGEST_LINE])), None)
    if start is not None:
        end = next((place for place in named if place > start), None)
        if end is not None and not _spoken_of(lines[:start]):
            return _from(lines, end, text)
    end = next((place for place in named if _HEADING.match(lines[place][:_LONGEST_LINE])), 0)
    return text if len(named) < 2 or _spoken_of(lines[:end]) else _from(lines, end, text)


def _from(lines: list[str], end: int, text: str) -> str:
    """The lines from `end` on, if more than headings and introductions stand before it."""
    said = any(line.strip(" *_#")[-1:] not in ("", ":") and not _OWN.match(line[:_LONGEST_LINE]) for line in lines[:end])
    return "\n".join(lines[end:]) if said else text


def _spoken_of(lines: list[str]) -> bool:
    """Whether lines, an introduction apart, speak of the responses."""
    return any(_NAMED.search(line) or _ANY_SIDE.search(line) for line in lines if line.rstrip(" *_")[-1:] not in ("", ":"))
