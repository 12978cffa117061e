"""Two evaluators on the same judges, where the runs have them: two runs with different matchers, or a run with an audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import orjson

from rationalerm.errors import RationalermError
from rationalerm.run.agreement import agree
from rationalerm.run.reporting.loaded import Loaded

__all__ = ["agreement_of"]

_FIGURES = {"r2": "r2", "rmse": "rmse", "slope": "slope", "spearman": "spearman"}


def agreement_of(runs: Sequence[Loaded]) -> dict[str, Any] | None:
    """The first two runs that can be compared, else the first audit; None without either."""
    for one, other in combinations(runs, 2):
        if one.matcher and other.matcher and one.matcher != other.matcher and set(one.games) & set(other.games):
            try:
                return _shown(agree(one.name, other.name).to_json())
            except RationalermError:  # other texts, another scoring: no agreement to speak of
                continue
    return next((_shown(found) for run in runs if (found := _audit(run)) is not None), None)


def _audit(run: Loaded) -> Mapping[str, Any] | None:
    """audit.json of a run that has one."""
    try:
        value = orjson.loads((Path(run.name) / "audit.json").read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return value if isinstance(value, dict) else None


def _shown(compared: Mapping[str, Any]) -> dict[str, Any]:
    """As the page takes it. Over judges where there are enough for it, else over rows."""
    whole: Mapping[str, Any] = compared["over_judges"]
    if all(whole.get(name, {}).get("value") is None for name in _FIGURES.values()):
        whole = compared["over_rows"]
    return {
        "first": compared["a"]["evaluator"],
        "second": compared["b"]["evaluator"],
        "rows": compared["rows"],
        **{short: _value(whole.get(name)) for short, name in _FIGURES.items()},
        "judges": [{"name": name, "x": of["a"]["value"], "y": of["b"]["value"]} for name, of in compared["judges"].items()],
    }


def _value(figure: Mapping[str, Any] | None) -> list[float | int | None]:
    if figure is None:
        return [None, None, None, None]
    return [figure["value"], *(figure["ci"] or (None, None)), figure["n"]]
