"""Requests and tokens a minute: in no window of 60 seconds more than was allowed, and not much less."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from virtual_time import run_virtually

from rationalerm.llm.pace import Pace


def taken(per_minute: float, amounts: list[float], at_once: int = 50) -> list[tuple[float, float]]:
    """When each amount went."""
    went: list[tuple[float, float]] = []

    async def all_of_it() -> None:
        pace, todo = Pace(per_minute), iter(amounts)
        loop = asyncio.get_running_loop()

        async def worker() -> None:
            for amount in todo:
                await pace.take(amount)
                went.append((loop.time(), amount))

        await asyncio.gather(*(worker() for _ in range(at_once)))

    run_virtually(all_of_it())
    return went


def most_in_a_minute(went: list[tuple[float, float]]) -> float:
    """Of any window."""
    return max(sum(amount for at, amount in went if start <= at < start + 60) for start, _ in went)


@pytest.mark.parametrize("rpm", [1, 1.5, 2, 5, 10, 15, 60, 500, 3000])
def test_requests(rpm: float) -> None:
    n = min(2000, int(5 * rpm) + 3)
    went = taken(rpm, [1.0] * n)
    assert len(went) == n
    assert most_in_a_minute(went) <= rpm
    assert went[-1][0] - went[0][0] <= 60 * n / (0.5 * rpm), "nine tenths of what is allowed, half of it where that is one or two"


@pytest.mark.parametrize("share", [0.001, 0.05, 0.15, 0.29, 0.31, 0.5, 0.77, 0.95, 1.0])
def test_tokens_of_calls_of_any_size(share: float) -> None:
    went = taken(10_000, [10_000 * share] * 40)
    assert most_in_a_minute(went) <= 10_000 * 1.0001


def test_a_call_larger_than_a_minute_goes_alone() -> None:
    went = taken(1000, [3000.0] * 4)
    gaps = [later[0] - earlier[0] for earlier, later in pairwise(went)]
    assert min(gaps) >= 180


def test_first_come_first_served() -> None:
    went = taken(100, [1.0, 50.0, 1.0, 2.0], at_once=4)
    assert [amount for _, amount in went] == [1, 50, 1, 2]


def test_what_was_estimated_is_corrected() -> None:
    async def all_of_it() -> float:
        pace, loop = Pace(6000), asyncio.get_running_loop()
        await pace.take(600)
        pace.correct(-600)  # it used nothing
        start = loop.time()
        await pace.take(600)
        assert loop.time() == start
        pace.correct(540)
        await pace.take(1)
        return loop.time() - start

    assert run_virtually(all_of_it()) == pytest.approx(541 / 90, rel=0.01)


def test_a_cancelled_wait_takes_nothing() -> None:
    async def all_of_it() -> float:
        pace, loop = Pace(60), asyncio.get_running_loop()
        await pace.take(6)
        waiting = [asyncio.ensure_future(pace.take(6)) for _ in range(5)]
        await asyncio.sleep(0.5)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        start = loop.time()
        await pace.take(1)
        return loop.time() - start

    assert run_virtually(all_of_it()) < 1.2


def test_no_limit() -> None:
    assert len(taken_without_limit()) == 1000


def taken_without_limit() -> list[int]:
    async def all_of_it() -> list[int]:
        pace = Pace(None)
        for _ in range(1000):
            await pace.take(1e9)
        pace.correct(5)
        return list(range(1000))

    return run_virtually(all_of_it())
