"""Marked verdicts: `\\boxed{...}`, `[[...]]`, `<answer>...</answer>` and relatives, `<<A>B>>`.

Gives every marked label in the order of the text; whose label it is, is for `ownership`. Knows nothing of prose or reasons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rationalerm.judge.labels import Label, plain, read_label
from rationalerm.types import Verdict

__all__ = ["Candidate", "marked_labels"]

_BOX = re.compile(r"(?<![A-Za-z])(?:\\*[bB]|\\*)oxed\s{0,3}\{|(?<![A-Za-z])\\+f(?:rame)?box\s{0,3}\{")
_BRACE = re.compile(r"[{}]")
_BRACKETS = re.compile(r"\\?\[\s?\\?\[([^\[\]]{1,160})\\?\](?:\s?\\?\])?|(?<!\[)\[([^\[\]]{1,40})\]\s?\]")
_WHOLE_BRACKETS = re.compile(r"\\?\[\s?\\?\[[^\[\]]*\]\s?\\?\]$")
_TAG_NAME = (
    r"(?:final[_\- ]?)?(?:answer|verdict|winner|choice|preference|preferred|decision|judge?ment|selection|result"
    r"|conclusion|label|best|better)"
    r"(?:[_\- ]?(?:response|answer|label|choice))?"
)
_TAG = re.compile(rf"(?i)<\|?\s?({_TAG_NAME})\s?(?:\s[^<>]{{0,80}})?\|?>")
_ANGLES = re.compile(
    r"(?i)<<\s?((?:[a-z]{3,10} )?[ab]\s?(?:>>|>|=|<<|<)\s?(?:[a-z]{3,10} )?[ab]|[A-Za-z]{3,10} [ab12]|[ab]"
    r"|tie)\s?>>(?!>)"
)
_RESULT = re.compile(r"(?i)\[(?:final )?(?:result|verdict|answer|winner|choice|decision|preference)\][*_:\s]{0,4}([^\n\[]{1,80})")
_INDEXED = re.compile(r"[A-Za-z0-9_\])]\Z")
_SPEAKING = re.compile(
    r"(?i)\b(?:is|be|verdict|answer|choice|winner|output|judge?ment|decision|to|so|final|preference|label|thus|pick|choose)\Z"
)
_CLOSER = re.compile(r"</|<\|?/|<\|end")
_WINDOW = 300
_MOST = 600


@dataclass(frozen=True, slots=True)
class Candidate:
    """A label at `start:end` of the text. `rank` 3 marked, 2 behind a cue, 1 in prose; `final`: said as the conclusion;
    `of`: the criterion or round that it is limited to (`Accuracy winner: A`)."""

    start: int
    end: int
    label: Label
    rank: int
    rule: str
    final: bool = False
    of: str = ""


def _balanced(text: str, start: int, stop: int) -> int:
    """The end of the brace group that opened before `start`, or -1."""
    depth = 1
    for brace in _BRACE.finditer(text, start, stop):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return -1


def _opened(text: str) -> list[re.Match[str]]:
    """The beginnings of boxes; looked for from the first word on that can name one."""
    first = min((place for place in (text.find("oxed"), text.find("box")) if place >= 0), default=len(text))
    return list(_BOX.finditer(text, len(text[:first].rstrip("\\bBframe"))))  # these may stand before it, and nothing else


def _boxes(text: str) -> Iterator[tuple[int, int, str, str]]:
    opened = _opened(text)[-4 * _MOST :]
    for place, match in enumerate(opened):
        stop = match.end() + _WINDOW
        if place + 1 < len(opened):
            stop = min(stop, opened[place + 1].start())  # a box in a box speaks for itself
        end = _balanced(text, match.end(), stop)
        if end >= 0:
            while text[end + 1 : end + 2] == "}":  # {{B>A}}: the spare braces of a doubled pair
                end += 1
            yield match.start(), end + 1, text[match.end() : end], "boxed"
        else:
            words = text[match.end() : stop].split("\n", 1)[0]
            if re.match(r"\W*[AB]\s?[>=<]{1,2}\s?[AB]\W*$", words):  # cut off, or the brace forgotten: nothing else can follow
                yield match.start(), match.end() + len(words), words, "boxed"


def _brackets(text: str) -> Iterator[tuple[int, int, str, str]]:
    for match in list(_BRACKETS.finditer(text))[-4 * _MOST :]:
        words = match[1] or match[2]
        whole = _WHOLE_BRACKETS.match(match[0])
        if "\n\n" in words or (not whole and not re.search("[>=<]", words)):
            continue  # a bracket too few is forgiven only around a comparison
        before = text[max(0, match.start() - 16) : match.start()]
        if _INDEXED.search(before) and not _SPEAKING.search(before) and not before.endswith("]]"):
            continue  # `grid[[A]]`: an index
        yield match.start(), match.end(), words.rstrip("\\"), "double brackets"


def _tags(text: str) -> Iterator[tuple[int, int, str, str]]:
    for match in list(_TAG.finditer(text))[-4 * _MOST :]:
        closer = _CLOSER.search(text, match.end(), match.end() + _WINDOW)
        if closer:
            words, end = text[match.end() : closer.start()], text.find(">", closer.end(), closer.end() + 60) + 1
        else:
            words = text[match.end() : match.end() + _WINDOW].strip().split("\n", 1)[0]
            end = match.end() + len(words)
        yield match.start(), max(end, match.end()), words.strip(), f"tag {match[1].lower()}"


def _angles(text: str) -> Iterator[tuple[int, int, str, str]]:
    for match in _ANGLES.finditer(text):
        yield match.start(), match.end(), match[1], "angle brackets"


def marked_labels(text: str, numbers: bool) -> list[Candidate]:
    """All marked labels in the order of the text; of a degenerate text the last ones.

    Args:
        text: the answer without thinking, signs unified.
        numbers: whether a lone 1 or 2 is a side.
    """
    spans: list[tuple[int, int, str, str]] = []
    if "oxed" in text or "box" in text:
        spans += _boxes(text)
    if "[" in text:
        spans += _brackets(text)
        spans += ((match.start(), match.end(), match[1], "tag result") for match in _RESULT.finditer(text))
    if "<" in text:
        spans += _tags(text)
    if "<<" in text and ">>" in text:
        spans += _angles(text)
    spans.sort()
    found = []
    for start, end, words, rule in spans[-4 * _MOST :]:
        label = _read(words, rule, numbers)
        if label:
            found.append(Candidate(start, end, label, 3, f"rule: {rule}"))
    return found[-_MOST:]


def _read(words: str, rule: str, numbers: bool) -> Label | None:
    if rule == "double brackets" and plain(words) == "C":
        return Label(Verdict.TIE, None)
    if rule.startswith("tag") and ("[[" in words or "oxed" in words):
        return None  # the inner marker speaks
    return read_label(words, numbers and rule not in ("boxed", "tag result"))
