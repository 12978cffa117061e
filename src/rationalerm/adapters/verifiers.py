"""GenRM games as a taskset of verifiers (v1), scored by the hybrid reward. Needs verifiers.

verifiers finds a taskset by the name of a top-level module, so give it one, `genrm_hybrid.py` on the path:

    from rationalerm.adapters.verifiers import GenRMTaskset
    __all__ = ["GenRMTaskset"]

    vf-eval genrm-hybrid --env.taskset.data validation.parquet --env.taskset.task.reward '{"matcher": "fast"}' ...

A reward that failed raises, which is how verifiers leaves a rollout unscored: a TaskError on its trace, its reward None; no run
ends for it. The parts are metrics.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from pydantic import Field

from rationalerm.adapters.batch import score
from rationalerm.adapters.flat import kept
from rationalerm.adapters.prepared import read_prepared
from rationalerm.errors import MatcherError
from rationalerm.reward import Truth

__all__ = ["GenRMTaskset"]


class GenRMData(vf.TaskData):  # type: ignore[misc]
    """A game: its prompt and what the human said (`Truth`'s JSON)."""

    ground_truth: str
    info: dict[str, Any] = Field(default_factory=dict)


class GenRMTaskConfig(vf.TaskConfig):  # type: ignore[misc]
    """`reward`: fields of RewardConfig; empty: what RATIONALERM_REWARD says."""

    reward: dict[str, Any] = Field(default_factory=dict)


class GenRMTask(vf.Task[GenRMData, vf.State, GenRMTaskConfig]):  # type: ignore[misc]
    """One game, one turn."""

    @vf.reward(weight=1.0)  # type: ignore[untyped-decorator]
    async def hybrid(self, trace: Any) -> float:
        """R = R_outcome x R_rationale, or as configured. Raises MatcherError where nothing could be scored."""
        reward = kept(self.config.reward or None).reward
        finish = "length" if trace.is_truncated else None
        (found,) = await score(reward, [trace.last_reply], [Truth.load(self.data.ground_truth)], [finish])
        assert found is not None
        trace.record_metrics({name: value for name, value in found.parts().items() if value is not None})
        if found.total is None:
            raise MatcherError(found.cause or found.status)
        return found.total


class GenRMConfig(vf.TasksetConfig):  # type: ignore[misc]
    """`data`: a file of `train prepare`, Parquet or JSON lines."""

    task: GenRMTaskConfig = GenRMTaskConfig()
    data: Path = Path("validation.parquet")


class GenRMTaskset(vf.Taskset[GenRMTask, GenRMConfig]):  # type: ignore[misc]
    """The games of a prepared file."""

    def load(self) -> Iterator[GenRMTask]:
        """One task a row. Raises UsageError for options that can't be, DataError for a row that can't be read."""
        kept(self.config.task.reward or None)  # what is wrong is said here, not on every trace
        for row in read_prepared(self.config.data):
            data = GenRMData(id=row.id, prompt=row.prompt, ground_truth=row.truth.dump(), info=row.info)
            yield GenRMTask(data, self.config.task)
