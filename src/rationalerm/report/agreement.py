"""Two evaluators' agreement as tables: a row a judge, the figures, what they are not over, and what it comes to.

The sentences claim no more than the rows tell: with few judges they say that it can't be told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from rationalerm.errors import printable
from rationalerm.report.tables import Cell, Column, Row, Table, shown
from rationalerm.report.terminal import print_table
from rationalerm.score.agreement import Agreement, Figure
from rationalerm.score.evaluators import Compared

__all__ = ["agreement_counts", "agreement_sentences", "agreement_tables", "print_agreement"]

_SHORT = {"rationale_consistency": "RC", "precision": "precision", "f1": "F1", "average_precision": "AP"}
_OVER_JUDGES = {
    "r2": "R^2, B on A",
    "rmse": "RMSE of that line",
    "slope": "slope",
    "intercept": "intercept",
    "mean_difference": "mean difference, B - A",
    "spearman": "Spearman",
}
_OVER_ROWS = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "mean_absolute_difference": "mean |B - A|",
    "same_reason": "same model reason, or both none",
    "kappa": "kappa of matched at 0.5 or more",
}
_FEW_JUDGES = 5
_CLOSE_ROWS = 0.7


def print_agreement(compared: Compared, out: Console) -> None:
    """Prints the table, the figures with their 95% intervals, the counts and the sentences."""
    judges, *blocks = agreement_tables(compared)
    for line in judges.notes:
        out.print(printable(line))
    print_table(replace(judges, title=""), out)
    for table, figures in zip(blocks, (compared.figures.over_judges, compared.figures.over_rows), strict=True):
        out.print(table.title)
        for of, column in zip(table.rows[0].cells, table.columns, strict=True):
            said = f"- ({figures[column.key].why})" if of.value is None else shown(of, column)
            out.print(f"  {column.title:<32} {said}", soft_wrap=True)
    out.print()
    for line in _counts(compared):
        out.print(printable(line))
    for line in agreement_sentences(compared):
        out.print(Text(printable(line), style="bold"))


def agreement_tables(compared: Compared) -> list[Table]:
    """The judges' means by both, the figures over judges, those over rows.

    Below the first stands who A and B are, below the second and third why a figure is missing, and below the third what
    `print_agreement` says at its end.
    """
    figures, short = compared.figures, _SHORT[compared.metric]
    who = [f"{letter}: {of.name} ({of.what})" for letter, of in zip("AB", (compared.a, compared.b), strict=True)]
    columns = [Column(side, f"{short} by {side.upper()} [95%]", digits=3, interval=True) for side in "ab"]
    rows = [Row((name,), (_cell(a), _cell(b), Cell(a.n))) for name, (a, b) in figures.judges.items()]
    judges = Table(
        "agreement", f"{short} by A and by B", ("judge",), (*columns, Column("n", "n")), tuple(rows),
        (*who, f"{compared.a.how}; 95% intervals over prompts"),
    )  # fmt: skip
    asked = figures.rows - figures.silent
    over_judges = _over("over_judges", "Over judges", figures.over_judges, _OVER_JUDGES, compared)
    over_rows = _over("over_rows", f"Over rows with model reasons ({asked})", figures.over_rows, _OVER_ROWS, compared)
    said = (*over_rows.notes, *_counts(compared), *agreement_sentences(compared))
    return [judges, over_judges, replace(over_rows, notes=said)]


def agreement_counts(compared: Compared) -> list[Table]:
    """What is not in the figures and how the pairs of judges stand, as figures, for other programs.

    `left_out`: rows, by whose they are (A, B, or both) and why; `ranking`: as `score.ranking.Ranking` has it.
    """
    names = (compared.a.name, compared.b.name)
    ranking = compared.figures.ranking
    counts = ("pairs", "told_by_a", "told_by_b", "alike", "told_by_both")
    cells = (*(Cell(getattr(ranking, key)) for key in counts), Cell(len(ranking.reversed)))
    columns = tuple(Column(key, key) for key in (*counts, "reversed"))
    return [
        Table("left_out", "", ("why", "side"), (Column("rows", "rows"),), tuple(_left_out(compared))),
        Table("ranking", "", ("A", "B"), columns, (Row(names, cells),)),
    ]


def agreement_sentences(compared: Compared) -> list[str]:
    """Is B good enough to rank these judges as A does, and to stand for A's level and single rows?"""
    return [*_ranking(compared.figures), *_level(compared), *_rows(compared.figures)]


def _over(key: str, title: str, figures: Mapping[str, Figure], names: Mapping[str, str], compared: Compared) -> Table:
    columns = tuple(Column(name, words, digits=4 if name == "rmse" else 3, interval=True) for name, words in names.items())
    row = Row((compared.a.name, compared.b.name), tuple(_cell(figures[name]) for name in names))
    notes = tuple(f"{words}: {figures[name].why}" for name, words in names.items() if figures[name].why)
    return Table(key, title, ("A", "B"), columns, (row,), notes)


def _cell(figure: Figure) -> Cell:
    low, high = figure.interval or (None, None)
    return Cell(figure.value, low, high, figure.n)


def _left_out(compared: Compared) -> Iterator[Row]:
    """Every row that is in no figure, or not in all of them."""
    for side, of, only in zip("AB", (compared.a, compared.b), compared.only, strict=True):
        yield Row(("not in the other", side), (Cell(only),))
        yield from (Row((why, side), (Cell(count),)) for why, count in of.unread.most_common())
    yield from (Row((why, "both"), (Cell(count),)) for why, count in compared.unscored.most_common())
    yield Row(("without model reasons (in the means over judges)", "both"), (Cell(compared.figures.silent),))


def _counts(compared: Compared) -> Iterator[str]:
    """What is not in the figures."""
    for who, of, only, judges in zip("AB", (compared.a, compared.b), compared.only, compared.judges_only, strict=True):
        if only:
            yield f"{only} row{'s' * (only != 1)} in {who} only."
        if judges:
            yield f"Judges in {who} only: {', '.join(judges)}."
        for why, count in of.unread.most_common():
            yield f"{count} row{'s' * (count != 1)} of {who} left out: {why}."
    for why, count in compared.unscored.most_common():
        yield f"{count} common row{'s' * (count != 1)} left out ({why})."
    if silent := compared.figures.silent:
        yield f"{silent} row{'s' * (silent != 1)} without model reasons, 0 for any evaluator: in the means over judges only."
    if compared.by_text:
        yield "Rows were joined by their texts: one side has no ids."
    if compared.a.what == compared.b.what:
        yield f"Both sides are the same evaluator ({compared.a.what})."


def _ranking(figures: Agreement) -> Iterator[str]:
    ranking, judges = figures.ranking, len(figures.judges)
    if judges < 2:
        yield "With 1 judge it can't be told whether B ranks judges as A does."
        return
    if not ranking.told_by_a:
        yield (
            f"A itself tells none of the {ranking.pairs} pair{'s' * (ranking.pairs != 1)} of judges apart by more than noise: "
            "whether B ranks them alike can't be told from these rows."
        )
        return
    of = f"{ranking.told_by_a} of {ranking.pairs}" if ranking.told_by_a < ranking.pairs else f"{ranking.pairs}"
    if ranking.reversed:
        first, second = ranking.reversed[0]
        yield (
            f"Not good enough to rank these judges: of the {of} pairs of judges that A tells apart by more than noise, B puts "
            f"{len(ranking.reversed)} in another order (first {first} over {second})."
        )
        return
    if judges < _FEW_JUDGES:
        yield (
            f"B orders the {of} pair{'s' * (ranking.pairs != 1)} of judges that A tells apart as A does, and tells "
            f"{ranking.told_by_both} of them apart too; {judges} judges are too few to say whether it would rank others so."
        )
    elif ranking.told_by_both == ranking.told_by_a:
        yield (
            f"Good enough to rank these judges: the {of} pairs of judges that A tells apart by more than noise, B orders alike "
            "and tells apart too."
        )
    else:
        yield (
            f"B orders the {of} pairs of judges that A tells apart as A does, but tells only {ranking.told_by_both} of them "
            "apart by more than noise: good for large gaps, and with more rows for small ones."
        )


def _level(compared: Compared) -> Iterator[str]:
    figure = compared.figures.over_judges["mean_difference"]
    if figure.value is None or figure.interval is None or figure.interval[0] <= 0 <= figure.interval[1]:
        return
    more = "more" if figure.value > 0 else "less"
    yield f"B gives {abs(figure.value):.3f} {more} {_SHORT[compared.metric]} than A: never compare B's numbers with A's."


def _rows(figures: Agreement) -> Iterator[str]:
    figure = figures.over_rows["pearson"]
    if figure.value is not None and figure.value < _CLOSE_ROWS:
        yield f"Single rows differ (Pearson {round(figure.value, 2) + 0.0:.2f}): B's score of one row can't stand for A's."
