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
from rationalerm.train.trainer.loading import first_line
from rationalerm.types import Order

__all__ = ["SPLIT_HELD_OUT", "Prompts", "game_of_info", "in_order", "length_of", "read_prompts"]

TRAIN, HELD_OUT = "train.parquet", "validation.parquet"
SPLIT_HELD_OUT = "validation"  # what `extra_info.split` of a held-out prompt says
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
            raise DataError(f"can't be read: {first_line(error)}", source=str(path)) from None
        _check(split, path, held_out=name == HELD_OUT)
        splits.append(split.select_columns(list(_COLUMNS)))  # others would reach the trainer, which takes some for its own
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
    return concatenate_datasets(whole).select(range(length_of(train, epochs)))


def length_of(train: Any, epochs: float) -> int:
    """How many prompts all epochs have."""
    return max(1, round(epochs * len(train)))


def _check(split: Any, path: Path, *, held_out: bool) -> None:
    missing = [name for name in _COLUMNS if name not in split.column_names]
    if missing:
        raise DataError("no such column; make the file with `rationalerm train prepare`", source=str(path), field=missing[0])
    if not len(split):
        raise DataError("holds no prompt", source=str(path))
    games: dict[tuple[str, str], int] = {}
    for number, row in enumerate(split.select_columns(list(_COLUMNS)), 1):
        try:
            Truth.load(row["reward_model"]["ground_truth"])
        except (DataError, KeyError, TypeError) as error:
            why = error.message if isinstance(error, DataError) else "holds no ground_truth"
            raise DataError(why, source=str(path), row=number, field="reward_model") from None
        if not _is_prompt(row["prompt"]):
            raise DataError("is no list of turns with role and content", source=str(path), row=number, field="prompt")
        _check_info(row["extra_info"], path, number, games, held_out=held_out)


def _is_prompt(prompt: Any) -> bool:
    if isinstance(prompt, str):
        return bool(prompt)
    turns = prompt if isinstance(prompt, list) else []
    texts = [turn.get(name) for turn in turns if isinstance(turn, dict) for name in ("role", "content")]
    return bool(turns) and len(texts) == 2 * len(turns) and all(isinstance(text, str) for text in texts)


def _check_info(info: Any, path: Path, number: int, games: dict[tuple[str, str], int], *, held_out: bool) -> None:
    """A held-out answer is known by its split, and counted by its game: neither may be wrong or there twice."""
    if not isinstance(info, dict):
        raise DataError("is no mapping with id, order and split", source=str(path), row=number, field="extra_info")
    if (info.get("split") == SPLIT_HELD_OUT) != held_out:
        wanted = SPLIT_HELD_OUT if held_out else "train"
        why = f"says split {info.get('split')!r}, in this file {wanted!r}; make both files with `rationalerm train prepare`"
        raise DataError(why, source=str(path), row=number, field="extra_info")
    if not held_out:
        return
    game = game_of_info(info)
    if game is None:
        raise DataError("names neither id nor index", source=str(path), row=number, field="extra_info")
    if (first := games.setdefault(game, number)) != number:
        raise DataError(f"is the same game as row {first}; each needs an id or order of its own", source=str(path), row=number)


def game_of_info(info: dict[str, Any]) -> tuple[str, Order] | None:
    """Which pair and order a row is of; None where it names no pair."""
    named = info.get("id") if info.get("id") is not None else info.get("index")
    return None if named is None else (str(named), "BA" if info.get("order") == "BA" else "AB")
