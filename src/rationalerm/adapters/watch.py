"""Watches whether there is anything to learn from: groups of samples whose rewards differ. Knows no framework.

GRPO learns from the differences within a group. A completion limit that cuts every answer before its verdict makes every reward
0: the run looks healthy, and learns nothing.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby
from typing import Any

from rationalerm.reward import Reward
from rationalerm.reward.groups import Step, step_of
from rationalerm.reward.result import PARTS

__all__ = ["SpreadWatch", "group_size", "tell"]

Log = Callable[[str, Any], None]
SHARES = ("none", "failed", "truncated", "no_spread")

_log = logging.getLogger("rationalerm")


class SpreadWatch:
    """Warns, once a window, when no group of the last steps had rewards that differ. Picklable.

    Args:
        window: steps that must all be so.
    """

    def __init__(self, window: int = 20) -> None:
        self._last: deque[Step] = deque(maxlen=max(1, window))

    def measure(self, prompts: Sequence[Any], rewards: Sequence[Reward | None], sizes: Collection[int] = ()) -> dict[str, float]:
        """A step's figures under their fixed names; where its groups are whole, they are watched.

        Args:
            prompts: one a reward.
            rewards: a step's; None: a row of another task, left out.
            sizes: how large a group can be, where that is known; a part of a group tells nothing of its spread.
        """
        ours = [(prompt, reward) for prompt, reward in zip(prompts, rewards, strict=True) if reward is not None]
        if not ours:
            return {}
        size = group_size([prompt for prompt, _ in ours])
        whole = size is not None and size > 1 and (not sizes or size in sizes)
        step = step_of([reward for _, reward in ours], size if whole and size else 1)
        if whole:
            self.saw(step)
        values = {name: step.means[name] for name in PARTS} | {name: getattr(step, name) for name in SHARES[: 3 + whole]}
        return {f"reward/{name}": value for name, value in values.items() if value is not None}

    def saw(self, step: Step) -> bool:
        """Counts a step of whole groups; True if it warned."""
        self._last.append(step)
        if len(self._last) < (self._last.maxlen or 1) or any(one.no_spread < 1 for one in self._last):
            return False
        n = sum(one.samples for one in self._last)
        cut, failed = (sum(getattr(one, name) * one.samples for one in self._last) / n for name in ("truncated", "failed"))
        _log.warning(
            "no group of the last %d steps had rewards that differ, so nothing is learned (%.0f%% of the answers were cut off, "
            "the matcher failed on %.0f%%)%s",
            len(self._last),
            100 * cut,
            100 * failed,
            "; raise the completion limit" if cut > 0.5 else "",
        )
        self._last.clear()
        return True


def group_size(prompts: Sequence[Any]) -> int | None:
    """Samples a prompt, where every prompt's stand together and are as many (1: some prompt has one sample); else None.

    >>> group_size(["p", "p", "q", "q"]), group_size(["p", "p", "q", "q", "q"]), group_size([])
    (2, None, None)
    """
    runs = [len(list(same)) for _, same in groupby(prompts)]
    size = min(runs, default=0)
    return size if size and all(run % size == 0 for run in runs) else None


def tell(log: Log | None, values: Mapping[str, Any]) -> None:
    """Hands named values to a trainer's logger, if there is one."""
    for name, value in values.items():
        if log is not None:
            log(name, value)
