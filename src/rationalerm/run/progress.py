"""How far a run is: one line on stderr, in place on a terminal, every ten seconds elsewhere. Silent under two seconds."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from rationalerm.errors import printable

__all__ = ["Progress", "say", "say_unmatched"]

_QUIET_S, _TTY_S, _PLAIN_S = 2.0, 0.2, 10.0


def say(line: str) -> None:
    """A line on stderr, for what the user should know before it goes on."""
    print(f"rationalerm: {printable(line)}", file=sys.stderr)  # noqa: T201


def say_unmatched(rows: int, feedback: object) -> None:
    """That rows have no row in the feedback file: their reasons come from the comparisons alone."""
    if rows:
        say(f"{rows} rows have no row in {feedback} (the same context, response1 and response2): only their comparisons are read")


class Progress:
    """Counts rows.

    Args:
        what: the word for what is counted.
        total: how many there will be, where known.
        stream: where the line goes.
    """

    def __init__(self, what: str, total: int | None = None, stream: TextIO | None = None) -> None:
        self._what, self._total, self._stream = what, total, stream or sys.stderr
        self._tty = self._stream.isatty()
        self._start = time.monotonic()
        self._next = self._start + _QUIET_S
        self._shown = False
        self.done = 0

    def add(self, count: int) -> None:
        """So many more are done."""
        self.done += count
        now = time.monotonic()
        if now >= self._next:
            self._next = now + (_TTY_S if self._tty else _PLAIN_S)
            self._show(now)

    def close(self) -> None:
        """Ends the line."""
        if self._shown and self._tty:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _show(self, now: float) -> None:
        rate = self.done / (now - self._start)
        of = f"/{self._total}" if self._total else ""
        left = f", {(self._total - self.done) / rate:.0f} s left" if self._total and rate else ""
        line = f"{self.done}{of} {self._what}, {rate:.0f}/s{left}"
        self._stream.write(f"\r\x1b[K{line}" if self._tty else f"{line}\n")
        self._stream.flush()
        self._shown = True
