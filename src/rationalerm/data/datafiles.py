"""Files that are named one by one, or by the folder that holds them; and the rows of all of them, errors with their place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from rationalerm.data.fields import Fields
from rationalerm.data.jsonl import Row, read_rows
from rationalerm.errors import DataError

__all__ = ["Place", "each_row", "files_of", "finite"]

T = TypeVar("T")

Place = tuple[str, int]  # a file as the user named it, and a row of it

_ENDINGS = (".jsonl", ".json", ".jsonl.gz", ".json.gz", ".jsonl.zst", ".json.zst")


def files_of(paths: Iterable[str | Path]) -> list[str | Path]:
    """The files, in the order named; a folder stands for its data files, by name.

    Raises:
        DataError: a folder without a data file, or nothing named.
    """
    found: list[str | Path] = []
    for path in paths:
        if str(path) == "-" or not Path(path).is_dir():
            found.append(path)
            continue
        inside = sorted(file for file in Path(path).iterdir() if file.name.lower().endswith(_ENDINGS) and file.is_file())
        if not inside:
            raise DataError("holds no .jsonl or .json file", source=str(path))
        found += inside
    if not found:
        raise DataError("no file named")
    return found


def each_row(paths: Iterable[str | Path], read: Callable[[Fields, Place], T]) -> Iterator[T]:
    """What `read` makes of each row of some files; a DataError that it raises gets the row's place.

    Raises:
        DataError: a file or a row that can't be read.
    """
    for path in files_of(paths):
        for row in read_rows(path):
            assert isinstance(row, Row)
            try:
                yield read(Fields(row.value), (str(path), row.number))
            except DataError as error:
                raise DataError(error.message, source=str(path), row=row.number, field=error.field) from None


def finite(value: int | float) -> float | None:
    """A score as a float; None for one that is no finite number: it decides nothing.

    >>> finite(2), finite(float("inf")), finite(10**400)
    (2.0, None, None)
    """
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # JSON's whole numbers have no upper end
        return None
