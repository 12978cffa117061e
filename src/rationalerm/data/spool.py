"""Standard input as a file that can be read twice: bad rows are found before the first paid call. Knows nothing of rows."""

from __future__ import annotations

import errno
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rationalerm.errors import DataError

__all__ = ["spooled"]


@contextmanager
def spooled(path: str | Path) -> Iterator[Path]:
    """The path itself, or for `-` a temporary file with all of stdin in it, removed on leaving.

    Raises:
        DataError: there is no room for it.
    """
    if str(path) != "-":
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="rationalerm-") as folder:
        copy = Path(folder) / "stdin"
        try:
            with copy.open("wb") as handle:
                shutil.copyfileobj(sys.stdin.buffer, handle)
        except OSError as error:
            room = "the disk for temporary files is full; set TMPDIR to a folder with room" if error.errno == errno.ENOSPC else ""
            raise DataError(room or f"can't be copied: {error.strerror}", source="stdin") from None
        yield copy
