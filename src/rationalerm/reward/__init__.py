"""The hybrid reward for training a generative reward model (method.md section 4). Knows nothing of trainers.

options   what is rewarded, checked once           hybrid   one answer, or a group of them -> rewards
result    a reward with its parts, always apart    groups   a step's rewards: None, spread, padding, truncation
"""

from __future__ import annotations

from rationalerm.reward.hybrid import HybridReward, ahybrid_reward, hybrid_reward
from rationalerm.reward.options import RewardOptions
from rationalerm.reward.result import Reward

__all__ = ["HybridReward", "Reward", "RewardOptions", "ahybrid_reward", "hybrid_reward"]
