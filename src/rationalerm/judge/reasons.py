"""From an answer (without thinking) to its reasons, in the judge's order.

From the last complete RESULT block (where it holds the verdict only: from what stands before it), else from the whole answer: a
JSON list, else a list (`items`), else sentences of prose. Verdicts, headings, introductions and markers are not
reasons. Exact copies are kept. Knows nothing of whose the verdict is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rationalerm.judge.clean import fold
from rationalerm.judge.headings import is_aspect
from rationalerm.judge.items import list_items
from rationalerm.judge.jsontext import json_value
from rationalerm.judge.ownwork import without_own_work
from rationalerm.judge.sentences import sentences
from rationalerm.judge.tables import tables_to_lists
from rationalerm.judge.verdict import is_verdict_line

__all__ = ["LONG", "OWN_WORK", "PROSE", "TWO_BLOCKS", "read_reasons", "result_block", "result_markers"]

PROSE = "prose"
TWO_BLOCKS = "two RESULT blocks"
OWN_WORK = "own work left out"
LONG = "reasons read from the first 120000 characters"

_MARKER = re.compile(r"(?i)[*_`]{0,3}(?:<|&lt;)\s?/?\s?RESULT(?:\\?[_\- ]?)(START|END)\s?(?:>|&gt;)[*_`]{0,3}")
_DROPPED_TAGS = re.compile(
    r"(?i)<(/?)((?:rubric|justify|quote|quoted|excerpt|type|solution|answer|verdict|winner|choice|preference"
    r"|decision|final_answer|final_verdict)(?:_[ab12])?)(?:\s[^<>\n]{0,60})?>"
)
_SUMMARY = re.compile(r"(?i)</?summary_[ab12]>")
_ITEM = re.compile(
    r"(?i)<(?:reason|point|item|li|claim|issue|argument)(?:[ _-]?\d{1,3})?(?:\s[^<>\n]{0,60})?>\s{0,20}(?![-*•(\d])"
)
_ITEM_END = re.compile(
    r"(?i)</(?:reason|point|item|li|claim|issue|argument)(?:[ _-]?\d{1,3})?>"
    r"|</?(?:ul|ol|p|div|br|reasons|points|checklist|items|eval|evaluation|comparison)\s?/?>"
)
_FENCED_LINE = re.compile(r"^[ \t]*```\w*[ \t]*\n[ \t]*([^\n`]{1,80})\n[ \t]*```[ \t]*$", re.M)
_LIST_KEYS = (
    "reasons", "checklist", "reason_list", "atomic_reasons", "rationales", "points", "justifications", "arguments", "critiques",
    "claims", "key_points", "criteria", "findings", "items", "explanations", "rationale", "reason", "justification",
    "explanation", "critique", "analysis", "reasoning", "comments", "feedback",
)  # fmt: skip
_TEXT_KEYS = (
    "reason", "text", "description", "point", "claim", "content", "statement", "detail", "explanation", "comment", "critique",
    "justification", "rationale", "evidence", "issue", "problem", "observation", "argument", "finding", "reasoning", "analysis",
    "note", "weakness", "strength", "error",
)  # fmt: skip
_SIDE_KEY = re.compile(r"(?i)^(?:(response|assistant|answer|output|model|candidate|summary)[ _-]?)?([ab12])$")
_DEPTH = 6
_ALNUM = re.compile(r"[^\W_]")
_LONGEST = 120_000
_VERDICT_LINES = 5


def result_markers(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, whether it opens a block) of each RESULT marker."""
    for marker in _MARKER.finditer(text):
        yield marker.start(), marker.end(), marker[1].upper() == "START"


def result_block(text: str) -> tuple[str | None, int]:
    """The inside of the last complete RESULT block (a missing end: to the end of the text) and how many blocks were opened.

    Markers that are only mentioned ("between <RESULT_START> and <RESULT_END>") make no block, and an end marker in the middle of
    a line ends none, if another end follows before the next start.
    """
    blocks: list[str] = []
    start = -1
    markers = list(result_markers(text))
    for number, (place, end, opens) in enumerate(markers):
        if not opens and number + 1 < len(markers) and not markers[number + 1][2] and _mid_line(text, place, end):
            continue
        if opens:
            start = end
        elif start >= 0:
            inside = text[start:place]
            if "\n" in inside or len(inside.split()) > 2 or not inside.strip():
                blocks.append(inside)
            start = -1
    opened = len(blocks) + (start >= 0)
    if blocks:
        return blocks[-1], opened
    return (text[start:], opened) if start >= 0 else (None, 0)


def _mid_line(text: str, start: int, end: int) -> bool:
    """Does text stand on both sides of a marker, on its line?"""
    before = text[max(0, start - 200) : start].rsplit("\n", 1)[-1]
    after = text[end : end + 200].split("\n", 1)[0]
    return bool(_ALNUM.search(before) and _ALNUM.search(after))


def read_reasons(answer: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The reasons of an answer, and notes (`prose`, `two RESULT blocks`).

    Args:
        answer: the answer, tidied, without thinking.
    """
    block, opened = result_block(answer)
    notes = (TWO_BLOCKS,) if opened > 1 else ()
    if block is None:
        return _read(answer, notes, whole=True)
    found = _read(block, notes, whole=False)
    if not found[0] and _only_verdict(block):  # the list stands before the block
        return _read(_unmarked(answer[: answer.rfind(block)]), notes, whole=True)
    return found


def _read(source: str, notes: tuple[str, ...], *, whole: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The reasons of a block, or of a whole answer, where the judge's own solution of the task may stand first."""
    value = json_value(source)
    if value is not None:
        found = _from_json(value, 0)
        if found is not None:
            reasons, prose = found
            return _clean(reasons), (*notes, PROSE) if prose and reasons else notes
        if source.lstrip("`json \n")[:1] == "{":
            return (), notes
    if len(source) > _LONGEST:
        source, notes = source[:_LONGEST], (*notes, LONG)
    if "```" in source:
        source = _FENCED_LINE.sub(lambda fence: "" if is_verdict_line(fence[1]) else fence[0], source)
    source = tables_to_lists(_without_tags(source))
    if whole and (compared := without_own_work(source)) != source:
        source, notes = compared, (*notes, OWN_WORK)
    items = list_items(source)
    if items:
        return _clean(items), notes
    spoken = _clean(sentences(source))
    return spoken, (*notes, PROSE) if spoken else notes


def _only_verdict(block: str) -> bool:
    lines = [line for line in block.split("\n") if _ALNUM.search(line)]
    return 0 < len(lines) <= _VERDICT_LINES and all(is_verdict_line(line) for line in lines)


def _unmarked(text: str) -> str:
    parts, position = [], 0
    for start, end, _ in result_markers(text):
        parts.append(text[position:start])
        position = end
    return "".join([*parts, text[position:]])


def _clean(reasons: list[str]) -> tuple[str, ...]:
    return tuple(folded for folded in map(fold, reasons) if _ALNUM.search(folded))


def _without_tags(text: str) -> str:
    """The text without rubrics, quotations and verdict tags; summaries and `<reason>` become items."""
    if "<" not in text:
        return text
    kept: list[str] = []
    position, opened = 0, ""
    for tag in _DROPPED_TAGS.finditer(text):
        name = tag[2].lower()
        if not opened and not tag[1]:
            kept.append(text[position : tag.start()])
            opened, position = name, tag.end()
        elif opened == name and tag[1]:
            opened, position = "", tag.end()
    kept.append(text[position:])  # of a tag that is never closed, the inside is kept
    text = _SUMMARY.sub(lambda tag: "\n" if tag[0].startswith("</") else "\n- ", "".join(kept))
    return _ITEM_END.sub("\n", _ITEM.sub("\n- ", text))


def _from_json(value: object, depth: int) -> tuple[list[str], bool] | None:
    """The reasons in a JSON value, and whether they were split from prose; None where it holds none."""
    if depth > _DEPTH:
        return None
    if isinstance(value, list):
        texts = [text for text in map(_item_text, value) if text is not None]
        return ([text for text in texts if text.strip() and not is_verdict_line(text)], False) if texts or not value else None
    if not isinstance(value, dict):
        return None
    lowered = {str(key).strip().lower().replace(" ", "_"): inner for key, inner in value.items()}
    for key in _LIST_KEYS:
        inner = lowered.get(key)
        if isinstance(inner, list):
            return _from_json(inner, depth + 1)
        if isinstance(inner, str) and inner.strip():
            items = list_items(inner)
            return (items, False) if items else (sentences(inner), True)
        if isinstance(inner, dict):
            numbered = all(str(name).strip().isdigit() and isinstance(text, str) for name, text in inner.items())
            return _from_json(list(inner.values()), depth + 1) if numbered else _from_sides(inner, depth + 1)
    return _from_sides(value, depth + 1) if any(isinstance(inner, list | dict) for inner in value.values()) else None


def _from_sides(value: dict[object, object], depth: int) -> tuple[list[str], bool] | None:
    """Lists under keys: a key that names a response goes before its reasons, as does a criterion before its text."""
    found: list[str] = []
    for key, inner in value.items():
        name = str(key)
        side = _SIDE_KEY.match(name.strip())
        aspect = f"{name.strip().capitalize()}: " if is_aspect(name) and depth > 1 else ""
        prefix = f"{(side[1] or 'Response').capitalize()} {side[2].upper()}: " if side else ""
        if isinstance(inner, list):
            nested = _from_json(inner, depth)
            found += [(prefix or aspect) + text for text in nested[0]] if nested else []
        elif isinstance(inner, str) and (side or depth > 1 or len(inner.split()) > 3) and not is_verdict_line(f"{name}: {inner}"):
            found.append((prefix or f"{name}: ") + inner)
        elif isinstance(inner, dict):
            nested = _from_json(inner, depth + 1)
            found += [prefix + text for text in nested[0]] if nested else []
    return (found, False) if found else None


def _item_text(item: object) -> str | None:
    if isinstance(item, str):
        return re.sub(r"^\s*(?:[-*•]|\(?\d{1,3}[.)]|[RS]\d{1,3}:)\s+", "", item)
    if isinstance(item, dict):
        lowered = {str(key).lower(): inner for key, inner in item.items()}
        texts = [inner for key in _TEXT_KEYS if isinstance(inner := lowered.get(key), str)]
        if texts:
            side = lowered.get("response") or lowered.get("side") or lowered.get("assistant")
            match = _SIDE_KEY.match(str(side)) if isinstance(side, str | int) else None
            prefix = f"Response {match[2].upper()}: " if match and not re.match(r"(?i)response|assistant", texts[0]) else ""
            return prefix + texts[0]
        strings = [inner for inner in item.values() if isinstance(inner, str)]
        return max(strings, key=len) if strings else None
    return None
