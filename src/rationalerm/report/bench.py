"""A benchmark's table for people: a row a judge (or a model), then what is not in the score, position and length bias.

Everything is shown in percent. Published rows stand below the measured ones and say that they are published. Knows no files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console

from rationalerm.bench.base import BenchResult
from rationalerm.bench.published import PublishedRow
from rationalerm.errors import printable
from rationalerm.report.bench_lines import bench_lines, percent
from rationalerm.report.terminal import print_rows
from rationalerm.score.means import Mean

__all__ = ["print_bench", "print_line"]


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
            print_line(f"{judge}: {line}" if len(results) > 1 else line, out)


def print_line(line: str, out: Console) -> None:
    """A line below a table: wrapped between words at a terminal's width, whole in a pipe."""
    out.print(printable(line), soft_wrap=not out.is_terminal)


def _print_groups(results: Mapping[str, BenchResult], published: Sequence[PublishedRow], out: Console) -> None:
    """JudgeBench and RM-Bench: a column a group."""
    groups = list(dict.fromkeys(name for result in results.values() for name in result.groups))
    named = dict.fromkeys(name for result in results.values() for name in result.tables.get("difficulty", {}))
    levels = [] if published else list(named)  # no published row has them; they stand in a line below, too
    rows: dict[str, list[str]] = {}
    for judge, result in results.items():
        scale = 1.0 if result.unit == "percent" else 100.0
        cells = [_number(result.groups[name].value, scale) if name in result.groups else "-" for name in groups]
        cells += [_number(result.tables["difficulty"][name]["score"], scale) for name in levels]
        rows[printable(judge)] = [*cells, percent(result.overall, scale), str(result.overall.n)]
    for row in published:
        cells = [f"{row.scores[name]:.1f}" if name in row.scores else "-" for name in groups]
        rows[f"{row.model} (published)"] = [*cells, f"{row.scores['overall']:.1f}", "-"]
    name = next(iter(results.values())).name
    print_rows((*groups, *levels, "overall [95%]", "n"), rows, out, f"{name}, in percent")
    if published:
        print_line("(published): figures of a paper, some quoted there from other papers; published, not measured here.", out)


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
        print_line(
            "style-controlled: all models fitted together, at their mean style; it moves when a model is added. alone: each "
            "model against the baseline only, at the baseline's style; it depends on no other model.",
            out,
        )
    for line in (*_style_notes(result.tables["style"]), *_arena_notes(models, categories)):
        print_line(line, out)


def _style_notes(fits: Mapping[str, Any]) -> Iterator[str]:
    """What the style-controlled figures rest on, a category's fit each."""
    for name, fit in fits.items():
        if estimated := fit["rows_with_estimated_tokens"]:
            yield f"{name}: lengths of {estimated} of {fit['rows']} rows are our count of tokens, not the benchmark's tokenizer's"
        if unknown := fit["rows_without_style"]:
            yield f"{name}: {unknown} rows have no style (an answer is not there): not in its fit"
        if left := {feature: count for feature, count in fit["left_out_draws"].items() if count}:
            said = ", ".join(f"{feature} in {count}" for feature, count in left.items())
            yield f"{name}: of {fit['draws']} resamples some do not tell a feature, and leave it out: {said}"
        if fit["separated_draws"]:
            yield f"{name}: in {fit['separated_draws']} of {fit['draws']} resamples a style decides all its rows: rates are rough"


def _arena_notes(models: Mapping[str, Any], categories: Sequence[str]) -> Iterator[str]:
    """What the tables can't show: rows in none of them, figures that the benchmark has not."""
    for name, entry in models.items():
        for category, part in entry["categories"].items() if categories else [("", entry)]:
            for key, title in (("style_controlled", "style-controlled"), ("style_controlled_alone", "alone")):
                if why := part.get(key, {}).get("why"):
                    yield f"{name}, {f'{category}, ' if category else ''}{title}: no figure, {why}"
    entries = [part for entry in models.values() for part in (entry["categories"].values() if categories else [entry])]
    bare = sum(entry["rows"] for entry in models.values()) - sum(part["rows"] for part in entries)
    if bare:
        yield f"{bare} rows name no category, and others do: they are in no table. Give the questions with --data."
    if any(part["battles"] and part["score"] is None for part in entries):
        yield "No score for judgments against more than one baseline: it is none of the benchmark's."
    if len(categories) > 1:
        yield "Each category has a baseline of its own: compare models within one. There is no score over several."


def _print_helpsteer3(judge: str, result: BenchResult, out: Console) -> None:
    rows = {printable(name): _summary(part) for name, part in result.tables["domains"].items()}
    rows["all"] = _summary(result.tables["summary"])
    print_rows(("OA", "RC", "AP", "S-Corr", "pairs"), rows, out, printable(f"helpsteer3, {judge}, in percent"), head="domain")


def _summary(part: Mapping[str, Any]) -> list[str]:
    names = ("outcome_accuracy", "rationale_consistency", "average_precision", "s_corr")
    return [*(_number(part[name], 100.0) for name in names), str(part["n"])]  # intervals: in the lines below


def _entry(entry: Mapping[str, Any] | None) -> str:
    if entry is None:
        return "-"
    return percent(_mean(entry["score"], entry["score_ci"]))


def _mean(value: float | None, ends: Sequence[float] | None) -> Mean:
    return Mean(value, (ends[0], ends[1]) if ends else None, 0)


def _number(value: float | None, scale: float) -> str:
    return "-" if value is None else f"{scale * value:.1f}"
