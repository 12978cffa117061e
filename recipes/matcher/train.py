"""The training of the networks. Knows nothing of calibration or of the shipped files.

A step reads the texts of some groups once, compares the pairs of each group, looks for the texts of other groups
that look most like matches, and learns from both; beside them a few labelled bags for the second logit.
"""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from near import near
from net import COVERS, FULFILS, Compare, Upper
from pairs import Pair, of_group, steps
from rules import WEIGHT, Rules
from sources import Bag, Group
from states import States
from style import style
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from watch import Asked, framed_pairs

__all__ = ["Comparing", "Material", "train"]

_HARD, _ANY = 10, 5  # strangers a human reason meets: those that look most like matches, and any
_NEAR = 3  # texts near to a reason that come to a step beside it
_STRANGE = 3.0  # how much such a pair counts
_MOST = 8  # texts of a bag that are read
_COMPARED = 256  # pairs at once
_KEEP_EVERY = 200


def by_source(bags: Sequence[Bag]) -> dict[str, list[Bag]]:
    """Those that are trained on."""
    used = [b for b in bags if not b.held]
    return {source: [b for b in used if b.source == source] for source in sorted({b.source for b in used})}


class Material:
    """What a training draws from. `again`: how often it comes to a close group while it comes to another once."""

    def __init__(
        self, groups: Sequence[Group], bags: Sequence[Bag], others: Sequence[str], states: States, again: int = 1
    ) -> None:
        self.groups = [g for g in groups if not g.held]
        self.drawn = [*self.groups, *[g for g in self.groups if g.close] * (again - 1)]
        self.by_source = by_source(bags)
        self.others, self.states, self.rules, self.style = list(others), states, Rules(), style(self.groups)
        self.near = dict(zip((g.texts["h"][0] for g in self.groups), near(self.groups, others, states), strict=True))

    def evidence(self, pairs: Sequence[tuple[Any, Any]]) -> Tensor:
        """What the rules say of each pair, weighed."""
        return WEIGHT * torch.tensor(self.rules.pairs(pairs))

    def with_bags(self, bags: Sequence[Bag]) -> Material:
        """The same with other labels; their texts have been read."""
        made = copy.copy(self)
        made.by_source = by_source(bags)
        return made

    def some_bags(self, rng: random.Random, count: int) -> list[Bag]:
        """Of each source about as many."""
        sources = list(self.by_source)
        return [rng.choice(self.by_source[sources[k % len(sources)]]) for k in range(count)]


def bag_texts(bag: Bag, rng: random.Random, most: int = _MOST) -> list[str]:
    """The texts of a bag that are read: the named one, and those that share most words."""
    texts = list(bag.model)
    if len(texts) <= most:
        return texts
    wanted = {w for w in bag.human.casefold().split() if len(w) > 3}
    order = sorted(range(len(texts)), key=lambda k: (k != bag.named, -len(wanted & set(texts[k].casefold().split()))))
    return [texts[k] for k in order[:most]]


def _inverse(order: Sequence[int]) -> Tensor:
    """Where each stands that was taken in this order."""
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.tensor(order)] = torch.arange(len(order))
    return back


def loss_of(logits: Tensor, labels: Tensor, counts: Tensor) -> Tensor:
    """Weighted log loss."""
    losses = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
    return (losses * counts).sum() / counts.sum()


def of_bags(score: Callable[[list[tuple[Any, Any]]], Tensor], bags: Sequence[tuple[Bag, list[str]]]) -> Tensor:
    """The loss of bags, by the best of the texts, or the named one."""
    pairs = [((bag.human, -1), (text, -1)) for bag, texts in bags for text in texts]
    logits = score(pairs)[:, COVERS]
    best, labels, place = [], [], 0
    for bag, texts in bags:
        here = logits[place : place + len(texts)]
        place += len(texts)
        named = bag.model[bag.named] if bag.named is not None else None
        best.append(here[texts.index(named)] if named in texts else here.max())
        labels.append(bag.score)
    labelled = torch.tensor(labels)
    return loss_of(torch.stack(best), labelled, torch.ones_like(labelled))


class Comparing(nn.Module):
    """The upper layers and the comparison."""

    groups, bags = 10, 6

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

    def read(self, texts: Sequence[tuple[str, int]], states: States) -> tuple[Tensor, Tensor, Tensor, dict[Any, int]]:
        """Vectors, weights and mask of texts, in portions of like length."""
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

    @torch.no_grad()
    def evidence_of(self, asked: Sequence[Asked], material: Material) -> list[float]:
        """The logit of each pair, with what the rules say."""
        pairs = framed_pairs(asked, material.states)
        result: list[float] = []
        for k in range(0, len(pairs), 400):
            part = pairs[k : k + 400]
            with torch.autocast("cpu", torch.bfloat16):
                vectors, weights, mask, place = self.read(list(dict.fromkeys(t for pair in part for t in pair)), material.states)
            logits = self.score([(place[h], place[m]) for h, m in part], vectors, weights, mask)[:, FULFILS]
            result += (logits + material.evidence(part)).tolist()
        return result

    def score(self, wanted: Sequence[tuple[int, int]], vectors: Tensor, weights: Tensor, mask: Tensor) -> Tensor:
        """Two logits a pair, in portions of like length."""
        sizes = mask.sum(1).int().tolist()
        order = sorted(range(len(wanted)), key=lambda k: (sizes[wanted[k][0]] + sizes[wanted[k][1]], k))
        logits = []
        for start in range(0, len(order), _COMPARED):
            part = [wanted[k] for k in order[start : start + _COMPARED]]
            h, m = torch.tensor([a for a, _ in part]), torch.tensor([b for _, b in part])
            th, tm = max(sizes[a] for a, _ in part), max(sizes[b] for _, b in part)
            ours, theirs = (vectors[h, :th], weights[h, :th], mask[h, :th]), (vectors[m, :tm], weights[m, :tm], mask[m, :tm])
            logits.append(self.compare(*ours, *theirs).float())
        return torch.cat(logits)[_inverse(order)]

    @staticmethod
    def hard(
        pairs: Sequence[Pair], pool: Sequence[tuple[Any, int]], score: Callable[[Any], Tensor], rng: random.Random
    ) -> list[Any]:
        """Of a reason of each group the strangers that look most like matches, and a few more."""
        owner = dict(pool)
        by_group: dict[int, list[Any]] = {}
        for pair in pairs:
            if pair.human in owner and pair.label == 1.0:
                by_group.setdefault(owner[pair.human], []).append(pair.human)
        asked = [(k, rng.choice(humans)) for k, humans in by_group.items()]
        strange = [(h, t) for k, h in asked for t, of in pool if of != k and owner[t] != k]
        with torch.no_grad():
            looks = score(strange).tolist()
        chosen: list[Any] = []
        for _, h in asked:
            mine = sorted((k for k, pair in enumerate(strange) if pair[0] == h), key=lambda k: -looks[k])
            chosen += [strange[k] for k in (*mine[:_HARD], *rng.sample(mine, _ANY))]
        return chosen

    def step(self, groups: Sequence[Group], material: Material, rng: random.Random) -> Tensor:
        """The loss of a step."""
        states = material.states
        pairs: list[Pair] = []
        pool: list[tuple[tuple[str, int], int]] = []  # texts that are strangers to other groups
        for k, group in enumerate(groups):
            this = rng.choice((-1, 1))
            pairs += of_group(group, this, rng, states.first)
            pool += [((t, this), k) for texts in group.texts.values() for t in texts]
            pool += [((t, rng.choice((-1, 1))), -1) for t in rng.sample(material.near[group.texts["h"][0]], _NEAR)]
        pool += [((t, rng.choice((-1, 1))), -1) for t in rng.sample(material.others, 4)]
        bags = [(bag, bag_texts(bag, rng)) for bag in material.some_bags(rng, self.bags)]
        named = [(t, -1) for bag, texts in bags for t in (bag.human, *texts)]
        all_texts = list(dict.fromkeys([*(p.human for p in pairs), *(p.model for p in pairs), *(t for t, _ in pool), *named]))
        vectors, weights, mask, place = self.read(all_texts, states)

        def score(wanted: Sequence[tuple[Any, Any]]) -> Tensor:
            return self.score([(place[h], place[m]) for h, m in wanted], vectors, weights, mask)

        chosen = self.hard(pairs, pool, lambda some: score(some)[:, FULFILS] + material.evidence(some), rng)
        wanted = [*((p.human, p.model) for p in pairs), *chosen]
        given_away = torch.tensor([material.style.get(p.model[0], 0.0) for p in pairs] + [0.0] * len(chosen))
        logits = score(wanted)[:, FULFILS] + material.evidence(wanted) + given_away
        labels = torch.tensor([p.label for p in pairs] + [0.0] * len(chosen))
        counts = torch.tensor([p.count for p in pairs] + [_STRANGE] * len(chosen))
        return loss_of(logits, labels, counts) + 0.5 * of_bags(score, bags)


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
    for k, groups in enumerate(steps(material.drawn, count, model.groups, seed)):
        with torch.autocast("cpu", torch.bfloat16):
            loss = model.step(groups, material, rng)
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
