"""What a cache file holds, and clearing it: for the command line, also beside runs that use the file."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from rationalerm.llm.cache_store import CorruptCacheError, Store, is_full, one_line

__all__ = ["CacheStats", "Cleared", "ModelStats", "clear", "stats"]

_STEP = 500  # rows or pages a transaction: a run that uses the file waits milliseconds for us


class ModelStats(NamedTuple):
    """One model's share. Tokens are those of every answer that was paid for, replaced ones too."""

    answers: int
    rejected: int
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class CacheStats:
    """What the file holds.

    Args:
        path: the file, there or not.
        size: bytes on disk, the write-ahead log included.
        answers: all of them.
        rejected: of these, the ones that are never served again.
        paid: answers that were paid for, those that others have replaced included.
        oldest, newest: seconds since 1970; None in an empty cache.
        models: by name.
    """

    path: Path
    size: int = 0
    answers: int = 0
    rejected: int = 0
    paid: int = 0
    oldest: float | None = None
    newest: float | None = None
    models: dict[str, ModelStats] = field(default_factory=dict)


class Cleared(NamedTuple):
    """What `clear` did: answers removed and left, bytes given back; `whole`: an unreadable file was removed as it was."""

    removed: int
    left: int
    freed: int
    whole: bool = False


def stats(path: Path) -> CacheStats:
    """Counts what a cache holds; a missing file holds nothing and is not made.

    Raises:
        DataError: it can't be read.
    """
    if not path.exists():
        return CacheStats(path)
    try:
        size = _size(path)
        store = Store(path)
        try:
            sums = "count(*), sum(state), sum(prompt_tokens), sum(completion_tokens)"
            models = store.db.execute(f"SELECT model, {sums} FROM answers GROUP BY model ORDER BY 2 DESC, 1").fetchall()
            paid, oldest, newest = store.db.execute("SELECT sum(times), min(created), max(created) FROM answers").fetchone()
        finally:
            store.close()
    except (sqlite3.Error, OSError) as error:
        raise one_line(error, path) from None
    by_name = {name: ModelStats(*rest) for name, *rest in models}
    answers, rejected = sum(m.answers for m in by_name.values()), sum(m.rejected for m in by_name.values())
    return CacheStats(path, size, answers, rejected, paid or 0, oldest, newest, by_name)


def clear(path: Path, *, older_than: float | None = None, model: str | None = None) -> Cleared:
    """Removes answers. Claims stay: a run that is asking right now goes on, and its answers are kept.

    Args:
        path: the file. One that can't be read is removed whole, unless only a part was to go.
        older_than: only those of more than so many days ago.
        model: only this model's.

    Raises:
        DataError: it can't be cleared.
    """
    if not path.exists():
        return Cleared(0, 0, 0)
    before, everything = _size(path), older_than is None and model is None
    until = None if older_than is None else time.time() - older_than * 86400
    try:
        try:
            removed, left = _remove(path, until, model)
        except sqlite3.OperationalError as error:
            if not (everything and is_full(error)):
                raise
            removed, left = _remove_file(path, error), 0
    except (sqlite3.Error, OSError, CorruptCacheError) as error:
        line = one_line(error, path)
        if not (everything and isinstance(line, CorruptCacheError)):
            raise line from None
        _unlink(path)
        return Cleared(0, 0, before, whole=True)
    return Cleared(removed, left, max(0, before - _size(path)))


def _remove(path: Path, until: float | None, model: str | None) -> tuple[int, int]:
    store = Store(path)
    try:
        removed = _delete(store, "(? IS NULL OR created < ?) AND (? IS NULL OR model = ?)", (until, until, model, model))
        return removed, _count(store)
    finally:
        store.close()


def _remove_file(path: Path, full: sqlite3.OperationalError) -> int:
    """On a full disk there is no room to log what is removed: the file goes as it is, if nobody else has it open."""
    try:
        store = Store(path, alone=True)
    except sqlite3.OperationalError:
        raise full from None
    try:
        count = _count(store)
        _unlink(path)
        return count
    finally:
        store.close()


def _delete(store: Store, where: str, values: tuple[object, ...]) -> int:
    """In short steps. What a run adds in the meantime stays."""
    removed = 0
    last = store.db.execute("SELECT coalesce(max(rowid), 0) FROM answers").fetchone()[0]
    for start in range(0, last, _STEP):
        step = (start, min(start + _STEP, last))
        delete = f"DELETE FROM answers WHERE rowid > ? AND rowid <= ? AND {where}"
        removed += store.db.execute(delete, (*step, *values)).rowcount
    if store.db.execute("PRAGMA auto_vacuum").fetchone()[0]:  # else the file can't shrink, and its room is used again
        for _ in range(0, store.db.execute("PRAGMA freelist_count").fetchone()[0], _STEP):
            store.db.executescript(f"PRAGMA incremental_vacuum({_STEP})")  # `execute` would stop after one page
    store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return removed


def _count(store: Store) -> int:
    return int(store.db.execute("SELECT count(*) FROM answers").fetchone()[0])


def _files(path: Path) -> list[Path]:
    return [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))]


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in _files(path) if file.exists())


def _unlink(path: Path) -> None:
    try:
        for file in _files(path)[::-1]:  # a log without its file is nothing; the other way round it would be replayed
            file.unlink(missing_ok=True)
    except OSError as error:
        raise one_line(error, path) from None
