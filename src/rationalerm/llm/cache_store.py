"""The cache's SQLite file: opening it, its tables, and one statement for many keys. Knows nothing of tasks or threads.

Statements take many keys at once because each statement gives Python's global lock away and has to win it back from a busy
event loop, which costs more than SQLite's own work.

Durability: WAL with synchronous=NORMAL. A commit survives the death of the process (`kill -9`), since the system has the bytes.
After a power cut the file is whole, but the commits since the last checkpoint (some 4 MB of answers, or the last close) may be
missing: those would be paid for again. FULL would sync at every commit and make each answer wait for the disk.
"""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from rationalerm.errors import DataError
from rationalerm.llm.cache_owners import Owner

__all__ = ["CorruptCacheError", "Entry", "Store", "is_full", "one_line"]

FORMAT = 1
APPLICATION = 0x52524D43
PATIENCE_S = 10.0  # how long a lock of another process is waited for
_AT_ONCE = 90  # keys or rows a statement; 999 variables is the least that an SQLite may allow
_KEEP_WAL = 16 << 20  # bytes of write-ahead log that are kept for use again
_SCHEMA = """
CREATE TABLE answers (
  key TEXT PRIMARY KEY, state INTEGER NOT NULL, model TEXT NOT NULL, endpoint TEXT NOT NULL, prompt TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, times INTEGER NOT NULL, created REAL NOT NULL,
  checksum INTEGER NOT NULL, answer TEXT NOT NULL);
CREATE TABLE claims (key TEXT PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE owners (
  id TEXT PRIMARY KEY, machine TEXT NOT NULL, pid INTEGER NOT NULL, started TEXT NOT NULL, beat INTEGER NOT NULL);
"""
_ENTRY = "(?, 0, ?, ?, ?, ?, ?, 1, ?, ?, ?)"
_REPLACE = (  # an earlier answer of the key was paid for too: its tokens stay in the sums
    " ON CONFLICT (key) DO UPDATE SET state = 0, model = excluded.model, endpoint = excluded.endpoint, prompt = excluded.prompt,"
    " prompt_tokens = prompt_tokens + excluded.prompt_tokens, completion_tokens = completion_tokens + excluded.completion_tokens,"
    " times = times + 1, created = excluded.created, checksum = excluded.checksum, answer = excluded.answer"
)


class CorruptCacheError(DataError):
    """A file that holds no answers of ours that could be read: it may be removed."""


class Entry(NamedTuple):
    """A row of `answers`, in the order of its columns. `created` is in seconds since 1970; `answer` is JSON on one line."""

    key: str
    model: str
    endpoint: str
    prompt: str
    prompt_tokens: int
    completion_tokens: int
    created: float
    checksum: int
    answer: str


class Store:
    """An open cache file. To be used by the thread that made it; methods raise sqlite3.Error (see `one_line`).

    Args:
        path: made, with mode 0600, if missing; its folder too, with 0700.
        alone: writes nothing, and keeps every other process out; fails (busy) if one has the file open.

    Raises:
        CorruptCacheError: the file is no cache of this version.
        sqlite3.Error, OSError: it can't be opened or written.
    """

    def __init__(self, path: Path, *, alone: bool = False) -> None:
        self.path = path
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        self.db = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
        try:
            if alone:
                self.db.execute("PRAGMA locking_mode = EXCLUSIVE")
                self._is_fresh()
            else:
                self._prepare()
        except BaseException:
            self.db.close()
            raise

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: all of it is on disk after it, or none."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.db.execute("COMMIT")
        except BaseException:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            raise

    def answers(self, keys: Iterable[str]) -> dict[str, bytes]:
        """The servable answers among these keys, as JSON.

        Raises:
            CorruptCacheError: an answer is not the one that was written.
        """
        found = {}
        for part in _parts(keys):
            joined = self._one(
                "SELECT CAST(group_concat(key || char(9) || checksum || char(9) || answer, char(10)) AS BLOB)"
                f" FROM answers WHERE state = 0 AND key IN {_places(part)}",
                part,
            )
            for line in joined.split(b"\n") if joined else ():
                key, checksum, answer = line.split(b"\t", 2)
                if zlib.crc32(answer) != int(checksum):
                    raise _corrupt("an answer's checksum is wrong", self.path)
                found[key.decode()] = answer
        return found

    def put(self, entries: Iterable[Entry]) -> None:
        """Keeps answers; each takes the place of an earlier one of its key."""
        for part in _parts(entries):
            values = [value for entry in part for value in entry]
            self.db.execute("INSERT INTO answers VALUES " + ",".join([_ENTRY] * len(part)) + _REPLACE, values)

    def reject(self, keys: Iterable[str]) -> None:
        """These stay, since they were paid for, and are not served any more."""
        for part in _parts(keys):
            self.db.execute(f"UPDATE answers SET state = 1 WHERE key IN {_places(part)}", part)

    def claim(self, keys: Iterable[str], owner: Owner) -> int:
        """Takes those of the keys that nobody has taken, and says how many."""
        taken = 0
        for part in _parts(keys):
            values = [value for key in part for value in (key, owner.id)]
            taken += self.db.execute("INSERT OR IGNORE INTO claims VALUES " + ",".join(["(?,?)"] * len(part)), values).rowcount
        return taken

    def release(self, keys: Iterable[str], owner: Owner) -> None:
        """Ends the owner's claims on these keys."""
        for part in _parts(keys):
            self.db.execute(f"DELETE FROM claims WHERE owner = ? AND key IN {_places(part)}", [owner.id, *part])

    def holders(self, keys: Iterable[str], me: Owner) -> dict[str, Owner]:
        """Who else holds which of these keys."""
        held = {}
        for part in _parts(keys):
            rows = self.db.execute(
                "SELECT c.key, c.owner, coalesce(machine, ''), coalesce(pid, 0), coalesce(started, ''), coalesce(beat, 0)"
                f" FROM claims c LEFT JOIN owners o ON o.id = c.owner WHERE c.owner <> ? AND key IN {_places(part)}",
                [me.id, *part],
            )
            held.update({row[0]: Owner(*row[1:]) for row in rows.fetchall()})
        return held

    def beat(self, owner: Owner) -> None:
        """The owner is there."""
        self.db.execute("INSERT INTO owners VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET beat = beat + 1", owner)

    def forget(self, owner: Owner) -> None:
        """Ends all claims of an owner that is gone, or going."""
        self.db.execute("DELETE FROM claims WHERE owner = ?", [owner.id])
        self.db.execute("DELETE FROM owners WHERE id = ?", [owner.id])

    def close(self) -> None:
        """The last one to close moves all answers from the log into the file and syncs it."""
        self.db.close()

    def _prepare(self) -> None:
        fresh = self._is_fresh()
        if fresh:
            self.db.execute("PRAGMA auto_vacuum = INCREMENTAL")  # so that `clear` can give room back in short steps
        wal = self._in_wal()
        # Without WAL a torn page could stay after a power cut unless every commit is synced.
        self.db.execute(f"PRAGMA synchronous = {'NORMAL' if wal else 'FULL'}")
        self.db.execute(f"PRAGMA journal_size_limit = {_KEEP_WAL}")
        if fresh:
            with self.writing():
                if self._is_fresh():  # another process may have been faster
                    for statement in _SCHEMA.split(";"):
                        self.db.execute(statement)
                    self.db.execute(f"PRAGMA application_id = {APPLICATION}")
                    self.db.execute(f"PRAGMA user_version = {FORMAT}")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """One view of the file, whatever another process does to it meanwhile (it may be making it)."""
        self.db.execute("BEGIN")
        try:
            yield
        finally:
            if self.db.in_transaction:
                self.db.execute("COMMIT")

    def _is_fresh(self) -> bool:
        """An empty file, to be filled? Refuses what is not ours."""
        with nullcontext() if self.db.in_transaction else self._reading():
            application, version = self._one("PRAGMA application_id"), self._one("PRAGMA user_version")
            tables = self._one("SELECT count(*) FROM sqlite_master")
        if not application and not version and not tables:
            return True
        if application != APPLICATION:
            raise DataError(
                "is another program's SQLite file; set RATIONALERM_CACHE_DIR to another folder, or use --no-cache",
                source=str(self.path),
            )
        if version != FORMAT:
            raise CorruptCacheError(
                f"is a cache of another version of rationalerm (format {version}, this version reads {FORMAT}); set "
                "RATIONALERM_CACHE_DIR to another folder, use --no-cache, or remove it with `rationalerm cache clear`",
                source=str(self.path),
            )
        return False

    def _in_wal(self) -> bool:
        """Switches to a write-ahead log where the file system can have one (network ones often can't)."""
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                return bool(self._one("PRAGMA journal_mode = WAL") == "wal")
            except sqlite3.OperationalError as error:  # SQLite does not wait for this lock by itself
                if _code(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                    return bool(self._one("PRAGMA journal_mode = TRUNCATE") == "wal")
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def _one(self, sql: str, values: Sequence[Any] = ()) -> Any:
        return self.db.execute(sql, values).fetchone()[0]


def one_line(error: BaseException, path: Path) -> DataError:
    """What a person reads for an error of SQLite or of the system."""
    if isinstance(error, DataError):
        return error
    elsewhere = "set RATIONALERM_CACHE_DIR to another folder, or use --no-cache"
    if isinstance(error, OSError):
        return DataError(f"can't be used as the cache: {error.strerror or error}; {elsewhere}", source=str(path))
    code = _code(error)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR):
        return _corrupt(str(error), path)
    if is_full(error):
        return DataError(f"the cache can't grow, its disk is full; free some room, {elsewhere}", source=str(path))
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        said = f"another program keeps the cache locked (waited {PATIENCE_S:g} s); end that one"
        return DataError(f"{said}, {elsewhere}", source=str(path))
    said = str(error) if isinstance(error, sqlite3.Error) else f"{type(error).__name__}: {error}"
    return DataError(f"the cache can't be read or written: {said}; {elsewhere}", source=str(path))


def is_full(error: BaseException) -> bool:
    """Is the disk full?"""
    return _code(error) == sqlite3.SQLITE_FULL


def _corrupt(why: str, path: Path) -> CorruptCacheError:
    todo = "move it away, remove it with `rationalerm cache clear`, or use --no-cache"
    return CorruptCacheError(f"is not a readable cache ({why}); {todo}", source=str(path))


def _code(error: BaseException) -> int:
    return getattr(error, "sqlite_errorcode", -1) & 0xFF


def _parts(items: Iterable[Any]) -> Iterator[list[Any]]:
    left = iter(items)
    while part := list(islice(left, _AT_ONCE)):
        yield part


def _places(keys: Sequence[str]) -> str:
    return "(" + ",".join("?" * len(keys)) + ")"
