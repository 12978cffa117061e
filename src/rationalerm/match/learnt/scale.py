"""What is known of a pair -> a score in [0, 1]. Knows nothing of texts or networks.

    z     = rules * evidence of the rules + bias + heard * logit of the comparison
    score = the piecewise linear map of z through `knots`; 0 under `FLOOR`

The numbers are fitted by recipes/matcher and ship in model/scale.json: `reasons` for human reasons that name a response, where
the networks are not heard (docs/matcher.md says why), and `others` for texts that name none (claims, key points).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from rationalerm.match.knots import mapped, reaches

__all__ = ["FLOOR", "LIMIT", "Scale", "Seen", "scales"]

FLOOR = 0.2
LIMIT = 8.0  # of a logit or of evidence: beyond it, more says nothing


class Seen(NamedTuple):
    """What is known of a pair: the calibrated evidence of the rules (static.py), the logit of the comparison."""

    rules: float
    heard: float


@dataclass(frozen=True)
class Scale:
    """The numbers of the formula above."""

    rules: float
    bias: float
    heard: float
    knots: tuple[tuple[float, float], ...]

    @cached_property
    def _floor(self) -> float:
        return reaches(self.knots, FLOOR)

    @property
    def hears(self) -> bool:
        """Whether a score needs the networks."""
        return self.heard != 0.0

    def possible(self, rules: float) -> bool:
        """Whether a pair could score, by the rules alone."""
        return self.hears or self.rules * rules + self.bias >= self._floor - 1e-9

    def z(self, seen: Seen) -> float:
        """The evidence."""
        rules, heard = (max(-LIMIT, min(LIMIT, number)) for number in seen)
        return self.rules * rules + self.bias + self.heard * heard

    def score(self, seen: Seen) -> float:
        """The score, to four decimals."""
        return mapped(self.z(seen), self.knots, FLOOR)


def scales(text: bytes) -> dict[str, Scale]:
    """The scales of scale.json, by name."""
    found: dict[str, dict[str, Any]] = json.loads(text)
    return {name: Scale(**{key: _frozen(value) for key, value in one.items()}) for name, one in found.items()}


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
