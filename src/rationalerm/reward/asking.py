"""Lists on their way to a matcher that is awaited: a portion of a batch is asked about while the next one is still read.

Each pair of lists is asked about once, whatever portions it is in. Knows nothing of rewards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from types import TracebackType
from typing import Self

from rationalerm.errors import StoppedError
from rationalerm.reward.formula import Found, Lists

__all__ = ["Asking"]

_AHEAD = 4096  # pairs of lists that wait at once: a large batch is not held in memory as questions


class Asking:
    """`async with` it: what is still under way at the end is cancelled.

    Args:
        each: the matcher's `amatch_each`.
    """

    def __init__(self, each: Callable[[Sequence[Lists]], Awaitable[Sequence[Found]]]) -> None:
        self._each = each
        self._asked: set[Lists] = set()
        self._found: dict[Lists, Found] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def ask(self, lists: Iterable[Lists]) -> bool:
        """Sets out to ask about those that are new, and lets others run.

        Returns:
            Whether there is any use in asking more: not after a failure, which `found` raises.
        """
        new = [one for one in dict.fromkeys(lists) if one not in self._asked]
        if new:
            self._asked.update(new)
            self._tasks.add(asyncio.ensure_future(self._one(new)))
        await asyncio.sleep(0)
        while not self._failed() and len(self._asked) - len(self._found) >= _AHEAD:
            await asyncio.wait([task for task in self._tasks if not task.done()], return_when=asyncio.FIRST_COMPLETED)
        return not self._failed()

    async def found(self) -> dict[Lists, Found]:
        """What was found for each pair of lists.

        Raises:
            StoppedError: the endpoint or the budget is gone. What was in flight has come to its end: it is paid for.
        """
        if self._tasks:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_EXCEPTION)
        if self._failed() and all(isinstance(error, StoppedError) for error in self._failed()):
            await asyncio.wait(self._tasks)
        for error in self._failed():
            raise error
        return self._found

    async def _one(self, lists: list[Lists]) -> None:
        self._found.update(zip(lists, await self._each(lists), strict=True))

    def _failed(self) -> list[BaseException]:
        done = [task for task in self._tasks if task.done() and not task.cancelled()]
        return [error for task in done if (error := task.exception()) is not None]
