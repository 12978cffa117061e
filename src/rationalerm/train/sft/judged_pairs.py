"""Pairs with judges' answers, every sample of them: a file as `evaluate` reads it, or the run directory of `rationalerm judge`.

A run directory's pairs.jsonl holds one answer a game, the one that speaks for the votes; its judgments.jsonl has them all. Knows
nothing of rewards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson

from rationalerm.data.pairs import Columns, PairFile
from rationalerm.errors import DataError
from rationalerm.run.judged import digest_of, is_answer
from rationalerm.types import Answer, Pair

__all__ = ["JudgedPairs"]


@dataclass
class JudgedPairs:
    """Iterate it, more than once if need be.

    Args:
        path: a file, or a judge's run directory.
        columns: which judges and field names; no judges means: all that the first row has.
        skip_bad, limit: as for `PairFile`.

    Raises (while iterating):
        DataError: a bad row, or no pairs.jsonl in the directory.
    """

    path: str | Path
    columns: Columns = field(default_factory=Columns)
    skip_bad: bool = False
    limit: int | None = None
    bad_rows: int = 0

    def __iter__(self) -> Iterator[Pair]:
        path, votes = Path(self.path), None
        if path.is_dir():
            if not (path / "pairs.jsonl").exists():
                raise DataError("holds no pairs.jsonl; name a file of pairs, or the folder of a judge run", source=str(path))
            votes, path = _Votes(path / "judgments.jsonl"), path / "pairs.jsonl"
        pairs = PairFile(path if votes else self.path, self.columns, skip_bad=self.skip_bad, limit=self.limit)
        for pair in pairs:
            yield pair if votes is None else replace(pair, answers=votes.all_of(pair, pairs.judges))
        self.bad_rows = len(pairs.bad)


class _Votes:
    """judgments.jsonl by id; in memory are places only."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        if not path.exists():
            return
        with path.open("rb") as handle:
            end = 0
            for line in handle:
                start, end = end, end + len(line)
                row = _row(line)
                if row is not None:
                    self._places[row["id"]].append((start, len(line)))

    def all_of(self, pair: Pair, judges: tuple[str, ...]) -> tuple[Answer, ...]:
        """The pair's answers, with every vote in place of the one that speaks for them."""
        votes = []
        places = self._places.get(pair.id, [])
        if places:
            digest = digest_of(pair)
            with self._path.open("rb") as handle:
                for start, size in places:
                    handle.seek(start)
                    row = _row(handle.read(size))
                    if row is not None and row["digest"] == digest and row.get("judge") in judges:
                        votes.append(Answer(row["judge"], row.get("text"), None, None, row["order"], row.get("finish_reason")))
        games = {(vote.judge, vote.order) for vote in votes}
        return (*(answer for answer in pair.answers if (answer.judge, answer.order) not in games), *votes)


def _row(line: bytes) -> dict[str, Any] | None:
    """A whole row of judgments.jsonl; None for a torn or damaged one."""
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return row if isinstance(row, dict) and is_answer(row) and row.get("order") in ("AB", "BA") else None
