"""Reliability of RC: against simulations whose truth is known, and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rationalerm.score.consistency import rationale_scores
from rationalerm.score.reliability import Split, recall_on, reliability
from rationalerm.types import Matching


def independent(rng: np.random.Generator, chances: list[float], humans: int) -> list[Split]:
    """Each human reason has a model reason of its own, or none: recall is the share of hits, and its truth is known."""
    return [
        Split(str(k), Matching(humans, humans, {(i, i): 1.0 for i in range(humans) if rng.random() < chance}))
        for k, chance in enumerate(chances)
    ]


@pytest.mark.parametrize("humans", [2, 3, 4, 5])
def test_the_truth_is_found(humans: int) -> None:
    rng = np.random.default_rng(humans)
    chances = rng.beta(1.2, 1.8, 1500)
    own = float((chances * (1 - chances)).mean()) / humans
    found = reliability({"j": independent(rng, chances.tolist(), humans)}, splits=20).judges["j"]
    assert found.row == pytest.approx(chances.var() / (chances.var() + own), abs=0.04)
    assert found.error == pytest.approx(math.sqrt(own / 1500), rel=0.05)
    assert (found.rows, found.single, found.why) == (1500, 0, None)
    if humans % 2 == 0 and found.halves is not None:
        assert found.row == pytest.approx(2 * found.halves / (1 + found.halves), abs=0.005)  # Spearman and Brown


def test_the_error_is_how_rc_moves_when_other_reasons_are_written() -> None:
    rng = np.random.default_rng(9)
    chances = rng.beta(1.2, 1.8, 120).tolist()
    rcs, errors = [], []
    for _ in range(100):
        rows = independent(rng, chances, int(rng.integers(4, 6)))
        rcs.append(np.mean([rationale_scores(row.matching, top_k=None).recall for row in rows]))
        errors.append(reliability({"j": rows}, splits=5).judges["j"].error)
    assert np.mean(errors) == pytest.approx(np.std(rcs), rel=0.2)


def test_rows_with_one_reason_have_the_others_variance() -> None:
    rng = np.random.default_rng(2)
    chances = rng.beta(1.2, 1.8, 2000).tolist()
    long, short = independent(rng, chances, 4), independent(rng, chances, 1)
    rows = long + [Split(f"one {pair}", matching) for pair, matching in short]
    found = reliability({"j": rows}, splits=10).judges["j"]
    assert (found.rows, found.single) == (2000, 2000)
    spread = float(np.mean([c * (1 - c) for c in chances]))
    assert found.error == pytest.approx(math.sqrt(2000 * spread / 4 + 2000 * spread) / 4000, rel=0.05)


def test_the_optimum_is_made_anew() -> None:
    """One model reason serves two human ones: the whole list gives it to one, a half to whichever it holds."""
    matching = Matching(2, 1, {(0, 0): 0.9, (1, 0): 0.6})
    assert [recall_on(matching, kept) for kept in ([0], [1], [0, 1])] == [0.9, 0.6, 0.45]


def test_a_ranking_that_holds_and_one_that_does_not() -> None:
    rng = np.random.default_rng(3)
    good, bad = (independent(rng, [chance] * 200, 4) for chance in (0.8, 0.2))
    held = reliability({"good": good, "bad": bad}, splits=20).ranking
    assert held is not None
    assert (held.rows, held.same_order, held.same_best, held.spearman) == (200, 1.0, 1.0, None)
    alike = reliability({name: independent(rng, [0.5] * 60, 4) for name in "abcd"}, splits=40).ranking
    assert alike is not None
    assert alike.same_order < 0.9
    assert alike.spearman is not None
    assert -1 <= alike.spearman < 0.9


def test_both_games_and_all_judges_are_split_alike() -> None:
    rng = np.random.default_rng(6)
    rows = independent(rng, rng.random(50).tolist(), 5)
    once, twice = (reliability({"j": of}, splits=7) for of in (rows, [*rows, *rows]))
    assert once.judges == twice.judges
    two = reliability({"j": rows, "k": rows[::-1]}, splits=7)
    assert two.judges["j"] == two.judges["k"] == once.judges["j"]  # whatever the order of the rows
    assert two.ranking is not None
    assert two.ranking.same_order == 1.0


def test_same_seed_same_numbers_and_json() -> None:
    rng = np.random.default_rng(8)
    rows = independent(rng, rng.random(30).tolist(), 3)
    assert reliability({"j": rows}, splits=9).to_json() == reliability({"j": rows}, splits=9).to_json()
    assert reliability({"j": rows}, splits=9, seed=1) != reliability({"j": rows}, splits=9)
    made = reliability({"j": rows}, splits=9).to_json()
    assert set(made) == {"judges", "ranking", "splits", "seed"}
    assert set(made["judges"]["j"]) == {"rows", "single", "halves", "row", "error", "why"}


def test_what_is_not_defined_is_not_a_number() -> None:
    one = Matching(1, 1, {(0, 0): 1.0})
    found = reliability({"j": [Split("a", one), Split("b", Matching(0, 2))]}).judges["j"]
    assert (found.rows, found.single, found.row, found.error) == (0, 1, None, None)
    flat = [Split(str(k), Matching(2, 2, {(0, 0): 1.0, (1, 1): 1.0})) for k in range(5)]
    found = reliability({"j": flat}).judges["j"]
    assert (found.row, found.error, found.why) == (None, 0.0, "all rows have the same recall by a half of the reasons")
    assert reliability({}).ranking is None
    with pytest.raises(ValueError, match="has 2 human reasons and 1"):
        reliability({"j": flat, "k": [Split("0", one)]})
