"""Benchmarks' figures as tables of the page: a row a judge (or a model), in percent, the published rows marked as published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rationalerm.bench.published import published
from rationalerm.run.reporting.loaded import Loaded

__all__ = ["bench_tables"]

Cell = list[float | int | None]  # value, low, high, n

_HELPSTEER3 = {
    "OA": "outcome_accuracy",
    "RC": "rationale_consistency",
    "AP": "average_precision",
    "S-Corr": "s_corr",
}


def bench_tables(runs: Sequence[Loaded], names: Mapping[int, str]) -> list[dict[str, Any]] | None:
    """The tables of all runs that are a benchmark's; None without any.

    Args:
        runs: as loaded.
        names: the judge's name on the page, by the run's number.
    """
    by_benchmark: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for number, run in enumerate(runs):
        if run.bench is not None:
            by_benchmark.setdefault(str(run.bench.get("benchmark")), []).append((names[number], run.bench))
    made = [table for name, results in by_benchmark.items() for table in _tables(name, results)]
    return made or None


def _tables(benchmark: str, results: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[dict[str, Any]]:
    if benchmark == "arena-hard":
        yield from _arena(results)
    elif benchmark == "helpsteer3":
        yield _helpsteer3(results)
    else:
        yield _groups(benchmark, results)


def _groups(benchmark: str, results: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """JudgeBench and RM-Bench: a column a group, then the difficulties, then the whole."""
    groups = list(dict.fromkeys(name for _, one in results for name in one.get("groups") or {}))
    levels = list(dict.fromkeys(name for _, one in results for name in one.get("difficulty") or {}))
    rows = []
    for judge, one in results:
        scale = 1.0 if one.get("unit") == "percent" else 100.0
        parts = [(one.get("groups") or {}).get(name) for name in groups]
        parts += [(one.get("difficulty") or {}).get(name) for name in levels]
        cells = [_cell(part, scale) for part in (*parts, one.get("overall"))]
        rows.append({"name": judge, "cells": cells, "published": False})
    for row in published(benchmark):
        known: list[Cell] = [_alone(row.scores.get(name)) for name in groups]
        cells = [*known, *(_alone(None) for _ in levels), _alone(row.scores.get("overall"))]
        rows.append({"name": row.model, "cells": cells, "published": True})
    notes = (
        ["Published: a paper's figures, some quoted there from other papers; not measured here."] if published(benchmark) else []
    )
    notes += [f"{judge}: {_counted(one)}" for judge, one in results]
    return {"title": f"{benchmark}, in percent", "columns": [*groups, *levels, "overall"], "rows": rows, "notes": notes}


def _arena(results: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[dict[str, Any]]:
    """A table a judge and category: each has a baseline of its own."""
    for judge, one in results:
        models: Mapping[str, Any] = one.get("models") or {}
        for category in list(dict.fromkeys(name for entry in models.values() for name in entry.get("categories") or {})) or [
            None
        ]:
            parts = {name: entry["categories"].get(category) if category else entry for name, entry in models.items()}
            there = {name: part for name, part in parts.items() if part}
            baselines = ", ".join(dict.fromkeys(str(part.get("baseline")) for part in there.values()))
            yield {
                "title": f"arena-hard, {category or 'all questions'}, against {baselines}, judged by {judge}, in percent",
                "columns": ["win rate", "style-controlled", "alone"],
                "rows": [
                    {
                        "name": name,
                        "cells": [_cell(part), _cell(part.get("style_controlled")), _cell(part.get("style_controlled_alone"))],
                        "published": False,
                    }
                    for name, part in there.items()
                ],
                "notes": [
                    "Intervals: 5% and 95% of 100 resamples. Style-controlled: all models fitted together; alone: one model "
                    "against the baseline.",
                    _counted(one),
                ],
            }


def _helpsteer3(results: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    rows = []
    for judge, one in results:
        for domain, part in {**(one.get("domains") or {}), "all": one.get("summary") or {}}.items():
            cells = [
                _cell({"score": part.get(name), "score_ci": part.get(f"{name}_ci"), "n": part.get(f"{name}_n")})
                for name in _HELPSTEER3.values()
            ]
            rows.append({"name": f"{judge}, {domain}" if len(results) > 1 else domain, "cells": cells, "published": False})
    title = f"helpsteer3, {results[0][0]}, in percent" if len(results) == 1 else "helpsteer3, in percent"
    return {
        "title": title,
        "columns": list(_HELPSTEER3),
        "rows": rows,
        "notes": [f"{judge}: {_counted(one)}" for judge, one in results],
    }


def _cell(part: Mapping[str, Any] | None, scale: float = 100.0) -> Cell:
    """In percent, to a hundredth."""
    if not part or part.get("score") is None:
        return _alone(None)
    low, high = part.get("score_ci") or (None, None)
    made: Cell = [None if value is None else round(scale * value, 2) for value in (part["score"], low, high)]
    return [*made, part.get("n")]


def _alone(value: float | None) -> Cell:
    return [value, None, None, None]


def _counted(one: Mapping[str, Any]) -> str:
    """What is in the score and what is not."""
    counts = one.get("counts") or {}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)
