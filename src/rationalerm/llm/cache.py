"""Answers that were paid for, kept for every later run; each request in flight is sent once, by one task of one process.

`lookup` gives the stored answer or the claim on its key: whoever has the claim asks the endpoint and ends it with `put` or
`release`. Everybody else who wants that key waits. This module is the event loop's half: which task of this process gets what.
The file's half is `cache_thread`. Knows nothing of requests: the caller gives keys and answers.

    if (answer := await cache.lookup(key)) is None:     # ours to ask
        try:
            answer = await ask()
        except BaseException:
            await cache.release(key)
            raise
        await cache.put(key, answer)                    # on disk before it counts
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
import weakref
import zlib
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from rationalerm.data.caching import cache_folder
from rationalerm.errors import DataError
from rationalerm.llm.cache_admin import CacheStats, stats
from rationalerm.llm.cache_store import Entry
from rationalerm.llm.cache_thread import CacheThread, Job, Kind

__all__ = ["Cache", "cache_file"]


def cache_file() -> Path:
    """Where the answers are: chat.sqlite in the cache folder.

    Raises:
        DataError: there is no home folder to put it in.
    """
    return cache_folder("use --no-cache") / "chat.sqlite"


class _Flight:
    """A key that this process looks up, holds or stores, and the tasks that wait for it (the one that looks it up too)."""

    __slots__ = ("state", "waiters")

    def __init__(self) -> None:
        self.state = "looking"  # then "held" by one task, then "storing"
        self.waiters: deque[asyncio.Future[bytes | None]] = deque()


class Cache:
    """An open cache. Belongs to one process, and to the event loop that first awaits it.

    Args:
        path: the file; default `cache_file()`.

    Raises:
        DataError: here or from any await: the file can't be used; one line says what to do. It stays so.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = cache_file() if path is None else Path(path)
        self._thread = CacheThread(self.path)
        self._pid = os.getpid()
        self._flights: dict[str, _Flight] = {}
        self._outbox: list[Job] = []
        self._closed = False
        weakref.finalize(self, self._thread.stop)  # forgotten, or the interpreter ends: what is queued is written

    async def lookup(self, key: str) -> dict[str, Any] | None:
        """The stored answer; or None: the key is the caller's to ask for, and to end with `put` or `release`.

        Waits while another task or another live process has it. A cancelled lookup leaves no claim behind.
        """
        loop = self._usable()
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = _Flight()
            looking = flight
            self._send(Job(Kind.LOOK, key, lambda answer, error: self._looked(key, looking, answer, error)))
        future: asyncio.Future[bytes | None] = loop.create_future()
        flight.waiters.append(future)
        try:
            answer = await future
        except BaseException:
            self._left(key, flight, future)
            raise
        return None if answer is None else orjson.loads(answer)

    async def put(self, key: str, answer: dict[str, Any]) -> None:
        """Keeps an answer and ends the claim; returns once it is on disk, and is done even if its task is cancelled.

        Args:
            key: its key.
            answer: what JSON can hold; "model", "endpoint", "prompt", "prompt_tokens" and "completion_tokens" are counted.
        """
        try:
            loop, data = self._usable(), orjson.dumps(answer)
            entry = _entry(key, answer, data)
        except BaseException:
            await self.release(key)
            raise
        flight = self._flights.get(key)
        if flight is not None and flight.state == "held":
            flight.state = "storing"
        stored: asyncio.Future[None] = loop.create_future()

        def done(_: bytes | None, error: Exception | None) -> None:
            self._settle(key, flight, data, error)
            _resolve(stored, None, error)

        self._send(Job(Kind.PUT, key, done, entry))
        await stored

    async def release(self, key: str) -> None:
        """No answer came: the next task or process that waits may ask. Raises nothing: its caller has an error of its own."""
        flight = self._flights.get(key)
        if flight is None or flight.state != "held":  # a put that was cancelled on its way ends the claim by itself
            return
        if error := self._thread.error:
            self._settle(key, flight, None, error)
        elif job := self._hand_on(key, flight):
            with contextlib.suppress(DataError, RuntimeError):
                await self._sent(job)

    async def reject(self, keys: Iterable[str]) -> None:
        """Answers that no reader could use: they stay, since they were paid for, but are never served again."""
        jobs = [Job(Kind.REJECT, key) for key in keys]
        if jobs:
            for job in jobs[:-1]:
                self._send(job)
            await self._sent(jobs[-1])

    async def close(self) -> None:
        """Finishes what is queued, gives up all claims, closes the file. May be called again."""
        self._closed = True
        self._flush()
        await asyncio.to_thread(self._thread.stop)
        for key, flight in list(self._flights.items()):  # whoever waits for a task that will not come back
            self._settle(key, flight, None, RuntimeError("the cache is closed"))

    def stats(self) -> CacheStats:
        """What the file holds."""
        return stats(self.path)

    def _usable(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.get_running_loop()
        if self._thread.loop is None:
            self._thread.loop = loop
        if self._thread.loop is not loop or self._pid != os.getpid():
            raise RuntimeError("a Cache belongs to one event loop and one process; open another one")
        if error := self._thread.error or (RuntimeError("the cache is closed") if self._closed else None):
            raise error.with_traceback(None)
        return loop

    def _send(self, job: Job) -> None:
        """All jobs of one turn of the loop go to the thread together: one wake-up, one transaction."""
        if not self._outbox and self._thread.loop is not None and not self._thread.loop.is_closed():
            self._thread.loop.call_soon(self._flush)
        self._outbox.append(job)

    def _flush(self) -> None:
        jobs, self._outbox = self._outbox, []
        if jobs:
            self._thread.submit(jobs)

    async def _sent(self, job: Job) -> None:
        """Sends a job and waits for its commit."""
        future: asyncio.Future[None] = self._usable().create_future()
        job.done = lambda _, error: _resolve(future, None, error)
        self._send(job)
        await future

    def _looked(self, key: str, flight: _Flight, answer: bytes | None, error: Exception | None) -> None:
        """The thread has the answer, or has claimed the key for us."""
        if self._flights.get(key) is not flight:  # all who waited were cancelled: a release is on its way
            return
        if answer is not None or error is not None:
            self._settle(key, flight, answer, error)
        elif job := self._hand_on(key, flight):
            self._send(job)

    def _settle(self, key: str, flight: _Flight | None, answer: bytes | None, error: Exception | None) -> None:
        """Everybody who waits gets the answer, or the error."""
        if flight is None or self._flights.get(key) is not flight:
            return
        del self._flights[key]
        for future in flight.waiters:
            _resolve(future, answer, error)

    def _hand_on(self, key: str, flight: _Flight) -> Job | None:
        """The claim goes to the first task that still waits; if none does, a job that ends it."""
        while flight.waiters:
            future = flight.waiters.popleft()
            if not future.done():
                flight.state = "held"
                future.set_result(None)
                return None
        del self._flights[key]
        return Job(Kind.RELEASE, key)

    def _left(self, key: str, flight: _Flight, future: asyncio.Future[bytes | None]) -> None:
        """A task was cancelled in `lookup`: at worst in the moment in which it was given the claim."""
        if self._flights.get(key) is not flight:
            return
        if future.done() and not future.cancelled():
            job = self._hand_on(key, flight)
        else:
            with contextlib.suppress(ValueError):  # `_hand_on` has passed over it
                flight.waiters.remove(future)
            if flight.waiters or flight.state != "looking":
                return
            del self._flights[key]
            job = Job(Kind.RELEASE, key)
        if job:
            self._send(job)


def _entry(key: str, answer: dict[str, Any], data: bytes) -> Entry:
    model, endpoint, prompt = (str(answer.get(name) or "") for name in ("model", "endpoint", "prompt"))
    asked, written = (int(answer.get(name) or 0) for name in ("prompt_tokens", "completion_tokens"))
    return Entry(key, model, endpoint, prompt, asked, written, time.time(), zlib.crc32(data), data.decode())


def _resolve(future: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
    if future.done():  # its task was cancelled
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
