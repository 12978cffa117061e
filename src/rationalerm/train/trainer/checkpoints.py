"""Which checkpoint a training goes on from: the last one that is whole. Knows nothing of what is in a checkpoint but its end.

The trainer writes a checkpoint's state file last, so a folder without a readable one was left by a kill in the middle of a save.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

__all__ = ["AlreadyTrainedError", "drop_torn", "last_whole", "step_of_checkpoint"]

_NAME = re.compile(r"checkpoint-(\d+)")
_LAST_WRITTEN = "trainer_state.json"


class AlreadyTrainedError(Exception):
    """The checkpoint that is gone on from has all updates already: the trainer would make one more."""


def last_whole(folder: Path) -> Path | None:
    """The newest whole checkpoint; None where there is none."""
    if not folder.is_dir():
        return None
    found = [path for path in folder.iterdir() if _NAME.fullmatch(path.name) and _whole(path)]
    return max(found, key=step_of_checkpoint, default=None)


def drop_torn(folder: Path) -> None:
    """Takes out what a kill in the middle of a save left: the trainer would count it as its newest, and throw whole ones away."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if _NAME.fullmatch(path.name) and not _whole(path):
            shutil.rmtree(path, ignore_errors=True)


def step_of_checkpoint(path: Path) -> int:
    """Its update."""
    named = _NAME.fullmatch(path.name)
    return int(named[1]) if named else 0


def _whole(path: Path) -> bool:
    try:
        state = json.loads((path / _LAST_WRITTEN).read_bytes())  # may hold NaN, which only this reader takes
    except (OSError, ValueError):
        return False
    return isinstance(state, dict) and state.get("global_step") == step_of_checkpoint(path)
