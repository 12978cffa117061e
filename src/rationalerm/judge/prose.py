"""Verdicts said in a sentence: "Therefore, Response B is better.", "I pick A", "Both are equally good".

A statement counts where its clause says so without negation, condition, doubt, a criterion it is limited to, or another
speaker. Only the last part of a very long text is looked at. Knows nothing of markers, cues or reasons.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from rationalerm.judge.labels import OPTION_LETTER, SIDE, Label, side_of
from rationalerm.judge.marked import Candidate
from rationalerm.judge.prose_words import (
    AGAINST_ONE,
    CHOOSES,
    CLAUSE,
    CONCLUDING,
    CRITERION,
    DOUBT_ANYWHERE,
    DOUBT_CLAUSE,
    FOR_NEITHER,
    FOR_ONE,
    FUNCTION_WORDS,
    IS_BETTER,
    ON,
    PREDICATE,
    SIGN,
    SPEAKER,
    TAIL,
    VERDICT_LEAD,
    WINS,
)
from rationalerm.types import Verdict

__all__ = ["is_statement", "statements"]


_SENTENCE = re.compile(r"(?<=[.!?。！？])[\"')\]*]{0,2}\s|\n|(?<=[。！？])")
_END = re.compile(r"[.!?](?=\s|$|[\"')*])|\n|[。！？]")
_EMPHASIS = re.compile(r"\*\*|__")
_LEAD = 320
_LONGEST_STATEMENT = 240
_SCOPE = 60_000
_IS_MINE = re.compile(
    r"\s+(?:is|stands as|remains) my (?:final |overall )?(?:verdict|decision|choice|answer|judge?ment|conclusion)\b"
)
_REACH = 240
_REACH_BEHIND = 80
_MOST = 400


def _sentence_start(text: str, position: int) -> int:
    low = max(0, position - _LEAD)
    start = low
    for match in _SENTENCE.finditer(text, low, position):
        start = match.end()
    return start


def _asks(text: str, position: int) -> bool:
    end = _END.search(text, position, position + 300)
    return end is not None and end[0] == "?" and '"' not in text[position : end.start()]


def _sound(text: str, start: int, end: int) -> bool:
    """Whether the words before and behind a statement leave it as the judge's own, plain verdict."""
    before = text[_sentence_start(text, start) : start]
    lead = CRITERION.match(before)
    if lead:
        if not re.fullmatch(r"\(?[A-Ca-c12]\)?", lead["lead"]) and not VERDICT_LEAD.search(lead["lead"]):
            return False
        before = before[lead.end() :]
    before = SPEAKER.sub(" ", before)
    if DOUBT_ANYWHERE.search(before) or ON.search(before):
        return False
    cuts = [match.end() for match in CLAUSE.finditer(before)]
    clause = before[cuts[-1] :] if cuts else before
    if len(clause.split()) < 1 and len(cuts) > 1 and re.search(r"(?i)\b(?:that|say|says|said)\s*,?\s*$", before):
        clause = before
    return not DOUBT_CLAUSE.search(clause) and not _asks(text, end)


def _plain_bare(text: str, match: re.Match[str]) -> bool:
    """Whether a lone capital letter is a side here: not `Plan A`, `vitamin B`."""
    words = match["side"] if "side" in match.re.groupindex else ""
    if not words or not re.match(r"\(?[AB]\b", words):
        return True
    before = text[max(0, match.start("side") - 20) : match.start("side")]
    word = re.search(r"([A-Za-z]+)\s+\(?$", before)
    if not word:
        return True
    return word[1].lower() in FUNCTION_WORDS


def _maybe_option(text: str, match: re.Match[str], tail: str) -> bool:
    """`(B) remains the best choice`: perhaps of a multiple-choice question."""
    if not re.fullmatch(r"\(?[AB]\)?", match["side"]) or not match[0].lower().endswith("best"):
        return False
    return bool(re.match(r"\s+(?:choice|option|answer)", tail)) or bool(OPTION_LETTER.search(text))


_Region = tuple[int, int, frozenset[str]]


def _regions(text: str) -> list[_Region]:
    """The parts of the text that hold a verdict's words at all, with what stands around them in their sentence; and which."""
    small = text.lower()
    if len(small) != len(text):
        small = text  # a letter that is longer when small: positions would move
    regions: list[_Region] = []
    for word in PREDICATE.finditer(small):
        low, high = max(0, word.start() - _REACH), min(len(text), word.end() + _REACH_BEHIND)
        low = max(low, text.rfind("\n", low, word.start()) + 1, text.rfind(". ", low, word.start()) + 1)
        kind = frozenset((word.lastgroup or "",))
        if regions and low <= regions[-1][1]:
            regions[-1] = (regions[-1][0], high, regions[-1][2] | kind)
        else:
            regions.append((low, high, kind))
    return regions


def _matches(words: tuple[re.Pattern[str], frozenset[str]], text: str, regions: list[_Region]) -> list[re.Match[str]]:
    """The matches of a pattern inside the regions that hold what it needs; of very many the last ones."""
    pattern, needs = words
    return [match for low, high, kinds in regions if kinds & needs for match in pattern.finditer(text, low, high)][-_MOST:]


def _found(text: str) -> Iterator[tuple[int, int, int]]:
    """(start, end, side) of each sound statement."""
    regions = _regions(text)
    if not regions:
        return
    for words in FOR_ONE:
        for match in _matches(words, text, regions):
            side = side_of(match["side"])
            tail = TAIL.match(text, match.end())
            if not side or not tail or not _plain_bare(text, match):
                continue
            others = [side_of(named) for named in (tail["other"], tail["object"]) if named]
            if words[0] is IS_BETTER and _maybe_option(text, match, tail[0]):
                continue
            if any(other == side for other in others) or (tail["object"] and words[0] is not WINS):
                continue
            if _sound(text, match.start(), match.end()):
                yield match.start(), match.end(), side
    for match in _matches(AGAINST_ONE, text, regions):
        side = side_of(match["side"] or match["side2"])
        other = re.match(SIDE, text[match.end() : match.end() + 60])
        if (
            other
            and side_of(other[0]) == -side
            and re.match(TAIL, text[match.end() + other.end() : match.end() + other.end() + 100])
            and _sound(text, match.start(), match.end())
        ):
            yield match.start(), match.end(), -side
    for match in _matches(FOR_NEITHER, text, regions):
        if TAIL.match(text, match.end()) and _sound(text, match.start(), match.end()):
            yield match.start(), match.end(), 0


def statements(text: str, _numbers: bool = False) -> list[Candidate]:
    """The judge's statements of a verdict, in the order of the text (answer without thinking, signs unified)."""
    offset = max(0, len(text) - _SCOPE)
    scope = text[offset:]
    view, places = _without_emphasis(scope)
    found = []
    for start, end, side in _found(view):
        before = view[_sentence_start(view, start) : start]
        tail = view[end : end + 14]
        final = bool(CONCLUDING.search(before)) or bool(re.match(r"\W*overall\b", tail, re.I))
        found.append(
            Candidate(offset + places(start), offset + places(end), Label(Verdict(side), None, True), 1, "rule: statement", final)
        )
    for match in list(SIGN.finditer(view))[-_MOST:]:
        label = _signed(view, match)
        if label:
            found.append(
                Candidate(
                    offset + places(match.start()),
                    offset + places(match.end()),
                    label,
                    1,
                    "rule: sign in a concluding sentence",
                    True,
                )
            )
    return sorted(found, key=lambda one: one.start)


def _signed(text: str, match: re.Match[str]) -> Label | None:
    """`Overall, A > B.`: only in a concluding sentence that says nothing else; or `A > B is my verdict`."""
    before = text[_sentence_start(text, match.start()) : match.start()]
    mine = _IS_MINE.match(text, match.end())
    if match["left"] == match["right"] or not (
        mine
        or (
            (CONCLUDING.search(before) or CHOOSES.search(before))
            and re.match(r"\s*(?:[.!,;(]|$|\n)", text[match.end() : match.end() + 3])
        )
    ):
        return None
    if not _sound(text, match.start(), match.end()) or len(before.split()) > 12:
        return None
    sign = match["op"]
    if sign[0] == "=":
        return Label(Verdict.TIE, None)
    side = (-1 if match["left"] == "A" else 1) * (1 if sign[0] == ">" else -1)
    return Label(Verdict(side * len(sign)), len(sign))


class _Places:
    """Positions of a text with its emphasis taken out, in the text itself."""

    def __init__(self, cuts: list[int]) -> None:
        self._cuts = cuts  # positions in the shortened text at which two characters are missing

    def __call__(self, position: int) -> int:
        return position + 2 * bisect_right(self._cuts, position)


def _without_emphasis(text: str) -> tuple[str, _Places]:
    cuts = [match.start() - 2 * number for number, match in enumerate(_EMPHASIS.finditer(text))]
    return _EMPHASIS.sub("", text) if cuts else text, _Places(cuts)


def is_statement(sentence: str) -> bool:
    """Whether a sentence says a verdict and nothing else."""
    view = " ".join(sentence.replace("**", "").split())
    if len(view) > _LONGEST_STATEMENT:  # it says something else too, and most lines do
        return False
    for start, end, _ in _found(view):
        tail = TAIL.match(view, end)
        rest = view[tail.end() :] if tail else view[end:]
        if not rest.strip(" .!)\"'") and len(view[:start].split()) <= 8:
            return True
    return False
