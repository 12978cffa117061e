"""An event loop in a thread of its own, so that sync code can ask, inside a running event loop too (notebooks, trainers)."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["run_in_loop", "the_loop"]

T = TypeVar("T")

_lock = threading.Lock()
_made: tuple[int, asyncio.AbstractEventLoop] | None = None


def the_loop() -> asyncio.AbstractEventLoop:
    """The process's background loop; a forked child gets its own."""
    global _made
    with _lock:
        if _made is None or _made[0] != os.getpid():
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="rationalerm-loop", daemon=True).start()
            _made = os.getpid(), loop
        return _made[1]


def run_in_loop(work: Coroutine[Any, Any, T]) -> T:
    """Runs it to its end. On Ctrl-C it is cancelled and has come to its end before KeyboardInterrupt goes on."""
    future = asyncio.run_coroutine_threadsafe(work, the_loop())
    ended = threading.Event()
    future.add_done_callback(lambda _: ended.set())
    try:
        return future.result()
    except BaseException:
        if not future.done():
            future.cancel()
            ended.wait(_CLOSING_S)
        raise


_CLOSING_S = 10.0
