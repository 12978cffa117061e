"""The matcher's answer to the letter: most are, and twenty thousand of them should be read in half a second.

A short cut and no second reader: whatever is not exactly as the wire form has it, or breaks a rule, is None and goes the long way
(matching.py), which reads more forms and says what is wrong.
"""

from __future__ import annotations

import re

__all__ = ["read_standard"]

_START, _END = "<RESULT_START>", "<RESULT_END>"
_LINE = re.compile(r"- R([0-9]{1,4})@S([0-9]{1,4}): (0(?:\.[0-9]{1,9})?|1(?:\.0{1,9})?)")
_OTHER_TAG = re.compile(r"\[\s?/?[tT][hH]|◁")
_HEADING = "Scores corresponding to claims:"


def read_standard(text: str, n_human: int, n_model: int) -> dict[tuple[int, int], float] | None:
    """The positive scores of an answer in mode "best", 0-based; None where the long way has to look.

    >>> read_standard("Fits.\\n<RESULT_START>\\n- R1@S2: 0.75\\n<RESULT_END>", 1, 2)
    {(0, 1): 0.75}
    >>> read_standard("Fits.\\n<RESULT_START>\\n- R1@S2: 0,75\\n<RESULT_END>", 1, 2)  # the long way knows
    """
    start, end = text.find(_START), text.find(_END)
    if not 0 <= start < end or text.count("<") != 2 or "&lt" in text or _OTHER_TAG.search(text):
        return None  # no block, several, or something that may be a thinking tag
    scores: dict[tuple[int, int], float] = {}
    seen: set[int] = set()
    for raw in text[start + len(_START) : end].split("\n"):
        line = raw.strip(" \r")
        if not line or line == _HEADING:
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            return None
        r, s, score = int(match[1]), int(match[2]), float(match[3])
        if r in seen or not 1 <= r <= n_human or s > n_model or (s == 0 and score > 0):
            return None
        seen.add(r)
        if score > 0:
            scores[r - 1, s - 1] = score
    return scores if len(seen) == n_human else None
