"""A score as a matcher writes it: the whole token must be understood, or it is none. Knows nothing of lines or items."""

from __future__ import annotations

import re

__all__ = ["read_score"]

_NUMBER = r"(?:\d{1,4}(?:[.,]\d{1,30})?|[.,]\d{1,30}|\d{1,4}\.)"
_PLAIN = re.compile(rf"\+?({_NUMBER})(?:[eE]([+-]?\d{{1,3}}))?")
_FRACTION = re.compile(rf"({_NUMBER})\s?(?:/|out of)\s?({_NUMBER})")
_PERCENT = re.compile(rf"({_NUMBER})\s?%")
_COMMENT = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\]|#.*|//.*|[-–—:;,]\s+(?:\D.*)|(?:because|since|as|:)\s.*)$|\s+\|.*$")
_SECOND = re.compile(r"(?i)\bR\s?\d+\s?[@→]|^[\W_]*(?:or|to|up to|maybe|and)\s")
_STANDARD = re.compile(r"(?:0(?:\.\d{1,30})?|1(?:\.0{1,30})?)")
_APPROXIMATE = re.compile(r"^(?:~|≈|about\s|approx(?:\.|imately)?\s|ca\.?\s|=)\s*")
_LONGEST = 400


def _value(number: str) -> float:
    return float(number.replace(",", "."))


def read_score(words: str) -> tuple[float | None, bool]:
    """The score that a line's rest gives, and whether it had to be normalised.

    Returns:
        The score (may lie outside [0, 1]: the caller refuses it), or None where the words are not one score.

    >>> read_score("0,75"), read_score("1/2"), read_score("0.5-0.75")
    ((0.75, True), (0.5, True), (None, False))
    """
    if len(words) > _LONGEST:
        return None, False
    token = words.strip().rstrip("*_`\"'").lstrip("*_`\"'").strip()
    if _STANDARD.fullmatch(token):
        return float(token), token != words.strip()
    comment = _COMMENT.search(token)
    if comment and _SECOND.search(comment[0]):
        return None, False  # a second score, or a range in words
    bare = (token[: comment.start()] if comment else token).strip(" *_`\"'")
    bare = _APPROXIMATE.sub("", bare).rstrip(".;,") if bare else bare
    value = _read(bare)
    return value, value is not None


def _read(bare: str) -> float | None:
    if match := _PLAIN.fullmatch(bare):
        return _value(match[1]) * 10.0 ** int(match[2] or 0)
    if match := _FRACTION.fullmatch(bare):
        below = _value(match[2])
        return _value(match[1]) / below if below else None
    if match := _PERCENT.fullmatch(bare):
        return _value(match[1]) / 100
    return None
