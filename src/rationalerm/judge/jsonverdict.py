"""A JSON object as answer: the part of it in which the verdict is to be looked for.

Where a key says verdict (`winner`, `final_verdict`, `preferred_response` ...), what it holds is the verdict, null included, and
labels in the reasons beside it are not; where none does, the strings are read as text. Knows nothing of labels.
"""

from __future__ import annotations

import json
import re

__all__ = ["verdict_part"]

_KEY = re.compile(
    r"(?i)(?:final|overall)?[ _-]?(?:verdict|winner|preference|preferred|choice|decision|judge?ment|better|best|selected"
    r"|selection|ruling|label|answer)(?:[ _-]?(?:response|answer|output|assistant|model|option|one|choice|verdict|label|side))?"
)
_LONGEST_VALUE = 160
_DEPTH = 4
_DECODER = json.JSONDecoder(strict=False)


def verdict_part(text: str) -> str:
    """The text itself, or of an answer that is one JSON object the `key: value` lines that say a verdict, else its strings."""
    body = text.strip()
    if not body.startswith("{") or not body.endswith("}"):
        return text
    try:
        value, end = _DECODER.raw_decode(body)
    except (ValueError, RecursionError):
        return text
    if end != len(body) or not isinstance(value, dict):
        return text
    said: list[str] = []
    strings: list[str] = []
    _walk(value, said, strings, 0)
    return "\n\n".join(said or strings)


def _walk(value: object, said: list[str], strings: list[str], depth: int) -> None:
    if isinstance(value, str):
        strings.append(value)
    if depth > _DEPTH:
        return
    if isinstance(value, list):
        for inner in value:
            _walk(inner, [], strings, depth + 1)  # a verdict in a list is one criterion's
    elif isinstance(value, dict):
        for key, inner in value.items():
            if _KEY.fullmatch(str(key).strip()) and not isinstance(inner, dict | list) and len(str(inner)) <= _LONGEST_VALUE:
                said.append(f'"{key}": {"null" if inner is None else inner}')
            else:
                _walk(inner, said, strings, depth + 1)
