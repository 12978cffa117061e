"""The folder of public data, which is not part of the project, and its rows: what the scripts here share of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["REPOSITORY", "lines", "shared"]

REPOSITORY = Path(__file__).resolve().parents[1]


def shared() -> Path | None:
    """The folder with the data, if there is one: RATIONALERM_SHARED, or a `shared/` above this file."""
    if os.environ.get("RATIONALERM_SHARED"):
        return Path(os.environ["RATIONALERM_SHARED"])
    return next((p / "shared" for p in REPOSITORY.parents if (p / "shared" / "data").is_dir()), None)


def lines(path: Path) -> Iterator[Any]:
    """The rows of a JSONL file."""
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())
