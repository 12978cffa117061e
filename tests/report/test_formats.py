"""Markdown, LaTeX and CSV: the terminal's digits, read back by readers of each format; names that are anything."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import html
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from test_terminal import games, printed, summary

from rationalerm.commands.formats import add_format_option, format_of, print_tables
from rationalerm.errors import UsageError
from rationalerm.report.formats import render
from rationalerm.report.tables import Cell, Column, Row, Table, shown, shown_name, summary_tables
from rationalerm.score.summary import Summary

HOSTILE = (
    "---", "- - -", "a|b", r"a\|b", "`rm -rf`",
    "[x](javascript:alert(1))", "<script>alert(1)</script>", "*bold* _it_ ~~no~~", "$1 & 50% #2 {x}",
    "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "  =1", "'quoted'", '"q", and', "~^\\", "gpt--4", "[b]", "*c", "モデル",
    "a\nb\x1b[31m",
    "!a", "1. one", "- two", "# three", "&amp;", "👍🏽", "\\input{x}", "a\r", "\t=1", "x\u2028y", "--><b>", "$-$", "a''b",
)  # fmt: skip


@pytest.fixture(scope="module")
def two() -> Summary:
    return summary(checks=games("checks", [0.62, 0.31] * 15, 20), surface=games("surface", [0.2, None] * 15, 22))


def table(*names: str) -> Table:
    column = Column("rc", "RC [95%]", interval=True)
    return Table("t", "T_1 & 50%", ("judge",), (column,), tuple(Row((name,), (Cell(-0.5, -1.0, 0.25, 7),)) for name in names))


def rows_of_markdown(text: str) -> list[list[str]]:
    """Cells' texts, by a reader of GitHub's tables."""
    made = MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(text)
    rows: list[list[str]] = []
    for k, token in enumerate(made):
        if token.type == "tr_open":
            rows.append([])
        if token.type == "inline" and made[k - 1].type in ("td_open", "th_open"):
            assert {child.type for child in token.children or ()} <= {"text", "text_special"}, token.content
            rows[-1].append("".join(child.content for child in token.children or ()))
    return rows


def test_markdown_has_the_terminals_digits(two: Summary) -> None:
    text = render(summary_tables(two, domains=True), "md", version="1.2", command="rationalerm evaluate x --judge a")
    assert text.startswith("<!-- Printed by rationalerm 1.2: rationalerm evaluate x --judge a -->\n\n**Outcome accuracy and")
    rows = rows_of_markdown(text)
    on_terminal = printed(two, width=120, domains=True)
    for judge in two.judges:
        (line, *_) = [line.split("  ") for line in on_terminal.splitlines() if line.strip().startswith(f"{judge} ")]
        cells = [cell.strip() for cell in line if cell.strip()]
        assert cells in rows
    assert len([row for row in rows if row[0] == "judge"]) == 4  # all, two domains, counts
    first = two.judges["checks"]["outcome_accuracy"]
    assert first.interval is not None
    assert f"| {first.value:.2f} [{first.interval[0]:.2f}, {first.interval[1]:.2f}] |" in text  # to be read as it stands
    assert "**code**" in text
    assert "- OA: share of right verdicts; RC: share of" in text
    assert "- Chance level of RC" in text
    assert "picks the right response" in text


def test_comparisons_and_counts_are_tables_too(two: Summary) -> None:
    tables = {made.key: made for made in summary_tables(two)}
    assert list(tables) == ["judges", "comparisons_outcome_accuracy", "comparisons_rationale_consistency", "counts"]
    (row,) = tables["comparisons_rationale_consistency"].rows
    (compared,) = [one for one in two.comparisons if one.metric == "rationale_consistency"]
    assert row.names == (compared.first, compared.second)
    assert [cell.value for cell in row.cells][:3] == [
        compared.mean_first, compared.mean_second, compared.mean_second - compared.mean_first
    ]  # fmt: skip
    counts = tables["counts"]
    by_name = {column.key: [row.cells[k].value for row in counts.rows] for k, column in enumerate(counts.columns)}
    assert by_name["scored"] == [30, 15]
    assert by_name["no answer"] == [0, 15]
    assert "refused" not in by_name  # there was none


def test_any_name_comes_back_out_of_markdown() -> None:
    text = render([table(*HOSTILE)], "md", version="1")
    assert [row[0] for row in rows_of_markdown(text)[1:]] == [shown_name(name).strip() for name in HOSTILE]
    outside = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert set(re.findall(r"<(\w+)", outside)) <= {"p", "strong", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert html.escape("<script>alert(1)</script>") in outside


@given(st.text(min_size=1).filter(lambda name: name.strip()))
@settings(max_examples=300, deadline=None)
def test_every_name_comes_back(name: str) -> None:
    row = rows_of_markdown(render([table(name)], "md", version="1"))[1]
    assert " ".join(row[0].split()) == " ".join(shown_name(name).split())
    line = render([table(name)], "latex", version="1").split("\\midrule\n")[1].split("\n")[0]
    assert unescaped(line.removesuffix(r" & $-$0.50 [$-$1.00, 0.25] \\")) == shown_name(name)
    (_, cells) = csv.reader(io.StringIO(render([table(name)], "csv", version="1"), newline=""), strict=True)
    marked = shown_name(name).lstrip()[0] in "=+-@＝＋－＠'"
    assert cells[2] == ("'" if marked else "") + shown_name(name)


def test_a_markdown_note_is_one_line_of_text() -> None:
    made = Table("t", "T", ("judge",), (), (), notes=HOSTILE)
    tokens = MarkdownIt("commonmark").parse(render([made], "md", version="1"))
    begin = next(k for k, token in enumerate(tokens) if token.type == "bullet_list_open")
    notes = [token for token in tokens[begin:] if token.type == "inline"]
    lists = [token.type for token in tokens if token.type.endswith("list_open")]
    assert lists == ["bullet_list_open"]
    assert ["".join(child.content for child in token.children or ()) for token in notes] == [
        shown_name(name).strip() for name in HOSTILE
    ]
    assert all({child.type for child in token.children or ()} <= {"text", "text_special"} for token in notes)


def unescaped(text: str) -> str:
    """What LaTeX prints for our escapes; anything else that is special stops the test."""
    known = {
        r"\textbackslash{}": "\\", r"\{": "{", r"\}": "}", r"\$": "$", r"\&": "&", r"\#": "#", r"\_": "_", r"\%": "%",
        r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|",
        r"{\char34}": '"', r"\textasciigrave{}": "`", "{[}": "[", "{*}": "*", "$-$": "-", "{}": "",
    }  # fmt: skip
    out, at = "", 0
    while at < len(text):
        found = next((key for key in known if text.startswith(key, at)), None)
        if found is None:
            assert text[at] not in '\\{}$&#_%~^<>|"`', (text, at)
        out += known.get(found or "", text[at])
        at += len(found or " ")
    return out


def test_any_name_comes_back_out_of_latex() -> None:
    text = render([table(*HOSTILE)], "latex", version="1", command="rationalerm x\n\\input{evil}")
    lines = text.splitlines()
    assert lines[0] == "% Printed by rationalerm 1: rationalerm x\\n\\input{evil}"
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert len(body) == len(HOSTILE)
    for line, name in zip(body, HOSTILE, strict=True):
        cells = re.split(r" (?<!\\)& ", line.removesuffix(r" \\"))
        assert [unescaped(cell) for cell in cells] == [shown_name(name), "-0.50 [-1.00, 0.25]"]
        assert not line.lstrip().startswith(("[", "*"))  # the argument of the row's end before it
        assert "--" not in line
        assert "''" not in line
    assert r"\caption{T\_1 \& 50\%}" in lines
    assert lines[2].startswith("% Characters that are not Latin (")


def test_latex_has_the_terminals_digits_and_balanced_parts(two: Summary) -> None:
    text = render(summary_tables(two, domains=True), "latex", version="1")
    for part in ("table", "tabular"):
        assert text.count(f"\\begin{{{part}}}") == text.count(f"\\end{{{part}}}") == 6
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert len(set(labels)) == 6
    assert "tab:judges-code" in labels
    columns = [len(found) for found in re.findall(r"\\begin\{tabular\}\{(.*?)\}", text)]
    widths = [line.count(" & ") + 1 for line in text.splitlines() if line.endswith(r"\\")]
    assert set(widths) == set(columns)
    first = next(iter(two.judges.values()))["rationale_consistency"]
    assert first.interval is not None
    assert f"{first.value:.2f} [{first.interval[0]:.2f}, {first.interval[1]:.2f}]" in text
    assert "not Latin" not in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX on this machine")
def test_latex_compiles(two: Summary, tmp_path: Path) -> None:
    latin = [name for name in HOSTILE if name.isascii()]
    body = render([*summary_tables(two, domains=True), table(*latin)], "latex", version="1")
    file = tmp_path / "t.tex"
    file.write_text(
        f"\\documentclass{{article}}\\usepackage{{booktabs,graphicx}}\\begin{{document}}{body}\\end{{document}}", "utf-8"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", file.name], cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0, done.stdout[-2000:]


def number(text: str) -> float | None:
    """A cell's; an empty one is none."""
    return float(text) if text else None


def test_csv_is_complete_and_exact(two: Summary) -> None:
    text = render(summary_tables(two, domains=True), "csv", version="1")
    assert text.replace("\r\n", "").count("\n") == text.replace("\r\n", "").count("\r") == 0
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    found = {(row["table"], row["domain"], row["name"], row["other"], row["figure"]): row for row in rows}
    assert len(found) == len(rows)
    for name, judge in two.judges.items():
        for domain, part in {"": judge, **judge.domains}.items():
            for key in ("outcome_accuracy", "rationale_consistency", "s_corr", "average_precision", "precision"):
                row, mean = found["judges", domain, name, "", key], part[key]
                assert number(row["value"]) == mean.value
                assert (number(row["low"]), number(row["high"])) == (mean.interval or (None, None))
                assert row["n"] == str(mean.n)
            assert found["judges", domain, name, "", "n"]["value"] == str(part.n)
    compared = two.comparisons[0]
    row = found["comparisons_outcome_accuracy", "", "checks", "surface", "difference"]
    assert float(row["value"]) == compared.mean_second - compared.mean_first
    assert float(found["comparisons_outcome_accuracy", "", "checks", "surface", "p_adjusted"]["value"]) == compared.p_adjusted
    assert found["counts", "", "surface", "", "no answer"]["value"] == "15"


def test_no_name_is_a_formula_in_csv() -> None:
    rows = list(csv.reader(io.StringIO(render([table(*HOSTILE)], "csv", version="1"), newline=""), strict=True))
    names = [row[2] for row in rows[1:]]
    assert not any(name.lstrip().startswith(("=", "+", "-", "@", "\t", "\r")) for name in names)
    back = [name[1:] if name.startswith("'") else name for name in names]
    assert back == [shown_name(name) for name in HOSTILE]
    assert [row[5:] for row in rows[1:2]] == [["-0.5", "-1.0", "0.25", "7"]]  # numbers stay numbers


def test_what_is_not_defined() -> None:
    made = Table("t", "T", ("judge",), (Column("x", "x"), Column("p", "p", p=True)), (Row(("a",), (Cell(None), Cell(0.00001))),))
    assert rows_of_markdown(render([made], "md", version="1"))[1] == ["a", "-", "< 0.001"]
    assert "a & -- & \\textless{} 0.001 \\\\" in render([made], "latex", version="1")
    assert "t,,a,,x,,,,\r\nt,,a,,p,1e-05,,,\r\n" in render([made], "csv", version="1")
    assert shown(Cell(-0.001), Column("x", "x")) == "0.00"


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    add_format_option(parser)
    return parser.parse_args(words)


@pytest.mark.parametrize(
    ("words", "form"),
    [((), "table"), (("--json",), "json"), (("--format", "json"), "json"), (("--format", "json", "--json"), "json"),
     (("--format", "md"), "md"), (("--format", "table"), "table")],
)  # fmt: skip
def test_format_and_json_are_one_choice(words: tuple[str, ...], form: str) -> None:
    args = parsed(*words)
    assert format_of(args) == form
    assert args.json is (form == "json")


def test_two_outputs_at_once_are_refused() -> None:
    with pytest.raises(UsageError, match="--json and --format csv ask for two outputs"):
        format_of(parsed("--json", "--format", "csv"))


def test_stdout_gets_utf8_and_the_formats_own_line_ends(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    print_tables([table("モデル", "\ud800")], "csv")
    assert capfdbinary.readouterr().out.endswith("モデル,,rc,-0.5,-1.0,0.25,7\r\nt,,\\ud800,,rc,-0.5,-1.0,0.25,7\r\n".encode())
    print_tables([table("a")], "md", ["evaluate", "a file.jsonl"])
    assert b": rationalerm evaluate 'a file.jsonl' -->" in capfdbinary.readouterr().out


def test_the_option_loads_nothing_heavy() -> None:
    code = (
        "import sys, rationalerm.commands.formats; print([m for m in ('rich', 'numpy', 'csv', 'matplotlib') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_labels_of_latex_differ_where_domains_do() -> None:
    tables = [dataclasses.replace(table("a"), domain=domain) for domain in ("a b", "a_b", "日本", "한국")]
    labels = re.findall(r"\\label\{(.*?)\}", render(tables, "latex", version="1"))
    assert len(labels) == len(set(labels)) == 4
