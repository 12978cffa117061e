"""What a run has used: calls, tokens, cost; and the budget that ends it. Failed and repeated calls count, cached ones don't."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import Any

from rationalerm.errors import StoppedError, UsageError
from rationalerm.llm.faults import Fault
from rationalerm.llm.question import Reply

__all__ = ["Budget", "Meter", "Prices", "estimated_tokens", "parse_budget"]

_CHARS_A_TOKEN = 4
_FIRST_ANSWER = 200  # tokens that an answer is taken to have, before any has come
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}


@dataclass(frozen=True, slots=True)
class Prices:
    """Currency a million tokens."""

    prompt: float
    completion: float

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float:
        """In the prices' currency."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


@dataclass(frozen=True, slots=True)
class Budget:
    """Where a run stops: `amount` tokens, or currency where `tokens` is False."""

    amount: float
    tokens: bool


def parse_budget(text: str, prices: Prices | None) -> Budget:
    """`5` or `0.25` (currency, needs prices), `200000tokens`, `1.5M tokens`.

    Raises:
        UsageError: anything else, or currency without prices.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*(?:([kKmM]?)\s*(?:tokens?|tok))?\s*", text)
    if not found or float(found[1]) <= 0:
        raise UsageError(f"--budget {text!r}: give an amount of money (5, 0.25) or of tokens (200000tokens, 1.5Mtokens)")
    if found[2] is not None:
        return Budget(float(found[1]) * _UNITS[found[2].lower()], tokens=True)
    if prices is None:
        raise UsageError(
            "--budget in currency needs --price-in and --price-out (a million tokens); or give it in tokens: 200000tokens"
        )
    return Budget(float(found[1]), tokens=False)


def estimated_tokens(chars: int) -> int:
    """A guess, for limits and forecasts only."""
    return chars // _CHARS_A_TOKEN + 1


class Meter:
    """Counts what this process sent.

    `calls` are HTTP requests, each attempt of its own; `failed_calls` those without a usable body; `cached` answers that were
    there already; `unread` those that no reader could use. `cost` is None where no prices are known. `notes` is what a reader of
    the run should know of the server.
    """

    def __init__(self, prices: Prices | None = None, budget: Budget | None = None) -> None:
        self.prices, self.budget = prices, budget
        self.calls = self.failed_calls = self.retries = self.answers = self.unread = self.cached = self.unmetered = 0
        self.prompt_tokens = self.completion_tokens = 0
        self.notes: list[str] = []
        self._longest = 0  # tokens of an answer
        self._guessed = 0.0  # prompt tokens as estimated, of the answered calls: scales the next estimates
        self._reserved = 0.0
        self._open = 0
        self._freed = asyncio.Event()

    @property
    def cost(self) -> float | None:
        """So far, in the prices' currency."""
        return self.prices.cost(self.prompt_tokens, self.completion_tokens) if self.prices else None

    @property
    def tokens(self) -> int:
        """Of prompts and answers so far."""
        return self.prompt_tokens + self.completion_tokens

    def forecast(self, chars: int) -> tuple[float, float]:
        """Prompt and answer tokens that a call with so long a prompt is likely to use, from the calls so far."""
        guess = estimated_tokens(chars)
        if not self.answers:
            return guess, _FIRST_ANSWER
        return guess * self.prompt_tokens / max(1.0, self._guessed), self.completion_tokens / self.answers

    async def reserve(self, chars: int, limit: int | None = None) -> float:
        """Waits until a call fits the budget beside those in flight; returns what it set aside for it.

        What is set aside is enough for the longest answer so far, or for `limit` tokens before the first. A call that would go
        over is sent only when nothing is in flight, as long as the budget is not used up: so a run ends at or just above it.

        Raises:
            StoppedError: the budget is used up.
        """
        if self.budget is None:
            return 0.0
        while True:
            longest = self._longest if self.answers else limit or _FIRST_ANSWER
            amount = self._amount(self.forecast(chars)[0], longest)
            used = self._used()
            if used >= self.budget.amount:
                raise StoppedError(
                    f"the budget is used up: {self.said()}; results are kept, raise --budget and run the same command again"
                )
            if not self._open or used + self._reserved + amount <= self.budget.amount:
                self._reserved += amount
                self._open += 1
                return amount
            self._freed.clear()
            await self._freed.wait()

    def settle(self, reserved: float, chars: int, got: Reply | Fault | None) -> tuple[int, int]:
        """Counts a call that has ended (None: it was never sent, or cancelled) and gives back what was set aside.

        Returns:
            Its prompt and answer tokens, estimated where the server is silent.
        """
        if self.budget is not None:
            self._reserved -= reserved
            self._open -= 1
            self._freed.set()
        if not isinstance(got, Reply):
            if got is None:
                return 0, 0
            self.failed_calls += 1
            self.prompt_tokens += got.prompt_tokens
            self.completion_tokens += got.completion_tokens
            return got.prompt_tokens, got.completion_tokens
        self.answers += 1
        prompt, completion = got.prompt_tokens, got.completion_tokens
        if prompt is None or completion is None:
            self.unmetered += 1
            prompt = estimated_tokens(chars) if prompt is None else prompt
            completion = estimated_tokens(len(got.text or "") + len(got.reasoning or "")) if completion is None else completion
        self.prompt_tokens += prompt
        self.completion_tokens += completion
        self._longest = max(self._longest, completion)
        self._guessed += estimated_tokens(chars)
        return prompt, completion

    def said(self) -> str:
        """`20 calls, 2,000 tokens, 3 failed calls (2 of them answers that can't be read), cost unknown`"""
        cost = f"cost {self.cost:.4g}" if self.cost is not None else "cost unknown (no --price-in, --price-out)"
        guessed = f" (estimated in {self.unmetered} calls: the server gave no usage)" if self.unmetered else ""
        unread = f" ({self.unread:,} of them answers that can't be read)" if self.unread else ""
        notes = "".join(f"; {note}" for note in self.notes)
        failed = f"{self.failed_calls + self.unread:,} failed calls{unread}"
        return f"{self.calls:,} calls, {self.tokens:,} tokens{guessed}, {failed}, {cost}{notes}"

    def to_json(self) -> dict[str, Any]:
        """For usage.jsonl."""
        return {
            "calls": self.calls,
            "answers": self.answers,
            "failed_calls": self.failed_calls,
            "unread_answers": self.unread,
            "retries": self.retries,
            "from_cache": self.cached,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "calls_without_usage": self.unmetered,
            "cost": self.cost,
            **({"notes": self.notes} if self.notes else {}),
        }

    def _amount(self, prompt: float, completion: float) -> float:
        if self.budget is not None and not self.budget.tokens and self.prices:
            return self.prices.cost(prompt, completion)
        return prompt + completion

    def _used(self) -> float:
        return self._amount(self.prompt_tokens, self.completion_tokens)
