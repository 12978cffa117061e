"""What the figures can and can't tell, by scope: the trap, the human ceiling, the least difference that the rows can show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rationalerm.run.reporting.benches import own_table
from rationalerm.run.reporting.figures import ALL, value_of
from rationalerm.run.reporting.loaded import Loaded
from rationalerm.score.compare import Comparison
from rationalerm.score.detectable import detectable_pairs
from rationalerm.score.rows import GameResult
from rationalerm.score.trap import MARGIN, SHARE_OF_BEST, Trap, find_trap

_HAIR = 0.005  # the region's edge is drawn so far left of the leftmost mark in it, where no other judge is

__all__ = ["TRAP_RULE", "ceiling_of", "detectable_of", "trap_of", "why_no_trap"]

TRAP_RULE = (
    "The trap: judges that are about as often right as the best, and give clearly fewer of the human's reasons. As often right: "
    "the best's OA less theirs could be chance (Holm p of 0.05 or more, and the 95% interval of that gap begins at "
    f"{MARGIN:g} or less). Clearly fewer: their RC is under {SHARE_OF_BEST:.0%} of the best RC among these judges, Holm p under "
    "0.05. OA is over the rows that a judge answered."
)
_MISSING = 0.1  # so large a part without a verdict, and an OA over the others says little of the judge


def trap_of(figures: Mapping[str, Mapping[str, Any]], comparisons: Iterable[Comparison], numbers: Mapping[str, int]) -> Any:
    """The trap of one scope as the page takes it; None where no judge is in it.

    Args:
        figures: a judge's figures in the scope, by name.
        comparisons: of the same judges.
        numbers: their numbers on the page.
    """
    values = {name: (of["oa"][0], of["rc"][0]) for name, of in figures.items()}
    found = find_trap(values, comparisons)
    if found is None:
        return None
    edge = found.oa_from - _HAIR
    if any(found.oa_from > oa >= edge for oa, _ in values.values() if oa is not None):
        edge = found.oa_from
    noisy = [said for name in found.judges if (said := _missing(name, figures[name], [figures[best] for best in found.best_oa]))]
    judges = [numbers[name] for name in found.judges]
    return found.to_json() | {"judges": judges, "oa_from": edge, "missing": noisy, "rule": _in_words(found, values)}


def _in_words(found: Trap, values: Mapping[str, tuple[float, float]]) -> str:
    """The rule with its numbers."""
    oa, rc = values[found.best_oa[0]][0], values[found.best_rc[0]][1]
    others = "" if found.exact else " Other judges lie in the same part of the map and are not in the trap by this rule."
    return (
        f"In the trap: {', '.join(found.judges)}. About as often right as the best ({', '.join(found.best_oa)}: OA {oa:.2f}; OA "
        "is over the rows that a judge answered): the best's OA less theirs could be chance (Holm p of 0.05 or more, and the 95% "
        f"interval of that gap begins at {MARGIN:g} or less). Clearly fewer of the human's reasons: RC under "
        f"{SHARE_OF_BEST * rc:.2f}, {SHARE_OF_BEST:.0%} of the best among the judges as often right ({', '.join(found.best_rc)}: "
        f"{rc:.2f}; Holm p under 0.05).{others}"
    )


def _missing(name: str, of: Mapping[str, Any], best: Sequence[Mapping[str, Any]]) -> str | None:
    """Said of a judge that is as often right as the best only where it answers."""
    lost, rows = of["no_verdict"], of["n"]
    if not lost:
        return None
    _, _, high, _ = of["oa_all"]
    worse = high is not None and all(one["oa_all"][1] is not None and high < one["oa_all"][1] for one in best)
    return f"{name}: no verdict in {lost} of {rows}" if worse or lost > _MISSING * rows else None


def why_no_trap(runs: Sequence[Loaded], comparisons: Sequence[Comparison], judges: int) -> str | None:
    """Why judges of several runs can't be held against each other; None where they can.

    Args:
        runs: each judge's.
        comparisons: over all rows.
        judges: how many there are.
    """
    if len({run.evaluator for run in runs}) > 1:
        return "The runs' reasons were scored by different evaluators, or in different ways: their RC can't be compared."
    compared = {(one.first, one.second) for one in comparisons if one.metric == "rationale_consistency"}
    if len({run.name for run in runs}) > 1 and 2 * len(compared) < judges * (judges - 1):
        return "Not all of these judges have rows in common: they can't all be compared."
    return None


def ceiling_of(runs: Sequence[Loaded], scopes: Iterable[str]) -> dict[str, Any] | None:
    """What annotators reach against each other: of the first run that has it. Runs by other matchers have another RC, and are
    not mixed; None where the runs' matchers differ, or none has it."""
    with_one = [run for run in runs if isinstance(run.summary.get("ceiling"), dict)]
    if not with_one or len({run.matcher for run in runs if run.matcher and not own_table(run)}) > 1:
        return None
    found = with_one[0].summary["ceiling"]
    parts = {ALL: found} | dict(found.get("domains") or {})
    return {
        scope: {
            "rc": value_of(part, "rationale_consistency"),
            "oa": value_of(part, "outcome_accuracy"),
            "annotators": part["annotators"],
            "rows": part["rows"],
        }
        if (part := parts.get(scope))
        else None
        for scope in scopes
    }


def detectable_of(games: Mapping[str, Sequence[GameResult]]) -> dict[str, Any] | None:
    """The least gap in OA and in RC that these rows can show between any two of the judges; None where they tell of none."""
    found = detectable_pairs(games)
    least: dict[str, Any] = {}
    for short, metric in (("oa", "outcome_accuracy"), ("rc", "rationale_consistency")):
        known = [one for one in found if one.metric == metric and one.difference is not None]
        smallest = min(known, key=lambda one: one.difference or 0.0, default=None)
        least[short] = None if smallest is None else smallest.difference
        least[f"{short}_said"] = None if smallest is None else smallest.sentence
        least[f"{short}_n"] = None if smallest is None else smallest.n
        least["n"] = max(least.get("n", 0), 0 if smallest is None else smallest.n)
    return least if least["n"] else None
