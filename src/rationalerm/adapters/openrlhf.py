"""The hybrid reward as OpenRLHF's reward function: `--reward.remote_url` takes this file's path. Imports nothing of OpenRLHF.

    --reward.remote_url $(python -c "import rationalerm.adapters.openrlhf as m; print(m.__file__)")  --data.label_key reward_model

RATIONALERM_REWARD says what is rewarded (JSON or a file of it), in the environment of every Ray worker. OpenRLHF can't say "not
scored": a failed sample's reward is `on_failure` (0 by default) with `failed` 1 in `extra_logs`, and a part that was not measured
is -1. It takes no exception either (it logs one and goes on without a reward), so where failures pass `stop_above` this ends the
rollout actor, and with it the training, after saying why.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Sequence
from typing import Any

from rationalerm.adapters.flat import kept
from rationalerm.adapters.queries import answer_of
from rationalerm.errors import StoppedError, UsageError
from rationalerm.llm.loop import run_in_loop

__all__ = ["reward_func"]

_log = logging.getLogger("rationalerm")


def reward_func(queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any]) -> dict[str, Any]:
    """A batch's rewards (OpenRLHF calls it with one sample, in a thread, many at once).

    Args:
        queries: prompt and answer, as decoded with the special tokens.
        prompts: the prompts.
        labels: `Truth`'s JSON, or the cell `reward_model` of a prepared row.

    Returns:
        `rewards`, `scores` and `extra_logs` (see `flat.numbers`), each a tensor as long as the batch.
    """
    import torch

    try:
        found = run_in_loop(_all(queries, prompts, labels))
    except (StoppedError, UsageError) as error:
        _end(error)
        raise
    columns = {name: torch.tensor([one[name] for one in found]) for name in found[0]} if found else {}
    rewards = columns.pop("score", torch.zeros(0))
    return {"rewards": rewards, "scores": rewards, "extra_logs": columns}


async def _all(queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any]) -> list[dict[str, float]]:
    rows = zip(queries, prompts, labels, strict=True)
    return list(await asyncio.gather(*(_one(answer_of(query, prompt), label) for query, prompt, label in rows)))


async def _one(answer: str | None, label: Any) -> dict[str, float]:
    if answer is None:
        return kept(None).failed("the end of the prompt does not stand in the query, so the answer can't be told from it")
    return await kept(None).one(answer, label)


def _end(error: Exception) -> None:
    """Ends this process's Ray actor, if it is one; OpenRLHF would go on over an exception."""
    _log.error("the training is stopped: %s", error)
    ray = sys.modules.get("ray")
    if ray is not None and ray.is_initialized() and ray.get_runtime_context().get_actor_id():
        ray.actor.exit_actor()


if __name__ == "reward_func":  # so OpenRLHF names it: what is wrong with the configuration is said before the first rollout
    kept(None)
