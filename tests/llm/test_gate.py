"""Adaptive concurrency: places, growth, easing, and what a cancelled wait leaves behind (nothing)."""

from __future__ import annotations

import asyncio
import random

import pytest
from virtual_time import run_virtually

from rationalerm.llm.gate import Gate


async def served(gate: Gate, n: int, latency: float) -> float:
    """Sends n requests at once through it; the seconds they took."""
    loop = asyncio.get_running_loop()

    async def one() -> None:
        await gate.enter()
        await asyncio.sleep(latency)
        gate.leave(latency)

    start = loop.time()
    await asyncio.gather(*(one() for _ in range(n)))
    return loop.time() - start


def test_never_more_open_than_allowed() -> None:
    gate = Gate(5)
    assert run_virtually(served(gate, 100, 1.0)) == pytest.approx(20)
    assert (gate.peak, gate.open) == (5, 0)


def test_doubles_a_round_up_to_the_limit() -> None:
    gate = Gate(256)
    run_virtually(served(gate, 64 + 128 + 256, 1.0))
    assert gate.limit == 256
    assert gate.peak == 256


def test_stops_growing_where_more_at_once_only_waits_longer() -> None:
    gate = Gate(512)

    async def all_of_it() -> None:
        async def one() -> None:
            await gate.enter()
            latency = max(1.0, gate.open / 40)  # forty at once is what the server does
            await asyncio.sleep(latency)
            gate.leave(latency)

        await asyncio.gather(*(one() for _ in range(3000)))

    run_virtually(all_of_it())
    assert gate.peak < 300


def test_halves_once_for_all_that_was_sent_before() -> None:
    gate = Gate(64)
    gate.limit = 64

    async def refused() -> None:
        started = asyncio.get_running_loop().time()
        for _ in range(20):  # twenty answers of the same moment
            gate.ease(started - 0.1, 0.0)
        assert gate.limit == 32
        await asyncio.sleep(1)
        gate.ease(asyncio.get_running_loop().time(), 0.0)
        assert gate.limit == 16
        for _ in range(10):
            await asyncio.sleep(1)
            gate.ease(asyncio.get_running_loop().time(), 0.0)
        assert gate.limit == 1

    run_virtually(refused())


def test_after_easing_it_grows_by_one_a_round() -> None:
    gate = Gate(64)

    async def eased() -> None:
        gate.ease(asyncio.get_running_loop().time(), 0.0)
        await served(gate, 32, 1.0)
        assert gate.limit == 33

    run_virtually(eased())


def test_nothing_new_while_the_server_asks_to_wait() -> None:
    async def waits() -> float:
        gate = Gate(4)
        gate.ease(asyncio.get_running_loop().time(), 30.0)
        return await served(gate, 1, 1.0)

    assert run_virtually(waits()) == pytest.approx(31)


@pytest.mark.parametrize("seed", range(20))
def test_a_cancelled_wait_leaves_no_place_behind(seed: int) -> None:
    """In the line, in the moment in which a place is given, in the pause, in the request."""
    rng = random.Random(seed)

    async def all_of_it() -> None:
        gate = Gate(3)
        ended: list[BaseException | None] = []

        async def one() -> None:
            await gate.enter()
            try:
                await asyncio.sleep(rng.choice([0, 0.5, 1]))
            finally:
                gate.leave()

        tasks = [asyncio.ensure_future(one()) for _ in range(60)]
        while not all(task.done() for task in tasks):
            rng.choice(tasks).cancel()
            if rng.random() < 0.1:
                gate.ease(asyncio.get_running_loop().time(), rng.choice([0, 0.7]))
            await asyncio.sleep(rng.choice([0, 0, 0.1]))
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(end) for end in ended} <= {type(None), asyncio.CancelledError}
        assert gate.open == 0
        await asyncio.wait_for(served(gate, 10, 0.1), 60)

    run_virtually(all_of_it())


def test_cancelled_while_a_place_is_freed() -> None:
    """Both in one turn of the loop: the waiter is taken out of the line before it hears of its end."""

    async def all_of_it() -> None:
        gate = Gate(1)
        await gate.enter()
        waiter = asyncio.ensure_future(gate.enter())
        await asyncio.sleep(0)
        waiter.cancel()
        gate.leave()
        with pytest.raises(asyncio.CancelledError):
            await waiter
        assert gate.open == 0
        await gate.enter()

    asyncio.run(all_of_it())
