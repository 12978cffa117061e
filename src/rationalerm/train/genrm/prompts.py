"""The prompts of a training, as `train prepare` wrote them. Knows nothing of trainers."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from rationalerm.errors import DataError, UsageError
from rationalerm.reward import Truth

__all__ = ["Prompts", "in_order", "read_prompts"]

TRAIN, HELD_OUT = "train.parquet", "validation.parquet"
_COLUMNS = ("prompt", "reward_model", "extra_info")


class Prompts(NamedTuple):
    """Hugging Face datasets with the columns `prompt` (chat), `reward_model` (with `ground_truth`), `extra_info`."""

    train: Any
    held_out: Any
    digest: str  # of both files


def read_prompts(folder: str | Path, held_out: int | None = None) -> Prompts:
    """Both splits of a prepared folder.

    Args:
        folder: has train.parquet and validation.parquet.
        held_out: only so many held-out prompts, the first ones.

    Raises:
        DataError: a file that is missing or is no such table; a truth that can't be read.
        UsageError: the library that reads it is not there.
    """
    try:
        import datasets
    except ImportError:
        raise UsageError('training needs more packages; pip install "rationalerm[train]"') from None
    datasets.disable_progress_bars()
    hashed = hashlib.sha256()
    splits = []
    _check_finished(Path(folder))
    for name in (TRAIN, HELD_OUT):
        path = Path(folder) / name
        try:
            with path.open("rb") as handle:
                hashed.update(hashlib.file_digest(handle, "sha256").digest())
            split = datasets.Dataset.from_parquet(str(path), cache_dir=None)
        except FileNotFoundError:
            how = " (--validation over 0)" if name == HELD_OUT else ""
            raise DataError(f"not there; make it with `rationalerm train prepare`{how}", source=str(path)) from None
        except Exception as error:  # whatever the reader raises on a file that is no Parquet
            raise DataError(f"can't be read: {str(error).splitlines()[0]}", source=str(path)) from None
        _check(split, path)
        splits.append(split)
    train, other = splits
    if held_out is not None and len(other) > held_out:
        other = other.select(_whole_pairs(other["extra_info"], held_out))
    return Prompts(train, other, hashed.hexdigest()[:16])


def _whole_pairs(infos: Sequence[dict[str, Any]], most: int) -> list[int]:
    """The rows of the first pairs, with every game of theirs: so many rows at most, but one pair at least."""
    games: dict[str, list[int]] = {}
    for k, info in enumerate(infos):
        games.setdefault(str(info.get("id", k)), []).append(k)
    chosen: list[int] = []
    for rows in games.values():
        if chosen and len(chosen) + len(rows) > most:
            break
        chosen += rows
    return sorted(chosen)


def _check_finished(folder: Path) -> None:
    try:
        report = orjson.loads((folder / "prepare.json").read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return  # made by other means
    if isinstance(report, dict) and report.get("finished") is False:
        raise DataError("was not finished; run `rationalerm train prepare` again", source=str(folder))


def in_order(train: Any, epochs: float, seed: int) -> Any:
    """The prompts of all epochs, one after the other, each epoch in an order of its own.

    The order is the data set's, not a sampler's: the trainer's sampler begins every resumed run with the first epoch's order, so
    that some prompts would be seen twice and others never.
    """
    from datasets import concatenate_datasets

    whole = [train.shuffle(seed=seed + epoch) for epoch in range(math.ceil(epochs))]
    return concatenate_datasets(whole).select(range(max(1, round(epochs * len(train)))))


def _check(split: Any, path: Path) -> None:
    missing = [name for name in _COLUMNS if name not in split.column_names]
    if missing:
        raise DataError("no such column; make the file with `rationalerm train prepare`", source=str(path), field=missing[0])
    if not len(split):
        raise DataError("holds no prompt", source=str(path))
    for number, row in enumerate(split.select_columns(["reward_model"]), 1):
        try:
            Truth.load(row["reward_model"]["ground_truth"])
        except (DataError, KeyError, TypeError) as error:
            why = error.message if isinstance(error, DataError) else "holds no ground_truth"
            raise DataError(why, source=str(path), row=number, field="reward_model") from None
