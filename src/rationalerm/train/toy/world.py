"""The toy world: a request, two responses with checkable defects, a human's label and reasons, and surface cues.

    request    a language, a unit and a city
    response   the language, unit and city that it uses (a defect where it is not the request's: that takes a comparison), how its
               sum, source and code are (that takes a look), and which of four surface cues it shows
    label      the human's side: the response whose defects weigh less; in a share of the pairs (`swayed`) the other one, and
               nothing that the human writes says why. Pairs that weigh the same are not made
    reasons    the human's: the heaviest defects of the pair, at most four
    cues       one response is styled, the other plain; the styled one is the human's with probability `cue_rate`

So the cues are a shortcut, put there on purpose. Everything comes from a seed. Knows nothing of tokens, models or rewards.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "CHECKS",
    "CHOICES",
    "CUES",
    "FACTS",
    "MOST_HUMAN_REASONS",
    "Claim",
    "Response",
    "Side",
    "ToyPair",
    "World",
    "lighter",
    "swapped",
]

Side = Literal[-1, 1]
CHOICES: dict[str, tuple[str, ...]] = {  # any of them can be asked for
    "language": ("French", "German", "Spanish", "Italian"),
    "unit": ("metres", "feet", "miles", "yards"),
    "city": ("Oslo", "Lima", "Kyoto", "Accra"),
}
FACTS: dict[str, tuple[str, ...]] = {  # the first is as it should be
    "sum": ("sum right", "sum off by one", "sum off by ten", "sum without its sign"),
    "source": ("source real", "source invented", "source misquoted", "source wrong"),
    "code": ("code runs", "code crashes", "code fails", "code leaks memory"),
}
CHECKS: dict[str, int] = {"sum": 6, "language": 5, "code": 4, "unit": 3, "source": 2, "city": 1}  # what a defect weighs
CUES = ("headings", "tone", "format", "style")
MOST_HUMAN_REASONS = 4
_NAMES = (*CHOICES, *FACTS)  # in the order of a response's words
_WEIGHT = {word: CHECKS[name] for name, words in (*CHOICES.items(), *FACTS.items()) for word in words}


@dataclass(frozen=True, slots=True, order=True)
class Claim:
    """What a reason says: of which response (-1 A, 1 B), and the word that is a defect there, or the cue."""

    side: Side
    about: str


@dataclass(frozen=True, slots=True)
class Response:
    """What can be read off a response: a word for each of CHOICES, then for each of FACTS; and the cues that it shows."""

    words: tuple[str, ...]
    cues: frozenset[str] = frozenset()

    def defects(self, request: tuple[str, ...]) -> Iterator[str]:
        """The words that are not as they should be."""
        wanted = (*request, *(words[0] for words in FACTS.values()))
        return (word for word, right in zip(self.words, wanted, strict=True) if word != right)


@dataclass(frozen=True, slots=True)
class ToyPair:
    """A request, two responses, and what the human says: `label` (-1 A, 1 B) and `reasons`, heaviest first."""

    request: tuple[str, ...]
    a: Response
    b: Response
    label: Side
    reasons: tuple[Claim, ...]

    @property
    def styled(self) -> Side:
        """The side that the cues point at."""
        return -1 if self.a.cues else 1

    def cues(self) -> tuple[Claim, ...]:
        """Every cue that the pair shows."""
        shown = self.a.cues or self.b.cues
        return tuple(Claim(self.styled, cue) for cue in CUES if cue in shown)

    def defects(self) -> tuple[Claim, ...]:
        """Every defect of both responses, heaviest first, by looking and comparing alone."""
        return _defects(self.request, self.a, self.b)


@dataclass(frozen=True, slots=True)
class World:
    """What a pair is drawn with, all of it probabilities.

    Args:
        cue_rate: that the styled response is the human's; 0: the cues always mislead, 0.5: they say nothing.
        defect_rate: of each defect in each response.
        swayed: that the human goes against the defects.
    """

    cue_rate: float = 0.85
    defect_rate: float = 0.25
    swayed: float = 0.15

    def pairs(self, seed: str) -> Iterator[ToyPair]:
        """Pairs without end, the same for the same seed."""
        rng = random.Random(seed)
        while True:
            pair = self._pair(rng)
            if pair is not None:
                yield pair

    def _pair(self, rng: random.Random) -> ToyPair | None:
        request = tuple(rng.choice(words) for words in CHOICES.values())
        a, b = self._response(request, rng), self._response(request, rng)
        found = _defects(request, a, b)
        better = lighter(found)
        if better is None:
            return None
        label = _other(better) if rng.random() < self.swayed else better
        styled = label if rng.random() < self.cue_rate else _other(label)
        shown = frozenset(rng.sample(CUES, rng.randint(2, len(CUES))))
        a, b = (Response(a.words, shown), b) if styled < 0 else (a, Response(b.words, shown))
        return ToyPair(request, a, b, label, found[:MOST_HUMAN_REASONS])

    def _response(self, request: tuple[str, ...], rng: random.Random) -> Response:
        wanted = (*request, *(words[0] for words in FACTS.values()))
        every = (*CHOICES.values(), *FACTS.values())
        words = (
            rng.choice([word for word in words if word != right]) if rng.random() < self.defect_rate else right
            for right, words in zip(wanted, every, strict=True)
        )
        return Response(tuple(words))


def lighter(defects: tuple[Claim, ...]) -> Side | None:
    """The side whose defects weigh less; None where both weigh the same.

    >>> lighter((Claim(-1, "sum off by one"), Claim(1, "Lima")))
    1
    """
    balance = sum(claim.side * _WEIGHT[claim.about] for claim in defects)
    return None if balance == 0 else -1 if balance > 0 else 1


def swapped(pair: ToyPair) -> ToyPair:
    """The same pair with A and B in each other's place, in the human's reasons too."""
    turned = _heaviest_first(Claim(_other(claim.side), claim.about) for claim in pair.reasons)
    return ToyPair(pair.request, pair.b, pair.a, _other(pair.label), turned)


def _other(side: Side) -> Side:
    return 1 if side < 0 else -1


def _defects(request: tuple[str, ...], a: Response, b: Response) -> tuple[Claim, ...]:
    sides: tuple[tuple[Side, Response], ...] = ((-1, a), (1, b))
    return _heaviest_first(Claim(side, word) for side, response in sides for word in response.defects(request))


def _heaviest_first(claims: Iterator[Claim]) -> tuple[Claim, ...]:
    return tuple(sorted(claims, key=lambda claim: (-_WEIGHT[claim.about], claim.side)))
