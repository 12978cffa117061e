"""A reward as numbers alone, for frameworks that have no word for "not scored". Knows no framework.

Every sample gets the same keys. A part that was not measured is -1, which no measured part can be: filter it out
before averaging.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import orjson

from rationalerm.adapters.batch import score
from rationalerm.adapters.columns import inner
from rationalerm.errors import StoppedError, UsageError
from rationalerm.reward import HybridReward, Reward, RewardConfig, Truth
from rationalerm.reward.result import PARTS

__all__ = ["NOT_MEASURED", "FlatReward", "kept", "numbers"]

NOT_MEASURED = -1.0


def numbers(reward: Reward, on_failure: float, *, read: bool = True, unreadable: bool = False) -> dict[str, float]:
    """`score`, each part, and why a score is none: always the same keys, always finite.

    `failed` is 1 where the matcher, the network or the row is to blame, never for a bad answer; `no_truth` where it is the row
    (its ground truth can't be read); `unscored` where `score` is only `on_failure`; `no_verdict` for an answer without one.

    >>> from rationalerm.reward import Reward
    >>> found = numbers(Reward(None, 1.0, None, "matcher failed", reasons=2), 0.0)
    >>> found["score"], found["outcome"], found["rationale"], found["failed"], found["unscored"]
    (0.0, 1.0, -1.0, 1.0, 1.0)
    """
    parts = {name: getattr(reward, name) if read else None for name in PARTS}
    return {
        "score": on_failure if reward.total is None else float(reward.total),
        **{name: NOT_MEASURED if value is None else float(value) for name, value in parts.items()},
        "failed": float(reward.failed),
        "no_truth": float(unreadable),
        "unscored": float(reward.total is None),
        "no_verdict": float(reward.status.startswith("no verdict")),
    }


class FlatReward:
    """Scores one sample a call, many calls at once; a failure is a number and counts for the guard.

    Args:
        config: the reward, its matcher, what failures become, and when they stop the training.
    """

    def __init__(self, config: RewardConfig) -> None:
        self.config, self.guard = config, config.guard()
        self.reward: HybridReward = config.reward()

    async def one(self, text: str | None, truth: Any, finish: str | None = None) -> dict[str, float]:
        """One sample's numbers.

        Raises:
            StoppedError: too many of the last ones failed, or the endpoint or the budget is gone; not with `stop_above` 1.
        """
        unreadable = True
        try:
            read = Truth.load(inner(truth))
            unreadable = False
            found = (await score(self.reward, [text], [read], [finish]))[0]
            assert found is not None
        except Exception as error:  # whatever it is, one sample must not end a training
            if isinstance(error, StoppedError) and self.config.stop_above < 1:
                raise
            return self.failed(f"{error}" or repr(error), unreadable=unreadable)
        self.guard.saw([found])
        return numbers(found, self.config.on_failure)

    def failed(self, cause: str, *, unreadable: bool = False) -> dict[str, float]:
        """The numbers of a sample that could not be scored."""
        found = Reward(None, 0.0, None, "matcher failed", cause=cause)
        self.guard.saw([found])
        return numbers(found, self.config.on_failure, read=False, unreadable=unreadable)


@lru_cache(maxsize=16)
def _kept(said: bytes | None) -> FlatReward:
    return FlatReward(RewardConfig.from_env() if said is None else RewardConfig.of(orjson.loads(said)))


def kept(values: dict[str, Any] | None) -> FlatReward:
    """One for these options in this process, made once; None: what RATIONALERM_REWARD says.

    Raises:
        UsageError: options that can't be.
    """
    try:
        said = None if values is None else orjson.dumps(values, option=orjson.OPT_SORT_KEYS)
    except TypeError as error:  # sets, objects, numbers over 64 bits
        raise UsageError(f"the reward's options can't be read: {error}") from None
    return _kept(said)
