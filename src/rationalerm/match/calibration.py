"""Evidence of a pair -> a score in [0, 1] that means what method.md section 2 says. Knows nothing of texts.

    z = bias + sum_k weight_k * x_k
    z = min(z, cap + slope * z, -0.05)    where a fact conflicts: numbers, quotations, code, names of a kind must agree
    0 where the model's remark is vague: under half of the specific weight that says something in particular
    score = the piecewise linear map through `knots`, times how much of the remark is a claim (claim.py), 0 under `floor`, to four
            decimals

The numbers are fixed: recipes/matcher_static fits them to human labels and writes `calibration_<name>.json`, which
ships. No exponential is taken, so that no two machines can differ.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources

import numpy as np
import numpy.typing as npt

from rationalerm.errors import MatcherError
from rationalerm.match.knots import mapped, reaches
from rationalerm.match.pairs import AT_ONCE, FEATURES, AtOnce

__all__ = ["Calibration", "conflicts", "too_vague"]

Floats = npt.NDArray[np.float64]
RULES = "6"  # raise it whenever a rule in this folder's code changes a score
_HARD = tuple(FEATURES.index(f) for f in ("numbers_conflict", "quotes_conflict", "code_conflict"))
_SIBLINGS = FEATURES.index("siblings_conflict")
_EXACT, _EXACT_PRECISION = FEATURES.index("exact"), FEATURES.index("exact_precision")
_ALIKE = 0.175  # in texts that share less, one may name what the other describes
_UNDER_HALF = -0.05  # a replaced fact is never the same reason
_SLOT = FEATURES.index("slot")
_VAGUE = FEATURES.index("vague")
_TOO_VAGUE = 0.5
_TABLES = ("weights.txt", "siblings.txt", "lexicon.txt")


@dataclass(frozen=True)
class Calibration:
    """A fitted map. `version` is a hash of the shipped numbers and tables, after the version of the rules."""

    version: str
    bias: float
    weights: tuple[float, ...]
    cap: float
    slope: float
    slot: float
    knots: tuple[tuple[float, float], ...]
    floor: float

    @classmethod
    def load(cls, name: str) -> Calibration:
        """The shipped calibration of a matcher."""
        folder = resources.files("rationalerm.match")
        text = folder.joinpath(f"calibration_{name}.json").read_bytes()
        data = json.loads(text)
        if tuple(data["weights"]) != FEATURES:
            raise MatcherError(f"calibration_{name}.json has other features; run recipes/matcher_static/make.py")
        digest = hashlib.sha256(b"\0".join([text, *(folder.joinpath(t).read_bytes() for t in _TABLES)])).hexdigest()
        fixed = data["bias"], tuple(data["weights"].values()), data["cap"], data["slope"], data["slot"]
        knots = tuple((z, s) for z, s in data["knots"])
        return cls(f"{name}-{RULES}-{digest[:8]}", *fixed, knots, data["floor"])

    @cached_property
    def _used(self) -> list[tuple[int, float]]:
        return [(k, w) for k, w in enumerate(self.weights) if w]

    @cached_property
    def _named(self) -> dict[str, float]:
        return dict(zip(FEATURES, self.weights, strict=True))

    @cached_property
    def _least(self) -> float:
        """The z from which on a score is not under the floor, less what rounding can do; less, too, the most that features
        outside `AT_ONCE` can add (they go up to 1), evidence apart."""
        z = reaches(self.knots, self.floor)
        return z - 1e-9 - sum(max(0.0, w) for name, w in self._named.items() if name not in (*AT_ONCE, "evidence"))

    def possible(self, row: AtOnce) -> npt.NDArray[np.bool_]:
        """Which pairs of a row could score at all, going by what is known at once and by the most that the rest can add to it.
        What this drops scores 0 in any case."""
        result: npt.NDArray[np.bool_] = (self.at_most(row) >= self._least) & (row.known[-1] <= _TOO_VAGUE)
        return result

    def at_most(self, row: AtOnce) -> Floats:
        """z by what is known at once, with the most that shared evidence could add to it, [human, model]."""
        weights = [self._named[name] for name in AT_ONCE]
        z: Floats = np.tensordot(weights, row.known, 1) + (self.bias + max(0.0, self._named["evidence"]) * row.evident)
        return z

    def evidence(self, x: Sequence[float]) -> float:
        """z, summed in a fixed order."""
        z = self.bias
        for k, weight in self._used:
            z += weight * x[k]
        return min(z, self.cap + self.slope * z, _UNDER_HALF) if conflicts(x, self.slot) else z

    def score(self, x: Sequence[float]) -> float:
        """The calibrated score, 0 where it stays under the floor."""
        return 0.0 if too_vague(x[_VAGUE]) else mapped(self.evidence(x), self.knots, self.floor)

    def worth(self, score: float, worth: float) -> float:
        """The score of a reason of which only `worth` is a claim."""
        if worth == 1.0:
            return score
        less = round(score * worth, 4)
        return less if less >= self.floor else 0.0


def too_vague(vague: float) -> bool:
    """Whether a remark says too little in particular to fulfil any reason."""
    return vague > _TOO_VAGUE


def conflicts(x: Sequence[float], slot: float) -> bool:
    """Whether a fact of the human reason is replaced by another one."""
    if x[_SLOT] >= slot or any(x[k] for k in _HARD):
        return True
    return x[_SIBLINGS] > 0 and min(x[_EXACT], x[_EXACT_PRECISION]) > _ALIKE
