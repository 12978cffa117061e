"""Rows through an async piece of work, so many at once, with memory for those only."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from rationalerm.errors import StoppedError

__all__ = ["sweep"]

T = TypeVar("T")


async def sweep(items: Iterable[T], work: Callable[[T], Awaitable[None]], at_once: int) -> None:
    """Takes items one by one as places get free, and awaits `work` for each.

    When the run is stopped (StoppedError) nothing new begins and what is in flight comes to its end: it is paid for. Any other
    error cancels the rest.

    Raises:
        The first error of `work` or of `items`.
    """
    source = iter(items)
    stopped: list[StoppedError] = []

    async def worker() -> None:
        for item in source:
            try:
                await work(item)
            except StoppedError as error:
                stopped.append(error)
            if stopped:
                return
            await asyncio.sleep(0)  # work that never had to wait (all from the cache) must let others run

    tasks = [asyncio.ensure_future(worker()) for _ in range(at_once)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if stopped:
        raise stopped[0]
