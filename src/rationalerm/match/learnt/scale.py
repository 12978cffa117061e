"""What is known of a pair -> a score in [0, 1]. Knows nothing of texts or networks.

    z     = rules * evidence of the rules + clip(bias + heard . logits of the comparison, -low, high)
    score = the piecewise linear map of z through `knots`; 0 under `FLOOR`

The networks may take a pair down by `low` and up by `high`: where the rules see nothing in common, nothing that the networks say
makes a match. The numbers are fitted by recipes/matcher and ship in model/scale.json: `reasons` for human reasons that name a
response, `others` for texts that name none (claims, key points).
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
    """What is known of a pair: the calibrated evidence of the rules (static.py), the two logits of the comparison."""

    rules: float
    heard: tuple[float, float]


@dataclass(frozen=True)
class Scale:
    """The numbers of the formula above; `heard` weighs the logits FULFILS and COVERS."""

    rules: float
    bias: float
    heard: tuple[float, float]
    low: float
    high: float
    knots: tuple[tuple[float, float], ...]

    @cached_property
    def _floor(self) -> float:
        return reaches(self.knots, FLOOR)

    def possible(self, rules: float) -> bool:
        """Whether a pair could score, by the rules alone: what is dropped scores 0 whatever the networks say."""
        return self.rules * rules + self.high >= self._floor - 1e-9

    def z(self, seen: Seen) -> float:
        """The evidence, summed in a fixed order."""
        heard = self.bias
        for weight, logit in zip(self.heard, seen.heard, strict=True):
            heard += weight * max(-LIMIT, min(LIMIT, logit))
        return self.rules * max(-LIMIT, min(LIMIT, seen.rules)) + max(-self.low, min(self.high, heard))

    def score(self, seen: Seen) -> float:
        """The score, to four decimals."""
        return mapped(self.z(seen), self.knots, FLOOR)


def scales(text: bytes) -> dict[str, Scale]:
    """The scales of scale.json, by name."""
    found: dict[str, dict[str, Any]] = json.loads(text)
    return {name: Scale(**{key: _frozen(value) for key, value in one.items()}) for name, one in found.items()}


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
