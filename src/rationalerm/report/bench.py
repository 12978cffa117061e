"""A benchmark's table for people: a row a judge (or a model), then what is not in the score, position and length bias.

Everything is shown in percent. Published rows stand below the measured ones and say that they are published. Knows no files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from rationalerm.bench.base import BenchResult
from rationalerm.bench.published import PublishedRow
from rationalerm.errors import printable
from rationalerm.report.bench_lines import bench_lines, percent
from rationalerm.report.terminal import print_rows
from rationalerm.score.means import Mean

__all__ = ["print_bench"]


def print_bench(results: Mapping[str, BenchResult], out: Console, *, published: Sequence[PublishedRow] = ()) -> None:
    """Prints one benchmark's table and lines.

    Args:
        results: of each judge.
        out: where to.
        published: rows to show beside them.
    """
    first = next(iter(results.values()))
    if first.name == "arena-hard":
        for judge, result in results.items():
            _print_arena(judge, result, out)
    elif first.name == "helpsteer3":
        for judge, result in results.items():
            _print_helpsteer3(judge, result, out)
    else:
        _print_groups(results, published, out)
    for judge, result in results.items():
        for line in bench_lines(result):
            out.print(printable(f"{judge}: {line}" if len(results) > 1 else line), soft_wrap=True)


def _print_groups(results: Mapping[str, BenchResult], published: Sequence[PublishedRow], out: Console) -> None:
    """JudgeBench and RM-Bench: a column a group."""
    groups = list(dict.fromkeys(name for result in results.values() for name in result.groups))
    levels = list(dict.fromkeys(name for result in results.values() for name in result.tables.get("difficulty", {})))
    rows: dict[str, list[str]] = {}
    for judge, result in results.items():
        scale = 1.0 if result.unit == "percent" else 100.0
        cells = [_number(result.groups[name].value, scale) if name in result.groups else "-" for name in groups]
        cells += [_number(result.tables["difficulty"][name]["score"], scale) for name in levels]
        rows[printable(judge)] = [*cells, percent(result.overall, scale), str(result.overall.n)]
    for row in published:
        cells = [f"{row.scores[name]:.1f}" if name in row.scores else "-" for name in groups]
        rows[f"{row.model} (published)"] = [*cells, *("-" for _ in levels), f"{row.scores['overall']:.1f}", "-"]
    name = next(iter(results.values())).name
    print_rows((*groups, *levels, "overall [95%]", "n"), rows, out, f"{name}, in percent")
    if published:
        out.print("(published): figures of a paper, some quoted there from other papers; published, not measured here.")


def _print_arena(judge: str, result: BenchResult, out: Console) -> None:
    models: Mapping[str, Any] = result.tables["models"]
    categories = list(dict.fromkeys(name for entry in models.values() for name in entry["categories"]))
    for category in categories or [None]:
        parts = {name: entry["categories"].get(category) if category else entry for name, entry in models.items()}
        rows, styled = {}, False
        for name, entry in parts.items():
            if entry is None:
                continue
            style, alone = entry.get("style_controlled"), entry.get("style_controlled_alone")
            styled = styled or style is not None
            controlled = [_entry(style), _entry(alone)]
            counts = [str(entry[key]) for key in ("battles", "rows", "dropped_rows")]
            rows[printable(name)] = [_entry(entry), *controlled, *counts]
        columns: tuple[str, ...] = ("win rate [5%, 95%]", "style-controlled", "alone", "battles", "rows", "dropped")
        if not styled:
            rows = {name: [cells[0], *cells[3:]] for name, cells in rows.items()}
            columns = (columns[0], *columns[3:])
        baselines = ", ".join(dict.fromkeys(entry["baseline"] for entry in parts.values() if entry))
        title = f"arena-hard, {category or 'all questions'}, against {baselines}, judged by {judge}, in percent"
        print_rows(columns, rows, out, printable(title), head="model")
    if result.tables["style"]:
        out.print(
            "style-controlled: all models fitted together, at their mean style; it moves when a model is added. alone: each "
            "model against the baseline only, at the baseline's style; it depends on no other model.",
            soft_wrap=True,
        )
    if len(categories) > 1:
        out.print("Each category has a baseline of its own: compare models within one.")


def _print_helpsteer3(judge: str, result: BenchResult, out: Console) -> None:
    rows = {printable(name): _summary(part) for name, part in result.tables["domains"].items()}
    rows["all"] = _summary(result.tables["summary"])
    print_rows(("OA", "RC", "AP", "S-Corr", "pairs"), rows, out, printable(f"helpsteer3, {judge}, in percent"), head="domain")


def _summary(part: Mapping[str, Any]) -> list[str]:
    names = ("outcome_accuracy", "rationale_consistency", "average_precision", "s_corr")
    return [*(_number(part[name], 100.0) for name in names), str(part["n"])]


def _entry(entry: Mapping[str, Any] | None) -> str:
    if entry is None:
        return "-"
    low_high = entry["score_ci"]
    return percent(Mean(entry["score"], (low_high[0], low_high[1]) if low_high else None, 0))


def _number(value: float | None, scale: float) -> str:
    return "-" if value is None else f"{scale * value:.1f}"
