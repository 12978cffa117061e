"""The one thread that owns the cache's file: takes all jobs that tasks have queued, does them in one transaction, reports back.

Knows jobs, not tasks: `Job.done` is called on the event loop, for a whole batch by one wake-up. A lookup whose key another live
process holds stays here and is asked about again, with all of its kind, every 50 ms. After an error every job fails with the
same line: what was committed is safe, and nothing hangs.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from rationalerm.llm.cache_owners import Watch, myself
from rationalerm.llm.cache_store import Entry, Store, one_line

__all__ = ["CacheThread", "Job", "Kind"]

POLL_S = 0.05
BEAT_S = 2.0
_GOODBYE_S = 15.0


class Kind(Enum):
    """What a job does. A lookup ends with the answer, or with None: the key is ours."""

    LOOK = auto()
    PUT = auto()
    REJECT = auto()
    RELEASE = auto()


@dataclass(slots=True, eq=False)
class Job:
    """One thing to do with a key. `done(result, error)` runs on the event loop after the commit."""

    kind: Kind
    key: str
    done: Callable[[bytes | None, Exception | None], None] | None = None
    entry: Entry | None = None


class CacheThread:
    """Opens the file in a thread of its own.

    Args:
        path: the file.

    Raises:
        DataError: the file can't be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.error: Exception | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self._queue: queue.SimpleQueue[list[Job] | None] = queue.SimpleQueue()
        self._me, self._watch = myself(), Watch()
        self._held: set[str] = set()
        self._waiting: dict[str, Job] = {}
        self._beaten = self._polled = 0.0
        ready = threading.Event()
        # A daemon: an interpreter that ends without `close` must not wait for a thread that waits for it.
        self._thread = threading.Thread(target=self._run, args=(ready,), name="rationalerm cache", daemon=True)
        self._thread.start()
        ready.wait()
        if self.error:
            raise self.error

    def submit(self, jobs: list[Job]) -> None:
        """Queues jobs; they are done in the order in which they came."""
        self._queue.put(jobs)

    def stop(self, wait: bool = True) -> None:
        """Ends the thread, after all that is queued; may be called again."""
        self._queue.put(None)
        if wait and threading.current_thread() is not self._thread:
            self._thread.join(_GOODBYE_S)

    def _run(self, ready: threading.Event) -> None:
        try:
            store = Store(self.path)
        except Exception as error:
            self.error = one_line(error, self.path)
            return
        finally:
            ready.set()
        while self._step(store):
            pass
        self._leave(store)

    def _step(self, store: Store) -> bool:
        """One batch; False: the end. (A function of its own, so that its jobs don't outlive it.)"""
        batches, more = self._next()
        jobs = [job for batch in batches for job in batch]
        try:
            if self.error:
                raise self.error
            self._turn(store, jobs)
        except Exception as error:  # a fault of ours too: a task must not wait for ever
            self._fail(store, error, jobs)
        return more

    def _next(self) -> tuple[list[list[Job]], bool]:
        """All that is queued; waits for something to do."""
        batches: list[list[Job]] = []
        wait = POLL_S if self._waiting else BEAT_S if self._held else None
        try:
            batch = self._queue.get(timeout=wait)
            while batch is not None:
                batches.append(batch)
                batch = self._queue.get_nowait()
        except queue.Empty:
            return batches, True
        return batches, False

    def _turn(self, store: Store, jobs: list[Job]) -> None:
        if all(job.kind is Kind.LOOK for job in jobs) and len({job.key for job in jobs}) == len(jobs):
            jobs = self._unanswered(store, jobs)  # answered ones need no write lock
        now = time.monotonic()
        if self._waiting and now - self._polled >= POLL_S:
            self._polled = now
            jobs = self._freed(store) + jobs
        beat = bool(self._held) and now - self._beaten >= BEAT_S
        if not jobs and not beat:
            return
        done: list[tuple[Job, bytes | None]] = []
        with store.writing():
            if beat or not self._beaten:
                store.beat(self._me)
                self._beaten = now
            for run in _runs(jobs):
                done += self._do(store, run)
        self._report(done)

    def _unanswered(self, store: Store, looks: Iterable[Job]) -> list[Job]:
        by_key = {job.key: job for job in looks}
        found = store.answers(by_key) if by_key else {}
        self._report([(by_key.pop(key), answer) for key, answer in found.items()])
        return list(by_key.values())

    def _freed(self, store: Store) -> list[Job]:
        """The waiting lookups whose holder let go, or is gone. (They wait on until one of their own has the claim.)"""
        left = self._unanswered(store, self._waiting.values())
        self._waiting = {job.key: job for job in left}
        holders = store.holders(self._waiting, self._me)
        alive = {owner.id for owner in set(holders.values()) if self._watch.alive(owner)}
        freed = [key for key in self._waiting if key not in holders or holders[key].id not in alive]
        return [self._waiting[key] for key in freed]

    def _do(self, store: Store, run: list[Job]) -> list[tuple[Job, bytes | None]]:
        """Jobs of different keys, inside a transaction."""
        of = {kind: [job for job in run if job.kind is kind] for kind in Kind}
        store.put(job.entry for job in of[Kind.PUT] if job.entry)
        store.reject(job.key for job in of[Kind.REJECT])
        ended = [job.key for job in of[Kind.PUT] + of[Kind.RELEASE]]
        store.release(ended, self._me)
        self._held.difference_update(ended)
        for job in of[Kind.RELEASE]:
            self._waiting.pop(job.key, None)
        done: list[tuple[Job, bytes | None]] = [(job, None) for job in run if job.kind is not Kind.LOOK]
        return done + self._look(store, {job.key: job for job in of[Kind.LOOK]})

    def _look(self, store: Store, looks: dict[str, Job]) -> list[tuple[Job, bytes | None]]:
        found = store.answers(looks)
        missed = [key for key in looks if key not in found]
        holders = store.holders(missed, self._me) if store.claim(missed, self._me) < len(missed) else {}
        for owner in set(holders.values()):
            if not self._watch.alive(owner):
                store.forget(owner)
                freed = [key for key, holder in holders.items() if holder.id == owner.id]
                store.claim(freed, self._me)
                holders = {key: holder for key, holder in holders.items() if holder.id != owner.id}
        for key, job in looks.items():
            if key in holders:
                self._waiting[key] = job
            else:
                self._waiting.pop(key, None)
        self._held.update(key for key in missed if key not in holders)
        return [(job, found.get(key)) for key, job in looks.items() if key not in holders]

    def _report(self, done: Iterable[tuple[Job, bytes | None]], error: Exception | None = None) -> None:
        told = [(job.done, result) for job, result in done if job.done]
        if not told or self.loop is None:
            return
        try:
            self.loop.call_soon_threadsafe(_tell, told, error)
        except RuntimeError:  # the loop is closed: nobody is left to hear
            self.stop(wait=False)

    def _fail(self, store: Store, error: Exception, jobs: list[Job]) -> None:
        """From here on everything fails; other processes need not wait for us."""
        if self.error is None:
            self.error = one_line(error, self.path)
            self._forget_me(store)
        waiting, self._waiting = list(self._waiting.values()), {}
        self._report([(job, None) for job in dict.fromkeys(waiting + jobs)], self.error)

    def _leave(self, store: Store) -> None:
        self._forget_me(store)
        self.error = self.error or RuntimeError("the cache is closed")
        self._report([(job, None) for job in self._waiting.values()], self.error)
        store.close()

    def _forget_me(self, store: Store) -> None:
        """As good as it can be done: the others find out by themselves when this process ends."""
        try:
            if self._beaten:
                with store.writing():
                    store.forget(self._me)
        except Exception:
            pass
        self._held, self._beaten = set(), 0.0


def _tell(done: list[tuple[Callable[[bytes | None, Exception | None], None], bytes | None]], error: Exception | None) -> None:
    for tell, result in done:
        tell(result, error)


def _runs(jobs: list[Job]) -> Iterator[list[Job]]:
    """Cuts where a key comes again: inside a run the order does not matter."""
    run: list[Job] = []
    keys: set[str] = set()
    for job in jobs:
        if job.key in keys:
            yield run
            run, keys = [], set()
        run.append(job)
        keys.add(job.key)
    if run:
        yield run
