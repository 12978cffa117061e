"""This run against an earlier one on the rows that both have: worse by more than noise?"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from rationalerm.data.jsonl import Row, read_rows
from rationalerm.data.rundir import RunDir
from rationalerm.errors import DataError, UsageError
from rationalerm.score.compare import paired
from rationalerm.score.intervals import holm
from rationalerm.score.rows import GameResult
from rationalerm.score.summary import Summary

__all__ = ["worse_than"]

_NOISE = 0.05
_NAMES = {"outcome_accuracy": "OA", "rationale_consistency": "RC"}


def worse_than(baseline: str | Path, summary: Summary) -> list[str]:
    """One line for each judge and metric that is worse than in the earlier run (paired permutation, Holm, p < 0.05).

    Raises:
        UsageError: no such run, another matcher or scoring there, or no judge and row in common.
    """
    manifest = RunDir.manifest(baseline)
    if manifest is None:
        raise UsageError(f"--baseline {baseline}: no run.json there; name the --out folder of an earlier evaluate")
    config = manifest.get("config") or {}
    there = f"{config.get('matcher')} {config.get('matcher_version')}, {config.get('scoring')} scoring"
    here = f"{summary.matcher}, {summary.scoring} scoring"
    if there != here:
        raise UsageError(f"--baseline {baseline}: was scored with {there}, this run with {here}; run it again with the same")
    before = _games(Path(baseline))
    tests = [
        (judge, metric, test)
        for judge in summary.games
        for metric in _NAMES
        if judge in before and (test := paired(before[judge], summary.games[judge], metric))
    ]
    if not tests:
        raise UsageError(f"--baseline {baseline}: has no judge and row in common with this run")
    adjusted = holm([test.p for _, _, test in tests])
    return [
        f"{judge}: {_NAMES[metric]} fell from {test.mean_first:.3f} to {test.mean_second:.3f} on {test.n} common rows (p = {p:.2g})"
        for (judge, metric, test), p in zip(tests, adjusted, strict=True)
        if test.mean_second < test.mean_first and p < _NOISE
    ]


def _games(path: Path) -> dict[str, list[GameResult]]:
    games: dict[str, list[GameResult]] = defaultdict(list)
    file = path / "rows.jsonl"
    for row in read_rows(file):
        assert isinstance(row, Row)
        try:
            game = GameResult.from_json(row.value)
        except (KeyError, ValueError, TypeError) as error:
            raise DataError(f"is not a row of a finished run ({error!r})", source=str(file), row=row.number) from None
        games[game.judge].append(game)
    return games
