"""Where requests go, what may be printed of it, and what is refused before anything is sent."""

from __future__ import annotations

import base64
import json
import pickle

import pytest

from rationalerm.errors import UsageError
from rationalerm.llm.endpoint import Endpoint

SECRETS = ("sk-TEST-111-not-real", "pw-TEST", "tok-TEST")
FULL = Endpoint("https://user:pw-TEST@host.example/v1?token=tok-TEST", "m", key="sk-TEST-111-not-real")


@pytest.mark.parametrize(
    ("url", "address", "shown"),
    [
        ("http://h:8000/v1", "http://h:8000/v1/chat/completions", "http://h:8000/v1"),
        ("http://h:8000/v1/", "http://h:8000/v1/chat/completions", "http://h:8000/v1"),
        ("http://h:8000", "http://h:8000/chat/completions", "http://h:8000"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions", "http://h/v1"),
        ("http://h/v1/chat/completions/", "http://h/v1/chat/completions", "http://h/v1"),
        ("https://h/d/x?api-version=2024-06-01", "https://h/d/x/chat/completions?api-version=2024-06-01", "https://h/d/x"),
        ("http://[::1]:8000/v1#f", "http://[::1]:8000/v1/chat/completions", "http://[::1]:8000/v1"),
        ("https://u:p%40x@h/v1", "https://h/v1/chat/completions", "https://h/v1"),
    ],
)
def test_addresses(url: str, address: str, shown: str) -> None:
    endpoint = Endpoint(url, "m")
    assert (endpoint.address, endpoint.shown) == (address, shown)


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            "host/v1",
            "ftp://h/v1",
            "http://",
            "http:///v1",
            "http://h:99999/v1",
            "http://h:0/v1",
            "http://h :80/v1",
            "http://[::1/v1",
        ),
        *("http://user:pw/TEST@h/v1", "http://user:12/TEST@h/v1", "http://user:1#TEST@h/v1"),
    ],
)
def test_what_is_no_address_is_not_repeated(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        Endpoint(url, "m")
    assert "TEST" not in str(caught.value)
    assert "http://host:port/v1" in str(caught.value)


def test_no_secret_is_printed_or_kept() -> None:
    """OP1, of the endpoint itself."""
    made = [repr(FULL), str(FULL), FULL.shown, json.dumps(FULL.identity())]
    assert not any(secret in text for secret in SECRETS for text in made)


def test_what_a_server_repeats_is_redacted_in_every_form() -> None:
    endpoint = Endpoint("https://us:p%22w%C3%A4-TEST@h/v1?token=a%2Fb-TEST&sig=x+y-TEST", "m")
    basic = base64.b64encode(b'us:p"w\xc3\xa4-TEST').decode()
    for text in (
        f"Authorization: Basic {basic}",
        json.dumps({"pw": 'p"wä-TEST'}),
        json.dumps({"pw": 'p"wä-TEST'}, ensure_ascii=False),
        "/v1/chat/completions?token=a%2Fb-TEST",
        "token a/b-TEST, x y-TEST",
    ):
        for clean in (endpoint.redact(text), endpoint.redact_answer(text)):
            assert "TEST" not in clean
            assert basic not in clean
    echoed = f"Bearer {FULL.key} to {FULL.url}"
    assert not any(secret in FULL.redact(echoed) for secret in SECRETS)


@pytest.mark.parametrize("key", ["none", "EMPTY", "ollama", "no-key-required", "test"])
def test_a_key_that_is_none_is_no_secret(key: str) -> None:
    endpoint = Endpoint("http://h/v1?beta=true&api-version=2024-06-01", "m", key=key)
    text = f"none of this is true since 2024-06-01: {key} tests ollama"
    assert endpoint.redact(text) == text
    assert endpoint.redact_answer(text) == text


def test_a_password_that_is_a_plain_word_stays_in_answers_only() -> None:
    endpoint = Endpoint("http://u:better@h/v1", "m")
    assert endpoint.redact("401: better is wrong") == "401: *** is wrong"
    assert endpoint.redact_answer("A is better") == "A is better"


def test_headers() -> None:
    assert FULL.headers()["Authorization"] == "Bearer sk-TEST-111-not-real"
    assert "Authorization" not in Endpoint("http://h/v1", "m").headers()
    named = Endpoint("http://u:p%40@h/v1", "m").headers()["Authorization"]
    assert named == "Basic " + base64.b64encode(b"u:p@").decode()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("model", ""),
        ("model", " "),
        ("model", "m\udcff"),
        ("key", "two words"),
        ("key", "schlüssel"),
        ("key", "a\nb"),
        ("max_tokens", 0),
        ("max_tokens", 2**63),
        ("temperature", -1),
        ("temperature", float("nan")),
        ("timeout", 0),
        ("timeout", float("inf")),
        ("timeout", float("nan")),
        ("seed", 10**30),
        ("extra_body", {"api_key": "sk-TEST"}),
        ("extra_body", {"extra_headers": {"Authorization": "Bearer sk-TEST"}}),
        ("extra_body", {"tools": [{"secret": "sk-TEST"}]}),
        ("extra_body", {"messages": []}),
        ("extra_body", {"stream": True}),
        ("extra_body", {"n": 2}),
        ("extra_body", {"x": 10**30}),
        ("extra_body", {"x": "\ud800"}),
        ("extra_body", {"x": object()}),
    ],
)
def test_what_no_server_could_take(option: str, value: object) -> None:
    with pytest.raises(UsageError) as caught:
        Endpoint(**{"url": "http://h/v1", "model": "m", option: value})  # type: ignore[arg-type]
    assert "sk-TEST" not in str(caught.value)


@pytest.mark.parametrize("name", ["max_tokens", "top_k", "chat_template_kwargs", "max_completion_tokens", "bos_token_id"])
def test_more_fields(name: str) -> None:
    assert Endpoint("http://h/v1", "m", extra_body={name: 3}).own_limit == (name in ("max_tokens", "max_completion_tokens"))


def test_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="OPENAI_API_KEY is not set"):
        Endpoint.from_env("m")
    monkeypatch.setenv("OPENAI_API_KEY", " sk-TEST-1\n")
    assert Endpoint.from_env("m").key == "sk-TEST-1"
    assert Endpoint.from_env("m").shown == "https://api.openai.com/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://h/v1")
    assert Endpoint.from_env("m").shown == "http://h/v1"
    assert Endpoint.from_env("m", base_url="http://other/v1").shown == "http://other/v1"
    monkeypatch.setenv("MINE", "sk-TEST-2")
    assert Endpoint.from_env("m", api_key_env="MINE").key == "sk-TEST-2"
    monkeypatch.delenv("OPENAI_API_KEY")
    assert Endpoint.from_env("m").key is None, "a server of one's own needs none"


def test_a_key_in_the_place_of_its_variable_is_not_repeated() -> None:
    with pytest.raises(UsageError, match="--api-key-env") as caught:
        Endpoint.from_env("m", base_url="http://h/v1", api_key_env="sk-TEST-000-not-real")
    assert "sk-TEST" not in str(caught.value)


def test_it_can_go_to_another_process() -> None:
    assert FULL.redact("tok-TEST") == "***"
    assert pickle.loads(pickle.dumps(FULL)) == FULL
