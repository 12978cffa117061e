"""This run against an earlier one on the rows that both have: worse by more than noise?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from rationalerm.data.jsonl import Row, read_rows
from rationalerm.data.rundir import RunDir
from rationalerm.errors import DataError, UsageError
from rationalerm.match.base import shown
from rationalerm.score.compare import paired
from rationalerm.score.intervals import holm
from rationalerm.score.means import VALUES, Value, per_pair
from rationalerm.score.rows import GameResult
from rationalerm.score.summary import Summary

__all__ = ["Baseline"]

_NOISE = 0.05
_NAMES = {"outcome_accuracy": "OA", "outcome_accuracy_all": "OA with missing verdicts as wrong", "rationale_consistency": "RC"}
METRICS: dict[str, Value] = {name: VALUES[name] for name in _NAMES}


class Baseline:
    """An earlier run's rows. Read before the new run writes anything: the two may share a folder.

    Raises:
        UsageError: no finished run there.
        DataError: a row that can't be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.compared = ""  # said by `worse`
        manifest = RunDir.manifest(path) if str(path) else None
        if manifest is None:
            raise UsageError(f"--baseline {path}: no run.json there; name the --out folder of an earlier evaluate")
        config = manifest.get("config") or {}
        self._how = _how(
            shown(str(config.get("matcher")), str(config.get("matcher_version"))), config.get("scoring"), config.get("top_k")
        )
        self._games = _games(self.path)

    def worse(self, summary: Summary) -> list[str]:
        """One line for each judge and metric that is worse than in the earlier run, or that had a value there and has none now.

        `compared` then says what was held against what.

        Worse: lower by more than noise (paired cluster permutation, Holm over all of them, p < 0.05).

        Raises:
            UsageError: another matcher or scoring there, or no judge and row in common.
        """
        here = _how(summary.matcher, summary.scoring, summary.top_k)
        if self._how != here:
            raise UsageError(
                f"--baseline {self.path}: was scored with {self._how}, this run with {here}; run it again with the same"
            )
        common = [judge for judge in summary.games if judge in self._games]
        lost = [f"{judge}: was there, and is not in this run" for judge in self._games if judge not in summary.games]
        lost += [line for judge in common for line in self._lost(judge, summary)]
        tests = [
            (judge, metric, test)
            for judge in common
            for metric in METRICS
            if (test := paired(self._games[judge], summary.games[judge], metric))
        ]
        if not tests and not lost:
            raise UsageError(f"--baseline {self.path}: has no judge and row in common with this run")
        adjusted = holm([test.p for _, _, test in tests])
        rows = max((test.n for _, _, test in tests), default=0)
        self.compared = f"baseline {self.path}: {', '.join(common) or 'no judge'} compared on up to {rows} common rows"
        return lost + [
            f"{judge}: {_NAMES[metric]} fell from {test.mean_first:.3f} to {test.mean_second:.3f} "
            f"on {test.n} common rows (p = {p:.2g})"
            for (judge, metric, test), p in zip(tests, adjusted, strict=True)
            if test.mean_second < test.mean_first and p < _NOISE
        ]

    def _lost(self, judge: str, summary: Summary) -> Iterator[str]:
        before_ids, now_ids = ({game.id for game in of[judge]} for of in (self._games, summary.games))
        if 2 * len(before_ids & now_ids) < len(before_ids):
            yield f"{judge}: only {len(before_ids & now_ids)} of the {len(before_ids)} rows there are in this run"
        for metric, value in METRICS.items():
            before = per_pair(self._games[judge], value)
            if before and not per_pair(summary.games[judge], value):
                yield f"{judge}: {_NAMES[metric]} was there on {len(before)} rows and is now not defined on any"


def _how(matcher: str, scoring: object, top_k: object) -> str:
    return f"{matcher}, {scoring} scoring, top-k {'none' if top_k is None else top_k}"


def _games(path: Path) -> dict[str, list[GameResult]]:
    games: dict[str, list[GameResult]] = defaultdict(list)
    file = path / "rows.jsonl"
    if not file.exists():
        raise UsageError(f"--baseline {path}: that run is not finished; run its command again")
    for row in read_rows(file):
        assert isinstance(row, Row)
        try:
            game = GameResult.from_json(row.value)
        except (KeyError, ValueError, TypeError) as error:
            raise DataError(f"is not a row of a finished run ({error!r})", source=str(file), row=row.number) from None
        games[game.judge].append(game)
    return games
