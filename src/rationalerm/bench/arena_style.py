"""Arena-Hard's style control: how an answer's looks become four features, and rows of scores a regression. Knows no files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rationalerm.data.arena_hard import Style
from rationalerm.score.style import Battles, StyleRates, style_rates

if TYPE_CHECKING:
    from rationalerm.bench.arena_hard import Row

__all__ = ["FEATURES", "controlled", "features"]

FEATURES = ("length", "headers", "lists", "bold")


def features(model: Style, baseline: Style) -> tuple[float, float, float, float]:
    """The model's answer against the baseline's, each in [-1, 1]; 0 where they are alike.

    length: (t_m - t_b) / (t_m + t_b) in tokens; for headers, lists and bold the density d = count / (tokens + 1) of each, and
    (d_m - d_b) / (d_m + d_b + 1).
    """
    total = model.tokens + baseline.tokens
    length = (model.tokens - baseline.tokens) / total if total else 0.0
    return (
        length,
        _density(model.headers, model, baseline.headers, baseline),
        _density(model.lists, model, baseline.lists, baseline),
        _density(model.bolds, model, baseline.bolds, baseline),
    )


def _density(mine: int, model: Style, theirs: int, baseline: Style) -> float:
    a, b = mine / (model.tokens + 1), theirs / (baseline.tokens + 1)
    return (a - b) / (a + b + 1)


def controlled(rows: Sequence[Row], draws: int, seed: int) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Win rates of one category against one baseline, style controlled.

    Args:
        rows: of all models, each with its style.
        draws, seed: of the bootstrap over questions.

    Returns:
        model -> `style_controlled` (all models fitted together, at their mean style: the benchmark's own figure, which moves when
        a model is added) and `style_controlled_alone` (the model against the baseline alone, at the baseline's style: it depends
        on no other model); and what the common fit says of the features.
    """
    battles = _battles(rows)
    together = style_rates(battles, draws=draws, seed=seed)
    out: dict[str, dict[str, Any]] = {}
    for k, model in enumerate(battles.models):
        alone = style_rates(battles.of(k), centred=False, draws=draws, seed=seed)
        out[model] = {"style_controlled": _figure(together, model), "style_controlled_alone": _figure(alone, model)}
    shared = {
        "features": dict(zip(FEATURES, together.style, strict=True)),
        "left_out_draws": dict(zip(FEATURES, together.left_out, strict=True)),
        "separated_draws": together.separated,
        "draws": draws,
    }
    return out, shared | {"models": len(battles.models), "rows": len(rows)}


def _battles(rows: Sequence[Row]) -> Battles:
    ordered = sorted(rows, key=lambda row: (row.bout.model, row.bout.uid))  # the files' order does not matter
    models = sorted({row.bout.model for row in rows})
    questions = {uid: k for k, uid in enumerate(sorted({row.bout.uid for row in rows}))}
    place = {model: k for k, model in enumerate(models)}
    return Battles(
        models=tuple(models),
        model=np.array([place[row.bout.model] for row in ordered], dtype=np.intp),
        question=np.array([questions[row.bout.uid] for row in ordered], dtype=np.intp),
        won=np.array([sum(row.scores) for row in ordered], dtype=float),
        weight=np.array([len(row.scores) for row in ordered], dtype=float),
        features=np.array([row.bout.style for row in ordered], dtype=float),
    )


def _figure(rates: StyleRates, model: str) -> dict[str, Any]:
    """Point, interval; the fit to the rows as they are; resamples in which the model wins, or loses, whatever the style.

    `why`: where there is no point, the reason.
    """
    found = rates.rates[model]
    why = {"why": rates.why[model]} if rates.why[model] else {}
    return why | {
        "score": found[0] if found else None,
        "score_ci": [found[1], found[2]] if found else None,
        "fitted": rates.fitted[model],
        "endless_draws": rates.endless[model],
    }
