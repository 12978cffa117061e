"""The run directory: finished rows appended and synced in batches, torn tails repaired, rewrites atomic, resume refused on
another configuration (design.md, "A run directory"). Knows nothing of what the rows mean.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, TypeVar

import orjson

from rationalerm.data.jsonl import dumps
from rationalerm.errors import DataError, ResumeError, UsageError

__all__ = ["Log", "RunDir", "write_lines"]

K = TypeVar("K", bound=Hashable)

MANIFEST = "run.json"
_DERIVED = ("judgments.jsonl", "matches.jsonl", "failures.jsonl", "rows.jsonl", "audit.jsonl")  # made of an input's rows


class RunDir:
    """A directory that one command writes and the same command resumes; `with` it, or `close` it.

    While it is open no other process (and nobody else in this one) can open it to write: two that append would undo each other.

    Args:
        path: made if missing.
        manifest: what `run.json` says; its `config` decides whether a resume is the same run.
        finished: the file whose rows were worked (or paid) for: while it (and that of an earlier command in the directory) has
            none, a mended command may use the directory.
        beside: the name of a file in it; then the run's files are that file's neighbours (`NAME.run.json`, ...), and other files
            in the directory are not the run's.

    Raises:
        ResumeError: the directory holds another configuration's rows, or is being written.
        DataError: it can't be written.
    """

    _lock: int | None = None

    def __init__(self, path: str | Path, manifest: dict[str, Any], *, finished: str = "matches.jsonl", beside: str = "") -> None:
        self.path = Path(path)
        self._before = f"{beside}." if beside else ""
        with _OneLine(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(self.path, beside)
        try:
            self._take(manifest, finished, beside)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> RunDir:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets others write it."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __del__(self) -> None:
        self.close()

    def _take(self, manifest: dict[str, Any], finished: str, beside: str) -> None:
        """Writes run.json, or refuses what is there."""
        shown, advice = (self.path / beside, "name") if beside else (self.path, "folder")
        old = self.manifest(self.path, beside=beside)
        if old is None:
            if self._rows():
                raise ResumeError(f"{shown}: holds .jsonl files but no {MANIFEST}; give --out another {advice}")
            self.write(MANIFEST, manifest | {"finished": finished})
        elif (difference := _difference(old.get("config"), manifest["config"])) is not None:
            paid = {self._before + name for name in (finished, old.get("finished", finished))}
            if any(file.stat().st_size for file in self._rows() if file.name in paid):
                key, before, now = difference
                raise ResumeError(f"{shown}: holds a run with {key} = {before!r}, now {now!r}; give --out another {advice}")
            for name in _DERIVED:
                (self.path / (self._before + name)).unlink(missing_ok=True)
            self.write(MANIFEST, manifest | {"finished": finished})

    def _rows(self) -> list[Path]:
        return [file for file in self.path.glob("*.jsonl") if file.name.startswith(self._before)]

    @classmethod
    def opened(cls, path: str | Path, *, beside: str = "") -> RunDir:
        """A directory that is there, to be looked at: nothing is checked or written."""
        made = cls.__new__(cls)
        made.path, made._before = Path(path), f"{beside}." if beside else ""
        return made

    @staticmethod
    def manifest(path: str | Path, *, beside: str = "") -> dict[str, Any] | None:
        """What `run.json` of a directory says; None where there is none."""
        file = Path(path) / (f"{beside}.{MANIFEST}" if beside else MANIFEST)
        try:
            value = orjson.loads(file.read_bytes())
        except FileNotFoundError:
            return None
        except (orjson.JSONDecodeError, OSError) as error:
            raise DataError(f"can't be read: {error}; remove it to start afresh", source=str(file)) from None
        return value if isinstance(value, dict) else {}

    @staticmethod
    def refuse_judges_run(path: str | Path) -> None:
        """Raises UsageError where a directory holds a judge's answers and no matchings."""
        if Path(path).is_dir() and (RunDir.manifest(path) or {}).get("command") == "judge":
            pairs = Path(path) / "pairs.jsonl"
            raise UsageError(
                f"{path}: holds a judge's answers, not matched yet; give {pairs} to evaluate or match, then their --out here"
            )

    def log(self, name: str) -> Log:
        """One of the directory's JSON lines files, for appending."""
        return Log(self.path / (self._before + name))

    def write(self, name: str, value: Any) -> None:
        """Writes a JSON file at once or not at all."""
        _replace(
            self.path / (self._before + name), [orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS) + b"\n"]
        )

    def write_lines(self, name: str, rows: Iterable[Any]) -> None:
        """Writes a JSON lines file at once or not at all."""
        _replace(self.path / (self._before + name), (dumps(row) + b"\n" for row in rows))


class Log:
    """An append-only JSON lines file. The first `add` repairs a torn tail; each syncs to disk before it returns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn: list[int] = []  # numbers of lines in the middle that don't parse
        self._handle: IO[bytes] | None = None
        self._end = 0  # of the file, as far as it was written whole
        self._lines = 0

    def rows(self) -> Iterator[dict[str, Any]]:
        """The whole lines, in order; broken ones are left out and their numbers kept in `torn`."""
        return (row for row, _, _ in self._placed())

    def settle(self, key: Callable[[dict[str, Any]], K], place: Callable[[K], Any]) -> None:
        """Leaves the last row of each key, sorted by `place`, without broken lines; memory is that of the keys.

        A file that is so already is left alone.
        """
        last: dict[K, tuple[int, int]] = {}
        lines = 0
        for row, start, end in self._placed():
            last[key(row)] = start, end
            lines += 1
        order = sorted(last, key=place)
        starts = [last[one][0] for one in order]
        if not self.torn and len(order) == lines and starts == sorted(starts):
            return
        self.close()
        with self.path.open("rb") as handle:
            _replace(self.path, (_piece(handle, *last[one]) for one in order))

    def _placed(self) -> Iterator[tuple[dict[str, Any], int, int]]:
        """The whole lines with the bytes where they begin and end; the numbers of broken ones go to `torn`."""
        self.torn = []
        try:
            handle = self.path.open("rb")
        except FileNotFoundError:
            return
        end = 0
        with handle:
            for number, line in enumerate(handle, 1):
                start, end = end, end + len(line)
                self._lines = number
                try:
                    value = orjson.loads(line)
                except orjson.JSONDecodeError:
                    self.torn.append(number)
                    continue
                if isinstance(value, dict):
                    yield value, start, end

    def add(self, rows: Iterable[Any]) -> None:
        """Appends a batch and syncs it. A batch that could not be written whole is taken back, so that no half line stays."""
        self._append(rows, sync=True)

    def write(self, row: Any) -> None:
        """Appends one row, which outlives the process from here on; `sync` makes it outlive the machine."""
        self._append([row], sync=False)

    def sync(self) -> None:
        """Puts what was written on the disk itself."""
        if self._handle is not None:
            with _OneLine(self.path):
                os.fsync(self._handle.fileno())

    def complaints(self) -> list[str]:
        """A line for each broken line in the middle that the last reading met. A broken last line is what a kill leaves."""
        return [f"{self.path}: line {number} is broken; its row is done again" for number in self.torn if number < self._lines]

    def _append(self, rows: Iterable[Any], *, sync: bool) -> None:
        data = b"".join(dumps(row) + b"\n" for row in rows)
        if not data:
            return
        with _OneLine(self.path):
            if self._handle is None:
                _mend_tail(self.path)
                self._handle = self.path.open("ab", buffering=0)
                self._end = self._handle.seek(0, os.SEEK_END)
            try:
                _write_all(self._handle, data)
                if sync:
                    os.fsync(self._handle.fileno())
                self._end += len(data)
            except OSError:
                self._handle.truncate(self._end)
                raise

    def close(self) -> None:
        """Closes the file; `add` opens it again."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """Writes a JSON lines file of its own at once or not at all."""
    _replace(path, (dumps(row) + b"\n" for row in rows))


def _locked(path: Path, beside: str) -> int | None:
    """A descriptor that holds the run's lock until it is closed (a kill frees it too); None where there are no locks.

    It is the folder's own, so that nothing is left behind; or, where several runs share the folder, a hidden file's in it.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    place, flags = (path / f".{beside}.lock", os.O_RDWR | os.O_CREAT) if beside else (path, os.O_RDONLY)
    descriptor = os.open(place, flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        shown = path / beside if beside else path
        raise ResumeError(f"{shown}: is being written by another run; wait for its end, or give another --out") from None
    except OSError:  # some network file systems have none
        os.close(descriptor)
        return None
    return descriptor


class _OneLine:
    """Turns an OS error into one line that names the file and says what to do."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, OSError):
            return
        advice = {
            errno.ENOSPC: "the disk is full; free some room and run the same command again, finished rows are kept",
            errno.EEXIST: "is a file; --out names a folder",
            errno.ENOTDIR: "is a file; --out names a folder",
        }.get(error.errno or 0, f"can't be written: {error.strerror}")
        raise DataError(advice, source=str(self._path)) from None


def _piece(handle: IO[bytes], start: int, end: int) -> bytes:
    handle.seek(start)
    return handle.read(end - start).rstrip(b"\n") + b"\n"


def _write_all(handle: IO[bytes], data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[handle.write(view) :]


def _replace(path: Path, chunks: Iterable[bytes]) -> None:
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    with _OneLine(path):
        try:
            with fresh.open("wb") as handle:
                for chunk in chunks:
                    handle.write(chunk)
                handle.flush()
                os.fsync(handle.fileno())
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)


def _mend_tail(path: Path) -> None:
    """Cuts off what stands behind the last newline: a line that a kill left half written."""
    if not path.exists():
        return
    with _OneLine(path), path.open("r+b") as handle:
        size = end = handle.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - 65536)
            handle.seek(start)
            if (cut := handle.read(end - start).rfind(b"\n")) >= 0:
                end = start + cut + 1
                break
            end = start
        if end < size:
            handle.truncate(end)


def _difference(before: Any, now: dict[str, Any]) -> tuple[str, Any, Any] | None:
    before = before if isinstance(before, dict) else {}
    for key in sorted({*before, *now}):
        if before.get(key) != now.get(key):
            return key, before.get(key), now.get(key)
    return None
