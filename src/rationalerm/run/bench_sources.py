"""Which files hold a judge's results, under which name, in which shape: what stands before `--judge file` reads a row.

A folder may hold other JSON beside the results (a table of win rates, run.json); a file of it is told by its first row. Knows no
verdict and no score.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rationalerm.data.by_id import is_given
from rationalerm.data.datafiles import files_of
from rationalerm.data.fields import Fields
from rationalerm.data.jsonl import Row, read_rows
from rationalerm.errors import DataError, UsageError
from rationalerm.run.progress import say

__all__ = ["Source", "named_path", "sources"]

_SHAPES = {
    "rm-bench": ("score_chosen", "rewards", "acc_matrix", "score_matrix", "reward_diff"),
    "judgebench": ("judgments", "games"),
    "arena-hard": ("games",),
}
_NAMED = 20  # skipped files that are named; of more, how many


@dataclass(frozen=True, slots=True)
class Source:
    """One `--outputs`. `files`: those that hold results; `own`: in the shape of the benchmark's own tools, else by id."""

    path: str
    judge: str
    files: tuple[str | Path, ...]
    own: bool


def sources(outputs: Sequence[str], benchmark: str, name: str | None = None, *, one_judge: bool = False) -> list[Source]:
    """Each path with its judge's name, its files and their shape; files of a folder that hold no results are named on stderr.

    Args:
        outputs: files and folders, each as PATH or NAME=PATH.
        benchmark: whose own shape is looked for.
        name: of the judge; None: the file's.
        one_judge: all paths are one judge's (Arena-Hard's files, one a model), if they are of its own shape.

    Raises:
        UsageError: a file that is named twice, two judges of one name, or stdin.
        DataError: a folder without results, or with results of two shapes; a file that can't be read.
    """
    if "-" in outputs:
        raise UsageError("--outputs -: results are read more than once; name a file")
    named = [named_path(one) for one in outputs]
    _each_once([path for _, path in named])
    found = [_of_path(path, benchmark, own or name) for own, path in named]
    if one_judge and all(source.own for source in found):
        return found
    if name is not None and sum(own is None for own, _ in named) > 1:
        raise UsageError(f"--name {name}: one judge's name, and there are {len(found)} --outputs; write --outputs NAME=FILE")
    first: dict[str, str] = {}
    for source in found:
        if (before := first.setdefault(source.judge, source.path)) != source.path:
            two = f"{before} and {source.path} both give the judge {source.judge!r}"
            raise UsageError(f"--outputs: {two}; write --outputs NAME=FILE")
    return found


def named_path(output: str) -> tuple[str | None, str]:
    """`NAME=PATH` apart; a path that is there as it stands has no name.

    >>> named_path("my judge=runs/out.jsonl"), named_path("runs/out.jsonl")
    (('my judge', 'runs/out.jsonl'), (None, 'runs/out.jsonl'))
    """
    name, sign, path = output.partition("=")
    return (name.strip(), path) if sign and name.strip() and path and not Path(output).exists() else (None, output)


def _each_once(outputs: Sequence[str]) -> None:
    """Links and other spellings of a path are the same file, and so is a file beside its folder."""
    seen: dict[tuple[int, int], int] = {}
    for place, path in enumerate(outputs):
        for file in (path, *_inside(path)):
            if not Path(file).exists():  # whoever reads it says so
                continue
            status = Path(file).stat()
            if (before := seen.setdefault((status.st_dev, status.st_ino), place)) != place:
                one = outputs[before]
                said = f"{path} is there twice" if one == path else f"{one} and {path} are, or hold, the same file"
                raise UsageError(f"--outputs: {said}; name each file once")


def _inside(path: str) -> list[str | Path]:
    return files_of([path]) if Path(path).is_dir() else []


def _of_path(path: str, benchmark: str, name: str | None) -> Source:
    judge = name or Path(path).name.split(".jsonl")[0].removesuffix(".json") or Path(path).resolve().name
    inside = _inside(path)
    if not inside:
        if (row := _first_row(path)) is None:
            raise DataError("has no rows", source=path)
        return Source(path, judge, (path,), _is_own(row, benchmark))
    own: list[str | Path] = []
    by_id: list[str | Path] = []
    other: list[str] = []
    for file in inside:
        row = _row_in_folder(file)
        if row is not None and _is_own(row, benchmark):
            own.append(file)
        elif row is not None and is_given(row):
            by_id.append(file)
        else:
            other.append(f"{Path(file).name} ({_what(file, row)})")
    return _of_folder(path, judge, own, by_id, other)


def _of_folder(path: str, judge: str, own: list[str | Path], by_id: list[str | Path], other: list[str]) -> Source:
    listed = ", ".join(other[:_NAMED]) + (f" and {len(other) - _NAMED} more" if len(other) > _NAMED else "")
    if own and by_id:
        two = f"{Path(own[0]).name} is in the benchmark's own shape, {Path(by_id[0]).name} is by id"
        raise DataError(f"holds results of two shapes ({two}); name the files", source=path)
    if not own and not by_id:
        raise DataError(f"holds no file of results; found {listed}", source=path)
    if other:
        say(f"{path}: not read, since they hold no results: {listed}")
    return Source(path, judge, tuple(own or by_id), bool(own))


def _is_own(row: Fields, benchmark: str) -> bool:
    return any(name in row for name in _SHAPES.get(benchmark, ()))


def _what(file: str | Path, row: Fields | None) -> str:
    """What of a file that holds no results was seen."""
    if row is not None:
        names = list(row)
        return f"rows of {', '.join(names[:4])}{', ...' if len(names) > 4 else ''}"
    return "no rows" if Path(file).stat().st_size else "empty"


def _first_row(path: str | Path) -> Fields | None:
    """None where there is none."""
    for row in read_rows(path):
        assert isinstance(row, Row)
        return Fields(row.value)
    return None


def _row_in_folder(path: str | Path) -> Fields | None:
    """As `_first_row`; None also for an empty file (a run's failures.jsonl), and for a JSON document that is no rows at all.

    Raises:
        DataError: any other file that can't be read: it may be results.
    """
    if not Path(path).stat().st_size:
        return None
    try:
        return _first_row(path)
    except DataError as error:
        if error.row is None or not _is_document(path):
            raise
        return None


def _is_document(path: str | Path) -> bool:
    """A summary or a table over several lines, a list of numbers."""
    try:
        json.loads(Path(path).read_bytes())
    except ValueError:
        return False
    return True
