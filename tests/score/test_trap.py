"""The trap's rule, on constructed judges."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from rationalerm.score.compare import Comparison
from rationalerm.score.trap import Trap, find_trap

Values = dict[str, tuple[float | None, float | None]]


def compared(values: Values, noise: float = 0.04) -> list[Comparison]:
    """Every two judges with both values: a gap over `noise` is significant, its interval is the gap +- noise."""
    out = []
    for axis, metric in enumerate(("outcome_accuracy", "rationale_consistency")):
        for a, b in combinations(values, 2):
            x, y = values[a][axis], values[b][axis]
            if x is not None and y is not None:
                gap, p = y - x, 0.001 if abs(y - x) > noise else 0.5
                out.append(Comparison(metric, a, b, x, y, p, p, 200, gap - noise, gap + noise))
    return out


def inside(trap: Trap, values: Values) -> set[str]:
    return {
        name for name, (oa, rc) in values.items() if oa is not None and rc is not None and oa >= trap.oa_from and rc <= trap.rc_to
    }


def test_as_right_as_the_best_for_other_reasons() -> None:
    values: Values = {"checks": (0.90, 0.60), "surface": (0.89, 0.10), "noisy": (0.60, 0.08)}
    trap = find_trap(values, compared(values))
    assert trap is not None
    assert (trap.judges, trap.exact, trap.best_oa, trap.best_rc) == (("surface",), True, ("checks",), ("checks",))
    assert inside(trap, values) == {"surface"}
    assert (trap.oa_from, trap.rc_to) == (0.89, pytest.approx(0.30))
    assert trap.rule == (
        "In the trap: outcome accuracy not below the best (checks: 0.90) by more than noise (Holm p >= 0.05, and the 95% "
        "interval of the gap begins at 0.05 or less), while rationale consistency is under 0.30, 0.5 of the best among those "
        "judges (checks: 0.60; Holm p < 0.05). There: surface."
    )
    assert trap.to_json()["judges"] == ["surface"]


def test_the_best_by_outcome_can_be_the_trapped_one() -> None:
    values: Values = {"sly": (0.92, 0.10), "sound": (0.91, 0.50), "weak": (0.5, 0.7)}
    trap = find_trap(values, compared(values))
    assert trap is not None
    assert (trap.judges, trap.best_oa, trap.best_rc) == (("sly",), ("sly",), ("sound",))  # weak's RC is no yardstick


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"a": (0.9, 0.1)},
        {"a": (0.9, 0.1), "b": (0.9, None)},  # one judge on the map
        {"a": (0.9, 0.4), "b": (0.9, 0.4), "c": (0.9, 0.4)},  # all equal
        {"a": (0.9, 0.0), "b": (0.9, 0.0)},
        {"a": (0.9, 0.4), "b": (0.9, 0.25)},  # lower, but not under half
        {"a": (0.9, 0.07), "b": (0.9, 0.04)},  # under nothing that is more than noise
        {"a": (0.9, 0.6), "b": (0.7, 0.1)},  # less right
    ],
)
def test_none_trapped(values: Values) -> None:
    assert find_trap(values, compared(values)) is None


def test_without_a_comparison_nothing_is_claimed() -> None:
    values: Values = {"a": (0.9, 0.6), "b": (0.9, 0.1)}
    assert find_trap(values, []) is None
    assert find_trap(values, [c for c in compared(values) if c.metric == "outcome_accuracy"]) is None
    few = [Comparison(c.metric, c.first, c.second, c.mean_first, c.mean_second, c.p, c.p_adjusted, 1) for c in compared(values)]
    assert find_trap(values, few) is None  # no interval: all rows share one prompt


def test_the_gaps_interval_must_reach_within_the_margin() -> None:
    values: Values = {"a": (0.95, 0.6), "b": (0.80, 0.1)}
    noisy = [
        Comparison("outcome_accuracy", "a", "b", 0.95, 0.80, 0.04, 0.06, 50, -0.23, -0.07),
        Comparison("rationale_consistency", "a", "b", 0.6, 0.1, 0.001, 0.001, 50, -0.6, -0.4),
    ]
    assert find_trap(values, noisy) is None  # not significant after Holm, but at least 0.07 below
    assert (find_trap(values, noisy, margin=0.1) or pytest.fail("none")).judges == ("b",)


def test_several_best_and_ties() -> None:
    values: Values = {"a": (0.9, 0.6), "b": (0.9, 0.6), "c": (0.9, 0.1), "d": (0.88, 0.1)}
    trap = find_trap(values, compared(values))
    assert trap is not None
    assert (trap.judges, trap.best_oa, trap.best_rc, trap.exact) == (("c", "d"), ("a", "b", "c"), ("a", "b"), True)
    assert inside(trap, values) == {"c", "d"}


def test_a_judge_that_can_not_be_told_apart_lies_in_the_same_place() -> None:
    """`twin` has the same figures on rows of its own, where nothing was significant: no rectangle can leave it out."""
    values: Values = {"a": (0.9, 0.6), "b": (0.9, 0.1), "twin": (0.9, 0.1)}
    tests = [c for c in compared(values) if not (c.metric == "rationale_consistency" and "twin" in (c.first, c.second))]
    trap = find_trap(values, tests)
    assert trap is not None
    assert (trap.judges, trap.exact) == (("b",), False)
    assert trap.rule.endswith("There: b. Other judges lie in the same part of the map and are not in the trap by this rule.")


def test_borders_move_to_leave_others_out() -> None:
    # `low` is worse in OA by more than noise, but lies between the trapped and the lowest of those as right as the best
    values: Values = {"best": (0.90, 0.60), "sly": (0.90, 0.10), "near": (0.87, 0.55), "low": (0.88, 0.20)}
    tests = [
        Comparison(c.metric, c.first, c.second, c.mean_first, c.mean_second, c.p, 0.01, c.n, c.low, c.high)
        if c.metric == "outcome_accuracy" and "low" in (c.first, c.second)
        else c
        for c in compared(values)
    ]
    trap = find_trap(values, tests)
    assert trap is not None
    assert trap.judges == ("sly",)
    assert trap.exact
    assert inside(trap, values) == {"sly"}


def test_nineteen_judges_in_any_order() -> None:
    rng = random.Random(1)
    for _ in range(40):
        values: Values = {f"judge {k}": (round(rng.uniform(0.5, 0.95), 3), round(rng.uniform(0.02, 0.6), 3)) for k in range(19)}
        found = find_trap(values, compared(values))
        names = list(values)
        rng.shuffle(names)
        again = {name: values[name] for name in names}
        assert find_trap(again, compared(again)[::-1]) == found
        if found is not None:
            assert found.exact == (inside(found, values) == set(found.judges))
            assert set(found.judges) <= inside(found, values)
