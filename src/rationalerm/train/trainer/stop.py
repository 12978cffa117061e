"""Ctrl-C and SIGTERM in a training: an end after the update at hand, with a checkpoint. Knows nothing of trainers."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

from rationalerm.run.progress import say

__all__ = ["Stop"]


class Stop:
    """SIGINT and SIGTERM while it is entered: the first asks for an end after the update at hand, the second ends at once."""

    def __init__(self) -> None:
        self.wanted = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Stop:
        try:
            for name in (signal.SIGINT, signal.SIGTERM):
                self._before[name] = signal.signal(name, self._asked)
        except ValueError:  # not the main thread: whoever runs us there ends us
            pass
        return self

    def __exit__(self, *_: object) -> None:
        for name, handler in self._before.items():
            signal.signal(name, handler)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        if self.wanted:
            raise KeyboardInterrupt
        self.wanted = True
        say("stopping after the update at hand, with a checkpoint (again: at once)")
