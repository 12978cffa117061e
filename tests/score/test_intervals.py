"""Bootstrap, permutation, Holm: against closed forms, exact enumeration, and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rationalerm.score.intervals import bootstrap, holm, paired_permutation


def test_bootstrap_is_near_the_normal_interval_for_independent_rows() -> None:
    values = np.random.default_rng(1).normal(size=800)
    low, high = bootstrap(list(values), range(800)) or (0, 0)
    half = 1.96 * values.std() / math.sqrt(800)
    assert low == pytest.approx(values.mean() - half, abs=0.01)
    assert high == pytest.approx(values.mean() + half, abs=0.01)


def test_rows_of_one_prompt_are_resampled_together() -> None:
    values = [float(k % 2) for k in range(60) for _ in range(10)]
    apart = bootstrap(values, range(600)) or (0, 0)
    together = bootstrap(values, [k for k in range(60) for _ in range(10)]) or (0, 0)
    assert together[1] - together[0] == pytest.approx((apart[1] - apart[0]) * math.sqrt(10), rel=0.15)


def test_bootstrap_coverage_over_clustered_simulations() -> None:
    generator = np.random.default_rng(2)
    inside = 0
    for _ in range(200):
        centres = generator.normal(size=40)
        values = np.repeat(centres, 3) + 0.5 * generator.normal(size=120)
        low, high = bootstrap(list(values), list(np.repeat(np.arange(40), 3)), draws=500) or (0, 0)
        inside += low <= 0 <= high
    assert 0.88 <= inside / 200 <= 0.99


def test_too_little_for_an_interval() -> None:
    assert bootstrap([], []) is None
    assert bootstrap([1.0, 0.0], ["a", "a"]) is None
    with pytest.raises(ValueError, match="2 values, 1 clusters"):
        bootstrap([1.0, 2.0], ["a"])


def test_an_all_right_sample_is_not_sure() -> None:
    low, high = bootstrap([1.0] * 60, range(60)) or (0, 0)
    assert (low, high) == (pytest.approx(0.025 ** (1 / 60)), 1.0)  # Clopper and Pearson's: scipy's binomtest gives 0.9404
    assert bootstrap([0.0] * 60, range(60)) == (0.0, pytest.approx(1 - low))
    assert bootstrap([100.0] * 60, range(60), bounds=(0.0, 100.0)) == (pytest.approx(100 * low), 100.0)
    assert bootstrap([1.0] * 60, [k // 6 for k in range(60)]) == (pytest.approx(0.025**0.1), 1.0)  # ten prompts
    assert bootstrap([0.4] * 60, range(60)) == (pytest.approx(0.4 * low), pytest.approx(0.4 + 0.6 * (1 - low)))
    assert bootstrap([7.0, 7.0, 7.0], "abc") == (7.0, 7.0)  # nothing is known that bounds it
    assert bootstrap([1.0, 1.0, 1.0], "abc", bounds=None) == (1.0, 1.0)


def test_a_share_of_independent_rows_has_wilsons_interval() -> None:
    """Scipy's binomtest(54, 60), method="wilson", is (0.7985, 0.9534); the clusters' variance makes 59 rows of the 60."""
    low, high = bootstrap([1.0] * 54 + [0.0] * 6, range(60)) or (0, 0)
    assert (low, high) == (pytest.approx(0.7985, abs=0.004), pytest.approx(0.9534, abs=0.002))
    assert bootstrap([100.0] * 54 + [0.0] * 6, range(60), bounds=(0.0, 100.0)) == (
        pytest.approx(100 * low),
        pytest.approx(100 * high),
    )


def test_a_prompts_rows_count_for_one() -> None:
    values = [1.0] * 48 + [0.0] * 12
    apart = bootstrap(values, range(60)) or (0, 0)
    together = bootstrap(values, [k // 4 for k in range(60)]) or (0, 0)
    assert together[1] - together[0] > 1.8 * (apart[1] - apart[0])


def test_a_skewed_sample_leans_to_the_long_side() -> None:
    values = [0.0] * 30 + [0.1, 0.2, 0.3, 0.9, 1.0] * 2
    low, high = bootstrap(values, range(40)) or (0, 0)
    mean = sum(values) / 40
    assert high - mean > 1.15 * (mean - low)


def test_many_rows_are_drawn_in_parts() -> None:
    values = np.random.default_rng(4).random(3000)
    low, high = bootstrap(list(values), range(3000)) or (0, 0)
    assert (high - low) / 2 == pytest.approx(1.96 * values.std() / math.sqrt(3000), rel=0.06)


def test_the_interval_is_that_of_scipys_bca() -> None:
    """Of these values scipy 1.17.1's stats.bootstrap(method="BCa") gives (0.1433, 0.35); for 30 clusters it is widened by 6%."""
    values = [0.0] * 14 + [0.05 * k for k in range(1, 16)] + [1.0]
    low, high = bootstrap(values, range(30), draws=20_000) or (0, 0)
    assert high - low == pytest.approx(1.06 * (0.35 - 0.1433), rel=0.03)
    assert low < 0.1433 < 0.35 < high


def test_same_rows_same_numbers() -> None:
    assert bootstrap([0.0, 1.0, 0.5], "abc") == bootstrap([0.0, 1.0, 0.5], "abc")


def test_permutation_is_exact_for_few_clusters() -> None:
    # five differences of one sign: 2 of 32 patterns are as extreme
    assert paired_permutation([1, 1, 1, 1, 1], [0, 0, 0, 0, 0], range(5)) == pytest.approx(2 / 32)
    assert paired_permutation([1, 1, 1, 1], [0, 0, 0, 0], "aabb") == pytest.approx(2 / 4)


def test_permutation_of_equal_judges_is_one() -> None:
    assert paired_permutation([1, 0, 1], [1, 0, 1], range(3)) == 1.0
    assert paired_permutation([], [], []) == 1.0


def test_permutation_is_symmetric_and_calibrated() -> None:
    generator = np.random.default_rng(3)
    small = 0
    for _ in range(200):
        x, y = generator.random(30), generator.random(30)
        p = paired_permutation(list(x), list(y), range(30), draws=400)
        assert p == paired_permutation(list(y), list(x), range(30), draws=400)
        small += p <= 0.1
    assert 0.04 <= small / 200 <= 0.17


def test_holm_by_hand() -> None:
    assert holm([]) == []
    assert holm([0.01, 0.02, 0.03, 0.5]) == pytest.approx([0.04, 0.06, 0.06, 0.5])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
