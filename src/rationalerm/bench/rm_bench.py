"""RM-Bench (benchmarks.md): nine comparisons a row, of a right and a wrong response in three styles each.

M[i][j] = the share of rows in which the chosen response of style i is put over the rejected one of style j; a tie, or no verdict,
is not. hard: the three cells above the diagonal, normal: on it, easy: below it. A domain's score is their mean, the overall score
the mean of the four domains, and undefined while one is missing. Knows no files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rationalerm.bench.base import BenchResult, Candidate, Contest, Drawn, Games, Scores, drawn, games_of_scores, scored
from rationalerm.bench.figures import DRAWS, counts_of, effects_of, has_answer, mean_of_means, played, sides, was_run
from rationalerm.score.means import Mean, mean_of
from rationalerm.types import Message, Pair

__all__ = ["DOMAINS", "Item", "RMBench", "domain_of"]

DOMAINS = ("chat", "math", "code", "safety")
_STYLES = range(3)
_LEVELS = {
    "easy": [(i, j) for i in _STYLES for j in _STYLES if i > j],
    "normal": [(i, i) for i in _STYLES],
    "hard": [(i, j) for i in _STYLES for j in _STYLES if i < j],
}
_ALL = [(i, j) for i in _STYLES for j in _STYLES]

Cells = dict[tuple[int, int], float]


@dataclass(frozen=True, slots=True)
class Item:
    """One row: `key` tells it from all others, `domain` is the file's (safety-refuse and safety-response are pooled)."""

    key: str
    domain: str
    prompt: str
    chosen: tuple[str, str, str]
    rejected: tuple[str, str, str]


@dataclass(frozen=True)
class RMBench:
    """The protocol.

    Args:
        items: the rows.
        orders: of a pairwise judge's comparisons: `random`, one drawn by the seed and the comparison's id alone; `both`; or
            `given`, the chosen one always first; or those of results that exist, by comparison.
        seed: of `random`.
    """

    items: Sequence[Item]
    orders: Drawn = "random"
    seed: int = 0

    @property
    def name(self) -> str:
        """As the command line has it."""
        return "rm-bench"

    def contests(self) -> Iterator[Contest]:
        """`KEY:i-j` for chosen i against rejected j, nine a row; response_a is the chosen one."""
        for item in self.items:
            turns = (Message("user", item.prompt),)
            for i, j in _ALL:
                key = _contest_id(item, i, j)
                pair = Pair(
                    id=key,
                    messages=turns,
                    response_a=item.chosen[i],
                    response_b=item.rejected[j],
                    label=-1,
                    domain=domain_of(item.domain),
                    cluster=item.prompt,
                )
                yield Contest(key, pair, drawn(self.orders, self.seed, key))

    def candidates(self) -> Iterator[Candidate]:
        """`KEY:chosen-i` and `KEY:rejected-i`, six a row."""
        for item in self.items:
            turns = (Message("user", item.prompt),)
            for kind, responses in (("chosen", item.chosen), ("rejected", item.rejected)):
                for i, response in enumerate(responses):
                    yield Candidate(f"{item.key}:{kind}-{i}", turns, response)

    def result(self, games: Games, scores: Scores) -> BenchResult:
        """Shares of 1. A row counts where all of its comparisons were run."""
        contests = list(self.contests())
        if scores:
            contests = [replace(contest, orders=("AB",)) for contest in contests]
            games = games_of_scores(((contest, _candidates(contest.id)) for contest in contests), scores)
        by_id = {contest.id: contest for contest in contests}
        cells, incomplete = self._cells(by_id, games)
        domains = _by_domain(self.items, cells)
        whole = all(domains.get(name) for name in DOMAINS)
        parts = [domains.get(name, []) for name in DOMAINS]
        tables: dict[str, Any] = {
            "difficulty": {name: scored(_level(parts, name)) for name in _LEVELS},
            "domains": {name: _domain(rows) for name, rows in domains.items()},
            "per_sample": scored(mean_of([(_mean(c, _ALL), item.prompt) for rows in parts for item, c in rows], DRAWS)),
        }
        if whole:
            tables["matrix"] = [[_cell(parts, i, j) for j in _STYLES] for i in _STYLES]
        counts = {"rows": len(self.items), "rows not run": len(self.items) - len(cells)} | counts_of(contests, games)
        return BenchResult(
            name=self.name,
            overall=_level(parts, None) if whole else Mean(None, None, sum(map(len, domains.values()))),
            groups={name: _mean_of_rows(rows, _ALL) for name, rows in domains.items()},
            counts=counts | {"rows run in part": incomplete},
            effects=effects_of(contests, games),
            tables=tables,
        )

    def _cells(self, contests: Mapping[str, Contest], games: Games) -> tuple[dict[str, Cells], int]:
        """Each whole row's nine cells (with both orders the mean of the two games), and how many rows were run in part."""
        cells: dict[str, Cells] = {}
        incomplete, answered = 0, has_answer(contests.values(), games)
        for item in self.items:
            of = {(i, j): contests[_contest_id(item, i, j)] for i, j in _ALL}
            if answered and all(was_run(contest, games) for contest in of.values()):
                cells[item.key] = {place: _share_won(contest, games) for place, contest in of.items()}
            else:
                incomplete += any(played(contest, games) for contest in of.values())
        return cells, incomplete


def domain_of(domain: str) -> str:
    """The domain that a row's own is pooled into.

    >>> domain_of("safety-refuse"), domain_of("chat")
    ('safety', 'chat')
    """
    return next((name for name in DOMAINS if domain == name or domain.startswith(f"{name}-")), domain)


Rows = list[tuple[Item, Cells]]


def _contest_id(item: Item, i: int, j: int) -> str:
    return f"{item.key}:{i}-{j}"


def _candidates(contest_id: str) -> tuple[str, str]:
    key, _, places = contest_id.rpartition(":")
    i, j = places.split("-")
    return f"{key}:chosen-{i}", f"{key}:rejected-{j}"


def _share_won(contest: Contest, games: Games) -> float:
    """Of its games, how many name the chosen response (which is response_a)."""
    found = sides(contest, games)
    return sum(side == -1 for side in found) / len(found)


def _by_domain(items: Sequence[Item], cells: Mapping[str, Cells]) -> dict[str, Rows]:
    rows: dict[str, Rows] = defaultdict(list)
    for item in items:
        if item.key in cells:
            rows[domain_of(item.domain)].append((item, cells[item.key]))
    order = [name for name in DOMAINS if name in rows]
    return {name: rows[name] for name in [*order, *sorted(set(rows) - set(order))]}


def _mean(cells: Cells, places: Sequence[tuple[int, int]]) -> float:
    return sum(cells[place] for place in places) / len(places)


def _mean_of_rows(rows: Rows, places: Sequence[tuple[int, int]]) -> Mean:
    """hard, normal and easy have three cells each, so that the mean of the nine is the mean of the three."""
    return mean_of([(_mean(cells, places), item.prompt) for item, cells in rows], DRAWS)


def _level(parts: Sequence[Rows], name: str | None) -> Mean:
    """A difficulty, or all nine cells, as the mean over the four domains."""
    places = _ALL if name is None else _LEVELS[name]
    return mean_of_means([[(_mean(cells, places), item.prompt) for item, cells in rows] for rows in parts], DRAWS)


def _cell(parts: Sequence[Rows], i: int, j: int) -> float:
    return sum(sum(cells[i, j] for _, cells in rows) / len(rows) for rows in parts) / len(parts)


def _domain(rows: Rows) -> dict[str, Any]:
    levels = {name: scored(_mean_of_rows(rows, places)) for name, places in _LEVELS.items()}
    matrix = [[sum(cells[i, j] for _, cells in rows) / len(rows) for j in _STYLES] for i in _STYLES]
    return levels | {"matrix": matrix, "n": len(rows)}
