"""The chat client: a question in, an outcome out, with the cache and the asking again between. Knows nothing of judging."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple, Self, TypeVar

import orjson

from rationalerm.errors import ParseError, printable
from rationalerm.llm.cache import Cache
from rationalerm.llm.calllog import CallLog
from rationalerm.llm.dialect import request_body
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.faults import Fault
from rationalerm.llm.limits import Limits
from rationalerm.llm.meter import Meter
from rationalerm.llm.question import Outcome, Question, Reply
from rationalerm.llm.sender import Sender, Tally
from rationalerm.types import Message

__all__ = ["Chat"]

T = TypeVar("T")

_WHITE = 40  # trailing white space that no writer means
_RAW = 2_000  # characters of a failure's body that are kept


class Chat:
    """An open client; `async with` it, in one event loop.

    Args:
        endpoint: where and what to ask.
        limits: how fast.
        cache: answers that were paid for before; None asks anew and keeps nothing.
        meter: counts calls, tokens and cost, and holds the budget.
        log: a line for each attempt.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        limits: Limits | None = None,
        *,
        cache: Cache | None = None,
        meter: Meter | None = None,
        log: CallLog | None = None,
    ) -> None:
        self.endpoint, self.limits, self.meter = endpoint, limits or Limits(), meter or Meter()
        self._cache, self._log = cache, log
        self.sender: Sender | None = None

    async def __aenter__(self) -> Self:
        self.sender = Sender(self.endpoint, self.limits, self.meter, self._log)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.sender:
            await self.sender.close()

    async def ask(self, question: Question[T]) -> Outcome[T]:
        """Asks until there is an answer that the question's reader takes, or the question has failed.

        An answer cut off for its length is asked for once more with twice the limit; one that can't be read is asked for again
        with what was wrong, at most `format_retries` times.

        Raises:
            StoppedError: nothing can be asked any more (key, model, quota, budget, dead endpoint).
            DataError: the cache can't be written.
        """
        tally = Tally()
        turns, limit = question.messages, None if self.endpoint.own_limit else self.endpoint.max_tokens or question.limit
        again, grown = 0, False
        while True:
            got = await self._answer(question, turns, limit, again, tally)
            if isinstance(got, Fault):
                return await self._failed(tally, got.kind, got.detail, None, got.raw)
            read = _read(question, got)
            if not isinstance(read, _Unread):
                return _outcome(tally, got, read)
            failure, problem = read
            self.meter.unread += tally.fresh
            may_grow = got.cut_off and not grown and not tally.cramped and failure != "truncated: white space"
            if may_grow and limit is not None:
                grown, limit = True, 2 * limit
            elif failure == "unparsed" and question.again is not None and again < self.limits.format_retries:
                again += 1
                turns = (*question.messages, Message("assistant", got.text or ""), Message("user", question.again(problem)))
            else:
                return await self._failed(tally, failure, problem, got, got.raw)

    async def _answer(
        self, question: Question[Any], turns: Sequence[Message], limit: int | None, again: int, tally: Tally
    ) -> Reply | Fault:
        """From the cache, or from the server and then into the cache."""
        assert self.sender is not None, "use it with `async with`"
        body = request_body(self.endpoint, question, turns, limit)
        key = self._key(body, question, again)
        if self._cache is not None and (stored := await self._cache.lookup(key)) is not None:
            self.meter.cached += 1
            tally.fresh = False
            return _count(tally, key, self._as_answer(_from_store(stored)))
        try:
            got = await self.sender.send(body, key, tally)
        except BaseException:
            await self._release(key)
            raise
        if isinstance(got, Fault):
            await self._release(key)
            return got
        if self._cache is not None:
            await self._cache.put(key, self._for_store(got, question))
        tally.fresh = True
        return _count(tally, key, self._as_answer(got))

    async def _release(self, key: str) -> None:
        if self._cache is not None:
            await self._cache.release(key)

    async def _failed(self, tally: Tally, kind: str, detail: str, reply: Reply | None, raw: str) -> Outcome[Any]:
        """A failure's answers were paid, so they stay in the cache; they are not served to the next run, which asks anew."""
        if self._cache is not None and tally.keys:
            await self._cache.reject(tally.keys)
        return _outcome(tally, reply, None, kind, printable(self.endpoint.redact(detail)), raw[:_RAW])

    def _key(self, body: dict[str, Any], question: Question[Any], again: int) -> str:
        """Content-addressed: all that is asked for, of whom, with which prompt."""
        asked = [self.endpoint.shown, body, question.prompt, question.sample, again]
        return hashlib.sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()

    def _for_store(self, reply: Reply, question: Question[Any]) -> dict[str, Any]:
        shown = {"model": self.endpoint.model, "endpoint": self.endpoint.shown, "prompt": question.prompt}
        fields = {name: getattr(reply, name) for name in Reply.__slots__}
        if reply.text and reply.text.strip():
            del fields["raw"]  # it holds nothing that the other fields don't
        return shown | fields

    def _as_answer(self, reply: Reply) -> Reply:
        """The reasoning in place of an empty content, where that was asked for."""
        if not self.endpoint.reasoning_as_answer or (reply.text or "").strip():
            return reply
        return Reply(reply.reasoning, reply.finish_reason, None, reply.prompt_tokens, reply.completion_tokens, reply.raw)


class _Unread(NamedTuple):
    """The failure's category, and what was wrong."""

    failure: str
    problem: str


def _read(question: Question[T], reply: Reply) -> T | _Unread:
    """The value, if the reader takes the answer."""
    if not (reply.text or "").strip():
        filtered = "filter" in (reply.finish_reason or "")
        kind = "content filter" if filtered else "empty content, finish_reason=length" if reply.cut_off else "empty content"
        return _Unread(kind, "the answer is empty" + (" (its reasoning is not)" if reply.reasoning else ""))
    try:
        return question.read(reply)
    except ParseError as error:
        text = reply.text or ""
        if reply.cut_off:
            white = len(text) - len(text.rstrip()) >= _WHITE
            return _Unread("truncated: white space" if white else "truncated", str(error))
        return _Unread("content filter" if "filter" in (reply.finish_reason or "") else "unparsed", str(error))


def _count(tally: Tally, key: str, reply: Reply) -> Reply:
    tally.answers += 1
    tally.keys.append(key)
    tally.prompt_tokens += reply.prompt_tokens or 0
    tally.completion_tokens += reply.completion_tokens or 0
    return reply


def _outcome(
    tally: Tally, reply: Reply | None, value: T | None, failure: str | None = None, detail: str = "", raw: str = ""
) -> Outcome[T]:
    return Outcome(
        value=value,
        failure=failure,
        detail=detail,
        text=reply.text if reply else None,
        finish_reason=reply.finish_reason if reply else None,
        calls=tally.answers,
        prompt_tokens=tally.prompt_tokens,
        completion_tokens=tally.completion_tokens,
        raw=raw,
    )


def _from_store(stored: dict[str, Any]) -> Reply:
    return Reply(**{name: stored.get(name) for name in Reply.__slots__ if name != "raw"}, raw=stored.get("raw") or "")
