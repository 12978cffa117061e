"""`export --released`: a run directory's matchings as the results files that the released analysis script reads, a file a judge.

A results row holds one model reason a human reason: of several scored ones the best (the first of equals) among the first K that
the run counts. A run of an LLM in mode best has no others, and gives the same figures from the files. Of a matrix (mode matrix,
or a matcher on this machine) released recall stays as it is; its precision and AP, and paper scoring, lose what the others bring.
The analysis script leaves out rows whose judge gave no reasons (the run counts them as 0) or more than ten. Of an LLM's repeats
only the first is written. In memory are the places of the rows in the files, not the rows.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

import orjson

from rationalerm.data.fields import Fields, reason_list, row_id
from rationalerm.data.jsonl import Row, dumps, read_rows
from rationalerm.data.log import Log
from rationalerm.data.names import file_name
from rationalerm.data.rundir import RunDir
from rationalerm.data.sides import swap_sides
from rationalerm.errors import DataError, UsageError
from rationalerm.run.exported import agrees, best_of, failed_row, metadata_of, result_row
from rationalerm.run.store import Key, key_of, matching_of
from rationalerm.score.consistency import TOP_K

__all__ = ["ORDERS", "Exported", "export_released"]

ORDERS = ("AB", "BA", "all")
_NO_LIST, _NO_HUMAN = "no answer", "no human reasons"


class _Game(NamedTuple):
    judge: str
    order: str
    status: str
    why: str


@dataclass
class Exported:
    """What was written. `counts`: judge -> rows, failed, left out (no human reasons); `files`: judge -> file."""

    files: dict[str, Path] = field(default_factory=dict)
    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    other_scores: int = 0  # scored pairs that are not their human reason's best
    minimal: int = 0  # rows without their input row
    repeats: bool = False
    top_k: int | None = TOP_K  # what the run's figures are made with


def export_released(run: str | Path, out: str | Path, judge: str | None = None, order: str = "all") -> Exported:
    """Writes the files.

    Args:
        run: the run directory of a finished `evaluate` or `match`.
        out: a folder (one file a judge, named by `data.names.file_name`), or a `.jsonl` file where there is one judge.
        judge: only this one.
        order: `AB`, `BA` or `all` games.

    Raises:
        UsageError, DataError: nothing to export, a file that is there already, or can't be read or written.
    """
    if order not in ORDERS:
        raise UsageError(f"no order {order!r}; one of {', '.join(ORDERS)}")
    source = _Run(Path(run), judge, order)
    exported = Exported(files=_files(Path(out), source.judges), top_k=source.top_k)
    with _Files(exported.files) as files:
        for name, row in source.rows(exported):
            files.write(name, row)
    return exported


class _Run:
    """A run directory's rows, joined with the rows of its input file where that is still there and says the same."""

    def __init__(self, folder: Path, judge: str | None, order: str) -> None:
        RunDir.refuse_judges_run(folder)
        manifest = RunDir.manifest(folder)
        if manifest is None:
            raise DataError("no run.json there; name the --out folder of evaluate or match", source=str(folder))
        if not (folder / "rows.jsonl").exists():
            raise DataError("that run is not finished; run its command again", source=str(folder))
        self._folder, self._config = folder, manifest.get("config") or {}
        self.top_k: int | None = self._config.get("top_k", TOP_K)
        self._games: dict[str, list[_Game]] = defaultdict(list)
        known: dict[str, None] = {}
        for row in Log(folder / "rows.jsonl").rows():
            id, name, turn = key_of(row)
            known.setdefault(name)
            if (judge is None or name.lower() == judge.lower()) and order in ("all", turn):
                why = "; ".join(map(str, row.get("notes") or ()))
                self._games[id].append(_Game(name, turn, str(row.get("rationale_status")), why))
        self.judges = list(dict.fromkeys(game.judge for games in self._games.values() for game in games))
        if not self.judges:
            has = f"only {', '.join(known)}" if judge is not None else f"no game in order {order}"
            raise UsageError(f"{folder}: holds no such rows ({has}); see --judge and --order")

    def rows(self, exported: Exported) -> Iterator[tuple[str, Any]]:
        """(judge, results row). Rows without a judge's list come last, since the first row of a file tells whose it is."""
        matches, judged = (_Places(self._folder / name) for name in ("matches.jsonl", "judgments.jsonl"))
        failures = {key_of(row): str(row.get("why") or row.get("what")) for row in Log(self._folder / "failures.jsonl").rows()}
        late: list[tuple[str, Any]] = []
        with matches, judged:
            exported.repeats = matches.repeats
            for id, row in self._inputs():
                for game in self._games[id]:
                    place = id, game.judge, game.order
                    counts = exported.counts[game.judge]
                    if game.status == _NO_HUMAN:
                        counts["left out"] += 1
                        continue
                    counts["rows"] += 1
                    if game.status == "scored":
                        yield game.judge, self._finished(place, matches.row(place), row, exported)
                        continue
                    counts["failed"] += 1
                    why = failures.get(place) or game.why or game.status
                    made = self._failed(place, None if game.status == _NO_LIST else judged.row(place), row, why)
                    if game.status == _NO_LIST:
                        late.append((game.judge, made))
                    else:
                        yield game.judge, made
        yield from late

    def _inputs(self) -> Iterator[tuple[str, dict[str, Any] | None]]:
        """Every id of the run with its input row, in the input's order; then those that have none."""
        left = dict.fromkeys(self._games)
        path = Path(str(self._config.get("input")))
        if path.is_file():
            with suppress(DataError):  # what can't be read any more is as good as gone
                for row in read_rows(path, skip_bad=True):
                    if not isinstance(row, Row):
                        continue
                    value = _unwrapped(row.value)
                    with suppress(DataError):
                        id = row_id(Fields(value).first(self._config.get("id_field") or "id"), row.number)
                        if id in left:
                            del left[id]
                            yield id, value
        for id in left:
            yield id, None

    def _finished(self, place: Key, match: dict[str, Any] | None, row: dict[str, Any] | None, exported: Exported) -> Any:
        try:
            if match is None:
                raise KeyError(place)
            matching, human, model = matching_of(match), match["human_reasons"], match["judge_reasons"]
            best, others = best_of(matching, self.top_k)
        except (KeyError, TypeError, ValueError):
            why = f"no whole row for id {place[0]!r}, judge {place[1]}; run its command again"
            raise DataError(why, source=str(self._folder / "matches.jsonl")) from None
        exported.other_scores += others
        if row is not None and not agrees(Fields(row), *self._fields(place[1]), human, model, place[2]):
            row = None
        exported.minimal += row is None
        evaluator = f"{match.get('evaluator')} {match.get('evaluator_version')}"
        return result_row(human, model, best, metadata_of(place, human, model, row), evaluator)

    def _failed(self, place: Key, judged: dict[str, Any] | None, row: dict[str, Any] | None, why: str) -> Any:
        model = None if judged is None else [str(reason) for reason in judged.get("reasons") or ()]
        human: Sequence[str] | None = None
        with suppress(DataError):
            human = reason_list(Fields(row or {}).first(self._fields(place[1])[0]), "human") or None
        if human and place[2] == "BA":
            human = [swap_sides(reason) for reason in human]
        kept = {} if row is None or model is None else row  # rows that wait for the end stay small
        return failed_row(human or (), model or (), metadata_of(place, human, model, kept), why)

    def _fields(self, judge: str) -> tuple[str, str]:
        reasons = str(self._config.get("reasons_field") or "{judge}-checklist")
        return str(self._config.get("human_field") or "human-checklist"), reasons.replace("{judge}", judge)


class _Places:
    """Where in a file of the run each game's last row begins (of repeats the first one's)."""

    def __init__(self, path: Path) -> None:
        self._path, self._start, self.repeats = path, dict[Key, int](), False
        self._handle: IO[bytes] | None = None

    def __enter__(self) -> None:
        with suppress(FileNotFoundError):
            self._handle = self._path.open("rb")
        start = 0
        for line in self._handle or ():
            with suppress(orjson.JSONDecodeError):
                row = orjson.loads(line)
                if isinstance(row, dict) and row.get("repeat"):
                    self.repeats = True
                elif isinstance(row, dict):
                    self._start[key_of(row)] = start
            start += len(line)

    def __exit__(self, *_: object) -> None:
        if self._handle:
            self._handle.close()

    def row(self, key: Key) -> dict[str, Any] | None:
        """The row, read again."""
        if self._handle is None or key not in self._start:
            return None
        self._handle.seek(self._start[key])
        row: dict[str, Any] = orjson.loads(self._handle.readline())
        return row


class _Files:
    """Files that appear whole or not at all."""

    def __init__(self, files: dict[str, Path]) -> None:
        self._files = files
        self._fresh = {name: path.with_name(f".{path.name}.{os.getpid()}.new") for name, path in files.items()}
        self._open = ExitStack()
        self._handles: dict[str, IO[bytes]] = {}

    def __enter__(self) -> _Files:
        try:
            for name, path in self._fresh.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                self._handles[name] = self._open.enter_context(path.open("wb"))
        except OSError as error:
            self._drop()
            raise DataError(f"can't be written: {error.strerror}", source=str(error.filename or path)) from None
        return self

    def write(self, name: str, row: Any) -> None:
        """Adds a row."""
        try:
            self._handles[name].write(dumps(row) + b"\n")
        except OSError as error:
            raise DataError(f"can't be written: {error.strerror}", source=str(self._files[name])) from None

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                for name, handle in self._handles.items():
                    handle.flush()
                    os.fsync(handle.fileno())
                    self._fresh[name].replace(self._files[name])
        except OSError as error:
            raise DataError(f"can't be written: {error.strerror}", source=str(error.filename or "--out")) from None
        finally:
            self._drop()

    def _drop(self) -> None:
        with suppress(OSError):
            self._open.close()
        for path in self._fresh.values():
            with suppress(OSError):
                path.unlink()


def _files(out: Path, judges: Sequence[str]) -> dict[str, Path]:
    if not str(out) or str(out) == ".":
        raise UsageError("--out is empty; name a folder or a .jsonl file")
    if out.suffix == ".jsonl" and not out.is_dir():
        if len(judges) > 1:
            raise UsageError(f"--out {out} is one file, and the run has {len(judges)} judges; name one with --judge, or a folder")
        files = {judges[0]: out}
    else:
        files = {judge: out / f"{_analysed(file_name(judge))}.jsonl" for judge in judges}
    if there := [str(path) for path in files.values() if path.exists()]:
        raise UsageError(f"{there[0]} is there already; remove it, or give another --out")
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out} is a file; name a folder or a new .jsonl file")
    return files


def _analysed(name: str) -> str:
    """The analysis script leaves files out that have "input" and not "output" in their name. No `file_name` begins so."""
    return f"_output_{name}" if "input" in name and "output" not in name else name


def _unwrapped(row: dict[str, Any]) -> dict[str, Any]:
    """The input row inside a row of the inference script, or the row itself."""
    metadata = row.get("metadata")
    return metadata if isinstance(metadata, dict) and "samples" in row else row
