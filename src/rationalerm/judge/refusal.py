"""Refusals: an answer in which the judge declines to judge. Knows nothing of verdicts; asked only where there is none."""

from __future__ import annotations

import re

from rationalerm.judge.clean import signs

__all__ = ["is_refusal"]

_CANT = (
    r"(?:can'?t|cannot|can not|can't|won't|will not|am not able to|'m not able to|am unable to|'m unable to"
    r"|must decline|have to decline|decline to|refuse to|do not feel comfortable|don't feel comfortable"
    r"|am not comfortable|'m not comfortable)"
)
_DO = (
    r"(?:help|assist|evaluat\w*|compar\w*|judg\w*|provid\w*|comply\w*|fulfil\w*|continu\w*|engag\w*|complet\w*"
    r"|rat(?:e|ing)|answer\w*|do (?:that|this)|participat\w*|process"
    r"|review|assess\w*|rank\w*|respond|discuss|accommodate|support|grade|grading|this|that|to\b|perform|make (?:a"
    r"|this|that) (?:judgment|comparison|evaluation))"
)
_REFUSES = re.compile(
    rf"(?i)(?:^|[.!\n]\s*|\b(?:but|and|so|however|unfortunately|that)\s*,?\s+|,\s*)(?:unfortunately,?\s+"
    rf"|as an ai(?: language)?(?: model)?,?\s+)?i\s?{_CANT}\s+(?:\w+ly\s+)?(?:with\s+)?{_DO}"
    rf"|\b(?:i'?m|i am|we are|we're) (?:\w+ )?(?:unable to|not able to|not comfortable)\s+(?:\w+ly\s+)?{_DO}"
    r"|(?:^|[\n;.,])\W*i (?:must|have to|respectfully) (?:respectfully )?(?:decline|refuse)\b|(?:^|\n)\W*(?:request"
    r"|content) (?:refused|declined|blocked)"
    r"|我(?:无法|不能|没办法|拒绝)|(?:申し訳|お手伝いできません|お答えできません)"
    r"|(?:lo siento|no puedo (?:ayudar|evaluar))|(?:désolé"
    r"|je ne peux pas)|(?:es tut mir leid|ich kann (?:das|dies|dabei) nicht)"
)
_ABOUT = re.compile(r"(?i)\b(?:response|assistant|output|answer|model|chatbot) \(?[ab12]\b")
_START = 400


def is_refusal(answer: str) -> bool:
    """Whether the start of an answer (without thinking) declines the task, in the judge's own voice."""
    start = re.sub(r'"[^"\n]{0,300}"', " ", signs(answer.strip()[:_START]))
    match = _REFUSES.search(start)
    return bool(match) and match is not None and not _ABOUT.search(start[: match.end()])
