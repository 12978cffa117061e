"""A reward from words: what a trainer's configuration, a launch script or a variable can say. Knows nothing of trainers.

    {"matcher": "llm", "model": "Qwen/Qwen3-30B-A3B-Instruct-2507", "concurrency": 256, "max_reasons": 5}

Inside a training the default matcher is `fast`: the static vectors, the cheapest there is.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import orjson

from rationalerm.data.options import checked
from rationalerm.errors import UsageError
from rationalerm.reward.guard import FailureGuard
from rationalerm.reward.hybrid import HybridReward
from rationalerm.reward.options import Combine, Rationale, RewardOptions

if TYPE_CHECKING:
    from rationalerm.match import Matcher

__all__ = ["FREE_REWARD", "VARIABLE", "RewardConfig"]

VARIABLE = "RATIONALERM_REWARD"
_LARGEST = sys.float_info.max
# What says where and how fast the matcher is asked and when to stop, not what a reward is: it may differ in a run that goes on.
FREE_REWARD = frozenset({
    "base_url", "api_key_env", "timeout", "concurrency", "rpm", "tpm", "max_retries", "format_retries", "price_in", "price_out",
    "budget", "cache", "stop_above", "window",
})  # fmt: skip
MatcherName = Literal["embedded", "fast", "lexical", "llm"]


@dataclass(frozen=True)
class RewardConfig:
    """The reward's options, the matcher, and what to do about failures.

    Args:
        rationale, combine, max_reasons, truncated: as in `RewardOptions`.
        matcher: `fast`, `embedded`, `lexical`, or `llm` (then `model`; the key comes from the environment only).
        model, base_url, api_key_env, temperature, max_tokens, timeout, extra_body: the matcher's endpoint.
        mode: `best` or `matrix`.
        concurrency, rpm, tpm, max_retries, format_retries: its limits, in each process.
        price_in, price_out: what it costs, in currency a million tokens.
        budget: where it stops ("5", "2Mtokens"), of each process.
        cache: keep the endpoint's answers, and use those that are there.
        on_failure: what a failed reward becomes where a framework has no way to say None.
        stop_above, window: the training is stopped when more than this share of the last so many rewards failed.

    Raises:
        UsageError: a value out of range.
    """

    rationale: Rationale = "ap"
    combine: Combine = "product"
    max_reasons: int | None = None
    truncated: Literal["zero", "none"] = "zero"
    matcher: MatcherName = "fast"
    model: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    mode: Literal["best", "matrix"] = "best"
    temperature: float | None = 0.0
    max_tokens: int | None = None
    timeout: float = 120.0
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    concurrency: int = 256
    rpm: float | None = None
    tpm: float | None = None
    max_retries: int = 3
    format_retries: int = 2
    price_in: float | None = None
    price_out: float | None = None
    budget: str | None = None
    cache: bool = True
    on_failure: float = 0.0
    stop_above: float = 0.5
    window: int = 256

    def __post_init__(self) -> None:
        for name in ("rationale", "combine", "truncated", "matcher", "mode"):
            if not isinstance(getattr(self, name), str):
                raise UsageError(f"{name} is {getattr(self, name)!r}; give one name")
        _ = self.options, self.guard()
        if self.mode not in ("best", "matrix"):
            raise UsageError(f"mode is {self.mode!r}; best or matrix")
        if not isinstance(self.extra_body, Mapping):
            raise UsageError(f"extra_body is {self.extra_body!r}; give a mapping of the request's fields")
        if self.matcher not in ("embedded", "fast", "lexical", "llm"):
            raise UsageError(f"matcher is {self.matcher!r}; embedded, fast, lexical or llm")
        if (self.matcher == "llm") != (self.model is not None):
            raise UsageError(
                "the matcher llm needs a model; set model to its name"
                if self.model is None
                else "model is an option of the matcher llm; set matcher to llm, or model to null"
            )
        if (self.price_in is None) != (self.price_out is None):
            raise UsageError("price_in and price_out go together")
        for name in ("price_in", "price_out"):
            price = getattr(self, name)
            if price is not None and not 0 <= price < math.inf:  # a price under 0 would never use a budget up
                raise UsageError(f"{name} is {price}; give 0 or more")
        if not abs(self.on_failure) <= _LARGEST:
            raise UsageError(f"on_failure is {str(self.on_failure)[:20]}; give a finite number")
        if self.base_url is not None and "@" in self.base_url:  # run directories and logs show the configuration
            raise UsageError("base_url holds a user or a password, which would be written down; set OPENAI_BASE_URL instead")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> RewardConfig:
        """The configuration of a mapping.

        Raises:
            UsageError: an unknown name, or a value of the wrong type.
        """
        return cls(**checked(cls, values, "reward option"))

    @classmethod
    def from_env(cls, variable: str = VARIABLE) -> RewardConfig:
        """The configuration of RATIONALERM_REWARD: JSON, or the name of a file with JSON; the defaults where it is not set.

        Raises:
            UsageError: neither.
        """
        said = os.environ.get(variable, "").strip()
        if not said:
            return cls()
        try:
            value = orjson.loads(said if said.startswith("{") else Path(said).read_bytes())
        except (OSError, orjson.JSONDecodeError) as error:
            raise UsageError(f"{variable}: neither JSON nor a file of it ({error})") from None
        if not isinstance(value, dict):
            raise UsageError(f"{variable} is not a JSON object")
        return cls.of(value)

    @property
    def options(self) -> RewardOptions:
        """How outcome and rationale make a reward."""
        return RewardOptions(self.rationale, self.combine, self.max_reasons, self.truncated)

    def reward(self) -> HybridReward:
        """The reward, with its matcher.

        Raises:
            UsageError: no key, or a value that no server could take.
        """
        options = {each.name: getattr(self, each.name) for each in fields(RewardOptions)}
        return HybridReward(self.make_matcher(), **options)

    def guard(self) -> FailureGuard:
        """What stops a training whose matcher is gone."""
        return FailureGuard(self.stop_above, self.window)

    def make_matcher(self) -> Matcher:
        """The matcher, asked nothing yet."""
        from rationalerm.match import LLMMatcher, make_matcher

        if self.matcher != "llm" or self.model is None:
            return make_matcher(self.matcher)
        from rationalerm.llm.endpoint import Endpoint
        from rationalerm.llm.limits import Limits
        from rationalerm.llm.meter import Prices, parse_budget
        from rationalerm.llm.settings import ChatSettings

        endpoint = Endpoint.from_env(
            self.model,
            base_url=self.base_url,
            api_key_env=self.api_key_env,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            timeout=self.timeout,
            extra_body=self.extra_body,
        )
        limits = Limits(self.concurrency, self.rpm, self.tpm, self.max_retries, self.format_retries)
        prices = Prices(self.price_in, self.price_out) if self.price_in is not None and self.price_out is not None else None
        budget = parse_budget(self.budget, prices) if self.budget is not None else None
        return LLMMatcher(ChatSettings(endpoint, limits, prices, budget, cache=self.cache), mode=self.mode)
