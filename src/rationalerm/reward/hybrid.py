"""R = R_outcome x R_rationale (method.md section 4): rewarded only when verdict and reasons are right. One product, one function.

    R_outcome = 1 if the verdict's side is the human's, else 0        R_rationale = AP of the reasons (or soft AP, recall, F1)

A malformed answer is the policy's own fault and scores 0, a cut-off one likewise or None (`truncated`); a failure of the matcher
or the network is nobody's, and None. Everything is in the letters of the game that the policy saw.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from rationalerm.errors import MatcherError
from rationalerm.llm.loop import run_in_loop
from rationalerm.match.base import Matcher
from rationalerm.match.leaning import Leaning, leaning
from rationalerm.match.pasted import as_matched
from rationalerm.reward.asking import Asking
from rationalerm.reward.formula import Answer, Found, Lists, read_answer, reward_of
from rationalerm.reward.options import RewardOptions
from rationalerm.reward.result import Reward
from rationalerm.reward.samples import Label, Sample, samples_of, side_of_label

__all__ = ["HybridReward", "Label", "ahybrid_reward", "hybrid_reward", "side_of_label"]

_AT_ONCE = 128
_PORTION = 32  # samples that are read before they are asked about: about 10 ms
_LOOKS = 8  # samples whose reasons are looked at before other work in the event loop gets a turn: about 5 ms


def hybrid_reward(
    text: str | None,
    human_reasons: Sequence[str],
    label: Label,
    matcher: Matcher,
    *,
    responses: Sequence[str] | None = None,
    task: str | None = None,
    finish_reason: str | None = None,
    **options: Any,
) -> Reward:
    """One answer's reward.

    Args:
        text: the policy's answer: reasons from most to least important, then a verdict.
        human_reasons: in the letters of the game that the policy saw.
        label: the human's side: negative A, 0 tie, positive B (a `Verdict`, a preference, or a label such as "A>B").
        matcher: scores the reasons.
        responses: the judged responses; labels quoted from them are not taken for the policy's, nor are passages that a reason
            pastes from them (match/pasted.py).
        task: the conversation that they answer; passages of it neither.
        finish_reason: `length` marks an answer that was cut off.
        options: of `RewardOptions`.

    Raises:
        ValueError: a label that names no side.
        StoppedError: the matcher's endpoint or budget is gone for good.

    >>> from rationalerm.match import LexicalMatcher
    >>> answer = "1. Response B gives 1912, the right year.\\n2. It reads well.\\n\\\\boxed{B>A}"
    >>> reward = hybrid_reward(answer, ["Response B gives 1912, the right year."], "B>A", LexicalMatcher())
    >>> reward.total, reward.outcome, reward.rationale, reward.reasons
    (1.0, 1.0, 1.0, 2)
    >>> hybrid_reward(answer, ["Response B gives 1912, the right year."], "A>B", LexicalMatcher()).total
    0.0
    """
    finish = None if finish_reason is None else [finish_reason]
    shown: dict[str, Any] = {"responses": None if responses is None else [responses], "tasks": None if task is None else [task]}
    return HybridReward(matcher, **options)([text], [human_reasons], [label], **shown, finish_reasons=finish)[0]


async def ahybrid_reward(
    text: str | None,
    human_reasons: Sequence[str],
    label: Label,
    matcher: Matcher,
    *,
    responses: Sequence[str] | None = None,
    task: str | None = None,
    finish_reason: str | None = None,
    **options: Any,
) -> Reward:
    """`hybrid_reward` for async code: a matcher behind an endpoint is awaited, and holds nobody up."""
    finish = None if finish_reason is None else [finish_reason]
    shown: dict[str, Any] = {"responses": None if responses is None else [responses], "tasks": None if task is None else [task]}
    made = await HybridReward(matcher, **options).ascore([text], [human_reasons], [label], **shown, finish_reasons=finish)
    return made[0]


class HybridReward:
    """The reward of many answers at once: identical lists are matched once, the human's are read once a prompt. Picklable.

    Args:
        matcher: scores the reasons.
        options: of `RewardOptions`.
    """

    def __init__(self, matcher: Matcher, **options: Any) -> None:
        self.matcher = matcher
        self.options = RewardOptions(**options)

    def __call__(
        self,
        texts: Sequence[str | None],
        human_reasons: Sequence[Sequence[str]],
        labels: Sequence[Label],
        *,
        responses: Sequence[Sequence[str]] | None = None,
        finish_reasons: Sequence[str | None] | None = None,
        tasks: Sequence[str | None] | None = None,
    ) -> list[Reward]:
        """A reward for each text, in order.

        Raises:
            ValueError: columns of different lengths (named, before anything is matched), or a label that names no side.
        """
        samples = samples_of(texts, human_reasons, labels, responses, finish_reasons, tasks)
        if hasattr(self.matcher, "match_each") and hasattr(self.matcher, "amatch_each"):
            return run_in_loop(self._over_endpoint(samples))
        return self._here(samples)

    async def ascore(
        self,
        texts: Sequence[str | None],
        human_reasons: Sequence[Sequence[str]],
        labels: Sequence[Label],
        *,
        responses: Sequence[Sequence[str]] | None = None,
        finish_reasons: Sequence[str | None] | None = None,
        tasks: Sequence[str | None] | None = None,
    ) -> list[Reward]:
        """The same for async code."""
        samples = samples_of(texts, human_reasons, labels, responses, finish_reasons, tasks)
        return await self._over_endpoint(samples) if hasattr(self.matcher, "amatch_each") else self._here(samples)

    def _here(self, samples: Sequence[Sample]) -> list[Reward]:
        """With a matcher on this machine. Some at a time: it remembers what it has read till the diagnostics ask for it."""
        found: dict[Lists, Found] = {}
        rewards: list[Reward] = []
        for start in range(0, len(samples), _AT_ONCE):
            answers = [self._read(sample) for sample in samples[start : start + _AT_ONCE]]
            lists = [one for one in dict.fromkeys(a.lists for a in answers if a.matchable) if one not in found]
            found |= zip(lists, _match_each(self.matcher, lists), strict=True)
            rewards += [reward_of(a, found.get(a.lists), self._lean(a.judgment.reasons), self.options) for a in answers]
        return rewards

    async def _over_endpoint(self, samples: Sequence[Sample]) -> list[Reward]:
        """With a matcher that is awaited: the first samples are asked about while the others are still read, and the diagnostics
        are made while the answers are on their way."""
        answers, leans = [], []
        async with Asking(self.matcher.amatch_each) as asking:  # type: ignore[attr-defined]
            for start in range(0, len(samples), _PORTION):
                portion = [self._read(sample) for sample in samples[start : start + _PORTION]]
                answers += portion
                if not await asking.ask(answer.lists for answer in portion if answer.matchable):
                    break
            for k, answer in enumerate(answers):
                leans.append(self._lean(answer.judgment.reasons))
                if k % _LOOKS == _LOOKS - 1:
                    await asyncio.sleep(0)
            found = await asking.found()
        return [reward_of(a, found.get(a.lists), lean, self.options) for a, lean in zip(answers, leans, strict=True)]

    def _read(self, sample: Sample) -> Answer:
        answer = read_answer(sample, self.options)
        human, own = answer.lists
        return answer._replace(lists=(human, as_matched(self.matcher, own, sample.shown, human)))

    def _lean(self, reasons: Sequence[str]) -> Leaning:
        return leaning(reasons, self.matcher)


def _match_each(matcher: Matcher, lists: Iterable[Lists]) -> list[Found]:
    """A matching or a failure for each; one row's failure is no other's."""
    todo = list(lists)
    each = getattr(matcher, "match_each", None)
    if each is not None:
        return list(each(todo))
    try:
        return list(matcher.match_many(todo))
    except MatcherError:
        return [_match_one(matcher, *one) for one in todo]


def _match_one(matcher: Matcher, human: tuple[str, ...], own: tuple[str, ...]) -> Found:
    try:
        return matcher.match(human, own)
    except MatcherError as error:
        return error
