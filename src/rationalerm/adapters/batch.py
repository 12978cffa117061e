"""A batch as a trainer hands it over, scored: texts and truths in, rewards out. Knows no framework."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from rationalerm.adapters.columns import text_of_prompt
from rationalerm.reward import FailureGuard, HybridReward, Reward, RewardConfig, Truth

__all__ = ["finishes", "made", "score"]


def made(
    config: RewardConfig | HybridReward | None = None, guard: FailureGuard | None = None
) -> tuple[HybridReward, FailureGuard]:
    """The reward and its guard; without a configuration, what RATIONALERM_REWARD says.

    Raises:
        UsageError: a configuration that can't be.
    """
    if isinstance(config, HybridReward):
        return config, guard or FailureGuard()
    said = config or RewardConfig.from_env()
    return said.reward(), guard or said.guard()


async def score(
    reward: HybridReward,
    texts: Sequence[str | None],
    truths: Sequence[Truth | None],
    ends: Sequence[str | None] | None = None,
    prompts: Sequence[Any] | None = None,
) -> list[Reward | None]:
    """A reward for each text, in order; None where there is no truth (a row of another task). `prompts`: what the policy saw,
    where a truth has no `task`."""
    at = [(k, truth) for k, truth in enumerate(truths) if truth is not None]
    made = await reward.ascore(
        [texts[k] for k, _ in at],
        [truth.human_reasons for _, truth in at],
        [truth.label for _, truth in at],
        responses=[truth.responses or () for _, truth in at],
        tasks=[truth.task or (text_of_prompt(prompts[k]) if prompts is not None else None) for k, truth in at],
        finish_reasons=[ends[k] for k, _ in at] if ends is not None else None,
    )
    found: list[Reward | None] = [None] * len(texts)
    for (k, _), one in zip(at, made, strict=True):
        found[k] = one
    return found


def finishes(ids: Sequence[Sequence[int]], limit: int | None, ends: Collection[int]) -> list[str | None]:
    """`length` for a completion that was cut off: as long as the limit, and its last token ends nothing.

    With one of the two alone, that one decides; with neither nothing is told.

    >>> finishes([[5, 2], [5, 6], [5]], 2, {2})
    [None, 'length', None]
    """
    if not limit and not ends:
        return [None] * len(ids)
    cut = [len(one) > 0 and (not limit or len(one) >= limit) and one[-1] not in ends for one in ids]
    return ["length" if is_cut else None for is_cut in cut]
