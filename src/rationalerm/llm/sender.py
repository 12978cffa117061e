"""One answer, however many attempts it takes: the only place where anything is sent again.

Within the gate, the pace and the budget; backs off, learns the server's dialect, and stops the run when nothing can be asked any
more. Knows nothing of what a text says.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
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
from rationalerm.llm.wire import Wire

__all__ = ["Sender", "Tally"]

_BACKOFF_S, _BACKOFF_MOST_S = 0.5, 30.0
_PATIENCE_S = 300.0  # of being told to slow down, without one answer
_DEAD = 16  # questions in a row that ended without an answer: the endpoint is gone
_GONE = ("connection", "timeout", "server error", "not JSON", "no choices")
_GO_ON = "results are kept, run the same command again later"
_ADVICE = {
    "not authorised": "check the key (OPENAI_API_KEY, or --api-key-env); results are kept",
    "quota": "the account's quota is used up; results are kept, top it up and run the same command again",
    "no such model": "name the model as the server does (--model); results are kept",
    "no such address": "does OPENAI_BASE_URL end as the server wants it, e.g. in /v1? Results are kept",
}


@dataclass
class Tally:
    """One question's attempts so far. It has one allowance of retries, however often its text is asked again."""

    retries: int = 0
    eased: int = 0
    attempts: int = 0
    answers: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    keys: list[str] = field(default_factory=list)


class Sender:
    """What all questions of a run share. Use it from one event loop."""

    def __init__(self, endpoint: Endpoint, limits: Limits, meter: Meter, log: CallLog | None) -> None:
        self._endpoint, self._limits, self._meter, self._log = endpoint, limits, meter, log
        self.gate = Gate(limits.concurrency)
        self.dialect = Dialect()
        self._requests, self._tokens = Pace(limits.rpm), Pace(limits.tpm)
        self._wire = Wire(endpoint, limits.concurrency, proxies=limits.proxies)
        self._stopped: str | None = None
        self._failed_in_a_row = 0
        self._last_good = asyncio.get_running_loop().time()

    async def close(self) -> None:
        """Closes the connections."""
        await self._wire.close()

    async def send(self, body: dict[str, Any], key: str, tally: Tally) -> Reply | Fault:
        """The answer to a request, or the fault that remained.

        Raises:
            StoppedError: nothing can be asked any more.
        """
        chars = sum(len(turn["content"]) for turn in body["messages"])
        room: int | None = None
        while True:
            known = self.dialect.version
            got = await self._attempt(self.dialect.encode(body, room), chars, key, tally)
            if isinstance(got, Reply):
                self._failed_in_a_row, self._last_good = 0, asyncio.get_running_loop().time()
                return got
            if got.then == "stop":
                self._stop(f"{self._endpoint.shown}: {got.kind}: {got.detail}; {_ADVICE.get(got.kind, _GO_ON)}")
            if got.kind == "bad request" and (self.dialect.version != known or self.dialect.learn(got, body)):
                continue  # sent before the last lesson, or a new one
            if room is None and "max_tokens" in body and (room := room_for_answer(got)) is not None:
                continue
            if got.then == "fail":
                self._count_dead(got)
                return got
            if got.kind != "rate limited":
                if tally.retries >= self._limits.max_retries:
                    self._count_dead(got)
                    return got
                tally.retries += 1
            await self._wait(got, tally)

    async def _attempt(self, data: bytes, chars: int, key: str, tally: Tally) -> Reply | Fault:
        """One request, within all limits. Waiting for a place does not count towards its timeout."""
        clock = asyncio.get_running_loop().time
        await self.gate.enter()
        seconds: float | None = None
        try:
            self._check()
            ahead = sum(self._meter.forecast(chars))
            await self._requests.take(1)
            await self._tokens.take(ahead)
            reserved = await self._reserve(chars)
            got: Reply | Fault | None = None
            started = clock()
            try:
                self._check()
                self._meter.calls += 1
                self._meter.retries += tally.attempts > tally.answers
                tally.attempts += 1
                got = _redacted(self._endpoint, await self._wire.post(data))
            finally:
                used = self._meter.settle(reserved, chars, got)
            if isinstance(got, Reply):
                seconds = clock() - started
                self._tokens.correct(sum(used) - ahead)
            elif got.then == "slow down":
                self.gate.ease(started, _pause(got, tally.eased) if got.kind == "rate limited" or got.after else 0.0)
        finally:
            self.gate.leave(seconds)
        if self._log:
            self._log.add(key, got, clock() - started, tally.attempts)
        return got

    async def _reserve(self, chars: int) -> float:
        try:
            return await self._meter.reserve(chars)
        except StoppedError as error:
            self._stop(str(error))

    async def _wait(self, fault: Fault, tally: Tally) -> None:
        """Before the next attempt of this question."""
        slow = fault.kind == "rate limited"
        waited = asyncio.get_running_loop().time() - self._last_good
        if slow and (waited > _PATIENCE_S or (fault.after or 0) > _PATIENCE_S):
            asks = f"asks to wait {fault.after:.0f} s" if fault.after else f"gave no answer for {waited:.0f} s"
            self._stop(f"{self._endpoint.shown}: rate limited, {asks} ({fault.detail}); {_GO_ON}")
        pause = _pause(fault, tally.eased if slow else tally.retries - 1)
        tally.eased += slow
        await asyncio.sleep(pause)

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
        raise StoppedError(self._stopped)


def _pause(fault: Fault, step: int) -> float:
    """Seconds: what the server asks for and a little, else exponential; with jitter, so that rows don't come back together."""
    if fault.after is not None:
        return fault.after + random.uniform(0, 0.25 + 0.1 * fault.after)
    return min(_BACKOFF_MOST_S, _BACKOFF_S * 2.0 ** min(10, max(0, step))) * random.uniform(0.5, 1.0)


def _redacted(endpoint: Endpoint, got: Reply | Fault) -> Reply | Fault:
    """Some servers repeat a request's headers in their answer."""
    if isinstance(got, Fault):
        return Fault(got.kind, endpoint.redact(got.detail), got.then, got.after, endpoint.redact(got.raw), got.status)
    if endpoint.redact(got.raw) == got.raw:
        return got
    clean = [endpoint.redact(text) if text else text for text in (got.text, got.reasoning, got.raw)]
    return Reply(clean[0], got.finish_reason, clean[1], got.prompt_tokens, got.completion_tokens, clean[2] or "")
