"""Which response a reason names, for the rule tagger: a sign in place of each mention. Knows nothing of what is said of it.

Explicit mentions are those of data/sides.py, and of things that are compared under a number ("Feedback 2", "the first message").
A bare letter is a mention by rules that are the same for A and B, so that changing the two over changes nothing else. The rules
of match/sides.py are finer; they serve scores, and this room can't see them.
"""

from __future__ import annotations

import re

from rationalerm.data.sides import side_of, sub_explicit
from rationalerm.judge.tag_words import listed

__all__ = ["MARK_A", "MARK_B", "MARK_BOTH", "marked"]

MARK_A, MARK_B, MARK_BOTH = "\ue000", "\ue001", "\ue002"
_FOUND = {-1: f" {MARK_A} ", 1: f" {MARK_B} "}
_THING = (
    r"(?:feedback|message|text|story|essay|poem|summary|translation|version|email|letter|solution|review|critique"
    r"|submission|tweet)"
)
_NUMBERED = re.compile(rf"(?i)(?<![\w-]){_THING}[ #]{{1,2}}\(?([12]|(?-i:[AB]))\)?(?![\w.,]\d|\w)")
_ORDINAL = re.compile(
    rf"(?i)(?<![\w-])(?:the )?(first|second)(?= (?:{_THING}|one)(?!\w)"
    r"| (?:is|isn't|has|only|just|also|never|gives|uses|fails|omits|lacks)(?!\w))"
)
_LETTER = re.compile(r"([AB])(?<![\w\"'“‘`«/.$\\^-][AB])(?![\w\"”`»/^*$\\-])(?!['’](?!s\b))")
_WORD_BEFORE = re.compile(r"([^\W\d_]+)[ (]$")
_NEXT = re.compile(r"\s*([^\W\d_]+(?:['’]t)?|\S)?")
# Most mentions have this form, and where they are gone most texts hold nothing that could be part of another.
_COMMON = re.compile(
    r"[ACOR](?<![\w@-].)(?:ssistant|hatbot|utput|esponse) (?:([AB12])(?!\w|[.,]\d)|\(([ABab12])\))"
    r"(?!\s*(?:,|/|&|and\b|or\b|vs|versus)\s*[(\[\"']?(?:[12ABab](?!\w)|one\b|two\b))"
)
_PARTS = (  # of any other mention in ASCII letters
    "1", "2", "A", "B", "(a)", "(b)", "[a]", "[b]", " one", " two", " One", " Two", "irst", "econd", "IRST", "ECOND", "antwo",
    "respues", "respost", "rispost", "repons",
)  # fmt: skip
_OTHER_LETTERS = re.compile("[^\x00-\x7f\ue000-\ue002]")
_MATH = frozenset("=+*^∩∪<>×·→∧∨∈|")
_ENDS = frozenset(",;:.!?)&–—'’")


def marked(text: str) -> str:
    """The text with a private-use sign for each mention.

    >>> marked("Unlike A, Response 2 cites a source; plan B is an option.").split()
    ['Unlike', '\\ue000', ',', '\\ue001', 'cites', 'a', 'source;', 'plan', 'B', 'is', 'an', 'option.']
    """
    text = _COMMON.sub(_common, text)
    if any(map(text.__contains__, _PARTS)) or _OTHER_LETTERS.search(text) is not None:
        text = sub_explicit(_explicit, text)
    if "A" in text or "B" in text:
        text = _LETTER.sub(_letter, text)
    if " 1" in text or " 2" in text or " A" in text or " B" in text:
        text = _NUMBERED.sub(lambda m: _FOUND[side_of(m[1])], text)
    if "irst " in text or "econd " in text:
        text = _ORDINAL.sub(lambda m: _FOUND[side_of(m[1])], text)
    return text


def _common(match: re.Match[str]) -> str:
    return _FOUND[-1 if (match[1] or match[2]) in "Aa1" else 1]


def _explicit(match: re.Match[str]) -> str:
    label = match["ordinal"] or match["cjk"]
    if label:
        return _FOUND[side_of(label)]
    return f" {MARK_BOTH} " if match["label2"] else _FOUND[side_of(match["label"])]


def _letter(match: re.Match[str]) -> str:
    return _FOUND[-1 if match[1] == "A" else 1] if _is_side(match) else match[0]


def _is_side(match: re.Match[str]) -> bool:
    """Whether a bare capital A or B names a response."""
    text, start, end = match.string, match.start(), match.end()
    if text[start - 1 : start] == "(" and text[end : end + 1] == ")":
        return False  # option (B) of the question
    before = _WORD_BEFORE.search(text[max(0, start - 20) : start])
    if before and (before[1].casefold() in listed("labelled") or text[start - 1] == "("):
        return False  # plan A; P(A)
    found = _NEXT.match(text, end)
    after = (found[1] or "") if found else ""
    if after[:1] in _MATH or text[max(0, start - 4) : start].rstrip()[-1:] in _MATH:
        return False
    if not after or after[0] in _ENDS:
        return True
    low = after.casefold().replace("’", "'")
    inside = bool(before) and start > 0 and text[start - 1] == " "  # "in A the hour": an article is not written so
    verb = low.endswith("s") and len(low) > 3 and not low.endswith(("ss", "us", "is", "less"))
    return inside or verb or low in listed("acts")
