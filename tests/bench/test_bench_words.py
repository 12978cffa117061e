"""What a benchmark's table and records say: kinds that add up, prose, where the data is from, lines that fit the terminal."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from endpoint import FakeEndpoint, judge_answer
from hub import COMMIT, FakeHub, Stored
from rationalerm import EmbeddedMatcher
from rationalerm.bench.arena_hard import ArenaHard, Bout
from rationalerm.bench.base import Contest, Played
from rationalerm.bench.helpsteer3 import HelpSteer3
from rationalerm.bench.judgebench import JudgeBench
from rationalerm.bench.reasons import reasons_table
from rationalerm.data.hub import FILES, HubFile
from rationalerm.judge.parse import parse_judgment
from rationalerm.report.bench import print_bench
from rationalerm.types import Message, Pair, Verdict

Run = Callable[..., Any]
Jsonl = Callable[..., Path]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-TEST-333-not-real")
    for name in ("HF_ENDPOINT", "HF_TOKEN", "HF_HUB_OFFLINE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def pair(key: str, **more: Any) -> Pair:
    return Pair(key, (Message("user", key),), "one", "another", -1, domain="livebench-math", cluster=key, **more)


def jb(key: str, **more: Any) -> dict[str, Any]:
    row = {"pair_id": key, "source": "livebench-math", "question": f"count {key}", "response_model": "gpt-4o", "label": "A>B"}
    return row | {"response_A": f"One {key} says 1.", "response_B": f"Two {key} says 2."} | more


def table(result: Any, width: int, *, terminal: bool = True) -> list[str]:
    out = io.StringIO()
    print_bench({"judge": result}, Console(file=out, width=width, force_terminal=terminal, color_system=None, highlight=False))
    return out.getvalue().splitlines()


# JudgeBench: what became of each pair


def test_what_became_of_the_pairs_adds_up() -> None:
    """A pair that failed, or got no verdict, is none whose games cancel."""
    a, b, tie, none, failed = (
        Played(Verdict.A_BETTER),
        Played(Verdict.B_BETTER),
        Played(Verdict.TIE),
        Played(None, "none"),
        (Played(None, "failed")),
    )
    kinds = {
        "right": [(a, b), (a, tie), (a, failed)], "wrong": [(b, a)], "undecided": [(a, a), (tie, tie), (tie, failed)],
        "no verdict": [(none, none), (none, failed), (Played(None, "refused"), none)],
        "failed": [(failed, failed), (failed, None)],
    }  # fmt: skip
    games = {}
    for kind, of in kinds.items():
        for k, (first, second) in enumerate(of):
            games |= {(f"{kind} {k}", "AB"): first} | ({(f"{kind} {k}", "BA"): second} if second else {})
    protocol = JudgeBench([pair(key) for key in dict.fromkeys(key for key, _ in games)] + [pair("not run")])
    result = protocol.result(games, {})  # type: ignore[arg-type]
    assert result.tables["outcomes"] == {kind: len(of) for kind, of in kinds.items()}
    assert sum(result.tables["outcomes"].values()) == result.overall.n == 12
    said = "3 pairs right, 1 wrong, 3 undecided (verdicts that cancel, or tie), 3 without a verdict, 2 failed"
    assert said in table(result, 200)
    lost = protocol.result({(f"failed {k}", order): failed for k in range(2) for order in ("AB", "BA")}, {})  # type: ignore[misc]
    assert "0 pairs right, 0 wrong, 2 failed" in table(lost, 200)
    assert (lost.overall.value, lost.groups) == (None, {})  # a dead endpoint says nothing of the judge: never a 0
    scores = protocol.result({}, {"right 0:A": 1.0, "right 0:B": None, "wrong 0:A": 1.0, "wrong 0:B": 2.0})
    assert scores.tables["outcomes"] == {"right": 0, "wrong": 1, "undecided": 0, "no verdict": 0, "failed": 1}


def test_lines_wrap_between_words_at_the_terminals_width() -> None:
    protocol = JudgeBench([pair(str(k)) for k in range(8)])
    games = {(str(k), order): Played(Verdict.A_BETTER) for k in range(8) for order in ("AB", "BA")}
    result = protocol.result(games, {})  # type: ignore[arg-type]
    whole = table(result, 40, terminal=False)
    (line,) = [line for line in whole if line.startswith("position: ")]
    assert "% of games (mean over 8 pairs; 50 = no preference)" in line
    for width in (40, 60):
        lines = table(result, width)
        assert max(map(len, lines)) <= width
        wrapped = " ".join(lines[next(k for k, of in enumerate(lines) if of.startswith("position:")) :])
        assert " ".join(wrapped.split()).startswith(line)


# HelpSteer3: prose, the options in force, folders


def prose_row(k: int) -> dict[str, Any]:
    people = [{"score": -1, "reasoning": f"Response 1 counts the {k} rows right. Response 2 says {k + 1}, which is wrong."}]
    row = {"domain": "code", "context": [{"role": "user", "content": f"Count {k}"}], "individual_preference": people}
    return row | {"response1": f"It is {k}.", "response2": f"It is {k + 1}, I think.", "overall_preference": -2}


def test_prose_and_the_options_in_force_are_said(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    data = jsonl(*(prose_row(k) for k in range(3)), name="data.jsonl")
    words = ("bench", "helpsteer3", "--data", data, "--scoring", "released", "--reasons-top-k", "3", "--orders", "given")
    with FakeEndpoint(judge_answer) as server:
        ask = ("--judge", "llm", "--model", "m", "--base-url", server.url, "--out", tmp_path / "out")
        shown = run(*words, *ask)
        made = run(*words, *ask, "--json").json
        other = run(*words[:-6], "--orders", "given", *ask, "--json")
        assert server.count == 3
    assert shown.code == 0, shown.err
    assert (
        "3 rows: the human reasons were split from prose (marked `prose`): rough atoms. `decompose` (an LLM) makes" in shown.out
    )
    assert "released scoring of a judge's first 3 reasons; matcher " in shown.out
    assert (made["prose_rows"], made["scoring"], made["top_k"], made["orders"]) == (3, "released", 3, "given")
    assert other.code == 0, "another scoring needs no other answers"
    assert (other.json["scoring"], other.json["top_k"]) == ("paper", 5)
    manifest = json.loads((tmp_path / "out" / "run.json").read_text("utf-8"))
    assert manifest["scored by"] == {"scoring": "paper", "top_k": 5, "matcher": "embedded", "orders": "given"}
    assert manifest["sources"]["data"] == [str(data)]
    whole = HelpSteer3([pair("1", human_reasons=("Response 1 is right.",))], EmbeddedMatcher())
    result = whole.result({("1", "AB"): Played(Verdict.A_BETTER, "given", ("Response A is right.",))}, {})
    assert result.tables["prose_rows"] == 0
    assert not any("prose" in line for line in table(result, 200))


def test_a_folder_of_helpsteer3_rows(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    rows = [prose_row(k) | {"id": f"q{k}"} for k in range(4)]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:2]), "utf-8")
    (folder / "b.jsonl.gz").write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows[2:]).encode()))
    outputs = tmp_path / "outputs.jsonl"
    outputs.write_text("".join(json.dumps({"id": row["id"], "verdict": "A>B"}) + "\n" for row in rows), "utf-8")
    words = ("bench", "helpsteer3", "--judge", "file", "--data", folder, "--json")
    ran = run(*words, "--outputs", outputs)
    assert ran.code == 0, ran.err
    assert ran.json["overall"]["n"] == 4
    shutil.copy(folder / "a.jsonl", folder / "c.jsonl")
    ran = run(*words, "--outputs", outputs)
    assert ran.code == 2
    assert "'q0' is the id of a row in another file too" in ran.err


def test_a_file_without_judges_names_an_option_that_is_here(run: Run, jsonl: Jsonl) -> None:
    ran = run("bench", "helpsteer3", "--judge", "file", "--data", jsonl(prose_row(1), name="data.jsonl"))
    assert ran.code == 2
    assert "no judge found" in ran.err
    assert "--outputs" in ran.err
    assert "--judge" not in ran.err


# The data: which, from where


def test_the_same_data_under_another_path_is_the_same_run(
    run: Run, jsonl: Jsonl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = jsonl(*(jb(f"p{k}") for k in range(3)), name="data.jsonl")
    copy = tmp_path / "elsewhere" / "data.jsonl"
    copy.parent.mkdir()
    shutil.copy(data, copy)
    monkeypatch.chdir(tmp_path)
    with FakeEndpoint(judge_answer) as server:
        ask = ("bench", "judgebench", "--judge", "llm", "--model", "m", "--base-url", server.url, "--out", "out", "--json")
        first = run(*ask, "--data", data)
        assert first.code == 0, first.err
        for path in ("data.jsonl", copy, copy.parent, os.path.relpath(copy)):
            again = run(*ask, "--data", path)
            assert again.code == 0, again.err
            assert again.json["overall"] == first.json["overall"]
        assert server.count == 6
        copy.write_text(copy.read_text("utf-8") + json.dumps(jb("p3")) + "\n", "utf-8")
        other = run(*ask, "--data", copy)
    assert other.code == 2
    assert "holds a run with data sha256 = [" in other.err
    assert other.err.count("\n") == 1


def test_a_branch_is_said_and_its_commit_recorded(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """RM-Bench has no pinned commit: the table says so, run.json has the commit, and a resumed run says another one."""
    rows = [
        {"id": str(k), "prompt": f"count {k}", "domain": "chat"}
        | {name: [f"{name} {k} {style}" for style in range(3)] for name in ("chosen", "rejected")}
        for k in range(2)
    ]
    content = json.dumps(rows).encode()
    monkeypatch.setitem(FILES, "rm-bench", HubFile("o/rm", "total.json", "main", rows=2))
    other = "f" * 40
    with FakeHub({"o/rm/total.json": Stored(content)}) as hub, FakeEndpoint(judge_answer) as server:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        ask = ("bench", "rm-bench", "--judge", "llm", "--model", "m", "--base-url", server.url, "--out", tmp_path / "out")
        first = run(*ask)
        assert first.code == 0, first.err
        said = f"data: o/rm/total.json of the Hub's branch main, commit {COMMIT}: neither commit nor checksum is pinned; checked"
        assert said in first.out
        source = {"file": "o/rm/total.json", "revision": "main", "commit": COMMIT, "checked": "the Hub's SHA-256 and 2 rows"}
        assert json.loads((tmp_path / "out" / "run.json").read_text("utf-8"))["sources"]["hub"] == [source]
        assert run(*ask, "--json").json["sources"]["hub"] == [source]
        shutil.rmtree(tmp_path / "cache" / "hub")
        hub.files["o/rm/total.json"] = Stored(content, commit=other)
        again = run(*ask)
        assert again.code == 0, again.err
        assert f"o/rm/total.json: the same bytes, now of commit {other}; the run began with {COMMIT}" in again.err
        shutil.rmtree(tmp_path / "cache" / "hub")
        hub.files["o/rm/total.json"] = Stored(json.dumps(rows[::-1]).encode(), commit=other)
        changed = run(*ask)
    assert changed.code == 2
    assert "holds a run with data sha256 = [" in changed.err


# Arena-Hard


def test_models_that_are_not_there(run: Run, jsonl: Jsonl) -> None:
    game = {"score": "A>B", "judgment": "x"}
    row = {"uid": "u1", "judge": "j", "category": "hard_prompt", "games": [game, game]}
    outputs = jsonl(*(row | {"model": name} for name in ("one", "owner/two")), name="outputs.jsonl")
    ran = run("bench", "arena-hard", "--judge", "file", "--outputs", outputs, "--models", "nope")
    assert ran.code == 2
    assert "--models: no judgment of nope; there are one, owner/two" in ran.err
    questions = jsonl({"uid": "u1", "category": "hard_prompt", "subcategory": "x", "prompt": "Say"}, name="questions.jsonl")
    answer = {"uid": "u1", "messages": [{"role": "user", "content": "Say"}, {"role": "assistant", "content": {"answer": "Yes."}}]}
    answers = jsonl(*(answer | {"model": name} for name in ("one", "o3-mini-2025-01-31")), name="answers.jsonl")
    words = ("--data", questions, "--answers", answers, "--models", "one,nope", "--model", "m", "--dry-run")
    ran = run("bench", "arena-hard", "--judge", "llm", *words)
    assert ran.code == 2
    assert "--models: no answers of nope; there are one" in ran.err


def test_the_table_says_why_a_styled_figure_is_missing_and_what_was_left_out() -> None:
    bouts, games = [], {}
    for k in range(12):
        for model, style in (("same", (0.2, 0.0, 0.0, 0.1)), ("rare", (k / 50, 0.3 if k == 3 else 0.0, 0.0, (k % 3) / 9))):
            bouts.append(Bout(str(k), model, "base", "hard_prompt", pair(f"{model}:{k}"), style))
            verdicts = (Verdict.B_BETTER, Verdict.A_BETTER)[:: 1 if (k + len(model)) % 3 else -1]
            games |= {(bouts[-1].id, "AB"): Played(verdicts[k % 2]), (bouts[-1].id, "BA"): Played(verdicts[0])}
    result = ArenaHard(bouts).result(games, {})  # type: ignore[arg-type]
    entries = result.tables["models"]
    assert all(entry["style_controlled"]["score"] is not None for entry in entries.values())
    assert entries["same"]["style_controlled_alone"]["score"] is None
    lines = table(result, 300)
    assert any(line.startswith("same, hard_prompt, alone: no figure, its style differs from the baseline's") for line in lines)
    left = result.tables["style"]["hard_prompt"]["left_out_draws"]
    assert 20 < left["headers"] < 60
    assert any(f"leave it out: headers in {left['headers']}, lists in 100" in line for line in lines)


# Reasons


def test_one_sentence_without_a_verdict_is_no_reason() -> None:
    dunno = Played.of(parse_judgment("dunno", ()))
    assert (dunno.verdict, len(dunno.reasons)) == (None, 1)
    contests = [Contest("1", pair("1"), ("AB", "BA"))]
    listed = Played(None, "none", ("Response A adds 12 and 30 to 44.", "Response B cites 1987."))
    found = reasons_table(contests, {("1", "AB"): dunno, ("1", "BA"): listed})["no verdict"]
    assert (found["games"], found["with_reasons"], found["reasons"]) == (2, 1, 2)
