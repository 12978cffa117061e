"""Win rates with style held equal: a logistic regression on the models and on how their answers differ in style.

P(model beats the baseline) = sigmoid(b_model + c . f), f the style features of the model's answer against the baseline's; the
baseline's b is 0. Rows of one question are drawn together; a resample is a weight a question, and all resamples are fitted at
once. Knows nothing of markdown or of files.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rationalerm.score.resample import cluster_draws

__all__ = ["Battles", "Fit", "StyleRates", "fit", "style_rates", "win_rate"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

_STEPS = 60
_TOLERANCE = 1e-11  # of a Newton step
_FAR = 25.0  # a coefficient beyond it has no finite optimum: the model wins, or loses, whatever the style
_SINGULAR = 1e-10


@dataclass(frozen=True)
class Battles:
    """Scores of models against one baseline, a row a model and question.

    Attributes:
        models: names.
        model: (rows,) index into `models`.
        question: (rows,) index of the question.
        won: (rows,) sum of the row's scores, each in [0, 1].
        weight: (rows,) how many scores those are.
        features: (rows, k) style of the model's answer against the baseline's; 0 where they are alike.
    """

    models: tuple[str, ...]
    model: Ints
    question: Ints
    won: Floats
    weight: Floats
    features: Floats

    def of(self, index: int) -> Battles:
        """One model's rows alone."""
        mine = self.model == index
        zeros = np.zeros(int(mine.sum()), dtype=np.intp)
        return Battles((self.models[index],), zeros, self.question[mine], self.won[mine], self.weight[mine], self.features[mine])


@dataclass(frozen=True)
class Fit:
    """Coefficients of each resample: `models` (draws, models), `style` (draws, k); NaN where the rows do not tell them.

    `endless` (draws, models): the coefficient has no finite optimum there, and its win rate is 0 or 1 in the limit.
    """

    models: Floats
    style: Floats
    endless: NDArray[np.bool_]


@dataclass(frozen=True)
class StyleRates:
    """Win rates against the baseline.

    Attributes:
        rates: model -> (point, low, high): median, 5% and 95% quantile over the resamples; None where too few define it.
        fitted: model -> the win rate of the fit to the rows as they are.
        style: medians of the coefficients of the features, in units of their spread.
        endless: model -> resamples in which it wins, or loses, everything that the style does not explain.
    """

    rates: dict[str, tuple[float, float, float] | None]
    fitted: dict[str, float | None]
    style: tuple[float | None, ...]
    endless: dict[str, int]


def style_rates(battles: Battles, *, centred: bool = True, draws: int = 100, seed: int = 0) -> StyleRates:
    """Win rates with style controlled.

    Args:
        battles: of one or more models against one baseline.
        centred: features are standardised over all battles, so that a rate is that at their mean style, as the benchmark has it:
            it moves when a model is added. False: features are only scaled, and a rate is that at the baseline's own style.
        draws: bootstrap resamples of the questions.
        seed: of the draws.
    """
    features, kept = _scaled(battles, centred)
    questions = int(battles.question.max(initial=-1)) + 1
    whole = fit(battles, features, np.ones((1, len(battles.won))))
    width = max(len(battles.won), questions)
    parts = [fit(battles, features, drawn[:, battles.question]) for drawn in cluster_draws(questions, draws, width, seed)]
    rates = win_rate(np.concatenate([part.models for part in parts]))
    style = np.full((draws, len(kept)), np.nan)
    style[:, kept] = np.concatenate([part.style for part in parts])
    endless = np.concatenate([part.endless for part in parts]).sum(axis=0)
    return StyleRates(
        rates={name: _quantiles(rates[:, k]) for k, name in enumerate(battles.models)},
        fitted={name: _number(win_rate(whole.models[0])[k]) for k, name in enumerate(battles.models)},
        style=tuple(None if (found := _quantiles(style[:, k])) is None else found[0] for k in range(style.shape[1])),
        endless={name: int(endless[k]) for k, name in enumerate(battles.models)},
    )


def fit(battles: Battles, features: Floats, weights: Floats) -> Fit:
    """The maximum-likelihood coefficients under each resample, by Newton's method with halved steps.

    Args:
        battles: the rows.
        features: (rows, k), as they enter the regression.
        weights: (draws, rows): how often a row was drawn.

    Source: McCullagh and Nelder, "Generalized Linear Models", section 2.5; a one-hot block makes the system's Schur complement
    k x k, whatever the number of models.
    """
    order = np.argsort(battles.model, kind="stable")
    problem = _Problem(battles, features, weights, order)
    draws = len(weights)
    beta, style = np.zeros((draws, len(battles.models))), np.zeros((draws, features.shape[1]))
    active = np.arange(draws)
    for _ in range(_STEPS):
        step_b, step_c = problem.step(active, beta[active], style[active])
        size = np.abs(np.concatenate([step_b, step_c], axis=1)).max(axis=1, initial=0.0)
        scale = problem.shortened(active, beta[active], style[active], step_b, step_c)
        beta[active] = np.clip(beta[active] + scale * step_b, -2 * _FAR, 2 * _FAR)
        style[active] += scale * step_c
        active = active[size > _TOLERANCE]
        if not len(active):
            break
    known, told = problem.known()
    endless = (np.abs(beta) > _FAR) & known
    told = told & (np.abs(style).max(axis=1, initial=0.0) < _FAR)
    unsettled = np.isin(np.arange(draws), active) & ~endless.any(axis=1)
    told = told & ~unsettled
    beta = np.where(known & (told[:, None] | endless), beta, np.nan)
    return Fit(beta, np.where(told[:, None], style, np.nan), endless)


def win_rate(coefficients: Floats) -> Floats:
    """e^b / (e^b + e^0)."""
    return np.asarray(0.5 * (1 + np.tanh(coefficients / 2)))


class _Problem:
    """The rows, sorted by model, and the resamples' weights."""

    def __init__(self, battles: Battles, features: Floats, weights: Floats, order: Ints) -> None:
        self._model = battles.model[order]
        self._starts = np.searchsorted(self._model, np.arange(len(battles.models)))
        self._f = features[order]
        self._upper = np.triu_indices(features.shape[1])
        self._ff = self._f[:, self._upper[0]] * self._f[:, self._upper[1]]
        self._weight = weights[:, order] * battles.weight[order]
        self._won = weights[:, order] * battles.won[order]

    def step(self, at: Ints, beta: Floats, style: Floats) -> tuple[Floats, Floats]:
        """Newton's step of the draws `at`."""
        p = win_rate(beta[:, self._model] + style @ self._f.T)
        weight = self._weight[at]
        error, curve = self._won[at] - weight * p, weight * p * (1 - p)
        grad_b, grad_c = self._by_model(error), error @ self._f
        diagonal = np.maximum(self._by_model(curve), 1e-12)
        cross = self._cross(curve)
        reduced = self._schur(curve, cross, diagonal)
        right = grad_c - np.einsum("dm,dmk->dk", grad_b / diagonal, cross)
        step_c = np.einsum("dkl,dl->dk", np.linalg.pinv(reduced, rcond=_SINGULAR, hermitian=True), right)
        step_b = (grad_b - np.einsum("dmk,dk->dm", cross, step_c)) / diagonal
        return np.clip(step_b, -_FAR / 5, _FAR / 5), step_c

    def shortened(self, at: Ints, beta: Floats, style: Floats, step_b: Floats, step_c: Floats) -> Floats:
        """(draws, 1): the largest of 1, 1/2, 1/4, ... of the step that does not lose likelihood."""
        before = self._likelihood(at, beta, style)
        scale = np.ones((len(at), 1))
        for _ in range(20):
            after = self._likelihood(at, beta + scale * step_b, style + scale * step_c)
            worse = after < before - 1e-9 * (1 + np.abs(before))
            if not worse.any():
                break
            scale[worse] /= 2
        return scale

    def known(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which models were drawn (draws, models), and in which draws the style's coefficients can be told from theirs."""
        total = self._by_model(self._weight)
        cross = self._cross(self._weight)
        reduced = self._schur(self._weight, cross, np.maximum(total, 1e-12))
        if not self._f.shape[1]:
            return total > 0, np.ones(len(total), dtype=bool)
        values = np.linalg.eigvalsh(reduced)
        return total > 0, values[:, 0] > _SINGULAR * np.maximum(self._weight.sum(axis=1), 1e-300)

    def _likelihood(self, at: Ints, beta: Floats, style: Floats) -> Floats:
        eta = beta[:, self._model] + style @ self._f.T
        return np.asarray((self._won[at] * eta - self._weight[at] * np.logaddexp(0, eta)).sum(axis=1))

    def _by_model(self, values: Floats) -> Floats:
        """(draws, rows) -> (draws, models): sums."""
        return np.asarray(np.add.reduceat(values, self._starts, axis=1))

    def _cross(self, curve: Floats) -> Floats:
        parts = [self._by_model(curve * self._f[:, k]) for k in range(self._f.shape[1])]
        return np.stack(parts, axis=2) if parts else np.zeros((len(curve), len(self._starts), 0))

    def _schur(self, curve: Floats, cross: Floats, diagonal: Floats) -> Floats:
        k = self._f.shape[1]
        full = np.zeros((len(curve), k, k))
        full[:, self._upper[0], self._upper[1]] = curve @ self._ff
        full[:, self._upper[1], self._upper[0]] = full[:, self._upper[0], self._upper[1]]
        return np.asarray(full - np.einsum("dmk,dml->dkl", cross / diagonal[:, :, None], cross))


def _scaled(battles: Battles, centred: bool) -> tuple[Floats, NDArray[np.bool_]]:
    """Features in units of their spread over all scores, without those that say nothing; and which are kept."""
    n = battles.weight.sum()
    mean = battles.weight @ battles.features / n
    spread = np.sqrt(battles.weight @ (battles.features - mean) ** 2 / max(n - 1, 1))
    largest = np.abs(battles.features).max(axis=0, initial=0.0)
    same = spread <= 1e-12 * largest
    kept = ~same if centred else largest > 0
    unit = np.where(same, largest, spread)  # one that is the same throughout, not 0, can't be told from the models' coefficients
    centre = mean if centred else np.zeros_like(mean)
    return np.asarray((battles.features - centre)[:, kept] / unit[kept]), kept


def _quantiles(values: Floats) -> tuple[float, float, float] | None:
    defined = values[np.isfinite(values)]
    if len(defined) < 0.95 * len(values) or not len(defined):
        return None
    middle, low, high = np.quantile(defined, [0.5, 0.05, 0.95])
    return float(middle), float(low), float(high)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
