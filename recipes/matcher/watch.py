"""How far a half-trained network is: the kept-out topics and documents, by source. Knows nothing of training."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from sources import Bag

__all__ = ["auc", "held"]

_MOST = 250  # bags of a source
_TEXTS = 12


def held(bags: Sequence[Bag]) -> list[Bag]:
    """Some kept-out bags of each source, cut to their first texts."""
    rng = random.Random(0)
    by_source: dict[str, list[Bag]] = defaultdict(list)
    for bag in bags:
        if bag.held:
            by_source[bag.source].append(bag)
    return [bag for mine in by_source.values() for bag in rng.sample(mine, min(len(mine), _MOST))]


def auc(bags: Sequence[Bag], best: Callable[[Bag], float]) -> dict[str, float]:
    """By source the chance that a text that is there, at least in part, scores over one that isn't; `best`: of a bag's texts."""
    found: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for bag in bags:
        found[bag.source].append((best(bag), bag.score > 0.4))
    result = {}
    for source, pairs in found.items():
        there, missing = (np.array([z for z, good in pairs if good is told]) for told in (True, False))
        result[source] = round(float((there[:, None] > missing).mean()), 3) if len(there) and len(missing) else float("nan")
    return result
