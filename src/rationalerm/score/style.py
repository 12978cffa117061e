"""Win rates with style held equal: a logistic regression on the models and on how their answers differ in style.

P(model beats the baseline) = sigmoid(b_model + c . f), f the style features of the model's answer against the baseline's; the
baseline's b is 0. Rows of one question are drawn together; a resample is a weight a question, and all resamples are fitted at
once. A feature that the rows of a resample don't tell from the models (it is the same in all of them, say) is left out there:
its coefficient is 0. One that decides rows alone has no finite optimum: a ridge of 1e-8 of a score holds it, far from moving any
that has one. Knows nothing of markdown or of files.
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
_GAIN = 1e-15  # of likelihood that a step promises
_RIDGE = 1e-8  # on the style's coefficients
_FLAT = 1e-4  # curvature of the likelihood, in scores, below which only the ridge holds a coefficient
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
    """Coefficients of each resample.

    Attributes:
        models: (draws, models); NaN where a model was not drawn.
        style: (draws, k); 0 where a feature is left out.
        endless: (draws, models): the coefficient has no finite optimum there, and its win rate is 0 or 1 in the limit.
        told: (draws, k): the rows tell the feature's coefficient from the others'.
        span: (draws, k, k): onto the combinations of features that they tell.
        separated: (draws,): style alone decides rows there, and only the ridge keeps its coefficient finite.
    """

    models: Floats
    style: Floats
    endless: NDArray[np.bool_]
    told: NDArray[np.bool_]
    span: Floats
    separated: NDArray[np.bool_]


@dataclass(frozen=True)
class StyleRates:
    """Win rates against the baseline.

    Attributes:
        rates: model -> (point, low, high): median, 5% and 95% quantile over the resamples; None where too few define it.
        fitted: model -> the win rate of the fit to the rows as they are.
        why: model -> why there is no rate; "" where there is one.
        style: medians of the features' coefficients, in units of their spread, over the resamples that tell them; None where
            fewer than half do.
        endless: model -> resamples in which it wins, or loses, everything that the style does not explain.
        left_out: resamples that do not tell a feature's coefficient, a feature each.
        separated: resamples in which style alone decides rows.
    """

    rates: dict[str, tuple[float, float, float] | None]
    fitted: dict[str, float | None]
    why: dict[str, str]
    style: tuple[float | None, ...]
    endless: dict[str, int]
    left_out: tuple[int, ...]
    separated: int


def style_rates(battles: Battles, *, centred: bool = True, draws: int = 100, seed: int = 0) -> StyleRates:
    """Win rates with style controlled.

    Args:
        battles: of one or more models against one baseline.
        centred: features are standardised over all battles, so that a rate is that at their mean style, as the benchmark has it:
            it moves when a model is added. False: a rate is that at the baseline's own style.
        draws: bootstrap resamples of the questions.
        seed: of the draws.
    """
    features, kept, at = _scaled(battles)
    questions = int(battles.question.max(initial=-1)) + 1
    whole = fit(battles, features, np.ones((1, len(battles.won))))
    lost = np.abs(at[kept] @ (np.eye(int(kept.sum())) - whole.span[0])).max(initial=0.0)
    placed = centred or bool(lost < 1e-6 and not at[~kept].any())
    at = np.zeros_like(at) if centred else at
    width = max(len(battles.won), questions)
    parts = [fit(battles, features, drawn[:, battles.question]) for drawn in cluster_draws(questions, draws, width, seed)]
    rates = np.concatenate([_rates(part, at[kept]) for part in parts])
    style = np.full((draws, len(kept)), np.nan)
    told = np.concatenate([part.told for part in parts])
    style[:, kept] = np.where(told, np.concatenate([part.style for part in parts]), np.nan)
    endless = np.concatenate([part.endless for part in parts]).sum(axis=0)
    why = {name: _why(rates[:, k], placed) for k, name in enumerate(battles.models)}
    fitted = _rates(whole, at[kept])[0]
    return StyleRates(
        rates={name: None if why[name] else _quantiles(rates[:, k]) for k, name in enumerate(battles.models)},
        fitted={name: _number(fitted[k]) if placed else None for k, name in enumerate(battles.models)},
        why=why,
        style=tuple(_median(style[:, k]) for k in range(style.shape[1])),
        endless={name: int(endless[k]) for k, name in enumerate(battles.models)},
        left_out=tuple(int(np.isnan(style[:, k]).sum()) for k in range(style.shape[1])),
        separated=int(np.concatenate([part.separated for part in parts]).sum()),
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
        step_b, step_c, gain = problem.step(active, beta[active], style[active])
        size = np.abs(np.concatenate([step_b, step_c], axis=1)).max(axis=1, initial=0.0)
        scale = problem.shortened(active, beta[active], style[active], step_b, step_c)
        beta[active] = np.clip(beta[active] + scale * step_b, -2 * _FAR, 2 * _FAR)
        style[active] += scale * step_c
        active = active[(size > _TOLERANCE) & (gain > _GAIN)]
        if not len(active):
            break
    known = problem.known()
    endless = (np.abs(beta) > _FAR) & known
    settled = ~np.isin(np.arange(draws), active) | endless.any(axis=1)
    return Fit(
        models=np.where(known & settled[:, None], beta, np.nan),
        style=np.where(settled[:, None], style, np.nan),
        endless=endless,
        told=problem.told & settled[:, None],
        span=problem.span,
        separated=problem.flat(beta, style),
    )


def win_rate(coefficients: Floats) -> Floats:
    """e^b / (e^b + e^0)."""
    return np.asarray(0.5 * (1 + np.tanh(coefficients / 2)))


def _rates(found: Fit, at: Floats) -> Floats:
    """(draws, models): the win rates at a style, in the regression's units; endless ones stay at their limit."""
    moved = found.models + (found.style @ at)[:, None]
    return win_rate(np.where(found.endless, found.models, moved))


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
        self.span = self._range()
        k = features.shape[1]
        self.told = np.asarray(np.einsum("dkk->dk", np.eye(k) - self.span) < 1e-6)

    def step(self, at: Ints, beta: Floats, style: Floats) -> tuple[Floats, Floats, Floats]:
        """Newton's step of the draws `at`, and what it promises to gain."""
        error, curve = self._slopes(at, beta, style)
        grad_b, grad_c = self._by_model(error), error @ self._f - _RIDGE * style
        diagonal = np.maximum(self._by_model(curve), 1e-12)
        cross = self._cross(curve)
        kept = self.span[at]
        right = np.einsum("dkl,dl->dk", kept, grad_c - np.einsum("dm,dmk->dk", grad_b / diagonal, cross))
        reduced = kept @ self._schur(curve, cross, diagonal) @ kept + _RIDGE * np.eye(self._f.shape[1])
        step_c = np.einsum("dkl,dl->dk", kept, np.linalg.solve(reduced, right[:, :, None])[:, :, 0])
        step_b = (grad_b - np.einsum("dmk,dk->dm", cross, step_c)) / diagonal
        gain = (grad_b * step_b).sum(axis=1) + (grad_c * step_c).sum(axis=1)
        return np.clip(step_b, -_FAR / 5, _FAR / 5), step_c, np.asarray(gain)

    def flat(self, beta: Floats, style: Floats) -> NDArray[np.bool_]:
        """(draws,): does the likelihood say nothing of a style that the rows themselves tell?"""
        if not self._f.shape[1]:
            return np.zeros(len(beta), dtype=bool)
        curve = self._slopes(np.arange(len(beta)), beta, style)[1]
        reduced = self._schur(curve, self._cross(curve), np.maximum(self._by_model(curve), 1e-12))
        lost = np.eye(self._f.shape[1]) - self.span
        return np.asarray(np.linalg.eigvalsh(self.span @ reduced @ self.span + lost)[:, 0] < _FLAT)

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

    def known(self) -> NDArray[np.bool_]:
        """(draws, models): which models were drawn."""
        return np.asarray(self._by_model(self._weight) > 0)

    def _range(self) -> Floats:
        """(draws, k, k): onto the style that the drawn rows tell from the models, whatever their scores."""
        total = self._by_model(self._weight)
        reduced = self._schur(self._weight, self._cross(self._weight), np.maximum(total, 1e-12))
        values, vectors = np.linalg.eigh(reduced)
        kept = values > _SINGULAR * np.maximum(self._weight.sum(axis=1), 1e-300)[:, None]
        return np.asarray((vectors * kept[:, None, :]) @ vectors.transpose(0, 2, 1))

    def _slopes(self, at: Ints, beta: Floats, style: Floats) -> tuple[Floats, Floats]:
        """First and second derivative of the rows' likelihood by their logit."""
        p = win_rate(beta[:, self._model] + style @ self._f.T)
        weight = self._weight[at]
        return self._won[at] - weight * p, weight * p * (1 - p)

    def _likelihood(self, at: Ints, beta: Floats, style: Floats) -> Floats:
        eta = beta[:, self._model] + style @ self._f.T
        rows = (self._won[at] * eta - self._weight[at] * np.logaddexp(0, eta)).sum(axis=1)
        return np.asarray(rows - _RIDGE / 2 * (style**2).sum(axis=1))

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


def _scaled(battles: Battles) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """Features as they enter the regression; which of them do; and where the baseline's own style lies among all.

    They are standardised over all scores, and one that is the same throughout is left out. (A rate at the baseline's style is of
    the same fit: one on features far from 0 would be a hard one for no reason.)
    """
    n = battles.weight.sum()
    mean = battles.weight @ battles.features / n
    spread = np.sqrt(battles.weight @ (battles.features - mean) ** 2 / max(n - 1, 1))
    kept = spread > 1e-12 * np.abs(battles.features).max(axis=0, initial=0.0)
    unit = np.where(kept, spread, 1.0)
    return np.asarray((battles.features - mean)[:, kept] / unit[kept]), kept, np.asarray(-mean / unit)


def _why(values: Floats, placed: bool) -> str:
    """Why a model has no rate; empty where it has one."""
    if not placed:
        return "its style differs from the baseline's in the same way in every row: its rate at the baseline's style is not told"
    missing = int((~np.isfinite(values)).sum())
    return f"{missing} of {len(values)} resamples do not define it" if missing > 0.05 * len(values) or not len(values) else ""


def _quantiles(values: Floats) -> tuple[float, float, float]:
    middle, low, high = np.quantile(values[np.isfinite(values)], [0.5, 0.05, 0.95])
    return float(middle), float(low), float(high)


def _median(values: Floats) -> float | None:
    defined = values[np.isfinite(values)]
    return float(np.median(defined)) if len(defined) >= 0.5 * len(values) and len(defined) else None


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
