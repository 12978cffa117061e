"""An event loop in a thread of its own, so that sync code can ask, inside a running event loop too (notebooks, trainers)."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["LOOP_THREAD", "run_in_loop", "the_loop"]

T = TypeVar("T")

LOOP_THREAD = "rationalerm-loop"
_CLOSING_S = 10.0  # how long an interrupted run may take to close what is open

_lock = threading.Lock()
_made: tuple[int, asyncio.AbstractEventLoop, threading.Thread] | None = None


def the_loop() -> asyncio.AbstractEventLoop:
    """The process's background loop; a forked child gets its own."""
    return _running()[0]


def run_in_loop(work: Coroutine[Any, Any, T]) -> T:
    """Runs it to its end. On Ctrl-C it is cancelled and has come to its end before KeyboardInterrupt goes on."""
    loop, thread = _running()
    if threading.current_thread() is thread:
        work.close()
        raise RuntimeError("this runs in rationalerm's own event loop, which can't wait for itself; await the async form")
    tasks: list[asyncio.Task[T]] = []
    ended = threading.Event()

    def start() -> None:
        tasks.append(loop.create_task(work))
        tasks[0].add_done_callback(lambda _: ended.set())

    loop.call_soon_threadsafe(start)
    try:
        ended.wait()
    except BaseException:
        loop.call_soon_threadsafe(lambda: tasks[0].cancel())
        if ended.wait(_CLOSING_S) and not tasks[0].cancelled():
            tasks[0].exception()  # what it raised on its way out is of no interest now
        raise
    return tasks[0].result()


def _running() -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
    global _made
    with _lock:
        if _made is None or _made[0] != os.getpid():
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name=LOOP_THREAD, daemon=True)
            thread.start()
            _made = os.getpid(), loop, thread
        return _made[1], _made[2]


def _after_fork() -> None:
    """Another thread of the parent may have held the lock."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
