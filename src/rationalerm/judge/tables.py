"""Markdown tables of a comparison into list lines: `- Accuracy: Response A: wrong year; Response B: right year`.

Rows that hold only marks, numbers or sides (scores, ticks, a winner) say no reason and go. Knows nothing of lists or verdicts.
"""

from __future__ import annotations

import re

__all__ = ["tables_to_lists"]

_RULE = re.compile(r"\s*\|?(?:\s*:?-{2,}:?\s*\|){1,20}\s*(?::?-{2,}:?\s*)?$")
_WORDS = re.compile(
    r"(?!(?:yes|tie|draw|both|equal|even|response|assistant|answer|output|model)s?\b)[^\W\d_]{3,}|[^\x00-\u2fff]{2}", re.I
)
_BARE_SIDE = re.compile(r"[AB12]")
_WHOLE = re.compile(r"(?i)\W*(?:overall|total|verdict|winner|final|score)\b")
_LONGEST_ROW = 4000


def tables_to_lists(text: str) -> str:
    """The text with each row of a table as a list line, headed by its first cell, other cells by their columns."""
    if "|" not in text or "--" not in text:
        return text
    kept: list[str] = []
    columns: list[str] | None = None
    for line in text.split("\n"):
        short = line if len(line) <= _LONGEST_ROW else ""
        if columns is not None and short.count("|") > 1:
            kept += _row(columns, _cells(short))
            continue
        columns = None
        if short.count("|") > 1 and kept and _RULE.match(short) and kept[-1].count("|") > 1:
            columns = _cells(kept.pop())
            continue
        kept.append(line)
    return "\n".join(kept)


def _cells(row: str) -> list[str]:
    return [cell.strip(" *_`") for cell in row.strip().strip("|").split("|")]


def _row(columns: list[str], cells: list[str]) -> list[str]:
    told = [(column, cell) for column, cell in zip(columns[1:], cells[1:], strict=False) if cell]
    if _WHOLE.match(cells[0]) or not any(_WORDS.search(cell) for _, cell in told):
        return []
    parts = [f"{_name(column)}: {cell}" if column else cell for column, cell in told]
    return [f"- {cells[0]}: " + "; ".join(parts) if cells[0] else "- " + "; ".join(parts)]


def _name(column: str) -> str:
    return f"Response {column}" if _BARE_SIDE.fullmatch(column) else column
