"""Two evaluators' agreement for people: a row a judge, the figures, what they are not over, and what it comes to.

The sentences claim no more than the rows tell: with few judges they say that it can't be told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.text import Text

from rationalerm.errors import printable
from rationalerm.report.terminal import print_rows
from rationalerm.score.agreement import Agreement, Figure
from rationalerm.score.evaluators import Compared

__all__ = ["agreement_sentences", "print_agreement"]

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
    figures, short = compared.figures, _SHORT[compared.metric]
    out.print(printable(f"A: {compared.a.name} ({compared.a.what})"))
    out.print(printable(f"B: {compared.b.name} ({compared.b.what})"))
    out.print(f"{compared.a.how}; 95% intervals over prompts")
    rows = {printable(name): (_number(a, 3), _number(b, 3), str(a.n)) for name, (a, b) in figures.judges.items()}
    print_rows((f"{short} by A [95%]", f"{short} by B [95%]", "n"), rows, out, None)
    _block("Over judges", figures.over_judges, _OVER_JUDGES, out)
    asked = figures.rows - figures.silent
    _block(f"Over rows with model reasons ({asked})", figures.over_rows, _OVER_ROWS, out)
    out.print()
    for line in _counts(compared):
        out.print(printable(line))
    for line in agreement_sentences(compared):
        out.print(Text(printable(line), style="bold"))


def agreement_sentences(compared: Compared) -> list[str]:
    """Is B good enough to rank these judges as A does, and to stand for A's level and single rows?"""
    return [*_ranking(compared.figures), *_level(compared), *_rows(compared.figures)]


def _block(title: str, figures: Mapping[str, Figure], names: Mapping[str, str], out: Console) -> None:
    out.print(title)
    for name, words in names.items():
        out.print(f"  {words:<32} {_number(figures[name], 4 if name == 'rmse' else 3)}", soft_wrap=True)


def _number(figure: Figure, digits: int) -> str:
    if figure.value is None:
        return f"- ({figure.why})"
    value, *ends = (f"{round(number, digits) + 0.0:.{digits}f}" for number in (figure.value, *(figure.interval or ())))  # no -0
    return f"{value} [{', '.join(ends)}]" if ends else value


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
