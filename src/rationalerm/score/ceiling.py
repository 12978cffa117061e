"""The human ceiling: how right, and how consistent in its reasons, one annotator is when the others are the human reference.

Leave-one-out: each annotator of a row plays the judge once, the rest's reasons (exact repeats once) and the sign of the rest's
mean score are what it is held against. OA and RC are those of any judge; the unit is the row, with the mean of its annotators.

What a judge can hope for, not a bound: a judge is held against all annotators' reasons, an annotator against one fewer, and an
annotator writes few reasons in no order of importance. Knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rationalerm.score.means import VALUES, Mean, by_pair, mean
from rationalerm.score.rows import GameResult

__all__ = ["ANNOTATOR", "Ceiling", "ceiling"]

ANNOTATOR = "annotator"  # the name that the left-out annotator goes by as a judge
_METRICS = ("outcome_accuracy", "rationale_consistency")
_DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Ceiling:
    """OA and RC of annotators, over all rows or over a domain's.

    `rows` have two annotators or more, `annotators` of them in all, each left out once; `one_annotator`: rows with one only, not
    in any mean. Left-out annotators are counted by what they have no figure for: `human_ties` (the rest's mean score is 0),
    `no_score` (no score of its own, or the rest have none), `no_reasons_against` (the rest gave none), `said_nothing` (a score
    alone), `matcher_failed`. Each mean's `n` is in rows.
    """

    means: dict[str, Mean]
    rows: int
    annotators: int
    one_annotator: int
    human_ties: int
    no_score: int
    no_reasons_against: int
    said_nothing: int
    matcher_failed: int
    matcher: str = ""
    domains: dict[str, Ceiling] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Mean:
        """`ceiling["rationale_consistency"].value`"""
        return self.means[name]

    def to_json(self) -> dict[str, Any]:
        """Full precision, undefined = null; a domain has neither `matcher` nor domains of its own."""
        out: dict[str, Any] = {"matcher": self.matcher} if self.matcher else {}
        for name, value in self.means.items():
            out |= value.to_json(name)
        out |= {name: getattr(self, name) for name in _COUNTS}
        if self.domains:
            out["domains"] = {name: of.to_json() for name, of in self.domains.items()}
        return out


_COUNTS = (
    "rows",
    "annotators",
    "one_annotator",
    "human_ties",
    "no_score",
    "no_reasons_against",
    "said_nothing",
    "matcher_failed",
)


def ceiling(games: Sequence[GameResult], one_annotator: Sequence[str | None] = (), *, matcher: str = "") -> Ceiling:
    """From the games of annotators against the others.

    Args:
        games: one a left-out annotator; those of a row share its id.
        one_annotator: the domain of each row with one annotator.
        matcher: its name and version.
    """
    names = sorted({game.domain for game in games if game.domain is not None})
    domains = {
        name: _of([game for game in games if game.domain == name], sum(of == name for of in one_annotator)) for name in names
    }
    return _of(games, len(one_annotator), matcher, domains)


def _of(games: Sequence[GameResult], alone: int, matcher: str = "", domains: dict[str, Ceiling] | None = None) -> Ceiling:
    statuses = [game.rationale_status for game in games]
    return Ceiling(
        means={name: mean(games, VALUES[name], _DRAWS) for name in _METRICS},
        rows=len(by_pair(games)),
        annotators=len(games),
        one_annotator=alone,
        human_ties=sum(game.label == 0 for game in games),
        no_score=sum(game.label is None or game.verdict is None for game in games),
        no_reasons_against=statuses.count("no human reasons"),
        said_nothing=statuses.count("no answer"),
        matcher_failed=statuses.count("matcher failed"),
        matcher=matcher,
        domains=domains or {},
    )
