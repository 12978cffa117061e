"""The scales: what the networks and rules know of a pair, weighed by what people and writers said of pairs that no training saw.

    reasons    the tuning sets, the kept-out close groups, and pairs that have nothing to do with each other: kept-out groups with
               the next ones, the tuning sets' reasons across their rows, and the shipped sample's human reasons with judges'
               reasons of other rows
    others     the kept-out topics and documents of the labelled sources, by the best text of each

Of `reasons` the weight and the bounds of what the networks say (scale.py) are the best of a grid, under a limit on chance; of
`others` a logistic regression. The map from z to scores is the one with the least distance from the labels among a few.
"""

from __future__ import annotations

import itertools
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from sources import Bag, Group
from watch import Asked, contrast_pairs, held_pairs, strangers

import rationalerm
from rationalerm.data.pairs import PairFile
from rationalerm.match.embedded import EmbeddedMatcher
from rationalerm.match.learnt.scale import FLOOR, LIMIT, Scale, Seen
from rationalerm.run.games import game_of, to_match

__all__ = ["Known", "collect", "fit", "of_bags", "write"]

Rows = list[tuple[list[str], list[str]]]
CONTENT = np.array([1.5, 0.4, 0.7])  # rules and both logits: best or near it for each source's kept-out texts
_WIDE = ((-2.0, 0.0), (0.0, 0.5), (2.0, 1.0))  # nearer to the labels are narrower maps; what they tie no AUC tells apart
_SAMPLE = Path(rationalerm.__file__).parent / "sample" / "pairs.jsonl"
CHANCE = 0.001  # of the sample's pairs of other rows, so many may come out as matches
_COUNTS = {  # how much a kind of pairs counts in the regression, beside 1
    "reworded": 3.0, "tuning reworded": 3.0, "tuning partial": 0.3, "joined": 1.0, "p75": 1.5, "p25": 0.7, "stranger": 2.0,
    "crossed": 2.0, "sample": 4.0, "hedge": 0.7,
}  # fmt: skip
_JUDGED = {  # and in the choice of weight and bounds: what matches as much as what doesn't, the tuning sets most
    "tuning reworded": 25, "tuning opposite_polarity": 5, "tuning changed_fact": 5, "tuning same_topic": 5,
    "tuning other_response": 5, "tuning generic": 5, "reworded": 12, "opposite": 3, "changed": 3, "same_topic": 3, "other": 3,
    "hedge": 3,
}  # fmt: skip
_WEIGHTS, _LOWS = (0.6, 0.8, 1.1), (0.5, 0.75, 1.0, 1.5, 2.0)
_HIGHS = (0.25, 0.5)  # more tells no more, and more pairs are compared
_BIASES, _OVER = (-1.0, -0.75, -0.5, -0.25, 0.0, 0.5, 1.0), (0.0, 0.2, 0.4, 0.7, 1.0)
_FREE = 99.0


class Known(NamedTuple):
    """A pair (`bag` None) or one text of a bag, with its label."""

    kind: str
    scale: str
    seen: Seen
    label: float
    bag: int | None = None


def crossed_sample() -> Rows:
    """Human reasons of the sample against judges' reasons of the next rows of other prompts."""
    by_judge: dict[str, list[tuple[str, list[str], list[str]]]] = defaultdict(list)
    for pair in PairFile(_SAMPLE):
        for game in filter(to_match, (game_of(pair, answer) for answer in pair.answers)):
            by_judge[game.answer.judge].append((pair.id, list(game.human), list(game.judgment.reasons)))
    return [
        (rows[k][1], rows[(k + shift) % len(rows)][2]) for rows in by_judge.values() for shift in (5,) for k in range(len(rows))
    ]


def crossed_pairs() -> list[Asked]:
    """The tuning sets' human reasons against model reasons of other pairs."""
    pairs = contrast_pairs()
    return [("crossed", h, pairs[(k + shift) % len(pairs)][2], 0.0) for shift in (7, 61) for k, (_, h, _, _) in enumerate(pairs)]


def collect(groups: Sequence[Group], bags: Sequence[Bag]) -> list[Known]:
    """All that the matcher knows of those pairs."""
    matcher = EmbeddedMatcher()
    known: list[Known] = []
    tuning = [(f"tuning {kind}", *rest) for kind, *rest in contrast_pairs()]
    close = [g for g in groups if g.close]  # shared words tell as little in them as in the tuning sets
    asked = [*tuning, *held_pairs(close), *strangers(groups), *crossed_pairs()]
    by_human: dict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        by_human[one[1]].append(one)
    for human, mine in by_human.items():
        for x in matcher.look([human], [model for _, _, model, _ in mine], everything=True):
            known.append(Known(mine[x.model][0], x.scale, x.seen, mine[x.model][3]))
    for human, model in crossed_sample():
        known += [Known("sample", x.scale, x.seen, 0.0) for x in matcher.look(human, model, everything=True)]
    return known + of_bags(matcher, bags)


def of_bags(matcher: EmbeddedMatcher, bags: Sequence[Bag]) -> list[Known]:
    """All that the matcher knows of the texts of kept-out bags."""
    held = [b for b in bags if b.held]
    return [
        Known(bag.source, x.scale, x.seen, bag.score, k)
        for k, bag in enumerate(random.Random(0).sample(held, min(len(held), 1200)))
        for x in matcher.look([bag.human], bag.model[:40], everything=True)
    ]


def _numbers(seen: Seen) -> tuple[float, ...]:
    """All that is known of a pair, in a row."""
    return tuple(np.clip((seen.rules, *seen.heard), -LIMIT, LIMIT))


class Fitted(NamedTuple):
    """What z is made of: how the rules weigh, the bias and weights of what the networks say, and how far that goes."""

    rules: float
    bias: float
    weights: np.ndarray
    low: float
    high: float

    def z(self, x: np.ndarray) -> np.ndarray:
        """Of rows of `_numbers`."""
        return self.rules * x[:, 0] + np.clip(self.bias + x[:, 1:] @ self.weights, -self.low, self.high)

    def stricter(self, by: float) -> Fitted:
        """Every z that much less."""
        return Fitted(self.rules, self.bias - by, self.weights, self.low + by, self.high - by)


def bounded(x: np.ndarray, kinds: np.ndarray, y: np.ndarray) -> Fitted:
    """The weight and bounds under which most pairs, averaged over their kinds, come to the right side, while of pairs that have
    nothing to do with each other no more than `CHANCE` match. Rows of `_numbers`, their kinds, their labels."""
    judged = {kind: kinds == kind for kind in _JUDGED}
    total, strange = sum(_JUDGED.values()), kinds == "sample"
    best: tuple[float, Fitted] | None = None
    for weight, low, high, bias in itertools.product(_WEIGHTS, _LOWS, _HIGHS, _BIASES):
        heard = Fitted(1.0, weight * bias, np.array([weight, 0.0]), weight * low, weight * high)
        z = heard.z(x)
        least = np.quantile(z[strange], 1 - CHANCE)
        for over in _OVER:
            right = (z > least + over) == (y > 0.5)
            mean = sum(count * right[judged[kind]].mean() for kind, count in _JUDGED.items()) / total
            if best is None or mean > best[0]:
                best = mean, heard.stricter(float(least) + over)
    assert best is not None
    return best[1]


def logistic(x: np.ndarray, y: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """Weight and bias of one number."""
    xs, ys, cs = torch.tensor(x, dtype=torch.float64), torch.tensor(y), torch.tensor(counts / counts.sum())
    w = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([w], max_iter=100)

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        result = (torch.nn.functional.binary_cross_entropy_with_logits(w[0] * xs + w[1], ys, reduction="none") * cs).sum()
        result.backward()
        return result

    optimizer.step(loss)
    return float(w[0].detach()), float(w[1].detach())


def best_of_bags(known: Iterable[Known]) -> list[Known]:
    """Of each bag the text that looks most like it."""
    best: dict[int, Known] = {}
    for one in known:
        if one.bag is None:
            continue
        there = best.get(one.bag)
        if there is None or _content(one.seen) > _content(there.seen):
            best[one.bag] = one
    return list(best.values())


def _content(seen: Seen) -> float:
    """How much of a text another one seems to say."""
    return float(CONTENT @ _numbers(seen))


def _counts(known: Sequence[Known]) -> np.ndarray:
    """Each kind as much as another, times `_COUNTS`."""
    sizes: dict[str, int] = defaultdict(int)
    for one in known:
        sizes[one.kind] += 1
    return np.array([_COUNTS.get(one.kind, 1.0) / sizes[one.kind] for one in known])


def _map(z: np.ndarray, y: np.ndarray, counts: np.ndarray) -> tuple[tuple[float, float], ...]:
    """Knots: 0.5 at 0; how steep it is on either side is what comes nearest to the labels."""
    best: tuple[float, tuple[tuple[float, float], ...]] | None = None
    for low in (0.3, 0.5, 0.7, 0.9, 1.2, 1.6):
        for high in (0.5, 0.8, 1.2, 1.6, 2.2, 3.0):
            knots = ((-low, 0.0), (0.0, 0.5), (high, 1.0))
            score = np.interp(z, [k for k, _ in knots], [s for _, s in knots])
            score = np.where(score >= FLOOR, score, 0.0)
            error = float((np.abs(score - y) * counts).sum())
            if best is None or error < best[0]:
                best = error, knots
    assert best is not None
    return best[1]


def fit(known: Sequence[Known], name: str) -> Scale:
    """A scale: "reasons" or "others". `known`: of `collect`."""
    used = [one for one in known if one.bag is None and one.scale == name] if name == "reasons" else best_of_bags(known)
    x = np.array([_numbers(one.seen) for one in used])
    y = np.array([one.label for one in used])
    counts = _counts(used)
    if name == "reasons":
        found = bounded(x, np.array([one.kind for one in used]), y)
        knots = _map(found.z(x), y, counts)
    else:
        weight, bias = logistic(x @ CONTENT, y, counts)
        found = Fitted(weight * CONTENT[0], bias, weight * CONTENT[1:], _FREE, _FREE)
        knots = _WIDE
    rules, bias, low, high = _short(found.rules, found.bias, found.low, found.high)
    return Scale(rules, bias, _short(*found.weights), low, high, knots)


def _short(*numbers: float) -> tuple[float, ...]:
    return tuple(round(float(x), 4) for x in numbers)


def write(found: dict[str, Scale], file: Path) -> None:
    """scale.json."""
    file.write_text(json.dumps({name: asdict(scale) for name, scale in found.items()}, indent=1) + "\n", encoding="utf-8")
