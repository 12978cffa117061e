"""JSON in a judge's text: as is first, repaired only on failure, bare or in a fence or among chatter.

Knows nothing of what it means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

__all__ = ["json_value", "json_values"]

_FENCE = re.compile(r"^[ \t]*```[ \t]*\w*[ \t]*\n", re.M)
_START = re.compile(r"^[ \t]*(?:\w{2,20}:[ \t]?)?([\[{])(?=\s*(?:[\"\[{\]}]|$))", re.M)
_LONE_BACKSLASH = re.compile(r'\\(?!["\\/bfnrtu])|\\(?=[bfnrtu][A-Za-z]{2,})(?!u[0-9A-Fa-f]{4}|n[A-Z])')
_SPARE_COMMA = re.compile(r",(\s{0,200}[}\]])")
_TRIES = 4
_DECODER = json.JSONDecoder(strict=False)


def _decode(text: str, start: int) -> tuple[dict[object, object] | list[object] | None, int]:
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start
    return (value, end) if isinstance(value, dict | list) else (None, start)


def json_values(text: str) -> Iterator[dict[object, object] | list[object]]:
    """The objects and arrays that the text holds at line starts (or in the midst of a line, where no line starts with one).

    Lone backslashes (LaTeX in strings) and spare commas are repaired where nothing decodes as it is. Arrays of numbers only,
    and what stands inside another value, are left out. Of places that do not decode, a few are tried.
    """
    if "{" not in text and "[" not in text:
        return
    starts = [match.start(1) for match in _START.finditer(text)]
    if not starts:
        brace = text.find('{"')
        if brace < 0:
            return
        starts = [brace]
    found = False
    for value in _decoded(text, starts):
        found = True
        yield value
    if not found:
        source = text[starts[0] :]
        yield from _decoded(_SPARE_COMMA.sub(r"\1", _LONE_BACKSLASH.sub(r"\\\\", source)), [0])


def _decoded(text: str, starts: list[int]) -> Iterator[dict[object, object] | list[object]]:
    end = failures = 0
    for start in starts:
        if start < end:
            continue
        value, stop = _decode(text, start)
        if value is None:
            failures += 1
            if failures == _TRIES:
                return
            continue
        end = stop
        if isinstance(value, dict) or (value and not all(isinstance(item, int | float) for item in value)):
            yield value


def json_value(text: str) -> dict[object, object] | list[object] | None:
    """The first value of `json_values`."""
    return next(json_values(text), None)
