"""A reward with its parts. The parts are logged apart, under fixed keys, whatever made the total."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PARTS", "Reward"]

PARTS = ("outcome", "rationale", "reasons", "generic", "agreement", "padding")


@dataclass(frozen=True, slots=True)
class Reward:
    """One answer's reward.

    Attributes:
        total: in [0, 1]; None: not scored, and nobody's fault (the matcher failed, the row has no human reasons).
        outcome: 1 if the verdict's side is the human's, else 0 (a human tie wants A=B).
        rationale: the rationale part; None where it could not be scored.
        status: `scored`, `no verdict: format | ambiguous | truncated | refused | empty | content filter`, `no human reasons`, or
            `matcher failed`.
        reasons: how many the answer gives.
        generic: share of them that say nothing in particular.
        agreement: 1 if the reasons speak for the side of the verdict, 0 for the other; None where that can't be told.
        padding: share of the reasons behind the last one that is matched: what AP does not charge for.
        cause: what failed, in words.
    """

    total: float | None
    outcome: float
    rationale: float | None
    status: str
    reasons: int = 0
    generic: float = 0.0
    agreement: float | None = None
    padding: float | None = None
    cause: str = ""

    @property
    def failed(self) -> bool:
        """Is it the matcher's failure, or the network's?"""
        return self.status == "matcher failed"

    def parts(self) -> dict[str, float | None]:
        """Every part and `failed`, always the same keys."""
        return {name: getattr(self, name) for name in PARTS} | {"failed": float(self.failed)}
