"""One run over an endpoint: opens the client, shows progress, keeps what it used, whatever ends it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from rationalerm.data.log import Log
from rationalerm.llm.client import Chat
from rationalerm.llm.loop import run_in_loop
from rationalerm.llm.meter import Meter
from rationalerm.llm.settings import ChatSettings
from rationalerm.run.live import Live
from rationalerm.run.writer import Writer

__all__ = ["run_chat", "run_logged", "used"]

R = TypeVar("R")


def run_chat(
    settings: ChatSettings,
    work: Callable[[Chat, Live], Awaitable[R]],
    *,
    what: str,
    total: int,
    usage: Log | None = None,
    show: bool = True,
) -> tuple[R, Meter]:
    """Runs `work` with an open client, from sync code, inside a running event loop too.

    Args:
        settings: where, how fast, for how much.
        work: gets the client and the progress, to call `done()` on for each finished row.
        what: the word for rows.
        total: how many rows there will be.
        usage: gets one line with what the run used, however it ends.
        show: whether progress is shown on stderr.

    Raises:
        StoppedError: the endpoint or the budget ended it.
        Whatever `work` raises.
    """

    async def session() -> tuple[R, Meter]:
        async with settings.open() as chat:
            began = time.time()
            live = Live(what, total, chat, show=show)
            live.start()
            try:
                return await work(chat, live), chat.meter
            finally:
                live.close()
                if usage is not None:
                    usage.add([{"began": _stamp(began), "ended": _stamp(time.time()), **chat.meter.to_json()}])
                    usage.close()

    return run_in_loop(session())


def run_logged(
    settings: ChatSettings,
    work: Callable[[Chat, Live, Writer], Awaitable[R]],
    logs: Sequence[Log],
    *,
    what: str,
    total: int,
    usage: Log,
    show: bool,
) -> Meter:
    """`run_chat` with a writer for rows as they come; the logs are synced and closed, whatever ends it. Returns what it used."""
    writer = Writer()
    try:
        return run_chat(settings, lambda chat, live: work(chat, live, writer), what=what, total=total, usage=usage, show=show)[1]
    finally:
        try:
            writer.close()
        finally:
            for log in logs:
                log.close()


def used(meter: Meter) -> dict[str, Any]:
    """What a run used, with its line for people."""
    return meter.to_json() | {"said": meter.said()}


def _stamp(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
