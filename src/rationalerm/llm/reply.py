"""A body that came with HTTP 200 -> a `Reply`, or the fault that it is. Knows nothing of sockets or of what a text says."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import orjson

from rationalerm.llm.faults import Fault, body_fault, said
from rationalerm.llm.question import Reply

__all__ = ["read_reply", "sendable"]

_MOST_TOKENS = 1e12  # no count of a real answer


def read_reply(body: bytes) -> Reply | Fault:
    """Reads a chat completion.

    A null or empty content is a `Reply` (it was paid for); a body without a choice, or that is not JSON, is a fault to retry.
    """
    raw = body.decode("utf-8", "replace")
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        value = _lenient(raw)
        if value is None:
            detail = f"the answer is not JSON: {said(raw)}" if raw.strip() else "the answer is empty"
            return Fault("not JSON", detail, "retry", raw=raw)
    if fault := body_fault(value, raw):
        return _metered(fault, value)
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        return _metered(Fault("no choices", "the answer holds no choice with a message", "retry", raw=raw), value)
    if fault := body_fault(first, raw):  # broke down in the middle of an answer
        return _metered(fault, value)
    finish = first.get("finish_reason")
    prompt, completion = _usage(value)
    return Reply(
        text=_text(message.get("content")) or _text(message.get("refusal")),
        finish_reason=finish if isinstance(finish, str) else None,
        reasoning=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        prompt_tokens=prompt,
        completion_tokens=completion,
        raw=raw,
    )


def sendable(text: str) -> str:
    """Half surrogates, which no JSON can hold, as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _lenient(raw: str) -> Any:
    """What Python's own reader takes too (half surrogates, NaN, bare line ends in strings): such an answer was paid for."""
    try:
        return json.loads(raw.lstrip("\ufeff"), strict=False)
    except (ValueError, RecursionError):
        return None


def _metered(fault: Fault, value: Any) -> Fault:
    prompt, completion = _usage(value)
    return replace(fault, prompt_tokens=prompt or 0, completion_tokens=completion or 0)


def _usage(value: Any) -> tuple[int | None, int | None]:
    """Prompt and answer tokens. Some servers leave the reasoning out of the answer's count, but not out of the total."""
    usage = value.get("usage") if isinstance(value, dict) else None
    if not isinstance(usage, dict):
        return None, None
    prompt, completion, total = (_count(usage.get(f"{name}_tokens")) for name in ("prompt", "completion", "total"))
    if prompt is not None and total is not None:
        completion = max(completion or 0, total - prompt)
    return prompt, completion


def _text(content: Any) -> str | None:
    """A content string, or the text parts of a list of them."""
    if isinstance(content, str):
        return sendable(content)
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(sendable(text) for text in texts if isinstance(text, str))
    return None


def _count(value: Any) -> int | None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
    return int(value) if good else None
