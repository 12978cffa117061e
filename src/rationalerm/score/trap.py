"""The trap: judges as right as the best, for reasons that are not the human's. Drawn from the data by a stated rule.

Of the judges that have both figures and were compared on common rows, a judge is in the trap if

1. its OA is not worse than the best OA by more than noise: Holm p >= 0.05, and the 95% interval of the gap reaches down to
   `margin` or less. (The best itself meets this; of several that share the best OA, each must be met.)
2. its RC is clearly lower than the best RC among the judges that meet 1: Holm p < 0.05, and under `share` of it.

`judges` is the truth; the rectangle is for the eye, and `exact` says whether the judges in it are those. Knows nothing of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from rationalerm.score.compare import Comparison

__all__ = ["MARGIN", "SHARE_OF_BEST", "Trap", "find_trap"]

MARGIN = 0.05
SHARE_OF_BEST = 0.5
_NOISE = 0.05
_SAME = 1e-12

Point = tuple[float, float]  # OA, RC


@dataclass(frozen=True, slots=True)
class Trap:
    """The judges in the trap, sorted; the region OA >= oa_from, RC <= rc_to; whether it holds exactly them; the rule in words."""

    judges: tuple[str, ...]
    oa_from: float
    rc_to: float
    exact: bool
    best_oa: tuple[str, ...]
    best_rc: tuple[str, ...]
    rule: str

    def to_json(self) -> dict[str, Any]:
        """Full precision."""
        return asdict(self) | {name: list(getattr(self, name)) for name in ("judges", "best_oa", "best_rc")}


def find_trap(
    values: Mapping[str, tuple[float | None, float | None]],
    comparisons: Iterable[Comparison],
    *,
    margin: float = MARGIN,
    share: float = SHARE_OF_BEST,
) -> Trap | None:
    """Which judges are in the trap, whatever the order they come in.

    Args:
        values: judge -> (OA, RC); one without either is left out.
        comparisons: of OA and RC, as `compare` makes them.
        margin: how far below the best OA the gap's interval may begin.
        share: of the best RC.

    Returns:
        None with fewer than two judges, or with none trapped.
    """
    points = {name: (oa, rc) for name, (oa, rc) in values.items() if oa is not None and rc is not None}
    if len(points) < 2:
        return None
    tests = _Tests(comparisons)
    best_oa = _top(points, 0)
    near = [name for name in points if all(tests.near(name, best, margin) for best in best_oa)]
    if not near:  # those that share the best OA can't all be tested
        return None
    best_rc = _top({name: points[name] for name in near}, 1)
    limit = share * points[best_rc[0]][1]
    found = [name for name in near if points[name][1] < limit and all(tests.lower(name, best) for best in best_rc)]
    if not found:
        return None
    oa_from, rc_to, exact = _region(points, sorted(found), near, limit)
    return Trap(
        judges=tuple(sorted(found)),
        oa_from=oa_from,
        rc_to=rc_to,
        exact=exact,
        best_oa=best_oa,
        best_rc=best_rc,
        rule=_rule(points, best_oa, best_rc, sorted(found), margin, share, exact),
    )


class _Tests:
    """The comparisons, found by either order of the two names."""

    def __init__(self, comparisons: Iterable[Comparison]) -> None:
        self._by_key = {(one.metric, frozenset((one.first, one.second))): one for one in comparisons}

    def near(self, name: str, best: str, margin: float) -> bool:
        """Not worse in OA than `best` by more than noise."""
        if name == best:
            return True
        test = self._by_key.get(("outcome_accuracy", frozenset((name, best))))
        if test is None or test.low is None or test.high is None:
            return False
        gap_from = test.low if test.second == best else -test.high  # the least that best - name may be
        return test.p_adjusted >= _NOISE and gap_from <= margin

    def lower(self, name: str, best: str) -> bool:
        """Clearly lower in RC than `best`, on the rows that both have too."""
        test = self._by_key.get(("rationale_consistency", frozenset((name, best))))
        if test is None or test.p_adjusted >= _NOISE:
            return False
        gap = test.mean_second - test.mean_first
        return (gap if test.second == best else -gap) > 0


def _top(points: Mapping[str, Point], axis: int) -> tuple[str, ...]:
    highest = max(point[axis] for point in points.values())
    return tuple(sorted(name for name, point in points.items() if point[axis] >= highest - _SAME))


def _region(points: Mapping[str, Point], found: list[str], near: list[str], limit: float) -> tuple[float, float, bool]:
    """Borders that hold the judges found and, where that can be, no other: the rule's own first, then half-way to the next."""
    tight_oa, tight_rc = min(points[name][0] for name in found), max(points[name][1] for name in found)
    others = [point for name, point in points.items() if name not in found]
    below = max((oa for oa, rc in others if oa < tight_oa and rc <= limit), default=tight_oa)
    above = min((rc for oa, rc in others if rc > tight_rc and oa >= tight_oa), default=limit)
    from_oa = [min(points[name][0] for name in near), (tight_oa + below) / 2, tight_oa]
    to_rc = [limit, (tight_rc + min(above, limit)) / 2, tight_rc]
    for oa_from, rc_to in product(from_oa, to_rc):
        if not any(oa >= oa_from and rc <= rc_to for oa, rc in others):
            return oa_from, rc_to, True
    return tight_oa, tight_rc, False


def _rule(
    points: Mapping[str, Point],
    best_oa: tuple[str, ...],
    best_rc: tuple[str, ...],
    found: list[str],
    margin: float,
    share: float,
    exact: bool,
) -> str:
    oa, rc = points[best_oa[0]][0], points[best_rc[0]][1]
    return (
        f"In the trap: outcome accuracy not below the best ({', '.join(best_oa)}: {oa:.2f}) by more than noise "
        f"(Holm p >= {_NOISE}, and the 95% interval of the gap begins at {margin:g} or less), while rationale consistency "
        f"is under {share * rc:.2f}, "
        f"{share:g} of the best among those judges ({', '.join(best_rc)}: {rc:.2f}; Holm p < {_NOISE}). "
        f"There: {', '.join(found)}."
        + ("" if exact else " Other judges lie in the same part of the map and are not in the trap by this rule.")
    )
