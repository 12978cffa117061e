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
