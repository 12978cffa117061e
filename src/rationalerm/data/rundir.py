"""The run directory: one writer, resume refused on another configuration (design.md, "A run directory"); its files are `log`'s.
Knows nothing of what the rows mean.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from rationalerm.data.jsonl import dumps
from rationalerm.data.log import Log, OneLine, replace_file
from rationalerm.errors import DataError, ResumeError, UsageError

__all__ = ["RunDir"]

MANIFEST = "run.json"
_DERIVED = (
    "judgments.jsonl",
    "matches.jsonl",
    "failures.jsonl",
    "rows.jsonl",
    "audit.jsonl",
    "tags.jsonl",
    "tag_failures.jsonl",
)  # made of an input's rows


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
        with OneLine(self.path):
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
        replace_file(
            self.path / (self._before + name), [orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS) + b"\n"]
        )

    def write_lines(self, name: str, rows: Iterable[Any]) -> None:
        """Writes a JSON lines file at once or not at all."""
        replace_file(self.path / (self._before + name), (dumps(row) + b"\n" for row in rows))


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


def _difference(before: Any, now: dict[str, Any]) -> tuple[str, Any, Any] | None:
    before = before if isinstance(before, dict) else {}
    for key in sorted({*before, *now}):
        if before.get(key) != now.get(key):
            return key, before.get(key), now.get(key)
    return None
