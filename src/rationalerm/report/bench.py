"""A benchmark's tables in a terminal, and its figures as CSV: in percent, those that are published apart from the measured.

Knows no files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console

from rationalerm.bench.base import BenchResult
from rationalerm.bench.published import PublishedRow
from rationalerm.errors import printable
from rationalerm.report.bench_lines import named
from rationalerm.report.bench_tables import ENTRY, STYLED, SUMMARY, bench_tables, cell, entry_cell, scale_of
from rationalerm.report.formats import render
from rationalerm.report.tables import Cell, Column, Row, Table
from rationalerm.report.terminal import print_table
from rationalerm.score.means import Mean

__all__ = ["bench_csv", "print_bench", "print_line"]

_LEVELS = ("easy", "normal", "hard")


def print_bench(results: Mapping[str, BenchResult], out: Console, *, published: Sequence[PublishedRow] = ()) -> None:
    """Prints one benchmark's tables and lines.

    Args:
        results: of each judge.
        out: where to.
        published: rows to show beside them.
    """
    for table in bench_tables(results, published):
        print_table(table, out)
        for line in table.notes:
            print_line(line, out)


def print_line(line: str, out: Console) -> None:
    """A line below a table: wrapped between words at a terminal's width, whole in a pipe."""
    out.print(printable(line), soft_wrap=not out.is_terminal)


def bench_csv(results: Mapping[str, BenchResult], published: Sequence[PublishedRow] = (), *, version: str) -> str:
    """The figures with full precision, a row each, counts and biases too; a last column `published` is true or false.

    Args:
        results: of each judge.
        published: rows to stand below them.
        version: of this package.
    """
    measured = [table for judge, result in results.items() for table in _figures(judge, result)]
    head, *lines = _lines(measured, version)
    made = [f"{head},published", *(f"{line},false" for line in lines)]
    made += [f"{line},true" for line in _lines([table for row in published for table in _quoted(row)], version)[1:]]
    return "".join(f"{line}\r\n" for line in made)


def _lines(tables: Sequence[Table], version: str) -> list[str]:
    """No cell holds a line's end: names have theirs as escapes."""
    return render(tables, "csv", version=version).split("\r\n")[:-1]


def _figures(judge: str, result: BenchResult) -> Iterator[Table]:
    """All of one judge's. An arena's rows are a model each, and its judge stands in the second name."""
    names = ("", judge) if result.name == "arena-hard" else (judge,)
    if result.name == "arena-hard":
        for model, entry in result.tables["models"].items():
            for category, part in entry["categories"].items() or [(None, entry)]:
                yield _arena((model, judge), category, part)
    elif result.name == "helpsteer3":
        for domain, part in ((None, result.tables["summary"]), *result.tables["domains"].items()):
            figures = {column.key: cell(named(part, column.key)) for column in SUMMARY}
            yield _row("scores", names, figures | {"n": Cell(part["n"])}, domain)
    else:
        yield from _scores(names, result)
    yield _row("counts", names, {name: Cell(count) for name, count in result.counts.items()})
    yield _row("effects", names, {name: cell(mean) for name, mean in result.effects.items()})
    for category, part in result.tables.get("effects", {}).items():
        keys = [key.removesuffix("_n") for key in part if key.endswith("_n")]
        yield _row("effects", names, {key: cell(named(part, key)) for key in keys}, category)
    yield from _rest(names, result.tables)


def _scores(names: tuple[str, ...], result: BenchResult) -> Iterator[Table]:
    """JudgeBench and RM-Bench."""
    scale = scale_of(result)
    for domain, mean in ((None, result.overall), *result.groups.items()):
        yield _row("scores", names, {"score": cell(mean, scale)}, domain)
    domains: Mapping[str, Any] = result.tables.get("domains", {})
    if "difficulty" in result.tables:
        for domain, part in ((None, result.tables["difficulty"]), *domains.items()):
            yield _row("difficulty", names, {name: cell(named(part[name]), scale) for name in _LEVELS}, domain)
    if "per_sample" in result.tables:
        yield _row("per_sample", names, {"score": cell(named(result.tables["per_sample"]), scale)})
    for split, part in result.tables.get("splits", {}).items():
        yield _row("splits", names, {"score": cell(named(part["overall"]), scale)}, split)
    if "outcomes" in result.tables:
        yield _row("outcomes", names, {name: Cell(count) for name, count in result.tables["outcomes"].items()})


def _arena(names: tuple[str, str], category: str | None, entry: Mapping[str, Any]) -> Table:
    rates = {ENTRY[0].key: entry_cell(entry)}
    rates |= {column.key: entry_cell(entry[column.key]) for column in STYLED if column.key in entry}
    counted = {key: Cell(entry[key]) for key in (*(column.key for column in ENTRY[1:]), "baseline")}
    return _row("scores", names, rates | counted, category)


def _rest(names: tuple[str, ...], tables: Mapping[str, Any]) -> Iterator[Table]:
    """What only some runs have: reasons by outcome, texts read again."""
    for outcome, part in tables.get("reasons", {}).items():
        figures = {key: Cell(part[key]) for key in ("games", "with_reasons", "reasons", "reasons_per_game")}
        shares = {**part["kinds"], **part["flaws"], "reasons_lean_to_the_verdict": part["reasons_lean_to_the_verdict"]}
        figures |= {key: cell(Mean(share, None, part["reasons"])) for key, share in shares.items()}
        yield _row(f"reasons_{outcome.replace(' ', '_')}", names, figures)
    if again := tables.get("reparsed"):
        yield _row("reparsed", names, {key: Cell(again[key]) for key in ("games", "differ")})


def _quoted(row: PublishedRow) -> Iterator[Table]:
    for domain in ("overall", *(name for name in row.scores if name != "overall")):
        yield _row("scores", (row.model,), {"score": Cell(row.scores[domain])}, None if domain == "overall" else domain)


def _row(key: str, names: tuple[str, ...], figures: Mapping[str, Cell], domain: str | None = None) -> Table:
    """`domain`: None for all rows; an empty one is written otherwise, since an empty cell says all."""
    columns = tuple(Column(name, name) for name in figures)
    return Table(
        key,
        "",
        ("name", "other")[: len(names)],
        columns,
        (Row(names, tuple(figures.values())),),
        domain="(empty)" if domain == "" else domain,
    )
