"""What one text of a pair gives away by itself: python recipes/matcher/style.py

Writers word rewordings, opposites and other issues each in a manner of their own. A linear model sees a model text alone (its
words, its length, whether it names both responses) and guesses whether it is a rewording; how often it ranks one over a text that
is none, in groups that it was not fitted on, is what a network can learn without reading the human reason. 0.5 would be nothing.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from sources import Group, groups
from torch import nn
from torch.nn import functional as F  # noqa: N812

from rationalerm.match import sides

__all__ = ["given_away"]

_OTHERS = "ocsx"
_FOLDS, _STEPS, _MOST, _LEAST = 4, 60, 8000, 5
_PENALTY = 3e-5
_WORD = re.compile(r"[a-z]+|[^\sa-z]")
Text = tuple[str, str]  # key, text


def given_away(found: Sequence[Group]) -> dict[str, float]:
    """By key of what doesn't match: the AUC of rewordings over it, by the text alone; each group by a model of the others."""
    logits: dict[str, list[float]] = {key: [] for key in f"r{_OTHERS}"}
    for fold in range(_FOLDS):
        rest, mine = ([g for k, g in enumerate(found) if (k % _FOLDS == fold) is own] for own in (False, True))
        asked = _texts(mine)
        for (key, _), logit in zip(asked, _guessed(_texts(rest), [text for _, text in asked]), strict=True):
            logits[key].append(logit)
    own = np.sort(logits["r"])
    return {key: round(float(1 - np.searchsorted(own, logits[key]).mean() / len(own)), 3) for key in _OTHERS}


def _texts(found: Sequence[Group]) -> list[Text]:
    return [(key, text) for g in found for key in f"r{_OTHERS}" for text in g.texts[key]]


def _guessed(known: Sequence[Text], asked: Sequence[str]) -> list[float]:
    told = [_signs(text) for _, text in known]
    counted = Counter(sign for signs in told for sign in signs)
    numbers = {sign: k for k, (sign, count) in enumerate(counted.most_common(_MOST)) if count >= _LEAST}
    labels = torch.tensor([float(key == "r") for key, _ in known])
    weigh = nn.EmbeddingBag(len(numbers) + 1, 1, mode="sum", padding_idx=len(numbers))
    nn.init.zeros_(weigh.weight)
    bias = nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.Adam([weigh.weight, bias], lr=0.05)
    inputs = _numbered(told, numbers)
    for _ in range(_STEPS):
        guess = F.binary_cross_entropy_with_logits(weigh(*inputs)[:, 0] + bias, labels)
        loss = guess + _PENALTY * weigh.weight.square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        found: list[float] = weigh(*_numbered([_signs(text) for text in asked], numbers))[:, 0].tolist()
    return found


def _numbered(told: Sequence[set[str]], numbers: dict[str, int]) -> tuple[torch.Tensor, torch.Tensor]:
    places = [[numbers[sign] for sign in sorted(signs) if sign in numbers] or [len(numbers)] for signs in told]
    starts = np.cumsum([0, *(len(one) for one in places[:-1])])
    return torch.tensor([k for one in places for k in one]), torch.tensor(starts)


def _signs(text: str) -> set[str]:
    words = _WORD.findall(text.casefold())
    marked = sides.mark(text)
    both = sides.MARK_OTHER in marked or (sides.MARK_A in marked and sides.MARK_B in marked)
    couples = (f"{a} {b}" for a, b in itertools.pairwise(words))
    return {*words, *couples, f"{min(14, len(text.split()) // 3)} long", f"both {both}"}


def main() -> None:
    """Of the freely worded groups and of the close ones."""
    found = groups()
    for name, close in (("freely worded", False), ("close", True)):
        print(json.dumps({"groups": name, "auc": given_away([g for g in found if g.close is close])}))


if __name__ == "__main__":
    main()
