"""The table a person reads in ten seconds: a row a judge, then what was not scored and why, then the meaning."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from rationalerm.errors import printable
from rationalerm.report.notes import notes
from rationalerm.report.sentences import meaning
from rationalerm.report.tables import Table, judges_table, scores_table, shown, shown_name
from rationalerm.score.summary import Summary

__all__ = ["console", "print_rows", "print_scores", "print_summary", "print_table"]

_PIPE_WIDTH = 100
_HEIGHT = 25  # nothing asks for it, but rich takes a width only with one
_NAME_WIDTH = 30  # a longer judge's name is folded
_FROM_RIGHT = frozenset(("R", "AL", "AN"))  # directions of characters that are read from the right
_MARK = "\u200e"  # what stands between two of these is read from the left


class _Console(Console):
    """Leaves a closed pipe to the command line, which knows that it is no failure."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """A console of the terminal's width, or a fixed one in a pipe; no markup is read from texts.

    Escape codes go to a terminal only, and not there either with NO_COLOR or TERM=dumb. FORCE_COLOR (not empty) sends them
    into a pipe too; NO_COLOR is stronger.
    """
    stream = sys.stderr if stderr else sys.stdout
    terminal = stream.isatty()
    dumb = os.environ.get("TERM", "").lower() in ("dumb", "unknown")
    forced, never = (bool(os.environ.get(name)) for name in ("FORCE_COLOR", "NO_COLOR"))
    codes = not never and (forced or (terminal and not dumb))
    width = (_width(stream) if dumb else None) if terminal else _PIPE_WIDTH
    return _Console(
        stderr=stderr,
        highlight=False,
        markup=False,
        emoji=False,
        force_terminal=terminal or codes,
        color_system=("standard" if dumb or not terminal else "auto") if codes else None,
        width=width,
        height=None if width is None else _HEIGHT,
    )


def _width(stream: TextIO) -> int:
    """A dumb terminal's own: rich would take 80."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or _PIPE_WIDTH
    except OSError:
        return _PIPE_WIDTH


def print_summary(summary: Summary, out: Console, *, domains: bool = False) -> None:
    """Prints a run's summary: table, per-domain table where asked, notes, sentences."""
    print_table(judges_table(summary.judges, summary), out)
    names = sorted({name for judge in summary.judges.values() for name in judge.domains}) if domains else []
    for name in names:
        parts = {judge.judge: judge.domains[name] for judge in summary.judges.values() if name in judge.domains}
        print_table(judges_table(parts, summary, title=name), out)
    for line in notes(summary):
        out.print(printable(line))
    sentences = meaning(summary)
    if sentences:
        out.print()
    for line in sentences:
        out.print(Text(printable(line), style="bold"))


def print_scores(judges: Mapping[str, Mapping[str, object]], out: Console, *, title: str) -> None:
    """Prints `score`'s table."""
    print_table(scores_table(judges, title), out)


def print_table(table: Table, out: Console) -> None:
    """Prints the table without its notes."""
    cells = [(row.names, [shown(*of) for of in zip(row.cells, table.columns, strict=True)]) for row in table.rows]
    columns = [column.title for column in table.columns]
    _print(table.heads, columns, cells, out, shown_name(table.title) or None)


def print_rows(
    columns: Sequence[str], rows: Mapping[str, Sequence[str]], out: Console, title: str | None, *, head: str = "judge"
) -> None:
    """A table of texts where the terminal is wide enough for it, else a line a figure: a cell is never cut short."""
    _print((head,), columns, [((name,), cells) for name, cells in rows.items()], out, title)


def _print(
    heads: Sequence[str],
    columns: Sequence[str],
    rows: Sequence[tuple[Sequence[str], Sequence[str]]],
    out: Console,
    title: str | None,
) -> None:
    named = [([_from_left(shown_name(name), out) for name in names], cells) for names, cells in rows]
    names = [_widest(head, (of[k] for of, _ in named), _NAME_WIDTH) for k, head in enumerate(heads)]
    cells = [_widest(column, (of[k] for _, of in named)) for k, column in enumerate(columns)]
    if sum(names) + sum(cells) + 3 * (len(names) + len(cells)) - 2 <= out.width:  # a space at each side, one between
        table = RichTable(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
        for head, width in zip(heads, names, strict=True):
            table.add_column(head, overflow="fold", min_width=width)
        for column, width in zip(columns, cells, strict=True):
            table.add_column(column, justify="right", no_wrap=True, min_width=width)
        for of, figures in named:
            table.add_row(*of, *figures)
        out.print(table)
        return
    if title:
        out.print(title)
    for of, figures in named:
        out.print(Text(", ".join(of), style="bold"))
        for column, cell in zip(columns, figures, strict=True):
            out.print(f"  {column}: {cell}")


def _widest(head: str, texts: Iterable[str], most: int | None = None) -> int:
    """A column's width in a terminal's cells; of names no more than `most`."""
    width = max((cell_len(text) for text in texts), default=0)
    return max(cell_len(head), width if most is None else min(width, most))


def _from_left(name: str, out: Console) -> str:
    """A terminal that turns Arabic or Hebrew round would take the figures behind such a name with it: marks keep them right."""
    turned = out.is_terminal and any(unicodedata.bidirectional(character) in _FROM_RIGHT for character in name)
    return f"{_MARK}{name}{_MARK}" if turned else name
