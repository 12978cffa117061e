"""Stops a training whose matcher is gone: a reward made of failures teaches the policy noise. Knows nothing of trainers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from rationalerm.errors import StoppedError, UsageError
from rationalerm.reward.result import Reward

__all__ = ["FailureGuard"]

_MOST = 1_000_000_000


class FailureGuard:
    """Watches the share of failed rewards among the last ones that needed the matcher. Picklable.

    An answer without reasons needs none, and neither does a row without human reasons: they would hide a matcher that is gone
    behind a policy that does not know the form of an answer yet.

    Args:
        stop_above: the largest share that is borne, in [0, 1]; 1: never stops.
        window: how many of the last such rewards count; fewer stop nothing.

    Raises:
        UsageError: a value out of range.
    """

    def __init__(self, stop_above: float = 0.5, window: int = 256) -> None:
        if not 0 <= stop_above <= 1:
            raise UsageError(f"stop_above is {stop_above}; give a share from 0 to 1")
        if not 1 <= window <= _MOST:
            raise UsageError(f"window is {window}; give 1 or more" if window < 1 else f"window is over {_MOST:,}")
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
            failed = reward.failed or bool(reward.cause)  # without a verdict the status is the verdict's
            if failed or (reward.reasons and reward.status != "no human reasons"):
                self._last.append(failed)
            if failed:
                self._cause = reward.cause
        if len(self._last) == self._window and self.share > self._stop_above:
            cause = f" ({self._cause})" if self._cause else ""
            raise StoppedError(
                f"{self.share:.0%} of the last {self._window} rewards failed, over {self._stop_above:.0%}{cause}; "
                "see to the matcher, then resume"
            )
