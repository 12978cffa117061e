"""What a benchmark's protocol is: which games a judge plays, or which responses it scores, and the result of what came of them.

A pairwise judge plays `Contest`s, each in the orders that it names; a scalar judge scores `Candidate`s. Whoever runs the judge
(an endpoint, a file, a test) hands back a `Played` a game or a number a candidate. Knows no files, no endpoints, no terminal.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rationalerm.data.orders import Orders, orders_of
from rationalerm.score.means import Mean
from rationalerm.types import Judgment, Message, Order, Pair, Verdict

__all__ = [
    "NOT_RUN", "VERDICT_ONLY", "BenchResult", "Candidate", "Contest", "Drawn", "Games", "Played", "Protocol", "Scores", "drawn",
    "games_of_scores", "scored",
]  # fmt: skip

Games = Mapping[tuple[str, Order], "Played"]  # (contest's id, order) -> what came of it; a game that is not there was not run
Drawn = Orders | Mapping[str, tuple[Order, ...]]  # by rule, or by contest
Scores = Mapping[str, float | None]  # candidate's id -> its score; None: no finite number came back; not there: not run

NOT_RUN = "not run"
VERDICT_ONLY = "verdict only"  # a note: the judge was asked for no reasons


@dataclass(frozen=True, slots=True)
class Contest:
    """One comparison that a pairwise judge makes.

    `id` is unique in the benchmark ("chat/600:0-2" of RM-Bench, a pair_id). `pair` has its responses in the given order,
    `label` = the gold side or None, `domain` and `cluster` (equal for the same prompt). `orders`: which games are played.
    """

    id: str
    pair: Pair
    orders: tuple[Order, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One response that a scalar judge scores, behind the conversation that it answers."""

    id: str
    messages: tuple[Message, ...]
    response: str


@dataclass(frozen=True, slots=True)
class Played:
    """What came of one game. `verdict` and `reasons` are in the game's own letters: in "BA", A is the pair's response_b.

    `status`: given, none (an answer without a verdict), refused, failed (no answer), not run.
    """

    verdict: Verdict | None
    status: str = "given"
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, judgment: Judgment) -> Played:
        """What the one parser made of a judge's text."""
        return cls(judgment.verdict, judgment.status, judgment.reasons, judgment.notes)

    @classmethod
    def of_scores(cls, a: float | None, b: float | None) -> Played:
        """Two scores of a scalar judge: the larger wins, equal ones tie, and one that is no finite number decides nothing.

        >>> Played.of_scores(1.5, -2.0).verdict.label, Played.of_scores(1.5, None).status
        ('A>B', 'failed')
        """
        if a is None or b is None or not (math.isfinite(a) and math.isfinite(b)):
            return cls(None, "failed", notes=("no score", VERDICT_ONLY))
        return cls(Verdict.A_BETTER if a > b else Verdict.B_BETTER if b > a else Verdict.TIE, notes=(VERDICT_ONLY,))


@dataclass(frozen=True, slots=True)
class BenchResult:
    """A benchmark's numbers. An undefined one is None, never 0.

    Attributes:
        name: the benchmark's.
        overall: the benchmark's own score, in `unit`; its value is None where the benchmark defines none (a domain is missing).
        groups: the same by domain or group, in the benchmark's order.
        unit: "percent" or "share", as the benchmark's own tables have it.
        counts: pairs, games and what is not in the score, by kind.
        effects: shares in 0..1, flip_rate, first_position_rate, longer_wins, label_longer, ...
        tables: what one benchmark has alone (a matrix, the models of an arena), ready for JSON.
    """

    name: str
    overall: Mean
    groups: Mapping[str, Mean] = field(default_factory=dict)
    unit: str = "share"
    counts: Mapping[str, int] = field(default_factory=dict)
    effects: Mapping[str, Mean] = field(default_factory=dict)
    tables: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Full precision, undefined = null; `overall` and `groups` have `score`, `score_ci` and `n`."""
        out: dict[str, Any] = {"benchmark": self.name, "unit": self.unit, "overall": scored(self.overall)}
        out["groups"] = {name: scored(group) for name, group in self.groups.items()}
        out["counts"] = dict(self.counts)
        for name, share in self.effects.items():
            out |= share.to_json(name)
        return out | dict(self.tables)


class Protocol(typing.Protocol):
    """A benchmark, its data read already."""

    @property
    def name(self) -> str:
        """`judgebench`, as the command line has it."""

    def contests(self) -> Iterator[Contest]:
        """What a pairwise judge compares, in the data's order."""

    def candidates(self) -> Iterator[Candidate]:
        """What a scalar judge scores, in the data's order."""

    def result(self, games: Games, scores: Scores) -> BenchResult:
        """The numbers. Either `games` or `scores` is empty; what is in neither was not run."""


def scored(mean: Mean) -> dict[str, Any]:
    """A figure as the benchmarks' JSON has it."""
    return {"score": mean.value, "score_ci": list(mean.interval) if mean.interval else None, "n": mean.n}


def drawn(orders: Drawn, seed: int, contest_id: str) -> tuple[Order, ...]:
    """The orders of a contest, by `orders_of`; or by contest, of results that exist already: one that is not there has had no
    game yet, in the given order.

    >>> drawn("both", 0, "q1"), drawn({"q1": ("BA",)}, 0, "q1"), drawn({}, 0, "q1")
    (('AB', 'BA'), ('BA',), ('AB',))
    """
    if not isinstance(orders, str):
        return orders.get(contest_id, ("AB",))
    return orders_of(orders, seed, contest_id)


def games_of_scores(
    contests: Iterable[tuple[Contest, Sequence[str]]], scores: Scores, *, both: bool = False, halves: bool = False
) -> dict[tuple[str, Order], Played]:
    """A scalar judge's scores as games: of each contest with the ids of its two candidates, as far as they were scored.

    Such a judge sees no order, so that one game ("AB") says it all; `both`: as two games, for a benchmark that needs two.
    `halves`: a contest of which one candidate has a score is a failure ("no score"); else it was not run.
    """
    games: dict[tuple[str, Order], Played] = {}
    for contest, (a, b) in contests:
        if not (a in scores or b in scores if halves else a in scores and b in scores):
            continue
        games[contest.id, "AB"] = Played.of_scores(scores.get(a), scores.get(b))
        if both:
            games[contest.id, "BA"] = Played.of_scores(scores.get(b), scores.get(a))
    return games
