"""What one server takes of a request: fields that it refuses by name are left out or renamed, for the rest of the run.

Servers differ in the limit's name (`max_tokens`, `max_completion_tokens`), in whether they take a temperature, a seed or a JSON
schema, and in how much room a context leaves. Cache keys are made from what was asked for, before any of this.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import orjson

from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.faults import Fault
from rationalerm.llm.question import Question
from rationalerm.types import Message

__all__ = ["Dialect", "request_body", "room_for_answer"]

_REFUSED = re.compile(
    r"(?i)unsupported|not supported|does not support|doesn't support|unrecognized|unrecognised|unknown|unexpected|not permitted"
    r"|extra (?:fields?|inputs?)|not allowed|not available|only the default|invalid (?:field|parameter|schema)|not implemented"
)
_FIELDS = {
    "max_tokens": ("max_tokens",),
    "temperature": ("temperature",),
    "seed": ("seed",),
    "response_format": ("response_format", "json_schema", "guided", "structured output", "grammar"),
}
_REQUESTED = re.compile(r"(\d+) in the (?:messages|prompt|input)\D{1,12}(\d+) in the completion")
_TOO_LARGE = re.compile(r"maximum context length is (\d+) tokens and your request has (\d+) input tokens")
_CONTEXT = re.compile(r"maximum context length is (\d+)")
_SLACK = 8


def request_body(endpoint: Endpoint, question: Question[Any], turns: Sequence[Message], limit: int | None) -> dict[str, Any]:
    """What is asked for, in the fields of the chat completions API."""
    body: dict[str, Any] = {
        "model": endpoint.model,
        "messages": [{"role": turn.role, "content": _valid(turn.content)} for turn in turns],
    }
    if endpoint.temperature is not None:
        body["temperature"] = endpoint.temperature
    if limit is not None:
        body["max_tokens"] = limit
    if endpoint.seed is not None:
        body["seed"] = endpoint.seed + question.sample
    if endpoint.structured and question.schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": question.schema},
        }
    return body | dict(endpoint.extra_body)


class Dialect:
    """Remembers what the server refused."""

    def __init__(self) -> None:
        self.left_out: set[str] = set()
        self.renamed = False
        self.version = 0  # a request that was refused before the last lesson is worth sending again

    def encode(self, body: dict[str, Any], limit: int | None = None) -> bytes:
        """The request as this server takes it. `limit`: a smaller max_tokens, where the context has no room for more."""
        if self.left_out:
            body = {name: value for name, value in body.items() if name not in self.left_out}
        if limit is not None and "max_tokens" in body:
            body = body | {"max_tokens": limit}
        if self.renamed and "max_tokens" in body:
            body = {"max_completion_tokens" if name == "max_tokens" else name: value for name, value in body.items()}
        return orjson.dumps(body)

    def learn(self, fault: Fault, body: dict[str, Any]) -> bool:
        """Takes a refusal in; True if the same request, as it is encoded now, is worth sending."""
        if fault.status not in (400, 422, 501) or not _REFUSED.search(fault.raw):
            return False
        if "max_tokens" in body and "max_completion_tokens" in fault.raw and not self.renamed and "max_tokens" not in self.left_out:
            self.renamed = True
            self.version += 1
            return True
        named = _parameter(fault.raw)
        for name, words in _FIELDS.items():
            known = name in body and name not in self.left_out
            if known and (named == name or (named is None and any(word in fault.raw.lower() for word in words))):
                self.left_out.add(name)
                self.version += 1
                return True
        return False

    @property
    def notes(self) -> list[str]:
        """What a reader of the run should know."""
        return [f"the server takes no {name}: left out" for name in sorted(self.left_out)]


def room_for_answer(fault: Fault) -> int | None:
    """Tokens that the context leaves for an answer, where a server refused the limit and not the prompt; else None."""
    found = _TOO_LARGE.search(fault.raw)
    if found:
        context, prompt = int(found[1]), int(found[2])
    elif (found := _REQUESTED.search(fault.raw)) and (whole := _CONTEXT.search(fault.raw)):
        context, prompt = int(whole[1]), int(found[1])
    else:
        return None
    room = context - prompt - _SLACK
    return room if room > 0 else None


def _valid(text: str) -> str:
    """Half surrogates, which can't be sent, as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _parameter(raw: str) -> str | None:
    """`error.param`, where the server names one field."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    error = value.get("error") if isinstance(value, dict) else None
    name = error.get("param") if isinstance(error, dict) else None
    return name.split(".")[0] if isinstance(name, str) and name else None
