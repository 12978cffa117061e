"""Statuses and wordings into what is done about them: again, slower, not this row, or not at all."""

from __future__ import annotations

import json
import time
from email.utils import formatdate

import pytest

from rationalerm.llm.faults import Fault, body_fault, http_fault, said

# Words of exhausted accounts, as hosted servers and gateways send them.
QUOTA = {
    "openai": (
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
    ),
    "case": (429, "quota used up", "insufficient_quota"),
    "openai hard limit": (400, "Billing hard limit has been reached", "billing_hard_limit_reached"),
    "openai inactive": (
        429,
        "Your account is not active, please check your billing details on our website.",
        "billing_not_active",
    ),
    "moonshot": (
        429,
        "You exceeded your current token quota: x, please check your account balance",
        "exceeded_current_quota_error",
    ),
    "deepseek": (402, "Insufficient Balance", "invalid_request_error"),
    "anthropic": (
        400,
        "Your credit balance is too low to access the API. Please go to Plans & Billing.",
        "invalid_request_error",
    ),
    "anthropic limit": (400, "You have reached your specified API usage limits.", "invalid_request_error"),
    "zhipu": (429, "余额不足或无可用资源包,请充值。", "1113"),
    "zhipu english": (429, "Insufficient balance or no resource package. Please recharge.", "1113"),
    "one-api": (403, "用户额度不足", "insufficient_user_quota"),
    "siliconflow": (403, "Sorry, your account balance is insufficient", "30001"),
    "fireworks": (412, "Account x is suspended, possibly due to reaching the monthly spending limit", "error"),
    "xai": (429, "Your team x has either used all available credits or reached its monthly spending limit.", "error"),
    "litellm": (400, "Budget has been exceeded! Current cost: 1.2, Max budget: 1.0", "budget_exceeded"),
    "openrouter": (402, "This request requires more credits, or fewer max_tokens.", "402"),
    "perplexity": (401, "You exceeded your current quota", "insufficient_quota"),
    "credits": (429, "You have run out of credits", "x"),
    "monthly": (429, "You have exceeded your monthly included credits for Inference Providers.", "x"),
    "free": (429, "Your free quota has been exhausted", "x"),
}
# Slow down: a plain limit, in words that come near.
SLOW = {
    "openai": "Rate limit reached for m in organization org-x on requests per min (RPM): Limit 3, Used 3, Requested 1. Please "
    "try again in 20s. You can increase your rate limit by adding a payment method to your account at "
    "https://platform.openai.com/account/billing.",
    "azure": "Requests have exceeded token rate limit of your current S0 pricing tier. Please contact support if you would like "
    "to further increase the default rate limit: https://aka.ms/oai/quotaincrease",
    "mistral": "Requests rate limit exceeded",
    "vertex": "Resource has been exhausted (e.g. check quota).",
    "dashscope": "Requests rate limit exceeded, please try again later.",
    "busy": "The server is busy, please try again later",
    "nothing": "",
}


def answered(status: int, words: str, code: str = "", **headers: str) -> Fault:
    body = json.dumps({"error": {"message": words, "type": code, "code": code}}).encode()
    return http_fault(status, {name.replace("_", "-"): value for name, value in headers.items()}, body)


@pytest.mark.parametrize("kind", QUOTA)
def test_an_empty_account_stops_the_run(kind: str) -> None:
    """JA3."""
    fault = answered(*QUOTA[kind])
    assert (fault.kind, fault.then) == ("quota", "stop")


@pytest.mark.parametrize("kind", SLOW)
def test_a_plain_429_is_tried_again(kind: str) -> None:
    """JA3, its other half."""
    fault = answered(429, SLOW[kind], "rate_limit_exceeded")
    assert (fault.kind, fault.then) == ("rate limited", "slow down")


def test_a_limit_a_minute_in_the_words_of_an_empty_account() -> None:
    def gemini(unit: str) -> Fault:
        details = [{"violations": [{"quotaId": f"GenerateRequestsPer{unit}PerProject"}]}, {"retryDelay": "34s"}]
        words = "You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s."
        error = {"code": 429, "message": words, "status": "RESOURCE_EXHAUSTED", "details": details}
        return http_fault(429, {}, json.dumps([{"error": error}]).encode())

    assert gemini("Minute").then == "slow down"
    assert gemini("Minute").after == pytest.approx(34.07)
    assert gemini("Day").kind == "quota"


@pytest.mark.parametrize(
    ("status", "kind", "then"),
    [
        (400, "bad request", "fail"),
        (401, "not authorised", "stop"),
        (403, "not authorised", "stop"),
        (404, "no such address", "stop"),
        (405, "no such address", "stop"),
        (407, "not authorised", "stop"),
        (408, "timeout", "slow down"),
        (409, "server error", "retry"),
        (413, "too long for judge", "fail"),
        (422, "bad request", "fail"),
        (429, "rate limited", "slow down"),
        (500, "server error", "retry"),
        (501, "bad request", "fail"),
        (502, "server error", "retry"),
        (503, "server error", "slow down"),
        (504, "server error", "retry"),
        (524, "server error", "retry"),
        (529, "server error", "slow down"),
    ],
)
def test_statuses(status: int, kind: str, then: str) -> None:
    for body in (b"", b"oops", b'{"detail": "oops"}', b"null", b"[]", b'"x"', b"\xff\xfe", b"<html><body>oops"):
        fault = http_fault(status, {}, body)
        assert (fault.kind, fault.then) == (kind, then), body
        assert fault.detail.startswith(f"HTTP {status}")
        assert fault.detail.isprintable()


@pytest.mark.parametrize(
    ("status", "words", "kind", "then"),
    [
        (400, "API key not valid. Please pass a valid API key.", "not authorised", "stop"),
        (400, "Model Not Exist", "no such model", "stop"),
        (400, "xyz is not a valid model ID", "no such model", "stop"),
        (400, "Invalid model: xyz", "no such model", "stop"),
        (400, "The model `m` has been decommissioned and is no longer supported.", "no such model", "stop"),
        (400, "The response was filtered due to the prompt triggering our content management policy.", "content filter", "fail"),
        (403, "Your chosen model requires moderation and your input was flagged", "content filter", "fail"),
        (429, "Request too large for m on tokens per min (TPM): Limit 30000, Requested 45000.", "too long for judge", "fail"),
        (413, "Request too large for model m on tokens per minute (TPM)", "too long for judge", "fail"),
        (400, "messages: something else", "bad request", "fail"),
    ],
)
def test_wordings(status: int, words: str, kind: str, then: str) -> None:
    assert (answered(status, words).kind, answered(status, words).then) == (kind, then)


def test_too_long_without_a_word_of_it() -> None:
    """JA9's body."""
    fault = http_fault(400, {}, b'{"error":{"code":"context_length_exceeded"}}')
    assert (fault.kind, fault.then) == ("too long for judge", "fail")


@pytest.mark.parametrize(
    "text", ["insufficient_quota", "model_not_found: no such model", "context_length_exceeded", "invalid api key"]
)
@pytest.mark.parametrize("status", [400, 422, 500])
def test_what_a_server_repeats_of_a_request_stops_nothing(text: str, status: int) -> None:
    detail = [{"type": "missing", "loc": ["body", "x"], "msg": "Field required", "input": {"messages": [{"content": text}]}}]
    fault = http_fault(status, {}, json.dumps({"detail": detail}).encode())
    assert fault.kind in ("bad request", "server error")
    assert "Field required (body.x, missing)" in fault.detail


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": " 1.5 "}, 1.5),
        ({"Retry-After": "0"}, 0),
        ({"Retry-After-Ms": "250"}, 0.25),
        ({"Retry-After-Ms": "250", "Retry-After": "1"}, 0.25),
        ({"Retry-After": formatdate(5030, usegmt=True), "Date": formatdate(5000, usegmt=True)}, 30),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "9" * 400}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "Mon, 99 Foo 99999 99:99:99 GMT"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    after = http_fault(429, headers, b"{}").after
    assert after is None if seconds is None else after == pytest.approx(seconds, abs=2)


@pytest.mark.parametrize(("ahead", "seconds"), [(300, 300), (-300, 0)])
@pytest.mark.parametrize("gmt", [True, False])
def test_retry_after_as_a_date(ahead: int, seconds: float, gmt: bool) -> None:
    after = http_fault(429, {"Retry-After": formatdate(time.time() + ahead, usegmt=gmt)}, b"{}").after
    assert after == pytest.approx(seconds, abs=20)


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Please try again in 120ms.", 0.12),
        ("Please try again in 20s.", 20),
        ("Please try again in 7m12.5s.", 432.5),
        ("please retry after 3 seconds", 3),
        ("try again in 1h2m3s", 3723),
        ("Please try again later", None),
        ("try again in a while", None),
    ],
)
def test_seconds_in_the_message(words: str, seconds: float | None) -> None:
    assert answered(429, words).after == (None if seconds is None else pytest.approx(seconds))
    assert answered(429, words, Retry_After="2").after == 2


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 429, "message": "slow"}, "rate limited"),
        ({"code": "rate_limit_exceeded", "message": "slow"}, "rate limited"),
        ({"code": "insufficient_quota", "message": "empty"}, "quota"),
        ({"code": "context_length_exceeded"}, "too long for judge"),
        ({"code": 401}, "not authorised"),
        ({"code": True}, "server error"),
        ({"code": 200}, "server error"),
        ("overloaded", "server error"),
        (["x"], "server error"),
        (7, "server error"),
    ],
)
def test_errors_that_come_with_200(error: object, kind: str) -> None:
    raw = json.dumps({"error": error})
    fault = body_fault(json.loads(raw), raw)
    assert fault is not None
    assert fault.kind == kind


@pytest.mark.parametrize("value", [{}, {"error": None}, {"error": {}}, {"error": ""}, [], "error", None, 3])
def test_no_error(value: object) -> None:
    assert body_fault(value, "") is None


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ('{"error":{"message":"no","type":"t"}}', "no (t)"),
        ('{"error":{"message":"no","type":"t","code":"c"}}', "no (c, t)"),
        ('{"error":"no"}', "no"),
        ('{"error":"Bad Request","message":"the reason"}', "the reason"),
        ('{"message":{"detail":[{"loc":["body","seed"],"msg":"no"}]}}', "no (body.seed)"),
        ('[{"error":{"message":"no"}}]', "no"),
        ("<html><style>a{}</style><title>502</title><p>no</p></html>", "502 no"),
        ("a\nb\x1b[31m", "a b\\x1b[31m"),
        ("", ""),
    ],
)
def test_the_servers_words_on_one_line(raw: str, line: str) -> None:
    assert said(raw) == line


def test_hostile_bodies() -> None:
    for raw in (
        '{"error":' * 900 + "1" + "}" * 900,
        "[" * 900 + "]" * 900,
        "<" * 100_000,
        "<script" * 10_000,
        json.dumps({"error": {"message": "quota " * 50_000}}),
        json.dumps({"detail": [{"msg": "x" * 1000}] * 5000}),
    ):
        start = time.process_time()
        fault = http_fault(400, {}, raw.encode())
        assert len(fault.detail) < 400
        assert time.process_time() - start < 15
