"""Run directories to the report page: what is in it is what is in the run, whatever command made it and however far it came."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT, Ran
from endpoint import FakeEndpoint, judge_answer, server_error
from pagefile import PageFile, read_page
from rationalerm import evaluate
from rationalerm.errors import DataError, UsageError
from rationalerm.run.reporting import write_report
from rationalerm.run.reporting.findings import ceiling_of
from rationalerm.run.reporting.loaded import Loaded

SAMPLE = ROOT / "src" / "rationalerm" / "sample" / "pairs.jsonl"
SHORT = {
    "oa": "outcome_accuracy",
    "rc": "rationale_consistency",
    "ap": "average_precision",
    "precision": "precision",
    "s_corr": "s_corr",
}
Run = Callable[..., Ran]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("finished") / "run"
    evaluate(SAMPLE, out=out)
    return out


@pytest.fixture(scope="module")
def page(finished: Path) -> PageFile:
    return read_page(finished / "report.html")


def test_the_figures_are_those_of_the_summary(finished: Path, page: PageFile) -> None:
    summary = json.loads((finished / "summary.json").read_text("utf-8"))
    assert [judge["name"] for judge in page.head["judges"]] == list(summary["judges"])
    assert page.head["domains"] == ["code", "general", "multilingual", "stem"]
    for judge in page.head["judges"]:
        said = summary["judges"][judge["name"]]
        for scope, part in {"": said, **said["domains"]}.items():
            for short, name in SHORT.items():
                interval = part[f"{name}_ci"] or [None, None]
                assert judge["figures"][scope][short] == [part[name], *interval, part[f"{name}_n"]]
        assert judge["figures"][""]["chance"] == summary["chance"][judge["name"]]
        assert judge["counts"] == said["counts"]


def test_every_game_is_a_row_with_its_own_numbers(finished: Path, page: PageFile) -> None:
    rows = lines(finished / "rows.jsonl")
    assert page.head["rows"]["n"] == len(rows) == len(page.index["id"])
    for judge in page.head["judges"]:
        mine = {row["id"]: row for row in rows if row["judge"] == judge["name"]}
        shown = page.rows(judge["name"])
        assert set(shown) == set(mine)
        for id, (number, _) in shown.items():
            row = mine[id]
            assert page.head["categories"][page.index["category"][number]] == row["category"]
            assert page.index["label"][number] == row["label"]
            recall = page.index["recall"][number]
            assert (recall is None) == (row["recall"] is None)
            assert recall is None or recall == pytest.approx(row["recall"], abs=1e-4)


def test_the_lines_between_the_lists_add_up_to_the_recall(page: PageFile) -> None:
    checked = 0
    for number, game in page.games.items():
        recall = page.index["recall"][number]
        if recall is None:
            continue
        human = game["human"] or page.pairs[page.index["pair"][number]]["human"]
        assert sum(score for _, _, score in game["links"]) / len(human) == pytest.approx(recall, abs=1e-4)
        assert len({i for i, _, _ in game["links"]}) == len({j for _, j, _ in game["links"]}) == len(game["links"])
        assert all(j < 5 for _, j, _ in game["links"])
        checked += bool(game["links"])
    assert checked > 60


def test_the_texts_are_the_inputs(finished: Path, page: PageFile) -> None:
    given = {row["id"]: row for row in lines(SAMPLE)}
    for pair in page.pairs.values():
        row = given[pair["id"]]
        assert pair["responses"] == [row["response1"], row["response2"]]
        assert pair["messages"] == [[turn["role"], turn["content"]] for turn in row["context"]]
    answers = {(row["id"], row["judge"]): row for row in lines(finished / "judgments.jsonl")}
    for id, (_, game) in page.rows("noisy").items():
        assert game["text"] == answers[id, "noisy"]["text"]
        assert game["reasons"] == answers[id, "noisy"]["reasons"]


def test_two_runs_are_compared_under_names_of_their_own(finished: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    evaluate(SAMPLE, ["checks", "surface"], "lexical", out=other)
    write_report([finished, other], tmp_path / "both.html")
    both = read_page(tmp_path / "both.html")
    names = [judge["name"] for judge in both.head["judges"]]
    assert names == ["checks (run)", "surface (run)", "noisy", "checks (other)", "surface (other)"]
    assert [run["matcher"].split("-")[0] for run in both.head["runs"]] == ["embedded", "lexical"]
    assert both.head["rows"] | {"why_no_texts": None} == both.head["rows"] | {"pairs": 69, "n": 5 * 69}
    pairs = {(one["first"], one["second"]) for one in both.head["comparisons"][""] if one["metric"] == "oa"}
    assert len(pairs) == 10


def test_an_unfinished_run_shows_what_is_finished(finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "half"
    shutil.copytree(finished, out)
    for name in ("rows.jsonl", "summary.json", "report.html"):
        (out / name).unlink()
    kept = lines(out / "matches.jsonl")[:40]
    (out / "matches.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept) + '{"torn": ', "utf-8")
    write_report([out], tmp_path / "half.html")
    half = read_page(tmp_path / "half.html")
    assert half.head["runs"][0]["finished"] is False
    whole = {(row["id"], row["judge"]): row for row in lines(finished / "rows.jsonl")}
    scored = [number for number, recall in enumerate(half.index["recall"]) if recall is not None]
    assert {half.index["id"][number] for number in scored} >= {row["id"] for row in kept if row["judge"] == "checks"}
    for number in scored:
        judge = half.head["judges"][half.index["judge"][number]]["name"]
        assert half.index["recall"][number] == pytest.approx(whole[half.index["id"][number], judge]["recall"], abs=1e-4)


def test_an_input_that_is_gone_leaves_the_lists(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    shutil.copy(SAMPLE, rows)
    evaluate(rows, ["checks"], out=tmp_path / "out", report=False)
    assert not (tmp_path / "out" / "report.html").exists()
    rows.unlink()
    write_report([tmp_path / "out"], tmp_path / "page.html")
    page = read_page(tmp_path / "page.html")
    assert page.head["rows"]["texts"] is False
    assert page.head["rows"]["why_no_texts"] == f"{rows} is not there any more"
    assert all(pair["human"] for pair, game in zip(page.pairs.values(), page.games.values(), strict=True) if game["links"])
    assert page.head["rows"]["n"] == 69


def test_judge_match_and_report(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge's own run has verdicts and no RC; matched, it has both, in both orders, each with the lists in its own letters."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in lines(SAMPLE)[:12]), "utf-8")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with FakeEndpoint(judge_answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert run("judge", rows, "--model", "m", "--out", tmp_path / "judged", "--no-cache").code == 0
    assert run("report", tmp_path / "judged").code == 0
    page = read_page(tmp_path / "judged" / "report.html")
    assert page.head["rows"]["n"] == 24
    assert page.head["judges"][0]["figures"][""]["rc"][0] is None
    assert page.head["judges"][0]["figures"][""]["oa"][0] is not None
    assert run("evaluate", tmp_path / "judged" / "pairs.jsonl", "--judge", "m", "--out", tmp_path / "matched").code == 0
    both = read_page(tmp_path / "matched" / "report.html")
    assert both.index["order"].count(1) == 12
    swapped = [both.games[number] for number, turn in enumerate(both.index["order"]) if turn]
    assert any(game["human"] for game in swapped)
    assert both.head["judges"][0]["figures"][""]["oa"] == page.head["judges"][0]["figures"][""]["oa"]


def test_hostile_names_and_texts_stay_data(tmp_path: Path) -> None:
    text = "</script><script>alert(1)</script><!-- \u202e \x00 \ud800"
    row = {
        "id": text,
        "domain": "</title>" + text,
        "context": [{"role": "user", "content": text}],
        "response1": text,
        "response2": "b",
        "overall_preference": -1,
        "human-checklist": [f"Response 1 says {text}"],
        "</script>-checklist": [f"Response A says {text}"],
        "</script>-label": -1,
    }
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(row) + "\n", "utf-8")
    evaluate(rows, ["</script>"], out=tmp_path / "</title><script>alert(1)<")
    file = next(tmp_path.rglob("report.html"))
    page = read_page(file)
    assert page.pairs[0]["responses"][0].startswith("</script><script>alert(1)</script><!-- \u202e \x00 ")
    assert b"alert(1)</script>" not in file.read_bytes()
    assert b"<script>alert(1)" not in file.read_bytes()


def test_what_can_not_be_reported_is_said_in_one_line(tmp_path: Path, run: Run, finished: Path) -> None:
    (tmp_path / "empty").mkdir()
    for argv, words in (
        ([tmp_path / "empty"], "no run.json there"),
        ([tmp_path / "nowhere"], "no run.json there"),
        ([SAMPLE], "no run.json there"),
        ([finished, tmp_path / "nowhere", "--out", tmp_path / "x.html"], "nowhere"),
        ([finished, finished], "--out"),
        ([finished, "--out", tmp_path], "name a file"),
        ([finished, "--out", tmp_path / "no" / "such" / "x.html"], "x.html"),
    ):
        done = run("report", *argv)
        assert done.code == 2
        assert done.err.count("\n") == 1
        assert words in done.err
    assert not (tmp_path / "x.html").exists()


def test_damaged_runs_are_said(finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "damaged"
    shutil.copytree(finished, out)
    (out / "rows.jsonl").write_text('{"id": "x"}\n', "utf-8")
    with pytest.raises(DataError, match=r"rows\.jsonl: holds a row that is not a finished run's"):
        write_report([out], tmp_path / "x.html")
    (out / "run.json").write_text('{"command": "decompose"}', "utf-8")
    with pytest.raises(UsageError, match="nothing to report"):
        write_report([out], tmp_path / "x.html")
    (out / "run.json").write_text("{", "utf-8")
    with pytest.raises(DataError, match=r"run\.json"):
        write_report([out], tmp_path / "x.html")


def test_a_full_disk_leaves_the_old_page_and_the_run(tmp_path: Path) -> None:
    """The run is whole without its page: exit 0, and a line that says why there is none."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))  # noqa: E731  # the page is larger
    command = [sys.executable, "-m", "rationalerm", "evaluate", str(SAMPLE), "--out", str(tmp_path / "out"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, env=dict(os.environ), check=False)
    assert done.returncode == 0, done.stderr
    assert "no report.html" in done.stderr
    assert json.loads(done.stdout)["rows"] == 69
    assert (tmp_path / "out" / "summary.json").exists()
    assert not list((tmp_path / "out").glob(".report*"))


def test_evaluate_can_leave_the_page_out(tmp_path: Path, run: Run) -> None:
    assert run("evaluate", SAMPLE, "--judge", "checks", "--out", tmp_path / "out", "--no-report", "--json").code == 0
    assert not (tmp_path / "out" / "report.html").exists()


def test_reasons_are_tagged_by_the_rules_or_by_a_model(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a model: kept in the run, taken up again, what failed counted and not guessed; another text's tags are not a row's."""
    out = tmp_path / "out"
    rows = tmp_path / "rows.jsonl"
    given = lines(SAMPLE)[:10]
    rows.write_text("".join(json.dumps(row) + "\n" for row in given), "utf-8")
    evaluate(rows, ["checks", "surface"], out=out)
    page = read_page(out / "report.html")
    assert page.head["kinds"]["tagger"].startswith("rules ")
    shares = {page.head["judges"][of["judge"]]["name"]: of for of in page.head["kinds"]["judges"]}
    for judge, of in shares.items():
        reasons = [kind for _, game in page.rows(judge).values() for kind in game["kinds"] or ()]
        assert of["n"] == len(reasons)
        assert of["EG"][0] == pytest.approx(reasons.count("EG") / len(reasons))
        assert sum(of[kind][0] for kind in ("EG", "CG", "GS")) == pytest.approx(1)

    def tag(body: dict[str, Any], n: int) -> str:
        text = body["messages"][-1]["content"]
        numbers = sorted({int(number) for number in re.findall(r"^S(\d+): ", text, re.M)})
        if "chunks(range(7)" in text:
            return "I can't say."
        return "<RESULT_START>\n" + "\n".join(f"- S{number}: CG F2" for number in numbers) + "\n<RESULT_END>"

    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with FakeEndpoint(tag) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        asked = ("report", out, "--tagger", "llm", "--model", "m", "--no-cache", "--format-retries", "0")
        planned = run(*asked, "--dry-run", "--json").json
        assert server.count == 0
        done = run(*asked, "--json", "--max-failed", "50%")
        assert done.code == 0, done.err
        assert planned["calls"] == server.count
        calls = server.count
        assert run(*asked).code == 0
        assert server.count - calls <= done.json["tagged"]["failed"]
    page = read_page(out / "report.html")
    assert page.head["kinds"]["tagger"].startswith("llm m ")
    assert page.head["kinds"]["agreement"] is None
    assert all(of["CG"][0] == of["F2"][0] == 1.0 for of in page.head["kinds"]["judges"])
    failed = sum(of["failed"] for of in page.head["kinds"]["judges"])
    assert (
        failed == done.json["tagged"]["failed"] == sum(game["kinds"] is None for game in page.games.values() if game["reasons"])
    )
    given[3]["surface-generated_text"] = given[4]["surface-generated_text"]
    rows.write_text("".join(json.dumps(row) + "\n" for row in given), "utf-8")
    evaluate(rows, ["checks", "surface"], out=out)
    again = read_page(out / "report.html")
    assert again.rows("surface")[given[3]["id"]][1]["kinds"] is None
    assert sum(of["failed"] for of in again.head["kinds"]["judges"]) == failed + 1


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--model", "m"], "--tagger llm"), (["--dry-run"], "--tagger llm"), (["--tagger", "llm"], "--model")],
)
def test_options_that_need_each_other(finished: Path, run: Run, words: list[str], said: str) -> None:
    done = run("report", finished, *words)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_domain_without_a_name_is_none(tmp_path: Path) -> None:
    """The page's scope of all rows is never one domain's."""
    rows = lines(SAMPLE)
    for k, row in enumerate(rows):
        row["domain"] = ("", "  ", "code")[k % 3]
    given = tmp_path / "rows.jsonl"
    given.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    summary = evaluate(given, ["checks"], out=tmp_path / "out")
    page = read_page(tmp_path / "out" / "report.html")
    assert page.head["domains"] == ["code"]
    assert page.head["judges"][0]["figures"][""]["oa"][0] == summary.judges["checks"]["outcome_accuracy"].value
    assert page.head["judges"][0]["figures"][""]["n"] == 69


def test_rc_is_not_compared_between_evaluators(finished: Path, tmp_path: Path) -> None:
    """The same answers by another matcher have another RC: that is no finding about judges."""
    evaluate(SAMPLE, out=tmp_path / "lexical", matcher="lexical")
    write_report([finished, tmp_path / "lexical"], tmp_path / "both.html")
    head = read_page(tmp_path / "both.html").head
    runs = [judge["run"] for judge in head["judges"]]
    compared = {metric: [one for one in head["comparisons"][""] if one["metric"] == metric] for metric in ("oa", "rc")}
    assert len(compared["oa"]) == 15
    assert len(compared["rc"]) == 6
    assert all(runs[one["first"]] == runs[one["second"]] for one in compared["rc"])
    assert head["trap"][""] is None
    assert "evaluators" in head["trap_rule"]
    assert all(
        ("(run)" in text and "(lexical)" not in text) or ("(lexical)" in text and "(run)" not in text) for text in head["meaning"]
    )
    assert head["agreement"]["judges"]


def test_what_is_there_and_is_no_page_is_left_alone(finished: Path, tmp_path: Path, run: Run) -> None:
    out = tmp_path / "run"
    shutil.copytree(finished, out)
    before = (out / "run.json").read_bytes()
    (tmp_path / "link.html").symlink_to(out / "run.json")
    os.mkfifo(tmp_path / "pipe")
    for target in (out / "run.json", tmp_path / "link.html", SAMPLE, tmp_path / "pipe", "/dev/null", "-"):
        done = run("report", out, "--out", target)
        assert done.code == 2, target
        assert done.err.count("\n") == 1
    assert (out / "run.json").read_bytes() == before
    (tmp_path / "page.html").symlink_to(out / "report.html")
    assert run("report", out, "--out", tmp_path / "page.html").code == 0
    assert (tmp_path / "page.html").is_symlink()
    assert run("report", out, out, "--out", tmp_path / "twice.html").code == 2


def test_rows_that_are_lost_are_said(finished: Path, tmp_path: Path, run: Run) -> None:
    out = tmp_path / "run"
    shutil.copytree(finished, out)
    rows = (out / "rows.jsonl").read_text("utf-8").splitlines(keepends=True)
    (out / "rows.jsonl").write_text("".join(rows[:10] + rows[:5]), "utf-8")
    (out / "matches.jsonl").unlink()
    (out / "judgments.jsonl").unlink()
    done = run("report", out)
    assert done.code == 0
    assert "197 of 207 rows are not in rows.jsonl" in done.err
    assert "10 rows have no lists" in done.err
    head = read_page(out / "report.html").head
    assert len(head["runs"][0]["remarks"]) == 2
    assert head["rows"]["n"] == 10
    assert [judge["figures"][""]["n"] for judge in head["judges"]] == [69, 69, 69]


def bench_files(jsonl: Callable[..., Path], runs: int) -> tuple[Path, list[Path]]:
    """JudgeBench rows with results of so many judges; the first has ties, and ran 5 of 6 pairs."""
    rows = [
        {
            "pair_id": f"p{k}",
            "source": "livebench-math",
            "question": f"q{k}",
            "response_A": "a",
            "response_B": "bb",
            "label": "A>B",
        }
        for k in range(6)
    ]
    games = [["A>B", "B>A"], ["A=B", "A=B"], ["B>A", "A>B"], ["A>B", "A=B"], ["A>B", None]]
    outputs = [
        jsonl(
            *({"pair_id": f"p{k}", "judgments": [{"decision": one} for one in of]} for k, of in enumerate(games)),
            name=f"judge-{number}.jsonl",
        )
        for number in range(runs)
    ]
    return jsonl(*rows, name="data.jsonl"), outputs


def test_a_benchmarks_page_has_the_terminals_table(jsonl: Callable[..., Path], run: Run, tmp_path: Path) -> None:
    """Its own table with n, one decimal, and the terminal's lines; no matcher that matched nothing, no folder for a name."""
    data, outputs = bench_files(jsonl, 2)
    out = tmp_path / "bench"
    words = ("bench", "judgebench", "--judge", "file", "--data", data, "--outputs", *outputs)
    said = run(*words, "--out", out).out
    head = read_page(out / "report.html").head
    assert head["title"] == "judgebench: judge-0, judge-1"
    (bench,) = head["benches"]
    assert bench["columns"][-2:] == ["overall", "n"]
    assert bench["digits"][-2:] == [1, 0]
    assert [row["name"] for row in bench["rows"]] == ["judge-0", "judge-1"]
    assert bench["rows"][0]["cells"][-1][0] == 5
    assert bench["rows"][0]["cells"][-2][0] == pytest.approx(60.0)
    assert [one["name"] for one in bench["lines"]] == ["judge-0", "judge-1"]
    lines = bench["lines"][0]["lines"]
    assert all(f"judge-0: {line}" in said for line in lines)
    for word in ("1 of 6 pairs not run", "position:", "length:", "pairs right", "undecided", "no verdict in 1 of 10 games"):
        assert any(word in line for line in lines), word
    assert bench["published"]["compare"] is False
    assert bench["published"]["rows"][0]["name"] == "GPT-4o"
    assert "all 350 pairs of the gpt split; measured here: 5." in bench["published"]["note"]
    assert all(one["own_table"] and not one["matcher"] and one["top_k"] is None for one in head["runs"])
    assert head["trap"][""] is None


def test_rows_of_a_benchmark(jsonl: Callable[..., Path], run: Run, tmp_path: Path) -> None:
    """A judge's tie is not called a wrong verdict, and texts that are not at hand are no empty texts."""
    data, outputs = bench_files(jsonl, 1)
    assert run("bench", "judgebench", "--judge", "file", "--data", data, "--outputs", *outputs, "--out", tmp_path / "b").code == 0
    page = read_page(tmp_path / "b" / "report.html")
    categories = [page.head["categories"][number] for number in page.index["category"]]
    assert categories.count("judge's tie") == 3
    assert categories.count("wrong verdict, reasons not scored") == 2
    assert all(pair["responses"] is None and not pair["messages"] for pair in page.pairs.values())


def test_published_rows_stand_beside_a_run_with_compare(jsonl: Callable[..., Path], run: Run, tmp_path: Path) -> None:
    data, outputs = bench_files(jsonl, 1)
    out = tmp_path / "b"
    assert run("bench", "judgebench", "--judge", "file", "--data", data, "--outputs", *outputs, "--out", out).code == 0
    manifest = json.loads((out / "run.json").read_text("utf-8"))
    (out / "run.json").write_text(json.dumps(manifest | {"compare": True}), "utf-8")
    write_report([out], out / "report.html")
    assert read_page(out / "report.html").head["benches"][0]["published"]["compare"] is True
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    del summary["counts"]["games"]
    (out / "summary.json").write_text(json.dumps(summary), "utf-8")
    write_report([out], out / "report.html")  # not what this version writes: said, and no traceback
    assert "run its command again" in read_page(out / "report.html").head["benches"][0]["notes"][0]


def test_one_answer_in_two_runs_is_one_judge(finished: Path, tmp_path: Path) -> None:
    """Shown twice, compared once: no p is made larger by it, and no judge is held against itself."""
    other = tmp_path / "other"
    evaluate(SAMPLE, ["surface", "checks"], out=other)
    write_report([finished, other], tmp_path / "both.html")
    both, alone = read_page(tmp_path / "both.html").head, read_page(finished / "report.html").head
    names = [judge["name"] for judge in both["judges"]]
    assert names == ["checks (run)", "surface (run)", "noisy", "surface (other)", "checks (other)"]
    assert {number for one in both["comparisons"][""] for number in (one["first"], one["second"])} == {0, 1, 2}
    found, wanted = ([(one["p"], one["p_adjusted"]) for one in head["comparisons"][""]] for head in (both, alone))
    assert found == wanted
    assert len(both["meaning"]) == len(alone["meaning"])
    assert both["trap"][""]["judges"] == alone["trap"][""]["judges"]
    assert both["detectable"][""]["n"] == alone["detectable"][""]["n"]
    assert len(both["remarks"]) == 2
    assert both["remarks"][1].startswith("surface (other) has the same answers and scores as surface (run)")
    assert "(other)" not in both["hang"]


def test_another_answer_is_another_judge(finished: Path, tmp_path: Path) -> None:
    """One row that differs, or one that the first has not, and it is compared."""
    rows = lines(SAMPLE)
    right = {-1: "A>B", 1: "B>A"}
    changed = next(row for row in rows if row["overall_preference"] in right)
    changed["checks-generated_text"] = f"1. It is better.\n\n[[{right[-changed['overall_preference']]}]]"
    given = tmp_path / "rows.jsonl"
    given.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    evaluate(given, ["checks"], out=tmp_path / "other", report=False)
    write_report([finished, tmp_path / "other"], tmp_path / "both.html")
    both = read_page(tmp_path / "both.html").head
    assert both["remarks"] == []
    assert len([one for one in both["comparisons"][""] if one["metric"] == "oa"]) == 6
    first = tmp_path / "first"
    (tmp_path / "few.jsonl").write_text("".join(SAMPLE.read_text("utf-8").splitlines(keepends=True)[:20]), "utf-8")
    evaluate(tmp_path / "few.jsonl", ["checks"], out=first, report=False)
    write_report([first, finished], tmp_path / "both.html")  # all of its rows are in the longer run: that one is compared
    both = read_page(tmp_path / "both.html").head
    assert both["remarks"][0].startswith("checks (first) has the same answers")
    assert {number for one in both["comparisons"][""] for number in (one["first"], one["second"])} == {1, 2, 3}


def test_runs_without_a_common_row_say_so(finished: Path, jsonl: Callable[..., Path], run: Run, tmp_path: Path) -> None:
    """And a matcher that matched nothing is no difference between runs; nor does it take the ceiling away."""
    data, outputs = bench_files(jsonl, 1)
    assert run("bench", "judgebench", "--judge", "file", "--data", data, "--outputs", *outputs, "--out", tmp_path / "b").code == 0
    write_report([finished, tmp_path / "b"], tmp_path / "mixed.html")
    head = read_page(tmp_path / "mixed.html").head
    assert head["remarks"] == ["These runs have no row in common: nothing is compared between them"]
    assert head["title"] == "run, judgebench: judge-0"
    assert [bool(one["matcher"]) for one in head["runs"]] == [True, False]
    assert head["trap"][""]["judges"]


def test_a_run_that_matched_nothing_takes_no_ceiling_away() -> None:
    """A benchmark's configuration may name a matcher that nothing was given to."""
    part = {"rationale_consistency": 0.5, "outcome_accuracy": 0.8, "annotators": 3, "rows": 9, "n": 9}
    summary = {"ceiling": part | {"domains": {}}}
    one = Loaded("one", {"command": "evaluate", "config": {"matcher": "embedded", "matcher_version": "embedded-3"}}, {}, True)
    one = replace(one, summary=summary)
    for command, there in (("bench judgebench", True), ("evaluate", False)):
        other = Loaded("other", {"command": command, "config": {"matcher": "embedded"}}, {}, True)
        found = ceiling_of([one, other], [""])
        assert (found is not None) == there
    assert ceiling_of([one], [""]) == {"": {"rc": [0.5, None, None, 9], "oa": [0.8, None, None, 9], "annotators": 3, "rows": 9}}


def test_differences_name_the_higher_judge_first(page: PageFile) -> None:
    """Second less first, by RC: all on one side of zero."""
    found = page.head["comparisons"][""]
    assert len(found) == 6
    for one in found:
        assert one["difference"] == pytest.approx(one["mean_second"] - one["mean_first"])
        assert one["low"] <= one["difference"] <= one["high"]
        assert one["metric"] == "oa" or one["difference"] > 0
    pairs = {metric: [(one["first"], one["second"]) for one in found if one["metric"] == metric] for metric in ("oa", "rc")}
    assert pairs["oa"] == pairs["rc"]


def test_the_trap_in_plain_words(page: PageFile) -> None:
    trap = page.head["trap"][""]
    assert trap["missing"] == ["noisy: no verdict in 19 of 69"]
    for words in ("In the trap: noisy, surface.", "the best's OA less theirs", "OA is over the rows that a judge answered"):
        assert words in trap["rule"]
    assert "less theirs" in page.head["trap_rule"]
    assert page.head["hang"].startswith("Had the human written other reasons, RC would move by about ± 0.0")
    assert all(f"for {judge['name']}" in page.head["hang"] and not judge["notes"] for judge in page.head["judges"])


def test_one_judges_sentence_says_of_how_many_rows(tmp_path: Path) -> None:
    evaluate(SAMPLE, ["noisy"], out=tmp_path / "out")
    head = read_page(tmp_path / "out" / "report.html").head
    oa, rc = (head["judges"][0]["figures"][""][name][3] for name in ("oa", "rc"))
    assert oa == 46
    assert head["meaning"][-1].startswith("OA is over 46 of 69 rows")
    assert head["meaning"][-1].endswith(f"RC is over {rc}.")


def test_an_unfinished_run_is_shown_as_it_was_read(finished: Path, tmp_path: Path) -> None:
    """By judgments.jsonl, not by reading each text again; a text that is another one by now is read. RC is not resampled."""
    out = tmp_path / "half"
    given = tmp_path / "rows.jsonl"
    shutil.copy(SAMPLE, given)
    evaluate(given, ["checks"], out=out, report=False)
    for name in ("rows.jsonl", "summary.json"):
        (out / name).unlink()
    judged = lines(out / "judgments.jsonl")
    judged[0] |= {"verdict": None, "status": "refused", "notes": ["as it was read"]}
    judged[1] |= {"verdict": None, "status": "refused", "text": "of an earlier input"}
    (out / "judgments.jsonl").write_text("".join(json.dumps(row) + "\n" for row in judged[:40]), "utf-8")
    matches = lines(out / "matches.jsonl")
    (out / "matches.jsonl").write_text("".join(json.dumps(row) + "\n" for row in matches[:30]), "utf-8")
    write_report([out], tmp_path / "half.html")
    half = read_page(tmp_path / "half.html")
    rows = half.rows("checks")
    assert rows[judged[0]["id"]][1]["status"][0] == "refused"
    assert rows[judged[0]["id"]][1]["notes"] == ["as it was read"]
    assert half.index["verdict"][rows[judged[0]["id"]][0]] is None
    assert rows[judged[1]["id"]][1]["status"][0] == "given"
    run_ = half.head["runs"][0]
    assert run_["finished"] is False
    assert run_["so_far"] == {"rows": half.head["rows"]["n"], "of": 69}
    assert half.head["hang"] is None
    assert half.head["reliability"] is None
    assert read_page(finished / "report.html").head["runs"][0]["so_far"] is None


def test_the_page_of_a_large_run_tags_a_sample_and_says_so(tmp_path: Path) -> None:
    """`report` tags every list; the page that `evaluate` writes those of 250 pairs, the same ones each time."""
    rows = [row | {"id": f"{row['id']} {k}"} for k in range(5) for row in lines(SAMPLE)]
    given = tmp_path / "rows.jsonl"
    given.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    evaluate(given, ["surface"], out=tmp_path / "out")
    own = read_page(tmp_path / "out" / "report.html")
    assert own.head["kinds"]["tagger"].endswith("on a sample of 250 of the 345 pairs (rationalerm report DIR tags all)")
    tagged = {number for number, game in own.games.items() if game["kinds"]}
    assert 240 <= len(tagged) <= 250
    write_report([tmp_path / "out"], tmp_path / "whole.html")
    whole = read_page(tmp_path / "whole.html")
    assert "sample" not in whole.head["kinds"]["tagger"]
    assert all(game["kinds"] for game in whole.games.values() if game["reasons"])
    assert all(own.games[number]["kinds"] == whole.games[number]["kinds"] for number in tagged)


def test_a_tagger_that_never_answers_is_a_finding_that_names_its_file(
    finished: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    shutil.copytree(finished, out)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with FakeEndpoint(lambda body, n: server_error()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        done = run("report", out, "--tagger", "llm", "--model", "m", "--no-cache", "--max-retries", "0")
    assert done.code in (1, 3)
    assert (out / "tag_failures.jsonl").exists()
    assert "failures.jsonl says why" not in done.err.replace("tag_failures.jsonl", "")
