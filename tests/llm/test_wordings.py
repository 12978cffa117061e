"""Servers' own wordings, each into its category: too long, no room for the answer, a refused field, quota, model, key."""

from __future__ import annotations

import pytest

from endpoint import Answered
from faults import TOO_LONG, TOO_MUCH_ASKED, UNSUPPORTED, no_model, quota, rate_limited, server_error, unauthorised
from rationalerm.llm.dialect import Dialect, room_for_answer
from rationalerm.llm.faults import Fault, http_fault

ASKED = {
    "model": "m",
    "messages": [],
    "max_tokens": 4096,
    "temperature": 0,
    "seed": 7,
    "response_format": {"type": "json_schema"},
}


def fault(said: Answered) -> Fault:
    return http_fault(said.status, said.headers, said.body(ASKED, 1))


@pytest.mark.parametrize("kind", TOO_LONG)
def test_too_long(kind: str) -> None:
    found = fault(TOO_LONG[kind])
    assert (found.kind, found.then) == ("too long for judge", "fail")
    assert room_for_answer(found) is None or kind.startswith("vllm 0.6")
    assert not Dialect().learn(found, ASKED)


@pytest.mark.parametrize("kind", TOO_MUCH_ASKED)
def test_the_prompt_fits_and_the_answer_gets_what_room_there_is(kind: str) -> None:
    found = fault(TOO_MUCH_ASKED[kind])
    assert found.then == "fail"
    room = room_for_answer(found)
    assert room is not None
    assert 1000 < room <= 8192 - 7000


@pytest.mark.parametrize("kind", UNSUPPORTED)
def test_a_refused_field_is_left_out_and_no_other(kind: str) -> None:
    found = fault(UNSUPPORTED[kind])
    assert found.kind == "bad request"
    dialect = Dialect()
    assert dialect.learn(found, ASKED)
    name = kind.split()[0]
    before = set(ASKED)
    after = {field for field in ASKED if f'"{field}"'.encode() in dialect.encode(ASKED)}
    assert before - after == {name}
    assert (b"max_completion_tokens" in dialect.encode(ASKED)) == (name == "max_tokens")


@pytest.mark.parametrize("kind", ["openai", "vllm", "ollama"])
def test_no_such_model_stops(kind: str) -> None:
    assert (fault(no_model(kind)).kind, fault(no_model(kind)).then) == ("no such model", "stop")


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_stops(status: int) -> None:
    assert (fault(unauthorised(status)).kind, fault(unauthorised(status)).then) == ("not authorised", "stop")


def test_both_meanings_of_429() -> None:
    assert (fault(quota()).kind, fault(quota()).then) == ("quota", "stop")
    slow = fault(rate_limited(1.5))
    assert (slow.kind, slow.then, slow.after) == ("rate limited", "slow down", 1.5)


@pytest.mark.parametrize("status", [500, 502, 503, 504, 529])
def test_server_errors_are_tried_again(status: int) -> None:
    assert fault(server_error(status)).then in ("retry", "slow down")
