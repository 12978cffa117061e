"""A benchmark's result as the tables that a person reads, with the lines below them as notes. Everything is in percent.

Published rows stand below the measured ones and say in their name that they are published. Knows no widths, escapes or files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rationalerm.bench.base import BenchResult
from rationalerm.bench.published import PublishedRow
from rationalerm.report.bench_lines import bench_lines, named
from rationalerm.report.tables import Cell, Column, Row, Table, shown_name
from rationalerm.score.means import Mean

__all__ = ["ENTRY", "STYLED", "SUMMARY", "bench_tables", "cell", "entry_cell", "scale_of"]

SUMMARY = (
    Column("outcome_accuracy", "OA", "share of right verdicts", 1),
    Column("rationale_consistency", "RC", "share of the human's reasons that the judge gives too", 1),
    Column("average_precision", "AP", "RC that rewards the shared reasons for coming first", 1),
    Column("s_corr", "S-Corr", "share of right verdicts with a low row recall", 1),
)  # intervals: in the notes
ENTRY = (
    Column("score", "win rate [5%, 95%]", digits=1, interval=True),
    Column("battles", "battles"),
    Column("rows", "rows"),
    Column("dropped_rows", "dropped"),
)
STYLED = (
    Column("style_controlled", "style-controlled", digits=1, interval=True),
    Column("style_controlled_alone", "alone", digits=1, interval=True),
)
_PUBLISHED = "(published): figures of a paper, some quoted there from other papers; published, not measured here."
_STYLE = (
    "style-controlled: all models fitted together, at their mean style; it moves when a model is added. alone: each "
    "model against the baseline only, at the baseline's style; it depends on no other model."
)


def bench_tables(
    results: Mapping[str, BenchResult], published: Sequence[PublishedRow] = (), remarks: Sequence[str] = ()
) -> list[Table]:
    """One benchmark's tables, in order; a judge's notes stand below its last table, those of all below the last one.

    Args:
        results: of each judge, one or more.
        published: rows to show beside them.
        remarks: more notes.
    """
    name = next(iter(results.values())).name
    if name == "arena-hard":
        tables = [table for judge, result in results.items() for table in _arena(judge, result)]
    elif name == "helpsteer3":
        tables = [_helpsteer3(judge, result) for judge, result in results.items()]
    else:
        tables = [_groups(results, published)]
    several = len(results) > 1
    lines = [f"{judge}: {line}" if several else line for judge, result in results.items() for line in bench_lines(result)]
    return [*tables[:-1], replace(tables[-1], notes=(*tables[-1].notes, *lines, *remarks))]


def scale_of(result: BenchResult) -> float:
    """What makes percent of its scores. (Its effects are shares in any case.)"""
    return 1.0 if result.unit == "percent" else 100.0


def cell(mean: Mean, scale: float = 100.0) -> Cell:
    """A figure in percent, with its interval."""
    low, high = mean.interval or (None, None)
    value, low, high = (None if number is None else scale * number for number in (mean.value, low, high))
    return Cell(value, low, high, mean.n)


def entry_cell(entry: Mapping[str, Any] | None) -> Cell:
    """An arena's win rate in percent, with its interval of 5% and 95%."""
    if entry is None:
        return Cell(None)
    low, high = entry["score_ci"] or (None, None)
    value, low, high = (None if number is None else 100.0 * number for number in (entry["score"], low, high))
    return Cell(value, low, high, entry.get("n"))


def _groups(results: Mapping[str, BenchResult], published: Sequence[PublishedRow]) -> Table:
    """JudgeBench and RM-Bench: a column a group."""
    groups = list(dict.fromkeys(name for result in results.values() for name in result.groups))
    known = dict.fromkeys(name for result in results.values() for name in result.tables.get("difficulty", {}))
    levels = [] if published else list(known)  # no published row has them; they stand in a note, too
    columns = [Column(name, shown_name(name), digits=1) for name in (*groups, *levels)]
    columns += [Column("overall", "overall [95%]", digits=1, interval=True), Column("n", "n")]
    rows = [Row((judge,), tuple(_measured(result, groups, levels))) for judge, result in results.items()]
    rows += [
        Row((f"{row.model} (published)",), (*(Cell(row.scores.get(name)) for name in (*groups, "overall")), Cell(None)))
        for row in published
    ]
    name = next(iter(results.values())).name
    return Table(name, f"{name}, in percent", ("judge",), tuple(columns), tuple(rows), (_PUBLISHED,) if published else ())


def _measured(result: BenchResult, groups: Sequence[str], levels: Sequence[str]) -> Iterator[Cell]:
    scale = scale_of(result)
    for name in groups:
        yield cell(result.groups[name], scale) if name in result.groups else Cell(None)
    for name in levels:
        yield cell(named(result.tables["difficulty"][name]), scale)
    yield cell(result.overall, scale)
    yield Cell(result.overall.n)


def _helpsteer3(judge: str, result: BenchResult) -> Table:
    parts = [*result.tables["domains"].items(), ("all", result.tables["summary"])]
    rows = [Row((name,), (*(cell(named(part, one.key)) for one in SUMMARY), Cell(part["n"]))) for name, part in parts]
    title = f"helpsteer3, {judge}, in percent"
    return Table("helpsteer3", title, ("domain",), (*SUMMARY, Column("n", "pairs")), tuple(rows))


def _arena(judge: str, result: BenchResult) -> list[Table]:
    """A table a category, or one where there are none."""
    models: Mapping[str, Any] = result.tables["models"]
    categories = list(dict.fromkeys(name for entry in models.values() for name in entry["categories"]))
    tables = []
    for category in categories or [None]:
        parts = {name: entry["categories"].get(category) if category else entry for name, entry in models.items()}
        tables.append(_category(judge, category, {name: entry for name, entry in parts.items() if entry is not None}))
    styles = result.tables["style"]
    notes = (*((_STYLE,) if styles else ()), *_style_notes(styles), *_arena_notes(models, categories))
    return [*tables[:-1], replace(tables[-1], notes=notes)]


def _category(judge: str, category: str | None, parts: Mapping[str, Mapping[str, Any]]) -> Table:
    styled = any(entry.get("style_controlled") is not None for entry in parts.values())
    columns = (ENTRY[0], *(STYLED if styled else ()), *ENTRY[1:])
    rows = []
    for name, entry in parts.items():
        controlled = [entry_cell(entry.get(column.key)) for column in STYLED] if styled else []
        rows.append(Row((name,), (entry_cell(entry), *controlled, *(Cell(entry[column.key]) for column in ENTRY[1:]))))
    baselines = ", ".join(dict.fromkeys(entry["baseline"] for entry in parts.values()))
    title = f"arena-hard, {category or 'all questions'}, against {baselines}, judged by {judge}, in percent"
    return Table("arena_hard", title, ("model",), columns, tuple(rows), domain=category)


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
            for column in STYLED:
                if why := part.get(column.key, {}).get("why"):
                    yield f"{name}, {f'{category}, ' if category else ''}{column.title}: no figure, {why}"
    entries = [part for entry in models.values() for part in (entry["categories"].values() if categories else [entry])]
    bare = sum(entry["rows"] for entry in models.values()) - sum(part["rows"] for part in entries)
    if bare:
        yield f"{bare} rows name no category, and others do: they are in no table. Give the questions with --data."
    if any(part["battles"] and part["score"] is None for part in entries):
        yield "No score for judgments against more than one baseline: it is none of the benchmark's."
    if len(categories) > 1:
        yield "Each category has a baseline of its own: compare models within one. There is no score over several."
