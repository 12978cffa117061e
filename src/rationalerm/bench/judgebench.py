"""JudgeBench (benchmarks.md): two games a pair, and a pair is right where they sum to more than nothing.

A game counts +1 if it names the label's side, -1 if the other, 0 for a tie or no verdict: right and tie is right, right and wrong
is not. The score is 100 * right / n over all pairs that were run; of one that was run in part the missing game adds 0, and such
pairs are counted. Knows no files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rationalerm.bench.base import BenchResult, Candidate, Contest, Games, Scores, games_of_scores, scored
from rationalerm.bench.figures import DRAWS, counts_of, effects_of, has_answer, played, sides, was_run
from rationalerm.score.means import Mean, mean_of
from rationalerm.types import Pair

__all__ = ["GROUPS", "JudgeBench", "group_of"]

_OUTCOMES = ("right", "wrong", "undecided", "no verdict", "failed")  # of a pair that was run; they add up to n

GROUPS = {"mmlu-pro": "Knowledge", "livebench-reasoning": "Reasoning", "livebench-math": "Math", "livecodebench": "Coding"}
_PERCENT = (0.0, 100.0)  # what a score lies between


@dataclass(frozen=True)
class JudgeBench:
    """The protocol.

    Args:
        pairs: their `domain` is the row's `source`.
        splits: pair's id -> which split it is of (gpt, claude); where pairs of several are run, each has its own table.
    """

    pairs: Sequence[Pair]
    splits: Mapping[str, str] | None = None

    @property
    def name(self) -> str:
        """As the command line has it."""
        return "judgebench"

    def contests(self) -> Iterator[Contest]:
        """A pair each, in both orders."""
        for pair in self.pairs:
            yield Contest(pair.id, replace(pair, domain=group_of(pair.domain or "")), ("AB", "BA"))

    def candidates(self) -> Iterator[Candidate]:
        """Both responses of each pair: `PAIR_ID:A`, `PAIR_ID:B`."""
        for pair in self.pairs:
            yield Candidate(f"{pair.id}:A", pair.messages, pair.response_a)
            yield Candidate(f"{pair.id}:B", pair.messages, pair.response_b)

    def result(self, games: Games, scores: Scores) -> BenchResult:
        """The score, in percent."""
        contests = list(self.contests())
        halves = _halves(contests, games, scores)
        if scores:  # a scalar judge has no orders: one game
            contests = [replace(contest, orders=("AB",)) for contest in contests]
            two = ((contest, (f"{contest.id}:A", f"{contest.id}:B")) for contest in contests)
            games = games_of_scores(two, scores, halves=True)
        run = [contest for contest in contests if played(contest, games)] if has_answer(contests, games) else []
        sums = {contest.id: _sum(contest, games) for contest in run}
        splits = self.splits or {}
        named = sorted({splits[contest.id] for contest in run if contest.id in splits})
        outcomes = Counter(_outcome(contest, games, _sum(contest, games)) for contest in contests if played(contest, games))
        tables: dict[str, Any] = {"splits": {}, "outcomes": {name: outcomes[name] for name in _OUTCOMES}}
        tables["answered"] = _answered(run, games, sums)
        for split in named:
            part = [contest for contest in run if splits.get(contest.id) == split]
            groups = {name: scored(mean) for name, mean in _groups(part, sums).items()}
            tables["splits"][split] = {"overall": scored(_score(part, sums)), "groups": groups}
        return BenchResult(
            name=self.name,
            overall=_score(run, sums),
            groups=_groups(run, sums),
            unit="percent",
            counts=counts_of(contests, games) | halves,
            effects=effects_of(contests, games),
            tables=tables,
        )


def group_of(source: str) -> str:
    """The group of a source; a source that is none of the benchmark's is its own.

    >>> group_of("mmlu-pro-law"), group_of("livecodebench"), group_of("mine")
    ('Knowledge', 'Coding', 'mine')
    """
    return next((group for prefix, group in GROUPS.items() if source.startswith(prefix)), source)


def _halves(contests: Sequence[Contest], games: Games, scores: Scores) -> dict[str, int]:
    """Pairs of which half is there.

    Returns:
        "pairs run in part": with one of two games, or one of two scores. "pairs on one game": with a verdict in one game and none
        in the other, for whatever reason: that one game decides them.
    """
    if scores:
        return {"pairs run in part": sum((f"{c.id}:A" in scores) != (f"{c.id}:B" in scores) for c in contests)}
    part = sum(0 < len(played(contest, games)) < len(contest.orders) for contest in contests)
    decided = ([side for side in sides(contest, games) if side is not None] for contest in contests)
    return {"pairs run in part": part, "pairs on one game": sum(len(found) == 1 for found in decided)}


def _sum(contest: Contest, games: Games) -> int:
    """+1 a game that names the label's side, -1 one that names the other."""
    assert contest.pair.label
    return sum((side or 0) * contest.pair.label for side in sides(contest, games))


def _score(contests: Sequence[Contest], sums: Mapping[str, int]) -> Mean:
    return mean_of([(100.0 * (sums[contest.id] > 0), contest.pair.cluster) for contest in contests], DRAWS, _PERCENT)


def _groups(contests: Sequence[Contest], sums: Mapping[str, int]) -> dict[str, Mean]:
    found = {contest.pair.domain or "" for contest in contests}
    order = [group for group in GROUPS.values() if group in found]
    order += sorted(found - set(order))
    return {name: _score([contest for contest in contests if contest.pair.domain == name], sums) for name in order}


def _outcome(contest: Contest, games: Games, total: int) -> str:
    """One of `_OUTCOMES`. undecided: verdicts that cancel, or tie; failed: no game came to an answer."""
    if total:
        return "right" if total > 0 else "wrong"
    found = played(contest, games).values()
    if any(game.verdict is not None for game in found):
        return "undecided"
    return "failed" if all(game.status == "failed" for game in found) else "no verdict"


def _answered(contests: Sequence[Contest], games: Games, sums: Mapping[str, int]) -> dict[str, Any]:
    """The score over pairs whose every game was run and has a verdict: what missing verdicts cost."""
    whole = [contest for contest in contests if was_run(contest, games) and None not in sides(contest, games)]
    return scored(_score(whole, sums))
