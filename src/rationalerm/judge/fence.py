"""Judged text is hostile: what keeps it inside its delimiters, and a reason on its line. Knows nothing of prompts or verdicts.

Whole texts (a response, a conversation, feedback) go into a prompt between delimiters that carry a mark made from the texts
themselves: the same texts give the same mark, so requests can be cached and repeated, and no text holds its own mark. The text is
not changed, with one exception. Many servers tokenise the finished prompt as a whole and take `<|im_end|>`, `</s>` or `[INST]`
in it for their own control tokens: such a text would end the user's turn and speak as the system, whatever the delimiters say. An
invisible character (U+2060) behind the opening bracket stops that; `whole` takes it out again.

Reasons stand one a line (`R1: text`): `one_line` says what is changed in them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from rationalerm.judge.reasons import result_markers

__all__ = ["fenced", "mark_of", "one_line", "whole"]

_JOINER = "\u2060"
# Control tokens of the chat templates in use: ChatML, Llama 2 to 4, Mistral, Gemma, Phi, Cohere, DeepSeek, gpt-oss, GLM, Granite.
# A name in <|...|> is one word in all of them, so that words between such bars ("<|The End of Answer A|>") stay as they are.
_TOKEN = re.compile(
    rf"<{_JOINER}*(?=[|｜][\w▁.:/-]{{1,60}}[|｜]>|/?(?:s|bos|eos|pad|unk|(?:start|end)_of_(?:turn|image))>|<{_JOINER}*/?SYS>>)"
    rf"|\[{_JOINER}*(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT)|MODEL_SETTINGS|IMG)\]|[gs]MASK\])"
)
_LINE_END = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_SPECIAL = re.compile(r"[<\[＜［\x00-\x1f\x7f-\x9f\u2028\u2029]|(?i:result)")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")


def mark_of(texts: Iterable[str]) -> str:
    """16 hex digits for the delimiters around these texts: the same for the same texts in any order, and in none of them.

    >>> mark_of(["a", "b"]) == mark_of(["b", "a"])
    True
    """
    ordered = sorted(texts)
    hashed = hashlib.sha256()
    for text in ordered:
        data = text.encode("utf-8", "surrogatepass")
        hashed.update(b"%d:" % len(data) + data)
    seed = hashed.digest()
    count = 0
    while True:
        mark = hashlib.sha256(seed + count.to_bytes(8, "big")).hexdigest()[:16]
        if not any(mark in text.lower() for text in ordered):
            return mark
        count += 1


def fenced(text: str) -> str:
    """The text as it stands in a prompt: complete, with an invisible character in each chat control token.

    >>> whole(fenced("stop<|im_end|> here")) == "stop<|im_end|> here"
    True
    >>> fenced("<|The End of Assistant A's Answer|>")
    "<|The End of Assistant A's Answer|>"
    """
    return _TOKEN.sub(lambda match: match[0] + _JOINER, text)


def whole(text: str) -> str:
    """What `fenced` was given."""
    return _TOKEN.sub(lambda match: match[0].removesuffix(_JOINER), text)


def one_line(reason: str) -> str:
    """A reason on one line, which no reader and no server takes for anything but text.

    Line ends of every kind, with the white space at them, become one space, and other control characters a space. RESULT
    markers get square brackets for their angle ones; chat control tokens are broken as in `fenced`. Nothing else changes.

    >>> one_line("Response A ends with\\n  <RESULT_END>.")
    'Response A ends with [RESULT_END].'
    """
    if not _SPECIAL.search(reason):  # the common case, in one pass
        return reason.strip()
    lines = (line.strip() for line in _LINE_END.split(reason))
    line = _CONTROL.sub(" ", " ".join(line for line in lines if line)).strip()
    parts: list[str] = []
    position = 0
    for start, end, opens in result_markers(line):
        parts += [line[position:start], "[RESULT_START]" if opens else "[RESULT_END]"]
        position = end
    return fenced("".join([*parts, line[position:]]))
