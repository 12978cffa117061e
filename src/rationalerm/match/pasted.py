"""What a judge pastes from the prompt or the responses is no reason of its own: it is cut before an offline matcher reads it.

A list that holds both responses, or the prompt behind each reason, holds most words of the human's reasons and says nothing. So
eight words or more in a row (a Han or kana character is half a word) that stand in what the judge was shown are left out, unless
a human reason has the same words. Quotations of fewer words stay. An LLM that matches is asked about the reasons as they are
(method.md section 2). Knows nothing of scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from rationalerm.match import sides
from rationalerm.match.base import Matcher
from rationalerm.types import Pair

__all__ = ["as_matched", "shown_of", "without_pasted"]

_RUN = 14  # half words
_BLOCK = 4  # tokens; a run holds such a block whole, wherever it begins
_HALVES = r"\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_HALVES}]|[^\W_{_HALVES}]+")
_HALF = re.compile(f"[{_HALVES}]")
_GAP = "\ue004"  # where something was cut, while the rest is looked at; then an ellipsis
_SENTENCE = re.compile(r"(?<=[.!?])(?=\s|[\"'”’)])|(?<=[。！？\n])")
_OWN = 2  # fewer words beside the names of responses, and a sentence only says who is quoted


def shown_of(pair: Pair) -> tuple[str, ...]:
    """The texts that a judge of the pair sees."""
    return tuple(text for text in (*(m.content for m in pair.messages), pair.response_a, pair.response_b) if text)


def as_matched(matcher: Matcher, reasons: Sequence[str], shown: Sequence[str], human: Sequence[str]) -> tuple[str, ...]:
    """The reasons as the matcher gets them, as many as there are."""
    if getattr(matcher, "reads_pasted", True) or not shown:
        return tuple(reasons)
    return without_pasted(reasons, shown, human)


def without_pasted(reasons: Sequence[str], shown: Sequence[str], human: Sequence[str] = ()) -> tuple[str, ...]:
    """Each reason without the runs of words that stand in one of the texts shown and in no human reason.

    >>> without_pasted(
    ...     ["A is off topic: it says a cat sat on the mat by the old door. B says a cat sat on the mat by the old door."],
    ...     ["Well: a cat sat on the mat, by the old door."],
    ... )
    ('A is off topic: it says ….',)
    """
    texts, theirs = [_folded(text) for text in shown], [_folded(text) for text in human]
    return tuple(_cut(reason, texts, theirs) for reason in reasons)


@lru_cache(maxsize=256)
def _folded(text: str) -> str:
    """Its words and nothing else, a space before and behind each."""
    return f" {' '.join(_TOKEN.findall(text.casefold()))} "


def _cut(reason: str, texts: Sequence[str], human: Sequence[str]) -> str:
    found = list(_TOKEN.finditer(reason))
    words = [match[0].casefold() for match in found]
    if not _blocks(words, texts):
        return reason
    kept, at = [], 0
    for first, last in _runs(words, texts, human):
        start, end = found[first].start(), found[last].end()
        kept += [reason[at:start], f"{_GAP}\n" if _SENTENCE.search(reason, start, end) else _GAP]
        at = end
    return _without_openers("".join([*kept, reason[at:]])) if kept else reason


def _without_openers(text: str) -> str:
    """The text without sentences that only open or close a quotation that was cut ("Response A says: ...")."""
    parts = [part for part in _SENTENCE.split(text) if _words(part) >= (_OWN if _GAP in part else 1)]
    return "".join(parts).replace(_GAP, "…").strip()


def _words(text: str) -> int:
    """Beside the names of responses."""
    return len(_TOKEN.findall(sides.mark(text)))


def _blocks(words: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether any block stands in a text: of most reasons none does, and that is all the work there is."""
    blocks = [f" {' '.join(words[k : k + _BLOCK])} " for k in range(0, len(words) - _BLOCK + 1, _BLOCK)]
    return any(block in text for block in blocks for text in texts)


def _runs(words: Sequence[str], texts: Sequence[str], human: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First and last word of each stretch that is pasted, windows that touch taken together."""
    open_run: tuple[int, int] | None = None
    shown = [_Place(text) for text in texts]
    for first, last in _windows(words):
        window = f" {' '.join(words[first : last + 1])} "
        if not any(place.has(window) for place in shown) or any(window in text for text in human):
            continue
        if open_run is not None and first <= open_run[1] + 1:
            open_run = open_run[0], last
        else:
            if open_run is not None:
                yield open_run
            open_run = first, last
    if open_run is not None:
        yield open_run


class _Place:
    """Where in a text the last window stood: the next one of what is pasted stands a word further on."""

    def __init__(self, text: str) -> None:
        self.text, self.next = text, -1

    def has(self, window: str) -> bool:
        """Whether the window stands in the text."""
        found = self.next if self.next >= 0 and self.text.startswith(window, self.next) else self.text.find(window)
        self.next = window.index(" ", 1) + found if found >= 0 else -1
        return found >= 0


def _windows(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Each shortest stretch of `_RUN`, by its first and last word."""
    sizes = [1 if _HALF.fullmatch(word) else 2 for word in words]
    last, total = -1, 0
    for first in range(len(words)):
        while total < _RUN and last + 1 < len(words):
            last += 1
            total += sizes[last]
        if total < _RUN:
            return
        yield first, last
        total -= sizes[first]
