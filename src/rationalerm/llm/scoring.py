"""The scalar client: a response in, a number out, over the room's own sender, with the cache and the halving of batches between.

Scores are cached one by one, so a batch of other neighbours finds them. A batch that is refused is asked for in halves: one
response that is too long costs its neighbours nothing. Knows nothing of judging.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit

import orjson

from rationalerm.errors import ParseError, UsageError, printable
from rationalerm.llm.cache import Cache
from rationalerm.llm.calllog import CallLog
from rationalerm.llm.client import Chat
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.faults import Fault
from rationalerm.llm.meter import Meter
from rationalerm.llm.question import Outcome
from rationalerm.llm.scoring_dialects import DIALECTS, Dialect, Render, Wanted, dialects, read_body, value_of
from rationalerm.llm.sender import Sender, Tally
from rationalerm.llm.settings import ChatSettings

__all__ = ["Scorer", "ScoringEndpoint", "ScoringSettings"]

_RAW = 2_000
_OF_CLASSES = ("vllm-classify", "sglang-classify")
_TOO_MANY = re.compile(r"(?i)batch size")
_DIVISIBLE = ("server error", "timeout")  # beside what a server refuses: one response may be to blame


@dataclass(frozen=True)
class ScoringEndpoint(Endpoint):
    """An endpoint whose requests go to a scoring route: below the base URL, without its /v1."""

    route: str = "/score"

    @property
    def address(self) -> str:
        """Where requests go."""
        parts = urlsplit(super().address)
        root = parts.path.removesuffix("/chat/completions").removesuffix("/v1")
        return urlunsplit(parts._replace(path=root + self.route))


@dataclass(frozen=True)
class ScoringSettings(ChatSettings):
    """The settings of a run over a scoring endpoint.

    Args:
        dialect: one of `DIALECTS`, or `auto`: the first that the server answers.
        route: where the dialect is served; empty: to be found out (`scoring_probe.resolved`).
        batch: most responses a request.
        class_index: which output is the score, where the model has several.
        render: the model's chat template, for servers that are sent texts; None: the server's own, or plain text.
        template: what `render` was made from, for run.json.
    """

    dialect: str = "auto"
    route: str = ""
    batch: int = 16
    class_index: int | None = None
    render: Render | None = field(default=None, repr=False, compare=False)
    template: str | None = None

    def __post_init__(self) -> None:
        if self.dialect not in ("auto", *DIALECTS):
            raise UsageError(f"--dialect is {self.dialect!r}; auto, {', '.join(DIALECTS)}")
        if self.batch < 1:
            raise UsageError(f"--batch is {self.batch}; give 1 or more")
        if self.class_index is not None and self.class_index < 0:
            raise UsageError(f"--class-index is {self.class_index}; give 0 or more")
        if self.class_index is not None and self.dialect not in ("auto", *_OF_CLASSES):
            raise UsageError(
                f"--class-index: {self.dialect} gives one number a response, no classes to choose from; leave it out"
            )

    @property
    def spoken(self) -> Dialect:
        """The dialect, once it is known."""
        return dialects(self.render)[self.dialect]

    def identity(self) -> dict[str, Any]:
        """What can change a score, for run.json."""
        asked = {name: self.endpoint.identity()[name] for name in ("model", "extra_body")}
        return asked | {"dialect": self.dialect, "class_index": self.class_index, "template": self.template}

    def at(self, route: str) -> ScoringEndpoint:
        """The endpoint with a route."""
        return ScoringEndpoint(**{one.name: getattr(self.endpoint, one.name) for one in fields(Endpoint)}, route=route)

    def request(self, dialect: Dialect, asked: Sequence[Wanted]) -> dict[str, Any]:
        """The whole request."""
        return {"model": self.endpoint.model} | dialect.body(asked) | dict(self.endpoint.extra_body)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Scorer]:
        """A `Scorer` in the running event loop; on leaving, all that is open is closed."""
        log = CallLog(self.log_file) if self.log_file else None
        cache: Cache | None = None
        try:
            cache = Cache() if self.cache else None
            async with Scorer(self, cache, Meter(self.prices, self.budget), log) as scorer:
                yield scorer
        finally:
            if cache:
                await cache.close()
            if log:
                log.close()


class Scorer(Chat):
    """An open client that asks for scores; `async with` it, in one event loop.

    Args:
        settings: with dialect and route known.
        cache, meter, log: as for `Chat`.
    """

    def __init__(self, settings: ScoringSettings, cache: Cache | None, meter: Meter, log: CallLog | None) -> None:
        super().__init__(settings.at(settings.route), settings.limits, cache=cache, meter=meter, log=log)
        self._settings, self.dialect = settings, settings.spoken
        self._most = 1 if self.dialect.batch == "one" else settings.batch
        if self.dialect.name == "sglang-classify" and settings.render is None:
            meter.notes.append("no --tokenizer: the server is sent plain text, without the model's chat template")

    async def __aenter__(self) -> Self:
        self.sender = Sender(self.endpoint, self.limits, self.meter, self._log, reader=read_body, chars=_chars)
        return self

    @property
    def batch(self) -> int:
        """Most responses that one request is asked for now."""
        return self._most

    async def score(self, wanted: Sequence[Wanted]) -> list[Outcome[float]]:
        """A score each, or the category of its failure; a response that is there twice is asked for once.

        Raises:
            StoppedError: nothing can be asked any more.
            DataError: the cache can't be written.
        """
        keys = [self._key_of(one) for one in wanted]
        asked = dict(zip(keys, wanted, strict=True))
        found: dict[str, Outcome[float]] = {}
        claimed: list[str] = []
        try:
            for key in sorted(asked):  # in one order everywhere: no two tasks or processes wait for each other
                stored = await self._cache.lookup(key) if self._cache is not None else None
                if stored is None:
                    claimed.append(key)
                else:
                    self.meter.cached += 1
                    found[key] = Outcome(stored["score"], calls=1, prompt_tokens=stored.get("prompt_tokens") or 0)
            todo = [key for key in asked if key in claimed]  # in the caller's order again
            for key, outcome in zip(todo, await self._ask([asked[key] for key in todo]), strict=True):
                found[key] = outcome
                if outcome.value is not None and self._cache is not None:
                    await self._cache.put(key, self._stored(outcome))
                    claimed.remove(key)
        finally:
            for key in claimed:
                await self._release(key)
        return [found[key] for key in keys]

    async def _ask(self, wanted: Sequence[Wanted]) -> list[Outcome[float]]:
        """As many requests as it takes."""
        if not wanted:
            return []
        if len(wanted) > self._most:
            return await self._halves(wanted)
        assert self.sender is not None, "use it with `async with`"
        tally = Tally()
        body = self._settings.request(self.dialect, wanted)
        got = await self.sender.send(body, self._key_of(wanted[0]), tally)
        if isinstance(got, Fault):
            if len(wanted) > 1 and (got.then == "fail" or got.kind in _DIVISIBLE):
                if _TOO_MANY.search(got.detail):
                    self._most = min(self._most, max(1, len(wanted) // 2))
                return await self._halves(wanted)
            return [self._failure(got.kind, got.detail, got.raw)] * len(wanted)
        try:
            scores = self.dialect.read(value_of(got.text or "null"), len(wanted), self._settings.class_index)
        except ParseError as error:
            self.meter.unread += 1
            return await self._halves(wanted) if len(wanted) > 1 else [self._failure("unparsed", str(error), got.text or "")]
        share, rest = divmod(got.prompt_tokens or 0, len(wanted))
        made: list[Outcome[float]] = []
        for k, scored in enumerate(scores):
            tokens = share + (k < rest)
            if scored.score is None:
                made.append(replace(self._failure("no number", scored.why, got.text or ""), calls=1, prompt_tokens=tokens))
            else:
                made.append(Outcome(scored.score, calls=1, prompt_tokens=tokens))
        return made

    async def _halves(self, wanted: Sequence[Wanted]) -> list[Outcome[float]]:
        middle = len(wanted) // 2
        return [*await self._ask(wanted[:middle]), *await self._ask(wanted[middle:])]

    def _failure(self, kind: str, detail: str, raw: str) -> Outcome[float]:
        return Outcome(None, kind, printable(self.endpoint.redact(detail)), raw=raw[:_RAW])

    def _key_of(self, one: Wanted) -> str:
        """Content-addressed: all that is asked for, of whom; whatever shares the request."""
        body = self._settings.request(self.dialect, [one])
        asked = ["score", self.endpoint.shown, self.dialect.name, body, self._settings.class_index]
        return hashlib.sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)).hexdigest()

    def _stored(self, outcome: Outcome[float]) -> dict[str, Any]:
        shown = {"model": self.endpoint.model, "endpoint": self.endpoint.shown, "prompt": f"score {self.dialect.name}"}
        return shown | {"score": outcome.value, "prompt_tokens": outcome.prompt_tokens}


def _chars(body: dict[str, Any]) -> int:
    """How long a request's texts are."""
    inner: list[Any] = [body]
    total = 0
    while inner:
        value = inner.pop()
        if isinstance(value, str):
            total += len(value)
        elif isinstance(value, dict):
            inner += value.values()
        elif isinstance(value, list):
            inner += value
    return total
