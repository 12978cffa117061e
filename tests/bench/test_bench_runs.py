"""Each benchmark from its command to its table over a loopback endpoint: stopped, killed, resumed; counted from the records."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from endpoint import FakeEndpoint, first_place_answer, judge_answer, seen_responses
from faults import server_error
from hub import FakeHub, Stored
from pagefile import read_page
from rationalerm.data.hub import FILES
from scalar_endpoint import FakeScorer

Run = Callable[..., Any]
KEY = "sk-TEST-111-not-real"
BENCHMARKS = ("rm-bench", "judgebench", "helpsteer3", "arena-hard")
FINAL = ("contests.jsonl", "rows.jsonl", "summary.json", "judge/judgments.jsonl", "judge/pairs.jsonl")
# The command in a process of its own, whether or not the command line lists it.


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def data(shared: Path, tmp_path: Path) -> dict[str, list[str]]:
    """A little of each benchmark's real data, as words of the command."""
    folder = shared / "data"
    rm = tmp_path / "rm.json"
    every = {
        name: json.loads((folder / "rm_bench" / f"{name}.json").read_text("utf-8")) for name in ("chat", "code", "safety-refuse")
    }
    math = [row | {"domain": "math", "id": f"m{row['id']}"} for row in every["code"][5:7]]  # the sample has none
    rm.write_text(json.dumps([*(row for rows in every.values() for row in rows[:2]), *math]), "utf-8")
    answers = [folder / "arena_hard_v2" / f"model_answer_{name}.jsonl" for name in ("sky-t1-32b", "o3-mini-2025-01-31")]
    answered = {json.loads(line)["uid"] for line in answers[0].read_text("utf-8").splitlines()}
    lines = (folder / "arena_hard_v2" / "question.jsonl").read_text("utf-8").splitlines()
    hard = [line for line in lines if json.loads(line)["category"] == "hard_prompt" and json.loads(line)["uid"] in answered]
    questions = tmp_path / "questions.jsonl"
    questions.write_text("\n".join(hard[:8]) + "\n", "utf-8")
    pairs = Path(__file__).parents[2] / "src" / "rationalerm" / "sample" / "pairs.jsonl"
    rows = [json.loads(line) for line in pairs.read_text("utf-8").splitlines()]
    plain = tmp_path / "pairs.jsonl"
    names = ("id", "domain", "context", "response1", "response2", "overall_preference", "human-checklist")
    plain.write_text("".join(json.dumps({name: row[name] for name in names}) + "\n" for row in rows[:9]), "utf-8")
    return {
        "rm-bench": ["--data", str(rm), "--seed", "7"],
        "judgebench": ["--data", str(folder / "judgebench" / "pairs_gpt.jsonl"), "--sample", "9"],
        "helpsteer3": ["--data", str(plain)],
        "arena-hard": ["--data", str(questions), *(word for path in answers for word in ("--answers", str(path)))],
    }


def words(benchmark: str, data: dict[str, list[str]], server: Any, out: Path, *more: str) -> list[str]:
    return ["bench", benchmark, "--model", "m", "--base-url", server.url, "--out", str(out), "--json", *data[benchmark], *more]


def files(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text("utf-8") for name in FINAL}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_a_run_stopped_by_its_budget_and_resumed(benchmark: str, run: Run, data: dict[str, list[str]], tmp_path: Path) -> None:
    with FakeEndpoint(judge_answer) as server:
        whole = run(*words(benchmark, data, server, tmp_path / "whole", "--judge", "llm", "--no-cache", "--reasons"))
        assert whole.code == 0, whole.err
        calls = server.count
        assert whole.json["calls"] == calls
        assert whole.json["counts"]["not run"] == whole.json["counts"]["failed"] == 0
        assert sum(part["games"] for part in whole.json["reasons"].values()) == whole.json["counts"]["games"]
        stopped = run(
            *words(benchmark, data, server, tmp_path / "out", "--judge", "llm", "--no-cache", "--budget", "12000tokens")
        )
        assert stopped.code == 3
        assert 0 < server.count - calls < calls
        resumed = run(*words(benchmark, data, server, tmp_path / "out", "--judge", "llm", "--no-cache"))
        assert resumed.code == 0, resumed.err
        assert server.count == 2 * calls
        again = run(*words(benchmark, data, server, tmp_path / "out", "--judge", "llm", "--no-cache"))
        assert server.count == 2 * calls
    assert files(tmp_path / "out") == files(tmp_path / "whole")
    for name in ("overall", "groups", "counts"):
        assert resumed.json[name] == again.json[name] == whole.json[name]
    assert KEY not in "".join(files(tmp_path / "out").values())


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_a_run_killed_and_resumed(benchmark: str, data: dict[str, list[str]], tmp_path: Path) -> None:
    def command(server: Any, out: str) -> list[str]:
        more = ("--judge", "llm", "--no-cache", "--concurrency", "2")
        return [sys.executable, "-m", "rationalerm", *words(benchmark, data, server, tmp_path / out, *more)]

    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    with FakeEndpoint(judge_answer, latency=0.05) as server:
        subprocess.run(command(server, "whole"), env=env, check=True, capture_output=True)
        calls = server.count
        process = subprocess.Popen(command(server, "out"), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while server.count < calls + 5 and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        process.wait()
        done = subprocess.run(command(server, "out"), env=env, check=True, capture_output=True)
        assert server.count <= 2 * calls + 4  # what was in flight, and what was not on disk yet
    assert files(tmp_path / "out") == files(tmp_path / "whole")
    assert json.loads(done.stdout)["counts"]["not run"] == 0


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_the_table_can_be_counted_again_from_the_records(
    benchmark: str, run: Run, data: dict[str, list[str]], tmp_path: Path
) -> None:
    """PD1: order, verdict and label are in each record; the records, given back as results, make the same table."""
    with FakeEndpoint(judge_answer) as server:
        said = run(*words(benchmark, data, server, tmp_path / "out", "--judge", "llm")).json
    rows = lines(tmp_path / "out" / "rows.jsonl")
    assert all({"id", "order", "verdict", "label", "status"} <= set(row) for row in rows)
    outputs = tmp_path / "records.jsonl"
    kept = ("id", "order", "verdict", "reasons")
    outputs.write_text("".join(json.dumps({name: row[name] for name in kept}) + "\n" for row in rows), "utf-8")
    again = run("bench", benchmark, "--judge", "file", "--outputs", outputs, "--json", *data[benchmark]).json
    for name in ("overall", "groups"):
        assert again[name] == said[name]
    for name in ("summary", "domains", "models", "difficulty"):
        assert again.get(name) == said.get(name)


def test_pd1_an_order_is_of_the_seed_and_the_id_alone(run: Run, data: dict[str, list[str]], tmp_path: Path) -> None:
    """PD1: other concurrency, rows shuffled, only the last rows, a fresh cache: each comparison is shown in the same order."""
    rows = json.loads(Path(data["rm-bench"][1]).read_text("utf-8"))

    def orders(name: str, some: list[Any], *more: str) -> dict[str, str]:
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(some), "utf-8")
        with FakeEndpoint(judge_answer) as server:
            used = {"rm-bench": ["--data", str(path), "--seed", "7"]}
            assert run(*words("rm-bench", used, server, tmp_path / name, "--judge", "llm", "--no-cache", *more)).code == 0
            shown = Counter(seen_responses(request.body) for request in server.requests)
        records = {row["id"]: row["order"] for row in lines(tmp_path / name / "rows.jsonl")}
        assert shown == Counter(
            (row["response1"], row["response2"])[:: 1 if records[row["id"]] == "AB" else -1]
            for row in lines(tmp_path / name / "contests.jsonl")
        )
        return records

    first = orders("first", rows, "--concurrency", "1")
    assert len(first) == 9 * len(rows)
    assert 0.3 < sum(order == "AB" for order in first.values()) / len(first) < 0.7
    assert orders("second", rows[::-1], "--concurrency", "16") == first
    last = orders("last", rows[-3:])
    assert last == {key: first[key] for key in last}


def test_pd2_always_the_first_place(run: Run, data: dict[str, list[str]], tmp_path: Path) -> None:
    """PD2: no win of a judge that always takes the first place; both its games stand apart from ties."""
    with FakeEndpoint(first_place_answer) as server:
        said = run(*words("judgebench", data, server, tmp_path / "out", "--judge", "llm")).json
    assert said["overall"]["score"] == 0.0
    assert (said["first_position_rate"], said["flip_rate"], said["consistent_wins"]) == (1.0, 1.0, 0.0)
    assert said["counts"]["ties"] == 0


def test_a_judge_that_fails_is_counted_apart(run: Run, data: dict[str, list[str]], tmp_path: Path) -> None:
    def answer(body: Any, n: int) -> Any:
        return server_error() if n % 3 == 0 else "Both are fine." if n % 3 == 1 else judge_answer(body, n)

    with FakeEndpoint(answer) as server:
        limits = ("--concurrency", "1", "--max-retries", "0", "--format-retries", "0", "--no-cache")
        ran = run(*words("judgebench", data, server, tmp_path / "out", "--judge", "llm", *limits))
    counts = ran.json["counts"]
    assert counts["failed"] == ran.json["failed_calls"] > 0
    assert counts["given"] + counts["none"] + counts["refused"] + counts["failed"] == counts["games"] == 18
    assert ran.json["answered"]["n"] < ran.json["overall"]["n"] == 9


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_a_scalar_judge(benchmark: str, run: Run, data: dict[str, list[str]], tmp_path: Path) -> None:
    with FakeScorer("vllm-classify") as server:
        ran = run(*words(benchmark, data, server, tmp_path / "out", "--judge", "scalar"))
        assert ran.code == 0, ran.err
        asked = len(server.requests)
        assert run(*words(benchmark, data, server, tmp_path / "out", "--judge", "scalar")).json["overall"] == ran.json["overall"]
        assert len(server.scored) <= asked * 32
    counts = ran.json["counts"]
    assert counts["not run"] == counts["failed"] == 0
    assert "flip_rate" not in ran.json
    scores = lines(tmp_path / "out" / "rows.jsonl")
    outputs = tmp_path / "scores.jsonl"
    outputs.write_text("".join(json.dumps({"id": row["id"], "score": row["score"]}) + "\n" for row in scores), "utf-8")
    again = run("bench", benchmark, "--judge", "file", "--outputs", outputs, "--json", *data[benchmark]).json
    assert again["overall"] == ran.json["overall"]
    assert again["groups"] == ran.json["groups"]


def test_a_policy_answers_first(run: Run, data: dict[str, list[str]], tmp_path: Path) -> None:
    def answer(body: Any, n: int) -> str:
        return "# Plan\n\n- first\n- **second**" if body["model"] == "policy" else judge_answer(body, n)

    with FakeEndpoint(answer) as server:
        args = words("arena-hard", data, server, tmp_path / "out", "--judge", "llm", "--policy", "policy")
        dry = run(*args, "--dry-run")
        assert dry.json["calls"] == 8
        assert server.count == 0
        ran = run(*args)
        assert ran.code == 0, ran.err
        assert server.count == 8 + 16
        assert run(*args).json["models"] == ran.json["models"]
        assert server.count == 8 + 16
    assert set(ran.json["models"]) == {"policy"}
    assert ran.json["models"]["policy"]["rows"] == 8
    assert "style_controlled" in ran.json["models"]["policy"]


def test_a_dry_run_sends_nothing(run: Run, data: dict[str, list[str]], tmp_path: Path) -> None:
    with FakeEndpoint(judge_answer) as server:
        calls = {
            name: run(*words(name, data, server, tmp_path / name, "--judge", "llm", "--dry-run")).json["calls"]
            for name in BENCHMARKS
        }
        assert server.count == 0
    assert calls == {"rm-bench": 72, "judgebench": 18, "helpsteer3": 18, "arena-hard": 16}


def test_the_data_from_the_hub_and_without_it(run: Run, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shared / "data" / "judgebench"
    outputs = folder / "outputs_arena_hard__o1-mini-2024-09-12.jsonl"
    args = ("bench", "judgebench", "--judge", "file", "--outputs", outputs, "--json")
    names = {"gpt": FILES["judgebench-gpt"], "claude": FILES["judgebench-claude"]}
    stored = {
        f"{file.repo}/{file.path}": Stored((folder / f"pairs_{split}.jsonl").read_bytes(), commit=file.revision)
        for split, file in names.items()
    }
    with FakeHub(stored, revisions=tuple({file.revision for file in names.values()})) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        first = run(*args)
        assert first.code == 0, first.err
        both = run(*args, "--split", "both").json
    assert first.json["groups"]["Knowledge"]["score"] == 100 * 45 / 77
    assert both["groups"] == first.json["groups"]
    assert both["counts"]["pairs"] == 620
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert run(*args).json == first.json
    missing = run("bench", "rm-bench", "--judge", "file", "--outputs", outputs)
    assert missing.code == 2
    assert missing.err.count("\n") == 1
    assert "--data" in missing.err


def test_the_page_of_a_benchmark_and_a_run_without_one(run: Run, data: dict[str, list[str]], tmp_path: Path) -> None:
    with FakeEndpoint(judge_answer) as server:
        for more in ((), ("--no-report",)):
            out = tmp_path / f"out {len(more)}"
            assert run(*words("judgebench", data, server, out, "--judge", "llm"), *more).code == 0
            assert (out / "report.html").exists() == (not more)
    head = read_page(tmp_path / "out 0" / "report.html").head
    assert head["benches"][0]["title"].startswith("judgebench")
