"""The training of the networks. Knows nothing of calibration or of the shipped files.

A step reads some labelled bags and learns from the best text of each, or the one that people named; beside them some groups: a
reason and its rewordings among the rewordings of other groups, which are worded in the same manner.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from net import Compare, Upper
from sources import Bag, Group
from states import States
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

__all__ = ["Comparing", "Material", "train"]

_BAGS, _GROUPS = 32, 10  # a step
_REWORDED = 2  # rewordings of a group
_OF_GROUPS = 0.5  # how much they count beside the bags
_MOST = 8  # texts of a bag that are read
_COMPARED = 256  # pairs at once
_KEEP_EVERY = 200


class Material:
    """What a training draws from; all of it has been read."""

    def __init__(self, groups: Sequence[Group], bags: Sequence[Bag], states: States) -> None:
        self.groups, self.states = [g for g in groups if not g.held], states
        used = [b for b in bags if not b.held]
        self.by_source = {source: [b for b in used if b.source == source] for source in sorted({b.source for b in used})}

    def some_bags(self, rng: random.Random, count: int) -> list[Bag]:
        """Of each source about as many."""
        sources = list(self.by_source)
        return [rng.choice(self.by_source[sources[k % len(sources)]]) for k in range(count)]

    def some_groups(self, rng: random.Random, count: int) -> list[list[str]]:
        """A reason and some of its rewordings, each."""
        chosen = rng.sample(self.groups, min(count, len(self.groups)))
        return [[g.texts["h"][0], *rng.sample(g.texts["r"], _REWORDED)] for g in chosen]


def bag_texts(bag: Bag, most: int = _MOST) -> list[str]:
    """The texts of a bag that are read: the named one, and those that share most words."""
    texts = list(bag.model)
    if len(texts) <= most:
        return texts
    wanted = {w for w in bag.human.casefold().split() if len(w) > 3}
    order = sorted(range(len(texts)), key=lambda k: (k != bag.named, -len(wanted & set(texts[k].casefold().split()))))
    return [texts[k] for k in order[:most]]


def loss_of_bags(score: Callable[[list[tuple[str, str]]], Tensor], bags: Sequence[tuple[Bag, list[str]]]) -> Tensor:
    """By the best of the texts, or the named one."""
    logits = score([(bag.human, text) for bag, texts in bags for text in texts])
    best, place = [], 0
    for bag, texts in bags:
        here = logits[place : place + len(texts)]
        place += len(texts)
        named = bag.model[bag.named] if bag.named is not None else None
        best.append(here[texts.index(named)] if named in texts else here.max())
    return F.binary_cross_entropy_with_logits(torch.stack(best), torch.tensor([bag.score for bag, _ in bags]))


def loss_of_groups(score: Callable[[list[tuple[str, str]]], Tensor], groups: Sequence[Sequence[str]]) -> Tensor:
    """Of each reason, which of all rewordings are its own; those count as much as the others."""
    pairs = [(own[0], text) for own in groups for other in groups for text in other[1:]]
    labels = torch.tensor([float(own is other) for own in groups for other in groups for _ in other[1:]])
    losses = F.binary_cross_entropy_with_logits(score(pairs), labels, reduction="none")
    return (losses[labels > 0].mean() + losses[labels == 0].mean()) / 2


class Comparing(nn.Module):
    """The upper layers and the comparison."""

    def __init__(self, weights: dict[str, Any]) -> None:
        super().__init__()
        self.upper, self.compare = Upper(), Compare()
        self.upper.load(weights)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """The new parts learn faster."""
        layers = list(self.upper.layers.parameters())
        known = {id(p) for p in layers}
        return [
            {"params": layers, "lr": 2e-4},
            {"params": [p for p in self.parameters() if id(p) not in known], "lr": 1e-3, "weight_decay": 0.0},
        ]

    def read(self, texts: Sequence[str], states: States) -> tuple[Tensor, Tensor, Tensor, dict[str, int]]:
        """Vectors, weights and mask of texts, in portions of like length, and where each stands."""
        numbers = [states.numbers[text] for text in texts]
        distinct = sorted(set(numbers), key=states.length)
        longest = states.length(distinct[-1])
        parts = []
        for k in range(0, len(distinct), 40):
            batch, mask = states.batch(distinct[k : k + 40])
            vectors, weights = self.upper(batch, mask)
            more = longest - mask.shape[1]
            parts.append((F.pad(vectors.float(), (0, 0, 0, more)), F.pad(weights.float(), (0, more)), F.pad(mask, (0, more))))
        place = {n: k for k, n in enumerate(distinct)}
        vectors, weights, mask = (torch.cat(p) for p in zip(*parts, strict=True))
        return vectors, weights, mask, {text: place[n] for text, n in zip(texts, numbers, strict=True)}

    def scoring(self, texts: Sequence[str], states: States) -> Callable[[Sequence[tuple[str, str]]], Tensor]:
        """Reads the texts; what is returned gives the logit of each pair of them."""
        vectors, weights, mask, place = self.read(list(dict.fromkeys(texts)), states)
        sizes = mask.sum(1).int().tolist()

        def score(pairs: Sequence[tuple[str, str]]) -> Tensor:
            wanted = [(place[h], place[m]) for h, m in pairs]
            order = sorted(range(len(wanted)), key=lambda k: (sizes[wanted[k][0]] + sizes[wanted[k][1]], k))
            logits = []
            for start in range(0, len(order), _COMPARED):
                part = [wanted[k] for k in order[start : start + _COMPARED]]
                h, m = torch.tensor([a for a, _ in part]), torch.tensor([b for _, b in part])
                th, tm = max(sizes[a] for a, _ in part), max(sizes[b] for _, b in part)
                ours, theirs = (vectors[h, :th], weights[h, :th], mask[h, :th]), (vectors[m, :tm], weights[m, :tm], mask[m, :tm])
                logits.append(self.compare(*ours, *theirs).float())
            back = torch.empty(len(order), dtype=torch.long)
            back[torch.tensor(order)] = torch.arange(len(order))
            return torch.cat(logits)[back]

        return score

    @torch.no_grad()
    def best(self, bag: Bag, states: States) -> float:
        """The largest logit of a bag's texts."""
        with torch.autocast("cpu", torch.bfloat16):
            return float(self.scoring([bag.human, *bag.model], states)([(bag.human, text) for text in bag.model]).max())

    def step(self, material: Material, rng: random.Random) -> Tensor:
        """The loss of a step."""
        bags = [(bag, bag_texts(bag)) for bag in material.some_bags(rng, _BAGS)]
        groups = material.some_groups(rng, _GROUPS)
        named = [text for bag, texts in bags for text in (bag.human, *texts)]
        score = self.scoring([*named, *(text for group in groups for text in group)], material.states)
        return loss_of_bags(score, bags) + _OF_GROUPS * loss_of_groups(score, groups)


def train(
    model: Comparing,
    material: Material,
    count: int,
    path: Path,
    *,
    seed: int,
    rate: float = 1.0,
    say: Callable[[str], None] = print,
) -> Iterator[int]:
    """Trains for `count` steps, at a rate that falls from a third on, and writes `path`; yields every `_KEEP_EVERY` steps.

    Args:
        rate: times the rates of `model.parameter_groups()`.
    """
    optimizer = torch.optim.AdamW(model.parameter_groups(), weight_decay=0.01, betas=(0.9, 0.98))
    shape = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda k: rate * min(1.0, (k + 1) / 60) * max(0.02, 1 - max(0, k - 0.3 * count) / (0.7 * count))
    )
    rng = random.Random(seed)
    torch.manual_seed(seed)
    mean, began = 0.0, time.monotonic()
    model.train()
    for k in range(count):
        with torch.autocast("cpu", torch.bfloat16):
            loss = model.step(material, rng)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        shape.step()
        mean = float(loss.detach()) if k == 0 else 0.98 * mean + 0.02 * float(loss.detach())
        if (k + 1) % 20 == 0:
            say(f"{path.stem} {k + 1}/{count} loss {mean:.3f} {(time.monotonic() - began) / (k + 1):.2f} s a step")
        if (k + 1) % _KEEP_EVERY == 0 or k + 1 == count:
            torch.save(model.state_dict(), path)
            model.eval()
            yield k + 1
            model.train()
