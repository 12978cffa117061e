"""An LLM behind a chat endpoint as the matcher, as in the paper (method.md section 2.3). Knows nothing of judges or files.

`best`: each human reason's best model reason, the released wire form, one call a row. `matrix`: a score for every pair above
zero, so that the one-to-one optimum is the real one.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
import weakref
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import orjson

from rationalerm.errors import MatcherError, UsageError
from rationalerm.judge.clean import fold
from rationalerm.judge.fence import fenced, one_line
from rationalerm.judge.matching import parse_matching
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.loop import LOOP_THREAD, run_in_loop, the_loop
from rationalerm.llm.question import Outcome, Question, Reply
from rationalerm.llm.settings import ChatSettings
from rationalerm.llm.sweep import sweep
from rationalerm.prompts import load
from rationalerm.types import Matching

if TYPE_CHECKING:
    from rationalerm.llm.client import Chat

__all__ = ["LLMMatcher"]

T = TypeVar("T")
Mode = Literal["best", "matrix"]

_LIMIT = 4096  # tokens of an answer, where the user set none: far below any model's own, so that a runaway is cut short
_CLOSING_S = 5.0
_TOKENS_A_LINE, _TOKENS_AROUND = 12, 40


class LLMMatcher:
    """Scores by asking a model.

    A pair of reasons is scored in the company of its row's, and a model's answers can differ from call to call (temperature 0
    does not prevent it); what keeps a table the same is that answers are stored.

    Args:
        endpoint: settings, an `Endpoint`, or a model's name (then OPENAI_BASE_URL and OPENAI_API_KEY say where).
        mode: `best` or `matrix`.

    Raises:
        UsageError: no such mode, or an endpoint that can't be.
    """

    name = "llm"

    def __init__(self, endpoint: ChatSettings | Endpoint | str, *, mode: Mode = "best") -> None:
        if mode not in ("best", "matrix"):
            raise UsageError(f"--mode is {mode!r}; best or matrix")
        made = Endpoint.from_env(endpoint) if isinstance(endpoint, str) else endpoint
        self.settings = made if isinstance(made, ChatSettings) else ChatSettings(made)
        self.mode: Mode = mode
        self._prompt = load(f"match_{mode}_json" if self.settings.endpoint.structured else f"match_{mode}")
        self._again = load("match_again")
        self._opened: tuple[AsyncExitStack, Chat] | None = None
        self._opening = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None  # whose these two are
        self._parents: tuple[AsyncExitStack, Chat] | None = None

    @property
    def version(self) -> str:
        """The prompts' versions and a hash of the endpoint and its sampling."""
        asked = orjson.dumps(self.settings.endpoint.identity(), option=orjson.OPT_SORT_KEYS)
        model = self.settings.endpoint.model
        return f"{model} {self.mode} {self._prompt.version.split()[-1]} {hashlib.sha256(asked).hexdigest()[:8]}"

    @property
    def prompts(self) -> list[str]:
        """The versions of the prompts, for run.json."""
        return [self._prompt.version, self._again.version]

    def question(self, human: Sequence[str], model: Sequence[str], sample: int = 0) -> Question[Matching]:
        """What is asked about one row. `sample`: which of several askings of the same."""

        def read(reply: Reply) -> Matching:
            return parse_matching(reply.text or "", len(human), len(model), self.mode)

        messages = self._prompt.fill(
            human=_listed("R", human), model=_listed("S", model), n_human=str(len(human)), n_model=str(len(model))
        )
        return Question(
            messages=messages,
            prompt=self._prompt.version,
            read=read,
            schema=_schema(len(human), len(model), self.mode) if self.settings.endpoint.structured else None,
            sample=sample,
            limit=_LIMIT,
            again=lambda problem: self._again.fill(problem=fenced(fold(problem)))[-1].content,
            expected_tokens=_TOKENS_AROUND + _TOKENS_A_LINE * len(human),
        )

    def match(self, human: Sequence[str], model: Sequence[str]) -> Matching:
        """One row, from sync code; a running event loop is no hindrance.

        Raises:
            MatcherError: no answer that could be read; it names the category.
            StoppedError: the endpoint or the budget is gone; it stays so until `close`.
        """
        return self.match_many([(human, model)])[0]

    def match_many(self, rows: Iterable[tuple[Sequence[str], Sequence[str]]]) -> list[Matching]:
        """`match` of each row, many at once, in order. What was answered is in the cache, also where a row fails."""
        return run_in_loop(self._many(list(rows)))

    def match_each(self, rows: Iterable[tuple[Sequence[str], Sequence[str]]]) -> list[Matching | MatcherError]:
        """`match_many`, with a row's failure in its place instead of raised."""
        return run_in_loop(self._each(list(rows)))

    async def amatch_each(self, rows: Iterable[tuple[Sequence[str], Sequence[str]]]) -> list[Matching | MatcherError]:
        """`match_each` for async code, in any event loop."""
        return await _in_its_loop(self._each(list(rows)))

    async def amatch(self, human: Sequence[str], model: Sequence[str]) -> Matching:
        """`match` for async code."""
        return (await self.amatch_many([(human, model)]))[0]

    async def amatch_many(self, rows: Iterable[tuple[Sequence[str], Sequence[str]]]) -> list[Matching]:
        """`match_many` for async code, in any event loop."""
        return await _in_its_loop(self._many(list(rows)))

    def close(self) -> None:
        """Closes the connections and the cache; the next call opens them again."""
        run_in_loop(self._close())

    async def _many(self, rows: list[tuple[Sequence[str], Sequence[str]]]) -> list[Matching]:
        each = await self._each(rows)
        failed = [one for one in each if isinstance(one, MatcherError)]
        if failed:
            raise MatcherError(f"{len(failed)} of {len(rows)} rows have no answer that can be read; the first: {failed[0]}")
        return [one for one in each if isinstance(one, Matching)]

    async def _each(self, rows: list[tuple[Sequence[str], Sequence[str]]]) -> list[Matching | MatcherError]:
        chat = await self._chat()
        found: list[Matching | MatcherError] = [MatcherError("not asked")] * len(rows)

        async def work(place: int) -> None:
            outcome = await self._one(chat, *rows[place])
            why = MatcherError(f"{outcome.failure}: {outcome.detail}")
            found[place] = outcome.value if outcome.value is not None else why

        await sweep(range(len(rows)), work, min(len(rows), chat.limits.concurrency))
        return found

    async def _one(self, chat: Chat, human: Sequence[str], model: Sequence[str]) -> Outcome[Matching]:
        if not human or not model:
            return Outcome(Matching(len(human), len(model)))
        return await chat.ask(self.question(human, model))

    async def _chat(self) -> Chat:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:  # a forked child has a loop of its own
            self._parents = self._opened  # not the child's to use, or to close
            self._loop, self._opened, self._opening = loop, None, asyncio.Lock()
        async with self._opening:
            if self._opened is None:
                stack = AsyncExitStack()
                self._opened = stack, await stack.enter_async_context(self.settings.open())
                self._at_end = weakref.finalize(self, _shut, stack, loop, os.getpid())
            return self._opened[1]

    async def _close(self) -> None:
        if self._opened is not None and self._loop is asyncio.get_running_loop():
            stack, _ = self._opened
            self._opened = None
            self._at_end.detach()
            await stack.aclose()

    def __getstate__(self) -> dict[str, Any]:
        return {"settings": self.settings, "mode": self.mode}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(state["settings"], mode=state["mode"])  # type: ignore[misc]


async def _in_its_loop(work: Coroutine[Any, Any, T]) -> T:
    """Awaits it from any event loop, the matchers' own too."""
    if asyncio.get_running_loop() is the_loop():
        return await work
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, the_loop()))


def _shut(stack: AsyncExitStack, loop: asyncio.AbstractEventLoop, process: int) -> None:
    """Closes what a matcher had open when it goes away, or the process ends; never a forked child what is its parent's."""
    if process != os.getpid() or not loop.is_running():
        return
    closing = asyncio.run_coroutine_threadsafe(stack.aclose(), loop)
    if threading.current_thread().name != LOOP_THREAD:  # the loop can't wait for itself
        with suppress(Exception):
            closing.result(_CLOSING_S)


def _listed(letter: str, reasons: Sequence[str]) -> str:
    return "\n".join(f"{letter}{k}: {one_line(reason)}" for k, reason in enumerate(reasons, 1))


def _schema(n_human: int, n_model: int, mode: Mode) -> dict[str, Any]:
    """For servers that bind their output: a list of matches within the numbers that are there."""
    match = {
        "type": "object",
        "properties": {
            "r": {"type": "integer", "minimum": 1, "maximum": n_human},
            "s": {"type": "integer", "minimum": 0 if mode == "best" else 1, "maximum": n_model},
            "score": {"type": "number", "enum": [0, 0.25, 0.5, 0.75, 1]},
        },
        "required": ["r", "s", "score"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"matches": {"type": "array", "items": match}},
        "required": ["matches"],
        "additionalProperties": False,
    }
