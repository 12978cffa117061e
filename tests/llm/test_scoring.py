"""The scalar client against a server of each kind: numbers by index, faults as categories, one cache entry a response."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from rationalerm.errors import ParseError, StoppedError, UsageError
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.limits import Limits
from rationalerm.llm.meter import Meter
from rationalerm.llm.question import Outcome, Reply
from rationalerm.llm.scoring import ScoringSettings
from rationalerm.llm.scoring_dialects import DIALECTS, Wanted, dialects, read_body, text_of, value_of
from rationalerm.llm.scoring_probe import resolved
from rationalerm.types import Message
from scalar_endpoint import FakeScorer, number

KEY = "sk-TEST-111-not-real"
OF = {
    "vllm-classify": "vllm-classify",
    "vllm-score": "vllm-score",
    "vllm-score, v1": "vllm-score",
    "vllm-rerank": "vllm-rerank",
    "sglang": "sglang-classify",
    "tei": "tei-rerank",
}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache of this test's own; short pauses."""
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("rationalerm.llm.sender._BACKOFF_S", 0.01)
    monkeypatch.setattr("rationalerm.llm.scoring_probe._PAUSE_S", 0.01)


def settings(server: FakeScorer | str, **more: Any) -> ScoringSettings:
    """Of a run against a server."""
    url = server if isinstance(server, str) else server.url
    limits = Limits(8, max_retries=1)
    return ScoringSettings(Endpoint(url, "rm", KEY), limits, **more)


def wanted(n: int, prompts: int = 1) -> list[Wanted]:
    """Responses behind so many prompts."""
    return [Wanted((Message("user", f"Question {k * prompts // n}"),), f"Answer {k}") for k in range(n)]


def expected(server: str, asked: Sequence[Wanted]) -> list[float]:
    """What the fake gives them."""
    if server == "sglang":
        return [number("", text_of(one.turns)) for one in asked]
    return [number(one.messages[0].content, one.response) for one in asked]


def scores(made: ScoringSettings, asked: Sequence[Wanted], *, times: int = 1) -> tuple[list[Outcome[float]], Meter]:
    """Finds the route out and asks."""

    async def run() -> tuple[list[Outcome[float]], Meter]:
        found = await resolved(made)
        async with found.open() as scorer:
            for _ in range(times):
                outcomes = await scorer.score(asked)
            return outcomes, scorer.meter

    return asyncio.run(run())


def run_known(made: ScoringSettings, asked: Sequence[Wanted]) -> tuple[list[Outcome[float]], Meter]:
    """Asks where dialect and route are known."""

    async def run() -> tuple[list[Outcome[float]], Meter]:
        async with made.open() as scorer:
            return await scorer.score(asked), scorer.meter

    return asyncio.run(run())


@pytest.mark.parametrize("server", OF)
def test_each_server_is_found_out_and_scores_by_index(server: str) -> None:
    asked = wanted(5)
    with FakeScorer(server) as fake:
        found = asyncio.run(resolved(settings(fake)))
        assert found.dialect == OF[server]
        outcomes, meter = scores(settings(fake), asked)
        assert {headers["Authorization"] for _, _, headers in fake.requests} == {f"Bearer {KEY}"}
        assert {body["model"] for _, body, _ in fake.requests} == {"rm"}
    assert [outcome.value for outcome in outcomes] == expected(server, asked)
    assert meter.calls == (5 if server == "vllm-classify" else 1)
    assert meter.completion_tokens == 0
    assert meter.prompt_tokens > 0


@pytest.mark.parametrize("server", OF)
def test_the_models_own_number_is_asked_for(server: str) -> None:
    """Not one behind a sigmoid, in which all large scores are equal."""
    with FakeScorer(server) as fake:
        scores(settings(fake), wanted(2))
        sent = [body for _, body, _ in fake.requests]
    if server == "tei":
        assert all(body["raw_scores"] is True and body["truncate"] is False for body in sent)
    elif server != "sglang":
        assert all(body["use_activation"] is False for body in sent)


def test_the_names_are_those_of_the_dialects() -> None:
    assert tuple(dialects(None)) == tuple(dialects(text_of)) == DIALECTS


def test_a_route_below_a_gateways_path() -> None:
    made = ScoringSettings(Endpoint("http://host/a/v1/?k=v", "rm"))
    assert made.at("/score").address == "http://host/a/score?k=v"
    assert made.at("/v1/score").address == "http://host/a/v1/score?k=v"
    assert ScoringSettings(Endpoint("http://host:80", "rm")).at("/rerank").address == "http://host:80/rerank"


def test_no_scoring_route_says_what_was_tried() -> None:
    with FakeScorer("chat only") as fake, pytest.raises(UsageError) as caught:
        asyncio.run(resolved(settings(fake)))
    assert all(name in str(caught.value) for name in DIALECTS)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("status", "kind"), [(401, "not authorised"), (402, "quota")])
def test_a_server_that_refuses_us_is_not_searched_for_routes(status: int, kind: str) -> None:
    wrong = lambda route, body, n: web.json_response({"error": {"message": f"no, {KEY}"}}, status=status)  # noqa: E731
    with FakeScorer("vllm-classify", wrong=wrong) as fake, pytest.raises(StoppedError, match=kind) as caught:
        asyncio.run(resolved(settings(fake)))
    assert len(fake.requests) == 1
    assert KEY not in str(caught.value)


def test_a_server_that_is_down(tmp_path: Path) -> None:
    with FakeScorer("tei") as fake:
        url = fake.url
    with pytest.raises(StoppedError, match="connection"):
        asyncio.run(resolved(settings(url)))


def test_several_outputs_need_a_choice() -> None:
    with FakeScorer("vllm-classify", outputs=3) as fake:
        with pytest.raises(UsageError, match=r"3 outputs.*--class-index"):
            asyncio.run(resolved(settings(fake)))
        outcomes, _ = scores(settings(fake, class_index=0), wanted(2))
        assert [outcome.value for outcome in outcomes] == expected("vllm-classify", wanted(2))
        with pytest.raises(UsageError, match="class-index is 3"):
            asyncio.run(resolved(settings(fake, class_index=3)))


def test_a_chat_template_is_put_on_here_where_the_server_takes_texts() -> None:
    def render(turns: Sequence[Message]) -> str:
        return "".join(f"<{turn.role}>{turn.content}" for turn in turns)

    with FakeScorer("vllm-classify, no chat") as fake:
        outcomes, meter = scores(settings(fake, render=render, template="t"), wanted(3))
        body = fake.requests[-1][1]
    assert body["input"] == [f"<user>Question 0<assistant>Answer {k}" for k in range(3)]
    assert body["add_special_tokens"] is False
    assert [outcome.value for outcome in outcomes] == [number("", text) for text in body["input"]]
    assert meter.notes == []
    with FakeScorer("sglang") as fake:
        _, meter = scores(settings(fake), wanted(3))
        assert any("chat template" in note for note in meter.notes), "plain text is not hidden"
        _, meter = scores(settings(fake, render=render), wanted(3))
        assert meter.notes == []
        assert fake.requests[-1][1]["text"][0] == "<user>Question 0<assistant>Answer 0"


@pytest.mark.parametrize("server", ["vllm-score", "vllm-rerank", "tei", "sglang"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None, "7", True, [1.0]], ids=str)
def test_what_is_no_finite_number_is_a_failure(server: str, value: Any) -> None:
    """DF5: never a score, and its neighbours keep theirs."""
    asked = wanted(4)
    bad = expected(server, asked)[2]

    def score(prompt: str, response: str) -> Any:
        return value if number(prompt, response) == bad else number(prompt, response)

    with FakeScorer(server, score=score) as fake:
        outcomes, _ = scores(settings(fake), asked)
    assert [outcome.value for outcome in outcomes] == [None if k == bad else k for k in expected(server, asked)]
    assert outcomes[2].failure == "no number"
    assert "no finite number" in outcomes[2].detail


@pytest.mark.parametrize(
    "digits", ["1" + 400 * "0", "-1" + 400 * "0", "9" * 5000, "1e999"], ids=["10^400", "-10^400", "long", "1e999"]
)
@pytest.mark.parametrize("dialect", ["vllm-score", "tei-rerank", "sglang-classify", "vllm-classify"])
def test_a_number_that_no_float_holds_is_a_failure(digits: str, dialect: str) -> None:
    """In the probe too; a neighbour in the same answer keeps its score."""
    rows = {
        "vllm-score": '{"data": [{"index": 0, "score": %s}, {"index": 1, "score": 2.5}]}',
        "tei-rerank": '[{"index": 0, "score": %s}, {"index": 1, "score": 2.5}]',
        "sglang-classify": '[{"embedding": [%s]}, {"embedding": [2.5]}]',
        "vllm-classify": '{"data": [{"index": 0, "probs": [%s]}, {"index": 1, "probs": [2.5]}]}',
    }
    text = rows[dialect] % digits
    assert isinstance(read_body(text.encode()), Reply)
    bad, good = dialects(None)[dialect].read(value_of(text), 2, None)
    assert (bad.score, good.score) == (None, 2.5)
    assert "no finite number" in bad.why
    one = f'{{"data": [{{"index": 0, "score": {digits}}}]}}'
    with FakeScorer("vllm-score", wrong=lambda route, body, n: web.Response(text=one, content_type="application/json")) as fake:
        with pytest.raises(UsageError, match="no finite number") as caught:
            asyncio.run(resolved(settings(fake)))
        assert "\n" not in str(caught.value)
        outcomes, _ = run_known(settings(fake, dialect="vllm-score", route="/score"), wanted(1))
    assert [outcome.failure for outcome in outcomes] == ["no number"]


@pytest.mark.parametrize("dialect", ["vllm-score", "vllm-rerank", "tei-rerank"])
def test_a_class_of_a_model_without_classes(dialect: str) -> None:
    with pytest.raises(UsageError, match=f"--class-index: {dialect}"):
        settings("http://host/v1", dialect=dialect, class_index=1)
    server = {"vllm-score": "vllm-score", "vllm-rerank": "vllm-rerank", "tei-rerank": "tei"}[dialect]
    with FakeScorer(server) as fake, pytest.raises(UsageError, match=f"--class-index: {dialect}"):
        asyncio.run(resolved(settings(fake, class_index=1)))


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[:-1],
        lambda rows: [*rows, rows[0]],
        lambda rows: [{**row, "index": 0} for row in rows],
        lambda rows: [{**row, "index": row["index"] + 1} for row in rows],
        lambda rows: [{**row, "index": str(row["index"])} for row in rows],
        lambda rows: [{name: row[name] for name in row if name != "index"} for row in rows],
        lambda rows: {str(k): row for k, row in enumerate(rows)},
    ],
    ids=["short", "long", "same", "shifted", "text", "none", "object"],
)
def test_scores_that_can_not_be_told_apart_are_none(change: Callable[[Any], Any]) -> None:
    rows = [{"index": k, "score": float(k)} for k in range(3)]
    tei, score = dialects(None)["tei-rerank"], dialects(None)["vllm-score"]
    assert [one.score for one in tei.read(rows[::-1], 3, None)] == [0.0, 1.0, 2.0]
    for dialect, value in ((tei, change(rows)), (score, {"data": change(rows)})):
        with pytest.raises(ParseError):
            dialect.read(value, 3, None)


def test_a_batch_that_is_refused_costs_the_neighbours_nothing() -> None:
    """One response that is too long for the model, in a batch of eight."""

    def wrong(route: str, body: dict[str, Any], n: int) -> web.Response | None:
        if any("Answer 5" in text for text in body["text_2"]):
            return web.json_response({"error": {"message": "This model's maximum context length is 512 tokens"}}, status=400)
        return None

    asked = wanted(8, prompts=4)
    with FakeScorer("vllm-score", wrong=wrong) as fake:
        outcomes, _ = scores(settings(fake, batch=8), asked)
    values = expected("vllm-score", asked)
    assert [outcome.value for outcome in outcomes] == [*values[:5], None, *values[6:]]
    assert outcomes[5].failure == "too long for judge"


def test_a_batch_size_that_the_server_does_not_take_is_learnt() -> None:
    asked = wanted(64)
    with FakeScorer("tei", most=8) as fake:
        outcomes, meter = scores(settings(fake, batch=32), asked[:32])
        assert [outcome.value for outcome in outcomes] == expected("tei", asked[:32])
        refused = meter.failed_calls
        assert refused <= 4

        async def more() -> int:
            async with (await resolved(settings(fake, batch=32))).open() as scorer:
                await scorer.score(asked[32:48])
                before = scorer.meter.failed_calls
                await scorer.score(asked[48:])
                return scorer.meter.failed_calls - before

        assert asyncio.run(more()) == 0, "the second batch is as small as the server wants it"


def test_trouble_that_passes_and_trouble_that_stays() -> None:
    seen: dict[str, int] = {}

    def wrong(route: str, body: dict[str, Any], n: int) -> web.Response | None:
        response = body["messages"][-1]["content"]
        seen[response] = seen.get(response, 0) + 1
        if response == "Answer 1" and seen[response] == 1:
            return web.json_response({"error": "overloaded"}, status=429, headers={"Retry-After": "0"})
        if response == "Answer 2" and seen[response] == 1:
            return web.Response(status=503, text="busy")
        if response == "Answer 3":
            return web.Response(status=500, text="CUDA error")
        if response == "Answer 4":
            return web.Response(text="<html>", content_type="text/html")
        return None

    with FakeScorer("vllm-classify", wrong=wrong) as fake:
        outcomes, meter = scores(settings(fake), wanted(6))
    values = expected("vllm-classify", wanted(6))
    assert [outcome.value for outcome in outcomes] == [*values[:3], None, None, values[5]]
    assert [outcome.failure for outcome in outcomes[3:5]] == ["server error", "not JSON"]
    assert meter.retries >= 4


def test_scores_are_kept_one_by_one() -> None:
    """Other neighbours, another batch size, a second run: what was paid for is found; another model's is not."""
    asked = wanted(10)
    with FakeScorer("vllm-score") as fake:
        first, meter = scores(settings(fake, batch=4), asked[:7])
        assert meter.cached == 0
        second, meter = scores(settings(fake, batch=16), asked[::-1])
        assert meter.cached == 7
        assert meter.calls == 1
        assert [outcome.value for outcome in second] == expected("vllm-score", asked)[::-1]
        assert [outcome.prompt_tokens for outcome in second[3:]] == [outcome.prompt_tokens for outcome in first[::-1]]
        other = replace(settings(fake), endpoint=Endpoint(fake.url, "another", KEY))
        _, meter = scores(other, asked)
        assert meter.cached == 0
        _, meter = scores(settings(fake, cache=False), asked)
        assert (meter.cached, meter.calls) == (0, 1)


def test_a_response_that_is_there_twice_is_asked_for_once() -> None:
    """And tasks that share responses in opposite orders don't wait for each other."""
    asked = wanted(6)

    async def run(made: ScoringSettings) -> list[list[Outcome[float]]]:
        async with (await resolved(made)).open() as scorer:
            groups = [asked, asked[::-1], [*asked, *asked], asked[2:4] * 3]
            return await asyncio.wait_for(asyncio.gather(*(scorer.score(group) for group in groups)), 20)

    with FakeScorer("vllm-classify", latency=0.01) as fake:
        found = asyncio.run(run(settings(fake)))
        paid = [response for _, response in fake.scored if response.startswith("Answer")]
    values = expected("vllm-classify", asked)
    assert [[outcome.value for outcome in group] for group in found] == [values, values[::-1], values * 2, values[2:4] * 3]
    assert sorted(paid) == [f"Answer {k}" for k in range(6)]


def test_a_failure_is_not_kept() -> None:
    broken = [True]
    wrong = lambda route, body, n: web.Response(status=400, text="no") if broken[0] and n > 1 else None  # noqa: E731
    with FakeScorer("vllm-score", wrong=wrong) as fake:
        outcomes, _ = scores(settings(fake), wanted(2))
        assert [outcome.failure for outcome in outcomes] == ["bad request"] * 2
        broken[0] = False
        outcomes, meter = scores(settings(fake), wanted(2))
        assert meter.cached == 0
        assert [outcome.value for outcome in outcomes] == expected("vllm-score", wanted(2))


def test_half_surrogates_and_several_turns() -> None:
    turns = (Message("system", "Be kind."), Message("user", "Say \ud83d"), Message("assistant", "?"), Message("user", "More"))
    with FakeScorer("vllm-rerank") as fake:
        outcomes, _ = scores(settings(fake), [Wanted(turns, "ok \udc00"), Wanted(turns, "")])
        query = fake.requests[-1][1]["query"]
    assert query.startswith("System: Be kind.\n\nUser: Say ")
    assert all(outcome.value is not None for outcome in outcomes)


@pytest.mark.parametrize(
    ("more", "says"), [({"dialect": "openai"}, "--dialect"), ({"batch": 0}, "--batch"), ({"class_index": -1}, "--class-index")]
)
def test_settings_that_can_not_be(more: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        settings("http://host/v1", **more)


def test_what_run_json_says_holds_no_secret() -> None:
    made = settings("http://me:pa55word@host/v1?key=abcd1234")
    assert json.loads(json.dumps(made.identity())) == {
        "model": "rm", "extra_body": {}, "dialect": "auto", "class_index": None, "template": None,
    }  # fmt: skip
    assert "pa55word" not in repr(made)
    assert KEY not in repr(made)
    assert "pa55word" not in repr(made.at("/score"))
