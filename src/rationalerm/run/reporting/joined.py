"""Several runs side by side: judges under names of their own, pairs that they share, rows for the page's index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rationalerm.run.reporting.loaded import Loaded
from rationalerm.score.rows import GameResult, category

__all__ = ["CATEGORIES", "Index", "JudgeOfRun", "PairKey", "Row", "judges_of", "key_of_pair", "rows_of", "short_names"]

PairKey = tuple[str, str]  # id, cluster: one id over two prompts is two pairs

CATEGORIES = (
    "right verdict, wrong reasons",
    "right verdict, shared reasons",
    "wrong verdict, shared reasons",
    "wrong verdict, wrong reasons",
    "right verdict, reasons not scored",
    "wrong verdict, reasons not scored",
    "human tie",
    "unlabelled",
    "no verdict (none)",
    "no verdict (refused)",
    "no verdict (failed)",
)  # in the order in which a reader wants them


class JudgeOfRun(NamedTuple):
    """A judge of one run; `name` is its own among all runs."""

    name: str
    judge: str
    run: int
    games: Sequence[GameResult]


class Row(NamedTuple):
    """A game and whose it is (numbers of the judge and the run)."""

    game: GameResult
    judge: int
    run: int


def judges_of(runs: Sequence[Loaded]) -> list[JudgeOfRun]:
    """All runs' judges; where two runs have one of the same name, the run's name stands behind it."""
    names = Counter(judge for run in runs for judge in run.games)
    shown = short_names([run.name for run in runs])
    return [
        JudgeOfRun(judge if names[judge] == 1 else f"{judge} ({shown[number]})", judge, number, games)
        for number, run in enumerate(runs)
        for judge, games in run.games.items()
    ]


def key_of_pair(game: GameResult) -> PairKey:
    """What a pair is known by."""
    return game.id, game.cluster


def rows_of(judges: Sequence[JudgeOfRun]) -> dict[PairKey, list[Row]]:
    """Each pair's games."""
    rows: dict[PairKey, list[Row]] = {}
    for number, judge in enumerate(judges):
        for game in judge.games:
            rows.setdefault(key_of_pair(game), []).append(Row(game, number, judge.run))
    return rows


class Index:
    """The columns of the page's index, filled pair by pair."""

    def __init__(self, runs: Sequence[Loaded], domains: Sequence[str]) -> None:
        self._under = [run.spurious_under for run in runs]
        self._domain = {name: number for number, name in enumerate(domains)}
        self._category = {name: number for number, name in enumerate(CATEGORIES)}
        self.columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return len(self.columns["title"])

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.columns["id"])

    def add(self, title: str, chunk: int, rows: Sequence[Row]) -> Iterator[tuple[int, Row]]:
        """A pair with its rows; gives the rows' numbers."""
        pair = self.pairs
        self.columns["title"].append(title)
        self.columns["chunk"].append(chunk)
        for row in rows:
            yield self.rows, row
            for name, value in zip(_ROW, self._values(row, pair), strict=True):
                self.columns[name].append(value)

    def _values(self, row: Row, pair: int) -> tuple[Any, ...]:
        game, score = row.game, row.game.score
        return (
            game.id,
            row.judge,
            self._domain.get(game.domain or "", -1),
            int(game.order == "BA"),
            self._category[category(game, self._under[row.run])],
            None if game.verdict is None else int(game.verdict),
            game.label,
            None if score is None else round(score.recall, 4),
            None if score is None else round(score.precision, 4),
            None if score is None else round(score.average_precision, 4),
            game.n_human,
            game.n_model,
            pair,
        )


_ROW = (
    "id",
    "judge",
    "domain",
    "order",
    "category",
    "verdict",
    "label",
    "recall",
    "precision",
    "ap",
    "n_human",
    "n_model",
    "pair",
)
_COLUMNS = (*_ROW, "title", "chunk")


def short_names(names: Sequence[str]) -> list[str]:
    """The runs' names, as short as they can be and still differ: their last folder, or the whole."""
    short = [name.rstrip("/").rsplit("/", 1)[-1] for name in names]
    return short if len(set(short)) == len(short) else list(names)
