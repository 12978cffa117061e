"""Sets of rows with a known true mean, in the kinds that real runs have: most prompts with one row, a quarter with 2 to 6, rows
of a prompt alike, clusters of unequal size."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = tuple[Floats, NDArray[np.int64]]  # values, clusters

SPREAD = 0.7  # of a prompt's own difficulty, on the logit scale


def sizes(rng: np.random.Generator, clusters: int) -> NDArray[np.int64]:
    return np.where(rng.random(clusters) < 0.75, 1, rng.integers(2, 7, clusters))


def shares(rng: np.random.Generator, clusters: int, mean: float, alike: float = 0.3) -> Rows:
    """Right or wrong; a prompt's rows are right with a chance of their own, Beta with that mean and intra-class correlation."""
    m = sizes(rng, clusters)
    chance = rng.beta(mean * (1 / alike - 1), (1 - mean) * (1 / alike - 1), clusters)
    place = np.repeat(np.arange(clusters), m)
    return (rng.random(len(place)) < chance[place]).astype(float), place


def recalls(rng: np.random.Generator, clusters: int, zero: float, ranked: bool = False) -> Rows:
    """Row recalls (or APs): a heap at 0, the rest k of 1-5 human reasons, each by a score of 0.25 to 1."""
    place = np.repeat(np.arange(clusters), sizes(rng, clusters))
    return recall_of(rng, SPREAD * rng.normal(size=clusters)[place], zero, ranked), place


def recall_of(rng: np.random.Generator, hardness: Floats, zero: float, ranked: bool) -> Floats:
    n = len(hardness)
    human = rng.integers(1, 6, n)
    none = rng.random(n) < 1 / (1 + np.exp(-(np.log(zero / (1 - zero)) + hardness)))
    hits = np.maximum(rng.binomial(human, 0.45), 1)
    score = rng.choice(
        [1 / 3, 0.5, 1.0] if ranked else [0.25, 0.5, 0.75, 1.0], n, p=[0.2, 0.3, 0.5] if ranked else [0.2, 0.3, 0.3, 0.2]
    )
    return np.where(none, 0.0, hits / human * score)


def true_recall(zero: float, ranked: bool = False) -> float:
    """The mean over prompts, size apart: their hardness does not depend on it."""
    rng = np.random.default_rng(99)
    return float(recall_of(rng, SPREAD * rng.normal(size=1_000_000), zero, ranked).mean())


Kind = tuple[Callable[[np.random.Generator, int], Rows], float]


def kinds() -> dict[str, Kind]:
    """OA near 0.9; RC and AP with many zeros; S-Corr, which is over the right verdicts of six clusters in ten."""
    return {
        "OA": (lambda rng, n: shares(rng, n, 0.9), 0.9),
        "RC": (lambda rng, n: recalls(rng, n, 0.45), true_recall(0.45)),
        "AP": (lambda rng, n: recalls(rng, n, 0.6, True), true_recall(0.6, True)),
        "S-Corr": (lambda rng, n: shares(rng, round(0.6 * n), 0.15, 0.1), 0.15),
    }


def sets(kind: Kind, clusters: int, count: int, seed: int = 0) -> Iterator[Rows]:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield kind[0](rng, clusters)
