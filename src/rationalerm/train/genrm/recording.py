"""The reward as the trainer calls it, with what the run wants to know of it: held-out answers kept, seconds counted.

Knows nothing of what the trainer does with a reward.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from rationalerm.adapters.batch import finishes
from rationalerm.adapters.columns import text_of, truths_of
from rationalerm.adapters.trl import TRLReward
from rationalerm.train.genrm.measuring import Answered
from rationalerm.train.genrm.prompts import SPLIT_HELD_OUT, game_of_info

__all__ = ["RecordingReward"]


class RecordingReward:
    """`TRLReward`, which keeps the answers to held-out prompts till `take`. Picklable.

    Args:
        reward: of training answers.
        offline: of held-out ones, by a matcher that costs nothing: they are measured anyway.
    """

    def __init__(self, reward: TRLReward, offline: TRLReward) -> None:
        self.reward, self.offline = reward, offline
        self.__name__ = reward.__name__
        self.seconds = 0.0  # spent on training answers
        self._kept: list[Answered] = []

    async def __call__(self, prompts: Sequence[Any], completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """As `TRLReward`."""
        held_out = [one.get("split") == SPLIT_HELD_OUT for one in columns.get("extra_info") or [{}] * len(completions)]
        if any(held_out):
            self._kept += self._answered(completions, columns, held_out)
            return await self.offline(prompts, completions, **columns)
        start = time.monotonic()
        try:
            return await self.reward(prompts, completions, **columns)
        finally:
            self.seconds += time.monotonic() - start

    def take(self) -> list[Answered]:
        """What was kept since the last time."""
        kept, self._kept = self._kept, []
        return kept

    def _answered(self, completions: Sequence[Any], columns: Mapping[str, Any], held_out: Sequence[bool]) -> list[Answered]:
        truths = truths_of(columns, len(completions))
        ids: Sequence[Sequence[int]] = columns.get("completion_ids") or [()] * len(completions)
        ends = finishes(ids, self.reward.limit, self.reward.ends or ())
        made = []
        for completion, truth, end, info, kept in zip(completions, truths, ends, columns["extra_info"], held_out, strict=True):
            if kept and truth is not None:
                pair, order = game_of_info(info) or ("", "AB")
                cluster = str(info.get("cluster") or pair)
                made.append(Answered(pair, order, cluster, text_of(completion), truth, info.get("domain"), end == "length"))
        return made
