"""The trainer's own fields that a configuration may not say: those that have a name of ours, and those that the records go by.

Knows nothing of what a field means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rationalerm.errors import UsageError

__all__ = ["check_trainer"]


def check_trainer(trainer: Mapping[str, Any], ours: Mapping[str, str]) -> None:
    """Checks the option `trainer`.

    Args:
        trainer: the trainer's fields that were said.
        ours: fields that may not be; the option that says it here, or "" where nothing does.

    Raises:
        UsageError: one of them was said, or `trainer` is no mapping.

    >>> check_trainer({"optim": "sgd"}, {"beta": "kl"})
    >>> check_trainer({"beta": 0.1}, {"beta": "kl"})
    Traceback (most recent call last):
    rationalerm.errors.UsageError: trainer.beta is said as kl here; set kl
    """
    if not isinstance(trainer, Mapping):
        raise UsageError(f"trainer is {trainer!r}; give a mapping of the trainer's fields")
    for name in trainer:
        if str(name).endswith("_token"):  # hub_token, push_to_hub_token
            raise UsageError(f"trainer.{name} would be written down; set HF_TOKEN in the environment instead")
        if name in ours:
            option = ours[name]
            raise UsageError(
                f"trainer.{name} is said as {option} here; set {option}"
                if option
                else f"trainer.{name} is the run's own; leave it out"
            )
