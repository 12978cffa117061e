"""The judge's reasons on a benchmark of verdicts: how many, of which kinds and flaws, by what the verdict came to.
Knows no benchmark.

Without the human's reasons nothing says that a reason is right; but a judge whose wrong verdicts come with reasons that could be
said of any response, or that speak for the other side, shows it here. Kinds and flaws are the rule tagger's (docs/taxonomy.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rationalerm.bench.base import VERDICT_ONLY, Contest, Games
from rationalerm.bench.figures import played
from rationalerm.judge.tagging import FLAWS, KINDS, RuleTagger, Tags
from rationalerm.score.outcome import in_row_order
from rationalerm.types import Verdict

__all__ = ["Tagging", "reasons_table"]

Tagging = Callable[[Sequence[str], Verdict | None], Sequence[Tags]]  # a list and its verdict -> the tags of each reason
_OUTCOMES = ("right", "wrong", "tie", "unlabelled", "no verdict")


@dataclass
class _Tally:
    """The games of one outcome."""

    games: int = 0
    with_reasons: int = 0
    reasons: int = 0
    told: int = 0
    for_verdict: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    flaws: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        """Shares are of reasons, or of the games whose reasons lean to a side; None without any."""
        kinds = {name: self.kinds[name] / self.reasons for name in KINDS} if self.reasons else {}
        flaws = {name: self.flaws[name] / self.reasons for name in FLAWS} if self.reasons else {}
        return {
            "games": self.games,
            "with_reasons": self.with_reasons,
            "reasons": self.reasons,
            "reasons_per_game": self.reasons / self.with_reasons if self.with_reasons else None,
            "kinds": kinds,
            "flaws": flaws,
            "reasons_lean_to_the_verdict": self.for_verdict / self.told if self.told else None,
        }


def reasons_table(contests: Iterable[Contest], games: Games, tagging: Tagging | None = None) -> dict[str, Any]:
    """By outcome of the game (right, wrong, tie, unlabelled, no verdict): games, reasons, the share of each kind (EG, CG, GS) and
    flaw (F1 to F7), and how often the reasons, taken together, lean to the side of the verdict that they are given for.

    Args:
        contests: the benchmark's.
        games: what the judge said, in each game's letters.
        tagging: in place of the rule tagger.
    """
    from rationalerm.judge.reasons import PROSE
    from rationalerm.match.leaning import leaning

    tag = tagging or RuleTagger().tag
    tallies = {name: _Tally() for name in _OUTCOMES}
    for contest in contests:
        for order, game in played(contest, games).items():
            if VERDICT_ONLY in game.notes:
                continue
            verdict = in_row_order(game.verdict, order)
            tally = tallies[_outcome(None if verdict is None else verdict.side, contest.pair.label)]
            tally.games += 1
            if not game.reasons or (game.verdict is None and PROSE in game.notes and len(game.reasons) == 1):
                continue  # one sentence without a verdict ("dunno") is no list of reasons
            tally.with_reasons += 1
            tally.reasons += len(game.reasons)
            tags = tag(game.reasons, game.verdict)
            tally.kinds.update(one.kind for one in tags)
            tally.flaws.update(flaw for one in tags for flaw in one.flaws)
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
