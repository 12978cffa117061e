"""A JSON list as a stream of its items' bytes, whatever the file's size and however hostile its nesting.

Our own, since the streaming parser at hand keeps a path string a level: 200 KB of "[" makes it ask for tens of gigabytes. Only
the borders between items are found here; a real parser reads each item. Knows nothing of rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

__all__ = ["MAX_DEPTH", "list_items"]

MAX_DEPTH = 1000
_CHUNK = 1 << 20
_TOKEN = re.compile(rb'["\[\]{},]')


def list_items(handle: IO[bytes]) -> Iterator[bytes]:
    """Yields the bytes between the list's commas, in order; memory is one item and one chunk.

    Raises:
        ValueError: the list doesn't end, something stands behind it, or it nests deeper than 1000.
    """
    scan = _Scan()
    while chunk := handle.read(_CHUNK):
        yield from scan.feed(chunk)
    if not scan.closed:
        raise ValueError("the file ends inside the list")


class _Scan:
    """Where the scan stands between two chunks."""

    def __init__(self) -> None:
        self.closed = False
        self._buffer = bytearray()
        self._at = 0  # scanned up to here
        self._item = 0  # the current item's first byte
        self._depth = 0
        self._in_string = False
        self._comma = False  # a comma stands before the current item

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Scans on over a chunk; yields the items that end in it, without the commas.

        Raises:
            ValueError: something stands behind the list, or it nests deeper than 1000.
        """
        self._buffer += chunk
        while self._open_ended() and self._advance():
            token = self._buffer[self._at - 1]
            if token == 0x22:  # "
                self._in_string = not self._in_string
            elif token in b"[{":
                self._open()
            elif (token in b"]}" and self._close()) or (token == 0x2C and self._depth == 1):
                item = bytes(self._buffer[self._item : self._at - 1])
                self._item = self._at
                if item.strip() or self._comma or not self.closed:  # the empty list has no item, `[1,]` has a bad one
                    yield item
                self._comma = True
        del self._buffer[: self._item]
        self._at -= self._item
        self._item = 0
        if self.closed and self._buffer.strip():
            raise ValueError("something stands behind the list")

    def _open_ended(self) -> bool:
        return not self.closed

    def _advance(self) -> bool:
        """Moves just behind the next token; inside a string only its end is one."""
        if self._in_string:
            return self._string_end()
        found = _TOKEN.search(self._buffer, self._at)
        self._at = found.end() if found else len(self._buffer)
        return found is not None

    def _string_end(self) -> bool:
        while (quote := self._buffer.find(b'"', self._at)) >= 0:
            self._at = quote + 1
            back = quote
            while back > self._item and self._buffer[back - 1] == 0x5C:  # backslash
                back -= 1
            if (quote - back) % 2 == 0:
                return True
        self._at = len(self._buffer)
        return False

    def _open(self) -> None:
        self._depth += 1
        if self._depth == 1:
            self._item = self._at
        elif self._depth > MAX_DEPTH:
            raise ValueError(f"nests deeper than {MAX_DEPTH}")

    def _close(self) -> bool:
        self._depth -= 1
        self.closed = self._depth == 0
        return self.closed
