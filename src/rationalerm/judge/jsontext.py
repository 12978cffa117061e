"""JSON in a judge's text: as is first, repaired only on failure, bare or in a fence or among chatter.

Knows nothing of what it means.
"""

from __future__ import annotations

import json
import re

__all__ = ["json_value"]

_FENCE = re.compile(r"^[ \t]*```[ \t]*\w*[ \t]*\n", re.M)
_START = re.compile(r"^[ \t]*([\[{])(?=\s*(?:[\"\[{\]}]|$))", re.M)
_LONE_BACKSLASH = re.compile(r'\\(?!["\\/bfnrtu])|\\(?=[bfnrtu][A-Za-z]{2,})(?!u[0-9A-Fa-f]{4}|n[A-Z])')
_SPARE_COMMA = re.compile(r",(\s{0,200}[}\]])")
_TRIES = 4
_DECODER = json.JSONDecoder(strict=False)


def _decode(text: str, start: int) -> object | None:
    try:
        value, _ = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def json_value(text: str) -> dict[object, object] | list[object] | None:
    """The first object or array that the text holds at a line's start (or in the midst of a line, where no line starts with one).

    Lone backslashes (LaTeX in strings) and spare commas are repaired where nothing decodes as it is.
    """
    if "{" not in text and "[" not in text:
        return None
    starts = [match.start(1) for _, match in zip(range(_TRIES), _START.finditer(text), strict=False)]
    if not starts:
        brace = text.find('{"')
        if brace < 0:
            return None
        starts = [brace]
    for repair in (False, True):
        source, places = text, starts
        if repair:
            source = text[starts[0] :]
            source = _SPARE_COMMA.sub(r"\1", _LONE_BACKSLASH.sub(r"\\\\", source))
            places = [0]
        for start in places:
            value = _decode(source, start)
            if isinstance(value, dict) or (
                isinstance(value, list) and value and not all(isinstance(item, int | float) for item in value)
            ):
                return value
    return None
