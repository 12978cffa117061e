"""What the policy is warm-started on: answers by annotators of three habits, none of them always right.

    evidence   lists the defects that it noticed, heaviest first, and weighs them; it overlooks some
    surface    lists cues that it likes, and goes for the styled response, nearly always
    mixed      lists some of both, and weighs the defects that it noticed

The first two are about equally often right: the start itself favours neither. And readers, who list every defect: from them the
policy learns to read, before it learns to judge. Knows nothing of tokens or models.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from rationalerm.train.toy.world import MOST_HUMAN_REASONS, Claim, Side, ToyPair, lighter

__all__ = ["Demonstration", "Habit", "Habits"]

Habit = Literal["reader", "evidence", "mixed", "surface"]


class Demonstration(NamedTuple):
    """An annotator's answer to a pair."""

    habit: Habit
    pair: ToyPair
    claims: tuple[Claim, ...]
    verdict: Side


@dataclass(frozen=True, slots=True)
class Habits:
    """Who annotates how.

    Args:
        evidence, mixed: shares of those habits; the rest is surface.
        overlooks: probability that a defect is not noticed.
        careless: probability that a surface annotator goes against its own liking.
    """

    evidence: float = 0.5
    mixed: float = 0.2
    overlooks: float = 0.3
    careless: float = 0.1

    def demonstrations(self, pairs: Iterator[ToyPair], seed: str) -> Iterator[Demonstration]:
        """One for each pair."""
        rng = random.Random(seed)
        for pair in pairs:
            draw = rng.random()
            habit: Habit = "evidence" if draw < self.evidence else "mixed" if draw < self.evidence + self.mixed else "surface"
            yield self.answer(pair, habit, rng)

    def answer(self, pair: ToyPair, habit: Habit, rng: random.Random) -> Demonstration:
        """What an annotator of that habit says of a pair."""
        if habit == "reader":
            found = pair.defects()
            in_turn = tuple(sorted(found, key=lambda claim: claim.side))
            return Demonstration(habit, pair, in_turn, lighter(found) or pair.label)
        noticed = tuple(claim for claim in pair.defects() if rng.random() >= self.overlooks) or pair.defects()[:1]
        sides: tuple[Side, Side] = (-1, 1)
        better = lighter(noticed)
        weighed: Side = rng.choice(sides) if better is None else better
        if habit == "evidence":
            return Demonstration(habit, pair, noticed[:MOST_HUMAN_REASONS], weighed)
        cues = rng.sample(pair.cues(), rng.randint(2, min(3, len(pair.cues()))))
        if habit == "surface":
            other: Side = 1 if pair.styled < 0 else -1
            return Demonstration(habit, pair, tuple(cues), other if rng.random() < self.careless else pair.styled)
        both = [*noticed[:2], *cues[:2]]
        rng.shuffle(both)
        return Demonstration(habit, pair, tuple(both), weighed)
