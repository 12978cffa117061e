"""JSON lines files that grow: appended and synced, torn tails repaired, rewrites atomic, each OS error one line. Knows nothing of
runs, nor of what the rows mean.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, TypeVar

import orjson

from rationalerm.data.jsonl import dumps
from rationalerm.errors import DataError

__all__ = ["Log", "OneLine", "replace_file", "whole_lines", "write_lines"]

K = TypeVar("K", bound=Hashable)


class Log:
    """An append-only JSON lines file. The first `add` repairs a torn tail; each syncs to disk before it returns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn: list[int] = []  # numbers of lines in the middle that don't parse
        self._handle: IO[bytes] | None = None
        self._end = 0  # of the file, as far as it was written whole
        self._lines = 0

    def rows(self) -> Iterator[dict[str, Any]]:
        """The whole lines, in order; broken ones are left out and their numbers kept in `torn`."""
        return (row for row, _, _ in self.placed())

    def settle(self, key: Callable[[dict[str, Any]], K], place: Callable[[K], Any]) -> None:
        """Leaves the last row of each key, sorted by `place`, without broken lines; memory is that of the keys.

        A file that is so already is left alone.
        """
        last: dict[K, tuple[int, int]] = {}
        lines = 0
        for row, start, end in self.placed():
            last[key(row)] = start, end
            lines += 1
        order = sorted(last, key=place)
        starts = [last[one][0] for one in order]
        if not self.torn and len(order) == lines and starts == sorted(starts):
            return
        self.close()
        with self.path.open("rb") as handle:
            replace_file(self.path, (_piece(handle, *last[one]) for one in order))

    def placed(self) -> Iterator[tuple[dict[str, Any], int, int]]:
        """The whole lines with the bytes where they begin and end; the numbers of broken ones go to `torn`."""
        self.torn = []
        try:
            handle = self.path.open("rb")
        except FileNotFoundError:
            return
        with handle:
            for number, row, start, end in whole_lines(handle):
                self._lines = number
                if row is None:
                    self.torn.append(number)
                else:
                    yield row, start, end

    def add(self, rows: Iterable[Any]) -> None:
        """Appends a batch and syncs it. A batch that could not be written whole is taken back, so that no half line stays."""
        self._append(rows, sync=True)

    def write(self, row: Any) -> None:
        """Appends one row, which outlives the process from here on; `sync` makes it outlive the machine."""
        self._append([row], sync=False)

    def sync(self) -> None:
        """Puts what was written on the disk itself."""
        if self._handle is not None:
            with OneLine(self.path):
                os.fsync(self._handle.fileno())

    def complaints(self) -> list[str]:
        """A line for each broken line in the middle that the last reading met. A broken last line is what a kill leaves."""
        return [f"{self.path}: line {number} is broken; its row is done again" for number in self.torn if number < self._lines]

    def _append(self, rows: Iterable[Any], *, sync: bool) -> None:
        data = b"".join(dumps(row) + b"\n" for row in rows)
        if not data:
            return
        with OneLine(self.path):
            if self._handle is None:
                _mend_tail(self.path)
                self._handle = self.path.open("ab", buffering=0)
                self._end = self._handle.seek(0, os.SEEK_END)
            try:
                _write_all(self._handle, data)
                if sync:
                    os.fsync(self._handle.fileno())
                self._end += len(data)
            except OSError:
                self._handle.truncate(self._end)
                raise

    def close(self) -> None:
        """Closes the file; `add` opens it again."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None


def whole_lines(handle: IO[bytes]) -> Iterator[tuple[int, dict[str, Any] | None, int, int]]:
    """Each line's number, row (None: broken), and the bytes where it begins and ends; lines that are no object are left out."""
    end = 0
    for number, line in enumerate(handle, 1):
        start, end = end, end + len(line)
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            yield number, None, start, end
            continue
        if isinstance(value, dict):
            yield number, value, start, end


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """Writes a JSON lines file of its own at once or not at all."""
    replace_file(path, (dumps(row) + b"\n" for row in rows))


class OneLine:
    """Turns an OS error into one line that names the file and says what to do."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, OSError):
            return
        advice = {
            errno.ENOSPC: "the disk is full; free some room and run the same command again, finished rows are kept",
            errno.EEXIST: "is a file; --out names a folder",
            errno.ENOTDIR: "is a file; --out names a folder",
        }.get(error.errno or 0, f"can't be written: {error.strerror}")
        raise DataError(advice, source=str(self._path)) from None


def _piece(handle: IO[bytes], start: int, end: int) -> bytes:
    handle.seek(start)
    return handle.read(end - start).rstrip(b"\n") + b"\n"


def _write_all(handle: IO[bytes], data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[handle.write(view) :]


def replace_file(path: Path, chunks: Iterable[bytes]) -> None:
    """Writes a file at once or not at all."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    with OneLine(path):
        try:
            with fresh.open("wb") as handle:
                for chunk in chunks:
                    handle.write(chunk)
                handle.flush()
                os.fsync(handle.fileno())
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)


def _mend_tail(path: Path) -> None:
    """Ends the last line: what a kill left half written is cut off; a whole one, which was read as finished, gets its newline."""
    if not path.exists():
        return
    with OneLine(path), path.open("r+b") as handle:
        size = end = handle.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - 65536)
            handle.seek(start)
            if (cut := handle.read(end - start).rfind(b"\n")) >= 0:
                end = start + cut + 1
                break
            end = start
        if end == size:
            return
        handle.seek(end)
        try:
            orjson.loads(handle.read())
        except orjson.JSONDecodeError:
            handle.truncate(end)
        else:
            handle.write(b"\n")
