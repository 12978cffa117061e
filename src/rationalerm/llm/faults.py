"""What went wrong with one request, and what to do about it: try again, give the row up, or stop the run.

One rule a status and wording, from what OpenAI, vLLM, SGLang, llama.cpp, Ollama and gateways send. The rules read the server's
own words, never what it repeats of a request: judged text must not be able to stop a run. Knows nothing of sockets.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import orjson

from rationalerm.errors import printable

__all__ = ["Fault", "body_fault", "http_fault", "said", "words_of"]

Then = Literal["retry", "slow down", "fail", "stop"]

_QUOTA = re.compile(
    r"(?i)insufficient[_ ](?:\w{1,20}[_ ])?(?:quota|balance|credits?|funds)"
    r"|exceeded[_ ](?:your[_ ])?current[_ ](?:\w{1,20}[_ ])?quota"
    r"|(?:quota|balance|credits?|funds)\b[^.]{0,20}\b(?:used up|exhausted|depleted|too low|insufficient|not enough|empty|run out)"
    r"|(?:out of |not enough |no (?:more |remaining )?|used all (?:available )?)(?:quota|balance|credits?|funds)\b"
    r"|(?:exceeded|reached|over)\b[^.]{0,30}\b(?:daily|monthly)[^.]{0,20}(?:quota|credits?|limit)"
    r"|(?:exceeded|reached|over)\b[^.]{0,30}\b(?:spend(?:ing)? limit|usage limits)|hard[_ ]limit[_ ](?:has been )?reached"
    r"|(?:daily|monthly|free)[^.]{0,20} quota[^.]{0,20}(?:exceeded|reached)|billing[_ ]not[_ ]active"
    r"|check your (?:plan and )?billing|payment required|budget[_ ](?:has been )?exceeded|exceeded_?budget"
    r"|account[^.]{0,30}(?:not active|suspended|overdue|arrears)|arrearage|please (?:recharge|top[- ]?up)"
    r"|余额不足|额度不足|额度已用|欠费|配额不足|配额已用"
)
_SOON = re.compile(r"PerMinute|\"retryDelay\"|[Pp]lease retry in \d")  # Gemini: a minute's limit, in an empty account's words
_FILTERED = re.compile(
    r"(?i)content[_ ]filter|content[_ ]policy|content management policy|data_inspection_failed|responsibleai|requires moderation"
    r"|(?:input|prompt|content|request) (?:was |is |has been )?flagged|prohibited content|inappropriate content"
)
_BAD_KEY = re.compile(
    r"(?i)(?:invalid|incorrect|no|missing)[_ ]api[_ -]?key|api[_ ]key[_ ](?:is )?(?:not[_ ]valid|invalid|missing)"
)
_TOO_LONG = re.compile(
    r"(?i)context_length_exceeded|exceed_context_size|maximum context length|maximum model length|max_model_len|max_seq_len"
    r"|context (?:size|window|length)|(?:prompt|input) (?:is )?too long|too many (?:input )?tokens|longer than the"
    r"|(?:input|prompt|request|tokens)[^.]{0,40}exceeds?[^.]{0,40}(?:context|max|limit|tokens)|string_above_max_length"
    r"|inputs?`? tokens? \+ `?max_new_tokens|must have (?:less|fewer) than \d+ tokens|reduce the length|range of input length"
    r"|request too large|larger than the model|maximum prompt length"
)
_NO_MODEL = re.compile(
    r"(?i)model[_ ]not[_ ]found|model\W.{0,200}(?:does not exist|not found|not exist|is not a valid model|decommissioned)"
    r"|no such model|(?:unknown|invalid) model\b|not a valid model|unable to access model"
)
_AGAIN_IN = re.compile(
    r"(?i)(?:try again|retry) (?:in|after) (?:(\d{1,4})h)?(?:(\d{1,4})m(?!s))?"
    r"(?:(\d{1,6}(?:\.\d{1,9})?) ?(ms|s(?:ec(?:ond)?s?)?)\b)?"
)
_SHOWN, _READ = 300, 4000  # characters


@dataclass(frozen=True, slots=True)
class Fault:
    """One request's failure.

    Args:
        kind: its category in tables and files.
        detail: one line.
        then: retry; slow down (retry, and send less); fail (this row only); stop (the run).
        after: seconds that the server asks to wait.
        raw: the body.
        status: HTTP's; -1: there was no connection.
        prompt_tokens, completion_tokens: what the server counted all the same.
    """

    kind: str
    detail: str
    then: Then = "fail"
    after: float | None = None
    raw: str = ""
    status: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


def http_fault(status: int, headers: Mapping[str, str], body: bytes) -> Fault:
    """The fault of an HTTP status that is not a success."""
    raw = body.decode("utf-8", "replace")
    words = words_of(raw)
    kind, then = _rule(status, words, raw)
    line = _shown(words)
    after = _wait(headers, words) if then in ("retry", "slow down") else None
    return Fault(kind, f"HTTP {status}: {line}" if line else f"HTTP {status}", then, after, raw, status)


def _rule(status: int, words: str, raw: str) -> tuple[str, Then]:
    """Category, and what to do."""
    if status in (400, 403, 422) and _FILTERED.search(words):
        return "content filter", "fail"
    if status == 402 or (status in (400, 401, 403, 412, 429, 500, 502, 503) and _out_of_quota(words, raw)):
        return "quota", "stop"
    if status in (401, 403, 407) or (status == 400 and _BAD_KEY.search(words)):
        return "not authorised", "stop"
    if status == 413 or (status in (400, 404, 422, 500, 502) and _TOO_LONG.search(words)):
        return "too long for judge", "fail"
    if status in (404, 405, 410) or (status in (400, 422) and _NO_MODEL.search(words)):
        return "no such model" if _NO_MODEL.search(words) else "no such address", "stop"
    if status == 429:  # more than a whole minute's tokens in one request never goes through
        return ("too long for judge", "fail") if "request too large" in words.lower() else ("rate limited", "slow down")
    if status in (408, 503, 529):
        return "timeout" if status == 408 else "server error", "slow down"
    if status in (409, 425) or (status >= 500 and status != 501):
        return "server error", "retry"
    return "bad request", "fail"


def body_fault(value: Any, raw: str) -> Fault | None:
    """The fault inside a body that came with 200: gateways send errors so."""
    error = value.get("error") if isinstance(value, dict) else None
    if not error:
        return None
    code = str(error.get("code") or error.get("status") or error.get("type") or "") if isinstance(error, dict) else ""
    status = int(code) if re.fullmatch(r"[45]\d\d", code) else 429 if "rate_limit" in code else 502
    return http_fault(status, {}, raw.encode("utf-8", "replace"))


def said(raw: str) -> str:
    """The server's own words in an error's body, as one line."""
    return _shown(words_of(raw))


def words_of(raw: str) -> str:
    """What the server says itself: message, code, type, field; of a page, its text."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return re.sub(r"<(script|style)\b.*?</\1>|<[^<>]*>", " ", raw[:_READ], flags=re.S | re.I)
    return _message(value)[:_READ]


def _shown(words: str) -> str:
    line = printable(" ".join(words.split()))
    return line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."


def _message(value: Any, depth: int = 0) -> str:
    """Without `input` and the like, in which a server repeats the request."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(_message(item, depth + 1) for item in value[:5]) if depth < _DEEP else ""
    if not isinstance(value, dict) or depth > _DEEP:
        return ""
    error = value.get("error")
    inner = error if isinstance(error, dict | list) else next((value[name] for name in _WORDS if value.get(name)), None)
    if inner is None:
        return orjson.dumps(value).decode("utf-8", "replace")
    words = _message(inner, depth + 1)
    place = value.get("loc")
    codes = [".".join(map(str, place))] if isinstance(place, list) else []
    codes += [code for name in _CODES if isinstance(code := value.get(name), str)]
    more = dict.fromkeys(code for code in codes if code and code not in words)
    return f"{words} ({', '.join(more)})" if more else words


_WORDS = ("message", "msg", "detail", "errors", "error")
_CODES = ("code", "type", "status", "error_type")
_DEEP = 6


def _out_of_quota(words: str, raw: str) -> bool:
    return bool(_QUOTA.search(re.sub(r"https?://\S+", "", words))) and ("PerDay" in raw or not _SOON.search(raw))


def _wait(headers: Mapping[str, str], words: str) -> float | None:
    """Seconds that `Retry-After-Ms`, `Retry-After` (seconds or a date) or the message asks for."""
    for name, unit in (("Retry-After-Ms", 1000), ("Retry-After", 1)):
        if re.fullmatch(r"\s*\d{1,12}(?:\.\d{1,12})?\s*", headers.get(name, "")):
            return float(headers[name]) / unit
    if (date := _date(headers.get("Retry-After"))) is not None:
        now = _date(headers.get("Date"))  # the server's clock, where it says it: ours may be wrong
        return max(0.0, date - (now if now is not None else time.time()))
    if (found := _AGAIN_IN.search(words)) and any(found.groups()):
        seconds = float(found[3] or 0) / (1000 if found[4] == "ms" else 1)
        return 3600 * int(found[1] or 0) + 60 * int(found[2] or 0) + seconds
    return None


def _date(value: str | None) -> float | None:
    """An HTTP date as seconds since 1970."""
    if value is None:
        return None
    try:
        date = parsedate_to_datetime(value)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
