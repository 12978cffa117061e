"""The arms of the demonstration: a reward and a cue rate each, and nothing else that is theirs. Knows nothing of training."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rationalerm.reward.hybrid import HybridReward
from rationalerm.reward.options import Combine
from rationalerm.train.toy.matcher import ExactMatcher
from rationalerm.train.toy.world import MOST_HUMAN_REASONS, World

__all__ = ["ARMS", "Arm"]


@dataclass(frozen=True, slots=True)
class Arm:
    """What an arm is trained with. `combine` None: not trained at all.

    Args:
        combine: of `RewardOptions`.
        max_reasons: of `RewardOptions`.
        cue_rate: how often the cues point at the better response while it is trained; None: as in the world of the start.
    """

    combine: Combine | None
    max_reasons: int | None = None
    cue_rate: float | None = None

    def reward(self) -> HybridReward:
        """The product's own reward, over the toy's matcher."""
        assert self.combine is not None, "the base is not trained"
        return HybridReward(ExactMatcher(), combine=self.combine, max_reasons=self.max_reasons)

    def world(self, world: World) -> World:
        """Where its prompts come from."""
        return world if self.cue_rate is None else replace(world, cue_rate=self.cue_rate)


ARMS: dict[str, Arm] = {
    "base": Arm(None),
    "outcome": Arm("outcome"),
    "hybrid": Arm("product"),
    "control": Arm("outcome", cue_rate=0.5),
    "additive": Arm("additive"),
    "rationale": Arm("rationale"),
    "capped": Arm("product", max_reasons=MOST_HUMAN_REASONS),
}
