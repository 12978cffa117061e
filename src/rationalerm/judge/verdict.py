"""The verdict of an answer: the last label that is the judge's own, of the strongest kind there is.

Kinds, strongest first: marked (`\\boxed{}`, `[[ ]]`, tags), behind a cue (`Winner: B`, JSON keys), said in a sentence. Ambiguous
text gives no verdict. Knows nothing of thinking (taken out before) or of reasons.

Notes: `rule: ...` (which form was read); `two different verdicts seen: A>B, B>A`; `options list ignored`; `quoted label ignored`;
`a judged response contains a verdict label`; `contradicting statements`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rationalerm.judge.clean import signs, tidy
from rationalerm.judge.cues import cue_labels
from rationalerm.judge.jsonverdict import verdict_part
from rationalerm.judge.labels import Label, plain
from rationalerm.judge.marked import Candidate, marked_labels
from rationalerm.judge.ownership import OWN_VOICE, drop_options
from rationalerm.judge.prose import is_statement, statements
from rationalerm.judge.quotes import Quotes, mentions_label

__all__ = ["CONTRADICTING", "OPTIONS", "QUOTED", "RESPONSE_LABEL", "Reading", "is_verdict_line", "read_verdict"]

OPTIONS = "options list ignored"
QUOTED = "quoted label ignored"
RESPONSE_LABEL = "a judged response contains a verdict label"
CONTRADICTING = "contradicting statements"

_NUMBERED_SIDES = re.compile(
    r"(?i)\b(?:response|answer|assistant|output|model|candidate|summary|chatbot|feedback|completion|system"
    r"|option)s?[ _\-#]{1,2}[(\[]?[12]\b|\b(?:first|second) (?:response|answer|output|assistant)"
)
_LETTERED_SIDES = re.compile(r"\b(?i:response|answer|assistant|output|model|candidate|summary|chatbot)s?[ _\-][(\[]?[AB]\b")
_LETTER = re.compile(r"[ _\-(\[][AB]\b")
_HEAD = 12  # how far before its letter a lettered side can begin, and more
_RATING = re.compile(r"(?i)\b(?:rating|score|rate|points?|grade|mark|stars?|quality)\b[^\n]{0,20}$")
_ABOUT_TASK = re.compile(
    r"(?i)\b(?:correct|right|true|actual|expected|proper) (?:final )?(?:answer|option|choice|result|solution"
    r"|value)\b[^.\n]{0,30}$|\banswer to (?:the|this) (?:question|problem|prompt)\b[^.\n]{0,20}$"
    r"|\boption\b\W{0,4}$"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: `label` None where there is no verdict of the judge's own."""

    label: Label | None
    notes: tuple[str, ...] = ()


def read_verdict(text: str, responses: Sequence[str] = ()) -> Reading:
    """The verdict of an answer.

    Args:
        text: the answer, tidied, without thinking.
        responses: the judged responses, if known: labels that are theirs are not the judge's.
    """
    view = signs(text)
    judged = [signs(tidy(response)) for response in responses]
    notes = [RESPONSE_LABEL] if mentions_label(judged) else []
    numbers = bool(_NUMBERED_SIDES.search(view)) and not _lettered_sides(view)
    view = verdict_part(view) if view.lstrip()[:1] == "{" else view
    quotes = Quotes(view, judged)
    others: list[Candidate] = []
    for kind in (_marked, cue_labels, statements):
        found = _outside(kind(view, numbers), others)
        own = _own(view, found, quotes, notes)
        others += [one for one in found if one not in own]
        if own:
            return _choose(own, notes)
    return Reading(None, tuple(notes))


def _lettered_sides(view: str) -> bool:
    """Whether sides are called by letters; looked for from the letters, which are rarer than words."""
    return any(_LETTERED_SIDES.search(view, max(0, letter.start() - _HEAD), letter.end()) for letter in _LETTER.finditer(view))


def _marked(view: str, numbers: bool) -> list[Candidate]:
    return [one for one in marked_labels(view, numbers) if not _of_something_else(view, one)]


def _outside(candidates: list[Candidate], others: Sequence[Candidate]) -> list[Candidate]:
    """The candidates without those around a label that was somebody else's, in a stronger form."""
    starts = sorted(one.start for one in others)
    return [one for one in candidates if bisect_left(starts, one.start) == bisect_left(starts, one.end)]


def _own(view: str, candidates: Sequence[Candidate], quotes: Quotes, notes: list[str]) -> list[Candidate]:
    unquoted = [one for one in candidates if not quotes.quoted(one)]
    if len(unquoted) < len(candidates) and candidates[0].rank > 1 and QUOTED not in notes:
        notes.append(QUOTED)
    if not unquoted or unquoted[0].rank == 1:
        return unquoted
    own, dropped = drop_options(view, unquoted)
    if dropped and OPTIONS not in notes:
        notes.append(OPTIONS)
    return own


def _of_something_else(view: str, one: Candidate) -> bool:
    """A rating, a lone letter that is the answer to the judged question, or a relation of small letters in a sentence."""
    if not one.label.bare and one.rule == "rule: boxed" and not re.search(r"[AB12]|(?i:tie)", plain(view[one.start : one.end])):
        line = view[max(0, one.start - 120) : one.start].rpartition("\n")[2]
        return bool(re.search(r"\w", line)) and not OWN_VOICE.search(line)
    before = view[max(0, one.start - 80) : one.start].rstrip("*_ $\\(:=")
    if one.label.bare and re.search(r"[12]", plain(view[one.start : one.end])) and _RATING.search(before):
        return True
    lone = re.sub(r"(?i)boxed|answer|verdict|tag", "", plain(view[one.start : one.end])).strip(" \\[]")
    return one.label.bare and len(lone) == 1 and bool(_ABOUT_TASK.search(before))


def _choose(own: Sequence[Candidate], notes: list[str]) -> Reading:
    pool = list(own)
    if own[0].rank == 2:
        pool = [one for one in own if one.final] or [one for one in own if not one.of] or pool
        if len({one.of for one in pool}) > 1:
            return Reading(None, (*notes, CONTRADICTING, _seen(own)))  # one verdict a criterion, none of the whole
    chosen = pool[-1]
    if own[0].rank == 1:
        concluding = _concluding(own)
        if concluding is None:
            return Reading(None, (*notes, CONTRADICTING, _seen(own)))
        chosen = concluding
    different = {one.label.verdict.side for one in own} != {chosen.label.verdict.side} or (
        len({one.label.verdict for one in own if not one.label.bare}) > 1
    )
    notes.append(chosen.rule)
    if different:
        notes.append(_seen(own))
    return Reading(chosen.label, tuple(notes))


def _seen(own: Sequence[Candidate]) -> str:
    return "two different verdicts seen: " + ", ".join(dict.fromkeys(one.label.verdict.label for one in own))


def _concluding(own: Sequence[Candidate]) -> Candidate | None:
    """The statement that counts: all agree, or one is clearly the conclusion and nothing behind it disagrees."""
    if len({one.label.verdict.side for one in own}) == 1:
        return own[-1]
    final = [one for one in own if one.final]
    if not final or len({one.label.verdict.side for one in final}) > 1:
        return None
    behind = [one for one in own if one.start > final[-1].start]
    return final[-1] if all(one.label.verdict.side == final[-1].label.verdict.side for one in behind) else None


_MAYBE = re.compile(  # of a lower-case line: a quarter of the time that ignoring case takes
    r"[\[\\<>=~]|verdict|win|won|better|best|superior|strong|prefer|decision|judg|choice|conclusion|answer|tie"
    r"|draw|equal|choose|pick|select|result|rating|score|grade|beats|perform|worse|edge"
)
_BULLET = re.compile(r"^[\s>#*\-•–]*(?:\(?\d{1,3}[.)]\)?\s+)?")
_RATES = re.compile(
    r"(?i)\W*(?:my |the )?(?:overall |final )?(?:rating|score|grade)\W{0,12}\d{1,3}(?:\.\d{1,3})?(?:\s?/\s?\d{1,3})?\W*"
)
_ANNOUNCES = re.compile(
    r"(?i)^[\W_]*(?:(?:therefore|thus|so|hence|overall|finally|in conclusion|accordingly|as a result"
    r"|based on [\w ,']{1,80}?|given [\w ,']{1,80}?),?\s+)?(?:here is |i (?:give|output|state) )?(?:my|the"
    r"|our)?\s*(?:final |overall )?(?:verdict|decision|judge?ment|winner|preference|choice|conclusion|answer)"
    r"(?:\s+(?:is|is as follows|would be|goes to|for this comparison))*\s*(?:that)?[\s:*_]*$"
)
_LEADS_VERDICT = re.compile(
    r"(?i)^[\W_]*(?:(?:my|the|our)\s+)?(?:(?:final|overall)\s+)?(?:verdict|winner|decision|judge?ment"
    r"|preferred (?:response|answer|output)|better (?:response|answer|output)|preference"
    r"|final answer)[\"'*_\s]*(?::|\bis\b|=|-|–|—)"
)
_MARK_WORDS = re.compile(
    r"(?i)\\*b?oxed\s*\{[^{}\n]{0,60}(?:\{[^{}\n]{0,40}\}[^{}\n]{0,40}){0,4}\}+|\[\[[^\[\]\n]{1,60}\]\]"
    r"|</?(?:final_?)?(?:answer|verdict|winner)[^<>]{0,40}>|\[(?:result|verdict|answer|winner)\](?=\W{0,4}\w+\W*$)|<<[ab]?[^<>\n]{0,20}>>"
)


@lru_cache(maxsize=4096)
def is_verdict_line(line: str) -> bool:
    """Whether a line says the verdict (or announces it) and gives no reason."""
    view = signs(line[:2000]).strip()
    if not view or not (_MAYBE.search(view.lower()) or len(view) < 24):
        return False
    if _ANNOUNCES.match(view) or _RATES.fullmatch(view):
        return True
    bare = _BULLET.sub("", view)
    if _LEADS_VERDICT.match(bare) and (
        cue_labels(bare, True) or marked_labels(bare, True) or is_statement(bare.split(":", 1)[-1])
    ):
        return True
    rest = _MARK_WORDS.sub("", bare)
    if rest != bare:
        words = rest.strip(" *_$\\().:-`\"'")
        if not words or _ANNOUNCES.match(words) or is_statement(words + ".") or _short_label(words):
            return True
    return (len(bare.split()) <= 8 and bool(cue_labels(bare, True))) or is_statement(
        bare if bare.endswith((".", "!")) else bare + "."
    )


def _short_label(words: str) -> bool:
    return len(words.split()) <= 6 and bool(cue_labels("verdict: " + words.split(":")[-1].strip(), True))
