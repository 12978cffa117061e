"""What a text's style alone gives away: writers word rewordings, opposites and hedges each in a manner of their own.

A linear model guesses a pair's label from the model text alone (its words, its length, whether it names both responses). In the
training its guess stands beside the networks' logit, and is left out afterwards: what it knows the networks need not learn
(Clark et al. 2019, "Don't take the easy way out"). Each group is guessed by a model that was fitted on other groups.
"""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from pairs import of_group
from sources import Group
from torch import nn
from torch.nn import functional as F  # noqa: N812

from rationalerm.match import sides

__all__ = ["style"]

_FOLDS, _STEPS, _MOST, _LEAST = 4, 60, 8000, 6
_PENALTY = 3e-5
_WORD = re.compile(r"[a-z]+|[^\sa-z]")


def style(groups: Sequence[Group]) -> dict[str, float]:
    """Of each model text of the groups the logit of its label, by the text alone."""
    rng = random.Random(0)
    found: dict[str, float] = {}
    known: list[dict[str, tuple[float, float]]] = []  # text -> sum of counts, of counts times labels
    for group in groups:
        sums: dict[str, tuple[float, float]] = {}
        for pair in of_group(group, -1, rng, {t: 1 for texts in group.texts.values() for t in texts}):
            if pair.model[1] == -1:
                count, label = sums.get(pair.model[0], (0.0, 0.0))
                sums[pair.model[0]] = count + pair.count, label + pair.count * pair.label
        known.append(sums)
    for fold in range(_FOLDS):
        mine = [k for k in range(len(groups)) if k % _FOLDS == fold]
        rest = [item for k in range(len(groups)) if k % _FOLDS != fold for item in known[k].items()]
        found.update(_guessed(rest, [text for k in mine for text in known[k]]))
    return found


def _guessed(known: Sequence[tuple[str, tuple[float, float]]], asked: Sequence[str]) -> dict[str, float]:
    told = [_signs(text) for text, _ in known]
    counted = Counter(sign for signs in told for sign in signs)
    numbers = {sign: k for k, (sign, count) in enumerate(counted.most_common(_MOST)) if count >= _LEAST}
    counts, sums = (torch.tensor([values[k] for _, values in known]) for k in (0, 1))
    labels = sums / counts
    weigh = nn.EmbeddingBag(len(numbers) + 1, 1, mode="sum", padding_idx=len(numbers))
    nn.init.zeros_(weigh.weight)
    bias = nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.Adam([weigh.weight, bias], lr=0.05)
    inputs = _numbered(told, numbers)
    for _ in range(_STEPS):
        losses = F.binary_cross_entropy_with_logits(weigh(*inputs)[:, 0] + bias, labels, reduction="none")
        loss = (losses * counts).sum() / counts.sum() + _PENALTY * weigh.weight.square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        logits = weigh(*_numbered([_signs(text) for text in asked], numbers))[:, 0] + bias
    return dict(zip(asked, logits.tolist(), strict=True))


def _numbered(told: Sequence[set[str]], numbers: dict[str, int]) -> tuple[torch.Tensor, torch.Tensor]:
    places = [[numbers[sign] for sign in sorted(signs) if sign in numbers] or [len(numbers)] for signs in told]
    starts = np.cumsum([0, *(len(one) for one in places[:-1])])
    return torch.tensor([k for one in places for k in one]), torch.tensor(starts)


def _signs(text: str) -> set[str]:
    """Words, pairs of them, length, whether both responses are named."""
    words = _WORD.findall(text.casefold())
    marked = sides.mark(text)
    both = sides.MARK_OTHER in marked or (sides.MARK_A in marked and sides.MARK_B in marked)
    couples = (f"{a} {b}" for a, b in itertools.pairwise(words))
    return {*words, *couples, f"{min(14, len(text.split()) // 3)} long", f"both {both}"}
