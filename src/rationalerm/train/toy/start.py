"""The supervised start that all arms share: the policy learns to read, then imitates the annotators.

Kept in the cache folder, since it takes most of a run's time. Knows nothing of rewards.
"""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from rationalerm.data.caching import cache_folder
from rationalerm.train.toy.codec import END, PROMPT_LENGTH, VOCABULARY, encode_answer, encode_prompt
from rationalerm.train.toy.demonstrations import Demonstration, Habits
from rationalerm.train.toy.model import ModelConfig, Policy, log_probs, new_policy
from rationalerm.train.toy.world import World

if TYPE_CHECKING:
    import torch
    from torch import Tensor

__all__ = ["MOST_REASONS", "STEPS", "Start", "start_file", "started"]

MOST_REASONS = 6  # room in an answer; the demonstrations and the human's lists hold four at most, readers' lists are cut to it
STEPS = 2 * MOST_REASONS + 2  # tokens of an answer: two a reason, verdict, end
_VERSION = 1  # changes with whatever shapes the start and is not a field below


@dataclass(frozen=True, slots=True)
class Start:
    """How the start is made.

    Args:
        reading: steps on complete lists of defects.
        imitating: steps on the annotators' demonstrations, after that.
        batch: demonstrations a step.
        rate: the highest learning rate of AdamW: it is reached after a twentieth of the steps, then falls along a cosine.
        pool: how many demonstrations there are of each kind.
        world, habits: where they come from.
    """

    reading: int = 600
    imitating: int = 600
    batch: int = 128
    rate: float = 2e-3
    pool: int = 20_000
    world: World = field(default_factory=World)
    habits: Habits = field(default_factory=Habits)


def started(start: Start, seed: int, progress: Callable[[], None]) -> Policy:
    """The start: from the cache folder, or made and put there.

    Args:
        start: how.
        seed: of weights, pairs and demonstrations.
        progress: called after each step.
    """
    policy = new_policy(ModelConfig(len(VOCABULARY), PROMPT_LENGTH + STEPS), seed)
    file = start_file(start, seed)
    if not _loaded(policy, file):
        _train(policy, start, seed, progress)
        _keep(policy, file)
    return policy


def start_file(start: Start, seed: int) -> Path:
    """Where a start is kept; the name changes with everything that shapes the weights."""
    import torch

    sizes = ModelConfig(len(VOCABULARY), PROMPT_LENGTH + STEPS)
    shapes: list[Any] = [_VERSION, start, seed, sizes, VOCABULARY, torch.__version__]
    key = hashlib.sha256(orjson.dumps(shapes, default=str)).hexdigest()[:16]
    return cache_folder("give it a folder that can be written") / f"toy-start-{key}.safetensors"


def _train(policy: Policy, start: Start, seed: int, progress: Callable[[], None]) -> None:
    import torch

    generator, weights = torch.Generator().manual_seed(seed), list(policy.weights.values())
    optimizer = torch.optim.AdamW(weights, lr=start.rate, betas=(0.9, 0.98), weight_decay=0.01)
    total = start.reading + start.imitating
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, start.rate, total_steps=total + 1, pct_start=0.05)
    rng = random.Random(f"readers {seed}")
    readers = (start.habits.answer(pair, "reader", rng) for pair in start.world.pairs(f"reading {seed}"))
    annotators = start.habits.demonstrations(start.world.pairs(f"start {seed}"), f"habits {seed}")
    for made, steps in ((readers, start.reading), (annotators, start.imitating)):
        prompts, answers, lengths = _coded(list(islice(made, start.pool)))
        order = torch.randperm(start.pool, generator=generator)
        for step in range(steps):
            chosen = order[torch.arange(step * start.batch, (step + 1) * start.batch) % start.pool]
            loss = _loss(policy, prompts[chosen], answers[chosen], lengths[chosen])
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            schedule.step()
            progress()


def _loss(policy: Policy, prompts: Tensor, answers: Tensor, lengths: Tensor) -> torch.Tensor:
    """The mean over answer tokens."""
    import torch

    longest = int(lengths.max())
    mask = torch.arange(longest) < lengths.unsqueeze(1)
    return -log_probs(policy, prompts, answers[:, :longest], 1)[mask].mean()


def _coded(made: list[Demonstration]) -> tuple[Tensor, Tensor, Tensor]:
    """Prompts, answers (filled up with the end token), and the answers' lengths."""
    import torch

    coded = [encode_answer(one.claims[:MOST_REASONS], one.verdict) for one in made]
    answers = torch.tensor([row + [END] * (STEPS - len(row)) for row in coded])
    return torch.tensor([encode_prompt(one.pair) for one in made]), answers, torch.tensor([len(row) for row in coded])


def _loaded(policy: Policy, file: Path) -> bool:
    """Fills the policy from a file; False where there is none that fits, which is no fault."""
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        kept = load_file(file)
    except (OSError, SafetensorError):
        return False
    if {name: weight.shape for name, weight in kept.items()} != {name: weight.shape for name, weight in policy.weights.items()}:
        return False
    with torch.no_grad():
        for name, weight in policy.weights.items():
            weight.copy_(kept[name])
    return True


def _keep(policy: Policy, file: Path) -> None:
    """Writes the file at once; a cache folder that can't be written only costs the next run its time."""
    from safetensors.torch import save

    fresh = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_bytes(save({name: weight.detach() for name, weight in policy.weights.items()}))
        fresh.replace(file)
    except OSError:
        fresh.unlink(missing_ok=True)
