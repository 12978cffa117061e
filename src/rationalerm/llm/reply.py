"""A body that came with HTTP 200 -> a `Reply`, or the fault that it is. Knows nothing of sockets or of what a text says."""

from __future__ import annotations

from typing import Any

import orjson

from rationalerm.llm.faults import Fault, body_fault, said
from rationalerm.llm.question import Reply

__all__ = ["read_reply"]


def read_reply(body: bytes) -> Reply | Fault:
    """Reads a chat completion.

    A null or empty content is a `Reply` (it was paid for); a body without a choice, or that is not JSON, is a fault to retry.
    """
    raw = body.decode("utf-8", "replace")
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return Fault("not JSON", f"the answer is not JSON: {said(raw)}" if raw.strip() else "the answer is empty", "retry", raw=raw)
    if fault := body_fault(value, raw):
        return fault
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        return Fault("no choices", "the answer holds no choice with a message", "retry", raw=raw)
    usage = value.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    finish = first.get("finish_reason")
    return Reply(
        text=_text(message.get("content")) or _text(message.get("refusal")),
        finish_reason=finish if isinstance(finish, str) else None,
        reasoning=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        raw=raw,
    )


def _text(content: Any) -> str | None:
    """A content string, or the text parts of a list of them."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return None


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None
