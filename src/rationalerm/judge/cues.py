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
_ABROAD = (
    r"判断|结论|判决|裁决|判定|結論|勝者|胜者|获胜者|판정|판결|승자|Urteil|Fazit|Gewinner|veredicto"
    r"|ganador|gagnant|veredito|vencedor|verdetto|vincitore|вердикт|победитель|итог"
)
_KEY = re.compile(
    rf"(?i)\b(?:(final|overall|ultimate)[ _\-]?)?(?<![a-z])({CUE})({_NOUN})?(?![a-z])"
    rf"|(最终|最終|최종 ?)?(?<![a-z])({_ABROAD})(?![a-z])"
)
_CONNECT = re.compile(
    r"(?i)(?:\s?\((?:overall|final|[^()\n]{0,80}(?:[>=/|]|\bor\b|\bby\b)[^()\n]{0,80})\))?[*_\"'`#]{0,6}\s{0,4}"
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
_CRITERION = re.compile(r"[\s#*\-•>|\d.)(]*([A-Za-z][\w /&-]{1,40}?)[\s*_]+$")
_NO_CRITERION = re.compile(
    r"(?i)\b(?:my|the|final|overall|clear|our|your|this|total|general|combined|pairwise|judge|ultimate|so|thus|therefore|hence|is"
    r"|and|a|an|correction|revised|corrected|updated|new)\b"
)
_VALUE_END = re.compile(r"[\"']\s*[,}]")
_ONLY_NAME = re.compile(r"(?i)\w+ \(?[ab12]\)?")
_WHICH = re.compile(
    r"(?i)\b(?:which|who)\b[^.!?\n]{0,60}\b(?:best|better|prefer\w*|wins?|winner|stronger|superior)\b[^.!?\n]{0,60}\?\W*$"
)
_EXPLAINS = re.compile(r"(?i)\s*\W{0,6}(?:reason|rationale|explanation|justification)")
_FENCE_TAIL = re.compile(r"\n[ \t]*```$")
_MOST = 1500


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
            if (key[2] or "").lower() in ("answer", "choice", "result", "selected", "chosen", "best", "conclusion") and options:
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
    word, noun = (key[2] or key[5]).lower(), key[3]
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
    if label.bare and "[[" in connect[0] and "]" not in line:
        return None  # cut off inside its brackets
    final = bool(key[1] or key[4]) or (noun or "").strip().lower() == "overall"
    criterion = _CRITERION.match(before) if not in_words and not final else None
    of = criterion[1].lower() if criterion and not _NO_CRITERION.search(criterion[1]) else ""
    return Candidate(key.start(), connect.end() + _extent(line), label, 2, f"rule: cue {word}", final, of)


def _extent(line: str) -> int:
    """How much of the line the label takes (up to its first clause end)."""
    end = re.search(r"[\s]*[.;,:(\n]|\s[-–—]", line)
    return end.start() if end else len(line)


def _alone(text: str, numbers: bool) -> Candidate | None:
    """A label that is the whole answer, the whole last line, or the first line before an explanation."""
    lines = _FENCE_TAIL.sub("", text.strip()).strip().split("\n", 1)
    last = lines[-1].rsplit("\n", 1)[-1]
    if len(lines) == 1:
        return _line_label(text, text.rfind(last), last, numbers, "whole answer") if last else None
    found = _line_label(text, text.rfind(last), last, numbers, "last line")
    if found is None and _stands_apart(text, last):
        found = _line_label(text, text.rfind(last), last, numbers, "last line", lone=True)
    if found is None and len(lines[0]) <= 80:
        lone = _opens(lines[0], lines[1])
        found = _line_label(text, text.find(lines[0]), lines[0], numbers, "first line", lone=lone)
    return found


def _line_label(text: str, start: int, line: str, numbers: bool, place: str, lone: bool = False) -> Candidate | None:
    """The label that fills a line. A lone letter counts where it is the whole answer, or where the caller says so."""
    if len(line) > 80 or "[[" in line or "boxed" in line:
        return None
    words = line.strip(" \t*_#>`\"'.$()[]{}")
    whole = place == "whole answer"
    if not ((whole or lone) and _LONE.fullmatch(words)):
        match = _LABELLED.fullmatch(words)
        if not match or (place == "first line" and _ONLY_NAME.fullmatch(words)):
            return None
    label = read_label(words, numbers, lower=whole or lone)
    return Candidate(start, start + len(line), label, 2, f"rule: {place}") if label else None


def _stands_apart(text: str, last: str) -> bool:
    """Whether a last line that is only a letter is the verdict: behind a blank line, or behind the question which is better."""
    if len(last) > 12:
        return False
    before = text[: text.rfind(last)].rstrip(" \t")
    line = before.rstrip().rsplit("\n", 1)[-1][-200:]
    if _WHICH.search(line):
        return True
    word = last.strip(" *_`\"'.()")
    blank = before.endswith(("\n\n", "\n \n"))
    return word in ("A", "B") and blank and not line.rstrip(" *_").endswith((":", "=")) and not OPTION_LETTER.search(text)


def _opens(first: str, rest: str) -> bool:
    """Whether a first line that is only a letter or number is the verdict of what follows: no title of a section."""
    word = first.strip(" *_#`\"'.()")
    if word in ("1", "2"):
        return bool(_EXPLAINS.match(rest))
    return (
        word in ("A", "B")
        and rest.startswith(("\n", " \n"))
        and not re.search(rf"(?m)^[^\w\n]{{0,8}}{'B' if word == 'A' else 'A'}[^\w\n]{{0,8}}$", rest)
    )
