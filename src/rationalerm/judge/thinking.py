"""A judge's thinking, taken out of its answer: `<think>` and its relatives.

An opening tag with no close: everything behind it is thinking. A closing tag with no opening: everything before it is. A tag
that is only spoken of (in back-ticks, in quotation marks, `its <think> tag`, in a closed code block) is text. `<rubric>`,
`<eval>`, `<analysis>` and the like are not thinking. Knows nothing of verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["UNCLOSED", "strip_thinking"]

UNCLOSED = "unclosed think"

_WORDS = (
    r"think(?:ing|s)?|thoughts?|inner_thoughts?|inner_monologue|antthinking|reasoning|reflection|scratchpad"
    r"|seed:think|mm:think|begin_of_thought|end_of_thought|start_thinking|end_thinking"
)
_TAG = re.compile(
    rf"(?i)(?:<|&lt;)\s?(/?)\s?\|?(/?)({_WORDS})\|?(?:\s[^<>\n]{{0,100}})?(?:>|&gt;)"
    r"|\[\s?(/?)(think(?:ing)?)\]|◁(/?)(think(?:ing)?)▷"
    r"|<\|channel\|>(?:analysis|final)<\|message\|>"
)
_ANY = re.compile(rf"(?i)[<\[◁;][\s/|]{{0,6}}(?:{_WORDS}|channel)")  # of `_TAG`, and quick to say no
_MOST_CHECKS = 2000  # of a degenerate text, the tags behind these are taken as they stand
_SPOKEN_OF = re.compile(r"(?i)[`'\"”’]?\s+(?:tags?|blocks?|sections?|tokens?|markers?|elements?|delimiters?)\b")
_ABOUT_RESPONSE = re.compile(r"(?i)\b(?:response|answer|assistant|output|model)\b.{0,80}\w\s*$")
_FENCE_LINE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})", re.M)
_OPENING_QUOTES, _CLOSING_QUOTES = "\"'`“‘«", "\"'`”’»"


def _tags(text: str) -> Iterator[tuple[int, int, str, bool]]:
    """(start, end, family, whether it closes) of each tag."""
    for match in _TAG.finditer(text):
        word = (match[3] or match[5] or match[7] or "").lower()
        if not word:  # the harmony format: an analysis channel ends where the final one starts
            yield match.start(), match.end(), "channel", "final" in match[0].lower()
            continue
        closes = bool(match[1] or match[2] or match[4] or match[6]) or word.startswith("end_")
        family = word if word in ("reasoning", "reflection", "scratchpad") else "think"
        yield match.start(), match.end(), family, closes


def _fenced(text: str) -> list[tuple[int, int]]:
    """The spans of closed code blocks, one that opens the text left out (it wraps the answer)."""
    marks = [match.start() for match in _FENCE_LINE.finditer(text)]
    first = len(text) - len(text.lstrip())
    return [(a, b) for a, b in zip(marks[::2], marks[1::2], strict=False) if a > first]


def _spoken_of(text: str, start: int, end: int) -> bool:
    """Whether the tag at start:end is only mentioned in a sentence."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before and before in _OPENING_QUOTES and after and after in _CLOSING_QUOTES:
        return True
    line_start = text.rfind("\n", max(0, start - 400), start) + 1 or max(0, start - 400)
    line_end = text.find("\n", end, end + 400)
    left = text[line_start:start]
    right = text[end : line_end if line_end >= 0 else end + 400]
    if left.count("`") % 2 and "`" in right:
        return True
    if left.count('"') % 2 and '"' in right and text[start + 1 : start + 2] != "|":
        return True
    if left.strip() and _SPOKEN_OF.match(text, end):
        return True
    return bool(_ABOUT_RESPONSE.search(left)) and right[:1] == " " and right[1:2].islower()


def strip_thinking(text: str) -> tuple[str, tuple[str, ...]]:
    """The answer without its thinking, and the notes."""
    if not _ANY.search(text):
        return text, ()
    kept: list[str] = []
    position, opened, checks = 0, "", 0
    fences: list[tuple[int, int]] | None = None
    next_fence = 0
    for start, end, family, closes in _tags(text):
        if opened:
            if closes and family == opened:
                position, opened = end, ""
            continue
        if fences is None:
            fences = _fenced(text)
        while next_fence < len(fences) and fences[next_fence][1] <= start:
            next_fence += 1
        in_fence = next_fence < len(fences) and fences[next_fence][0] < start
        checks += 1
        if in_fence or (checks < _MOST_CHECKS and _spoken_of(text, start, end)):
            continue
        if closes:
            kept.clear()
            position = end
        else:
            kept.append(text[position:start])
            opened = family
    if opened:
        return "\n".join(kept), (UNCLOSED,)
    kept.append(text[position:])
    return "\n".join(kept), ()
