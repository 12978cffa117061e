"""`bench` and `agree` as Markdown, LaTeX, CSV and JSON: the same figures, published rows told apart, names that are anything."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from test_formats import HOSTILE, number, rows_of_markdown, unescaped

import rationalerm
from endpoint import FakeEndpoint, judge_answer
from rationalerm.bench.arena_hard import ArenaHard, Bout
from rationalerm.bench.base import BenchResult, Played
from rationalerm.bench.helpsteer3 import HelpSteer3
from rationalerm.bench.judgebench import JudgeBench
from rationalerm.bench.published import PublishedRow, published
from rationalerm.bench.rm_bench import Item, RMBench
from rationalerm.match import LexicalMatcher
from rationalerm.report.agreement import agreement_sentences, agreement_tables, print_agreement
from rationalerm.report.bench import bench_csv, print_bench
from rationalerm.report.bench_tables import bench_tables
from rationalerm.report.formats import render
from rationalerm.report.tables import shown, shown_name
from rationalerm.run.agreement import agree
from rationalerm.types import Message, Pair, Verdict

Run = Callable[..., Any]
Results = dict[str, BenchResult]
SAMPLE = Path(rationalerm.__file__).parent / "sample" / "pairs.jsonl"
WIDTHS = (40, 60, 80, 100, 120, 160, 200)
A, B, TIE, NONE, FAILED = (
    Played(Verdict.A_BETTER), Played(Verdict.B_BETTER), Played(Verdict.TIE), Played(None, "none"), Played(None, "failed")
)  # fmt: skip


def pair(key: str, domain: str = "livebench-math", **more: Any) -> Pair:
    return Pair(key, (Message("user", key),), "one", "another one", -1, domain=domain, cluster=key, **more)


def judgebench(*sources: str) -> BenchResult:
    pairs = [pair(f"{source}{k}", source) for source in sources for k in range(7)]
    games = {}
    for k, of in enumerate(pairs):
        games |= {(of.id, "AB"): (A, B, A, TIE, FAILED)[k % 5], (of.id, "BA"): (B, A, B, A, NONE)[k % 5 if k % 3 else 0]}
    return JudgeBench([*pairs, pair("not run")]).result(games, {})  # type: ignore[arg-type]


def rm_bench(*domains: str) -> BenchResult:
    items = [Item(f"{d}{k}", d, f"q{d}{k}", ("a", "bb", "ccc"), ("d", "ee", "fff")) for d in domains for k in range(5)]
    protocol = RMBench(items)
    verdicts = (A, A, B, A, TIE)
    games = {(c.id, order): verdicts[(k * 3 + k // 7) % 5] for k, c in enumerate(protocol.contests()) for order in c.orders}
    return protocol.result(games, {})  # type: ignore[arg-type]


def helpsteer3(*domains: str) -> BenchResult:
    pairs = [pair(f"{d}{k}", d, human_reasons=("A is right.", "B is short and wrong.")) for d in domains for k in range(6)]
    said = (("A is right.",), ("B is short and wrong.", "A is long."), ("Nothing of the sort.",))
    verdicts = (Verdict.A_BETTER, Verdict.B_BETTER, Verdict.A_BETTER, Verdict.A_BETTER)
    games = {
        (of.id, order): Played(verdicts[k % 4], "given", said[k % 3]) for k, of in enumerate(pairs) for order in ("AB", "BA")
    }
    games[pairs[0].id, "AB"] = FAILED
    return HelpSteer3(pairs, LexicalMatcher()).result(games, {})  # type: ignore[arg-type]


def arena(*categories: str | None, styled: bool = True, models: tuple[str, ...] = ("m_1", "m&2")) -> BenchResult:
    bouts, games = [], {}
    for category in categories:
        for k in range(12):
            for m, model in enumerate(models):
                style = (k / 50, 0.1 * (k % 2), 0.02 * m, (k % 3) / 9) if styled else None
                bouts.append(Bout(f"{category}{k}", model, f"base {category}", category, pair(f"{category} {model}{k}"), style))
                games[bouts[-1].id, "AB"] = (A, B)[(k + m) % 2] if k != 5 else NONE
                games[bouts[-1].id, "BA"] = (A, B, B)[(k + m) % 3]
    return ArenaHard(bouts).result(games, {})  # type: ignore[arg-type]


CASES: dict[str, Callable[[], Results]] = {
    "judgebench": lambda: {"j_1": judgebench("mmlu-pro", "livebench-math"), "50% & more": judgebench("livecodebench", "own|one")},
    "rm-bench": lambda: {"x": rm_bench("chat", "math", "code", "safety"), "y": rm_bench("chat", "math", "code", "safety-refuse")},
    "rm-bench, in part": lambda: {"x": rm_bench("chat", "math")},
    "helpsteer3": lambda: {"a": helpsteer3("general", "we|ird_&"), "b": helpsteer3("code")},
    "arena-hard": lambda: {
        "a judge": arena("hard_prompt", "creative_writing"), "another": arena("hard_prompt", styled=False),
    },
    "arena-hard, no category": lambda: {"j": arena(None)},
}  # fmt: skip


@pytest.fixture(scope="module", params=CASES)
def results(request: pytest.FixtureRequest) -> Results:
    return CASES[request.param]()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    for matcher in ("fast", "lexical"):
        rationalerm.evaluate(SAMPLE, (), matcher, folder / matcher)
    return folder / "fast", folder / "lexical"


def rows_of_csv(text: str) -> list[dict[str, str]]:
    assert text.replace("\r\n", "").count("\n") == text.replace("\r\n", "").count("\r") == 0
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    assert list(rows[0]) == ["table", "domain", "name", "other", "figure", "value", "low", "high", "n", "published"]
    return rows


def rows_of_latex(text: str) -> list[list[str]]:
    lines = [line.removesuffix(r" \\") for line in text.splitlines() if line.endswith(r" \\")]
    return [[unescaped("-" if cell == "--" else cell) for cell in re.split(r" (?<!\\)& ", line)] for line in lines]


def on_terminal(results: Results, width: int, rows: list[PublishedRow] | None = None) -> list[str]:
    out = io.StringIO()
    print_bench(results, Console(file=out, width=width, highlight=False, markup=False, emoji=False), published=rows or ())
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_markdown_latex_and_the_terminal_have_the_same_cells(results: Results) -> None:
    tables = bench_tables(results)
    expected = [[shown(*of) for of in zip(row.cells, made.columns, strict=True)] for made in tables for row in made.rows]
    for rows in (rows_of_markdown(render(tables, "md", version="1")), rows_of_latex(render(tables, "latex", version="1"))):
        found = [row for row in rows if row[0] not in ("judge", "model", "domain")]
        assert [row[1:] for row in found] == expected
        assert [row[0] for row in found] == [shown_name(row.names[0]) for made in tables for row in made.rows]
        heads = [row for row in rows if row[0] in ("judge", "model", "domain")]
        assert heads == [[*made.heads, *(column.title for column in made.columns)] for made in tables]
    wide = [re.split(r"\s{2,}", line.strip()) for line in on_terminal(results, 300)]
    names = [row.names[0] for made in tables for row in made.rows]
    rows = [[name, *cells] for name, cells in zip(names, expected, strict=True)]
    assert [line for line in wide if line in rows] == rows


@pytest.mark.parametrize("width", WIDTHS)
def test_no_figure_is_cut_at_any_width(results: Results, width: int) -> None:
    lines = on_terminal(results, width)
    text = "\n".join(lines)
    for made in bench_tables(results):
        assert made.title in " ".join(text.split())
        for row in made.rows:
            for cell in (shown(*of) for of in zip(row.cells, made.columns, strict=True)):
                assert re.search(rf"(?<!\S){re.escape(cell)}(?!\S)", text), cell
    notes = [note for made in bench_tables(results) for note in made.notes]
    assert [line for line in lines if line in {note.rstrip() for note in notes}] == [note.rstrip() for note in notes]


def test_notes_stand_below_in_every_format_for_people(results: Results) -> None:
    tables = bench_tables(results)
    notes = [note.strip() for made in tables for note in made.notes]
    assert any("position: " in note for note in notes)
    assert any("length: the longer response wins in" in note for note in notes)
    latex = [
        unescaped(line.removesuffix(r"\par"))
        for line in render(tables, "latex", version="1").splitlines()
        if "\\par" in line[-4:]
    ]
    assert set(notes) <= set(latex)
    markdown = render(tables, "md", version="1")
    assert sum(line.startswith("- ") for line in markdown.splitlines()) >= len(notes)
    labels = re.findall(r"\\label\{(.*?)\}", render(tables, "latex", version="1"))
    assert len(set(labels)) == len(tables)


def test_csv_has_the_figures_of_the_json_in_percent(results: Results) -> None:
    rows = rows_of_csv(bench_csv(results, version="1"))
    assert {row["published"] for row in rows} == {"false"}
    keys = [(row["table"], row["domain"], row["name"], row["other"], row["figure"]) for row in rows]
    assert len(set(keys)) == len(keys)
    found = dict(zip(keys, rows, strict=True))
    for judge, result in results.items():
        made = json.loads(json.dumps(result.to_json()))
        names = ("", judge) if result.name == "arena-hard" else (judge, "")
        for name, count in made["counts"].items():
            assert found["counts", "", *names, name]["value"] == str(count)
        for name in result.effects:
            _same(found["effects", "", *names, name], made[name], made[f"{name}_ci"], made[f"{name}_n"], 100.0)
        if result.name in ("judgebench", "rm-bench"):
            scale = 1.0 if made["unit"] == "percent" else 100.0
            for domain, part in {"": made["overall"], **made["groups"]}.items():
                _same(found["scores", domain, *names, "score"], part["score"], part["score_ci"], part["n"], scale)
        if result.name == "rm-bench":
            for domain, levels in {"": made["difficulty"], **made["domains"]}.items():
                for name in ("easy", "normal", "hard"):
                    _same(found["difficulty", domain, *names, name], levels[name]["score"], levels[name]["score_ci"], None, 100.0)
        if result.name == "helpsteer3":
            for domain, part in {"": made["summary"], **made["domains"]}.items():
                assert found["scores", domain, *names, "n"]["value"] == str(part["n"])
                for name in ("outcome_accuracy", "rationale_consistency", "average_precision", "s_corr"):
                    _same(found["scores", domain, *names, name], part[name], part[f"{name}_ci"], part[f"{name}_n"], 100.0)
        if result.name == "arena-hard":
            _same_arena(found, judge, made)


def _same(row: dict[str, str], value: float | None, ends: list[float] | None, n: int | None, scale: float) -> None:
    low, high = ends or (None, None)
    expected = [None if figure is None else scale * figure for figure in (value, low, high)]
    assert [number(row[name]) for name in ("value", "low", "high")] == expected
    assert n is None or row["n"] == str(n)


def _same_arena(found: dict[Any, dict[str, str]], judge: str, made: dict[str, Any]) -> None:
    for model, entry in made["models"].items():
        for category, part in entry["categories"].items() or [("", entry)]:
            of = ("scores", category, model, judge)
            _same(found[*of, "score"], part["score"], part["score_ci"], part["n"], 100.0)
            assert found[*of, "baseline"]["value"] == part["baseline"]
            assert [found[*of, name]["value"] for name in ("battles", "rows", "dropped_rows")] == [
                str(part[name]) for name in ("battles", "rows", "dropped_rows")
            ]
            assert ((*of, "style_controlled") in found) is ("style_controlled" in part)
            for name in ("style_controlled", "style_controlled_alone"):
                if name in part:
                    _same(found[*of, name], part[name]["score"], part[name]["score_ci"], None, 100.0)
    for category, part in made["effects"].items():
        of = ("effects", category, "", judge)
        _same(found[*of, "longer_wins"], part["longer_wins"], part["longer_wins_ci"], part["longer_wins_n"], 100.0)


def test_arena_has_a_table_a_category_and_style_where_it_is_known() -> None:
    tables = bench_tables(CASES["arena-hard"]())
    assert [(made.key, made.domain) for made in tables] == [
        ("arena_hard", "hard_prompt"), ("arena_hard", "creative_writing"), ("arena_hard", "hard_prompt")
    ]  # fmt: skip
    titles = [[column.title for column in made.columns] for made in tables]
    assert titles[0] == titles[1] == ["win rate [5%, 95%]", "style-controlled", "alone", "battles", "rows", "dropped"]
    assert titles[2] == ["win rate [5%, 95%]", "battles", "rows", "dropped"]
    assert tables[0].title == "arena-hard, hard_prompt, against base hard_prompt, judged by a judge, in percent"
    assert re.findall(r"\\label\{(.*?)\}", render(tables, "latex", version="1")) == [
        "tab:arena-hard-hard-prompt", "tab:arena-hard-creative-writing", "tab:arena-hard-hard-prompt-2"
    ]  # fmt: skip


def test_an_undefined_score_is_a_dash_and_an_empty_cell() -> None:
    results = CASES["rm-bench, in part"]()
    (row,) = [row for row in rows_of_csv(bench_csv(results, version="1")) if (row["table"], row["domain"]) == ("scores", "")]
    assert (row["value"], row["low"], row["high"], row["n"]) == ("", "", "", "10")
    assert rows_of_markdown(render(bench_tables(results), "md", version="1"))[1][-2:] == ["-", "10"]


# Published rows


@pytest.mark.parametrize("benchmark", ["judgebench", "rm-bench"])
def test_published_rows_are_marked_in_every_format(benchmark: str) -> None:
    results, rows = CASES[benchmark](), published(benchmark)
    results["GPT-4o"] = next(iter(results.values()))  # a judge of ours by that name is not taken for the paper's
    tables = bench_tables(results, rows)
    assert any("(published): figures of a paper" in note for note in tables[0].notes)
    for found in (rows_of_markdown(render(tables, "md", version="1")), rows_of_latex(render(tables, "latex", version="1"))):
        by_name = {row[0]: row for row in found}
        assert set(by_name) == {"judge", *results, *(f"{row.model} (published)" for row in rows)}
        at = {title: k for k, title in enumerate(by_name["judge"])}
        for row in rows:
            cells = by_name[f"{row.model} (published)"]
            assert {
                name: cells[at["overall [95%]" if name == "overall" else name]]
                for name in row.scores
                if name in at or name == "overall"
            } == {name: f"{score:.1f}" for name, score in row.scores.items() if name in at or name == "overall"}
            assert cells[at["n"]] == "-"
    lines = rows_of_csv(bench_csv(results, rows, version="1"))
    said = {row["name"] for row in lines if row["published"] == "true"}
    assert said == {row.model for row in rows}
    assert {row["name"] for row in lines if row["published"] == "false"} == set(results)
    figures = {(row["name"], row["domain"]): row for row in lines if row["published"] == "true"}
    for row in rows:
        for name, score in row.scores.items():
            line = figures[row.model, "" if name == "overall" else name]
            assert (float(line["value"]), line["low"], line["high"], line["n"]) == (score, "", "", "")
    wide = on_terminal(results, 200, rows)
    assert sum("(published)" in line for line in wide) == len(rows) + 1


# Names


def test_names_are_text_in_every_format() -> None:
    one = judgebench("livebench-math")
    results = dict.fromkeys(HOSTILE, one)
    tables = bench_tables(results, published("judgebench"))
    names = [shown_name(name) for name in HOSTILE]
    assert [row[0] for row in rows_of_markdown(render(tables, "md", version="1"))[1 : len(names) + 1]] == [
        n.strip() for n in names
    ]
    assert [row[0] for row in rows_of_latex(render(tables, "latex", version="1"))[1 : len(names) + 1]] == names
    lines = rows_of_csv(bench_csv(results, published("judgebench"), version="1"))
    found = list(dict.fromkeys(row["name"] for row in lines if row["published"] == "false"))
    assert [name[1:] if name.startswith("'") else name for name in found] == names
    assert not any(name.lstrip().startswith(("=", "+", "-", "@")) for name in found)
    assert "\x1b" not in "".join(on_terminal(results, 200))


def test_groups_domains_models_and_categories_are_text_too() -> None:
    odd = ("=cmd()", "a|b_&", "<b>", "x\x1b[31m")
    for results in (
        {"j": judgebench(*odd)}, {"j": helpsteer3(*odd)}, {"=j": arena(*odd, models=("=m", "m|_&"))}
    ):  # fmt: skip
        tables = bench_tables(results)
        lines = rows_of_csv(bench_csv(results, version="1"))
        domains = {row["domain"] for row in lines}
        assert {"'=cmd()", "a|b_&", "<b>", "x\\x1b[31m"} <= domains
        assert not any(cell.lstrip().startswith(("=", "@")) for row in lines for cell in row.values())
        for text in (
            render(tables, "md", version="1"),
            render(tables, "latex", version="1"),
            *on_terminal(results, 200),
            *on_terminal(results, 40),
        ):
            assert "\x1b" not in text
        assert rows_of_markdown(render(tables, "md", version="1"))
        assert rows_of_latex(render(tables, "latex", version="1"))


def test_a_domain_without_a_name_is_not_the_whole_and_one_called_all_is_kept() -> None:
    lines = rows_of_csv(bench_csv({"j": helpsteer3("all", "")}, version="1"))
    found = {row["domain"] for row in lines if (row["table"], row["figure"]) == ("scores", "outcome_accuracy")}
    assert len([row for row in lines if (row["table"], row["figure"]) == ("scores", "outcome_accuracy")]) == len(found)
    (made,) = bench_tables({"j": helpsteer3("all", "code")})
    assert [row.names[0] for row in made.rows] == ["code", "all", "all"]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX on this machine")
def test_latex_compiles(runs: tuple[Path, Path], tmp_path: Path) -> None:
    latin = [name for name in HOSTILE if name.isascii()]
    results = [dict.fromkeys(latin, judgebench("a|b_&", "=c#")), {"%_#": arena("x_&%", styled=False)}, CASES["helpsteer3"]()]
    tables = [table for of in results for table in bench_tables(of, published("judgebench") if of is results[0] else ())]
    body = render([*tables, *agreement_tables(agree(str(runs[0]), str(runs[1])))], "latex", version="1")
    file = tmp_path / "t.tex"
    preamble = r"\documentclass{article}\usepackage{booktabs,graphicx}\begin{document}"
    file.write_text(f"{preamble}{body}\\end{{document}}", "utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", file.name], cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0, done.stdout[-2000:]


# The command, on real outputs


@pytest.fixture
def words(shared: Path) -> tuple[Any, ...]:
    folder = shared / "data" / "judgebench"
    names = ("reward_model__internlm_internlm2-7b-reward", "no_rubric__Qwen-Qwen3-1.7B")
    outputs = [folder / f"outputs_{name}.jsonl" for name in names]
    return ("bench", "judgebench", "--judge", "file", "--data", folder / "pairs_gpt.jsonl", "--outputs", *outputs, "--compare")


def test_real_outputs_have_the_same_figures_in_every_format(run: Run, words: tuple[Any, ...]) -> None:
    made = run(*words, "--format", "json").json
    assert made == run(*words, "--json").json
    ran = {form: run(*words, "--format", form) for form in ("md", "latex", "csv", "table")}
    assert {(one.code, one.err) for one in ran.values()} == {(0, "")}
    lines = {(r["table"], r["domain"], r["name"], r["figure"], r["published"]): r for r in rows_of_csv(ran["csv"].out)}
    markdown, latex = rows_of_markdown(ran["md"].out), rows_of_latex(ran["latex"].out)
    assert markdown == latex
    groups = ["Knowledge", "Reasoning", "Math", "Coding"]
    assert markdown[0] == ["judge", *groups, "overall [95%]", "n"]
    assert len(markdown) == 1 + len(made["judges"]) + len(made["published"])
    for row, (judge, of) in zip(markdown[1:], made["judges"].items(), strict=False):
        overall = of["overall"]
        low, high = overall["score_ci"]
        assert row == [
            judge, *(f"{of['groups'][name]['score']:.1f}" for name in groups),
            f"{overall['score']:.1f} [{low:.1f}, {high:.1f}]", str(overall["n"]),
        ]  # fmt: skip
        for domain, part in {"": overall, **of["groups"]}.items():
            _same(lines["scores", domain, judge, "score", "false"], part["score"], part["score_ci"], part["n"], 1.0)
        assert lines["counts", "", judge, "pairs not run", "false"]["value"] == "172"
        assert float(lines["effects", "", judge, "flip_rate", "false"]["value"]) == 100.0 * of["flip_rate"]
        assert f"{judge}: 172 of 350 pairs not run: not in the score" in ran["table"].out.splitlines()
    assert [row["measured"] for row in made["published"]] == [False] * len(made["published"])
    assert ran["md"].out.startswith("<!-- Printed by rationalerm ")


def test_two_outputs_at_once_are_refused_before_any_work(run: Run, tmp_path: Path) -> None:
    ran = run("bench", "judgebench", "--judge", "file", "--outputs", tmp_path / "none", "--json", "--format", "csv")
    assert (ran.code, ran.out, ran.err) == (2, "", "rationalerm: --json and --format csv ask for two outputs; give one of them\n")
    ran = run("agree", tmp_path / "none", tmp_path / "none", "--json", "--format", "md")
    assert (ran.code, ran.out, ran.err) == (2, "", "rationalerm: --json and --format md ask for two outputs; give one of them\n")


def test_a_run_over_an_endpoint_says_its_cost_apart_from_the_table(
    run: Run, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-TEST-444-not-real")
    data = ("--data", shared / "data" / "judgebench" / "pairs_gpt.jsonl", "--sample", "6")
    with FakeEndpoint(judge_answer) as server:
        words = ("bench", "judgebench", "--judge", "llm", "--model", "m", "--base-url", server.url, *data, "--reasons")
        ran = {form: run(*words, "--out", tmp_path / "out", "--format", form) for form in ("json", "md", "latex", "csv", "table")}
    assert {one.code for one in ran.values()} == {0}
    made = ran["json"].json
    for form in ("md", "latex", "csv"):
        assert made["usage"]["said"].split(";")[0].split(",")[0] not in ran[form].out
        assert " s\n" in ran[form].err
    lines = {(row["table"], row["figure"]): row for row in rows_of_csv(ran["csv"].out)}
    for outcome, part in made["reasons"].items():
        key = f"reasons_{outcome.replace(' ', '_')}"
        assert lines[key, "games"]["value"] == str(part["games"])
        for name, share in (part["kinds"] | part["flaws"]).items():
            assert number(lines[key, name]["value"]) == 100.0 * share
    assert rows_of_markdown(ran["md"].out)[1][0] == rows_of_latex(ran["latex"].out)[1][0] == "m"
    assert "- reasons, " in ran["md"].out


# agree


def test_agree_has_the_same_figures_in_every_format(run: Run, runs: tuple[Path, Path]) -> None:
    made = run("agree", *runs, "--format", "json").json
    assert made == run("agree", *runs, "--json").json
    ran = {form: run("agree", *runs, "--format", form) for form in ("md", "latex", "csv", "table")}
    assert {(one.code, one.err) for one in ran.values()} == {(0, "")}
    markdown = rows_of_markdown(ran["md"].out)
    assert markdown == rows_of_latex(ran["latex"].out)
    lines = {(r["table"], r["name"], r["other"], r["figure"]): r for r in csv.DictReader(io.StringIO(ran["csv"].out, newline=""))}
    on_terminal = [re.split(r"\s{2,}", line.strip()) for line in ran["table"].out.splitlines()]
    for judge, of in made["judges"].items():
        (row,) = [row for row in markdown if row[0] == judge]
        assert row in on_terminal
        for side in "ab":
            _same(lines["agreement", judge, "", side], of[side]["value"], of[side]["ci"], of[side]["n"], 1.0)
    names = str(runs[0]), str(runs[1])
    for table in ("over_judges", "over_rows"):
        for name, figure in made[table].items():
            _same(lines[table, *names, name], figure["value"], figure["ci"], figure["n"], 1.0)
    (head, figures) = [row for row in markdown if "RMSE of that line" in row or row[:2] == list(names)][:2]
    for title, cell in zip(head[2:], figures[2:], strict=True):
        assert [title, cell] in on_terminal
    assert figures[3].startswith(f"{made['over_judges']['rmse']['value']:.4f} [")
    assert figures[2].startswith(f"{made['over_judges']['r2']['value']:.3f} [")
    assert lines["left_out", "both: no answer", "both", "rows"]["value"] == "8"
    assert lines["ranking", *names, "pairs"]["value"] == "3"
    for sentence in made["sentences"]:
        assert sentence in ran["md"].out
        assert sentence in ran["latex"].out


def test_what_agree_can_not_tell_is_a_dash_with_its_reason_below(runs: tuple[Path, Path]) -> None:
    compared = agree(str(runs[0]), str(runs[1]), "rationale_consistency", ["checks"])
    tables = agreement_tables(compared)
    text = render(tables, "md", version="1")
    assert rows_of_markdown(text)[3][2:] == ["-", "-", "-", "-", shown(tables[1].rows[0].cells[4], tables[1].columns[4]), "-"]
    assert "- RMSE of that line: needs 3 judges or more, there is 1" in text
    assert agreement_sentences(compared)[0] in tables[-1].notes
    for width in WIDTHS:
        out = io.StringIO()
        print_agreement(compared, Console(file=out, width=width, highlight=False, markup=False, emoji=False))
        assert f"  {'RMSE of that line':<32} - (needs 3 judges or more, there is 1)" in out.getvalue()


def test_agree_with_names_that_are_anything(runs: tuple[Path, Path]) -> None:
    compared = agree(str(runs[0]), str(runs[1]), "rationale_consistency", [])
    (first, *_) = compared.figures.judges.values()
    figures = replace(compared.figures, judges=dict.fromkeys(HOSTILE, first))
    tables = agreement_tables(replace(compared, figures=figures))
    names = [shown_name(name) for name in HOSTILE]
    assert [row[0] for row in rows_of_markdown(render(tables, "md", version="1"))[1 : len(names) + 1]] == [
        n.strip() for n in names
    ]
    assert [row[0] for row in rows_of_latex(render(tables, "latex", version="1"))[1 : len(names) + 1]] == names
    rows = list(csv.DictReader(io.StringIO(render(tables, "csv", version="1"), newline="")))
    assert not any(row["name"].lstrip().startswith(("=", "+", "-", "@")) for row in rows)
