"""Bodies of 200 into replies and faults."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rationalerm.llm.faults import Fault
from rationalerm.llm.question import Reply
from rationalerm.llm.reply import read_reply, sendable


def body(message: Any, *, usage: Any = None, **choice: Any) -> bytes:
    return json.dumps({"choices": [{"message": message, **choice}], "usage": usage}).encode()


def reply(data: bytes) -> Reply:
    got = read_reply(data)
    assert isinstance(got, Reply), got
    return got


def fault(data: bytes) -> Fault:
    got = read_reply(data)
    assert isinstance(got, Fault), got
    return got


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": "a"}, "a", None),
        ({"content": None}, None, None),
        ({}, None, None),
        ({"content": ""}, None, None),
        ({"content": None, "reasoning_content": "r"}, None, "r"),
        ({"content": "a", "reasoning": "r"}, "a", "r"),
        ({"content": None, "refusal": "no"}, "no", None),
        ({"content": [{"type": "text", "text": "a"}, {"type": "x"}, {"text": "b"}, 3, {"text": None}]}, "ab", None),
        ({"content": 7}, None, None),
        ({"content": {"text": "a"}}, None, None),
    ],
)
def test_texts(message: Any, text: str | None, reasoning: str | None) -> None:
    got = reply(body(message))
    assert (got.text, got.reasoning) == (text, reasoning)


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 900, "completion_tokens": 4096, "total_tokens": 4996}, (900, 4096)),
        ({"prompt_tokens": 900, "completion_tokens": 96, "total_tokens": 4996}, (900, 4096)),
        ({"prompt_tokens": 9}, (9, None)),
        ({"completion_tokens": 4096}, (None, 4096)),
        ({"prompt_tokens": -1, "completion_tokens": True}, (None, None)),
        ({"prompt_tokens": "9", "completion_tokens": 1e300}, (None, None)),
        ({"prompt_tokens": 9.0, "completion_tokens": None}, (9, None)),
        (None, (None, None)),
        ([1], (None, None)),
    ],
)
def test_token_counts(usage: Any, counts: tuple[int | None, int | None]) -> None:
    got = reply(body({"content": "a"}, usage=usage))
    assert (got.prompt_tokens, got.completion_tokens) == counts


@pytest.mark.parametrize("finish", ["length", "max_tokens", "MAX_TOKENS", "model_length"])
def test_cut_off(finish: str) -> None:
    assert reply(body({"content": "a"}, finish_reason=finish)).cut_off


@pytest.mark.parametrize("finish", ["stop", None, 3, "content_filter"])
def test_not_cut_off(finish: Any) -> None:
    assert not reply(body({"content": "a"}, finish_reason=finish)).cut_off


@pytest.mark.parametrize(
    "data",
    [b"", b"  ", b"<html>502 Bad Gateway</html>", b'{"choices": [', b"data: {}\n\n", b"\xff\xfe\x00", b"[" * 200_000],
)
def test_not_json(data: bytes) -> None:
    assert (fault(data).kind, fault(data).then) == ("not JSON", "retry")


@pytest.mark.parametrize(
    "data",
    [b"{}", b"[]", b"3", b'"x"', b'{"choices":[]}', b'{"choices":null}', b'{"choices":[null]}', b'{"choices":[{"text":"a"}]}'],
)
def test_no_choices(data: bytes) -> None:
    assert (fault(data).kind, fault(data).then) == ("no choices", "retry")


def test_a_failure_that_was_paid_for_says_so() -> None:
    got = fault(b'{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":3}}')
    assert (got.prompt_tokens, got.completion_tokens) == (12, 3)


def test_an_answer_that_broke_down_in_the_middle() -> None:
    got = fault(body({"content": "half"}, finish_reason="error", error={"code": 502, "message": "upstream"}))
    assert (got.kind, got.then) == ("server error", "retry")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'{"choices":[{"message":{"content":"a\\ud83d"}}]}', "a\ufffd"),
        (b'{"choices":[{"message":{"content":"a\nb"}}]}', "a\nb"),
        (b'{"choices":[{"logprobs":NaN,"message":{"content":"a"}}]}', "a"),
        (b'\xef\xbb\xbf{"choices":[{"message":{"content":"a"}}]}', "a"),
    ],
)
def test_paid_answers_in_bad_json_are_read(data: bytes, text: str) -> None:
    assert reply(data).text == text


def test_what_json_can_not_hold() -> None:
    assert sendable("a\ud83d\ude00b\udcff") == "a😀b\ufffd"
    assert sendable("größe 😀") == "größe 😀"
