"""What the guard counts: rewards that needed the matcher, whatever their status says."""

from __future__ import annotations

import pytest

from rationalerm.errors import MatcherError, StoppedError
from rationalerm.match.base import Matcher
from rationalerm.match.lexical import LexicalMatcher
from rationalerm.reward import FailureGuard, HybridReward, Reward
from rationalerm.types import Matching

HUMAN = ["Response B gives 1914, the right year."]


class Gone(LexicalMatcher):
    """A matcher that answers nothing."""

    def match(self, human: object, model: object) -> Matching:
        raise MatcherError("gone")

    def match_many(self, rows: object) -> list[Matching]:
        raise MatcherError("gone")


def rewards(matcher: Matcher, *texts: str, **options: str) -> list[Reward]:
    return HybridReward(matcher, **options)(list(texts), [HUMAN] * len(texts), ["B>A"] * len(texts))


def test_answers_without_reasons_do_not_hide_a_matcher_that_is_gone() -> None:
    said = rewards(Gone(), "1. Response B gives 1914.\n\n\\boxed{B>A}", "hm", "", "I can't say.")
    guard = FailureGuard(stop_above=0.5, window=2)
    with pytest.raises(StoppedError, match=r"100% of the last 2 rewards failed, over 50% \(gone\)"):
        guard.saw(said * 2)


def test_a_failure_behind_an_answer_without_a_verdict_counts() -> None:
    (reward,) = rewards(Gone(), "1. Response B gives 1914.\n2. Response A omits the year.", combine="rationale")
    assert (reward.total, reward.status, reward.cause) == (None, "no verdict: format", "gone")
    with pytest.raises(StoppedError, match="gone"):
        FailureGuard(stop_above=0.5, window=1).saw([reward])


def test_a_matcher_that_works_is_never_stopped() -> None:
    guard = FailureGuard(stop_above=0.0, window=1)
    guard.saw(rewards(LexicalMatcher(), "1. Response B gives 1914.\n\n\\boxed{B>A}", "hm", "") * 3)
    assert guard.share == 0.0
