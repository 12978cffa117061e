"""The least difference that can be seen: its power by simulation, its sentence, its refusals."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from test_summary import game

from rationalerm.score.detectable import detectable, detectable_alone, detectable_pairs, least_difference
from rationalerm.score.intervals import paired_permutation
from rationalerm.score.rows import GameResult


@pytest.mark.parametrize("clusters", [30, 100])
def test_the_power_at_that_difference_is_80_in_100(clusters: int) -> None:
    rng = np.random.default_rng(4)
    size = np.where(rng.random(clusters) < 0.75, 1, 3)
    place = np.repeat(np.arange(clusters), size)
    # a judge's values: what the row is worth, the prompt's own swing of the difference, and noise
    spread, noise = 0.1, 0.2
    sums_variance = spread**2 * (size**2).sum() + noise**2 * size.sum()
    gap = least_difference(float(np.sqrt(sums_variance)) / size.sum(), clusters)
    seen = 0
    for _ in range(600):
        swing = spread * rng.normal(size=clusters)[place] + noise * rng.normal(size=len(place)) + gap
        seen += paired_permutation(swing.tolist(), [0.0] * len(place), place.tolist(), draws=800) < 0.05
    assert 0.75 <= seen / 600 <= 0.85


def test_the_rows_tell_it_and_the_reports_test_sees_it() -> None:
    """By the figure from the rows, averaged: a judge that is better by it is told apart in 80 of 100 sets."""
    rng = np.random.default_rng(5)
    n, sets = 60, 300
    worth = rng.beta(2, 3, (sets, n))
    a, b = (worth + 0.15 * rng.normal(size=(sets, n)) for _ in range(2))

    def games(of: NDArray[np.float64], name: str) -> list[GameResult]:
        return [game(str(k), recall=float(v), judge=name) for k, v in enumerate(of)]

    made = [detectable(games(a[k], "a"), games(b[k], "b"), "rationale_consistency") for k in range(sets)]
    gap = float(np.mean([one.difference for one in made if one is not None and one.difference is not None]))
    assert gap == pytest.approx((2.0 + 0.848) * 0.15 * np.sqrt(2 / n), rel=0.02)
    seen = sum(paired_permutation((a[k] + gap).tolist(), b[k].tolist(), range(n), draws=800) < 0.05 for k in range(sets))
    assert 0.75 <= seen / sets <= 0.85


def test_one_judge_with_an_assumed_correlation() -> None:
    games = [game(str(k), recall=k / 39) for k in range(40)]
    half, none = (detectable_alone(games, "rationale_consistency", r) for r in (0.5, 0.0))
    assert half is not None
    assert none is not None
    assert (half.second, half.correlation, half.n, half.clusters) == (None, 0.5, 40, 40)
    assert none.difference == pytest.approx((half.difference or 0) * np.sqrt(2))
    error = np.std(np.arange(40) / 39, ddof=1) / np.sqrt(40)
    assert half.difference == pytest.approx((2.0227 + 0.8512) * error, rel=1e-3)
    assert half.sentence == (
        "With 40 rows a gap in RC under 0.14 can't be seen "
        "(80% power, two-sided 5%, if the judges' values correlate by 0.5 over rows)."
    )
    with pytest.raises(ValueError, match="a correlation of 1"):
        detectable_alone(games, "rationale_consistency", 1.0)


def test_rows_of_one_prompt_count_for_less() -> None:
    values = [0.2, 0.9, 0.4, 0.7, 0.1, 0.8, 0.3, 0.6]
    apart = detectable_alone([game(str(k), recall=values[k // 4]) for k in range(32)], "rationale_consistency")
    together = detectable_alone(
        [game(str(k), recall=values[k // 4], cluster=str(k // 4)) for k in range(32)], "rationale_consistency"
    )
    assert apart is not None
    assert together is not None
    assert (together.n, together.clusters) == (32, 8)
    assert (together.difference or 0) > 1.9 * (apart.difference or 1)


def test_what_can_not_be_known_is_said() -> None:
    same = [game(str(k)) for k in range(10)]
    found = detectable(same, same, "rationale_consistency")
    assert found is not None
    assert found.difference is None
    assert found.sentence == (
        "With 10 rows it is not known which gap in RC can be seen: the two don't differ in any prompt, or by the same in all."
    )
    few = detectable([game(str(k)) for k in range(3)], [game(str(k), recall=k / 3) for k in range(3)], "rationale_consistency")
    assert few is not None
    assert few.why == "there are 3 prompts, 6 are needed"
    assert detectable(same, [game("other")], "rationale_consistency") is None
    assert detectable_alone([game("1", recall=None)], "rationale_consistency") is None
    assert few.to_json()["sentence"].startswith("With 3 rows it is not known")


def test_every_two_judges_or_one() -> None:
    games = {
        name: [game(str(k), 1 if k % n else -1, recall=k % n / n, judge=name) for k in range(12)]
        for name, n in (("a", 2), ("b", 3), ("c", 4))
    }
    found = detectable_pairs(games)
    assert [(one.metric, one.first, one.second) for one in found[3:]] == [
        ("rationale_consistency", "a", "b"), ("rationale_consistency", "a", "c"), ("rationale_consistency", "b", "c")
    ]  # fmt: skip
    assert [one.second for one in detectable_pairs({"a": games["a"]})] == [None, None]
    assert detectable_pairs({}) == []
