"""The error tree. Every error is one line: what, where (file, row, field), what to do.

    RationalermError          base; str(e) is the line a person reads
    ├── UsageError            wrong options, or a choice that only the user can make        exit 2
    ├── DataError             a file, row or field that can't be read as it stands          exit 2
    ├── ParseError            a matcher's answer that can't be read; names the line         counted, or exit 2
    ├── MatcherError          a matcher that can't do its work (missing model file, ...)    exit 2
    ├── ResumeError           a run directory that holds another configuration's rows       exit 2
    └── StoppedError          an endpoint, quota or budget that ends the run early          exit 3, results kept

`exit_code` is what the command line returns for it. A judge's malformed answer is not an error: it is a `Judgment` with a
status. Knows nothing of files, judges or scores.
"""

from __future__ import annotations

import unicodedata

__all__ = [
    "DataError",
    "MatcherError",
    "ParseError",
    "RationalermError",
    "ResumeError",
    "StoppedError",
    "UsageError",
    "printable",
]


def printable(text: str) -> str:
    """One line that a terminal shows as it is: control, format and direction characters (of an id, a judge's name) as escapes.

    >>> printable("evil\\x1b[31m\\nname")
    'evil\\\\x1b[31m\\\\nname'
    """
    if text.isprintable():
        return text
    return "".join(c if unicodedata.category(c)[0] != "C" else c.encode("unicode_escape").decode() for c in text)


class RationalermError(Exception):
    """Base of all errors that this package raises on purpose."""

    exit_code = 2


class UsageError(RationalermError):
    """Wrong options, or a choice that only the user can make."""


class DataError(RationalermError):
    """Bad input. `where` says file, row and field as far as they are known.

    Args:
        message: what is wrong and what to do, without the place.
        source: the file as the user named it.
        row: 1-based line (JSONL) or item (JSON list).
        field: the field's name in the file.
    """

    def __init__(self, message: str, *, source: str | None = None, row: int | None = None, field: str | None = None) -> None:
        self.message, self.source, self.row, self.field = message, source, row, field
        super().__init__(self._line())

    def _line(self) -> str:
        place = [self.source] if self.source else []
        if self.row is not None:
            place.append(f"row {self.row}")
        if self.field is not None:
            place.append(f"field {self.field!r}")
        return f"{', '.join(place)}: {self.message}" if place else self.message


class ParseError(RationalermError):
    """A matcher's answer that can't be read.

    Args:
        message: what is wrong, with the line quoted.
        line: 1-based line of the answer, where one line is to blame.
    """

    def __init__(self, message: str, *, line: int | None = None) -> None:
        self.line = line
        super().__init__(f"line {line}: {message}" if line is not None else message)


class MatcherError(RationalermError):
    """A matcher that can't do its work at all (a failure on one row is a status, not this)."""


class ResumeError(RationalermError):
    """A run directory that holds rows of another configuration."""


class StoppedError(RationalermError):
    """The run can't go on: key refused, no such model, quota or budget used up, a dead endpoint. What is finished is kept."""

    exit_code = 3
