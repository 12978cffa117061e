"""What went wrong with one request, and what to do about it: try again, give the row up, or stop the run.

One rule a status and wording, from what OpenAI, vLLM, SGLang, llama.cpp, Ollama and gateways send. Knows nothing of sockets.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import orjson

from rationalerm.errors import printable

__all__ = ["Fault", "body_fault", "http_fault", "said"]

Then = Literal["retry", "slow down", "fail", "stop"]

_QUOTA = re.compile(
    r"(?i)insufficient[_ ](?:quota|balance|credits?|funds)|exceeded your current quota|billing[_ ]|out of credits"
    r"|quota (?:is )?(?:used up|exhausted)|credit balance is too low|payment required|hard limit has been reached"
)
_TOO_LONG = re.compile(
    r"(?i)context_length_exceeded|exceed_context_size|maximum context length|maximum model length|max_model_len"
    r"|context (?:size|window|length)|prompt is too long|input (?:is )?too long|too many (?:input )?tokens|longer than the"
    r"|(?:input|prompt|request)[^.]{0,40}exceeds?[^.]{0,40}(?:context|maximum|limit|tokens)|string_above_max_length"
    r"|inputs? tokens? \+ max_new_tokens|reduce the length"
)
_NO_MODEL = re.compile(r"(?i)model[_ ]not[_ ]found|model\W.{0,200}(?:does not exist|not found|not exist)|no such model|unknown model")
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Fault:
    """One request's failure.

    Args:
        kind: its category in tables and files.
        detail: one line.
        then: retry; slow down (retry, and send less); fail (this row only); stop (the run).
        after: seconds that the server asks to wait.
        raw: the body.
        status: HTTP's.
    """

    kind: str
    detail: str
    then: Then = "fail"
    after: float | None = None
    raw: str = ""
    status: int = 0


def http_fault(status: int, headers: Mapping[str, str], body: bytes) -> Fault:
    """The fault of an HTTP status other than 200."""
    raw = body.decode("utf-8", "replace")
    words = said(raw)
    detail = f"HTTP {status}: {words}" if words else f"HTTP {status}"
    after = _wait(headers)

    def fault(kind: str, then: Then) -> Fault:
        return Fault(kind, detail, then, after, raw, status)

    if status in (401, 403, 407):
        return fault("not authorised", "stop")
    if status == 402 or (status in (400, 429, 503) and _QUOTA.search(raw)):
        return fault("quota", "stop")
    if status == 413 or (status in (400, 404, 422, 500) and _TOO_LONG.search(raw)):
        return fault("too long for judge", "fail")
    if status in (404, 405) or (status == 400 and _NO_MODEL.search(words)):
        return fault("no such model" if _NO_MODEL.search(words) else "no such address", "stop")
    if status == 429:
        return fault("rate limited", "slow down")
    if status in (408, 503, 529):
        return fault("timeout" if status == 408 else "server error", "slow down")
    if status >= 500 or status in (409, 425):
        return fault("server error", "retry")
    return fault("bad request", "fail")


def body_fault(value: Any, raw: str) -> Fault | None:
    """The fault inside a body that came with 200: gateways send errors so."""
    error = value.get("error") if isinstance(value, dict) else None
    if not error:
        return None
    code = error.get("code") or error.get("status") if isinstance(error, dict) else None
    status = int(code) if isinstance(code, int) or (isinstance(code, str) and code.isdigit()) else 502
    return http_fault(status if 400 <= status < 600 else 502, {}, raw.encode("utf-8", "replace"))


def said(raw: str) -> str:
    """The server's own words in an error's body, as one line."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        text = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", raw[:4000], flags=re.S | re.I)
    else:
        text = _message(value)
    line = printable(" ".join(text.split()))
    return line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."


def _message(value: Any) -> str:
    if isinstance(value, dict):
        inner = value.get("error", value.get("message", value.get("detail", value)))
        if isinstance(inner, dict) and inner is not value:
            words = inner.get("message") or inner.get("detail")
            code = inner.get("code") or inner.get("type")
            return f"{words} ({code})" if isinstance(words, str) and isinstance(code, str) else _message(words or inner)
        if inner is not value:
            return _message(inner)
    return value if isinstance(value, str) else orjson.dumps(value).decode("utf-8", "replace")


def _wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that `Retry-After` (seconds or a date) or `Retry-After-Ms` asks for."""
    value = headers.get("Retry-After-Ms")
    if value is not None and re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", value):
        return float(value) / 1000
    value = headers.get("Retry-After")
    if value is None:
        return None
    if re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", value):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
