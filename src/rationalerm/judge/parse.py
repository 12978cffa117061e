"""The one parser of judges' answers: text in, `Judgment` out. Every entry point (command line, rewards, server, benchmarks)
calls it.

Status: `given`; `none` (a complete answer without a verdict of its own, or an ambiguous one); `refused`; `failed` (no text,
or cut off before a verdict). Never a guess. Time is linear in the text.

Notes, stable strings:
    "empty content" / "empty content, finish_reason=length"   no text
    "truncated: finish_reason=length"      cut off (also with a verdict); "content filter" likewise
    "truncated: white space"               a valid start, then only white space
    "no verdict: truncated" / "no verdict: format" / "no verdict: ambiguous"   why there is none
    "unclosed think"                       everything behind an opening tag was dropped
    "two RESULT blocks"                    the last complete one counts
    "reasons read from the first 120000 characters"   of a degenerate answer
    "own work left out"                    the judge's own solution of the task, before it speaks of the responses
    "prose"                                the reasons are sentences: there was no list
    and those of `verdict`: "rule: ...", "two different verdicts seen: ...", "options list ignored", "quoted label ignored",
    "a judged response contains a verdict label", "contradicting statements"
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rationalerm.judge.clean import tidy, unfence
from rationalerm.judge.matching import parse_matching
from rationalerm.judge.reasons import read_reasons
from rationalerm.judge.refusal import is_refusal
from rationalerm.judge.thinking import strip_thinking
from rationalerm.judge.verdict import CONTRADICTING, OPTIONS, read_verdict
from rationalerm.types import Judgment

__all__ = ["end_notes", "parse_judgment", "parse_matching"]

_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_FILTERED = frozenset({"content_filter", "safety", "recitation", "prohibited_content", "blocklist", "spii"})
_WHITE_TAIL = 40


def parse_judgment(text: str | None, responses: Sequence[str] | None = None, finish_reason: str | None = None) -> Judgment:
    """Read a judge's answer.

    Args:
        text: the answer as the server gave it.
        responses: the judged responses; labels quoted from them are not taken for the judge's.
        finish_reason: the server's word for why the answer ended.

    >>> judgment = parse_judgment("1. A cites the wrong year.\\n2. B checks units.\\n\\n\\\\boxed{B>>A}")
    >>> judgment.verdict.label, judgment.strength, judgment.reasons
    ('B>>A', 2, ('A cites the wrong year.', 'B checks units.'))
    >>> parse_judgment("Both have merits.").verdict is None
    True
    """
    reason = (finish_reason or "").lower()
    notes: list[str] = []
    if text is not None and _white_tail(text):
        notes.append("truncated: white space")
    notes += end_notes(finish_reason)
    clean = tidy(text) if text is not None else ""
    if not clean.strip():
        empty = "empty content, finish_reason=length" if reason in _CUT_OFF else "empty content"
        return Judgment(None, status="failed", notes=(empty, *notes))
    answer, thought = strip_thinking(unfence(clean))
    notes += thought
    answer = unfence(answer)
    reading = read_verdict(answer, responses or ())
    notes += reading.notes
    if reading.label is None and is_refusal(answer) and reason not in _CUT_OFF:
        return Judgment(None, status="refused", notes=tuple(notes))
    reasons, more = read_reasons(answer)
    notes += more
    if reading.label is not None:
        return Judgment(reading.label.verdict, reading.label.strength, reasons, "given", tuple(notes))
    cut = reason in _CUT_OFF or "truncated: white space" in notes
    if cut or reason in _FILTERED:
        return Judgment(None, None, reasons, "failed", (*notes, "no verdict: truncated" if cut else "no verdict: content filter"))
    why = "ambiguous" if CONTRADICTING in notes or OPTIONS in notes else "format"
    return Judgment(None, None, reasons, "none", (*notes, f"no verdict: {why}"))


def end_notes(finish_reason: str | None) -> list[str]:
    """The note on an answer whose end is not its own: cut off, or filtered."""
    reason = (finish_reason or "").lower()
    if reason in _CUT_OFF:
        return ["truncated: finish_reason=length"]
    return ["content filter"] if reason in _FILTERED else []


def _white_tail(text: str) -> bool:
    """A start that wants to go on (an open bracket, a colon), then only white space."""
    body = text.rstrip()
    if not body or len(text) - len(body) < _WHITE_TAIL:
        return False
    return body.lstrip("`json \n")[:1] in ("{", "[") and (body[-1] in ":,{[" or not re.search(r"[}\]]\s*`*$", body))
