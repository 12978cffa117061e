"""Requests and tokens a minute: in no window of 60 seconds more than was allowed (tokens: as far as they can be known before).

Knows nothing of what they ask.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

__all__ = ["Pace"]

_BURST = 0.1  # share of a minute's allowance that may go at once; the rest flows in evenly, so a window never has more
_TICK_S = 0.001


class Pace:
    """A bucket that starts with a tenth of a minute's allowance and fills with the other nine tenths a minute.

    Args:
        per_minute: None for no limit.
        rest: waits so many seconds; raises when the run has been stopped.
    """

    def __init__(self, per_minute: float | None, rest: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._rest = rest
        self._most = per_minute
        self._size = max(1.0, _BURST * per_minute) if per_minute else 0.0
        self._rate = max(per_minute - self._size, 0.5 * per_minute) / 60 if per_minute else 0.0
        self._level = self._size
        self._at: float | None = None
        self._turn = asyncio.Lock()

    async def take(self, amount: float) -> None:
        """Waits until so much may go. More than the bucket holds goes when it is full, and is owed."""
        if self._most is None:
            return
        async with self._turn:  # in the order of asking
            while (missing := min(amount, self._size) - self._filled()) > 1e-9 * self._size:
                await self._rest(max(missing / self._rate, _TICK_S))
            self._level -= self._owed(amount, self._most)

    def correct(self, amount: float) -> None:
        """So much more (or, negative, less) went than was taken."""
        if self._most is not None:
            self._level = min(self._size, self._level - amount)

    def _owed(self, amount: float, most: float) -> float:
        """A little more than went, where a window would else hold one call too many of this size."""
        fit = most // amount if amount > self._size else 0
        return max(amount, 60 * self._rate / fit * 1.000001) if fit else amount

    def _filled(self) -> float:
        now = asyncio.get_running_loop().time()
        self._level = min(self._size, self._level + self._rate * (now - (self._at if self._at is not None else now)))
        self._at = now
        return self._level
