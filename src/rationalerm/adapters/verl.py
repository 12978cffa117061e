"""The hybrid reward as verl's reward function. Imports nothing of verl, which only calls it.

    reward.custom_reward_function.path=pkg://rationalerm.adapters.verl        (the name, compute_score, is verl's default)
    +reward.custom_reward_function.reward_kwargs.matcher=embedded             (any field of RewardConfig)

verl can't say "not scored", and one exception ends its batch: a failed sample's score is `on_failure` (0 by default) with
`failed` 1, and a part that was not measured is -1. It raises for two things only, neither of them a sample: UsageError for
options that can't be, StoppedError when more than `stop_above` of the last `window` rewards of this process failed, or the
endpoint or its budget is gone (`stop_above` 1 turns it off). verl tells no finish reason: an answer that was cut off counts as
one without a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rationalerm.adapters.flat import kept

__all__ = ["compute_score"]

_VERLS_OWN = {"sandbox_fusion_url", "concurrent_semaphore", "memory_limit_mb"}  # what verl hands to its own score functions


async def compute_score(
    data_source: str,
    solution_str: str | None,
    ground_truth: Any,
    extra_info: Mapping[str, Any] | None = None,
    reward_router_address: str | None = None,
    reward_model_tokenizer: Any = None,
    **kwargs: Any,
) -> dict[str, float]:
    """One sample's reward: `score` and its parts, always the same keys, always finite numbers (see `flat.numbers`).

    Args:
        data_source: not looked at; any source's rows may carry a truth.
        solution_str: the policy's answer.
        ground_truth: `Truth`'s JSON, in the row's `reward_model.ground_truth`.
        extra_info: not looked at.
        reward_router_address: where verl serves its reward model; the matcher `llm` asks there if no `base_url` is given.
        reward_model_tokenizer: not looked at.
        kwargs: fields of RewardConfig; any other name is a mistake.

    Raises:
        UsageError: options that can't be.
        StoppedError: too many failures.
    """
    options = {name: _plain(value) for name, value in kwargs.items() if name not in _VERLS_OWN}
    if reward_router_address and options.get("matcher") == "llm":
        options.setdefault("base_url", f"http://{reward_router_address}/v1")
    return await kept(options).one(solution_str, ground_truth)


def _plain(value: Any) -> Any:
    """Hydra's containers as plain ones."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(one) for one in value]
    return value
