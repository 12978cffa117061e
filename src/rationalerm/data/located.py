"""Rows of a JSON lines file by key, read again when they are asked for: memory is that of the keys, not of the texts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

import orjson

from rationalerm.data.log import whole_lines

__all__ = ["Located"]

K = TypeVar("K", bound=Hashable)


class Located(Generic[K]):
    """The last whole row of each key; `with` it, or `close` it.

    A file that is not there has none. One that grows, or is replaced, meanwhile gives what it held when it was opened.

    Args:
        path: the file.
        key: a row's key; None leaves the row out.
    """

    def __init__(self, path: Path, key: Callable[[dict[str, Any]], K | None]) -> None:
        self.path = path
        self._places: dict[K, tuple[int, int]] = {}
        try:
            self._handle: IO[bytes] | None = path.open("rb")
        except FileNotFoundError:
            self._handle = None
            return
        for _, row, start, end in whole_lines(self._handle):
            if row is not None and (found := key(row)) is not None:
                self._places[found] = start, end

    def __enter__(self) -> Located[K]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __iter__(self) -> Iterator[K]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def get(self, key: K) -> dict[str, Any] | None:
        """A row; None where the file has none of that key."""
        place = self._places.get(key)
        if place is None or self._handle is None:
            return None
        self._handle.seek(place[0])
        value = orjson.loads(self._handle.read(place[1] - place[0]))
        assert isinstance(value, dict)
        return value

    def close(self) -> None:
        """Closes the file."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None
