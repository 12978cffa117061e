"""The scales: what is known of a pair, made a score by what people and writers said of pairs that no training saw.

    reasons    by the rules alone. The tuning sets, the kept-out close groups, and pairs that have nothing to do with each other:
               the tuning sets' reasons across their rows, and the shipped sample's human reasons with judges' reasons of other
               rows. The threshold is the one under which most pairs, averaged over their kinds, come to the right side, within a
               limit on chance
    others     by the rules and the networks. The kept-out topics and documents of the labelled sources, by the best text of each:
               a logistic regression, the two weighed against each other as is best for the sources' mean AUC

The map from z to scores is the one with the least distance from the labels among a few.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from sources import TUNING, Bag, Group

import rationalerm
from rationalerm.data.pairs import PairFile
from rationalerm.match.embedded import EmbeddedMatcher
from rationalerm.match.learnt.scale import FLOOR, LIMIT, Scale, Seen
from rationalerm.run.games import game_of, to_match

__all__ = ["OPEN", "Known", "collect", "of_bags", "others", "reasons", "write"]

Rows = list[tuple[list[str], list[str]]]
Asked = tuple[str, str, str, float]  # kind, human, model, label
OPEN = {  # while nothing is fitted
    "reasons": Scale(1.0, 0.0, 0.0, ((0.0, 0.0), (1.0, 1.0))),
    "others": Scale(1.0, 0.0, 1.0, ((0.0, 0.0), (1.0, 1.0))),
}
CHANCE = 0.004  # of the sample's pairs of other rows, so many may come out as matches
_WIDE = ((-2.0, 0.0), (0.0, 0.5), (2.0, 1.0))  # nearer to the labels are narrower maps; what they tie no AUC tells apart
_NEAR = 0.005  # of the mean distance from the labels
_BESIDE = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)  # the rules' weight beside a logit's
_SAMPLE = Path(rationalerm.__file__).parent / "sample" / "pairs.jsonl"
_COUNTS = {"tuning reworded": 3.0, "reworded": 3.0, "tuning partial": 0.5, "p75": 1.0, "p25": 0.5, "sample": 2.0}  # beside 1
_JUDGED = {  # in the choice of the threshold: what matches as much as what doesn't, the tuning sets most
    "tuning reworded": 25, "tuning opposite_polarity": 5, "tuning changed_fact": 5, "tuning same_topic": 5,
    "tuning other_response": 5, "tuning generic": 5, "reworded": 10, "opposite": 2.5, "changed": 2.5, "same_topic": 2.5,
    "other": 2.5,
}  # fmt: skip
_KINDS = {"r": "reworded", "o": "opposite", "c": "changed", "s": "same_topic", "x": "other", "k": "hedge"}


class Known(NamedTuple):
    """A pair (`bag` None) or one text of a bag, with its label."""

    kind: str
    scale: str
    seen: Seen
    label: float
    bag: int | None = None


def contrast_pairs() -> list[Asked]:
    """The pairs of the two tuning sets."""
    rows = [json.loads(line) for path in TUNING for line in path.read_text("utf-8").splitlines()]
    return [(f"tuning {row['kind']}", row["human"], row["model"], float(row["score"])) for row in rows]


def held_pairs(groups: Sequence[Group]) -> list[Asked]:
    """Each kept-out reason of a close group against the other texts of its group."""
    labels = {"r": 1.0, "p75": 0.75, "p25": 0.25}
    return [
        (_KINDS.get(key, key), g.texts["h"][0], text, labels.get(key, 0.0))
        for g in groups
        if g.held and g.close
        for key, texts in g.texts.items()
        if key not in "hj"
        for text in texts
    ]


def crossed_sample() -> Rows:
    """Human reasons of the sample against judges' reasons of the next rows of other prompts."""
    by_judge: dict[str, list[tuple[list[str], list[str]]]] = defaultdict(list)
    for pair in PairFile(_SAMPLE):
        for game in filter(to_match, (game_of(pair, answer) for answer in pair.answers)):
            by_judge[game.answer.judge].append((list(game.human), list(game.judgment.reasons)))
    return [(rows[k][0], rows[(k + 5) % len(rows)][1]) for rows in by_judge.values() for k in range(len(rows))]


def crossed_pairs() -> list[Asked]:
    """The tuning sets' human reasons against model reasons of other pairs."""
    pairs = contrast_pairs()
    return [("crossed", h, pairs[(k + shift) % len(pairs)][2], 0.0) for shift in (7, 61) for k, (_, h, _, _) in enumerate(pairs)]


def collect(matcher: EmbeddedMatcher, groups: Sequence[Group]) -> list[Known]:
    """All that the matcher knows of pairs of reasons."""
    known: list[Known] = []
    by_human: dict[str, list[Asked]] = defaultdict(list)
    for one in (*contrast_pairs(), *held_pairs(groups), *crossed_pairs()):
        by_human[one[1]].append(one)
    for human, mine in by_human.items():
        for x in matcher.look([human], [model for _, _, model, _ in mine], everything=True):
            known.append(Known(mine[x.model][0], x.scale, x.seen, mine[x.model][3]))
    for human, model in crossed_sample():
        known += [Known("sample", x.scale, x.seen, 0.0) for x in matcher.look(human, model, everything=True)]
    return [one for one in known if one.scale == "reasons"]


def of_bags(matcher: EmbeddedMatcher, bags: Sequence[Bag]) -> list[Known]:
    """All that the matcher knows of the texts of kept-out bags."""
    held = [b for b in bags if b.held]
    return [
        Known(bag.source, x.scale, x.seen, bag.score, k)
        for k, bag in enumerate(random.Random(0).sample(held, min(len(held), 1600)))
        for x in matcher.look([bag.human], bag.model[:40], everything=True)
    ]


def _numbers(seen: Seen) -> tuple[float, ...]:
    return tuple(np.clip(seen, -LIMIT, LIMIT))


def threshold(z: np.ndarray, kinds: np.ndarray, y: np.ndarray) -> float:
    """Of the rules' evidence of pairs, their kinds and labels."""
    total = sum(_JUDGED.values())
    least = np.quantile(z[kinds == "sample"], 1 - CHANCE)
    best: tuple[float, float] | None = None
    for at in least + np.linspace(0.0, 1.5, 31):
        right = (z > at) == (y > 0.5)
        mean = sum(count * right[kinds == kind].mean() for kind, count in _JUDGED.items()) / total
        if best is None or mean > best[0]:
            best = mean, float(at)
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


def best_of_bags(known: Iterable[Known], beside: float) -> list[Known]:
    """Of each bag the text that looks most like it; `beside`: the rules' weight beside the logit's."""
    best: dict[int, Known] = {}
    for one in known:
        there = best.get(one.bag) if one.bag is not None else None
        if one.bag is not None and (there is None or _content(one, beside) > _content(there, beside)):
            best[one.bag] = one
    return list(best.values())


def _content(one: Known, beside: float) -> float:
    rules, heard = _numbers(one.seen)
    return beside * rules + heard


def weighed(known: Sequence[Known]) -> float:
    """The rules' weight beside a logit's that is best for the mean of the sources' AUC."""

    def mean(beside: float) -> float:
        best = best_of_bags(known, beside)
        found = []
        for source in {one.kind for one in best}:
            there, missing = (
                np.array([_content(one, beside) for one in best if one.kind == source and (one.label > 0.4) is told])
                for told in (True, False)
            )
            found.append(float((there[:, None] > missing).mean()) if len(there) and len(missing) else 0.5)
        return float(np.mean(found))

    return max(_BESIDE, key=mean)


def _counts(known: Sequence[Known]) -> np.ndarray:
    """Each kind as much as another, times `_COUNTS`."""
    sizes: dict[str, int] = defaultdict(int)
    for one in known:
        sizes[one.kind] += 1
    return np.array([_COUNTS.get(one.kind, 1.0) / sizes[one.kind] for one in known])


def _map(z: np.ndarray, y: np.ndarray, counts: np.ndarray) -> tuple[tuple[float, float], ...]:
    """Knots: 0.5 at 0; the slopes on either side that come nearest to the labels, and under 0.5 the gentlest that comes as near,
    give or take `_NEAR`: what is nearly a match tells judges apart."""
    found = {}
    for low in (0.3, 0.5, 0.7, 0.9, 1.2, 1.6):
        for high in (0.5, 0.8, 1.2, 1.6, 2.2, 3.0):
            score = np.interp(z, (-low, 0.0, high), (0.0, 0.5, 1.0))
            score = np.where(score >= FLOOR, score, 0.0)
            found[low, high] = float((np.abs(score - y) * counts).sum() / counts.sum())
    _, high = min(found, key=lambda slopes: found[slopes])
    low = max(low for (low, other), error in found.items() if other == high and error <= min(found.values()) + _NEAR)
    return (-low, 0.0), (0.0, 0.5), (high, 1.0)


def reasons(known: Sequence[Known]) -> Scale:
    """Of what `collect` gives."""
    z, y = np.array([_numbers(one.seen)[0] for one in known]), np.array([one.label for one in known])
    at = round(threshold(z, np.array([one.kind for one in known]), y), 4)
    return Scale(1.0, -at, 0.0, _map(z - at, y, _counts(known)))


def others(known: Sequence[Known]) -> Scale:
    """Of what `of_bags` gives."""
    beside = weighed(known)
    best = best_of_bags(known, beside)
    x, y = np.array([_content(one, beside) for one in best]), np.array([one.label for one in best])
    weight, bias = logistic(x, y, _counts(best))
    return Scale(round(weight * beside, 4), round(bias, 4), round(weight, 4), _WIDE)


def write(found: dict[str, Scale], file: Path) -> None:
    """scale.json."""
    file.write_text(json.dumps({name: asdict(scale) for name, scale in found.items()}, indent=1) + "\n", encoding="utf-8")
