"""What the order of the responses does to a judge: how often its two games of a pair agree. Needs no labels.

Over pairs with a verdict in both games. Knows nothing of reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rationalerm.score.means import Mean, by_pair, mean, mean_of
from rationalerm.score.rows import GameResult
from rationalerm.types import Side

__all__ = ["order_effects", "picked_first"]


def order_effects(games: Sequence[GameResult], draws: int = 2000) -> dict[str, Mean]:
    """The judge's shares, each with its 95% interval; empty where it saw all pairs in the same order.

    Args:
        games: one judge's, verdicts in the row's letters.
        draws: of the bootstrap.

    Returns:
        first_position_rate: games, of those that name a response, that name the one shown first; 0.5 is no preference.
        And where pairs have both games: flip_rate, the two name different sides (a tie is one); consistent_wins, both name the
        same response; consistent_ties, both say tie. These three add up to 1.
    """
    if len({game.order for game in games}) < 2:
        return {}
    first = {"first_position_rate": mean(games, picked_first, draws)}
    pairs = [of for of in by_pair(games).values() if len(of) > 1]
    if not pairs:
        return first
    sides = [([game.verdict.side for game in of if game.verdict is not None], of[0].cluster) for of in pairs]
    complete = [(set(found), cluster) for (found, cluster), of in zip(sides, pairs, strict=True) if len(found) == len(of)]

    def share(test: Callable[[set[Side]], bool]) -> Mean:
        return mean_of([(float(test(found)), cluster) for found, cluster in complete], draws)

    return {
        "flip_rate": share(lambda found: len(found) > 1),
        "consistent_wins": share(lambda found: len(found) == 1 and 0 not in found),
        "consistent_ties": share(lambda found: found == {0}),
    } | first


def picked_first(game: GameResult) -> float | None:
    """Did the judge choose the response that it was shown first? Ties and missing verdicts don't say."""
    if game.verdict is None or game.verdict == 0:
        return None
    return float((game.verdict < 0) == (game.order == "AB"))
