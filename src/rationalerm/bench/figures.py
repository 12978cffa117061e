"""What every benchmark's table has beside its score: counts of what is missing, position bias, length bias; and means of means.

Knows no benchmark.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from rationalerm.bench.base import NOT_RUN, Contest, Games, Played
from rationalerm.score.means import Mean, mean_of
from rationalerm.score.orders import order_effects
from rationalerm.score.outcome import in_row_order
from rationalerm.score.resample import cluster_draws
from rationalerm.score.rows import GameResult
from rationalerm.types import Order, Verdict, VerdictStatus

__all__ = ["DRAWS", "counts_of", "effects_of", "game_results", "has_answer", "mean_of_means", "played", "sides", "was_run"]

DRAWS = 2000  # of the bootstrap, as everywhere
_KINDS = ("given", "none", "refused", "failed", NOT_RUN)


def played(contest: Contest, games: Games) -> dict[Order, Played]:
    """The contest's games that were run, by order."""
    found = {order: games.get((contest.id, order)) for order in contest.orders}
    return {order: game for order, game in found.items() if game is not None and game.status != NOT_RUN}


def has_answer(contests: Iterable[Contest], games: Games) -> bool:
    """Did the judge answer at all? Where every call failed nothing is known of it: there is no score, and none of 0."""
    return any(game.status != "failed" for contest in contests for game in played(contest, games).values())


def was_run(contest: Contest, games: Games) -> bool:
    """Were all its games run? One that failed was run."""
    return len(played(contest, games)) == len(contest.orders)


def sides(contest: Contest, games: Games) -> list[int | None]:
    """Of each game that was run, -1 (response_a), 0 or 1 by the pair's own letters; None without a verdict."""
    turned = (in_row_order(game.verdict, order) for order, game in played(contest, games).items())
    return [None if verdict is None else verdict.side for verdict in turned]


def game_results(contests: Iterable[Contest], games: Games, judge: str = "judge") -> list[GameResult]:
    """The games that were run as the score room knows them, without reasons; clustered as the pairs are."""
    return [_result(contest, order, game, judge) for contest in contests for order, game in played(contest, games).items()]


def counts_of(contests: Sequence[Contest], games: Games) -> dict[str, int]:
    """Pairs, and games by what came of them (they add up); ties are games with a verdict."""
    kinds: Counter[str] = Counter(dict.fromkeys(_KINDS, 0))
    ties = total = 0
    for contest in contests:
        found = played(contest, games)
        total += len(contest.orders)
        kinds[NOT_RUN] += len(contest.orders) - len(found)
        for game in found.values():
            kinds["given" if game.verdict is not None else game.status] += 1
            ties += game.verdict == Verdict.TIE
    not_run = sum(not played(contest, games) for contest in contests)
    return {"pairs": len(contests), "pairs not run": not_run, "games": total} | dict(kinds) | {"ties": ties}


def effects_of(contests: Sequence[Contest], games: Games, draws: int = DRAWS) -> dict[str, Mean]:
    """Shares with their intervals.

    Returns:
        flip_rate, consistent_wins, consistent_ties, first_position_rate where pairs were shown in both orders;
        longer_wins: of pairs with responses of two lengths (in characters), how often the judge's choice is the longer one;
        label_longer: over the same pairs, how often the label's is. A judge that sees content alone has the two alike.
    """
    results = game_results(contests, games)
    return order_effects(results, draws) | _lengths(contests, results, draws)


def mean_of_means(parts: Sequence[Sequence[tuple[float, str]]], draws: int = DRAWS) -> Mean:
    """The mean of the parts' means; clusters are resampled within each part. Undefined where a part is empty.

    Args:
        parts: (value, cluster) of each row of each part.
        draws: of the bootstrap.
    """
    n = sum(len(part) for part in parts)
    if not parts or not all(parts):
        return Mean(None, None, n)
    value = sum(sum(v for v, _ in part) / len(part) for part in parts) / len(parts)
    drawn = [_draws(part, draws, seed) for seed, part in enumerate(parts)]
    if any(found is None for found in drawn):
        return Mean(value, None, n)
    low, high = np.quantile(np.mean(np.array(drawn), axis=0), [0.025, 0.975])
    if low == high:  # nothing varies in any part: the exact bound of each
        exact = [found for part in parts if (found := mean_of(list(part), draws).interval) is not None]
        low, high = np.mean(exact, axis=0)
    return Mean(value, (float(low), float(high)), n)


def _draws(part: Sequence[tuple[float, str]], draws: int, seed: int) -> np.ndarray | None:
    """The part's mean in each resample of its clusters."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for value, cluster in part:
        sums[cluster][0] += value
        sums[cluster][1] += 1
    if len(sums) < 2:
        return None
    total, size = np.array([sums[cluster] for cluster in sorted(sums)]).T  # the rows' order does not matter
    weights = np.concatenate(list(cluster_draws(len(sums), draws, len(sums), seed)))
    return np.asarray((weights @ total) / (weights @ size))


def _lengths(contests: Sequence[Contest], results: Sequence[GameResult], draws: int) -> dict[str, Mean]:
    longer = {contest.id: _longer(contest) for contest in contests}
    chosen: dict[str, list[bool]] = defaultdict(list)
    for game in results:
        if game.verdict and longer[game.id]:
            chosen[game.id].append(game.verdict.side == longer[game.id])
    if not chosen:
        return {}
    known = [contest for contest in contests if contest.id in chosen]
    won = mean_of([(sum(chosen[c.id]) / len(chosen[c.id]), c.pair.cluster) for c in known], draws)
    labelled: Callable[[Contest], float] = lambda c: float(c.pair.label == longer[c.id])  # noqa: E731
    label = [(labelled(c), c.pair.cluster) for c in known if c.pair.label]
    return {"longer_wins": won} | ({"label_longer": mean_of(label, draws)} if label else {})


def _longer(contest: Contest) -> int:
    a, b = len(contest.pair.response_a), len(contest.pair.response_b)
    return (b > a) - (b < a)


def _result(contest: Contest, order: Order, game: Played, judge: str) -> GameResult:
    status: VerdictStatus = "given" if game.verdict is not None else "failed"
    if game.verdict is None and game.status in ("none", "refused"):
        status = "refused" if game.status == "refused" else "none"
    return GameResult(
        id=contest.id,
        judge=judge,
        order=order,
        cluster=contest.pair.cluster,
        domain=contest.pair.domain,
        label=contest.pair.label,
        verdict=in_row_order(game.verdict, order),
        verdict_status=status,
        rationale_status="no human reasons",
        score=None,
        n_human=0,
        n_model=len(game.reasons),
        notes=game.notes,
    )
