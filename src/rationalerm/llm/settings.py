"""Everything that a run over an endpoint is told: where, how fast, for how much. Opens a `Chat` from it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.limits import Limits
from rationalerm.llm.meter import Budget, Meter, Prices

if TYPE_CHECKING:
    from rationalerm.llm.client import Chat

__all__ = ["ChatSettings"]


@dataclass(frozen=True)
class ChatSettings:
    """The settings of one run.

    Args:
        endpoint: where and what to ask.
        limits: how fast.
        prices, budget: what it costs, and where it stops.
        cache: keep answers, and use those that are there.
        log_file: a line for each attempt.
    """

    endpoint: Endpoint
    limits: Limits = field(default_factory=Limits)
    prices: Prices | None = None
    budget: Budget | None = None
    cache: bool = True
    log_file: Path | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Chat]:
        """A `Chat` in the running event loop; on leaving, all that is open is closed.

        Raises:
            DataError: the cache can't be opened.
            UsageError: the log file, a proxy or a certificate file can't be used.
        """
        from rationalerm.llm.cache import Cache  # with the client, the only heavy imports of the room
        from rationalerm.llm.calllog import CallLog
        from rationalerm.llm.client import Chat

        log = CallLog(self.log_file) if self.log_file else None
        try:
            cache = Cache() if self.cache else None
            try:
                async with Chat(self.endpoint, self.limits, cache=cache, meter=Meter(self.prices, self.budget), log=log) as chat:
                    yield chat
            finally:
                if cache:
                    await cache.close()
        finally:
            if log:
                log.close()
