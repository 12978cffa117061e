"""GRPO on the toy: sample a group a prompt, reward it, standardise within the group, step along the clipped ratio.

The reward is whatever is given; the advantages are those of `reward.groups`. Knows nothing of arms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from rationalerm.reward.groups import advantages, step_of
from rationalerm.reward.hybrid import HybridReward
from rationalerm.reward.result import Reward
from rationalerm.train.toy.codec import END, decode, encode_prompt, reason_text
from rationalerm.train.toy.model import Policy, Sampled, copied, log_probs, sample
from rationalerm.train.toy.start import STEPS
from rationalerm.train.toy.world import ToyPair

if TYPE_CHECKING:
    import torch
    from torch import Tensor

__all__ = ["Answers", "Grpo", "answers_of", "rewards_of", "train_arm"]


@dataclass(frozen=True, slots=True)
class Grpo:
    """How the arms are trained, all alike.

    Args:
        steps: batches that are sampled.
        prompts, samples: prompts a batch, answers a prompt.
        minibatches: optimiser steps a batch; from the second on, the policy is no longer the one that sampled.
        rate: learning rate of Adam at the first step; it falls to 0 along a line.
        clip: the importance ratio of a token counts within 1 - clip .. 1 + clip. There is no KL term (beta is 0).
    """

    steps: int = 150
    prompts: int = 16
    samples: int = 8
    minibatches: int = 2
    rate: float = 3e-4
    clip: float = 0.2


@dataclass(frozen=True, slots=True)
class Answers:
    """Sampled answers as a trainer hands them to a reward: texts, and why each ended (`length`: it was cut off)."""

    texts: list[str]
    finish_reasons: list[str]


def train_arm(
    start: Policy, pairs: Iterator[ToyPair], reward: HybridReward, config: Grpo, seed: int, progress: Callable[[], None]
) -> tuple[Policy, list[dict[str, Any]]]:
    """Trains a copy of the start.

    Returns:
        The policy, and the curve: a row a step with the mean of each part of the reward over the batch.
    """
    import torch

    policy, generator = copied(start), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(policy.weights.values(), lr=config.rate)
    curve = []
    for step in range(config.steps):
        optimizer.param_groups[0]["lr"] = config.rate * (1 - step / config.steps)
        batch = list(islice(pairs, config.prompts))
        prompts = torch.tensor([encode_prompt(pair) for pair in batch])
        drawn = sample(policy, prompts, config.samples, STEPS, END, generator)
        made = rewards_of(reward, [pair for pair in batch for _ in range(config.samples)], answers_of(drawn))
        worth = advantages([one.total for one in made], config.samples)
        _update(policy, optimizer, prompts, drawn, torch.tensor([a or 0.0 for a in worth]), config)
        curve.append(_row(step + 1, made, config.samples))
        progress()
    return policy, curve


def answers_of(drawn: Sampled) -> Answers:
    """Token lists as text; one without an end was cut off."""
    ended = (drawn.tokens == END).any(1).tolist()
    return Answers([decode(row) for row in drawn.tokens.tolist()], ["stop" if whole else "length" for whole in ended])


def rewards_of(reward: HybridReward, pairs: Sequence[ToyPair], answers: Answers) -> list[Reward]:
    """The answers through the product's reward, one pair an answer."""
    human = [[reason_text(claim) for claim in pair.reasons] for pair in pairs]
    return reward(answers.texts, human, [pair.label for pair in pairs], finish_reasons=answers.finish_reasons)


def _update(
    policy: Policy, optimizer: torch.optim.Optimizer, prompts: Tensor, drawn: Sampled, worth: Tensor, config: Grpo
) -> None:
    """The batch's optimiser steps: the loss is the mean over answer tokens of the clipped objective."""
    import torch

    for part in torch.arange(len(prompts)).chunk(config.minibatches):
        rows = slice(int(part[0]) * config.samples, (int(part[-1]) + 1) * config.samples)
        ratio = (log_probs(policy, prompts[part], drawn.tokens[rows], config.samples) - drawn.log_probs[rows]).exp()
        weight = worth[rows].unsqueeze(1)
        gain = torch.minimum(ratio * weight, ratio.clamp(1 - config.clip, 1 + config.clip) * weight)
        loss = -(gain * drawn.mask[rows]).sum() / drawn.mask[rows].sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(policy.weights.values()), 1.0)
        optimizer.step()


def _row(step: int, made: list[Reward], group: int) -> dict[str, Any]:
    seen = step_of(made, group)
    no_verdict = sum(one.status.startswith("no verdict") for one in made) / len(made)
    return {"step": step, **seen.means, "no_verdict": no_verdict, "truncated": seen.truncated, "no_spread": seen.no_spread}
