"""Several runs side by side: judges under names of their own, pairs that they share, rows for the page's index."""

from __future__ import annotations

import heapq
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from rationalerm.run.reporting.benches import own_table
from rationalerm.run.reporting.loaded import Loaded
from rationalerm.score.rows import GameResult, category

__all__ = [
    "CATEGORIES", "TIE", "Index", "JudgeOfRun", "PairKey", "Row", "copies_of", "judges_of", "key_of_pair", "rows_of",
    "sample_of", "short_names", "strangers",
]  # fmt: skip

PairKey = tuple[str, str]  # id, cluster: one id over two prompts is two pairs

TIE = "judge's tie"  # only where nothing but the verdict is looked at; else a tie is one of the wrong verdicts
CATEGORIES = (
    "right verdict, wrong reasons",
    "right verdict, shared reasons",
    "wrong verdict, shared reasons",
    "wrong verdict, wrong reasons",
    "right verdict, reasons not scored",
    "wrong verdict, reasons not scored",
    TIE,
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


def copies_of(runs: Sequence[Loaded], judges: Sequence[JudgeOfRun]) -> dict[int, int]:
    """The number of each judge that is another run's again, and of which: the same name and evaluator, and all of its games are
    among the other's with equal verdicts, scores and notes. Of two equal ones the later is the copy."""
    found: dict[int, int] = {}
    by_name: dict[tuple[object, ...], list[int]] = {}
    for number, one in enumerate(judges):
        by_name.setdefault((one.judge, runs[one.run].evaluator), []).append(number)
    for same in by_name.values():
        if len(same) < 2:
            continue
        games = {number: {_game_key(game): _answer(game) for game in judges[number].games} for number in same}
        for place, number in enumerate(sorted(same, key=lambda one: (-len(games[one]), one))):
            before = sorted(same, key=lambda one: (-len(games[one]), one))[:place]
            mine = games[number].items()
            known = next((one for one in before if one not in found and mine and mine <= games[one].items()), None)
            if known is not None:
                found[number] = known
    return found


def strangers(runs: Sequence[Loaded]) -> list[str]:
    """A line where runs have no row in common: nothing of them can be held against each other."""
    rows = [{game.id for games in run.games.values() for game in games} for run in runs]
    with_rows = [number for number, ids in enumerate(rows) if ids]
    apart = [(a, b) for a, b in combinations(with_rows, 2) if rows[a].isdisjoint(rows[b])]
    if not apart:
        return []
    if len(apart) == len(with_rows) * (len(with_rows) - 1) // 2:
        return ["These runs have no row in common: nothing is compared between them"]
    shown = short_names([run.name for run in runs])
    return [f"{shown[a]} and {shown[b]} have no row in common: nothing is compared between them" for a, b in apart]


def _game_key(game: GameResult) -> tuple[str, str, str]:
    return game.id, game.cluster, game.order


def _answer(game: GameResult) -> tuple[object, ...]:
    """What a judge said in a game, and what it came to."""
    return (
        game.label, game.verdict, game.verdict_status, game.rationale_status, game.score, game.n_human, game.n_model, game.notes,
        game.repeats,
    )  # fmt: skip


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


def sample_of(pairs: Iterable[PairKey], size: int) -> set[PairKey]:
    """So many of the pairs, drawn by their ids alone: the same on every machine."""
    return set(heapq.nsmallest(size, pairs, key=lambda key: (zlib.crc32(key[0].encode("utf-8", "replace")), key)))


class Index:
    """The columns of the page's index, filled pair by pair."""

    def __init__(self, runs: Sequence[Loaded], domains: Sequence[str]) -> None:
        self._under = [run.spurious_under for run in runs]
        self._verdicts = [own_table(run) for run in runs]
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
            self._category[self._said(game, row.run)],
            None if game.verdict is None else int(game.verdict),
            game.label,
            None if score is None else round(score.recall, 4),
            None if score is None else round(score.precision, 4),
            None if score is None else round(score.average_precision, 4),
            game.n_human,
            game.n_model,
            pair,
        )

    def _said(self, game: GameResult, run: int) -> str:
        if self._verdicts[run] and game.verdict == 0 and game.label:
            return TIE
        return category(game, self._under[run])


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
