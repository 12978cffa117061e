"""Games to a judge's summary, and a run's summary. Knows nothing of files or terminals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rationalerm.score.ceiling import Ceiling
from rationalerm.score.compare import Comparison
from rationalerm.score.evaluators import Compared
from rationalerm.score.means import VALUES, Mean, by_pair, mean, mean_of
from rationalerm.score.noise import Noise
from rationalerm.score.orders import picked_first
from rationalerm.score.outcome import pair_outcome
from rationalerm.score.rows import GameResult
from rationalerm.types import Side

__all__ = ["SPURIOUS_UNDER", "JudgeSummary", "Summary", "summarise"]

SPURIOUS_UNDER = 0.25  # T of s_corr@T (method.md section 7)

_STATUSES = ("given", "none", "refused", "failed", "scored", "no human reasons", "no answer", "matcher failed")


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """One judge over one set of pairs (all, or a domain).

    `means` holds, by name: outcome_accuracy (over answered rows), outcome_accuracy_all (a missing verdict counted as wrong;
    None where every game failed), rationale_consistency, precision, f1, average_precision, average_precision_soft, s_corr;
    and, where pairs have both games, consistent_accuracy (right in both, of pairs without a failed game) and
    first_position_rate.
    """

    judge: str
    n: int
    games: int
    means: dict[str, Mean]
    counts: dict[str, int]
    domains: dict[str, JudgeSummary] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)  # why the matcher failed: category -> games

    def __getitem__(self, name: str) -> Mean:
        """`summary["rationale_consistency"].value`"""
        return self.means[name]

    def to_json(self) -> dict[str, Any]:
        """The judge's part of summary.json: full precision, undefined = null."""
        out: dict[str, Any] = {"n": self.n, "games": self.games}
        for name, value in self.means.items():
            out |= value.to_json(name)
        out["counts"] = self.counts
        if self.failures:
            out["failures"] = self.failures
        if self.domains:
            out["domains"] = {name: part.to_json() for name, part in self.domains.items()}
        return out


@dataclass(frozen=True, slots=True)
class Summary:
    """A run's result. `chance` is the RC of human reasons against another row's reasons of the same judge."""

    judges: dict[str, JudgeSummary]
    comparisons: list[Comparison]
    chance: dict[str, float | None]
    rows: int
    bad_rows: int
    prose_rows: int
    spurious_under: float
    scoring: str
    top_k: int | None
    matcher: str
    label_contradictions: dict[str, tuple[int, int]] = field(default_factory=dict)  # of (contradicting, checked) rows
    games: Mapping[str, Sequence[GameResult]] = field(
        default_factory=dict, repr=False
    )  # not in summary.json: rows.jsonl has them
    ceiling: Ceiling | None = None  # what annotators reach against each other, where rows have several
    noise: dict[str, Noise] = field(default_factory=dict)  # of the matcher, where it was asked several times
    audit_failures: dict[str, int] = field(default_factory=dict)  # of the second evaluator: category -> games
    audit: Compared | None = None  # a second evaluator on a sample; not in summary.json
    usage: dict[str, Any] = field(default_factory=dict)  # of this process; not in summary.json, since a resumed run pays less

    def to_json(self) -> dict[str, Any]:
        """summary.json."""
        contradictions = {name: {"contradicting": c, "checked": n} for name, (c, n) in self.label_contradictions.items()}
        return {
            "rows": self.rows,
            "bad_rows": self.bad_rows,
            "prose_rows": self.prose_rows,
            "matcher": self.matcher,
            "scoring": self.scoring,
            "top_k": self.top_k,
            "spurious_under": self.spurious_under,
            "chance": self.chance,
            "judges": {name: judge.to_json() for name, judge in self.judges.items()},
            "comparisons": [comparison.to_json() for comparison in self.comparisons],
            "label_contradictions": contradictions,
            **({"ceiling": self.ceiling.to_json()} if self.ceiling else {}),
            **({"noise": {name: noise.to_json() for name, noise in self.noise.items()}} if self.noise else {}),
        }


def summarise(
    games: Sequence[GameResult], judge: str, *, spurious_under: float = SPURIOUS_UNDER, by_domain: bool = True, draws: int = 2000
) -> JudgeSummary:
    """One judge's summary.

    Args:
        games: that judge's games.
        judge: its name.
        spurious_under: T of s_corr@T, the share of right verdicts with a scored rationale whose row recall is under T.
        by_domain: also one summary a domain.
        draws: of the bootstrap.
    """
    means = {name: mean(games, value, draws) for name, value in VALUES.items()}
    if all(game.verdict_status == "failed" for game in games):
        means["outcome_accuracy_all"] = Mean(None, None, 0)  # a judge that never answered was never wrong
    means["s_corr"] = mean(games, lambda g: g.score.recall < spurious_under if g.correct and g.score else None, draws)
    pairs = by_pair(games)
    both = {key: of for key, of in pairs.items() if len(of) > 1}
    if both:
        decided = [of for of in both.values() if of[0].label and not any(game.verdict_status == "failed" for game in of)]
        consistent = [(float(pair_outcome(_sides(of), of[0].label) == "right"), of[0].cluster) for of in decided]
        means["consistent_accuracy"] = mean_of(consistent, draws)
        means["first_position_rate"] = mean([game for of in both.values() for game in of], picked_first, draws)
    names = sorted({game.domain for game in games if game.domain is not None}) if by_domain else []
    return JudgeSummary(
        judge=judge,
        n=len(pairs),
        games=len(games),
        means=means,
        counts=_counts(games, pairs),
        failures=dict(Counter(game.failure for game in games if game.failure).most_common()),
        domains={
            name: summarise(
                [game for game in games if game.domain == name],
                judge,
                spurious_under=spurious_under,
                by_domain=False,
                draws=draws,
            )
            for name in names
        },
    )


def _sides(games: Iterable[GameResult]) -> list[Side | None]:
    return [game.verdict.side if game.verdict is not None else None for game in games]


def _counts(games: Sequence[GameResult], pairs: dict[str, list[GameResult]]) -> dict[str, int]:
    """Every category; the verdict's statuses add up to the games, and so do the rationale's."""
    counts = Counter(dict.fromkeys(_STATUSES, 0))
    counts.update(game.verdict_status for game in games)
    counts.update(game.rationale_status for game in games)
    counts["no reasons"] = sum(game.rationale_status == "scored" and not game.n_model for game in games)
    counts["prose"] = sum(game.judge_prose for game in games)
    counts["copied reasons"] = sum(game.copies for game in games)
    counts["judge tie"] = sum(game.verdict == 0 for game in games)
    counts["human tie"] = sum(of[0].label == 0 for of in pairs.values())
    counts["unlabelled"] = sum(of[0].label is None for of in pairs.values())
    outcomes = Counter(pair_outcome(_sides(of), of[0].label) for of in pairs.values() if len(of) > 1)
    if outcomes:
        counts["inconsistent"], counts["consistent tie"] = outcomes["inconsistent"], outcomes["tie"]
        counts["incomplete pair"] = outcomes["incomplete"]
    return dict(counts)
