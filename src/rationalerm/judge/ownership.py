"""Whose label is it? Labels that belong to a list of options, to a condition, or to quoted text are not the judge's own.

Knows nothing of how labels are written, nor of reasons.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from rationalerm.judge.labels import SIDE
from rationalerm.judge.marked import Candidate

__all__ = ["Quotes", "drop_options", "mentions_label"]

_SENTENCE = re.compile(r"(?<=[.!?。！？])[\"')\]*]{0,2}\s|\n")
_TURN = re.compile(r"(?i)[;—]|\b(?:but|so|therefore|hence|thus|however|finally|instead|then my|my (?:final )?verdict|final verdict|my answer|i (?:choose|pick|select|conclude|decide|go with|output))\b")
_CONDITION_AFTER = re.compile(r"(?i)[\s\"'`*_.,:)$]{0,6}(?:\(\s?)?(?:if|when(?:ever)?|in case|should (?:it|they|both|response|assistant)|means?|indicat\w+|denot\w+|stands? for|represents?|for (?:an? )?(?:tie|draw|equal)|only if|unless|would (?:mean|be|have)|(?:is|are) (?:used|reserved|only|allowed|valid|for))\b")
_CONDITION_BEFORE = re.compile(
    r"(?i)(?<!even )\bif\b[^.;]{0,160}?\b(?:say|output|write|answer|use|respond|reply|print|return|put|give|given|then|verdict|select|pick|choose|better|wins|equal|tie|tied|were|had|would)\b"
    r"|\b(?:had|were)\s+(?:it|they|the|response|assistant|output|answer|model|[ab]\b)[^.;]{0,120}\bwould\b"
    r"|\b(?:otherwise,?\s+(?:i|it|the|my|say|answer|output|give|use|would)|would have|should have|could have|might have)\b|\bwould\b[^.;]{0,60}\b(?:only|if)\b"
    r"|\b(?:told|asked|instructed|supposed|required|allowed|permitted|expected|invited|trying|attempt\w*|tr(?:y|ies)) (?:me )?to\b|\b(?:must|should|need to|have to|can|may) (?:either )?(?:end|answer|output|respond|finish|reply|say|choose|pick|be one|return|print|write)\b"
    r"|\bone of\b|\beither\b|\b(?:choose|pick|select|decide|hesitat\w*|torn|waver\w*) (?:from|between|among)\b|\bbetween\b\W*$|\b(?:such as|for example|e\.g\.|for instance|example:|options?(?: are|:)|choices(?: are|:)|legend|scale\W{0,3}(?:is|was|runs|goes|:|=)|labels(?: are|:)|possible \w+|allowed \w+|valid \w+)"
)
_NOT_BEFORE = re.compile(r"(?i)(?:\bnot|n't|\bnever|\bnor|\brather than|\binstead of|\bneither|\bagainst|\bcannot|\bno)[\s*_\"'`$]{1,6}(?:an? |the |say |saying |give |giving |choose |output |outputting |pick |be |quite |as |justify |deserve |use |it's |is |go |write ){0,3}[\s*_\"'`$\\(]{0,6}$")
_OR_BEFORE = re.compile(r"(?i)(?:\bor|[/|])\W{0,4}$")
_OR_AFTER = re.compile(r"[^\w<]{0,4}(?:(?i:\bor\b)|[/|](?!\s*$))\W{0,6}(?:\\*boxed|\[\[|<(?!/)|[AB12(]|(?i:tie\b|response|assistant))")
_LISTED = re.compile(r"(?i)[\s,/|*`\"'$]{0,6}(?:\b(?:or|and)\b)?[\s*`\"'$]{0,6}")
_THING = r"(?i:texts?|strings?|phrases?|lines?|words?|labels?|sentences?|instructions?|commands?|notes?|messages?|markers?|sequences?)"
_SAYS = r"(?i:says?|said|writes?|wrote|states?|stated|claims?|claimed|outputs?|prints?|reads?|responds?|replies|replied|declares?|concludes?(?: with)?|includes?|including|contains?|containing|inserts?|appends?|adds?|quotes?|(?:ends|ended|begins|starts|opens|closes)(?: \w+){0,3} with)"
_REPORT = re.compile(rf"{_SAYS}|(?i:quot\w+|verbatim|tells?|told|instructs?|asks?|demands?|orders?|urges?|tries|attempts?|inject\w*|embed\w*|smuggl\w*|hidden|answers|gives|boxes|has|repeats|prompt injection)|(?i:the )?{_THING}\b")
_REPORT_UNQUOTED = re.compile(
    rf"{SIDE}(?:'s)?\s+(?:\w+\s+){{0,3}}?(?:{_SAYS}(?:\s+(?:(?i:that|the|a|its|own|label|final|verdict|answer)\s*){{0,3}})?\W{{0,4}}$|{_SAYS}\s*:|(?i:answers|answered|gives|gave|boxes|boxed|has)\s+\W{{0,4}}$"
    rf"|(?i:tells?|told|instructs?|asks?|demands?|orders?|urges?|commands?|wants)\b[^,;:]{{0,100}}$|(?i:tries|attempts) to (?:\w+ ){{0,6}}\W{{0,4}}$)"
    rf"|{_SAYS}\s+(?:\w+\s+){{0,3}}?(?i:the)\s+(?:\w+\s+){{0,2}}?{_THING}\b"
)
_OWN_VOICE = re.compile(r"(?i)\b(?:verdict|i (?:choose|pick|prefer|select|conclude|judge|decide|rate|go with|would|say)|my\b|therefore|thus|hence|so\b|overall|winner|in conclusion|final(?:ly)?|decision|preference|is (?:\w+ )?better)")
_CUE_LEFT = re.compile(r"(?i)(?:verdict|winner|preference|choice|decision|judge?ment|answer|conclusion|better|result|label)\W*(?:is|:)?\W*$")
_XML_QUOTE = re.compile(r"(?i)<(/?)((?:quote|quoted|excerpt|(?:response|answer|output|assistant|candidate)[_\- ]?[ab12])(?:[_\- ]?[ab12])?)(?:\s[^<>\n]{0,60})?>")
_LABEL_ANYWHERE = re.compile(r"(?i)boxed\s?\{[^{}]{0,40}[ab]|\[\[\s?(?:[abc]|tie|[ab]\s?[>=<]{1,2}\s?[ab])\s?\]\]|\b[ab]\s?(?:>{1,2}|<{1,2})\s?[ab]\b|<(?:answer|verdict)>\s?[ab]\b|\bverdict\s?(?:is|:)\s?\W{0,3}(?:response |assistant )?[ab12]\b")
_NEAR = 80


def mentions_label(responses: Sequence[str]) -> bool:
    """Whether a judged response contains a verdict label."""
    return any(_LABEL_ANYWHERE.search(response) for response in responses)


def _clause_before(text: str, start: int, since: int) -> str:
    low = max(since, start - 260)
    window = text[low:start]
    line = window.rpartition("\n")
    if line[1] and not line[2].strip(" *_\"'`>#$[({-") and line[0].rstrip(" *_\"'`")[-1:] in (".", "!", "?", ""):
        return ""  # alone on its line, behind a finished sentence
    cut = 0
    for match in _SENTENCE.finditer(window):
        if window[match.end() :].strip(" *_\"'`>#$[({-"):
            cut = match.end()
    window = window[cut:]
    for match in _TURN.finditer(window):
        cut_turn = match.end() if match[0][0] in ";—" or match[0].lower() in ("but", "so", "therefore", "hence", "thus", "however", "finally", "instead") else match.start()
        rest = window[cut_turn:]
        if not _TURN.search(rest, 1):
            return rest
    return window


def _runs(text: str, labels: Sequence[Candidate]) -> set[int]:
    """The places of labels that stand in a list of three or more different ones."""
    options: set[int] = set()
    run: list[int] = []
    style: int | None = None

    def close() -> None:
        if len({labels[place].label for place in run}) >= 3:
            options.update(run)

    for place, label in enumerate(labels):
        if run:
            gap = text[labels[run[-1]].end : label.start]
            style_now = min(gap.count("\n"), 2)
            broken = len(gap) > _NEAR or bool(_TURN.search(gap)) or bool(_OWN_VOICE.search(gap.split("\n")[-1][-30:]) and "verdict" in gap.lower())
            if broken or "(" in gap.replace("\\(", "") and ")" not in gap or (style is not None and style_now != style):
                close()
                run, style = [], None
            else:
                style = style_now
        run.append(place)
    close()
    return options


def drop_options(text: str, candidates: Sequence[Candidate]) -> tuple[list[Candidate], bool]:
    """The candidates without lists of options and conditional labels; and whether any was dropped."""
    own: list[Candidate] = []
    options = _runs(text, candidates)
    since, previous = 0, False
    for place, one in enumerate(candidates):
        after = text[one.end : one.end + 60]
        clause = _clause_before(text, one.start, since)
        listed = place > 0 and previous and bool(_LISTED.fullmatch(text, candidates[place - 1].end, one.start))
        dropped = (
            place in options
            or listed
            or bool(_CONDITION_AFTER.match(after))
            or bool(_OR_AFTER.match(after))
            or bool(_NOT_BEFORE.search(clause))
            or (bool(_OR_BEFORE.search(text[max(0, one.start - 8) : one.start])) and place > 0 and one.start - candidates[place - 1].end < _NEAR)
            or bool(_CONDITION_BEFORE.search(clause))
        )
        previous = dropped
        if not dropped:
            own.append(one)
        since = max(since, one.end)
    return own, len(own) < len(candidates)


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
        if self._in_marks(one) or self._in_fence(one) or self._in_block(one, line_start):
            return True
        if one.rank > 1 and self._reported(before, _REPORT_UNQUOTED):
            return True
        return self._copied(one, before)

    def _reported(self, before: str, words: re.Pattern[str] = _REPORT) -> bool:
        """`Response B says [[B]]`: another speaker is named in the clause, and the judge's own voice does not come back."""
        pieces = _SENTENCE.split(before)
        report = None
        for report in words.finditer(pieces[-1]):
            pass
        return bool(report) and report is not None and not _OWN_VOICE.search(pieces[-1], report.end())

    def _in_marks(self, one: Candidate) -> bool:
        """Inside quotation marks or back-ticks: with other words, behind reporting words, or verbatim in a response."""
        text = self._text
        low, high = max(0, one.start - 400), min(len(text), one.end + 400)
        break_before = text.rfind("\n\n", low, one.start)
        start = break_before + 2 if break_before >= 0 else low
        stop = text.find("\n\n", one.end, high)
        line, at, until = text[start : stop if stop >= 0 else high], one.start - start, one.end - start
        for mark in '"`':
            left, right = line[:at], line[until:]
            if mark == '"' and (self._json or (one.rank == 2 and re.match(r'[^"]*"\s*[:=]', line[at:]))):
                continue  # a JSON key, or a value
            if left.count(mark) % 2 == 0 or mark not in right:
                continue
            inside = left[left.rfind(mark) + 1 :] + line[at:until] + right[: right.index(mark)]
            outside = left[: left.rfind(mark)]
            alone = not inside.replace(line[at:until], "").strip(" .*_$")
            if not alone and not re.fullmatch(r"(?i)[^\w]*(?:final )?(?:verdict|winner|decision)\W*", inside.replace(line[at:until], "")):
                if outside.rpartition("\n")[2].strip(" *_>-#") or not _OWN_VOICE.search(inside) or self._verbatim(inside) or self._reported(outside.rstrip().rpartition("\n")[2]):
                    return True  # unless the judge puts its whole closing sentence in quotation marks
            elif self._reported(outside) or (self._verbatim(inside) and not _CUE_LEFT.search(outside) and outside.strip(" *_>-#")):
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
            return self._reported(lead) or (len(body.split()) > 2 and self._verbatim(body)) or (bool(lines) and self._verbatim(body) and text[one.end :].strip() != "")
        lead = above.rsplit("\n", 1)[-1]
        return lead.endswith(":") and not text[line_start : one.start].strip(" *_$`\"") and self._reported(lead)

    def _copied(self, one: Candidate, before: str) -> bool:
        """Unquoted, but the words before it in the same line and the label are a response's own."""
        if not self._responses or not before.strip():
            return False
        words = " ".join(before.split())[-16:].lstrip()
        if len(words) < 8 or _CUE_LEFT.search(before):
            return False
        return self._verbatim(words + (" " if before[-1:].isspace() else "") + self._text[one.start : one.end])

    def _verbatim(self, words: str) -> bool:
        words = " ".join(words.replace("\n> ", "\n").split())
        if words not in self._known:
            self._known[words] = bool(words) and any(words in response for response in self._responses)
        return self._known[words]


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
