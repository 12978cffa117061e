"""Benchmarks' figures as tables of the page: those of the terminal, with every interval, in percent; published rows apart.

The numbers are summary.json's, read back into the result that they were written from. Knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rationalerm.bench.base import BenchResult
from rationalerm.bench.published import PublishedRow, published
from rationalerm.report.bench_lines import bench_lines, named
from rationalerm.report.bench_tables import bench_tables as terminal_tables
from rationalerm.report.tables import Cell, Table
from rationalerm.run.reporting.loaded import Loaded

__all__ = ["bench_tables", "own_table", "result_of"]

_QUOTED = "A paper's figures, some quoted there from other papers: published, not measured here."
_WHOLE = {"judgebench": (350, "pairs of the gpt split"), "rm-bench": (1327, "rows")}  # what a published row is of
_FIELDS = ("benchmark", "unit", "overall", "groups", "counts")


def own_table(run: Loaded) -> bool:
    """Is what the run measured no OA of games and no RC, but a benchmark's own score? Nothing was matched then."""
    return run.command.startswith("bench ") and run.command != "bench helpsteer3"


def bench_tables(runs: Sequence[Loaded], names: Mapping[int, str]) -> list[dict[str, Any]] | None:
    """The tables of all runs that are a benchmark's; None without any.

    Args:
        runs: as loaded.
        names: the judge's name on the page, by the run's number.
    """
    by_benchmark: dict[str, dict[int, BenchResult]] = {}
    for number, run in enumerate(runs):
        result = None if run.bench is None else result_of(run.bench)
        if result is not None:
            by_benchmark.setdefault(result.name, {})[number] = result
    made: list[dict[str, Any]] = []
    for benchmark, results in by_benchmark.items():
        compare = any(_compared(runs[number]) for number in results)
        try:
            made += list(_tables(benchmark, {names[number]: result for number, result in results.items()}, compare))
        except (KeyError, TypeError, AttributeError):
            made.append(_unknown(benchmark))
    return made or None


def result_of(summary: Mapping[str, Any]) -> BenchResult | None:
    """A summary.json as the result that it was written from (`BenchResult.to_json`); None where it is none."""
    try:
        effects = {
            name[:-2]: named(summary, name[:-2]) for name in summary if name.endswith("_n") and f"{name[:-2]}_ci" in summary
        }
        rest = {name: value for name, value in summary.items() if name not in _FIELDS}
        groups = {name: named(part) for name, part in summary["groups"].items()}
        overall, counts = named(summary["overall"]), summary["counts"]
        return BenchResult(summary["benchmark"], overall, groups, summary["unit"], counts, effects, rest)
    except (KeyError, TypeError, AttributeError):
        return None


def _unknown(benchmark: str) -> dict[str, Any]:
    """In place of a table: a summary of another version, or a damaged one."""
    what = "Its summary.json is not one that this version writes; run its command again."
    empty: dict[str, Any] = {"head": "judge", "columns": [], "tips": [], "digits": [], "rows": [], "lines": [], "published": None}
    return {"title": benchmark, "notes": [what]} | empty


def _compared(run: Loaded) -> bool:
    """Was it made with --compare?"""
    return bool(run.manifest.get("compare") or run.config.get("compare"))


def _tables(benchmark: str, results: Mapping[str, BenchResult], compare: bool) -> Iterator[dict[str, Any]]:
    """One benchmark's: a judge's lines stand below its last table, under its name."""
    made = list(terminal_tables(results))
    own = {line for result in results.values() for line in bench_lines(result)}
    prefixed = {f"{judge}: {line}" for judge, result in results.items() for line in bench_lines(result)}
    for place, table in enumerate(made):
        last = place == len(made) - 1
        lines = [{"name": judge, "lines": list(_lines(result))} for judge, result in results.items()] if last else []
        notes = [line for line in table.notes if line not in own | prefixed]
        rows = list(published(benchmark)) if last else []
        quoted = {"compare": compare, "rows": _quoted(rows, table), "note": " ".join([_QUOTED, *_subset(benchmark, results)])}
        yield _table(table) | {"notes": notes, "lines": lines, "published": quoted if rows else None}


def _lines(result: BenchResult) -> Iterator[str]:
    """The terminal's, less the intervals of a table that has them here."""
    return (line for line in bench_lines(result) if result.name != "helpsteer3" or " [95%]: " not in line)


def _table(table: Table) -> dict[str, Any]:
    """Every figure with its interval; counts (no digits of their own) as they are."""
    return {
        "title": table.title,
        "head": table.heads[0],
        "columns": [column.title.split(" [")[0] for column in table.columns],
        "tips": [column.meaning for column in table.columns],
        "digits": [column.digits if _fractions(table, place) else 0 for place, column in enumerate(table.columns)],
        "rows": [{"name": row.names[0], "cells": [_cell(cell) for cell in row.cells]} for row in table.rows],
    }


def _fractions(table: Table, place: int) -> bool:
    return any(isinstance(row.cells[place].value, float) for row in table.rows)


def _cell(cell: Cell) -> list[Any]:
    return [cell.value, cell.low, cell.high, cell.n]


def _quoted(rows: Sequence[PublishedRow], table: Table) -> list[dict[str, Any]]:
    return [
        {"name": row.model, "cells": [[row.scores.get(column.key), None, None, None] for column in table.columns]} for row in rows
    ]


def _subset(benchmark: str, results: Mapping[str, BenchResult]) -> Iterator[str]:
    """Where these are not all of the benchmark's rows, the published figures are of others."""
    size, what = _WHOLE.get(benchmark, (0, ""))
    done = [_done(result) for result in results.values()]
    if size and any(count != size for count in done):
        here = ", ".join(dict.fromkeys(map(str, done)))
        yield f"They are of all {size:,} {what}; measured here: {here}. Two such figures differ by their rows alone."


def _done(result: BenchResult) -> int:
    """How many pairs (rows, of RM-Bench) are in the score."""
    counts = result.counts
    for what in ("rows", "pairs"):
        if what in counts:
            return counts[what] - counts.get(f"{what} not run", 0)
    return result.overall.n
