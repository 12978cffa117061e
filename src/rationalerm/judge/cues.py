"""Labels behind a cue: `Final verdict: B>A`, `Winner: Response A`, a heading `### Verdict`, `"winner": "B"` in JSON; and an
answer that is only a label.

Knows nothing of markers or prose statements; whose label it is, is for `ownership`.
"""

from __future__ import annotations

import re

from rationalerm.judge.labels import OPTION_LETTER, SIDE, read_label
from rationalerm.judge.marked import Candidate

__all__ = ["CUE", "cue_labels"]

CUE = (
    r"(?:verdict|winner|preference|preferred|choice|decision|judge?ment|conclusion|ruling|better|best|selection|selected|chosen"
    r"|pick|vote|answer|result|assessment|evaluation|ranking|recommendation|label|overall(?= ?\**:))"
)
_NOUN = (
    r"(?:[ _\-]?(?:response|answer|output|assistant|model|candidate|option|one|choice|summary|chatbot|verdict"
    r"|decision|label|overall|side))"
)
_KEY = re.compile(rf"(?i)\b(?:(final|overall|ultimate)[ _\-]?)?(?<![a-z])({CUE})({_NOUN})?(?![a-z])")
_CONNECT = re.compile(
    r"(?i)(?:\s?\((?:overall|final)\))?[*_\"'`#]{0,6}\s{0,4}"
    r"(?P<sign>:|=>|=|-+>|→|\s-{1,2}\s|–|—|is\b|was\b|goes to\b|(?:would|should|must) be\b|\n)"
    r"(?:[\s:*_\"'`$>#-]|\\[(\[]){0,12}(?:(?:is|that|for|in favou?r of|to|as follows:?|the following:?"
    r"|clear(?:ly)?)\b[\s:*_\"'`$]{0,6})?"
    r"(?:[(\[{<]{0,3}(?=[AB12]\s?[>=<])|\[{0,2}|\(?(?=[AB]\b))"
)
_OTHERS = re.compile(
    r"(?i)\b(?:correct|right|expected|gold|golden|reference|true|ground[- ]truth|human|annotators?'?|users?'?s?"
    r"|their|his|her|its|whose|each|either|no|not|possible|example)\s+(?:final\s+)?$"
)
_OWNER = re.compile(rf"(?:{SIDE}(?:'s)?)\s+(?i:final\s+|overall\s+)?$")
_NAME = (
    r"(?:(?:(?i:the )?(?i:response|assistant|answer|output|model|chatbot|summary|candidate|system) )?\(?(?:[AB12]"
    r"|(?<=\()[ab]|(?<= )[ab])\)?)"
)
_LABELLED = re.compile(
    rf"{_NAME}\s?(?:>{{1,2}}|<{{1,2}}|={{1,2}})\s?{_NAME}|(?i:(?:response|assistant|output|chatbot"
    rf"|model) \(?[ab12]\)?|(?:it'?s )?a?\s?(?:tie|draw))"
)
_LONE = re.compile(
    r"(?i)[ab12]|answer [ab12]|(?:response|assistant|output|chatbot|model"
    r"|answer) \(?[ab12]\)? (?:is (?:\w+ )?better|wins)"
)
_VALUE_END = re.compile(r"[\"']\s*[,}]")
_MOST = 3000


def cue_labels(text: str, numbers: bool) -> list[Candidate]:
    """The labels behind cues, in the order of the text; else the label that is the whole answer, or its last line.

    Args:
        text: the answer without thinking, signs unified.
        numbers: whether a lone 1 or 2 is a side.
    """
    found = []
    options: bool | None = None
    for key in list(_KEY.finditer(text))[-_MOST:]:
        candidate = _behind(text, key, numbers)
        if not candidate:
            continue
        if candidate.label.bare and _lone_letter(text[candidate.start : candidate.end]):
            if options is None:
                options = bool(OPTION_LETTER.search(text))
            if key[2].lower() in ("answer", "choice", "result", "selected", "chosen", "best", "conclusion") and options:
                continue  # may be the judge's own answer to a multiple-choice question
        found.append(candidate)
    alone = _alone(text, numbers)
    if alone and not any(one.start <= alone.start < one.end for one in found):
        found.append(alone)
    return found


def _lone_letter(words: str) -> bool:
    return bool(re.search(r"(?:^|[^A-Za-z ]|is |was )\s*\W*[AB]\W*$", words)) and not re.search(
        r"(?i)(?:response|assistant|output|model|better)\W*[ab]\W*$", words
    )


def _behind(text: str, key: re.Match[str], numbers: bool) -> Candidate | None:
    connect = _CONNECT.match(text, key.end())
    if not connect:
        return None
    word, noun = key[2].lower(), key[3]
    sign = connect["sign"].strip().lower()
    before = text[max(0, key.start() - 60) : key.start()].rsplit("\n", 1)[-1]
    if not sign and not re.fullmatch(r"[\s#*>\d.)]*(?:\w+\s){0,3}", before + ""):
        return None  # a line break connects only behind a heading
    in_words = sign in ("is", "was", "goes to", "would be", "should be", "must be")
    if in_words and word in ("better", "best", "selected", "preferred", "chosen", "label") and not noun:
        return None
    if in_words and word == "best" and (noun or "").strip().lower() in ("answer", "option", "choice"):
        return None  # of a multiple-choice question, maybe
    if (
        in_words
        and word in ("answer", "result", "conclusion", "evaluation", "assessment")
        and not (key[1] or re.search(r"(?i)\bmy\s+$", before))
    ):
        return None
    rest = text[connect.end() : connect.end() + 200]
    line = _VALUE_END.split(rest.split("\n", 1)[0], maxsplit=1)[0]
    if not line.strip() or line.startswith(("\\boxed", "[[")):
        return None
    counted = numbers or bool(noun and noun.strip(" _-").lower() not in ("overall", "verdict", "decision", "label", "side"))
    label = read_label(line, counted, lower=bool(re.match(r"[ab]\W*$", line)) and not in_words, loose=True)
    if (
        not label
        or (_OTHERS.search(before) and not re.search(r"(?i)\b(?:response|assistant|output)\b", line[:30]))
        or _OWNER.search(before)
    ):
        return None
    final = bool(key[1]) or (noun or "").strip().lower() == "overall"
    return Candidate(key.start(), connect.end() + _extent(line), label, 2, f"rule: cue {word}", final)


def _extent(line: str) -> int:
    """How much of the line the label takes (up to its first clause end)."""
    end = re.search(r"[\s]*[.;,:(\n]|\s[-–—]", line)
    return end.start() if end else len(line)


def _alone(text: str, numbers: bool) -> Candidate | None:
    """A label that is the whole answer; or, if it holds a sign or a noun, the whole last line."""
    stripped = text.strip()
    tail = stripped.rsplit("\n", 1)[-1] if stripped else ""
    if not tail or len(tail) > 80:
        return None
    whole = len(tail) == len(stripped)
    words = tail.strip(" \t*_#>`\"'.$()[]{}")
    if "[[" in tail or "boxed" in tail or not (_LABELLED.fullmatch(words) or (whole and _LONE.fullmatch(words))):
        return None
    label = read_label(words, numbers, lower=whole)
    if not label:
        return None
    start = text.rfind(tail)
    return Candidate(start, start + len(tail), label, 2, "rule: whole answer" if whole else "rule: last line")
