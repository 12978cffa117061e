"""One table, whatever it is printed as: columns with what each means, rows of cells, notes. And a run's result as such tables.

`formats` makes Markdown, LaTeX and CSV of them and `terminal` a person's table. Knows nothing of widths, escapes or files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from rationalerm.errors import printable
from rationalerm.report.notes import notes
from rationalerm.report.sentences import meaning, p_value
from rationalerm.score.compare import Comparison
from rationalerm.score.means import Mean
from rationalerm.score.summary import JudgeSummary, Summary

__all__ = ["Cell", "Column", "Row", "Table", "judges_table", "scores_table", "shown", "shown_name", "summary_tables"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure: its value (None: not defined), its 95% interval, and how many rows it is over, as far as these are known.

    A text where the figure was made into one already.
    """

    value: float | int | str | None
    low: float | None = None
    high: float | None = None
    n: int | None = None

    @classmethod
    def of(cls, mean: Mean) -> Cell:
        """A mean's."""
        low, high = mean.interval or (None, None)
        return cls(mean.value, low, high, mean.n)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of figures.

    Args:
        key: its name for machines, as in summary.json.
        title: its head.
        meaning: what the figure is, in half a sentence; empty where the title says it.
        digits: behind the point, wherever a person reads it.
        interval: is the interval shown to a person? Machines get it anyway.
        p: a p-value.
    """

    key: str
    title: str
    meaning: str = ""
    digits: int = 2
    interval: bool = False
    p: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Whose the figures are (a name for each of the table's heads), and a cell for each column."""

    names: tuple[str, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Args:
    key: its name for machines: judges, comparisons_outcome_accuracy, comparisons_rationale_consistency, counts, scores.
    title: its caption.
    heads: of the columns that name a row: judge, or the two that are compared.
    columns, rows: as above.
    notes: lines below it, for people only.
    domain: None for all rows.
    """

    key: str
    title: str
    heads: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    domain: str | None = None


def shown_name(name: str) -> str:
    r"""A name on one line, with what can't be seen made visible; the separators of lines and paragraphs too.

    >>> shown_name("a\nb\u2028c")
    'a\\nb\\u2028c'
    """
    return printable(name).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def shown(cell: Cell, column: Column) -> str:
    """A cell as a person reads it, to the same digits in every format; undefined is a dash.

    >>> shown(Cell(0.816, 0.71, 0.9), Column("oa", "OA", interval=True))
    '0.82 [0.71, 0.90]'
    """
    value = cell.value
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    if column.p:
        return p_value(value).removeprefix("p ").removeprefix("= ")
    numbers = [value, *((cell.low, cell.high) if column.interval and cell.low is not None and cell.high is not None else ())]
    said, *ends = (f"{round(number, column.digits) + 0.0:.{column.digits}f}" for number in numbers)  # no -0
    return f"{said} [{', '.join(ends)}]" if ends else said


def summary_tables(summary: Summary, *, domains: bool = False) -> list[Table]:
    """A run's result: the judges, each domain's judges where asked for, what is compared, what was counted.

    Args:
        summary: the run's.
        domains: a table a domain too.
    """
    said = f"{summary.scoring} scoring, top-k {'none' if summary.top_k is None else summary.top_k}, matcher {summary.matcher}"
    lines = [f"95% intervals, clustered by prompt; {said}.", *notes(summary), *meaning(summary)]
    tables = [judges_table(summary.judges, summary, title="Outcome accuracy and rationale consistency", lines=lines)]
    names = sorted({name for judge in summary.judges.values() for name in judge.domains}) if domains else []
    for name in names:
        parts = {key: judge.domains[name] for key, judge in summary.judges.items() if name in judge.domains}
        tables.append(judges_table(parts, summary, title=name, domain=name))
    compared = groupby(sorted(summary.comparisons, key=lambda one: one.metric), key=lambda one: one.metric)
    tables += [_comparisons(metric, list(found)) for metric, found in compared]
    return [*tables, _counts(summary)]


def judges_table(
    judges: Mapping[str, JudgeSummary], summary: Summary, *, title: str = "", lines: Sequence[str] = (), domain: str | None = None
) -> Table:
    """A row a judge.

    Args:
        judges: of all rows or of one domain.
        summary: says S-Corr's threshold.
        title, lines, domain: the table's title, notes and domain.
    """
    under = summary.spurious_under
    columns = (
        Column("outcome_accuracy", "OA [95%]", "share of right verdicts", interval=True),
        Column("rationale_consistency", "RC [95%]", "share of the human's reasons that the judge gives too", interval=True),
        Column("s_corr", f"S-Corr@{under:g}", f"share of right verdicts with a row recall under {under:g}"),
        Column("average_precision", "AP", "RC that rewards the shared reasons for coming first"),
        Column("precision", "precision", "share of the judge's reasons that the human gives"),
    )
    rows = [Row((name,), (*(Cell.of(judge[column.key]) for column in columns), Cell(judge.n))) for name, judge in judges.items()]
    return Table("judges", title, ("judge",), (*columns, Column("n", "rows")), tuple(rows), tuple(lines), domain)


def scores_table(judges: Mapping[str, Mapping[str, object]], title: str) -> Table:
    """`score`'s table: a row a judge, of the figures of its JSON."""
    names = {"precision": "precision", "recall": "recall (RC)", "f1": "F1", "average_precision": "AP"}
    columns = [Column(key, words, digits=4) for key, words in names.items()]
    columns += [Column(key, key) for key in ("n", "errors", "skipped")]
    rows = [Row((name,), tuple(_number(values[column.key]) for column in columns)) for name, values in judges.items()]
    return Table("scores", title, ("judge",), tuple(columns), tuple(rows))


def _number(value: object) -> Cell:
    return Cell(value if isinstance(value, int | float) else None)


_METRICS = {"outcome_accuracy": ("OA", "Outcome accuracy"), "rationale_consistency": ("RC", "Rationale consistency")}


def _comparisons(metric: str, found: Sequence[Comparison]) -> Table:
    short, words = _METRICS[metric]
    columns = (
        Column("mean_first", f"{short}, first"),
        Column("mean_second", f"{short}, second"),
        Column("difference", "second - first", interval=True),
        Column("p", "p", p=True),
        Column("p_adjusted", "p (Holm)", p=True),
        Column("n", "rows"),
    )
    rows = tuple(Row((one.first, one.second), tuple(_compared(one))) for one in found)
    notes = (
        "On the rows that both have; p of a paired permutation test, Holm's correction over the table's comparisons; "
        "the difference with its 95% interval.",
    )
    return Table(f"comparisons_{metric}", f"{words}, paired differences", ("first", "second"), columns, rows, notes)


def _compared(one: Comparison) -> Iterator[Cell]:
    yield Cell(one.mean_first, n=one.n)
    yield Cell(one.mean_second, n=one.n)
    yield Cell(one.mean_second - one.mean_first, one.low, one.high, one.n)
    yield from (Cell(value) for value in (one.p, one.p_adjusted, one.n))


_ALWAYS = ("given", "scored")


def _counts(summary: Summary) -> Table:
    """Every status and remark of which there is one; the verdict's add up to the games, and so do the rationale's."""
    judges = summary.judges
    names = dict.fromkeys(name for judge in judges.values() for name in judge.counts)
    kept = [name for name in names if name in _ALWAYS or any(judge.counts.get(name) for judge in judges.values())]
    columns = (Column("games", "games"), *(Column(name, name) for name in kept))
    rows = [
        Row((name,), (Cell(judge.games), *(Cell(judge.counts.get(key, 0)) for key in kept))) for name, judge in judges.items()
    ]
    return Table("counts", "What was scored and what was not", ("judge",), columns, tuple(rows))
