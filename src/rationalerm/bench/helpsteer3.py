"""HelpSteer3-Atomic (benchmarks.md): outcome accuracy, and rationale consistency with the human's atomic reasons, by domain.

The numbers are `evaluate`'s own, by the same functions. Human ties are left out of OA; a judge that gives scores or bare verdicts
has no rationale, which is not the same as a bad one. Knows no files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rationalerm.bench.base import (
    VERDICT_ONLY,
    BenchResult,
    Candidate,
    Contest,
    Drawn,
    Games,
    Played,
    Scores,
    drawn,
    games_of_scores,
)
from rationalerm.bench.figures import counts_of, effects_of, played
from rationalerm.data.sides import swap_sides
from rationalerm.match.base import Matcher
from rationalerm.match.pasted import as_matched, shown_of
from rationalerm.score.consistency import Scoring
from rationalerm.score.rows import GameResult, rationale_status, result
from rationalerm.score.summary import SPURIOUS_UNDER, summarise
from rationalerm.types import Answer, Judgment, Matching, Order, Pair, VerdictStatus

__all__ = ["DOMAINS", "HelpSteer3"]

DOMAINS = ("general", "stem", "code", "multilingual")


@dataclass(frozen=True)
class HelpSteer3:
    """The protocol.

    Args:
        pairs: with the human's side, and atomic reasons where there are some.
        matcher: of reasons, offline.
        orders: both, given, or random (one by the seed and the pair's id); or those of results that exist, by pair.
        seed: of random orders.
        scoring, top_k, spurious_under: as for `evaluate`.
    """

    pairs: Sequence[Pair]
    matcher: Matcher
    orders: Drawn = "both"
    seed: int = 0
    scoring: Scoring = "paper"
    top_k: int | None = 5
    spurious_under: float = SPURIOUS_UNDER

    @property
    def name(self) -> str:
        """As the command line has it."""
        return "helpsteer3"

    def contests(self) -> Iterator[Contest]:
        """A pair each."""
        for pair in self.pairs:
            yield Contest(pair.id, pair, drawn(self.orders, self.seed, pair.id))

    def candidates(self) -> Iterator[Candidate]:
        """Both responses of each pair: `ID:1`, `ID:2`."""
        for pair in self.pairs:
            yield Candidate(f"{pair.id}:1", pair.messages, pair.response_a)
            yield Candidate(f"{pair.id}:2", pair.messages, pair.response_b)

    def result(self, games: Games, scores: Scores) -> BenchResult:
        """Shares of 1; `overall` is OA over answered pairs, and each domain's RC, AP and S-Corr stand in `domains`."""
        contests = list(self.contests())
        if scores:
            contests = [replace(contest, orders=("AB",)) for contest in contests]
            games = games_of_scores(((contest, (f"{contest.id}:1", f"{contest.id}:2")) for contest in contests), scores)
        made = summarise(self._results(contests, games), "judge", spurious_under=self.spurious_under)
        order = [name for name in DOMAINS if name in made.domains]
        order += [name for name in made.domains if name not in order]
        tables: dict[str, Any] = {
            "summary": replace(made, domains={}).to_json(),
            "domains": {name: made.domains[name].to_json() for name in order},
            "matcher": self.matcher.version,
            "scoring": self.scoring,
            "top_k": self.top_k,
            "orders": self.orders if isinstance(self.orders, str) else "given",
            "prose_rows": sum(contest.pair.prose for contest in contests if played(contest, games)),
        }
        return BenchResult(
            name=self.name,
            overall=made["outcome_accuracy"],
            groups={name: made.domains[name]["outcome_accuracy"] for name in order},
            counts=counts_of(contests, games) | {name: made.counts[name] for name in ("human tie", "unlabelled", "scored")},
            effects=effects_of(contests, games),
            tables=tables,
        )

    def _results(self, contests: Sequence[Contest], games: Games) -> list[GameResult]:
        """Each game that was run, its reasons matched with the human's (all rows' in one go)."""
        found = [(contest.pair, order, game) for contest in contests for order, game in played(contest, games).items()]
        read = [(pair, _answer(order, game), _judgment(game)) for pair, order, game in found]
        to_match = [k for k, (pair, answer, made) in enumerate(read) if rationale_status(pair, answer, made) == "scored"]
        lists = [self._lists(*read[k]) for k in to_match]
        matched: dict[int, Matching] = dict(zip(to_match, self.matcher.match_many(lists), strict=True)) if lists else {}
        return [
            result(pair, answer, made, matched.get(k), scoring=self.scoring, top_k=self.top_k)
            for k, (pair, answer, made) in enumerate(read)
        ]

    def _lists(self, pair: Pair, answer: Answer, made: Judgment) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the matcher gets of a game."""
        human = _human(pair, answer.order)
        return human, as_matched(self.matcher, made.reasons, shown_of(pair), human)


def _answer(order: Order, game: Played) -> Answer:
    """As it would stand in a file: a verdict without reasons where none were asked for."""
    reasons = None if VERDICT_ONLY in game.notes else game.reasons
    return Answer("judge", None, reasons, None, order, error="failed" if game.status == "failed" else None)


def _judgment(game: Played) -> Judgment:
    status: VerdictStatus = "given" if game.verdict is not None else "failed"
    if game.verdict is None and game.status in ("none", "refused"):
        status = "refused" if game.status == "refused" else "none"
    return Judgment(game.verdict, None, game.reasons, status, game.notes)


def _human(pair: Pair, order: Order) -> tuple[str, ...]:
    reasons = pair.human_reasons or ()
    return reasons if order == "AB" else tuple(swap_sides(reason) for reason in reasons)
