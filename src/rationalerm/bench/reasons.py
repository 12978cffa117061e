"""The judge's reasons on a benchmark of verdicts: how many, of which kind, by what the verdict came to. Knows no benchmark.

Without the human's reasons nothing says that a reason is right; but a judge whose wrong verdicts come with reasons that could be
said of any response, or that speak for the other side, shows it here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rationalerm.bench.base import VERDICT_ONLY, Contest, Games
from rationalerm.bench.figures import played
from rationalerm.score.outcome import in_row_order

__all__ = ["Kinds", "reasons_table", "specific_or_generic"]

Kinds = Callable[[Sequence[str]], Sequence[str]]  # a list of reasons -> the kind of each
_OUTCOMES = ("right", "wrong", "tie", "unlabelled", "no verdict")


def specific_or_generic(reasons: Sequence[str]) -> list[str]:
    """`generic` for a reason that could be said of any response, else `specific`.

    >>> specific_or_generic(["Response A adds 12 and 30 to 44.", "Response B is clear and helpful."])
    ['specific', 'generic']
    """
    from rationalerm.match.leaning import leaning

    return ["generic" if leaning([reason]).generic else "specific" for reason in reasons]


@dataclass
class _Tally:
    """The games of one outcome."""

    games: int = 0
    with_reasons: int = 0
    reasons: int = 0
    told: int = 0
    for_verdict: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        """Shares are of reasons, or of the games whose reasons lean to a side; None without any."""
        kinds = {name: count / self.reasons for name, count in sorted(self.kinds.items())}
        return {
            "games": self.games,
            "with_reasons": self.with_reasons,
            "reasons": self.reasons,
            "reasons_per_game": self.reasons / self.with_reasons if self.with_reasons else None,
            "kinds": kinds,
            "reasons_lean_to_the_verdict": self.for_verdict / self.told if self.told else None,
        }


def reasons_table(contests: Iterable[Contest], games: Games, kinds: Kinds = specific_or_generic) -> dict[str, Any]:
    """By outcome of the game (right, wrong, tie, unlabelled, no verdict): games, reasons, the share of each kind, and how often
    the reasons, taken together, lean to the side of the verdict that they are given for."""
    from rationalerm.match.leaning import leaning

    tallies = {name: _Tally() for name in _OUTCOMES}
    for contest in contests:
        for order, game in played(contest, games).items():
            if VERDICT_ONLY in game.notes:
                continue
            verdict = in_row_order(game.verdict, order)
            tally = tallies[_outcome(None if verdict is None else verdict.side, contest.pair.label)]
            tally.games += 1
            if not game.reasons:
                continue
            tally.with_reasons += 1
            tally.reasons += len(game.reasons)
            tally.kinds.update(kinds(game.reasons))
            lean = leaning(game.reasons).side
            if game.verdict and lean:
                tally.told += 1
                tally.for_verdict += lean == game.verdict.side
    return {name: tally.to_json() for name, tally in tallies.items() if tally.games}


def _outcome(side: int | None, label: int | None) -> str:
    if side is None:
        return "no verdict"
    if not label:
        return "unlabelled"
    return "tie" if side == 0 else "right" if side == label else "wrong"
