"""The table a person reads in ten seconds: a row a judge, then what was not scored and why, then the meaning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rationalerm.errors import printable
from rationalerm.report.sentences import meaning
from rationalerm.score.means import Mean
from rationalerm.score.rows import SPURIOUS, category
from rationalerm.score.summary import JudgeSummary, Summary

__all__ = ["console", "print_rows", "print_scores", "print_summary"]

_PIPE_WIDTH = 100
_CLEAR_OF_CEILING = 0.95
_SHOWN = 3  # ids of rows; rows.jsonl has them all
_NAME_WIDTH = 30  # a longer judge's name is folded


class _Console(Console):
    """Leaves a closed pipe to the command line, which knows that it is no failure."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """A console that is wide enough in a pipe and takes the terminal's width elsewhere; no markup is read from texts."""
    made = _Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    return made if made.is_terminal else _Console(stderr=stderr, highlight=False, markup=False, emoji=False, width=_PIPE_WIDTH)


def print_summary(summary: Summary, out: Console, *, domains: bool = False) -> None:
    """Prints a run's summary: table, per-domain table where asked, notes, sentences."""
    _print_judges(summary.judges, summary, out)
    names = sorted({name for judge in summary.judges.values() for name in judge.domains}) if domains else []
    for name in names:
        parts = {judge.judge: judge.domains[name] for judge in summary.judges.values() if name in judge.domains}
        _print_judges(parts, summary, out, title=printable(name))
    for line in (*_not_scored(summary), *_notes(summary)):
        out.print(printable(line))
    sentences = meaning(summary)
    if sentences:
        out.print()
    for line in sentences:
        out.print(Text(printable(line), style="bold"))


def print_scores(judges: Mapping[str, Mapping[str, object]], out: Console, *, title: str) -> None:
    """Prints `score`'s table."""
    rows = {}
    for judge, values in judges.items():
        numbers = [values[name] for name in ("precision", "recall", "f1", "average_precision")]
        cells = [f"{value:.4f}" if isinstance(value, float) else "-" for value in numbers]
        rows[printable(judge)] = [*cells, *(str(values[name]) for name in ("n", "errors", "skipped"))]
    print_rows(("precision", "recall (RC)", "F1", "AP", "n", "errors", "skipped"), rows, out, title)


def _print_judges(judges: Mapping[str, JudgeSummary], summary: Summary, out: Console, title: str | None = None) -> None:
    rows = {
        printable(name): (
            _with_interval(judge["outcome_accuracy"]),
            _with_interval(judge["rationale_consistency"]),
            _plain(judge["s_corr"]),
            _plain(judge["average_precision"]),
            _plain(judge["precision"]),
            str(judge.n),
        )
        for name, judge in judges.items()
    }
    print_rows(("OA [95%]", "RC [95%]", f"S-Corr@{summary.spurious_under:g}", "AP", "precision", "rows"), rows, out, title)


def print_rows(
    columns: Sequence[str], rows: Mapping[str, Sequence[str]], out: Console, title: str | None, *, head: str = "judge"
) -> None:
    """A table where the terminal is wide enough for it, else a line a figure: a cell is never cut short."""
    names = max((cell_len(name) for name in rows), default=0)
    cells = [max(len(column), *(len(row[k]) for row in rows.values())) for k, column in enumerate(columns)] if rows else []
    if min(names, _NAME_WIDTH) + sum(cells) + 2 * len(cells) + 2 <= out.width:
        table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
        table.add_column(head, overflow="fold", min_width=min(names, _NAME_WIDTH))
        for column, width in zip(columns, cells, strict=True):
            table.add_column(column, justify="right", no_wrap=True, min_width=width)
        for name, row in rows.items():
            table.add_row(name, *row)
        out.print(table)
        return
    if title:
        out.print(title)
    for name, row in rows.items():
        out.print(Text(name, style="bold"))
        for column, cell in zip(columns, row, strict=True):
            out.print(f"  {column}: {cell}")


def _with_interval(mean: Mean) -> str:
    interval = f" [{mean.interval[0]:.2f}, {mean.interval[1]:.2f}]" if mean.interval else ""
    return "-" if mean.value is None else f"{mean.value:.2f}{interval}"


def _plain(mean: Mean) -> str:
    return "-" if mean.value is None else f"{mean.value:.2f}"


def _not_scored(summary: Summary) -> list[str]:
    """One line a judge that has something missing: what, how often, and OA with missing verdicts as wrong."""
    lines = []
    for name, judge in summary.judges.items():
        counts = judge.counts
        verdicts = _listed(counts, ("none", "refused", "failed"))
        reasons = _listed(counts, ("no human reasons", "no answer", "matcher failed"))
        games = f" of {judge.games} games" if judge.games != judge.n else ""
        parts = []
        if verdicts:
            every = judge["outcome_accuracy_all"].value
            counted = f"; OA {every:.2f} if counted as wrong" if every is not None else ""
            missing = sum(counts[k] for k in ("none", "refused", "failed"))
            parts.append(f"no verdict in {missing}{games} ({verdicts}{counted})")
        if reasons:
            why = ", ".join(f"{count} {kind}" for kind, count in judge.failures.items())
            parts.append(f"reasons not scored in {judge.games - counts['scored']}{games} ({reasons}{f': {why}' if why else ''})")
        parts += [f"{counts[key]} {words}" for key, words in _REMARKS.items() if counts.get(key)]
        if judge.means.get("consistent_accuracy") and (consistent := judge["consistent_accuracy"].value) is not None:
            parts.append(f"right in both orders {consistent:.2f}")
        if parts:
            lines.append(f"{name}: {'; '.join(parts)}")
    return lines


_REMARKS = {
    "judge tie": "judged a tie",
    "no reasons": "without reasons, scored 0",
    "prose": "with reasons split from prose",
    "copied reasons": "copies of a reason",
    "inconsistent": "whose two orders disagree",
    "incomplete pair": "with a verdict in one order only",
}


def _listed(counts: Mapping[str, int], names: Sequence[str]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in names if counts.get(name))


def _spurious(summary: Summary) -> list[str]:
    """Which rows are right for the wrong reasons: how many, and the first few by id."""
    parts = []
    for name, games in summary.games.items():
        rows = list(dict.fromkeys(game.id for game in games if category(game, summary.spurious_under) == SPURIOUS))
        if rows:
            parts.append(f"{name} {len(rows)} ({', '.join(rows[:_SHOWN])}{', ...' if len(rows) > _SHOWN else ''})")
    what = f"Right verdict, wrong reasons (row recall under {summary.spurious_under:g} by this matcher; read them)"
    return [f"{what}: {'; '.join(parts)}"] if parts else []


def _ceiling(summary: Summary) -> list[str]:
    """What RC can reach where the human's lists are longer than the K reasons of a judge that count."""
    lists = {game.id: game.n_human for games in summary.games.values() for game in games if game.score}
    if summary.top_k is None or not lists:
        return []
    ceiling = sum(min(n, summary.top_k) / n for n in lists.values()) / len(lists)
    if ceiling > _CLEAR_OF_CEILING:
        return []
    mean = sum(lists.values()) / len(lists)
    line = f"The human's lists are long ({mean:.1f} reasons a row): with --top-k {summary.top_k}, RC can't exceed {ceiling:.2f}."
    most = summary.top_k / summary.spurious_under if summary.spurious_under else math.inf
    if forced := sum(n > most for n in lists.values()):
        line += f" {_rows(forced)} with more than {most:g} are under S-Corr's threshold whatever the judge says."
    return [line]


def _rows(count: int, kind: str = "") -> str:
    return f"{count} {kind}row{'s' if count != 1 else ''}"


def _notes(summary: Summary) -> list[str]:
    first = next(iter(summary.judges.values()), None)
    lines = _spurious(summary) + _ceiling(summary)
    levels = [f"{name} {level:.3f}" for name, level in summary.chance.items() if level is not None]
    if levels:
        lines.append(f"Chance level of RC (human reasons against another row's reasons): {', '.join(levels)}")
    lines += [
        f"{name}: asked {noise.repeats} times, RC {min(noise.values):.3f} to {max(noise.values):.3f} "
        f"(SD {noise.sd:.4f}; of a row {noise.row_sd:.3f} on average): the matcher's own noise."
        for name, noise in summary.noise.items()
    ]
    if first and first.counts["human tie"]:
        lines.append(f"{_rows(first.counts['human tie'])} with a human tie left out of OA.")
    if first and first.counts["unlabelled"]:
        lines.append(f"{_rows(first.counts['unlabelled'])} without a human label left out of OA.")
    if summary.bad_rows:
        lines.append(f"{_rows(summary.bad_rows, 'bad ')} skipped (failures.jsonl of the run directory says which and why).")
    if summary.prose_rows:
        lines.append(
            f"{_rows(summary.prose_rows)}: the human reasons were split from prose (marked `prose`): rough atoms. "
            "`decompose` (an LLM) makes better ones."
        )
    for judge, (wrong, checked) in summary.label_contradictions.items():
        if wrong:
            lines.append(f"{judge}-label names another side than its text in {wrong} of {checked} rows; the text counts.")
    return lines
