"""A reason read for the rule tagger: its features as whole numbers, its subject, what it says of either response.

Features are counts with a ceiling, so that weights stay readable. Knows nothing of weights, kinds or the other reasons.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rationalerm.judge.clean import tidy
from rationalerm.judge.tag_sides import marked
from rationalerm.judge.tag_words import BREAKS, CLASSES, MOST, known, listed, pairs, unit

__all__ = ["FEATURES", "Seen", "read_list", "see"]

_LONGEST = 4000  # characters of a reason that are read
_WORD = re.compile(
    r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|[\ue000-\ue002]|\d+(?:[.,:]\d+)*|[.;:!?,—–\n。；，、](?=[\s\"”')]|$)|[。；，、]"
)
_PLAIN_WORD = re.compile(  # the same in a text without other letters, which most are: faster
    r"[a-z]+(?:[-'][a-z]+)*|[\ue000-\ue002]|\d+(?:[.,:]\d+)*|[.;:!?,\n](?=[\s\"')]|$)"
)
_WIDE = re.compile("[^\x00-\x7f\ue000-\ue002]")
_WIDE_WORD = re.compile(r"[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_QUOTE = re.compile(
    r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|„[^“”\n]{1,200}[“”]|«[^»\n]{1,200}»|「[^」\n]{1,200}」|『[^』\n]{1,200}』"
    r"|(?<!\w)'[^'\n]{1,60}'(?!\w)|(?<!\w)‘[^’\n]{1,60}’(?!\w)|(?<![*\w])\*[^*\s][^*\n]{0,60}\*(?![*\w])"
)
_MAYBE_QUOTE = re.compile(r"[\"“„«「『‘*'](?<!\w')")  # patterns that begin with a set of characters are fast
_CODE = re.compile(
    r"`[^`\n]{1,200}`|(?<![\w-])--?[A-Za-z][\w-]*|\b[A-Za-z_]\w*\(\)|\b[A-Za-z]\w*_\w+|\b[a-z]+[A-Z]\w*|\b[A-Za-z]\w*\.[a-z_]\w{2,}"
    r"|\b[A-Z][a-z]+[A-Z]\w*|\$[^$\n]{1,80}\$|\\\(|\\\["
)
_MAYBE_CODE = re.compile(r"[`$\\_A-Z.(-](?:(?<=[`$\\_])|(?<=[a-z][A-Z])|(?<=\w\.)[a-z]|(?<=\()\)|(?<=-)(?<![\w-]-)-?[A-Za-z])")
_LIST_NUMBER = re.compile(r"^\s*(?:[-*•‣–]\s+|\(?\d{1,2}[.)]\s+)")
_BOLD = re.compile(r"\*\*([^*\n]{1,120})\*\*")
_VERDICT = re.compile(
    r"\[\[[^\[\]\n]{1,12}\]\]|\\boxed\{|^[^.;,]{0,40},? ?[^.;,]{0,40}\b(?:is|was) (?:[a-z]+ ){0,2}(?:better|best|superior)"
    r"(?: (?:response|answer|one|choice|overall|option))?\W*$"
)
_NAME = re.compile(r"[A-Z](?<=[\w,;)] [A-Z])[a-z]\w+")
_MATH = re.compile(r"[=→≤≥×√∑]|\\frac|\d\s*[+*/]\s*\d")
_RIGHTLY = re.compile(r"(?:orrect|curate|roper|rong|ight|istaken|licit|lear)ly [^\W\d_]{4}")
_TASKS = frozenset(
    ("explanation", "overview", "understanding", "perspective", "guide", "breakdown", "picture", "description", "introduction",
     "summary", "analysis", "view", "discussion", "answer", "critique", "information", "account")
)  # fmt: skip
_RESTATES = re.compile(rf"(?i)\b(?:{'|'.join(sorted(_TASKS))}) (?:of|on|about|to|for|regarding|how)\b([^.;:]*)")
_MAYBE_MATH = re.compile(r"[=→≤≥×√∑\\+*/]")
_VAGUE = re.compile(
    r"(?i)\b(?:not sure|hard to (?:say|tell)|close call|either way|comes? down|up to (?:the|you|each)|matter of"
    r"|put my finger|some (?:people|readers|users|would|may|might)|may be (?:fine|better|enough|ok)"
    r"|points? in (?:its|their) favou?r|on both sides|could go|for others?)\b"
)
_VAGUE_WORDS = frozenset(
    ("sure", "hard", "call", "way", "down", "up", "matter", "finger", "some", "may",
     "favour", "favor", "sides", "go", "others", "other")
)  # fmt: skip
_SOLVES = re.compile(r"(?i)\b(?:correct|right|final) (?:answer|option|choice)s? (?:is|are|must|should|would)\b")
_COMPOUND = re.compile(r"\berror (?=handling|messages?|codes?|checks?|checking)")
_SO = re.compile(r"(?i),? (?:making|enhancing|allowing|helping) ")
_BEST = frozenset(("better", "best", "superior"))
_ALIKE = frozenset(("both", "neither"))
_DIFFERS = frozenset(
    ("but", "while", "whereas", "although", "however", "more", "less", "than", "better", "worse", "yet", "only", "though")
)
_PRONOUNS = frozenset(("it", "its", "they", "their", "he", "she", "this", "that", "these", "additionally", "also", "both"))
_GENERIC_WIDE = (
    "详细",
    "清晰",
    "准确",
    "全面",
    "有帮助",
    "友好",
    "正确",
    "错误",
    "具体",
    "わかりやすい",
    "詳しい",
    "正確",
    "丁寧",
    "자세",
    "명확",
    "정확",
)

FEATURES = (
    "one", "quote", "number", "code", "name", "part", "specific", "specific3", "specific6", "generic", "only_generic",
    "style", "correct", "relevant", "aspect", "report", "rightly", "list", "compare", "hedge", "taste", "could", "good",
    "bad", "both", "named", "self", "math", "question", "verdict", "one_sided", "even", "fault", "foreign", "own", "own_list",
)  # fmt: skip


class Seen(NamedTuple):
    """One reason.

    `features`: in the order of FEATURES, the last two by `read_list`; `said`: what is good (+) and bad (-) of A and B, None
    where not named; `loose`: the same of nobody in particular; `spoken`: it names a response, or what is one; `carried`: it
    goes on about the subject of the reason before it; `concedes`: it takes something back; `claims`: (response, property, sign);
    `firm`: it names a quotation, a number or code; `even`: it says the same of both; `credits`: without a word of praise, it says
    what is there.
    """

    features: list[int]
    said: tuple[int | None, int | None]
    loose: int
    spoken: bool
    carried: bool
    concedes: bool
    claims: frozenset[tuple[int, int, int]]
    firm: bool
    even: bool
    credits: bool


def read_list(reasons: Sequence[str]) -> list[Seen]:
    """Reads a list. A reason that names no response, and does not go on about one that does, is the judge's own work; `own_list`
    is a list with hardly any other."""
    seen = [see(reason) for reason in reasons]
    about = sum(one.spoken for one in seen)
    few, most = int(4 * about < len(seen)), 3 * about >= 2 * len(seen)
    spoken = False
    for one in seen:
        spoken = one.spoken or (spoken and (one.carried or most))
        one.features[-2:] = int(not spoken), few
        if not spoken:  # numbers and names of the task's are no evidence of a response
            for place in _OF_THE_TASK:
                one.features[place] = 0
    return seen


_OF_THE_TASK = tuple(map(FEATURES.index, ("number", "code", "name")))
_ONE_SIDED, _EVEN = FEATURES.index("one_sided"), FEATURES.index("even")
_UNKNOWN = unit("specific")
_UP_TO_2 = bytes(min(k, 2) for k in range(256))
_GOOD, _BAD, _LACK = unit("good"), unit("bad"), unit("lack")
_SIDE_A, _SIDE_BOTH, _BREAK, _PAIRED, _CONCEDES = map(unit, ("a", "two", "break", "paired", "concede"))
_SIDES = _SIDE_A | unit("b")
_TELLING = _GOOD | _BAD | _LACK | _SIDES | _SIDE_BOTH | _BREAK | _PAIRED | _CONCEDES
_AGAINST = frozenset(("than", "unlike", "versus", "vs", "to", "with", "of", "over"))
_PLACE = {name: place for place, name in enumerate(CLASSES)}
_STYLE, _CORRECT, _RELEVANT, _GOODS, _BADS, _LACKS, _COULD, _COMPARE, _CONCEDING, _HEDGE = map(
    _PLACE.__getitem__,
    ("style", "correct", "relevant", "good", "bad", "lack", "could", "compare", "concede", "hedge"),
)
_REPORT, _PART, _ASPECT, _SPOKEN, _SELF, _PLAIN, _SPECIFIC, _NUMBER, _A, _B, _TWO, _BOTH, _TASTE = map(
    _PLACE.__getitem__,
    ("report", "part", "aspect", "spoken", "self", "plain", "specific", "number", "a", "b", "two", "both", "taste"),
)


def see(reason: str) -> Seen:
    """Reads a reason by itself; the same text gives the same, whatever was read before."""
    text = tidy(reason[:_LONGEST]).replace("not only", "").replace("\\text", "")
    plain = _BOLD.sub(r"\1", text) if "**" in text else text
    if (listed_as := _LIST_NUMBER.match(plain)) is not None:
        plain = plain[listed_as.end() :]
    signed = marked(plain)
    low = signed.casefold()
    low = _COMPOUND.sub("", low) if "error " in low else low
    if _WIDE.search(low) is None:
        words = _PLAIN_WORD.findall(low)[:MOST]
    else:
        words = _with_wide(_WORD.findall(low)[:MOST]) if _WIDE_WORD.search(low) else _WORD.findall(low)[:MOST]
    classes = list(map(known().__getitem__, words))
    said, loose, concedes, claims = _said(words, classes)
    features, spoken = _features(plain, signed, words, classes)
    credits = bool(features[_ONE_SIDED]) and not listed("credit").isdisjoint(words)
    start = [word for word in words[:4] if word not in BREAKS][:3]
    firm = bool(features[1] or features[2] or features[3])
    carried = not _PRONOUNS.isdisjoint(start) or "both" in words
    return Seen(features, said, loose, spoken, carried, concedes, claims, firm, bool(features[_EVEN]), credits)


def _with_wide(words: list[str]) -> list[str]:
    """Scripts without spaces: a run counts as one word for two characters, and as none where it says a general thing."""
    found: list[str] = []
    for word in words:
        if _WIDE_WORD.fullmatch(word):
            general = sum(word.count(part) for part in _GENERIC_WIDE)
            found += (
                ["more"] * ("更" in word)
                + ["relevant"] * min(general, 3)
                + [word] * (max(0, len(word) // 2 - 2 * general) if len(word) > 1 else 0)
            )
        else:
            found.append(word)
    return found[:MOST]


def _said(
    words: list[str], classes: list[int]
) -> tuple[tuple[int | None, int | None], int, bool, frozenset[tuple[int, int, int]]]:
    """Clause by clause: praise and blame of A and of B, of nobody in particular; a concession; claims on properties."""
    sums: list[int | None] = [None, None]
    loose, pending, negated, side, concedes = 0, 0, 0, -1, False
    claims: list[tuple[int, int, int]] = []
    for k, of in enumerate(classes):
        if not of & _TELLING:
            negated -= negated > 0
        elif of & _BREAK:
            negated = pending = 0
        elif of & _SIDES:
            before = words[k - 1] if k else ""
            if before not in _AGAINST or side < 0:
                named = 0 if of & _SIDE_A else 1
                side = 1 - named if before in ("unlike", "than") else named
                sums[side] = (sums[side] or 0) + pending  # "the unit is absent from B"
                loose, pending = loose - pending, 0
        elif of & _SIDE_BOTH:
            side = -1
        else:
            concedes = concedes or bool(of & _CONCEDES)
            if of & _PAIRED:
                number, sign = pairs()[words[k]]
                claims.append((side, number, -sign if negated else sign))
            value, negated = _judged(of, negated)
            if side < 0:
                loose, pending = loose + value, pending + value
            else:
                sums[side] = (sums[side] or 0) + value
            negated -= negated > 0
    return (sums[0], sums[1]), loose, concedes, frozenset(claims)


def _judged(of: int, negated: int) -> tuple[int, int]:
    """What a word says, and for how many words more a negation reaches."""
    if of & _LACK:
        return (0 if negated else -1), 5
    if of & _BAD:
        return (1 if negated else -1), 0
    if of & _GOOD:
        return (0 if negated else 1), 0  # "lacks clear steps": the lack has been counted
    return 0, negated


def _features(plain: str, signed: str, words: list[str], classes: list[int]) -> tuple[list[int], bool]:
    """The features, those of the list left at 0; and whether a response is spoken of."""
    table = known()
    n = sum(classes).to_bytes(len(CLASSES), "little")
    tail = None if _TASKS.isdisjoint(words) else _RESTATES.search(signed)
    restated = 0
    if tail is not None:  # "an explanation of how vaccines work" is of the task
        restated = sum(map(table.__getitem__, _WORD.findall(tail[1].casefold())[:MOST])) >> 8 * _SPECIFIC & 255
    specific = n[_SPECIFIC] - min(restated, n[_SPECIFIC])
    quotes = min(2, len(_QUOTE.findall(plain))) if _MAYBE_QUOTE.search(plain) else 0
    code = min(2, len(_CODE.findall(plain))) if _MAYBE_CODE.search(plain) else 0
    unread = 5 * n[_PLAIN] < len(words) and _unread(words, n[_SPECIFIC]) and not _WIDE_WORD.search(plain)
    foreign = int(unread and not (quotes or code or n[_NUMBER]))
    specific = 0 if foreign else specific
    generic = n[_STYLE] + n[_CORRECT] + n[_RELEVANT]
    named = (n[_A] > 0) + (n[_B] > 0)
    both = int(named == 2 or n[_TWO] > 0 or (n[_BOTH] > 0 and named + n[_SPOKEN] > 0))
    spoken = bool(named or n[_TWO] or n[_SPOKEN] or unread or (words and words[0] in listed("report"))) and not (
        named + n[_TWO] == 0 and (" is " in plain or " are " in plain) and _SOLVES.search(plain)
    )
    even = int(both and (n[_TWO] > 0 or not _ALIKE.isdisjoint(words[:3])) and _DIFFERS.isdisjoint(words))
    compare = n[_COMPARE]
    if compare and (so := _SO.search(signed)) is not None:  # "..., making it easier": what comes of it compares nothing
        compare = sum(map(table.__getitem__, _WORD.findall(signed[: so.start()].casefold())[:MOST])) >> 8 * _COMPARE & 255
    bad = n[_BADS] + n[_LACKS]
    two = n.translate(_UP_TO_2)
    return [
        1,
        quotes,
        two[_NUMBER],
        code,
        min(2, sum(1 for name in _NAME.findall(signed) if table[name.casefold()] & _UNKNOWN)),
        two[_PART],
        int(specific > 0),
        int(specific > 2),
        int(specific > 5),
        min(generic, 3),
        int(generic > specific),
        two[_STYLE],
        two[_CORRECT],
        two[_RELEVANT],
        two[_ASPECT],
        two[_REPORT],
        int("ly " in plain and bool(_RIGHTLY.search(plain))),
        int(plain.count(",") + plain.count("、") > 1 and specific > 1),
        min(compare, 2),
        two[_HEDGE],
        min(2, n[_TASTE] + (not _VAGUE_WORDS.isdisjoint(words) and len(_VAGUE.findall(plain)))),
        int(n[_COULD] > 0),
        two[_GOODS],
        min(bad, 2),
        both,
        int(named > 0),
        two[_SELF],
        min(2, len(_MATH.findall(plain))) if _MAYBE_MATH.search(plain) else 0,
        int("?" in plain),
        int(
            ("[[" in plain or "boxed" in plain or (len(words) < 12 and not specific and not _BEST.isdisjoint(words)))
            and bool(_VERDICT.search(plain))
        ),
        int(not (both or compare or bad or n[_COULD] or n[_CONCEDING])),
        even,
        int(bad > 0 and n[_ASPECT] > 0),
        foreign,
        0,
        0,
    ], spoken


def _unread(words: list[str], specific: int) -> bool:
    """Hardly a word is known: another language."""
    spoken = sum(1 for word in words if word[0].isalpha())
    return spoken > 3 and 5 * specific > 4 * spoken
