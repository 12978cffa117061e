"""Which scoring route a server has: one short response is sent to each in turn, until one comes back with a finite number."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import NamedTuple

from rationalerm.errors import ParseError, StoppedError, UsageError
from rationalerm.llm.faults import Fault
from rationalerm.llm.question import Reply
from rationalerm.llm.scoring import ScoringSettings
from rationalerm.llm.scoring_dialects import Dialect, Wanted, dialects, read_body, value_of
from rationalerm.llm.wire import Wire
from rationalerm.types import Message

__all__ = ["resolved"]

_SAMPLE = Wanted((Message("user", "Which of 3 and 4 is even?"),), "4 is even.")
_TRIES, _PAUSE_S, _LONGEST_S = 3, 0.5, 20.0
_ENDS = ("connection", "timeout", "not authorised", "quota", "certificate", "no such model", "rate limited")  # no route's doing


class _Tried(NamedTuple):
    route: str
    why: str


async def resolved(settings: ScoringSettings) -> ScoringSettings:
    """The settings with the dialect and the route that this server answers.

    Raises:
        UsageError: no route does, or the model has several outputs and none is chosen.
        StoppedError: the server can't be asked at all.
    """
    known = dialects(settings.render)
    tried: list[_Tried] = []
    for dialect in [known[settings.dialect]] if settings.dialect != "auto" else known.values():
        for route in dialect.routes:
            got = await _asked(settings, dialect, route)
            if isinstance(got, Fault):
                if got.kind in _ENDS:
                    raise StoppedError(f"{settings.endpoint.shown}: {got.kind}: {got.detail}; nothing was scored")
                tried.append(_Tried(f"{dialect.name} at {route}", got.detail))
                continue
            try:
                (scored,) = dialect.read(value_of(got.text or "null"), 1, settings.class_index)
            except ParseError as error:
                if "--class-index" in str(error):
                    raise UsageError(str(error)) from None
                tried.append(_Tried(f"{dialect.name} at {route}", str(error)))
                continue
            if scored.score is None:
                tried.append(_Tried(f"{dialect.name} at {route}", scored.why))
                continue
            return replace(settings, dialect=dialect.name, route=route)
    said = "; ".join(f"{route}: {why[:100]}" for route, why in tried)
    raise UsageError(f"{settings.endpoint.shown} answers no scoring route ({said}); does OPENAI_BASE_URL name a scoring server?")


async def _asked(settings: ScoringSettings, dialect: Dialect, route: str) -> Reply | Fault:
    """One exchange, again where the trouble may pass."""
    endpoint = settings.at(route)
    wire = Wire(endpoint, 1, proxies=settings.limits.proxies, reader=read_body)
    data = json.dumps(settings.request(dialect, [_SAMPLE])).encode()
    try:
        for attempt in range(_TRIES):
            got = await wire.post(data)
            if isinstance(got, Reply) or got.then not in ("retry", "slow down") or got.status == 500:
                break  # a server error on a route that is not its model's is its way of saying no
            if attempt + 1 < _TRIES:
                await asyncio.sleep(min(_LONGEST_S, got.after if got.after is not None else _PAUSE_S * 2**attempt))
    finally:
        await wire.close()
    return got if isinstance(got, Reply) else replace(got, detail=endpoint.redact(got.detail))
