"""Adaptive concurrency: how many requests are open at once. Grows while it helps, halves when the server says slow down.

Doubles a round (as many answers as are allowed open) until a doubling stretches the latency so much that no more gets through, or
the first 429; after one it grows by one a round. Counts requests only, knows nothing of what they ask.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable

__all__ = ["Gate"]

_START = 64
_NO_HELP = 1.7  # twice as many open, and each this much slower: the throughput grew by less than a fifth
_LEAST_ROUND = 8  # answers; the mean of fewer says nothing


class Gate:
    """Args:

    most: the limit that the user set.
    rest: waits so many seconds; raises when the run has been stopped.
    """

    def __init__(self, most: int, rest: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self.most = most
        self._rest = rest
        self.limit = min(_START, most)
        self.open = 0
        self.peak = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._doubling = True
        self._before: float | None = None  # mean latency of the round before
        self._latencies: list[float] = []
        self._round = self.limit  # answers until the next look
        self._eased_at = 0.0
        self._closed_until = 0.0

    async def enter(self) -> None:
        """Waits for a place. First come, first served."""
        if self.open >= self.limit or self._waiting:
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except BaseException:
                if place.done() and not place.cancelled():  # a place was given and can't be used
                    self._leave()
                else:
                    with contextlib.suppress(ValueError):  # `_leave` may have passed over it by now
                        self._waiting.remove(place)
                raise
        else:
            self._take()
        while (wait := self._closed_until - asyncio.get_running_loop().time()) > 0:
            try:
                await self._rest(wait)
            except BaseException:
                self._leave()
                raise

    def leave(self, seconds: float | None = None) -> None:
        """Gives the place back. `seconds`: how long an answer took; None: there was none."""
        if seconds is not None:
            self._learn(seconds)
        self._leave()

    def ease(self, started: float, pause: float) -> None:
        """The server asks for less: half as many open, nothing new for `pause` seconds.

        Args:
            started: when the request was sent. What was sent before the last easing says nothing new.
            pause: seconds.
        """
        now = asyncio.get_running_loop().time()
        self._closed_until = max(self._closed_until, now + pause)
        if started < self._eased_at:
            return
        self._eased_at = now
        self.limit = max(1, self.limit // 2)
        self._doubling = False
        self._latencies.clear()
        self._round = self.limit

    def _learn(self, seconds: float) -> None:
        """One answer: one place more while doubling (so the limit doubles a round), and at a round's end a look at the mean."""
        if self.limit >= self.most:
            return
        self._latencies.append(seconds)
        if self._doubling:
            self.limit += 1
        if len(self._latencies) < max(self._round, _LEAST_ROUND):
            return
        mean = sum(self._latencies) / len(self._latencies)
        self._latencies.clear()
        if not self._doubling:
            self.limit += 1
        elif self._before is not None and mean > _NO_HELP * self._before:
            self._doubling = False  # stay here; from now on one more a round
        self._before, self._round = mean, self.limit

    def _take(self) -> None:
        self.open += 1
        self.peak = max(self.peak, self.open)

    def _leave(self) -> None:
        self.open -= 1
        while self._waiting and self.open < self.limit:
            place = self._waiting.popleft()
            if not place.done():
                self._take()
                place.set_result(None)
