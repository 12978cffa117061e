"""Two files of responses -> one file of pairs, where no pairs exist yet: joined by id, or by prompt where a row has no id.

A row holds its prompt (`context`, `messages`, `prompt`, `question`, `instruction`) and its response (`response`, `output`, ...,
or the assistant's turn at the end of `messages`). Only the ids and places of one file's rows are in memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import orjson

from rationalerm.data.fields import Fields, cluster_of, messages_of, row_id
from rationalerm.data.jsonl import BadRow, Row, dumps, read_rows
from rationalerm.errors import DataError
from rationalerm.types import Message

__all__ = ["joined"]

_IDS = ("id", "uid", "question_id", "prompt_id")
_RESPONSES = ("response", "output", "answer", "completion", "generated_text", "text")
_PROMPTS = ("context", "messages", "prompt", "question", "instruction")
_NAMED = 5  # unmatched rows that a message names


class _Entry(NamedTuple):
    """One row of either file."""

    number: int
    id: str | None
    prompt: tuple[Message, ...]
    response: str
    domain: Any

    @property
    def name(self) -> str:
        return f"id {self.id!r}" if self.id is not None else f"row {self.number}"

    @property
    def prompt_key(self) -> str:
        return cluster_of(self.prompt, "")


@contextmanager
def joined(
    first: str | Path, second: str | Path, *, id_field: str = "id", response_field: str | None = None, skip_bad: bool = False
) -> Iterator[tuple[Path, list[str]]]:
    """A temporary file of pairs (`id`, `context`, `response1` from the first file, `response2` from the second).

    Yields:
        The file, removed on leaving, and the rows that were left out (with `skip_bad`), a line each.

    Raises:
        DataError: a bad or repeated row, or one without its counterpart (all of them named), unless `skip_bad`.
    """
    with tempfile.TemporaryDirectory(prefix="rationalerm-") as folder:
        path, copy = Path(folder) / "pairs.jsonl", Path(folder) / "second.jsonl"
        join = _Join(str(second))
        with copy.open("wb") as handle:
            join.index(_entries(second, id_field, response_field, skip_bad, join.left_out), handle)
        with path.open("wb") as out, copy.open("rb") as handle:
            for entry in _entries(first, id_field, response_field, skip_bad, join.left_out):
                if (pair := join.pair(entry, str(first), handle)) is not None:
                    out.write(dumps(pair) + b"\n")
        join.left_out += join.unused(str(first))
        if join.left_out and not skip_bad:
            shown = "; ".join(join.left_out[:_NAMED])
            more = f"; and {len(join.left_out) - _NAMED} more" if len(join.left_out) > _NAMED else ""
            raise DataError(f"{shown}{more}; mend them, or leave such rows out with --skip-bad", source="--candidates")
        if not path.stat().st_size:
            raise DataError(f"no pair is left ({'; '.join(join.left_out[:_NAMED])})", source="--candidates")
        yield path, join.left_out


class _Join:
    """The second file by id and by prompt; each of its rows is taken once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._by_id: dict[str, int] = {}
        self._by_prompt: dict[str, list[int]] = {}
        self._names: dict[int, str] = {}
        self.left_out: list[str] = []

    def index(self, entries: Iterator[_Entry], copy: IO[bytes]) -> None:
        """Copies the rows, so that each can be found again by its place."""
        for entry in entries:
            if entry.id is not None and entry.id in self._by_id:
                self.left_out.append(f"{self._name}: {entry.name} twice")
                continue
            place = copy.tell()
            copy.write(
                orjson.dumps([entry.number, entry.id, [[t.role, t.content] for t in entry.prompt], entry.response]) + b"\n"
            )
            self._names[place] = entry.name
            if entry.id is not None:
                self._by_id[entry.id] = place
            if entry.prompt:
                self._by_prompt.setdefault(entry.prompt_key, []).append(place)

    def pair(self, entry: _Entry, name: str, copy: IO[bytes]) -> dict[str, Any] | None:
        """The pair of a row of the first file; None where it is left out."""
        place = self._find(entry)
        if place is None or place not in self._names:
            why = f"has no counterpart in {self._name}" if place is None else "twice, or its counterpart is taken"
            self.left_out.append(f"{name}: {entry.name} {why}")
            return None
        copy.seek(place)
        _, _, turns, response = orjson.loads(copy.readline())
        other = tuple(Message(role, content) for role, content in turns)
        if entry.prompt and other and entry.prompt != other:
            self.left_out.append(f"{name}: {entry.name} has another prompt in {self._name}")
            return None
        del self._names[place]
        prompt = entry.prompt or other
        row = {
            "id": entry.id if entry.id is not None else str(entry.number),
            "context": [{"role": turn.role, "content": turn.content} for turn in prompt],
            "response1": entry.response,
            "response2": response,
        }
        return row if entry.domain is None else row | {"domain": entry.domain}

    def _find(self, entry: _Entry) -> int | None:
        if entry.id is not None and entry.id in self._by_id:
            return self._by_id[entry.id]
        if entry.id is not None and self._by_id:
            return None  # both files have ids: another row's response is no counterpart, though its prompt be the same
        places = self._by_prompt.get(entry.prompt_key, []) if entry.prompt else []
        return next((place for place in places if place in self._names), places[0] if places else None)

    def unused(self, first: str) -> list[str]:
        """The rows of the second file that no pair took."""
        return [f"{self._name}: {name} has no counterpart in {first}" for name in self._names.values()]


def _entries(
    path: str | Path, id_field: str, response_field: str | None, skip_bad: bool, left_out: list[str]
) -> Iterator[_Entry]:
    for row in read_rows(path, skip_bad=skip_bad):
        if isinstance(row, BadRow):
            left_out.append(str(row.error))
            continue
        try:
            yield _entry(row, id_field, response_field)
        except DataError as error:
            placed = DataError(error.message, source=str(path), row=row.number, field=error.field)
            if not skip_bad:
                raise placed from None
            left_out.append(str(placed))


def _entry(row: Row, id_field: str, response_field: str | None) -> _Entry:
    fields = Fields(row.value)
    turns = messages_of(_plain_turns(fields.first(*_PROMPTS)))
    response = fields.first(response_field) if response_field else fields.first(*_RESPONSES)
    if response is None and response_field is None and turns and turns[-1].role == "assistant":
        turns, response = turns[:-1], turns[-1].content
    if not isinstance(response, str):
        raise DataError("no such field with a text; point --response-field at the response", field=response_field or "response")
    value = fields.first(*((id_field,) if id_field != "id" else _IDS))
    return _Entry(row.number, None if value in (None, "") else row_id(value, row.number), turns, response, fields.first("domain"))


def _plain_turns(value: Any) -> Any:
    """Turns whose content is an object with the text in `answer` or `text`, as some arenas write it."""
    if not isinstance(value, list):
        return value
    return [_plain_turn(turn) for turn in value]


def _plain_turn(turn: Any) -> Any:
    content = turn.get("content") if isinstance(turn, dict) else None
    if not isinstance(content, dict):
        return turn
    return turn | {"content": next((content[name] for name in ("answer", "text") if isinstance(content.get(name), str)), None)}
