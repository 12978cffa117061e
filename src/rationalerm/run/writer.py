"""Rows to disk from a thread of its own: what has gathered is written and synced at once, while the event loop goes on."""

from __future__ import annotations

import queue
import threading
import time
from collections import defaultdict
from typing import Any

from rationalerm.data.rundir import Log
from rationalerm.errors import RationalermError

__all__ = ["Writer"]

_MOST = 512  # rows a sync
_GATHER_S = 0.02  # a sync costs more than a row; without the cache a kill loses what is in flight and what came in this time


class Writer:
    """Writes in the order of `put`.

    The first failure (a full disk) is kept: every later `put` and `close` raises it, so that nothing more is paid for.
    """

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[tuple[Log, Any] | None] = queue.SimpleQueue()
        self._error: RationalermError | None = None
        self._thread = threading.Thread(target=self._run, name="rationalerm-writer")
        self._thread.start()

    def put(self, log: Log, row: Any) -> None:
        """Hands a row over. Raises the writer's error, if it has one."""
        if self._error:
            raise self._error
        self._queue.put((log, row))

    def close(self) -> None:
        """Waits until all is on disk. Raises the writer's error, if it has one."""
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()
        if self._error:
            raise self._error

    def _run(self) -> None:
        going = True
        while going:
            items = [self._queue.get()]
            if items[0] is not None:
                time.sleep(_GATHER_S)
            while len(items) < _MOST and not self._queue.empty():
                items.append(self._queue.get())
            going = None not in items
            rows: dict[Log, list[Any]] = defaultdict(list)
            for item in items:
                if item is not None:
                    rows[item[0]].append(item[1])
            if self._error is None:
                self._write(rows)

    def _write(self, rows: dict[Log, list[Any]]) -> None:
        try:
            for log, of in rows.items():
                log.add(of)
        except RationalermError as error:
            self._error = error
        except BaseException as error:  # whatever it is, it must reach the run and not end in this thread
            self._error = RationalermError(f"can't write results: {error}")
