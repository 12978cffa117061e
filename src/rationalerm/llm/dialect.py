"""What one server takes of a request: fields that it refuses by name are left out or renamed, for the rest of the run.

Servers differ in the limit's name (`max_tokens`, `max_completion_tokens`), in how large it may be, in whether they take a
temperature, a seed or a JSON schema, and in how much room a context leaves. Cache keys are made from what was asked for, before
any of this.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import orjson

from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.faults import Fault, words_of
from rationalerm.llm.question import Question
from rationalerm.llm.reply import sendable
from rationalerm.types import Message

__all__ = ["Dialect", "request_body", "room_for_answer"]

_REFUSED = re.compile(
    r"(?i)unsupported|not supported|does not support|doesn't support|unrecognized|unrecognised|unknown|unexpected|not permitted"
    r"|extra (?:fields?|inputs?)|extra_forbidden|not allowed|not available|unavailable|only the default|not implemented"
    r"|not valid|strictly positive|supported values are|must be (?:one of|either)|cannot find field"
    r"|invalid (?:\w+ )?(?:field|parameter|schema|value|argument)"
)
_FIELDS = {
    "max_tokens": ("max_tokens",),
    "temperature": ("temperature",),
    "seed": ("seed",),
    "response_format": (
        *("response_format", "response format", "response_schema", "json_schema", "json schema"),
        *("guided", "structured output", "grammar"),
    ),
}
_CONTEXT = r"(?:context length (?:is|of)|must be <=) (\d{1,9})\b.*?"
_ROOM = [  # context, then prompt; in each server's words
    re.compile(_CONTEXT + r"your request has (\d{1,9}) input tokens", re.S),
    re.compile(
        _CONTEXT + r"\b(\d{1,9}) (?:tokens )?(?:in|from) the (?:messages|prompt|input)\D{1,20}\d+ (?:tokens )?(?:in|for) the",
        re.S,
    ),
    re.compile(_CONTEXT + r"prompt contains at least (\d{1,9}) input tokens", re.S),
    re.compile(_CONTEXT + r"Given: (\d{1,9}) `inputs` tokens and", re.S),
]
_MOST = re.compile(  # the largest limit that this server takes for any prompt
    r"(?i)max_(?:completion_)?tokens\b.*?(?:supports at most|less than or equal to|must be <=|should be \[\d+,"
    r"|range of max_tokens is \[\d+,|maximum (?:value |output )?(?:is|of)|\d+ >) ?`?(\d{1,9})",
    re.S,
)
_SLACK = 8


def request_body(endpoint: Endpoint, question: Question[Any], turns: Sequence[Message], limit: int | None) -> dict[str, Any]:
    """What is asked for, in the fields of the chat completions API."""
    body: dict[str, Any] = {
        "model": endpoint.model,
        "messages": [{"role": turn.role, "content": sendable(turn.content)} for turn in turns],
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
        self.most: int | None = None  # the largest limit of an answer
        self.version = 0  # a request that was refused before the last lesson is worth sending again

    def encode(self, body: dict[str, Any], room: int | None = None) -> bytes:
        """The request as this server takes it. `room`: the most tokens that the context leaves for the answer."""
        if self.left_out:
            body = {name: value for name, value in body.items() if name not in self.left_out}
        if (room or self.most) and isinstance(asked := body.get("max_tokens"), int):
            body = body | {"max_tokens": min(asked, room or asked, self.most or asked)}
        if self.renamed and "max_tokens" in body:
            body = {"max_completion_tokens" if name == "max_tokens" else name: value for name, value in body.items()}
        return orjson.dumps(body)

    def learn(self, fault: Fault, body: dict[str, Any]) -> bool:
        """Takes a refusal in; True if the same request, as it is encoded now, is worth sending."""
        if fault.status not in (400, 422, 501):
            return False
        words = words_of(fault.raw)
        limit = None if "max_tokens" in self.left_out else body.get("max_tokens")
        if isinstance(limit, int) and (most := _MOST.search(words)):
            if not 0 < int(most[1]) < min(limit, self.most or limit):
                return False
            self.most = int(most[1])
        elif not _REFUSED.search(words):
            return False
        elif limit is not None and "max_completion_tokens" in words and not self.renamed:
            self.renamed = True
        elif (name := _refused(fault.raw, words, {name for name in _FIELDS if name in body} - self.left_out)) is not None:
            self.left_out.add(name)
        else:
            return False
        self.version += 1
        return True

    @property
    def notes(self) -> list[str]:
        """What a reader of the run should know."""
        return [f"the server takes no {name}: left out" for name in sorted(self.left_out)]


def room_for_answer(fault: Fault) -> int | None:
    """Tokens that the context leaves for an answer, where a server refused the limit and not the prompt; else None."""
    words = words_of(fault.raw)
    found = next((found for form in _ROOM if (found := form.search(words))), None)
    if found is None:
        return None
    room = int(found[1]) - int(found[2]) - _SLACK
    return room if room > 0 else None


def _refused(raw: str, words: str, sent: set[str]) -> str | None:
    """The field that is refused, of those that were sent: the one that the server names, else the first that it speaks of."""
    named = _parameter(raw)
    if named is not None:
        return named if named in sent else None
    text = words.lower()
    places = {at: name for name, ways in _FIELDS.items() for way in ways if (at := text.find(way)) >= 0}
    first = places[min(places)] if places else None
    return first if first in sent else None


def _parameter(raw: str) -> str | None:
    """`error.param`, where the server names one field."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    error = value.get("error") if isinstance(value, dict) else None
    name = error.get("param") if isinstance(error, dict) else None
    return re.split(r"[.\[]", name)[0] if isinstance(name, str) and name else None
