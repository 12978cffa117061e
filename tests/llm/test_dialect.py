"""What servers refuse of a request is left out, renamed or made smaller; once, for all, and nothing else."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from answers import Answered
from endpoint import FakeEndpoint, best_answer
from faults import UNSUPPORTED, error
from rationalerm.llm.client import Chat
from rationalerm.llm.dialect import Dialect, request_body
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.faults import http_fault
from rationalerm.llm.limits import Limits
from rationalerm.llm.question import Question
from rationalerm.match import LLMMatcher
from rationalerm.types import Message

ASKED = {
    "model": "m",
    "messages": [],
    "max_tokens": 4096,
    "temperature": 0,
    "seed": 7,
    "response_format": {"type": "json_schema"},
}
CAPS = {
    "openai": "max_tokens is too large: 4096. This model supports at most 2048 completion tokens, whereas you provided 4096.",
    "groq": "`max_tokens` must be less than or equal to `2048`, the maximum for `max_tokens` is less than the `context_window`",
    "deepseek": "Invalid max_tokens value, the valid range of max_tokens is [1, 2048]",
    "dashscope": "Range of max_tokens should be [1, 2048]",
    "anthropic": "max_tokens: 4096 > 2048, which is the maximum allowed number of output tokens for m",
}
REFUSED = {
    "response_format": [
        "This response_format type is unavailable now",
        "This model does not support response format `json_schema`. See supported models at https://x",
        "The provided JSON schema contains features not supported by xgrammar.",
        "'response_format.type' must be one of 'text', 'json_object'",
        "Unknown name \"strict\" at 'generation_config.response_schema': Cannot find field.",
    ],
    "temperature": [
        "`temperature` must be strictly positive",
        "temperature is not supported with this model. Use max_tokens only.",
    ],
    "seed": ["Unrecognized request argument supplied: seed", "Unknown parameter: seed. Known are max_tokens, temperature."],
}


def refusal(words: str, status: int = 400) -> Any:
    said = error(status, words)
    return http_fault(status, {}, said.body({}, 1))


def sent(dialect: Dialect, room: int | None = None) -> dict[str, Any]:
    return json.loads(dialect.encode(ASKED, room))


@pytest.mark.parametrize("kind", CAPS)
def test_the_largest_limit_is_learnt(kind: str) -> None:
    dialect = Dialect()
    assert dialect.learn(refusal(CAPS[kind]), ASKED)
    assert sent(dialect) == ASKED | {"max_tokens": 2048}
    assert not dialect.learn(refusal(CAPS[kind]), ASKED | {"max_tokens": 2048}), "it helped as much as it can"
    assert sent(dialect, room=100)["max_tokens"] == 100


@pytest.mark.parametrize(("field", "words"), [(field, words) for field, many in REFUSED.items() for words in many])
@pytest.mark.parametrize("status", [400, 422, 501])
def test_the_refused_field_and_no_other(field: str, words: str, status: int) -> None:
    dialect = Dialect()
    assert dialect.learn(refusal(words, status), ASKED)
    assert sent(dialect).keys() == ASKED.keys() - {field}
    assert dialect.notes == [f"the server takes no {field}: left out"]
    assert not dialect.learn(refusal(words, status), ASKED), "learnt once"


@pytest.mark.parametrize("words", ["messages: something is wrong", "The messages are not valid", "Unknown role: judge", ""])
def test_what_no_field_is_to_blame_for(words: str) -> None:
    dialect = Dialect()
    assert not dialect.learn(refusal(words), ASKED)
    assert sent(dialect) == ASKED


def test_a_field_that_was_not_sent_is_not_the_cause() -> None:
    assert not Dialect().learn(refusal("Unknown parameter: seed"), {"model": "m", "messages": []})


def test_words_of_a_request_that_a_server_repeats_teach_nothing() -> None:
    detail = [{"type": "x", "loc": ["body", "foo"], "msg": "not permitted", "input": "the seed, max_tokens and temperature"}]
    fault = http_fault(422, {}, json.dumps({"detail": detail}).encode())
    assert not Dialect().learn(fault, ASKED)


@pytest.mark.parametrize("kind", ["max_tokens", "temperature", "seed", "response_format"])
def test_many_refused_at_once_learn_it_once(kind: str) -> None:
    """Sixteen in flight get the same refusal; the first lesson is all of it."""
    field = kind.split()[0]

    def answer(body: dict[str, Any], n: int) -> Answered | str:
        return UNSUPPORTED[kind] if field in body else best_answer(body)

    with FakeEndpoint(answer, latency=0.05) as server:
        endpoint = Endpoint(url=server.url, model="m", seed=7, structured=True)
        asked = LLMMatcher(endpoint)

        async def all_of_it() -> list[Any]:
            async with Chat(endpoint, Limits(concurrency=16)) as chat:
                found = await asyncio.gather(*(chat.ask(asked.question([f"a {k}"], ["b"])) for k in range(40)))
                assert chat.sender is not None
                assert chat.sender.dialect.left_out == (set() if field == "max_tokens" else {field})
                assert chat.meter.notes == chat.sender.dialect.notes
                return found

        assert all(outcome.value is not None for outcome in asyncio.run(all_of_it()))
        assert server.count == 40 + 16, "what waited for a place was written after the lesson"
        expected = {"model", "messages", "max_tokens", "temperature", "seed", "response_format"} - {field}
        expected |= {"max_completion_tokens"} if field == "max_tokens" else set()
        assert all(request.body.keys() == expected for request in server.requests[16:])


def test_a_request_holds_what_was_asked_for() -> None:
    question: Question[str] = Question((Message("user", "a\ud83d"),), "p", str, {"type": "object"}, sample=2)
    body = request_body(Endpoint("http://h/v1", "m", seed=5, structured=True), question, question.messages, 9)
    assert body["messages"] == [{"role": "user", "content": "a\ufffd"}]
    assert (body["temperature"], body["max_tokens"], body["seed"]) == (0.0, 9, 7)
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    plain = request_body(Endpoint("http://h/v1", "m", temperature=None), question, question.messages, None)
    assert plain.keys() == {"model", "messages"}
    more = Endpoint("http://h/v1", "m", extra_body={"temperature": 1, "top_p": 0.5})
    assert request_body(more, question, question.messages, None)["temperature"] == 1
