"""Stops a training whose matcher is gone: a reward made of failures teaches the policy noise. Knows nothing of trainers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from rationalerm.errors import StoppedError, UsageError
from rationalerm.reward.result import Reward

__all__ = ["FailureGuard"]


class FailureGuard:
    """Watches the share of failed rewards among the last ones. Picklable.

    Args:
        stop_above: the largest share that is borne, in [0, 1]; 1: never stops.
        window: how many of the last rewards count; fewer stop nothing.

    Raises:
        UsageError: a value out of range.
    """

    def __init__(self, stop_above: float = 0.5, window: int = 256) -> None:
        if not 0 <= stop_above <= 1:
            raise UsageError(f"stop_above is {stop_above}; give a share from 0 to 1")
        if window < 1:
            raise UsageError(f"window is {window}; give 1 or more")
        self._stop_above, self._window = stop_above, window
        self._last: deque[bool] = deque(maxlen=window)
        self._cause = ""

    @property
    def share(self) -> float:
        """Of the last rewards, those that failed."""
        return sum(self._last) / len(self._last) if self._last else 0.0

    def saw(self, rewards: Iterable[Reward]) -> None:
        """Counts rewards.

        Raises:
            StoppedError: too many of the last ones failed; it names the last cause.

        >>> guard = FailureGuard(stop_above=0.5, window=2)
        >>> guard.saw([Reward(None, 0.0, None, "matcher failed", cause="no answer")] * 2)
        Traceback (most recent call last):
        rationalerm.errors.StoppedError: 100% of the last 2 rewards failed, over 50% (no answer); see to the matcher, then resume
        """
        for reward in rewards:
            self._last.append(reward.failed)
            if reward.failed:
                self._cause = reward.cause
        if len(self._last) == self._window and self.share > self._stop_above:
            cause = f" ({self._cause})" if self._cause else ""
            raise StoppedError(
                f"{self.share:.0%} of the last {self._window} rewards failed, over {self._stop_above:.0%}{cause}; "
                "see to the matcher, then resume"
            )
