"""Bytes to rows: JSON lines, a JSON list, gzip or zstd around either, or stdin; streamed, with the row number of each.

Lines end at "\\n" and nowhere else, since U+2028, U+0085 and their kind stand unescaped inside JSON strings. Knows nothing of
what the rows mean.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

import orjson

from rationalerm.data.listfile import list_items
from rationalerm.data.streams import CHUNK, UNPACKING, peek, zstd_reader
from rationalerm.errors import DataError

__all__ = ["BadRow", "Row", "dumps", "open_bytes", "read_rows"]

_LFS = b"version https://git-lfs.github.com/spec/"
_ENCODINGS = [
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
    (b"\x00", "UTF-16 or UTF-32"),
    (b"{\x00", "UTF-16"),
    (b"[\x00", "UTF-16"),
]
_BOM = b"\xef\xbb\xbf"


class Row(NamedTuple):
    """A row as it stands in the file. `number` is 1-based: the line, or the item of a JSON list."""

    number: int
    value: dict[str, Any]


class BadRow(NamedTuple):
    """A row that can't be read, for callers that go on (`--skip-bad`)."""

    number: int
    error: DataError


@contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """Opens a file for reading, unpacked by its content (not its name); `-` is stdin.

    Raises:
        DataError: missing, a folder, unreadable, empty, a Git LFS pointer, or UTF-16.
    """
    name = _name(path)
    if str(path) == "-":
        yield _checked(_unpacked(sys.stdin.buffer, name), name)
        return
    try:
        handle = Path(path).open("rb")  # noqa: SIM115 (errors of opening and of reading are told apart)
    except IsADirectoryError:
        raise DataError("is a folder; name a file in it", source=name) from None
    except FileNotFoundError:
        raise DataError("no such file", source=name) from None
    except OSError as error:
        raise DataError(f"can't be opened: {error.strerror}", source=name) from None
    with handle:
        yield _checked(_unpacked(handle, name), name)


def read_rows(path: str | Path, *, skip_bad: bool = False) -> Iterator[Row | BadRow]:
    """Streams the rows of a file.

    Args:
        path: a `.jsonl` file, a `.json` list, either of them in gzip or zstd, or `-`.
        skip_bad: yield a `BadRow` for a row that can't be read and go on, instead of raising.

    Yields:
        `Row`s in file order; `BadRow`s only with `skip_bad`.

    Raises:
        DataError: the file can't be read at all, or (without `skip_bad`) one of its rows can't.
    """
    name = _name(path)
    with open_bytes(path) as handle:
        try:
            head, handle = peek(handle, 4096)
            reader = _json_list if head.lstrip()[:1] == b"[" else _json_lines
            yield from reader(handle, name, skip_bad)
        except UNPACKING as error:
            raise DataError(f"can't be read to its end: {error}", source=name) from None


def dumps(value: Any) -> bytes:
    """One JSON line, without the newline. NaN and infinity become null; separators that break line readers are escaped."""
    data = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    if b"\xc2\x85" in data or b"\xe2\x80\xa8" in data or b"\xe2\x80\xa9" in data:
        data = data.replace(b"\xc2\x85", b"\\u0085").replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
    return data


def _name(path: str | Path) -> str:
    return "stdin" if str(path) == "-" else str(path)


def _unpacked(handle: IO[bytes], name: str) -> IO[bytes]:
    head, handle = peek(handle, 4)
    if head.startswith(b"\x1f\x8b"):
        return io.BufferedReader(gzip.GzipFile(fileobj=handle), CHUNK)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return zstd_reader(handle)
    if head.startswith(b"PK\x03\x04"):
        raise DataError("is a zip archive; unpack it first", source=name)
    return handle


def _checked(handle: IO[bytes], name: str) -> IO[bytes]:
    try:
        head, handle = peek(handle, 64)
    except UNPACKING as error:
        raise DataError(f"can't be unpacked: {error}", source=name) from None
    for mark, encoding in _ENCODINGS:
        if head.startswith(mark):
            raise DataError(f"is {encoding}, not UTF-8; convert it, e.g. `iconv -f UTF-16 -t UTF-8`", source=name)
    if head.startswith(_LFS):
        raise DataError("is a Git LFS pointer, not the data; run `git lfs pull` where it came from", source=name)
    if head.startswith(_BOM):
        handle.read(len(_BOM))
        head = head[len(_BOM) :]
    if not head:
        raise DataError("is empty", source=name)
    return handle


def _json_lines(handle: IO[bytes], name: str, skip_bad: bool) -> Iterator[Row | BadRow]:
    for number, line in enumerate(handle, 1):
        if line.strip():
            yield from _row(line, name, number, skip_bad)


def _json_list(handle: IO[bytes], name: str, skip_bad: bool) -> Iterator[Row | BadRow]:
    number = 0
    try:
        for number, item in enumerate(list_items(handle), 1):
            yield from _row(item, name, number, skip_bad)
    except ValueError as error:
        raise DataError(f"is not JSON: {error}", source=name, row=number + 1) from None


def _row(data: bytes, name: str, number: int, skip_bad: bool) -> Iterator[Row | BadRow]:
    try:
        yield Row(number, _object(data, name, number))
    except DataError as error:
        if not skip_bad:
            raise
        yield BadRow(
            number, DataError(error.message, source=name, row=number)
        )  # a raised one keeps its frames, and they the line


def _object(line: bytes, name: str, number: int) -> dict[str, Any]:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        value = _second_reading(line, name, number, str(error))
    if not isinstance(value, dict):
        raise DataError(f"is {_kind(value)}, not an object", source=name, row=number)
    return value


def _second_reading(line: bytes, name: str, number: int, problem: str) -> Any:
    """What the fast reader refuses and is still good: half surrogates, which model output is full of, as U+FFFD."""

    def no_constant(text: str) -> NoReturn:
        raise DataError(f"holds {text}, which is not JSON; write null", source=name, row=number)

    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 at byte {error.start}", source=name, row=number) from None
    try:
        value = json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError):
        problem = problem.split(": line")[0]
        raise DataError(f"is not JSON ({problem}): {_shown(text)}", source=name, row=number) from None
    return _without_surrogates(value)


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


def _kind(value: object) -> str:
    names = {list: "a list", str: "a string", bool: "true/false", int: "a number", float: "a number", type(None): "null"}
    return names.get(type(value), type(value).__name__)


def _shown(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= 40 else text[:37] + "...")
