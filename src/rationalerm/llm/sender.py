"""One answer, however many attempts it takes: the only place where anything is sent again.

Within the gate, the pace and the budget; backs off, learns the server's dialect, and stops the run when nothing can be asked any
more. Knows nothing of what a text says.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from rationalerm.errors import StoppedError, printable
from rationalerm.llm.calllog import CallLog
from rationalerm.llm.dialect import Dialect, room_for_answer
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.faults import Fault
from rationalerm.llm.gate import Gate
from rationalerm.llm.limits import Limits
from rationalerm.llm.meter import Meter
from rationalerm.llm.pace import Pace
from rationalerm.llm.question import Reply
from rationalerm.llm.reply import read_reply
from rationalerm.llm.wire import Wire

__all__ = ["Sender", "Tally"]

_BACKOFF_S, _BACKOFF_MOST_S = 0.5, 30.0
_PATIENCE_S = 300.0  # of being told to slow down, without one answer; or for as long as one request may take
_DEAD = 16  # questions in a row that ended without an answer: the endpoint is gone
_GONE = ("connection", "timeout", "server error", "not JSON", "no choices")
_GO_ON = "results are kept, run the same command again later"
_ADVICE = {
    "not authorised": "check the key (OPENAI_API_KEY, or --api-key-env); results are kept",
    "quota": "the account's quota is used up; results are kept, top it up and run the same command again",
    "no such model": "name the model as the server does (--model); results are kept",
    "certificate": "results are kept",
    "connection": "check the proxy's user and password, or use --no-proxy; results are kept",
    "no such address": "does OPENAI_BASE_URL end as the server wants it, e.g. in /v1? Results are kept",
}


@dataclass
class Tally:
    """One question's attempts so far. It has one allowance of retries, however often its text is asked again.

    `fresh`: the last answer was sent for, it was not in the cache. `cramped`: the context had no room for the limit that was
    asked for, so a larger one is of no use.
    """

    retries: int = 0
    eased: int = 0
    attempts: int = 0
    answers: int = 0
    fresh: bool = False
    cramped: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0
    keys: list[str] = field(default_factory=list)


def chat_chars(body: dict[str, Any]) -> int:
    """How long a chat request's prompt is."""
    return sum(len(turn["content"]) for turn in body["messages"])


class Sender:
    """What all questions of a run share. Use it from one event loop.

    Args:
        endpoint, limits, meter, log: as for `Chat`.
        reader: of an answer's body; a chat completion's where nothing else is said.
        chars: how long a request's prompt is.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        limits: Limits,
        meter: Meter,
        log: CallLog | None,
        *,
        reader: Callable[[bytes], Reply | Fault] = read_reply,
        chars: Callable[[dict[str, Any]], int] = chat_chars,
    ) -> None:
        self._endpoint, self._limits, self._meter, self._log, self._chars = endpoint, limits, meter, log, chars
        self.gate = Gate(limits.concurrency, self._rest)
        self.dialect = Dialect()
        self._requests, self._tokens = Pace(limits.rpm, self._rest), Pace(limits.tpm, self._rest)
        self._wire = Wire(endpoint, limits.concurrency, proxies=limits.proxies, reader=reader)
        self._clock = asyncio.get_running_loop().time
        self._stopped: str | None = None
        self._resting: set[asyncio.Future[None]] = set()
        self._failed_in_a_row = 0
        self._slow_since: float | None = None  # told to slow down, and no answer since

    async def close(self) -> None:
        """Closes the connections."""
        await self._wire.close()

    async def send(self, body: dict[str, Any], key: str, tally: Tally) -> Reply | Fault:
        """The answer to a request, or the fault that remained.

        Raises:
            StoppedError: nothing can be asked any more.
        """
        room: int | None = None
        again = False
        while True:
            got, version = await self._attempt(body, room, key, tally, again)
            again = True
            if isinstance(got, Reply):
                self._failed_in_a_row, self._slow_since = 0, None
                return got
            if got.then == "stop":
                self._stop(f"{self._endpoint.shown}: {got.kind}: {got.detail}; {_ADVICE.get(got.kind, _GO_ON)}")
            if room is None and "max_tokens" in body and (room := room_for_answer(got)) is not None:
                tally.cramped = True
                continue
            if got.kind == "bad request" and self._learn(got, body, version):
                continue
            if got.then == "fail":
                return got
            if got.kind != "rate limited":
                if tally.retries >= self._limits.max_retries:
                    self._count_dead(got)
                    return got
                tally.retries += 1
            await self._wait(got, tally)

    async def _attempt(
        self, body: dict[str, Any], room: int | None, key: str, tally: Tally, again: bool
    ) -> tuple[Reply | Fault, int]:
        """One request, within all limits, and the version of the dialect it was in. Waiting for a place is not in its timeout."""
        chars = self._chars(body)
        await self.gate.enter()
        seconds: float | None = None
        try:
            self._check()
            ahead = sum(self._meter.forecast(chars))
            await self._requests.take(1)
            await self._tokens.take(ahead)
            reserved = await self._reserve(chars, room or body.get("max_tokens"))
            got: Reply | Fault | None = None
            started = self._clock()
            try:
                self._check()
                version, data = self.dialect.version, self.dialect.encode(body, room)
                self._meter.calls += 1
                self._meter.retries += again
                tally.attempts += 1
                got = _redacted(self._endpoint, await self._wire.post(data))
            finally:
                used = self._meter.settle(reserved, chars, got)
            if isinstance(got, Reply):
                seconds = self._clock() - started
                self._tokens.correct(sum(used) - ahead)
            elif got.then == "slow down":
                self.gate.ease(started, _pause(got, tally.eased) if got.kind == "rate limited" or got.after else 0.0)
        finally:
            self.gate.leave(seconds)
        if self._log:
            self._log.add(key, got, self._clock() - started, tally.attempts)
            if self._log.problem:
                self._note(self._log.problem)
        return got, version

    def _learn(self, fault: Fault, body: dict[str, Any], version: int) -> bool:
        """Is the request worth sending anew: was it written before the last lesson, or is there a new one?"""
        if self.dialect.version != version:
            return True
        learnt = self.dialect.learn(fault, body)
        for note in self.dialect.notes if learnt else ():
            self._note(note)
        return learnt

    def _note(self, note: str) -> None:
        if note not in self._meter.notes:
            self._meter.notes.append(note)

    async def _reserve(self, chars: int, limit: Any) -> float:
        try:
            return await self._meter.reserve(chars, limit if isinstance(limit, int) else None)
        except StoppedError as error:
            self._stop(str(error))

    async def _wait(self, fault: Fault, tally: Tally) -> None:
        """Before the next attempt of this question."""
        slow = fault.kind == "rate limited"
        if slow and self._slow_since is None:
            self._slow_since = self._clock()
        waited = self._clock() - self._slow_since if slow and self._slow_since is not None else 0.0
        asked = fault.after or 0.0
        if asked > _PATIENCE_S or waited > max(_PATIENCE_S, self._endpoint.timeout):
            asks = f"asks to wait {asked:.0f} s" if asked > _PATIENCE_S else f"gave no answer for {waited:.0f} s"
            self._stop(f"{self._endpoint.shown}: {fault.kind}, {asks} ({fault.detail}); {_GO_ON}")
        pause = _pause(fault, tally.eased if slow else tally.retries - 1)
        tally.eased += slow
        await self._rest(pause)

    async def _rest(self, seconds: float) -> None:
        """Sleeps. Raises StoppedError as soon as the run is stopped: nobody sleeps on for minutes then."""
        self._check()
        loop = asyncio.get_running_loop()
        nap: asyncio.Future[None] = loop.create_future()
        alarm = loop.call_later(seconds, _wake, nap)
        self._resting.add(nap)
        try:
            await nap
        finally:
            alarm.cancel()
            self._resting.discard(nap)
        self._check()

    def _count_dead(self, fault: Fault) -> None:
        """A question that got no answer: too many in a row, or none ever, and the endpoint is taken for dead."""
        if fault.kind not in _GONE:
            return
        self._failed_in_a_row += 1
        never = fault.status == -1 and not self._meter.answers
        if never or self._failed_in_a_row >= _DEAD:
            self._stop(f"{fault.detail}; is the server up? Results are kept, the same command goes on from there")

    def _check(self) -> None:
        if self._stopped:
            raise StoppedError(self._stopped)

    def _stop(self, why: str) -> NoReturn:
        """Nothing more is sent by any task; what is in flight comes to its end."""
        self._stopped = self._stopped or printable(self._endpoint.redact(why))
        for nap in self._resting:
            _wake(nap)
        raise StoppedError(self._stopped)


def _pause(fault: Fault, step: int) -> float:
    """Seconds: what the server asks for and a little, else exponential; with jitter, so that rows don't come back together."""
    if fault.after is not None:
        return fault.after + random.uniform(0, 0.25 + 0.1 * fault.after)
    return min(_BACKOFF_MOST_S, _BACKOFF_S * 2.0 ** min(10, max(0, step))) * random.uniform(0.5, 1.0)


def _wake(nap: asyncio.Future[None]) -> None:
    if not nap.done():
        nap.set_result(None)


def _redacted(endpoint: Endpoint, got: Reply | Fault) -> Reply | Fault:
    """Some servers repeat a request's headers in their answer."""
    raw = endpoint.redact(got.raw)
    if isinstance(got, Fault):
        return got if raw == got.raw else replace(got, raw=raw)
    text, reasoning = (endpoint.redact_answer(words) if words else words for words in (got.text, got.reasoning))
    if text == got.text and reasoning == got.reasoning:
        return got if raw == got.raw else replace(got, raw=raw)
    return replace(got, text=text, reasoning=reasoning, raw=raw if raw != got.raw else "")  # it may be written in escapes there
