"""Rows for trainers as Parquet: streamed, at once or not at all, the same bytes for the same rows. Knows nothing of how rows are
made.

The columns are those that verl reads, and TRL takes as they are: `data_source`, `prompt` (a list of role and content), `ability`,
`reward_model` (`style`, `ground_truth`: JSON), `extra_info` (`id`, `order`, `domain`, `split`, `index`, `cluster`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from rationalerm.data.log import OneLine
from rationalerm.errors import DataError, UsageError

__all__ = ["check_library", "read_table", "write_table"]

_GROUP = 256  # rows a row group: what is in memory at once


def check_library() -> str:
    """The version of the library that reads and writes it.

    Raises:
        UsageError: it is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise UsageError('Parquet files need pyarrow: pip install "rationalerm[train]"') from None
    return str(pa.__version__)


def write_table(path: Path, rows: Iterable[dict[str, Any]]) -> int:
    """Writes a file at once or not at all; memory is that of a few hundred rows.

    Returns:
        How many rows there were.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema, count = _schema(), 0
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    with OneLine(path):
        try:
            with fresh.open("wb") as handle, pq.ParquetWriter(handle, schema, compression="zstd") as writer:
                for part in _parts(iter(rows)):
                    writer.write_table(pa.Table.from_pylist(part, schema), row_group_size=_GROUP)
                    count += len(part)
            with fresh.open("rb+") as written:
                os.fsync(written.fileno())
            fresh.replace(path)
        finally:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)
    return count


def read_table(path: str | Path, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file, some of its columns.

    Raises:
        DataError: it is not there, no such file, or has not these columns.
    """
    check_library()
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            if missing := [name for name in columns if name not in file.schema_arrow.names]:
                raise DataError("no such column; is it a file of `train prepare`?", source=str(path), field=missing[0])
            for batch in file.iter_batches(_GROUP, columns=list(columns)):
                yield from batch.to_pylist()
    except FileNotFoundError:
        raise DataError("no such file", source=str(path)) from None
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"is not a Parquet file ({str(error).splitlines()[0][:100]})", source=str(path)) from None


def _parts(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while part := list(islice(rows, _GROUP)):
        yield part


def _schema() -> Any:
    import pyarrow as pa

    text = pa.string()
    turn = pa.struct([("role", text), ("content", text)])
    extra = [("id", text), ("order", text), ("domain", text), ("split", text), ("index", pa.int64()), ("cluster", text)]
    return pa.schema(
        [
            ("data_source", text),
            ("prompt", pa.list_(turn)),
            ("ability", text),
            ("reward_model", pa.struct([("style", text), ("ground_truth", text)])),
            ("extra_info", pa.struct(extra)),
        ]
    )
