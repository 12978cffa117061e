"""The hybrid reward for training a generative reward model (method.md section 4). Knows nothing of trainers.

options   what is rewarded, checked once           hybrid   one answer, or a group of them -> rewards
result    a reward with its parts, always apart    groups   a step's rewards: None, spread, padding, truncation
samples   a trainer's columns, checked             formula  one answer's reward from its parts
asking    lists on their way to an endpoint        guard    stops where too many rewards fail
config    a reward and its matcher, from words     truth    what the human said of a game, as a data set's column
"""

from __future__ import annotations

from rationalerm.reward.config import RewardConfig
from rationalerm.reward.guard import FailureGuard
from rationalerm.reward.hybrid import HybridReward, ahybrid_reward, hybrid_reward
from rationalerm.reward.options import RewardOptions
from rationalerm.reward.result import Reward
from rationalerm.reward.truth import Truth

__all__ = [
    "FailureGuard",
    "HybridReward",
    "Reward",
    "RewardConfig",
    "RewardOptions",
    "Truth",
    "ahybrid_reward",
    "hybrid_reward",
]
