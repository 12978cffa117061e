"""A step's rewards, looked at as GRPO sees them: groups of samples of one prompt. Knows nothing of trainers.

None is left out of every mean and deviation, never counted as 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from rationalerm.errors import UsageError
from rationalerm.reward.result import PARTS, Reward

__all__ = ["Step", "advantages", "step_of"]

_SAME = 1e-9


class Step(NamedTuple):
    """Shares of a step, each in [0, 1], and the mean of each part over the samples that have it (None: none has).

    `no_spread`: share of groups whose rewards are all the same, from which nothing can be learned.
    """

    samples: int
    none: float
    failed: float
    truncated: float
    no_spread: float
    means: dict[str, float | None]


def step_of(rewards: Sequence[Reward], group: int) -> Step:
    """What a step came to.

    Args:
        rewards: a step's, each prompt's samples together.
        group: samples a prompt.

    Raises:
        UsageError: rewards that are no whole groups.
    """
    groups = _groups([reward.total for reward in rewards], group)
    n = max(1, len(rewards))
    flat = [values for values in groups if not _spread([v for v in values if v is not None])]
    return Step(
        samples=len(rewards),
        none=sum(reward.total is None for reward in rewards) / n,
        failed=sum(reward.failed for reward in rewards) / n,
        truncated=sum(reward.status == "no verdict: truncated" for reward in rewards) / n,
        no_spread=len(flat) / max(1, len(groups)),
        means={name: _mean([v for r in rewards if (v := getattr(r, name)) is not None]) for name in ("total", *PARTS)},
    )


def advantages(totals: Sequence[float | None], group: int) -> list[float | None]:
    """Each reward standardised within its group: (r - mean) / SD over those that are scored; 0 where a group has no spread.

    >>> [round(a, 3) if a is not None else None for a in advantages([0.2, None, 0.8, 0.5], 4)]
    [-1.225, None, 1.225, 0.0]
    """
    out: list[float | None] = []
    for values in _groups(totals, group):
        scored = [value for value in values if value is not None]
        middle, spread = (sum(scored) / len(scored) if scored else 0.0), _spread(scored)
        out += [None if value is None else (value - middle) / spread if spread else 0.0 for value in values]
    return out


def _groups(totals: Sequence[float | None], group: int) -> list[Sequence[float | None]]:
    if group < 1 or len(totals) % group:
        raise UsageError(f"{len(totals)} rewards are no whole groups of {group}")
    return [totals[k : k + group] for k in range(0, len(totals), group)]


def _spread(values: Sequence[float]) -> float:
    """The standard deviation (over n); 0 where all are the same."""
    if len(values) < 2:
        return 0.0
    middle = sum(values) / len(values)
    spread = math.sqrt(sum((value - middle) ** 2 for value in values) / len(values))
    return spread if spread > _SAME else 0.0


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
