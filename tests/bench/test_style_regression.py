"""Style control: the regression against a solution of another kind, its resamples, and rows that do not tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from rationalerm.score.style import Battles, fit, style_rates, win_rate

Floats = NDArray[np.float64]


def made(models: int = 5, questions: int = 120, seed: int = 0) -> Battles:
    rng = np.random.default_rng(seed)
    model = np.repeat(np.arange(models), questions)
    features = rng.normal(size=(len(model), 4)) * 0.4 + (model[:, None] - 2) * 0.1
    logits = np.linspace(-1.2, 0.9, models)[model] + features @ np.array([0.9, -0.4, 0.3, 0.0])
    won, weight = np.zeros(len(model)), np.zeros(len(model))
    for _ in range(2):
        times = rng.choice([1.0, 3.0], size=len(model))
        score = np.where(rng.random(len(model)) < 0.1, 0.5, rng.random(len(model)) < 1 / (1 + np.exp(-logits)))
        won, weight = won + times * score, weight + times
    names = tuple(f"m{k}" for k in range(models))
    return Battles(names, model, np.tile(np.arange(questions), models), won, weight, features)


def by_gradient(design: Floats, won: Floats, weight: Floats) -> Floats:
    """The same likelihood by accelerated gradient ascent, to 1e-10: no Hessian, no block structure."""
    bound = np.linalg.norm((design * weight[:, None]).T @ design, 2) / 4
    beta = ahead = np.zeros(design.shape[1])
    momentum = 1.0
    for _ in range(200_000):
        gradient = design.T @ (won - weight / (1 + np.exp(-design @ ahead)))
        if np.abs(gradient).max() < 1e-10 * weight.sum():
            return ahead
        new = ahead + gradient / bound
        if gradient @ (new - beta) < 0:  # gone too far: start the momentum anew
            momentum, ahead = 1.0, beta
            continue
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead, beta, momentum = new + (momentum - 1) / following * (new - beta), new, following
    raise AssertionError("the gradient did not vanish")


def design_of(battles: Battles, *, centred: bool) -> Floats:
    """The whole matrix, standardised over the scores written out one by one."""
    times = battles.weight.astype(int)
    every = np.repeat(battles.features, times, axis=0)
    mean, spread = every.mean(axis=0), every.std(axis=0, ddof=1)
    hot = (battles.model[:, None] == np.arange(len(battles.models))).astype(float)
    return np.hstack([hot, (battles.features - (mean if centred else 0)) / spread])


def test_the_fit_is_the_one_that_another_method_finds() -> None:
    battles = made()
    found = style_rates(battles)
    beta = by_gradient(design_of(battles, centred=True), battles.won, battles.weight)
    for k, name in enumerate(battles.models):
        assert found.fitted[name] == pytest.approx(1 / (1 + np.exp(-beta[k])), abs=1e-8)  # e^b / (e^b + e^0)
    for k, name in enumerate(battles.models):
        alone = style_rates(battles.of(k), centred=False)
        one = battles.of(k)
        beta = by_gradient(design_of(one, centred=False), one.won, one.weight)
        assert alone.fitted[name] == pytest.approx(1 / (1 + np.exp(-beta[0])), abs=1e-8)


def test_a_resample_is_the_fit_to_its_rows_written_out() -> None:
    """Weights in place of resampled rows; the point is the median of the resamples, the interval 5% to 95%."""
    battles = made(3, 40, 2)
    draws = 15
    found = style_rates(battles, draws=draws, seed=4)
    design = design_of(battles, centred=True)  # standardised once, before the resamples
    rng = np.random.default_rng(4)
    picked = rng.integers(40, size=(draws, 40))
    rates = np.zeros((draws, 3))
    for d in range(draws):
        rows = np.concatenate([np.flatnonzero(battles.question == q) for q in picked[d]])
        beta = by_gradient(design[rows], battles.won[rows], battles.weight[rows])
        rates[d] = 1 / (1 + np.exp(-beta[:3]))
    for k, name in enumerate(battles.models):
        low, point, high = np.quantile(rates[:, k], [0.05, 0.5, 0.95])
        assert found.rates[name] == pytest.approx((point, low, high), abs=1e-7)


def test_style_that_decides_is_taken_out() -> None:
    """Two equal models, one of which writes longer where longer wins: alike at the baseline's style, not in the plain mean."""
    rng = np.random.default_rng(0)
    questions = 4000
    model = np.repeat([0, 1], questions)
    features = np.zeros((len(model), 4))
    features[:, 0] = rng.normal(size=len(model)) * 0.5 + np.where(model == 0, 0.8, 0.0)
    won = (rng.random(len(model)) < 1 / (1 + np.exp(-1.5 * features[:, 0]))).astype(float)
    question = np.tile(np.arange(questions), 2)
    battles = Battles(("long", "plain"), model, question, won, np.ones(len(model)), features)
    plain = [won[model == k].mean() for k in (0, 1)]
    assert plain[0] - plain[1] > 0.2
    alone = [style_rates(battles.of(k), centred=False).fitted[name] for k, name in enumerate(battles.models)]
    assert alone == [pytest.approx(0.5, abs=0.04)] * 2
    together = style_rates(battles).fitted
    assert together["long"] == pytest.approx(together["plain"], abs=0.04)


def test_a_model_that_wins_all_has_the_limit_and_does_not_touch_the_others() -> None:
    battles = made()
    winner = replace(battles, won=np.where(battles.model == 2, battles.weight, battles.won))
    found = style_rates(winner)
    assert found.fitted["m2"] == pytest.approx(1.0)
    assert found.endless == {"m0": 0, "m1": 0, "m2": 100, "m3": 0, "m4": 0}
    others = winner.model != 2
    kept = Battles(
        ("m0", "m1", "m3", "m4"),
        np.unique(winner.model[others], return_inverse=True)[1],
        winner.question[others], winner.won[others], winner.weight[others], winner.features[others],
    )  # fmt: skip
    design = design_of(winner, centred=True)[others][:, [0, 1, 3, 4, 5, 6, 7, 8]]
    beta = by_gradient(design, kept.won, kept.weight)
    for k, name in enumerate(kept.models):
        assert found.fitted[name] == pytest.approx(1 / (1 + np.exp(-beta[k])), abs=1e-6)


def test_rows_that_do_not_tell_give_no_number() -> None:
    """A style that is the same in every row of a model can't be told from the model."""
    battles = made(1, 30)
    same = replace(battles, features=np.full_like(battles.features, 0.3))
    assert style_rates(same, centred=False).fitted == {"m0": None}
    found = style_rates(same, centred=False)
    assert found.rates == {"m0": None}
    assert "in the same way in every row" in found.why["m0"]
    assert found.endless == {"m0": 0}
    assert style_rates(same).rates["m0"] is not None, "at the models' mean style it is told"
    flat = replace(battles, features=np.zeros_like(battles.features))
    assert style_rates(flat).fitted["m0"] == pytest.approx(battles.won.sum() / battles.weight.sum())
    assert style_rates(flat).style == (None,) * 4


def with_rare(rare: int, questions: int = 24) -> Battles:
    """Headers in `rare` answers of the first model alone."""
    battles = made(3, questions, 5)
    features = battles.features.copy()
    features[:, 1] = 0.0
    features[:rare, 1] = 0.2 + 0.01 * np.arange(rare)
    return replace(battles, features=features)


@pytest.mark.parametrize("rare", [1, 2, 3])
def test_a_rare_feature_takes_no_figure_away(rare: int) -> None:
    """In a resample without it, it is left out; with it, the fit is what it was. Those that it separates stay finite."""
    battles = with_rare(rare)
    draws = 30
    found = style_rates(battles, draws=draws)
    design = design_of(battles, centred=True)
    generator = np.random.default_rng(0)
    left_out = separated = 0
    for questions in generator.integers(24, size=(draws, 24)):
        rows = np.concatenate([np.flatnonzero(battles.question == q) for q in questions])
        weights = np.bincount(questions, minlength=24)[battles.question][None, :].astype(float)
        one = fit(battles, design[:, 3:], weights)
        assert np.isfinite(one.models).all()
        assert not one.endless.any()
        separated += int(one.separated[0])
        without = not battles.features[rows, 1].any()
        left_out += without
        assert (abs(one.style[0, 1]) < 1e-9) == without
        assert one.told[0].tolist() == [True, not without, True, True]
        if not one.separated[0]:
            columns = [0, 1, 2, 3, 5, 6] if without else list(range(7))
            beta = by_gradient(design[rows][:, columns], battles.won[rows], battles.weight[rows])
            assert win_rate(one.models[0]) == pytest.approx(win_rate(beta[:3]), abs=1e-6)
    assert left_out > 0
    assert found.left_out == (0, left_out, 0, 0)
    assert found.separated == separated
    assert all(rate is not None and 0 < rate[1] < rate[0] < rate[2] < 1 for rate in found.rates.values())
    assert set(found.endless.values()) == {0}
    assert set(found.why.values()) == {""}
    alone = style_rates(battles.of(0), centred=False)
    assert alone.rates["m0"] is not None
    assert alone.style[1] is None or alone.left_out[1] <= 50


def test_answers_of_one_layout_against_a_baseline_that_varies() -> None:
    """The baseline's style is hundreds of spreads away: the fit comes to its end, and the rate there is that of the line."""
    battles = made(1, 60, 3)
    battles = replace(battles, features=0.3 + 0.002 * battles.features)
    found = style_rates(battles, centred=False)
    assert found.why == {"m0": ""}
    assert found.rates["m0"] is not None
    beta = by_gradient(design_of(battles, centred=True), battles.won, battles.weight)
    every = np.repeat(battles.features, battles.weight.astype(int), axis=0)
    there = beta[0] - beta[1:] @ (every.mean(axis=0) / every.std(axis=0, ddof=1))
    assert abs(there) > 20, "far away"
    assert found.fitted["m0"] == pytest.approx(win_rate(there), rel=1e-4)


def test_two_features_that_are_one_are_told_together() -> None:
    """Headers and lists in the same rows, alike: their coefficients are not told apart, the rates are."""
    battles = made(2, 40)
    features = battles.features.copy()
    features[:, 2] = features[:, 1]
    twice = style_rates(replace(battles, features=features), draws=20)
    features = features.copy()
    features[:, 2] = 0.0
    once = style_rates(replace(battles, features=features), draws=20)
    for name in battles.models:
        assert twice.rates[name] == pytest.approx(once.rates[name], abs=1e-6)
    assert twice.left_out == (0, 20, 20, 0)


def test_a_model_without_a_drawn_row_is_unknown_there() -> None:
    battles = made(2, 10)
    weights = np.where(battles.model == 1, 0.0, 1.0)[None, :]
    found = fit(battles, battles.features, weights)
    assert np.isfinite(found.models[0, 0])
    assert np.isnan(found.models[0, 1])


def test_the_files_order_does_not_matter() -> None:
    assert win_rate(np.array([0.0, 800.0, -800.0])).tolist() == [0.5, 1.0, 0.0]
    battles = made(2, 50)
    order = np.random.default_rng(1).permutation(len(battles.won))
    mixed = Battles(
        battles.models, battles.model[order], battles.question[order], battles.won[order], battles.weight[order],
        battles.features[order],
    )  # fmt: skip
    assert style_rates(mixed).fitted == pytest.approx(style_rates(battles).fitted, abs=1e-12)
