"""Which texts meet which, under which label: the pairs of a group, and a step's choice of groups. Knows nothing of networks."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sources import Group

__all__ = ["LABELS", "Pair", "of_group", "steps"]

LABELS = {"h": 1.0, "r": 1.0, "j": 1.0, "o": 0.0, "c": 0.0, "s": 0.0, "x": 0.0, "k": 0.0, "p75": 0.75, "p25": 0.25}
_COUNTS = {"h": 1.6, "r": 1.6, "j": 1.0, "p75": 1.0, "p25": 1.0}  # how much a pair counts; the others 1
_SISTERS = 0.6  # the two opposites of a reason say the same, more or less
_BACK = 7  # so many pairs of a group with what doesn't match as the human reason
_RUN = 3  # neighbours of a file that come together: strangers of one subject


class Pair(NamedTuple):
    """Texts with the side that is called `THIS` in the human one's frame and in the model one's."""

    human: tuple[str, int]
    model: tuple[str, int]
    label: float
    count: float = 1.0


def of_group(group: Group, this: int, rng: random.Random, first: dict[str, int], humans: int = 2) -> list[Pair]:
    """The reason and `humans` of its rewordings against all other texts of the group.

    Args:
        this: the side that is called `THIS`.
        first: the side that each text names first; 0 where it names none.
    """
    texts = group.texts
    result = []
    for human in (texts["h"][0], *rng.sample(texts["r"], humans)):
        for key, label in LABELS.items():
            result += [Pair((human, this), (t, this), label, _COUNTS.get(key, 1.0)) for t in texts[key] if t != human]
        if first[human]:
            for text in (texts["h"][0], rng.choice(texts["r"])):
                if first[text]:
                    result.append(Pair((human, this), (text, -this), 0.0))
            if first[texts["x"][0]]:
                result.append(Pair((human, this), (texts["x"][0], -this), 1.0, 0.5))
    result += [Pair((a, this), (b, this), 1.0, _SISTERS) for a, b in (texts["o"], texts["o"][::-1])]
    others = [t for key in "ocsx" for t in texts[key]]
    for text in rng.sample(others, _BACK):
        result.append(Pair((text, this), (rng.choice(texts["h"] + texts["r"]), this), 0.0))
    return result


def steps(groups: Sequence[Group], count: int, size: int, seed: int) -> Iterator[list[Group]]:
    """`count` times `size` groups: neighbours of a file in runs, so that some strangers are near."""
    rng = random.Random(seed)
    runs: list[Sequence[Group]] = []
    for _ in range(count):
        chosen: list[Group] = []
        while len(chosen) < size:
            if not runs:
                shift = rng.randrange(_RUN)
                runs = [groups[k : k + _RUN] for k in range(shift, len(groups), _RUN)]
                rng.shuffle(runs)
            chosen += runs.pop()
        yield chosen[:size]
