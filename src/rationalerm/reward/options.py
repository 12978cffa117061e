"""What is rewarded: the paper's product by default, its ablations, and a cap on the reasons. Checked once, picklable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rationalerm.errors import UsageError

__all__ = ["Combine", "Rationale", "RewardOptions"]

Rationale = Literal["ap", "ap_soft", "recall", "f1"]
Combine = Literal["product", "additive", "outcome", "rationale"]
METRICS: dict[str, str] = {"ap": "average_precision", "ap_soft": "average_precision_soft", "recall": "recall", "f1": "f1"}


@dataclass(frozen=True, slots=True)
class RewardOptions:
    """How outcome and rationale make a reward.

    Args:
        rationale: the rationale part: `ap` (the paper), `ap_soft`, `recall` or `f1`, each in [0, 1].
        combine: `product` (the paper: a gate), or an ablation: `additive` (the mean of the two), `outcome`, `rationale`.
        max_reasons: only the first so many of the policy's reasons count; None (the paper) counts all. AP does not charge for
            reasons behind the last one that is matched, so without a cap a policy may pad its list.
        truncated: what an answer that was cut off (finish_reason length) gets: `zero`, or `none` (not scored).

    Raises:
        UsageError: a value that is none of these.
    """

    rationale: Rationale = "ap"
    combine: Combine = "product"
    max_reasons: int | None = None
    truncated: Literal["zero", "none"] = "zero"

    def __post_init__(self) -> None:
        if self.rationale not in METRICS:
            raise UsageError(f"rationale is {self.rationale!r}; one of {', '.join(METRICS)}")
        if self.combine not in ("product", "additive", "outcome", "rationale"):
            raise UsageError(f"combine is {self.combine!r}; product, additive, outcome or rationale")
        if self.max_reasons is not None and self.max_reasons < 1:
            raise UsageError(f"max_reasons is {self.max_reasons}; give 1 or more, or None")
        if self.truncated not in ("zero", "none"):
            raise UsageError(f"truncated is {self.truncated!r}; zero or none")
