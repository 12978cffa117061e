"""Agreement of two evaluators: closed forms, brute force, symmetry, what is not defined."""

from __future__ import annotations

import math
import random
import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rationalerm.score.agreement import Agreement, RatedTwice, agreement
from rationalerm.score.ranking import _two_sided
from rationalerm.score.rowwise import partners
from rationalerm.types import Matching

QUARTERS = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


def rated(judge: str, pair: int | str, a: float, b: float, **more: Any) -> RatedTwice:
    return RatedTwice(judge, str(pair), more.pop("cluster", f"row:{pair}"), a, b, **more)


def three(draws: int = 50) -> Agreement:
    means = {"x": (0.2, 0.3), "y": (0.4, 0.4), "z": (0.3, 0.5)}
    rows = [rated(j, k, a + d, b - d) for j, (a, b) in means.items() for k, d in enumerate((-0.1, 0.1))]
    return agreement(rows, draws=draws)


def test_the_regression_is_b_on_a_by_hand() -> None:
    """A .2 .4 .3, B .3 .4 .5: slope = 0.01/0.02, R^2 = 0.01^2/(0.02*0.02), residuals -.05, -.05, .1."""
    got = three().over_judges
    assert got["slope"].value == pytest.approx(0.5)
    assert got["intercept"].value == pytest.approx(0.25)
    assert got["r2"].value == pytest.approx(0.25)
    assert got["rmse"].value == pytest.approx(math.sqrt((0.05**2 + 0.05**2 + 0.1**2) / 3))
    assert got["mean_difference"].value == pytest.approx(0.1)
    assert got["spearman"].value == pytest.approx(0.5)
    assert all(figure.n == 3 for figure in got.values())
    judges = three().judges
    assert (judges["x"][0].value, judges["x"][1].value, judges["x"][0].n) == (pytest.approx(0.2), pytest.approx(0.3), 2)


def test_the_papers_figures_mean_this() -> None:
    """Judges on a line of slope 0.97 with small residuals: R^2 near 1, RMSE in the units of RC."""
    spread = random.Random(1)
    rows = []
    for j in range(19):
        a = 0.2 + 0.01 * j
        rows.append(rated(str(j), 0, a, 0.97 * a + 0.004 + spread.choice((-1, 1)) * 0.006))
    got = agreement(rows).over_judges
    assert got["rmse"].value == pytest.approx(0.006, rel=0.1)
    assert got["slope"].value == pytest.approx(0.97, abs=0.06)
    assert 0.97 < got["r2"].value < 1
    assert got["r2"].interval is None
    assert got["r2"].why == "no interval: all rows share one prompt"


def brute_ranks(values: list[float]) -> list[float]:
    return [sum(v < x for v in values) + (sum(v == x for v in values) + 1) / 2 for x in values]


def brute_pearson(x: list[float], y: list[float]) -> float | None:
    return None if len(set(x)) < 2 or len(set(y)) < 2 else statistics.correlation(x, y)


rows_of = st.lists(st.tuples(st.sampled_from("xyzw"), st.integers(0, 5), QUARTERS, QUARTERS), min_size=3, max_size=25)


@given(rows_of)
@settings(max_examples=60, deadline=None)
def test_rows_equal_brute_force(drawn: list[tuple[str, int, float, float]]) -> None:
    rows = [rated(j, k, a, b, cluster=f"c{c}") for k, (j, c, a, b) in enumerate(drawn)]
    got = agreement(rows, draws=20).over_rows
    a, b = [row.a for row in rows], [row.b for row in rows]
    for name, expected in (("pearson", brute_pearson(a, b)), ("spearman", brute_pearson(brute_ranks(a), brute_ranks(b)))):
        assert got[name].value == (None if expected is None else pytest.approx(expected, abs=1e-9)), name
        assert got[name].why is None or got[name].interval is None
    assert got["mean_absolute_difference"].value == pytest.approx(statistics.mean(abs(x - y) for x, y in zip(a, b, strict=True)))


@given(rows_of)
@settings(max_examples=60, deadline=None)
def test_what_is_symmetric_is_symmetric(drawn: list[tuple[str, int, float, float]]) -> None:
    rows = [rated(j, k, a, b, cluster=f"c{c}") for k, (j, c, a, b) in enumerate(drawn)]
    here, there = agreement(rows, draws=30), agreement([row._replace(a=row.b, b=row.a) for row in rows], draws=30)
    for name in ("pearson", "spearman", "mean_absolute_difference"):
        assert here.over_rows[name].value == there.over_rows[name].value or here.over_rows[name].value == pytest.approx(
            there.over_rows[name].value
        )
        if here.over_rows[name].interval:
            assert here.over_rows[name].interval == pytest.approx(there.over_rows[name].interval)
    for name in ("r2", "spearman"):
        one, other = here.over_judges[name].value, there.over_judges[name].value
        assert one == other or one == pytest.approx(other)
    assert here.over_judges["mean_difference"].value == pytest.approx(-there.over_judges["mean_difference"].value, abs=1e-12)
    assert (here.ranking.told_by_a, here.ranking.told_by_both) == (there.ranking.told_by_b, there.ranking.told_by_both)


@given(rows_of, st.sampled_from([0.5, 2.0, 3.0]), st.sampled_from([-1.0, 0.0, 0.25]))
@settings(max_examples=60, deadline=None)
def test_affine(drawn: list[tuple[str, int, float, float]], scale: float, shift: float) -> None:
    rows = [rated(j, k, a, b, cluster=f"c{c}") for k, (j, c, a, b) in enumerate(drawn)]
    assume(len({row.judge for row in rows}) >= 3)
    here = agreement(rows, draws=20).over_judges
    there = agreement([row._replace(b=scale * row.b + shift) for row in rows], draws=20).over_judges
    if here["slope"].value is None:
        assert there["slope"].value is None
        return
    assert there["slope"].value == pytest.approx(scale * here["slope"].value, abs=1e-9)
    assert there["intercept"].value == pytest.approx(scale * here["intercept"].value + shift, abs=1e-9)
    assert there["rmse"].value == pytest.approx(scale * here["rmse"].value, abs=1e-9)
    for name in ("r2", "spearman"):
        assert (here[name].value is None) == (there[name].value is None)
        if here[name].value is not None:
            assert there[name].value == pytest.approx(here[name].value, abs=1e-6)


@given(rows_of)
@settings(max_examples=60, deadline=None)
def test_nothing_undefined_is_a_number(drawn: list[tuple[str, int, float, float]]) -> None:
    rows = [rated(j, k, a, b, cluster=f"c{c}") for k, (j, c, a, b) in enumerate(drawn)]
    got = agreement(rows, draws=20)
    for figure in (*got.over_judges.values(), *got.over_rows.values(), *(f for two in got.judges.values() for f in two)):
        assert figure.value is None or math.isfinite(figure.value)
        assert figure.interval is None or all(map(math.isfinite, figure.interval))
        assert (figure.value is None or figure.interval is None) == (figure.why is not None)


def test_the_same_values_agree_wholly() -> None:
    rows = [rated(j, k, v, v) for j, base in zip("xyz", (0.1, 0.3, 0.5), strict=True) for k, v in enumerate((base, base + 0.2))]
    got = agreement(rows, draws=50)
    assert (got.over_judges["r2"].value, got.over_judges["slope"].value) == (pytest.approx(1), pytest.approx(1))
    assert got.over_judges["rmse"].value == pytest.approx(0, abs=1e-12)
    assert got.over_rows["spearman"].value == pytest.approx(1)
    assert got.over_judges["r2"].interval == pytest.approx((1, 1))


@pytest.mark.parametrize("judges", [1, 2])
def test_too_few_judges(judges: int) -> None:
    got = agreement([rated(str(j), k, 0.1 * j + 0.1 * k, 0.2 * j) for j in range(judges) for k in range(4)], draws=20)
    for name in ("r2", "rmse", "slope", "intercept", "spearman"):
        assert got.over_judges[name].value is None
        assert f"needs 3 judges or more, there {'is' if judges == 1 else 'are'} {judges}" == got.over_judges[name].why
    assert got.over_judges["mean_difference"].value is not None


def test_judges_all_alike_by_one_evaluator() -> None:
    flat_a = agreement([rated(str(j), k, 0.3 + 0.1 * k, 0.1 * j) for j in range(4) for k in range(2)], draws=20).over_judges
    assert {name: flat_a[name].why for name in ("r2", "slope", "rmse", "spearman")} == dict.fromkeys(
        ("r2", "slope", "rmse", "spearman"), "A gives every judge the same value"
    )
    flat_b = agreement([rated(str(j), k, 0.1 * j, 0.3 + 0.1 * k) for j in range(4) for k in range(2)], draws=20).over_judges
    assert (flat_b["slope"].value, flat_b["rmse"].value) == (pytest.approx(0, abs=1e-12), pytest.approx(0, abs=1e-12))
    assert (flat_b["r2"].value, flat_b["r2"].why) == (None, "B gives every judge the same value")


def test_no_rows_at_all() -> None:
    got = agreement([])
    assert all(figure.value is None and figure.why for figure in (*got.over_judges.values(), *got.over_rows.values()))
    assert got.judges == {}


def test_rows_without_model_reasons_count_in_the_means_only() -> None:
    rows = [rated("m", k, v, w) for k, (v, w) in enumerate(((0.5, 0.7), (0.2, 0.1), (0.4, 0.4)))]
    more = [*rows, *(rated("m", f"s{k}", 0.0, 0.0, asked=False) for k in range(3))]
    here, there = agreement(rows, draws=20), agreement(more, draws=20)
    assert there.over_rows["pearson"].value == pytest.approx(here.over_rows["pearson"].value)
    assert there.judges["m"][0].value == pytest.approx(here.judges["m"][0].value / 2)
    assert (there.silent, there.rows) == (3, 6)


def test_two_games_of_a_pair_count_once_in_the_means() -> None:
    rows = [rated("m", 1, 0.2, 0.2), rated("m", 1, 0.6, 0.8), rated("m", 2, 1.0, 1.0)]
    got = agreement(rows, draws=20)
    assert (got.judges["m"][0].value, got.judges["m"][1].value, got.judges["m"][0].n) == (
        pytest.approx(0.7),
        pytest.approx(0.75),
        2,
    )
    assert got.over_rows["mean_absolute_difference"].n == 3


def test_pair_level_by_hand() -> None:
    """Three human reasons: the same model reason; another one; none by B."""
    a = Matching(4, 4, {(0, 0): 1.0, (1, 1): 0.75, (2, 2): 0.5})
    b = Matching(4, 4, {(0, 0): 0.25, (1, 2): 0.75})
    got = agreement([rated("m", 1, 0.5, 0.25, matchings=(a, b)), rated("m", 2, 0.1, 0.1)], draws=20).over_rows
    assert (got["same_reason"].value, got["same_reason"].n) == (0.5, 4)  # the first, and the fourth (both none)
    # matched at 0.5: A yes yes yes no, B no yes no no: observed 2/4, expected 3/4*1/4 + 1/4*3/4
    assert got["kappa"].value == pytest.approx((0.5 - 0.375) / (1 - 0.375))
    without = agreement([rated("m", 1, 0.5, 0.25)], draws=20).over_rows
    assert (without["kappa"].value, without["kappa"].why) == (None, "no matchings of both on the same rows")
    always = Matching(1, 1, {(0, 0): 1.0})
    got = agreement([rated("m", k, 1, 1, matchings=(always, always)) for k in range(3)], draws=20).over_rows
    assert (got["same_reason"].value, got["kappa"].why) == (1.0, "both always match a human reason at 0.5 or more")


def test_partners_one_to_one_or_best() -> None:
    matching = Matching(2, 2, {(0, 0): 0.75, (1, 0): 1.0, (1, 1): 0.25, (0, 1): 0.75})
    assert partners(matching, "paper") == {0: (1, 0.75), 1: (0, 1.0)}
    assert partners(matching, "released") == {0: (0, 0.75), 1: (0, 1.0)}


@given(st.integers(0, 2**31), st.sampled_from(["paper", "released"]))
@settings(max_examples=30, deadline=None)
def test_kappa_and_same_reason_equal_brute_force(seed: int, scoring: Any) -> None:
    spin = random.Random(seed)

    def matching() -> Matching:
        return Matching(3, 3, {(i, j): spin.choice((0.25, 0.5, 1.0)) for i in range(3) for j in range(3) if spin.random() < 0.4})

    rows = [rated("m", k, spin.random(), spin.random(), matchings=(matching(), matching())) for k in range(6)]
    got = agreement(rows, scoring, draws=20).over_rows
    yes, same = [], 0
    for row in rows:
        assert row.matchings
        first, second = (partners(m, scoring) for m in row.matchings)
        for i in range(3):
            yes.append((first.get(i, (0, 0))[1] >= 0.5, second.get(i, (0, 0))[1] >= 0.5))
            same += first.get(i, (None,))[0] == second.get(i, (None,))[0]
    observed = sum(x == y for x, y in yes) / 18
    a, b = sum(x for x, _ in yes) / 18, sum(y for _, y in yes) / 18
    expected = a * b + (1 - a) * (1 - b)
    assert got["same_reason"].value == pytest.approx(same / 18)
    assert got["kappa"].value == (None if expected == 1 else pytest.approx((observed - expected) / (1 - expected)))


def test_intervals_are_clustered_by_prompt() -> None:
    """Four copies of each row: as many rows, but no more is known than from one of each."""
    spin = random.Random(3)
    values = [(x := spin.random(), min(1.0, x + 0.5 * spin.random())) for _ in range(30)]
    one = agreement([rated("m", k, a, b) for k, (a, b) in enumerate(values)], draws=500)
    four = agreement(
        [rated("m", f"{k}.{c}", a, b, cluster=str(k)) for k, (a, b) in enumerate(values) for c in range(4)], draws=500
    )
    for name in ("pearson", "spearman", "mean_absolute_difference"):
        first, second = one.over_rows[name], four.over_rows[name]
        assert second.value == pytest.approx(first.value)
        assert second.interval == pytest.approx(first.interval)
        assert first.interval is not None
        assert first.interval[0] < first.value < first.interval[1]


def test_the_interval_of_a_mean_is_the_usual_one() -> None:
    spin = np.random.default_rng(5)
    values = spin.random(400)
    got = agreement([rated("m", k, float(v), 0.0) for k, v in enumerate(values)]).judges["m"][0]
    half = 1.96 * values.std() / 20
    assert got.interval == pytest.approx((values.mean() - half, values.mean() + half), abs=0.15 * half)


def test_which_judges_are_told_apart() -> None:
    spin = random.Random(7)
    levels = {"low": (0.1, 0.15), "mid": (0.5, 0.52), "high": (0.8, 0.5), "twin": (0.51, 0.1)}
    rows = [rated(j, k, a + 0.1 * spin.random(), b + 0.1 * spin.random()) for k in range(60) for j, (a, b) in levels.items()]
    ranking = agreement(rows, draws=400).ranking
    assert (ranking.pairs, ranking.told_by_a) == (6, 5)  # mid and twin are alike by A
    assert ranking.reversed == (("twin", "low"), ("high", "mid"))
    assert ranking.alike == 3
    assert ranking.told_by_both == 3


@pytest.mark.parametrize(("t", "freedom", "p"), [(2.5706, 5, 0.05), (6.8688, 5, 0.001), (2.2281, 10, 0.05), (2.75, 30, 0.01)])
def test_students_p_value(t: float, freedom: int, p: float) -> None:
    """Against the printed table of Student's distribution."""
    assert _two_sided(t, freedom) == pytest.approx(p, abs=0.001)


def test_equal_judges_are_seldom_told_apart() -> None:
    """Ten equal judges, 45 pairs, 30 times: a pair told apart is an error, and 5% of the runs may have one."""
    spin = random.Random(11)
    wrong = 0
    for _ in range(30):
        rows = [rated(str(j), k, spin.random(), spin.random()) for j in range(10) for k in range(25)]
        wrong += agreement(rows, draws=400).ranking.told_by_a > 0
    assert wrong <= 5
