"""The answer in a text that holds prompt and answer, as OpenRLHF sends it. Knows no tokenizer."""

from __future__ import annotations

import re

__all__ = ["answer_of"]

_END = re.compile(r"(?:\s*(?:<\|[^<>|]{1,40}\|>|</?s>|<(?:pad|eos|end_of_turn)>))+\s*\Z")
_TAIL = 200


def answer_of(query: str, prompt: str) -> str | None:
    """What the query says after its prompt, without the special tokens that end a turn.

    A prompt that was cut from the left, or has a token before it, is found by its last 200 characters. None: it is not there, so
    nothing tells where the answer begins.

    >>> answer_of("<s>Which is better?1. x<|im_end|>", "Which is better?")
    '1. x'
    >>> answer_of("1. x", "Which is better?") is None
    True
    """
    for end in (prompt, prompt[-_TAIL:], prompt[-_TAIL:].strip()):
        at = query.find(end)
        if at >= 0 and (end or not prompt):
            return _END.sub("", query[at + len(end) :])
    return None
