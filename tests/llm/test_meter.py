"""What a run used, and the budget that ends it at or just above it."""

from __future__ import annotations

import asyncio

import pytest
from virtual_time import run_virtually

from rationalerm.errors import StoppedError, UsageError
from rationalerm.llm.faults import Fault
from rationalerm.llm.meter import Budget, Meter, Prices, parse_budget
from rationalerm.llm.question import Reply

PRICES = Prices(1.0, 4.0)


def answer(prompt: int | None, completion: int | None, text: str = "x" * 40) -> Reply:
    return Reply(text, "stop", None, prompt, completion)


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("5", Budget(5, False)),
        ("0.25", Budget(0.25, False)),
        (".5", Budget(0.5, False)),
        ("200000tokens", Budget(200_000, True)),
        ("1 token", Budget(1, True)),
        ("1.5Mtokens", Budget(1_500_000, True)),
        ("1.5 m tokens", Budget(1_500_000, True)),
        ("20k tok", Budget(20_000, True)),
    ],
)
def test_budgets(text: str, budget: Budget) -> None:
    assert parse_budget(text, PRICES) == budget


@pytest.mark.parametrize("text", ["", "0", "-1", "5 euros", "tokens", "nan", "inf", "1e3", "1.tokens"])
def test_what_is_no_budget(text: str) -> None:
    with pytest.raises(UsageError, match="--budget"):
        parse_budget(text, PRICES)


def test_money_needs_prices() -> None:
    with pytest.raises(UsageError, match="--price-in"):
        parse_budget("5", None)


def test_counts() -> None:
    meter = Meter(PRICES)
    for got in (answer(100, 50), answer(10, 5), Fault("server error", "HTTP 500"), None):
        meter.calls += 1
        meter.settle(0.0, 40, got)
    assert (meter.answers, meter.failed_calls, meter.tokens) == (2, 1, 165)
    assert meter.cost == pytest.approx((110 + 4 * 55) / 1e6)
    assert meter.to_json()["calls"] == 4


def test_what_a_failed_call_cost_counts() -> None:
    meter = Meter()
    assert meter.settle(0.0, 40, Fault("no choices", "", prompt_tokens=70, completion_tokens=3)) == (70, 3)
    assert (meter.tokens, meter.failed_calls, meter.answers) == (73, 1, 0)


def test_an_unknown_price_is_unknown_and_silence_is_an_estimate() -> None:
    meter = Meter()
    meter.settle(0.0, 400, answer(None, None, "x" * 40))
    assert meter.tokens == 101 + 11
    assert "cost unknown" in meter.said()
    assert "estimated in 1 calls" in meter.said()
    assert meter.to_json()["cost"] is None


def test_unread_answers_are_failed_calls_that_were_paid() -> None:
    meter = Meter()
    meter.calls, meter.unread, meter.failed_calls = 15, 10, 1
    meter.prompt_tokens = 1500
    assert meter.said().startswith(
        "15 calls, 1,500 tokens, 11 failed calls (10 of them answers that can't be read), cost unknown"
    )


def spent(meter: Meter, costs: list[tuple[int, int]], at_once: int, limit: int | None = 1000) -> int:
    """Calls that were sent until the budget was used up."""

    async def all_of_it() -> int:
        sent, todo = 0, iter(costs)

        async def worker() -> None:
            nonlocal sent
            for prompt, completion in todo:
                reserved = await meter.reserve(4 * prompt, limit)
                sent += 1
                await asyncio.sleep(1)
                meter.settle(reserved, 4 * prompt, answer(prompt, completion))

        ends = await asyncio.gather(*(worker() for _ in range(at_once)), return_exceptions=True)
        assert all(end is None or isinstance(end, StoppedError) for end in ends), ends
        return sent

    return run_virtually(all_of_it())


@pytest.mark.parametrize("at_once", [1, 16, 256])
@pytest.mark.parametrize("completion", [10, 100, 1000])
def test_it_ends_at_or_just_above_the_budget(at_once: int, completion: int) -> None:
    meter = Meter(budget=Budget(50_000, tokens=True))
    spent(meter, [(100, completion)] * 2000, at_once)
    assert 50_000 <= meter.tokens <= 50_000 + 100 + completion + 1


def test_answers_that_get_longer_do_not_break_it() -> None:
    meter = Meter(budget=Budget(50_000, tokens=True))
    spent(meter, [(100, 10)] * 20 + [(100, 1000)] * 2000, 16)
    assert 50_000 <= meter.tokens <= 50_000 + 16 * 1100


def test_a_budget_in_money_is_kept() -> None:
    meter = Meter(PRICES, Budget(0.01, tokens=False))
    spent(meter, [(100, 100)] * 2000, 64)
    assert meter.cost is not None
    assert 0.01 <= meter.cost <= 0.01 + 0.0005 + 1e-9


def test_a_first_call_larger_than_the_budget_is_sent() -> None:
    meter = Meter(budget=Budget(10, tokens=True))
    assert spent(meter, [(100, 100)] * 20, 8) == 1


def test_the_message_says_what_was_used_and_how_to_go_on() -> None:
    meter = Meter(budget=Budget(1, tokens=True))
    meter.settle(0.0, 4, answer(1, 1))
    with pytest.raises(
        StoppedError, match=r"the budget is used up: 0 calls, 2 tokens, .*raise --budget and run the same command"
    ):
        asyncio.run(meter.reserve(4))


def test_a_cancelled_wait_reserves_nothing() -> None:
    async def all_of_it() -> None:
        meter = Meter(budget=Budget(1000, tokens=True))
        reserved = await meter.reserve(400, 900)
        waiting = [asyncio.ensure_future(meter.reserve(400, 900)) for _ in range(5)]
        await asyncio.sleep(1)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        meter.settle(reserved, 400, None)
        assert await meter.reserve(400, 900) == reserved

    run_virtually(all_of_it())
