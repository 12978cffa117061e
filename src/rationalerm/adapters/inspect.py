"""GenRM games as a task of inspect_ai, scored by outcome, rationale and their product. Needs inspect_ai.

    inspect eval rationalerm/genrm -T data=validation.parquet --model openai/gpt-5-mini
    inspect eval rationalerm/genrm -T data=validation.parquet -T reward='{matcher: grader}' --model-role grader=openai/gpt-5-mini

The score is a dictionary; a value that could not be measured is NaN, inspect_ai's own "unscored": it is left out of the means and
counted beside them. The matcher `grader` is the model of that role; any other is made from the fields of RewardConfig.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from rationalerm.adapters.batch import score
from rationalerm.adapters.flat import kept
from rationalerm.adapters.inspect_grader import Grader, turns
from rationalerm.adapters.prepared import read_prepared
from rationalerm.reward import HybridReward, RewardConfig, Truth

__all__ = ["genrm", "hybrid_reward"]

_NAN = float("nan")


@task  # type: ignore[untyped-decorator]
def genrm(data: str, reward: dict[str, Any] | None = None) -> Any:
    """The games of a file of `train prepare`. `reward`: fields of RewardConfig; None: what RATIONALERM_REWARD says."""
    samples = [
        Sample(input=turns(row.prompt), target=row.truth.dump(), id=row.id, metadata=row.info) for row in read_prepared(data)
    ]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=hybrid_reward(reward))


@scorer(metrics={"*": [mean(), stderr()]})  # type: ignore[untyped-decorator]
def hybrid_reward(reward: dict[str, Any] | None = None) -> Scorer:
    """`hybrid` (the reward), `outcome`, `rationale`, and the other parts, of a sample whose target is `Truth`'s JSON."""
    options = dict(reward or {})
    if options.get("matcher") == "grader":
        config = RewardConfig.of({**options, "matcher": "lexical"})
        made = HybridReward(Grader(), **asdict(config.options))
    else:
        made = kept(reward).reward

    async def scored(state: TaskState, target: Target) -> Score:
        cut = state.output.stop_reason in ("max_tokens", "model_length")
        (found,) = await score(made, [state.output.completion], [Truth.load(target.text)], ["length" if cut else None])
        assert found is not None
        values = {"hybrid": found.total, **found.parts()}
        return Score(
            value={name: _NAN if value is None else float(value) for name, value in values.items()},
            answer=found.status,
            explanation=found.cause or None,
        )

    return scored
