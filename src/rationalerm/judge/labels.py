"""The words of a verdict: how a side, a tie and a label such as `A>>B` may be written inside a marker or behind a cue.

Whole tokens only, by a small grammar; never letters inside words. Everything is symmetric in A and B. Knows nothing of where
in an answer the words stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rationalerm.types import Verdict

__all__ = ["NOUN", "OPTION_LETTER", "SIDE", "Label", "pair_label", "plain", "read_label", "side_of"]

NOUN = (
    r"(?i:responses?|answers?|assistants?|outputs?|models?|candidates?|options?|summary|summaries|chatbots?|systems?|feedbacks?"
    r"|completions?|reply|replies|critiques?|texts?|bots?|agents?|generations?|versions?|solutions?|submissions?|essays?"
    r"|translations?|story|stories|ai|choices?|drafts?|explanations?|rationales?|players?|contestants?)"
)
_OWNS = rf"(?:'s?\s+(?:own\s+)?{NOUN})?"
_NAMED = (
    rf"{NOUN}(?:[ _\-]|\s?#\s?)?\s?[(\[\"'`]?(?:[AB12]|(?<=[(\[_\"'`])[ab]|(?<=[a-z] )[ab](?=\)|'s "
    rf"|\s*$))(?!\w)(?:[)\]\"`]|'(?!s\b))?"
)
_ORDINAL = rf"(?:[Tt]he\s+)?(?i:first|second)\s+(?:{NOUN}|(?i:one))"
_BARE = r"(?:(?<![\w'\-/\\.<>=&@])\(?[AB](?![\w/\-+#*|&@])\)?|\([ab]\))"
SIDE = rf"(?:(?:[Tt]he\s+)?{_NAMED}{_OWNS}|{_ORDINAL}{_OWNS}|{_BARE}{_OWNS})"
"""A side in running prose: `Response 1`, `Output (a)`, `the first answer`, a capital letter by itself; with `'s answer`."""

OPTION_LETTER = re.compile(r"(?m)^\s*[*(]{0,3}[C-J][).:]|\b(?:[Oo]ption|[Cc]hoice|[Aa]nswer)s?\s+\(?[C-J]\)?(?![\w'])|\([C-J]\)")
"""Signs that the judged question is a multiple-choice one, so that a lone letter may be its answer."""
_LETTER = re.compile(r"(?<![A-Za-z0-9])([ABab12])(?![A-Za-z0-9])")
_FIRST_SECOND = re.compile(r"(?i)\b(first|second)\b")

_CJK = "回答|助手|答案|回复|响应|模型|輸出|输出|応答|アシスタント|응답|답변"
_SIDE_TOKEN = rf"(?:the\s+)?(?:(?:{NOUN}|{_CJK})\s*[_\-#]?\s*)?[(\[\"']*([ab12])[)\]\"']*(?!\w)"
_OP = r"(>\s?>\s?>|>\s?>|>|<\s?<\s?<|<\s?<|<|=\s?=?\s?=?|~)"
_PAIR = re.compile(rf"(?i){_SIDE_TOKEN}\s*{_OP}\s*{_SIDE_TOKEN}(?![\w>=<])")
_NAMED_SIDE = re.compile(rf"(?i)\b{NOUN}\s*[_\-#]?\s*[(\[]?[ab12]\b")

_DEGREE = (
    r"(?:(?:clearly|significantly|slightly|much|far|somewhat|marginally|definitely|overall|considerably|substantially|simply"
    r"|moderately|strongly|a bit|a little|a lot|still|only|just|narrowly|vastly|the|clear|way)\s+)*"
)
_PREDICATE = (
    rf"(?:\s*(?:(?:is|was)\s+)?{_DEGREE}(?:better|best|superior|winner|preferred|preferable|stronger"
    rf"|favou?red)\b(?:\s+(?:{NOUN}|one|overall))*"
    rf"|\s+(?:wins|won)\b(?:\s+overall)?)?"
)
_ONE_SIDE = re.compile(
    rf"(?i)(?:the\s+)?(?:({NOUN}|{_CJK})\s*[_\-#]?\s*)?[(\[\"'#]*([ab12])[)\]\"']*(?!\w)(?:'s?\s+{NOUN}\b)?({_PREDICATE})"
    rf"|(?:the\s+)?(first|second)(?:\s+(?:{NOUN}|one))?\b({_PREDICATE})"
)
_TIE = re.compile(
    r"(?i)(?:(?:it'?s|it is|this is|they are|they're|both|are|an?|the|(?:both )?(?:responses|answers|outputs)"
    r"|relatively|roughly|about|overall|equal)[\s,]+)*"
    r"(?:tied?|draw|equal|equally (?:good|bad|strong|weak|matched|well)|equivalent|of equal quality|(?:the )?same(?: quality)?"
    r"|no (?:clear )?(?:winner|preference)|even|on par)\b(?![\w\-'])(?!\s*[>=<])"
)
_TAIL_PAIR = re.compile(r"\s*(?:$|[:;,.!()\[\]\-–—\n\"'}|]|(?:because|since|as|due|with|given|overall)\b)")
_TAIL_SIDE = re.compile(
    rf"\s*(?:[^\w\s/|&<>=~+'\"-]*\s*$|(?:slightly|strongly|clearly|significantly|overall|narrowly|decisively)\W*$|[:;.!()\]\n\"'}}]|[–—]|-\s|,(?!\s*(?:[ab12]|{NOUN}\s?[ab12])\b)|(?:because"
    rf"|since|due to|given)\b|(?:over|than)\s+{_SIDE_TOKEN})",
    re.I,
)
_CHOICE = re.compile(r"(?i)[/|]|\bor\b|\bif\b|\beither\b|\bneither\b|\bunless\b")
_CUE_WORD = re.compile(
    r"(?i)^\W*(?:(?:my|the|final|overall|better|best|preferred)\s+)*(?:verdict|winner|preference|choice|decision"
    r"|judge?ment|answer|response|better|"
    r"best|conclusion|i (?:choose|pick|prefer|select)|prefer|choose|pick|select)(?:\s+is)?\s*:?\s+(?=\S)"
)
_PICKS = re.compile(
    r"(?i)(?:(?:i|we)(?:'d| would| will)? )?(?:strongly |slightly |clearly |weakly |somewhat )?"
    r"(?:prefer|choose|pick|select|favou?r|go with|vote for)\s+(?=\S)"
)
_WRAPPER = re.compile(
    r"\\*(?:text|math|mbox|fbox|boxed|box)(?:tt|bf|rm|sf|it|up|sc|normal|md|bb|cal|op)?\s?(?=\{)|^ext(?:tt|bf)?(?=\{)"
    r"|\\+(?:operatorname\*?|emph|underline|boldsymbol|bm|hbox|ensuremath|math(?:bin|rel|op))\s?(?=\{)"
    r"|\\(?:bf|rm|tt|sf|it|large|Large|displaystyle)(?![a-z])"
)
_SIGNS = [
    (re.compile(r"\\+(?:text)?color\s?\{[^{}]{0,40}\}|\\+verb(?=\|)"), ""),
    (re.compile(r"\\+textgreater(?![a-z])"), ">"),
    (re.compile(r"\\+textless(?![a-z])"), "<"),
    (re.compile(r"\\+(?:ggg?|succ\s?\\+succ|gt\s?\\+gt)(?![a-z])"), ">>"),
    (re.compile(r"\\+(?:succ|gt|>)(?![a-z])"), ">"),
    (re.compile(r"\\+(?:lll?|prec\s?\\+prec|lt\s?\\+lt)(?![a-z])"), "<<"),
    (re.compile(r"\\+(?:prec|lt|<)(?![a-z])"), "<"),
    (re.compile(r"\\+(?:approx|sim|equiv|simeq|cong|eq)(?![a-z])"), "="),
]
_SPACES = re.compile(r"\\+(?:[,;:! ]|quad|qquad|hspace|enspace)|\s+|~(?=\s*(?:$|[}\\<>]))|(?<=[<>])~")
_DROP = re.compile(r"[{}$`\"“”]|\*\*|\*|\\+[()\[\]_#&]?")
_IN_BRACKETS = re.compile(r"[(\[]\s?([^()\[\]]{3,40})[)\]]")
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Label:
    """A verdict as words give it: strength only where the words hold `>` or `>>`."""

    verdict: Verdict
    strength: int | None
    bare: bool = False  # one side by itself, no comparison sign


def side_of(words: str) -> int:
    """-1 or 1 for words that `SIDE` has matched; 0 if they name none."""
    letter = _LETTER.search(words)
    if letter:
        return -1 if letter[1] in "Aa1" else 1
    ordinal = _FIRST_SECOND.search(words)
    return 0 if not ordinal else -1 if ordinal[1].lower() == "first" else 1


def plain(words: str) -> str:
    """The words without LaTeX wrappers, emphasis, quotes and braces, on one line."""
    if "\\" in words:
        for pattern, sign in _SIGNS:
            words = pattern.sub(sign, words)
    words = _WRAPPER.sub("", words)
    words = _SPACES.sub(" ", words)
    return " ".join(_DROP.sub("", words).split()).strip("_ |")


def pair_label(words: str, numbers: bool = False) -> Label | None:
    """The label of words that start with two sides and a sign between: `A>>B`, `Response 1 < Response 2`, `B = A`."""
    match = _PAIR.match(words)
    if not match or not _TAIL_PAIR.match(words, match.end()):
        return None
    left, sign, right = match[1].lower(), match[2].replace(" ", ""), match[3].lower()
    if left == right or (left in "12") != (right in "12"):
        return None
    if left in "12" and not numbers and not _NAMED_SIDE.search(match[0]):
        return None
    if sign[0] in "=~":
        return Label(Verdict.TIE, None)
    strength = min(len(sign), 2)
    side = (-1 if left in "a1" else 1) * (1 if sign[0] == ">" else -1)
    return Label(Verdict(side * strength), strength)


def _one_side(words: str, numbers: bool, lower: bool) -> Label | None:
    match = _ONE_SIDE.match(words)
    if not match or not _TAIL_SIDE.match(words, match.end()):
        return None
    letter = match[2]
    if letter and not match[1]:
        if letter in "12" and not numbers:
            return None
        if letter in "ab" and not lower and not re.match(r"\([ab]\)", words):
            return None
    side = side_of(letter or match[4])
    return Label(Verdict(side), None, bare=True)


def read_label(words: str, numbers: bool = False, lower: bool = True, loose: bool = False) -> Label | None:
    """The verdict that the words inside a marker, or behind a cue, give; None if they give none or more than one.

    Args:
        words: what stands inside `\\boxed{}`, `[[ ]]`, a tag, or behind a cue.
        numbers: a lone 1 or 2 is a side (the text speaks of Response 1 and Response 2).
        lower: a lone lower-case letter is a side.
        loose: words behind a cue: the label starts them and other words may follow.
    """
    text = plain(words[:_LONGEST])
    head = text if not loose else re.split(r"(?<=[.!?])\s|\n", text, maxsplit=1)[0]
    if not head or (_CHOICE.search(head[:80]) and not _choice_later(head)):
        return None
    found = _confirmed(_first(head, numbers, lower), head, numbers)
    picks = _PICKS.match(head) if loose and not found else None
    if picks:
        found = _first(head[picks.end() :], numbers, lower)
    if loose and found and not found.bare:
        return found
    before, colon, after = head.rpartition(":")
    if colon and after.strip():
        last = _first(after.strip(), numbers, lower)
        if last and found:
            return None if last.verdict.side != found.verdict.side else found if last.bare else last
        if last and (_CUE_WORD.match(before + ": x") or not last.bare) and not loose:
            return last
    if found:
        return found
    cue = _CUE_WORD.match(head)
    return _first(head[cue.end() :], numbers, lower) if cue and not loose else None


def _confirmed(label: Label | None, words: str, numbers: bool) -> Label | None:
    """`B is much better (B>>A)`: the comparison in brackets behind a side gives its strength; none where the two disagree."""
    bracket = _IN_BRACKETS.search(words) if label and label.bare else None
    pair = pair_label(bracket[1], numbers) if bracket else None
    if label is None or pair is None:
        return label
    return pair if pair.verdict.side == label.verdict.side else None


def _choice_later(head: str) -> bool:
    """Whether the first `or`, `if` or `/` comes only after the label's own clause."""
    choice = _CHOICE.search(head)
    clause = re.search(r"[:;.,(—–]|\b(?:because|since|as)\b", head)
    return bool(choice and clause and clause.start() < choice.start())


def _first(words: str, numbers: bool, lower: bool) -> Label | None:
    pair = pair_label(words, numbers)
    if pair:
        return pair
    tie = _TIE.match(words)
    if tie and re.match(
        r"\s*(?:$|[:;,.!()\n\-–—]|between\b|overall\b|in (?:overall )?quality\b|because\b|since\b|as\b|good\b)",
        words[tie.end() :],
    ):
        return Label(Verdict.TIE, None)
    return _one_side(words, numbers, lower)
