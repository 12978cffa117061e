"""Every rule about a field of a row: its name in any case, a list of reasons, a conversation, an id.

Each reader raises `DataError` with the field's name; the caller knows file and row. Knows no data set.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from rationalerm.errors import DataError
from rationalerm.types import Message

__all__ = ["Fields", "cluster_of", "messages_of", "reason_list", "row_id", "text_of"]


class Fields(Mapping[str, Any]):
    """A row whose names are found in any case; an exact name wins over one in another case."""

    __slots__ = ("_exact", "_lower")

    def __init__(self, row: dict[str, Any]) -> None:
        self._exact = row
        self._lower = {key.lower(): key for key in row}

    def name(self, wanted: str) -> str | None:
        """The field's name as it stands in the row, or None."""
        return wanted if wanted in self._exact else self._lower.get(wanted.lower())

    def first(self, *wanted: str) -> Any:
        """The value of the first of the names that is there, else None."""
        for name in wanted:
            if (found := self.name(name)) is not None:
                return self._exact[found]
        return None

    def __getitem__(self, wanted: str) -> Any:
        name = self.name(wanted)
        if name is None:
            raise KeyError(wanted)
        return self._exact[name]

    def __contains__(self, wanted: object) -> bool:
        return isinstance(wanted, str) and self.name(wanted) is not None

    def __iter__(self) -> Any:
        return iter(self._exact)

    def __len__(self) -> int:
        return len(self._exact)


def reason_list(value: Any, field: str) -> tuple[str, ...]:
    """A checklist as a tuple of non-blank strings; null is empty.

    Raises:
        DataError: a string (it would be walked letter by letter), or an item that is not a string.
    """
    if value is None:
        return ()
    if isinstance(value, str):
        raise DataError("is a string, not a list; split it into a list of reasons", field=field)
    if not isinstance(value, (list, tuple)):
        raise DataError("is not a list of strings", field=field)
    for number, item in enumerate(value, 1):
        if not isinstance(item, str):
            raise DataError(f"item {number} is {type(item).__name__}, not a string; take it out or write it as text", field=field)
    return tuple(text for item in value if (text := item.strip()))


def text_of(value: Any, field: str) -> str | None:
    """A text, or None for null. Raises DataError for anything but a string."""
    if value is None or isinstance(value, str):
        return value
    raise DataError(f"is {type(value).__name__}, not a string", field=field)


def messages_of(value: Any, field: str = "context") -> tuple[Message, ...]:
    """A conversation: a string (one user turn) or a list of {role, content}, all turns in order."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (Message("user", value),)
    if not isinstance(value, list):
        raise DataError("is neither a string nor a list of {role, content}", field=field)
    return tuple(_message(turn, field) for turn in value)


def row_id(value: Any, row: int) -> str:
    """The row's id as text; its number where it has none."""
    if value is None or value == "":
        return str(row)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise DataError("is neither text nor a number", field="id")
    return str(value)


def cluster_of(messages: Iterable[Message], fallback: str) -> str:
    """Equal for rows that share a prompt: such rows are not independent, so intervals resample them together."""
    joined = "\x1e".join(f"{message.role}\x1f{message.content}" for message in messages)
    return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:16] if joined else fallback


def _message(turn: Any, field: str) -> Message:
    if isinstance(turn, str):
        return Message("user", turn)
    if not isinstance(turn, dict):
        raise DataError("holds a turn that is not an object", field=field)
    content = turn.get("content")
    if isinstance(content, list):  # the parts form of chat APIs
        content = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if content is not None and not isinstance(content, str):
        raise DataError("holds a turn whose content is not text", field=field)
    return Message(str(turn.get("role") or "user"), content or "")
