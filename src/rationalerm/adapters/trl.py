"""The hybrid reward as a reward function of TRL (GRPOTrainer, RLOOTrainer). Imports nothing of TRL, which only calls it.

    trl grpo --reward_funcs rationalerm.adapters.trl.hybrid_reward ...      or      GRPOTrainer(reward_funcs=TRLReward(config))

None is TRL's own "not scored": it stays out of the group's baseline. Logged at each step: the means `reward/outcome`,
`rationale`, `reasons`, `generic`, `agreement`, `padding`, and the shares `reward/none`, `failed`, `truncated`, `no_spread`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from rationalerm.adapters.batch import finishes, made, score
from rationalerm.adapters.columns import column, text_of, truths_of
from rationalerm.adapters.watch import Log, SpreadWatch, tell
from rationalerm.reward import FailureGuard, HybridReward, RewardConfig

__all__ = ["TRLReward", "hybrid_reward"]


class TRLReward:
    """A picklable reward function: `await it(prompts, completions, **columns)` is a list of numbers and None.

    Args:
        config: the reward and its matcher, or a reward that is made; None: what RATIONALERM_REWARD says.
        guard: stops a training whose matcher is gone; None: the configuration's.
        max_completion_length, eos_token_id: an answer was cut off if it is as long as that and does not end with one of these;
            with one of the two alone, that one decides. None: the trainer's own, where its `log_metric` is given.
        window: steps without any spread after which a warning is logged.
    """

    def __init__(
        self,
        config: RewardConfig | HybridReward | None = None,
        guard: FailureGuard | None = None,
        *,
        max_completion_length: int | None = None,
        eos_token_id: int | Collection[int] | None = None,
        window: int = 20,
    ) -> None:
        self.reward, self.guard = made(config, guard)
        self.limit, self.ends = max_completion_length, [eos_token_id] if isinstance(eos_token_id, int) else eos_token_id
        self.watch, self.__name__ = SpreadWatch(window), "hybrid_reward"

    async def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        completion_ids: Sequence[Sequence[int]] | None = None,
        log_metric: Log | None = None,
        log_extra: Log | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Raises ValueError for a wrong column before anything is matched, DataError for a truth, StoppedError for failures."""
        n, trainer = len(completions), getattr(log_metric, "__self__", None)
        if not n:
            return []
        prompts, truths = column({"prompts": prompts}, "prompts", n), truths_of(columns, n)
        ids = column({"completion_ids": completion_ids}, "completion_ids", n) if completion_ids is not None else [()] * n
        limit, last = (getattr(trainer, name, None) for name in ("max_completion_length", "eos_token_ids"))
        ends = finishes(ids, self.limit or limit, self.ends or last or ())
        rewards = await score(self.reward, [text_of(one) for one in completions], truths, ends, prompts)
        sizes = {getattr(trainer, name, 0) for name in ("num_generations", "num_generations_eval")} - {0}
        tell(log_metric, self.watch.measure(prompts, rewards, sizes))
        tell(log_extra, {name: [getattr(one, name, None) for one in rewards] for name in ("outcome", "rationale", "status")})
        self.guard.saw(one for one in rewards if one)
        return [one.total if one else None for one in rewards]


@lru_cache(maxsize=1)
def _from_env() -> TRLReward:
    return TRLReward()


async def hybrid_reward(prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float | None]:
    """`TRLReward` as RATIONALERM_REWARD says (JSON or a file of it), made once a process."""
    return await _from_env()(prompts, completions, **columns)
