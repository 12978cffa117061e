"""Byte streams: looking at the first bytes of one that can't go back, and zstd. Knows nothing of what the bytes mean."""

from __future__ import annotations

import io
import zlib
from typing import IO, Any

import zstandard

__all__ = ["CHUNK", "UNPACKING", "peek", "zstd_reader"]

CHUNK = 1 << 20
UNPACKING = (EOFError, OSError, zlib.error, zstandard.ZstdError)  # what reading a damaged file raises


def peek(handle: IO[bytes], size: int) -> tuple[bytes, IO[bytes]]:
    """The first `size` bytes (fewer only at the end of the stream), and a stream that begins with them.

    A pipe's own `peek` gives what has arrived, which may be one byte.
    """
    head = handle.peek(size)[:size] if isinstance(handle, io.BufferedReader) else b""
    if len(head) == size:
        return head, handle
    head = handle.read(size)
    return head, io.BufferedReader(_Joined(head, handle), CHUNK)


def zstd_reader(handle: IO[bytes]) -> IO[bytes]:
    """A zstd stream of any number of frames, unpacked."""
    return io.BufferedReader(_Zstd(handle), CHUNK)


class _Raw(io.RawIOBase):
    """A stream made of blocks; subclasses say where the next one comes from."""

    def __init__(self) -> None:
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        while not self._ready and self._more():
            pass
        count = min(len(target), len(self._ready))
        target[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _more(self) -> bool:
        """Fills `_ready`, perhaps with nothing; False at the end."""
        raise NotImplementedError


class _Joined(_Raw):
    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._ready = memoryview(head)
        self._rest = rest

    def _more(self) -> bool:
        read = getattr(self._rest, "read1", self._rest.read)
        self._ready = memoryview(read(CHUNK))
        return len(self._ready) > 0


class _Zstd(_Raw):
    """A frame that does not end is an error; the library's own reader takes it for the end of the file."""

    def __init__(self, handle: IO[bytes]) -> None:
        super().__init__()
        self._handle = handle
        self._frame: Any = None
        self._packed = b""

    def _more(self) -> bool:
        self._packed = self._packed or self._handle.read(CHUNK // 16)
        if not self._packed:
            if self._frame is not None:
                raise EOFError("the last zstd frame does not end")
            return False
        self._frame = self._frame or zstandard.ZstdDecompressor().decompressobj()
        self._ready = memoryview(self._frame.decompress(self._packed))
        self._packed = b""
        if self._frame.eof:
            self._packed, self._frame = self._frame.unused_data, None
        return True
