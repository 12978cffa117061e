"""Tables as Markdown, LaTeX and CSV, for papers and for other programs. Digits are the terminal's; CSV has full precision.

Names are the judges' own and can hold anything: here they become text that no reader of the format takes for a command.
Knows nothing of what the figures are.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Sequence

from rich.cells import cell_len

from rationalerm.report.tables import Table, shown, shown_name

__all__ = ["FORMATS", "render"]

_MARKS = re.compile(r"[\\`*_|~$]|\[(?=[^\]]*\]\(|[ xX]\])|!(?=\[)")
_AT_THE_START = re.compile(r"^([-+#=]|\d+[.)](?=\s|$))")  # of a line: a list, a heading, a rule
_LATIN, _PUNCTUATION = 0x24F, range(0x2010, 0x2028)
_SHOWN = 8  # characters that ask for another font
_PRINTED = "Printed by rationalerm {version}"


def render(tables: Sequence[Table], form: str, *, version: str, command: str | None = None) -> str:
    """The tables as one text that ends with a line's end.

    Args:
        tables: in order.
        form: `md` (GitHub's tables), `latex` (packages booktabs, graphicx) or `csv` (RFC 4180: lines end in CRLF).
        version: of this package.
        command: what was called, to be copied from a comment; not in CSV, which has no comments.
    """
    return FORMATS[form](tables, f"{_PRINTED.format(version=version)}{f': {command}' if command else ''}")


def _texts(
    table: Table, escape: Callable[[str], str], figure: Callable[[str], str] | None = None
) -> tuple[list[str], list[list[str]]]:
    """The head and the rows, escaped; `figure`: where figures are written otherwise than names."""
    head = [escape(text) for text in (*table.heads, *(column.title for column in table.columns))]
    rows = []
    for row in table.rows:
        figures = [shown(*of) for of in zip(row.cells, table.columns, strict=True)]
        rows.append([*(escape(name) for name in row.names), *((figure or escape)(text) for text in figures)])
    return head, rows


def _meanings(table: Table) -> list[str]:
    if table.domain is not None:  # it stands below the table of all rows
        return []
    said = [f"{column.title.removesuffix(' [95%]')}: {column.meaning}" for column in table.columns if column.meaning]
    return [f"{'; '.join(said)}."] if said else []


def _markdown(tables: Sequence[Table], printed: str) -> str:
    parts = [f"<!-- {_comment(printed)} -->"]
    for table in tables:
        head, rows = _texts(table, _of_markdown)
        widths = [max(3, *(cell_len(row[k]) for row in (head, *rows))) for k in range(len(head))]
        first = len(table.heads)
        rule = ["-" * width if k < first else "-" * (width - 1) + ":" for k, width in enumerate(widths)]
        lines = [_padded(head, widths, first), f"| {' | '.join(rule)} |", *(_padded(row, widths, first) for row in rows)]
        parts.append(f"**{_of_markdown(table.title)}**\n\n" + "\n".join(lines))
        if notes := [*_meanings(table), *table.notes]:
            parts.append("\n".join(f"- {_line_of_markdown(line)}" for line in notes))
    return "\n\n".join(parts) + "\n"


def _padded(row: Sequence[str], widths: Sequence[int], first: int) -> str:
    """A line of the source that can be read as it stands."""
    cells = []
    for k, (text, width) in enumerate(zip(row, widths, strict=True)):
        space = " " * (width - cell_len(text))
        cells.append(text + space if k < first else space + text)
    return f"| {' | '.join(cells)} |"


def _of_markdown(text: str) -> str:
    r"""Text for a cell or a line: what Markdown reads as a mark, HTML or the cell's end is none.

    >>> _of_markdown("a|b `c` <d> *e*")
    'a\\|b \\`c\\` &lt;d&gt; \\*e\\*'
    """
    safe = _MARKS.sub(r"\\\g<0>", shown_name(text))
    return safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _line_of_markdown(text: str) -> str:
    """Text for a line of its own."""
    return _AT_THE_START.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", _of_markdown(text).strip())


def _comment(text: str) -> str:
    """In an HTML comment, which ends at `-->`."""
    return shown_name(text).replace(">", "&gt;")


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",  # a letter's accent to some of babel's languages
    "`": r"\textasciigrave{}",
}
_ARGUMENT = re.compile(r"^(\s*)([\[*])")  # at a row's start it would belong to the `\\` before it
_MINUS = re.compile(r"-(?=\d)")
_LIGATURES = re.compile(r"([-,?!'])(?=[-,'`])")  # `--` would be a dash


def _latex(tables: Sequence[Table], printed: str) -> str:
    lines = [f"% {shown_name(printed)}", r"% \usepackage{booktabs,graphicx} in the preamble"]
    names: Counter[str] = Counter()
    body = []
    for table in tables:
        key = re.sub(r"[^a-z0-9]+", "-", f"{table.key} {table.domain or ''}".lower()).strip("-")
        names[key] += 1  # domains that differ in other characters only have labels that a number tells apart
        body += _tabular(table, key if names[key] == 1 else f"{key}-{names[key]}")
    if foreign := sorted({character for line in body for character in _foreign(line)}):
        few = f"{' '.join(foreign[:_SHOWN])}{' ...' if len(foreign) > _SHOWN else ''}"
        lines.append(f"% Characters that are not Latin ({few}): LuaLaTeX or XeLaTeX, with a font that has them")
    return "\n".join([*lines, *body]) + "\n"


def _tabular(table: Table, key: str) -> list[str]:
    head, rows = _texts(table, _of_latex, _figure)
    kinds = "l" * len(table.heads) + "r" * len(table.columns)
    lines = [
        "",
        r"\begin{table}",
        r"\centering",
        f"\\caption{{{_of_latex(table.title)}}}",
        f"\\label{{tab:{key}}}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        f"\\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        f"{' & '.join(head)} \\\\",
        r"\midrule",
        *(f"{' & '.join(row)} \\\\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}}",
    ]
    if notes := [_of_latex(note) for note in (*_meanings(table), *table.notes)]:
        lines += [r"\par\smallskip\parbox{\linewidth}{\footnotesize", *(f"{note}\\par" for note in notes), "}"]
    return [*lines, r"\end{table}"]


def _of_latex(text: str) -> str:
    r"""Text, every special character escaped.

    >>> _of_latex("50% of A_1 & {B}")
    '50\\% of A\\_1 \\& \\{B\\}'
    """
    apart = _LIGATURES.sub("\\1\0", shown_name(text))
    safe = "".join(_LATEX.get(character, character) for character in apart).replace("\0", "{}")
    return _ARGUMENT.sub(r"\1{\2}", safe)


def _figure(text: str) -> str:
    """A figure's text: a minus is none of text's hyphens, and what is not defined is a dash."""
    return "--" if text == "-" else _MINUS.sub("$-$", _of_latex(text))


def _foreign(text: str) -> set[str]:
    """Its characters that a Latin font has not."""
    return {character for character in text if ord(character) > _LATIN and ord(character) not in _PUNCTUATION}


_CSV = ("table", "domain", "name", "other", "figure", "value", "low", "high", "n")


def _csv(tables: Sequence[Table], printed: str) -> str:
    """A row a figure: whose it is, which figure, its value, its interval's ends, how many rows it is over."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_CSV)
    for table in tables:
        for row in table.rows:
            names = (*(_of_csv(name) for name in row.names), "")[:2]
            for column, cell in zip(table.columns, row.cells, strict=True):
                value = _of_csv(cell.value) if isinstance(cell.value, str) else _full(cell.value)
                ends = (_full(cell.low), _full(cell.high), _full(cell.n))
                writer.writerow((table.key, _of_csv(table.domain or ""), *names, column.key, value, *ends))
    return out.getvalue()


def _full(number: float | None) -> str:
    """Every digit that tells it from its neighbours."""
    return "" if number is None else str(number) if isinstance(number, int) else repr(float(number))


_FORMULA = tuple("=+-@＝＋－＠'")


def _of_csv(name: str) -> str:
    """A spreadsheet takes a cell that begins so for a formula, and runs it: an apostrophe in front makes it a text.

    >>> _of_csv("=1+1"), _of_csv("gpt-4o")
    ("'=1+1", 'gpt-4o')
    """
    shown = shown_name(name)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown


FORMATS: dict[str, Callable[[Sequence[Table], str], str]] = {"md": _markdown, "latex": _latex, "csv": _csv}
