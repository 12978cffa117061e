"""Which response each clause of a reason is about. Knows nothing of vectors or scores.

`mark` puts one sign in place of every mention ("Response 1", "@Response A", "the first answer", "A's", "(B)", "the other one");
`clauses` cuts the marked tokens into clauses, each with its side. A bare letter is a mention only where it can't be the article,
an option, a vitamin or a variable; A and B go by the same rules, so that changing all sides over changes nothing else.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rationalerm.data.sides import side_of, sub_explicit
from rationalerm.match import lexicon

__all__ = ["MARK_A", "MARK_B", "MARK_BOTH", "MARK_OTHER", "Clause", "clauses", "mark"]

MARK_A, MARK_B, MARK_BOTH, MARK_OTHER = "\ue000", "\ue001", "\ue002", "\ue003"
_MARKS = {-1: MARK_A, 1: MARK_B}
_SIDES = {MARK_A: -1, MARK_B: 1}

_LETTER = re.compile(r"(?<![\w\"'“‘`«/.$\\^-])(\(?)([AB])(\)?)(?![\w\"”`»/^*$\\-]|'(?!s\b))")
_ELSEWISE = re.compile(
    r"(?i)(?<!\w)(?:the\s+)?other\s+(?:response|answer|one|assistant|output|reply|model)(?!\w)"
    r"|(?<!\w)the\s+other(?=\s+(?:just|only|does|doesn|is|isn|has|leaves|gives|uses|one)(?!\w)|[\s]*[,.;:]|$)"
)
_ORDINAL_ALONE = re.compile(
    r"(?i)(?<!\w)(?:the\s+)(first|second)(?=\s+one(?!\w)|\s+(?:just|only|correctly|rightly|properly|also|never|does|doesn|is|isn|has"
    r"|gets|gives|uses|delivers|meets|fails|lacks|omits|misses|provides|handles|includes)(?!\w)|\s*[,;.]|$)"
)
# Where nothing else names a response, "the first solution" does, and so does "Sign error (2): ..." or "1 correctly calls ...".
_NOUNED = re.compile(
    r"(?i)(?<!\w)the\s+(first|second)\s+(?:solution|text|version|translation|program|script|essay|story|poem|explanation|rewrite|draft"
    r"|attempt|write-up|submission|recipe|summary|guide|letter|code|snippet|message|mail|e-?mail|calculation|derivation|proof|lesson)"
    r"(?:['’]s|['’])?(?!\w)"
)
_NUMBERED = re.compile(r"(?<=\w )\(([12])\)(?=:)|^([12])(?=\s+[a-z]{3,}s?\b)")
_BOTH = re.compile(r"(?i)(?<!\w)(?:both|neither)(?:\s+of)?(?:\s+the)?\s+(?:responses|answers|assistants|outputs|models)(?!\w)")
_LABELLED, _BRACKETED = lexicon.words("labelled"), lexicon.words("labelled-in-brackets")
_FOLLOWS, _NEVER_FOLLOWS = lexicon.words("after-side"), lexicon.words("not-after-side")
_MATH = frozenset("=+*^∩∪<>×·[→∧∨∈⊂|")
_NEXT = re.compile(r"\s*([^\W\d_]+|\S)?")
_OBJECT = re.compile(
    r"\s*\w+\s+(?:the|an?|its?|all|both|each|every|no|my|your|their|this|that|only|just|to|from|in|into|with|as|at|on|by|for|out"
    r"|\d\w*|[\"“'`])(?!\w)"
)
_PREVIOUS = re.compile(r"([^\W\d_]*)([^\w]*)$")
_STARTS = frozenset(".!?:;\n•*-–—")


def mark(text: str) -> str:
    """The text with a private-use sign for each mention of a response."""
    text = sub_explicit(_explicit, text)
    if "A" in text or "B" in text:
        text = _LETTER.sub(_letter, text)
    if "other" in text or "ther " in text:
        text = _ELSEWISE.sub(f" {MARK_OTHER} ", text)
    if "he first" in text or "he second" in text:
        text = _ORDINAL_ALONE.sub(lambda m: f" {_MARKS[side_of(m[1])]} ", text)
    if "responses" in text or "answers" in text:
        text = _BOTH.sub(f" {MARK_BOTH} ", text)
    if MARK_A not in text and MARK_B not in text and MARK_BOTH not in text:
        text = _NOUNED.sub(lambda m: f" {_MARKS[side_of(m[1])]} ", text)
        text = _NUMBERED.sub(lambda m: f" {_MARKS[side_of(m[1] or m[2])]} ", text)
    return text


def _explicit(match: re.Match[str]) -> str:
    if match["ordinal"]:
        return f" {_MARKS[side_of(match['ordinal'])]} "
    if match["cjk"]:
        return f" {_MARKS[side_of(match['cjk'])]} "
    if match["label2"]:
        return f" {MARK_BOTH} "
    return f" {_MARKS[side_of(match['label'])]} "


def _letter(match: re.Match[str]) -> str:
    return f" {_MARKS[side_of(match[2])]} " if _is_side(match) else match[0]


def _is_side(match: re.Match[str]) -> bool:
    """Whether a bare capital A or B names a response."""
    text = match.string
    before = _PREVIOUS.search(text[max(0, match.start() - 24) : match.start()])
    word, gap = (before[1].casefold(), before[2]) if before else ("", "")
    after = _NEXT.match(text, match.end())
    following = (after[1] or "") if after else ""
    bracketed = bool(match[1] and match[3])
    if word in (_BRACKETED if bracketed else _LABELLED) and gap in (" ", " (", ""):
        return False
    if word and gap == "(":  # P(A), f(B)
        return False
    if following in _MATH or (gap.strip()[-1:] or " ") in _MATH:
        return False
    if bracketed:
        return True
    inside = bool(word) and not (_STARTS & set(gap)) and "(" not in gap
    if inside or following[:1] in ("'", "’", ":", ",", ";", ".", ")", "&", "?", "!", "-", "–", "—", ""):
        return True
    if following in (MARK_A, MARK_B, "A", "B"):
        return False
    low = following.casefold()
    if low in _FOLLOWS or (
        low.endswith("s") and not low.endswith(("ss", "us", "is")) and low not in _NEVER_FOLLOWS and len(low) > 3
    ):
        return True
    if low.endswith("ed") and len(low) > 4:  # "A changed the name", but "A detailed answer"
        return bool(_OBJECT.match(text, match.end()))
    return low.endswith("ly") and _adverb_then_verb(text, match.end())


def _adverb_then_verb(text: str, start: int) -> bool:
    words = re.findall(r"[^\W\d_]+", text[start : start + 60])
    return len(words) > 1 and words[1].casefold().endswith("s") and words[1].casefold() not in _NEVER_FOLLOWS


class Clause(NamedTuple):
    """Tokens with the side they speak of: -1 A, +1 B, 0 both or none. `only`: "only A", "A alone"."""

    side: int
    tokens: tuple[str, ...]
    only: bool = False


_MARKS_SET = frozenset((MARK_A, MARK_B, MARK_BOTH, MARK_OTHER))
_ARTICLES = frozenset(("the", "die", "der", "la", "el", "a", "o", "de", "het"))  # "unlike the first response"
_BREAK = frozenset([".", ";", ":", "!", "?", "—", "–", "\n"])
_TURN = lexicon.words("turn")
_JOINS = frozenset([",", "and", "y", "und", "et"])
_CUTS = _BREAK | _TURN | _JOINS
_AGAINST = frozenset(["unlike", "than", "versus", "vs"])
_AGAINST_AFTER = {  # "compared to B", "preferable over B"
    "to": frozenset(["compared", "contrast", "opposed", "contrary", "opposite", "superior", "inferior", "preferable"]),
    "with": frozenset(["compared", "contrast", "contrasts"]),
    "from": frozenset(["different", "differs", "differently"]),
    "over": frozenset(["preferred", "preferable", "prefer"]),
}
_ONLY = frozenset(["only", "just", "solely", "nur", "seulement", "solo", "só"])


def clauses(tokens: list[str]) -> list[Clause]:
    """The clauses of a reason, with inherited sides: a clause without a mention goes with the one before it, and clauses before
    the first mention go with that one."""
    marks = [k for k, token in enumerate(tokens) if token in _MARKS_SET]
    articles = {k - 1 for k in marks if k and tokens[k - 1] in _ARTICLES}
    parts = _cut([t for k, t in enumerate(tokens) if k not in articles] if articles else tokens)
    mentions = [not _MARKS_SET.isdisjoint(part) for part in parts]
    sides = [_side(part) if mention else None for part, mention in zip(parts, mentions, strict=True)]
    current = next((s for s in sides if s in (-1, 1)), 0)
    result = []
    for part, mention, found in zip(parts, mentions, sides, strict=True):
        side = current if found is None else -current if found == 2 else found
        words = tuple(t for t in part if t not in _MARKS_SET) if mention else tuple(part)
        if words:
            result.append(Clause(side, words, mention and _only(part)))
        if side:
            current = side
    return result


def _cut(tokens: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    start = 0
    for k in [k for k, token in enumerate(tokens) if token in _CUTS]:
        token = tokens[k]
        parts[-1] += tokens[start:k]
        start = k + 1
        if token in _BREAK:
            parts.append([])
        elif token in _TURN or _mention_soon(tokens, k):
            parts.append([token] if token != "," else [])
        elif token != ",":
            parts[-1].append(token)
    parts[-1] += tokens[start:]
    return [p for p in parts if p]


def _mention_soon(tokens: list[str], k: int) -> bool:
    """Whether a mention follows as the subject of a new clause ("..., and B has it"), not as the last words ("..., in B.")."""
    for step in (1, 2, 3):
        if k + step < len(tokens) and (tokens[k + step] in _SIDES or tokens[k + step] == MARK_OTHER):
            rest = tokens[k + step + 1 : k + step + 3]
            return len(rest) == 2 and not any(t in _BREAK for t in rest)
    return False


def _side(part: list[str]) -> int | None:
    """-1, +1, 0 both, 2 "the other one", None no mention."""
    against: int | None = None
    for k, token in enumerate(part):
        if token == MARK_BOTH:
            return 0
        if token in _SIDES or token == MARK_OTHER:
            side = _SIDES.get(token, 2)
            beside = k and (part[k - 1] in _AGAINST or (k > 1 and part[k - 2] in _AGAINST_AFTER.get(part[k - 1], ())))
            if beside and part[k + 1 : k + 2] not in (["which"], ["that"]):  # "unlike A, which omits it" is about A
                if against is None:
                    against = side
                continue
            return side
    if against is None:
        return None
    return None if against == 2 else -against


def _only(part: list[str]) -> bool:
    for k, token in enumerate(part):
        if token in _SIDES:
            before, after = part[k - 1] if k else "", part[k + 1] if k + 1 < len(part) else ""
            return before in _ONLY or after == "alone" or (after in _ONLY and k + 2 < len(part) and part[k + 2] == "one")
    return False
