"""The client against the fake endpoint: what is sent again and how often, what stops a run, what is counted, what is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from test_faults import QUOTA

from endpoint import Answered, FakeEndpoint
from faults import (
    TOO_MUCH_ASKED,
    cut_mid_body,
    dropped,
    error,
    hang,
    no_model,
    null_content,
    rate_limited,
    server_error,
    too_long,
    truncated,
    unauthorised,
    white_space,
)
from rationalerm.errors import ParseError, StoppedError
from rationalerm.llm import sender
from rationalerm.llm.cache import Cache
from rationalerm.llm.calllog import CallLog
from rationalerm.llm.client import Chat
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.limits import Limits
from rationalerm.llm.meter import Budget, Meter
from rationalerm.llm.question import Outcome, Question, Reply
from rationalerm.types import Message

R = TypeVar("R")
Said = Callable[[dict[str, Any], int], Answered | str]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same rules in a fiftieth of the time."""
    monkeypatch.setattr(sender, "_BACKOFF_S", 0.01)


def read(reply: Reply) -> int:
    if not (reply.text or "").strip().isdigit():
        raise ParseError("no number")
    return int(reply.text or "")


def ask_for(text: str = "say 7", **more: Any) -> Question[int]:
    return Question((Message("user", text),), "number 1", read, again=lambda problem: f"again: {problem}", limit=100, **more)


def chatting(server: FakeEndpoint, work: Callable[[Chat], Awaitable[R]], limits: Limits | None = None, **more: Any) -> R:
    """Runs `work` with a client of its own."""
    names = {name: more.pop(name) for name in ("cache", "meter", "log") if name in more}
    path = names.pop("cache", None)

    async def session() -> R:
        cache = Cache(path) if path else None
        try:
            async with Chat(Endpoint(server.url, "m", **more), limits, cache=cache, **names) as chat:
                return await work(chat)
        finally:
            if cache:
                await cache.close()

    return asyncio.run(session())


def asked(said: Said | Answered, limits: Limits | None = None, **more: Any) -> tuple[Outcome[int], FakeEndpoint]:
    """One question's outcome."""
    with FakeEndpoint(said if callable(said) else lambda body, n: said) as server:
        return chatting(server, lambda chat: chat.ask(ask_for()), limits, **more), server


def test_an_answer() -> None:
    outcome, server = asked(lambda body, n: "7")
    assert (outcome.value, outcome.failure, outcome.calls) == (7, None, 1)
    assert server.requests[0].body == {
        "model": "m",
        "messages": [{"role": "user", "content": "say 7"}],
        "temperature": 0.0,
        "max_tokens": 100,
    }


@pytest.mark.parametrize("retries", [0, 1, 3])
@pytest.mark.parametrize("kind", ["500", "cut", "dropped", "timeout"])
def test_one_more_request_than_retries(retries: int, kind: str) -> None:
    """JA2, the first half, for everything that is tried again."""
    said = {"500": server_error(), "cut": cut_mid_body(), "dropped": dropped(), "timeout": hang()}[kind]
    meter = Meter()
    outcome, server = asked(said, Limits(max_retries=retries), timeout=0.2, meter=meter)
    assert outcome.value is None
    assert outcome.failure == {"500": "server error", "timeout": "timeout"}.get(kind, "connection")
    assert server.count == 1 + retries
    assert (meter.calls, meter.failed_calls, meter.retries) == (1 + retries, 1 + retries, retries)


def test_three_requests_for_an_answer_that_never_parses() -> None:
    """JA2, the other half: the limits are not multiplied."""
    meter = Meter()
    outcome, server = asked(lambda body, n: "seven", Limits(max_retries=3, format_retries=2), meter=meter)
    assert (outcome.failure, outcome.calls, server.count) == ("unparsed", 3, 3)
    assert (meter.unread, meter.retries) == (3, 0)
    assert outcome.prompt_tokens + outcome.completion_tokens == meter.tokens > 0
    roles = [[turn["role"] for turn in request.body["messages"]] for request in server.requests]
    assert roles == [["user"], ["user", "assistant", "user"], ["user", "assistant", "user"]]
    assert server.requests[1].body["messages"][1:] == [
        {"role": "assistant", "content": "seven"},
        {"role": "user", "content": "again: no number"},
    ]


def test_retries_are_of_the_question_and_not_of_each_of_its_answers() -> None:
    def said(body: dict[str, Any], n: int) -> Answered | str:
        return "seven" if n == 3 else server_error()

    outcome, server = asked(said, Limits(max_retries=3, format_retries=2))
    assert (outcome.failure, server.count) == ("server error", 5)


@pytest.mark.parametrize("kind", QUOTA)
def test_an_empty_account_stops_at_once(kind: str) -> None:
    """JA3: no more requests than were in flight, no growing sleeps, and the message says how to go on."""
    status, words, code = QUOTA[kind]

    async def many(chat: Chat) -> list[Any]:
        return await asyncio.gather(*(chat.ask(ask_for(f"say {k}")) for k in range(60)), return_exceptions=True)

    with FakeEndpoint(lambda body, n: error(status, words, code, code=code), latency=0.05) as server:
        found = chatting(server, many, Limits(concurrency=4))
    assert server.count <= 4
    assert all(isinstance(end, StoppedError) for end in found)
    assert "quota" in str(found[0])
    assert "run the same command again" in str(found[0])


@pytest.mark.parametrize("said", [rate_limited(), rate_limited(0.05), error(429, "busy")])
def test_a_plain_429_takes_no_retry(said: Answered) -> None:
    """JA3, its other half."""
    outcome, server = asked(lambda body, n: said if n <= 5 else "7", Limits(max_retries=0))
    assert (outcome.value, server.count) == (7, 6)


@pytest.mark.parametrize("said", [rate_limited(900), error(429, "try again in 7m12s"), server_error(503)])
def test_a_wait_that_is_too_long_ends_the_run(said: Answered) -> None:
    long = Answered(status=said.status, raw=said.raw, headers=said.headers or {"Retry-After": "4000"})
    with pytest.raises(StoppedError, match=r"asks to wait \d+ s.*run the same command again"):
        asked(long)


def test_without_end_told_to_slow_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "_PATIENCE_S", 0.3)
    with pytest.raises(StoppedError, match="gave no answer for"):
        asked(rate_limited(0.1), timeout=0.3)


def test_a_first_429_long_after_the_start_is_no_reason_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """The patience begins with it: before it, all may have come from the cache."""
    monkeypatch.setattr(sender, "_PATIENCE_S", 0.3)

    async def late(chat: Chat) -> Outcome[int]:
        await asyncio.sleep(0.5)
        return await chat.ask(ask_for())

    with FakeEndpoint(lambda body, n: rate_limited(0.01) if n == 1 else "7") as server:
        assert chatting(server, late, timeout=0.3).value == 7


def test_who_sleeps_is_woken_when_the_run_is_stopped() -> None:
    def said(body: dict[str, Any], n: int) -> Answered:
        return rate_limited(200) if n == 1 else unauthorised()

    async def two(chat: Chat) -> list[Any]:
        first = asyncio.ensure_future(chat.ask(ask_for("one")))
        while chat.meter.failed_calls == 0:
            await asyncio.sleep(0.01)
        assert chat.sender is not None
        chat.sender.gate._closed_until = 0.0  # as if the pause had been another's
        second = asyncio.ensure_future(chat.ask(ask_for("two")))
        return await asyncio.wait_for(asyncio.gather(first, second, return_exceptions=True), 10)

    with FakeEndpoint(said) as server:
        assert all(isinstance(end, StoppedError) for end in chatting(server, two))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (unauthorised(), "check the key"),
        (unauthorised(403), "check the key"),
        (no_model(), "--model"),
        (no_model("vllm"), "--model"),
        (no_model("ollama"), "--model"),
        (error(404, "Not Found"), "/v1"),
        (Answered(status=301, raw="", headers={"Location": "https://x/?token=tok-TEST"}), "redirects elsewhere"),
        (Answered(status=307, raw="", headers={"Location": "https://x/"}), "OPENAI_BASE_URL"),
    ],
)
def test_what_stops_the_run(said: Answered, words: str) -> None:
    with pytest.raises(StoppedError) as caught:
        asked(said)
    assert words in str(caught.value)
    assert "tok-TEST" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_server_that_is_not_there() -> None:
    with FakeEndpoint() as server:
        pass
    with pytest.raises(StoppedError, match=r"can't connect to http://127\.0\.0\.1:\d+/v1: .*is the server up"):
        chatting(server, lambda chat: chat.ask(ask_for()), Limits(max_retries=1))


def test_a_server_that_goes_away() -> None:
    async def many(chat: Chat) -> int:
        todo = iter(range(200))

        async def worker() -> list[Any]:
            return [await chat.ask(ask_for(f"say {k}")) for k in todo]

        ends = await asyncio.gather(*(worker() for _ in range(4)), return_exceptions=True)
        assert all(isinstance(end, StoppedError) for end in ends)
        return chat.meter.answers

    with FakeEndpoint(lambda body, n: "7" if n <= 20 else server_error()) as server:
        assert chatting(server, many, Limits(concurrency=4, max_retries=1)) == 20
    assert server.count < 20 + 2 * 16 + 8


def test_content_that_never_came_out_of_the_reasoning() -> None:
    """JA1: at most one more request, with a larger limit; its tokens count; the reasoning is an answer on request only."""
    outcome, server = asked(null_content("7"))
    assert outcome.failure == "empty content, finish_reason=length"
    assert [request.body["max_tokens"] for request in server.requests] == [100, 200]
    assert outcome.calls == 2
    assert outcome.completion_tokens > 0
    assert json.loads(outcome.raw)["choices"][0]["message"]["reasoning_content"] == "7"
    outcome, server = asked(null_content("7"), reasoning_as_answer=True)
    assert (outcome.value, server.count) == (7, 1)


@pytest.mark.parametrize("field", ["max_tokens", "max_completion_tokens"])
def test_a_limit_in_extra_body_is_the_users(field: str) -> None:
    """It can't grow, so the same request is not sent twice."""
    outcome, server = asked(truncated(), extra_body={field: 50})
    assert (outcome.failure, server.count) == ("truncated", 1)
    sent = server.requests[0].body
    assert {name: sent[name] for name in sent if "tokens" in name} == {field: 50}


@pytest.mark.parametrize(
    ("said", "failure", "requests"),
    [
        (truncated(), "truncated", 2),
        (white_space(), "truncated: white space", 1),
        (too_long(), "too long for judge", 1),
        (error(400, "messages: no"), "bad request", 1),
        (Answered(None, finish_reason="content_filter"), "content filter", 1),
        (Answered("no", finish_reason="content_filter"), "content filter", 1),
        (Answered(""), "empty content", 1),
        (Answered(None), "empty content", 1),
        (Answered(" \n"), "empty content", 1),
    ],
)
def test_categories(said: Answered, failure: str, requests: int) -> None:
    """JA9, JJ2 and their like: each its own category, not asked again unchanged."""
    outcome, server = asked(said)
    assert (outcome.value, outcome.failure, server.count) == (None, failure, requests)
    assert outcome.calls == (requests if said.status == 200 else 0)


@pytest.mark.parametrize("kind", TOO_MUCH_ASKED)
def test_the_answer_gets_the_room_that_is_left(kind: str) -> None:
    def said(body: dict[str, Any], n: int) -> Answered | str:
        return "7" if body["max_tokens"] <= 8192 - 7000 else TOO_MUCH_ASKED[kind]

    outcome, server = asked(said, max_tokens=4096)
    assert (outcome.value, server.count) == (7, 2)


def test_a_cramped_answer_is_not_asked_for_with_a_larger_limit() -> None:
    def said(body: dict[str, Any], n: int) -> Answered | str:
        return truncated() if body["max_tokens"] <= 8192 - 7000 else TOO_MUCH_ASKED["openai"]

    outcome, server = asked(said, max_tokens=4096)
    assert (outcome.failure, server.count) == ("truncated", 2)


def test_waiting_in_line_is_not_in_the_timeout() -> None:
    """JA4."""

    async def many(chat: Chat) -> list[Outcome[int]]:
        return await asyncio.gather(*(chat.ask(ask_for(f"say {k}")) for k in range(30)))

    with FakeEndpoint(lambda body, n: "7", latency=0.1) as server:
        found = chatting(server, many, Limits(concurrency=2, max_retries=0), timeout=1.0)
    assert [outcome.value for outcome in found] == [7] * 30
    assert server.peak == 2


def test_a_cancelled_question_leaves_nothing_behind(tmp_path: Path) -> None:
    """No place in the gate, no reservation, no claim in the cache: the next who asks gets its answer."""

    async def cancelled(chat: Chat) -> None:
        for wait in (0.0, 0.001, 0.02, 0.05, 0.1, 0.15, 0.2):
            tasks = [asyncio.ensure_future(chat.ask(ask_for(f"say {k}"))) for k in range(12)]
            await asyncio.sleep(wait)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        assert chat.sender is not None
        assert chat.sender.gate.open == 0
        assert (chat.meter._open, round(chat.meter._reserved, 6)) == (0, 0)
        again = asyncio.gather(*(chat.ask(ask_for(f"say {k}")) for k in range(12)))
        assert [outcome.value for outcome in await asyncio.wait_for(again, 30)] == [7] * 12

    with FakeEndpoint(lambda body, n: "7", latency=0.1) as server:
        meter = Meter(budget=Budget(1e6, tokens=True))
        chatting(server, cancelled, Limits(concurrency=4, rpm=60_000, tpm=1e9), cache=tmp_path / "c.sqlite", meter=meter)


def test_failures_are_never_served_again(tmp_path: Path) -> None:
    """RC2: what no reader could use is asked for anew; what was read is not."""
    path = tmp_path / "c.sqlite"
    with FakeEndpoint(lambda body, n: "seven" if n <= 3 else "7") as server:
        assert chatting(server, lambda chat: chat.ask(ask_for()), cache=path).failure == "unparsed"
        second = chatting(server, lambda chat: chat.ask(ask_for()), cache=path)
        third = chatting(server, lambda chat: chat.ask(ask_for()), cache=path)
    assert second == third
    assert (second.value, server.count) == (7, 4)


def test_samples_of_one_question_are_asked_each_for_itself(tmp_path: Path) -> None:
    """PD4: and a second run reuses them, so a table does not change when it is printed again."""

    async def five(chat: Chat) -> list[int | None]:
        return [(await chat.ask(ask_for(sample=k))).value for k in range(5)]

    with FakeEndpoint(lambda body, n: "50" if n % 2 else "75") as server:
        first = chatting(server, five, cache=tmp_path / "c.sqlite")
        assert chatting(server, five, cache=tmp_path / "c.sqlite") == first == [50, 75, 50, 75, 50]
    assert server.count == 5


def test_each_attempt_is_in_the_log_and_no_text_or_secret(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "calls.log")
    key = "sk-TEST-111-not-real"
    said = [server_error(), error(500, f"Bearer {key}"), "seven", "7"]
    asked(lambda body, n: said[n - 1], log=log, key=key)
    log.close()
    lines = [json.loads(line) for line in (tmp_path / "calls.log").read_text().splitlines()]
    assert [line["result"] for line in lines] == ["server error", "server error", "answer", "answer"]
    assert [line["attempt"] for line in lines] == [1, 2, 3, 4]
    text = (tmp_path / "calls.log").read_text()
    assert key not in text
    assert "say 7" not in text


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_log_that_can_not_be_written_costs_no_answer() -> None:
    meter, log = Meter(), CallLog("/dev/full")
    outcome, _ = asked(lambda body, n: "7", log=log, meter=meter)
    log.close()
    assert outcome.value == 7
    assert meter.notes == ["--log-file /dev/full: lines are missing: No space left on device"]


@pytest.mark.parametrize("status", [200, 400, 500])
def test_half_a_secret_at_the_cut_is_not_shown(status: int) -> None:
    key = "sk-TEST-" + "abcdefgh" * 8
    said = error(status, "x" * 270 + f" Bearer {key}") if status != 200 else Answered("y" * 1980 + key)
    outcome, _ = asked(said, Limits(max_retries=0, format_retries=0), key=key)
    assert "sk-TEST" not in outcome.detail + outcome.raw + (outcome.text or "")


def test_usage_of_an_answer_without_a_choice_counts() -> None:
    meter = Meter()
    outcome, _ = asked(
        Answered(choices=0, usage={"prompt_tokens": 9, "completion_tokens": 0}), Limits(max_retries=1), meter=meter
    )
    assert outcome.failure == "no choices"
    assert (meter.tokens, meter.failed_calls) == (18, 2)
