"""Is a judge or reward model right for the right reasons?

    >>> from rationalerm import parse_judgment
    >>> parse_judgment("1. A cites the wrong year.\\n\\n\\\\boxed{B>A}").verdict.label
    'B>A'

The public names, nothing else; the rooms behind them are loaded when a name is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rationalerm.judge.parse import parse_judgment, parse_matching
    from rationalerm.llm.endpoint import Endpoint
    from rationalerm.llm.limits import Limits
    from rationalerm.llm.settings import ChatSettings
    from rationalerm.match import EmbeddedMatcher, LexicalMatcher, LLMMatcher, Matcher, assign
    from rationalerm.reward import HybridReward, Reward, ahybrid_reward, hybrid_reward
    from rationalerm.run import EvaluateConfig, evaluate
    from rationalerm.score.consistency import rationale_scores
    from rationalerm.score.summary import Summary
    from rationalerm.types import Judgment, Matching, Pair, RowScore, Verdict

__version__ = "0.1.0"

__all__ = [
    "ChatSettings",
    "EmbeddedMatcher",
    "Endpoint",
    "EvaluateConfig",
    "HybridReward",
    "Judgment",
    "LLMMatcher",
    "LexicalMatcher",
    "Limits",
    "Matcher",
    "Matching",
    "Pair",
    "Reward",
    "RowScore",
    "Summary",
    "Verdict",
    "ahybrid_reward",
    "assign",
    "errors",
    "evaluate",
    "hybrid_reward",
    "parse_judgment",
    "parse_matching",
    "rationale_scores",
]

_HOMES = {
    "types": ("Judgment", "Matching", "Pair", "RowScore", "Verdict"),
    "judge.parse": ("parse_judgment", "parse_matching"),
    "llm.endpoint": ("Endpoint",),
    "llm.limits": ("Limits",),
    "llm.settings": ("ChatSettings",),
    "match": ("EmbeddedMatcher", "LLMMatcher", "LexicalMatcher", "Matcher", "assign"),
    "score.consistency": ("rationale_scores",),
    "score.summary": ("Summary",),
    "reward": ("HybridReward", "Reward", "ahybrid_reward", "hybrid_reward"),
    "run": ("EvaluateConfig", "evaluate"),
}


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module("rationalerm.errors")
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"rationalerm.{home}"), name)
    raise AttributeError(f"module 'rationalerm' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
