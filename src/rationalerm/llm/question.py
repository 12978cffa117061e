"""What is asked of a model and what comes back: a question with its reader, a reply, an outcome. Sends nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rationalerm.types import Message

__all__ = ["Outcome", "Question", "Reply"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a server (HTTP 200 with a choice in it), paid for, whatever it says.

    Token counts are the server's; None where it gave none.
    """

    text: str | None
    finish_reason: str | None = None
    reasoning: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    raw: str = ""

    @property
    def cut_off(self) -> bool:
        """Did the server end it for its length?"""
        return (self.finish_reason or "").lower() in ("length", "max_tokens", "model_length")


@dataclass(frozen=True)
class Question(Generic[T]):
    """One thing to ask.

    Args:
        messages: the turns.
        prompt: the prompt's name and version; part of the cache's key.
        read: the answer's reader. What it can't read (ParseError) is asked again, with what was wrong.
        schema: a JSON schema for servers that bind their output to one; sent only where that is switched on.
        sample: which sample of the same request this is (votes, repeats).
        limit: most tokens of the answer, where the endpoint has no limit of its own.
        again: the user's turn that says what was wrong; None: an unread answer is not asked for again.
        expected_tokens: of the answer, for forecasts only.
    """

    messages: tuple[Message, ...]
    prompt: str
    read: Callable[[Reply], T]
    schema: Mapping[str, Any] | None = None
    sample: int = 0
    limit: int | None = None
    again: Callable[[str], str] | None = None
    expected_tokens: int = 200


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What a question came to: a value, or the category of its failure.

    The counts are of the answers that it took (those of an earlier run too: they were paid once), so they are the same in a
    resumed run. `raw` is the last body of a failure.
    """

    value: T | None
    failure: str | None = None
    detail: str = ""
    text: str | None = None
    finish_reason: str | None = None
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    raw: str = ""
