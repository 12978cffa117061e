"""The rows of a file of `train prepare`, for frameworks that are handed samples. Knows no framework."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rationalerm.data.jsonl import Row, read_rows
from rationalerm.errors import DataError, UsageError
from rationalerm.reward import Truth

__all__ = ["Prepared", "read_prepared"]

_COLUMNS = ["prompt", "reward_model", "extra_info"]


class Prepared(NamedTuple):
    """One game: `id` (with its order), `prompt` as chat turns, `truth`, and `extra_info`."""

    id: str
    prompt: list[dict[str, str]]
    truth: Truth
    info: dict[str, Any]


def read_prepared(path: str | Path) -> Iterator[Prepared]:
    """Streams a file: Parquet, or the same rows as JSON lines.

    Raises:
        DataError: a file or a row that can't be read; row and field are named.
        UsageError: a Parquet file, and no library that reads it.
    """
    rows = _parquet(Path(path)) if Path(path).suffix == ".parquet" else _lines(path)
    for number, row in enumerate(rows, 1):
        try:
            prompt = [{"role": turn["role"], "content": turn["content"]} for turn in row["prompt"]]
            ground_truth, info = row["reward_model"]["ground_truth"], dict(row.get("extra_info") or {})
        except (KeyError, TypeError):
            raise DataError("no prompt (chat turns) or no reward_model.ground_truth", source=str(path), row=number) from None
        try:
            truth = Truth.load(ground_truth)
        except DataError as error:
            raise DataError(error.message, source=str(path), row=number, field=error.field or "ground_truth") from None
        yield Prepared("-".join(str(info[k]) for k in ("id", "order") if k in info) or str(number), prompt, truth, info)


def _lines(path: str | Path) -> Iterator[dict[str, Any]]:
    return (row.value for row in read_rows(path) if isinstance(row, Row))


def _parquet(path: Path) -> Iterator[dict[str, Any]]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError('Parquet files need pyarrow: pip install "rationalerm[train]"') from None
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(256, columns=_COLUMNS):
                yield from batch.to_pylist()
    except FileNotFoundError:
        raise DataError("no such file", source=str(path)) from None
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"is no Parquet file that can be read ({str(error)[:80]})", source=str(path)) from None
