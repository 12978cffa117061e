"""The hybrid reward as a plugin of ms-swift: importing this registers it in `orms` as `hybrid_reward`. Needs ms-swift.

    swift rlhf --rlhf_type grpo --columns '{"prompt": "messages"}' --reward_funcs hybrid_reward \\
        --external_plugins $(python -c "import rationalerm.adapters as a; print(a.__path__[0])")/ms_swift/__init__.py

RATIONALERM_REWARD says what is rewarded (JSON or a file of it). A failed reward is None with `--scale_rewards gdpo`; otherwise
ms-swift would add None up as 0, so it is `on_failure` (0 by default), and the training stops when more than `stop_above` of the
last `window` rewards failed. There is no way to log metrics from here: the parts' means go to the logger `rationalerm` at INFO.
This is a folder of its own since ms-swift puts a plugin's folder first on `sys.path`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from swift.rewards import AsyncORM, orms

from rationalerm.adapters.batch import made, score
from rationalerm.adapters.columns import text_of, truths_of
from rationalerm.adapters.watch import SpreadWatch
from rationalerm.reward import RewardConfig

__all__ = ["Hybrid"]

_log = logging.getLogger("rationalerm")


class Hybrid(AsyncORM):  # type: ignore[misc]  # untyped where ms-swift is not installed
    """What ms-swift makes of the name `hybrid_reward`, once a trainer."""

    def __init__(self, args: Any = None, **kwargs: Any) -> None:
        super().__init__(args, **kwargs)
        config = RewardConfig.from_env()
        self.reward, self.guard = made(config)
        self.watch = SpreadWatch()
        self.none = None if getattr(args, "scale_rewards", None) == "gdpo" else config.on_failure

    async def __call__(self, completions: Sequence[Any], **columns: Any) -> list[float | None]:
        """A reward for each completion; the columns are those of `columns.truths_of`.

        Raises:
            ValueError: a column that is missing or not as long as the completions.
            DataError: a truth that can't be read.
            StoppedError: too many rewards failed, or the matcher's endpoint or budget is gone.
        """
        if not completions:
            return []
        truths = truths_of(columns, len(completions))
        rewards = await score(self.reward, [text_of(one) for one in completions], truths, columns.get("finish_reason"))
        ids = columns.get("prompt_id")  # the same for a group's samples
        _log.info("%s", self.watch.measure(ids if ids is not None else range(len(completions)), rewards))
        self.guard.saw(one for one in rewards if one is not None)
        return [self.none if one is None or one.total is None else one.total for one in rewards]


orms["hybrid_reward"] = Hybrid
