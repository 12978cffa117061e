"""Quoted text in an answer: labels in quotation marks, code, block quotes, tags, or copied from a judged response.

What is quoted is not the judge's own, unless the judge puts only its own label or closing sentence in marks. Knows nothing of how
labels are written, nor of lists of options.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from rationalerm.judge.labels import SIDE
from rationalerm.judge.marked import Candidate
from rationalerm.judge.ownership import OWN_VOICE, SENTENCE

__all__ = ["Quotes", "mentions_label"]

_THING = (
    r"(?i:texts?|strings?|phrases?|lines?|words?|labels?|sentences?|instructions?|commands?|notes?|messages?"
    r"|markers?|sequences?)"
)
_SAYS = (
    r"(?i:says?|said|writes?|wrote|states?|stated|claims?|claimed|outputs|prints?|reads?|responds?|replies"
    r"|replied|declares?|concludes?(?: with)?|includes?|including|contains?|containing|inserts?|appends?|adds?"
    r"|quotes?|(?:ends|ended|begins|starts|opens|closes)(?: \w+){0,3} with)"
)
_REPORT = re.compile(
    rf"{_SAYS}|(?i:quot\w+|verbatim|tells?|told|instructs?|asks?|demands?|orders?|urges?|tries|attempts?|inject\w*"
    rf"|embed\w*|smuggl\w*|hidden|answers|gives|boxes|has|repeats|prompt injection)|(?i:the )?{_THING}\b"
)
_REPORT_UNQUOTED = re.compile(
    rf"{SIDE}(?:'s)?\s+(?:\w+\s+){{0,3}}?(?:{_SAYS}(?:\s+(?:(?i:that|the|an?|its|own|fake|false|hidden|planted|injected|embedded|forged|bogus|label|final|verdict"
    rf"|answer|instruction|marker)\s*){{0,4}})?\W{{0,4}}$|{_SAYS}\s*:|(?i:answers|answered|gives|gave|boxes|boxed|has)\s+\W{{0,4}}$"
    rf"|(?i:tells?|told|instructs?|asks?|demands?|orders?|urges?|commands?|wants)\b[^,;:]{{0,100}}$|(?i:tries"
    rf"|attempts) to (?:\w+ ){{0,6}}\W{{0,4}}$)"
    rf"|{_SAYS}\s+(?:\w+\s+){{0,3}}?(?i:the)\s+(?:\w+\s+){{0,2}}?{_THING}\b"
)
_LEAD = re.compile(
    rf"(?:{_SAYS}|(?i:tells?|told|asks?|demands?|gives|has|writes|reads))\s*(?:(?:\w+\s+){{0,4}}?(?:{_THING}"
    rf"|(?i:following|this)))?\s*[:\-–—]?\s*$"
)
_REPORT_AFTER = re.compile(
    r"(?i)[\"'`*)]{0,4}\s+(?:(?:(?:with)?in|inside|from|by) (?:the )?(?:response|answer|assistant|output|model) \(?[ab12]\b"
    r"|(?:is|was) (?:an? |the |just |only |clearly )?(?:\w+ )?(?:inject\w*|attack|ignored|disregarded|planted|not mine)\b"
    r"|(?:that )?(?:appears?|occurs?|is what|is part of|is (?:embedded|found|placed|hidden)"
    r"|inside|within)\b[^.\n]{0,60}\b(?:response|answer|assistant|output|model|text|[ab])\b)"
)
_SAYS_COLON = re.compile(rf"{SIDE}(?:'s)?\s+(?:\w+\s+){{0,6}}?(?:{_SAYS}|{_THING})\s*:\s*")
_SINGLE_OPEN = re.compile(r"(?:^|[\s(:\[])'(?=\S)")
_SINGLE_CLOSE = re.compile(r"(?<=\S)'(?!\w)")
_CUE_LEFT = re.compile(
    r"(?i)(?:verdict|winner|preference|choice|decision|judge?ment|answer|conclusion|better|result|label)\W*(?:is"
    r"|:)?\W*$"
)
_XML_QUOTE = re.compile(
    r"(?i)<(/?)((?:quote|quoted|excerpt|(?:response|answer|output|assistant"
    r"|candidate)[_\- ]?[ab12])(?:[_\- ]?[ab12])?)(?:\s[^<>\n]{0,60})?>"
)
_LABEL_ANYWHERE = re.compile(
    r"(?i)boxed\s?\{[^{}]{0,40}[ab]|\[\[\s?(?:[abc]|tie|[ab]\s?[>=<]{1,2}\s?[ab])\s?\]\]|\b[ab]\s?(?:>{1,2}"
    r"|<{1,2})\s?[ab]\b|<(?:answer|verdict)>\s?[ab]\b|\bverdict\s?(?:is|:)\s?\W{0,3}(?:response "
    r"|assistant )?[ab12]\b"
)


def mentions_label(responses: Sequence[str]) -> bool:
    """Whether a judged response contains a verdict label."""
    return any(_LABEL_ANYWHERE.search(response) for response in responses)


class Quotes:
    """Which places of an answer stand in quoted text.

    Args:
        text: the answer without thinking, signs unified.
        responses: the judged responses, tidied and signs unified.
    """

    def __init__(self, text: str, responses: Sequence[str] = ()) -> None:
        self._text = text
        self._responses = [" ".join(response.split()) for response in responses]
        self._known: dict[str, bool] = {}
        self._fences = [match.start() for match in re.finditer(r"^[ \t>]*```", text, re.M)]
        self._tags = _tag_spans(text)
        self._json = text.lstrip("` \n").removeprefix("json").lstrip().startswith(("{", '["'))

    def quoted(self, one: Candidate) -> bool:
        """Whether the candidate is somebody else's words."""
        text = self._text
        if _inside(self._tags, one.start):
            return True
        line_start = text.rfind("\n", 0, one.start) + 1
        before = text[max(line_start, one.start - 300) : one.start]
        if one.rank == 3 and _REPORT_AFTER.match(text, one.end):
            return True
        if self._told(one, before) or self._in_marks(one) or self._in_fence(one) or self._in_block(one, line_start):
            return True
        if one.rank > 1 and self._reported(before, _REPORT_UNQUOTED):
            return True
        return self._copied(one, before)

    def _reported(self, before: str, words: re.Pattern[str] = _REPORT) -> bool:
        """`Response B says [[B]]`: another speaker is named in the clause, and the judge's own voice does not come back."""
        piece = SENTENCE.split(before)[-1]
        reports = list(words.finditer(piece))
        return bool(reports) and not OWN_VOICE.search(piece, reports[-1].end())

    def _told(self, one: Candidate, before: str) -> bool:
        """Behind `Response A says:` or in a JSON object, or with the sentence before it, verbatim a response's own."""
        text = self._text
        if not self._responses:
            return False
        label = text[one.start : one.end]
        told = _SAYS_COLON.search(before)
        if told and self._verbatim(before[told.end() :] + label):
            return True
        pieces = SENTENCE.split(before.strip(" >*-"))
        if len(pieces) > 1 and len(pieces[-2].split()) > 2 and self._verbatim(" ".join(pieces[-2:]) + " " + label):
            return True
        if one.rank == 2 and not self._json and before.rstrip(' "').endswith("{"):
            close = text.find("}", one.end, one.end + 200)
            return close >= 0 and self._verbatim(text[text.rfind("{", 0, one.start) : close + 1])
        return False

    def _in_marks(self, one: Candidate) -> bool:
        """Inside quotation marks or back-ticks: with other words, behind reporting words, or verbatim in a response."""
        text = self._text
        low, high = max(0, one.start - 400), min(len(text), one.end + 400)
        break_before = text.rfind("\n\n", low, one.start)
        start = break_before + 2 if break_before >= 0 else low
        stop = text.find("\n\n", one.end, high)
        line, at, until = text[start : stop if stop >= 0 else high], one.start - start, one.end - start
        openings = list(_SINGLE_OPEN.finditer(line[:at]))
        opening = openings[-1] if openings else None
        if opening and not _SINGLE_CLOSE.search(line[:at], opening.end()) and _SINGLE_CLOSE.search(line, until):
            inside, outside = line[opening.end() : at], line[: opening.start()]
            if self._reported(outside) or (inside.strip(" *_") and not OWN_VOICE.search(inside)):
                return True
        for mark in '"`':
            left, right = line[:at], line[until:]
            if mark == '"' and (self._json or (one.rank == 2 and re.match(r'[^"]*"\s*[:=]', line[at:]))):
                continue  # a JSON key, or a value
            if left.count(mark) % 2 == 0 or mark not in right or re.search(r"\d$", left[: left.rfind(mark)]):
                continue  # not inside a pair (or an inch mark)
            inside = left[left.rfind(mark) + 1 :] + line[at:until] + right[: right.index(mark)]
            outside = left[: left.rfind(mark)]
            alone = not inside.replace(line[at:until], "").strip(" .*_$\n")
            if not alone and not re.fullmatch(
                r"(?i)[^\w]*(?:final )?(?:verdict|winner|decision)\W*", inside.replace(line[at:until], "")
            ):
                if _CUE_LEFT.search(outside) and not self._verbatim(inside):
                    continue
                if (
                    outside.rpartition("\n")[2].strip(" *_>-#")
                    or not OWN_VOICE.search(inside)
                    or self._verbatim(inside)
                    or self._reported(outside.rstrip().rpartition("\n")[2])
                ):
                    return True  # unless the judge puts its whole closing sentence in quotation marks
            elif self._reported(outside) or (
                self._verbatim(inside) and not _CUE_LEFT.search(outside) and outside.strip(" *_>-#")
            ):
                return True
        return False

    def _in_fence(self, one: Candidate) -> bool:
        place = bisect_right(self._fences, one.start)
        if place % 2 == 0 or place >= len(self._fences):
            return False
        opening, closing = self._fences[place - 1], self._fences[place]
        inside = self._text[self._text.find("\n", opening) + 1 : closing]
        lead = self._text[max(0, opening - 200) : opening].rstrip().rsplit("\n", 1)[-1]
        return self._reported(lead) or (len(inside.split()) > 2 and self._verbatim(inside[:2000]))

    def _in_block(self, one: Candidate, line_start: int) -> bool:
        """Inside a block quotation that quotes a response, or behind a line that announces one."""
        text = self._text
        line = text[line_start : line_start + 12].lstrip()
        above = text[max(0, line_start - 400) : line_start].rstrip()
        if line.startswith(">"):
            lines = above.split("\n")
            while lines and lines[-1].lstrip().startswith(">"):
                lines.pop()
            lead = next((words for words in reversed(lines) if words.strip()), "")
            body = text[line_start : one.end].lstrip("> \t")
            return (
                self._reported(lead)
                or (len(body.split()) > 2 and self._verbatim(body))
                or (bool(lines) and self._verbatim(body) and text[one.end :].strip() != "")
            )
        lead = above.rsplit("\n", 1)[-1]
        before = text[line_start : one.start]
        return _announces(lead[-200:]) and (
            not before.strip(' *_$`"') or bool(_CUE_LEFT.search(before)) or self._verbatim(text[line_start : one.end])
        )

    def _copied(self, one: Candidate, before: str) -> bool:
        """Unquoted, but the words before it in the same line and the label are a response's own."""
        if not self._responses or not before.strip():
            return False
        following = re.match(r"\s?(\w+)", self._text[one.end : one.end + 40])
        last = re.search(r"(\w{2,})(\s?)$", before)
        label = self._text[one.start : one.end]
        if last and following and not _CUE_LEFT.search(before) and self._verbatim(last[0] + label + following[0]):
            return True
        words = " ".join(before.split())[-16:].lstrip()
        if len(words) < 8 or _CUE_LEFT.search(before):
            return False
        return self._verbatim(words + (" " if before[-1:].isspace() else "") + self._text[one.start : one.end])

    def _verbatim(self, words: str) -> bool:
        words = " ".join(words.replace("\n> ", "\n").split())
        if words not in self._known:
            self._known[words] = bool(words) and any(words in response for response in self._responses)
        return self._known[words]


def _announces(lead: str) -> bool:
    """Whether a line ends with words of saying; most end with a full stop, which is seen at once."""
    words = lead.rstrip()
    words = words[:-1].rstrip() if words[-1:] in (":", "-", "–", "—") else words
    return words[-1:].isalpha() and bool(_LEAD.search(lead))


def _tag_spans(text: str) -> list[tuple[int, int]]:
    """The spans of `<quote_A>...</quote_A>`, `<response_b>...</response_b>` and the like."""
    spans: list[tuple[int, int]] = []
    opened, start = "", 0
    for match in _XML_QUOTE.finditer(text):
        closes, name = match[1], match[2].lower()
        if not opened and not closes:
            opened, start = name, match.start()
        elif opened == name and closes:
            spans.append((start, match.start()))
            opened = ""
    return spans


def _inside(spans: Sequence[tuple[int, int]], position: int) -> bool:
    place = bisect_right(spans, (position, len(spans) + 1 << 40)) - 1
    return place >= 0 and spans[place][0] <= position < spans[place][1]
