"""Rows to disk while the event loop goes on: written at once, so that a kill loses none, and synced by a thread of its own."""

from __future__ import annotations

import threading
from typing import Any

from rationalerm.data.log import Log
from rationalerm.errors import RationalermError

__all__ = ["Writer"]

_GATHER_S = 0.05  # a sync costs a hundred times what a row costs


class Writer:
    """Writes in the order of `put`; a row outlives the process when `put` returns, and the machine a twentieth of a second later.

    The first failure (a full disk) is raised by the `put` that met it, by every later one, and by `close`, so that nothing more
    is paid for.
    """

    def __init__(self) -> None:
        self._error: RationalermError | None = None
        self._dirty: set[Log] = set()
        self._lock = threading.Lock()
        self._work, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="rationalerm-writer", daemon=True)
        self._thread.start()

    def put(self, log: Log, row: Any) -> None:
        """Writes a row. Raises the writer's error, if it has one."""
        if self._error:
            raise self._error
        try:
            log.write(row)
        except RationalermError as error:
            self._error = error
            raise
        with self._lock:
            self._dirty.add(log)
        self._work.set()

    def close(self) -> None:
        """Waits until all is on disk. Raises the writer's error, if it has one."""
        self._ending.set()
        self._work.set()
        self._thread.join()
        if self._error:
            raise self._error

    def _run(self) -> None:
        while not self._ending.is_set():
            self._work.wait()
            self._ending.wait(_GATHER_S)
            self._work.clear()
            self._sync()
        self._sync()

    def _sync(self) -> None:
        with self._lock:
            dirty, self._dirty = self._dirty, set()
        try:
            for log in dirty:
                log.sync()
        except RationalermError as error:
            self._error = self._error or error
