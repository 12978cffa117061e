"""Prose to sentences, for feedback and for judges that give no list. The one splitter of the package.

Rough by nature: `decompose` (an LLM) makes better atoms. Knows no file format and no verdict.
"""

from __future__ import annotations

import re

__all__ = ["sentences", "split_sentences"]

_END = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]*_]{0,3}(?=\s)|[。！？]+[”」』）\"]?")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|cf|vs|v|fig|figs|eq|no|nos|dr|mr|mrs|ms|prof|st|approx|ca|al|sec|ch|pp?|vol|ed|eds"
    r"|resp|est|dept|inc|ltd|co|jr|sr|u\.s|u\.k|a\.m|p\.m|viz|incl|max|min|art)"
    r"|\b[A-Z](?:\.[A-Z])+|(?:^|\s)\d{1,3})\.$",
    re.I,
)
_INITIAL = re.compile(r"(?:^|[\s(])[A-Z]\.$")
_SIDE_LETTER = re.compile(r"(?:\b[a-z]+\.?|(?i:response|assistant|answer|output|option|model|plan|chatbot)) \(?[AB]\)?\.$")
_MAY_END = re.compile(r"\b(?i:etc|inc|ltd|co|u\.s|u\.k|a\.m|p\.m|al)\.$|(?<![\w.])[A-Z]\.$|\s\d{1,3}\.$")
_MOST = 2000


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order, with inner white space folded; a line break ends one. Linear time.

    >>> sentences("It targets v2.0, e.g. Python 3. It then fails (see fig. 1 there).")
    ['It targets v2.0, e.g. Python 3.', 'It then fails (see fig. 1 there).']
    """
    found = (" ".join(part.split()) for line in text.split("\n") for part in split_sentences(line))
    return [part for part in found if any(c.isalnum() for c in part)]


def split_sentences(paragraph: str) -> list[str]:
    """The sentences of one paragraph; abbreviations, initials and decimals don't end one, CJK full stops do."""
    parts: list[str] = []
    start = 0
    for end in _END.finditer(paragraph):
        stop = end.end()
        if end[0] == ".":
            tail = paragraph[max(start, end.start() - 12) : end.start() + 1]
            following = paragraph[stop : stop + 3].lstrip()
            known = _ABBREVIATION.search(tail)
            starts = following[:1].isupper() or following[:1] in ("@", "(", '"', "“")
            if known and not (starts and _may_end(tail)):
                continue
            if following[:1].islower() and not known and len(tail) < 4:
                continue
            if _INITIAL.search(tail) and not _SIDE_LETTER.search(paragraph[max(0, stop - 20) : stop]):
                continue
        parts.append(paragraph[start:stop].strip())
        start = stop
        if len(parts) > _MOST:
            break
    parts.append(paragraph[start:].strip())
    return [part for part in parts if part]


def _may_end(tail: str) -> bool:
    """Abbreviations that often end a sentence: `etc.`, `Response A.`, a number at the end of one."""
    return bool(_MAY_END.search(tail))
