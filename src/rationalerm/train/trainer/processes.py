"""The processes of a training, as a launcher (torchrun, accelerate) says."""

from __future__ import annotations

import os

__all__ = ["rank", "world_size"]


def world_size() -> int:
    """How many there are."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def rank() -> int:
    """Which this one is; 0 keeps the records."""
    return int(os.environ.get("RANK", "0"))
