"""What a run over an endpoint shows while it runs: every figure that the reader needs, on a terminal and elsewhere."""

from __future__ import annotations

import asyncio
import io
import sys
from typing import Any

import pytest

from rationalerm.llm.client import Chat
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.meter import Meter, Prices
from rationalerm.llm.question import Reply
from rationalerm.run import live as module
from rationalerm.run.live import Live


def shown(total: int = 10, prices: Prices | None = None) -> list[str]:
    async def lines() -> list[str]:
        async with Chat(Endpoint("http://127.0.0.1:9/v1", "m"), meter=Meter(prices)) as chat:
            chat.meter.settle(0, 400, Reply("x", prompt_tokens=1000, completion_tokens=500))
            live = Live("games", total, chat, show=False)
            live.done()
            live.done(failed=True)
            return live.lines()

    return asyncio.run(lines())


def test_everything_is_in_the_block() -> None:
    text = "\n".join(shown(prices=Prices(1.0, 2.0)))
    for part in ("2/10 games, 1 failed", "/s", "left", "0 in flight of 32 allowed (at most 32)", "0 retries", "0 from the cache"):
        assert part in text
    assert "1,500 tokens, cost 0.002 of 0.01 expected" in text


def test_an_unknown_price_is_unknown() -> None:
    assert "cost unknown" in shown()[-1]
    assert "cost 0" not in "\n".join(shown())


@pytest.mark.parametrize("terminal", [True, False])
def test_it_is_shown(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    class Stream(io.StringIO):
        def isatty(self) -> bool:
            return terminal

    stream: Any = Stream()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(module, "_TTY_S", 0.01)
    monkeypatch.setattr(module, "_PLAIN_S", 0.01)
    monkeypatch.setenv("TERM", "xterm")

    async def go() -> None:
        async with Chat(Endpoint("http://127.0.0.1:9/v1", "m")) as chat:
            live = Live("games", 3, chat)
            live.start()
            live.done()
            await asyncio.sleep(0.1)
            live.close()

    asyncio.run(go())
    assert "1/3 games" in stream.getvalue()
    assert ("\x1b[" in stream.getvalue()) == terminal
