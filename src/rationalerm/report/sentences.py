"""What a summary means, in a sentence a comparison. Every claim in words has its number beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rationalerm.score.compare import Comparison
from rationalerm.score.noise import exceeds
from rationalerm.score.summary import JudgeSummary, Summary

__all__ = ["alone", "compared", "meaning", "p_value"]

_NOISE = 0.05
_SAME = 0.05  # a difference that is small whatever its p
_FEW = 6  # with fewer rows no permutation test can come under 0.05


def meaning(summary: Summary) -> list[str]:
    """Sentences for the judges of a run, most telling first; one judge gets one sentence about itself."""
    if len(summary.judges) < 2:
        return [text for name, judge in summary.judges.items() for text in alone(name, *_of(judge), summary.spurious_under)]
    sentences = compared(summary.comparisons)
    return sentences + [
        text for both in _by_pair(summary.comparisons) for text in _noise(summary, both.get("rationale_consistency"))
    ]


def compared(comparisons: Iterable[Comparison]) -> list[str]:
    """A sentence for every two judges, most telling first."""
    found = [
        (
            _rank(both["outcome_accuracy"], both["rationale_consistency"]),
            _sentence(both["outcome_accuracy"], both["rationale_consistency"]),
        )
        for both in _by_pair(comparisons)
        if len(both) == 2
    ]
    return [text for _, text in sorted(found, key=lambda item: item[0])]


def alone(name: str, right: float | None, shared: float | None, s_corr: float | None, spurious_under: float) -> Iterator[str]:
    """A sentence about one judge: its OA, RC, and s_corr@`spurious_under`; none where it has no OA or no RC."""
    if right is None or shared is None:
        return
    spurious = "" if s_corr is None else f"; of its right verdicts {s_corr:.0%} have a recall under {spurious_under:g}"
    yield f"{name} picks the human's side in {right:.0%} of the rows and gives {shared:.0%} of the human's reasons{spurious}."


def p_value(p: float) -> str:
    """`p = 0.43`, `p < 0.001`."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def _of(judge: JudgeSummary) -> tuple[float | None, float | None, float | None]:
    return judge["outcome_accuracy"].value, judge["rationale_consistency"].value, judge["s_corr"].value


def _by_pair(comparisons: Iterable[Comparison]) -> list[dict[str, Comparison]]:
    """Each two judges' comparisons, by metric."""
    by_pair: dict[tuple[str, str], dict[str, Comparison]] = {}
    for comparison in comparisons:
        by_pair.setdefault((comparison.first, comparison.second), {})[comparison.metric] = comparison
    return list(by_pair.values())


def _noise(summary: Summary, rationale: Comparison | None) -> Iterator[str]:
    """Where the matcher was asked several times: is a gap in RC more than its own noise?"""
    if rationale is None or not {rationale.first, rationale.second} <= summary.noise.keys():
        return
    gap = rationale.mean_second - rationale.mean_first
    first, second = summary.noise[rationale.first], summary.noise[rationale.second]
    over = "exceeds" if exceeds(gap, first, second) else "does not exceed"
    yield f"The gap in RC between {rationale.first} and {rationale.second} ({abs(gap):.3f}) {over} the matcher's own noise."


def _rank(outcome: Comparison, rationale: Comparison) -> tuple[bool, float]:
    """As right but for other reasons comes first, then the largest gap in reasons."""
    trap = outcome.p_adjusted >= _NOISE and rationale.p_adjusted < _NOISE
    return not trap, -abs(rationale.mean_second - rationale.mean_first)


def _sentence(outcome: Comparison, rationale: Comparison) -> str:
    """About the judge that shares fewer reasons, against the other."""
    rows = min(outcome.n, rationale.n)
    if rows < _FEW:
        return f"{rationale.first} and {rationale.second} have {rows} rows in common: too few to tell them apart."
    weak, strong = outcome.second, outcome.first
    right_weak, right_strong = outcome.mean_second, outcome.mean_first
    rc_weak, rc_strong = rationale.mean_second, rationale.mean_first
    if rc_weak > rc_strong:
        weak, strong, right_weak, right_strong, rc_weak, rc_strong = strong, weak, right_strong, right_weak, rc_strong, rc_weak
    return (
        f"{weak} picks the right response {_often(right_weak, right_strong, outcome)} {strong} "
        f"({right_weak:.0%} against {right_strong:.0%} of {outcome.n} common rows, {p_value(outcome.p_adjusted)}) "
        f"{_shares(rc_weak, rc_strong, rationale, strong)} "
        f"({rc_weak:.2f} against {rc_strong:.2f}, {p_value(rationale.p_adjusted)})."
    )


def _often(weak: float, strong: float, outcome: Comparison) -> str:
    if outcome.p_adjusted >= _NOISE:
        return "as often as" if abs(weak - strong) <= _SAME else "not clearly more or less often than"
    return "less often than" if weak < strong else "more often than"


_PARTS = (
    (0.05, "almost none of"),
    (0.15, "a tenth of"),
    (0.22, "a fifth of"),
    (0.29, "a quarter of"),
    (0.42, "a third of"),
    (0.58, "half of"),
    (0.71, "two thirds of"),
    (0.8, "three quarters of"),
)


def _shares(weak: float, strong: float, rationale: Comparison, name: str) -> str:
    if rationale.p_adjusted >= _NOISE or not strong:
        return "and gives about as many of the human's reasons"
    part = next((words for limit, words in _PARTS if weak / strong < limit), None)
    return (
        f"but gives {part} the human's reasons that {name} gives"
        if part
        else f"but gives fewer of the human's reasons than {name}"
    )
