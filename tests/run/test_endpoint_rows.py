"""`match` and `evaluate --matcher llm` over the fake endpoint: rows, resume, repeats, import, audit, checks before paying."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from endpoint import Answered, FakeEndpoint, best_answer, judge_answer, matrix_answer, no_model
from rationalerm import LLMMatcher, evaluate

Run = Callable[..., Any]
Jsonl = Callable[..., Path]
J = ("--judge", "j", "--model", "m")


def pair(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"r{number}",
        "context": f"question {number}",
        "response1": "one",
        "response2": "two",
        "overall_preference": -1 if number % 2 else 2,
        "human-checklist": [f"Response 1 omits item {number}.", f"Response 2 is wrong on {7 * number}."],
        "j-checklist": [f"A leaves out item {number}.", f"B errs on {7 * number}."],
        "j-label": "A>B",
        **more,
    }


def reasons_of(body: dict[str, Any]) -> str:
    """The turn with the two lists; the turns behind it ask again."""
    return str(next(turn["content"] for turn in body["messages"] if turn["role"] == "user"))


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-real")
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def ask(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    def call(server: FakeEndpoint, *argv: str | Path) -> Any:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        return run(*argv)

    return call


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def files_of(out: Path) -> dict[str, bytes]:
    """What a run leaves but for what it used and when, and where it lies (which its page says)."""
    own = ("usage.jsonl", "run.json", "report.html")
    return {file.name: file.read_bytes() for file in sorted(out.iterdir()) if file.name not in own}


@pytest.mark.parametrize("concurrency", [1, 3, 10])
def test_result_i_belongs_to_row_i_whatever_comes_first(ask: Run, jsonl: Jsonl, tmp_path: Path, concurrency: int) -> None:
    """RC3: answers come in the reverse order; each score is its row's, and the files are in the order of the input."""

    def answer(body: dict[str, Any], n: int) -> Answered:
        number = int(reasons_of(body).split("omits item ")[1].split(".")[0])
        score = (0, 0.25, 0.5, 0.75, 1)[number % 5]
        text = f"<RESULT_START>\n- R1@S{1 if score else 0}: {score}\n- R2@S0: 0\n<RESULT_END>"
        return Answered(text, delay=(9 - number) * 0.02)

    path = jsonl(*(pair(i) for i in range(10)))
    with FakeEndpoint(answer) as server:
        ran = ask(server, "match", path, *J, "--out", tmp_path / "out", "--concurrency", str(concurrency))
    assert ran.code == 0, ran.err
    rows = rows_of(tmp_path / "out" / "rows.jsonl")
    assert [row["id"] for row in rows] == [f"r{i}" for i in range(10)]
    assert [row["recall"] for row in rows] == [(0, 0.25, 0.5, 0.75, 1)[i % 5] / 2 for i in range(10)]
    assert [row["id"] for row in rows_of(tmp_path / "out" / "matches.jsonl")] == [f"r{i}" for i in range(10)]
    assert server.peak <= concurrency


def test_the_same_command_resumes_and_redoes_failures_only(ask: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    """RC2: a failed row is in failures.jsonl, not in matches.jsonl, and is asked again; the others are not."""
    path, out = jsonl(*(pair(i) for i in range(6))), tmp_path / "out"
    argv = ("match", path, *J, "--out", out)

    def bad(body: dict[str, Any], n: int) -> str:
        return "no block" if "omits item 3." in reasons_of(body) else best_answer(body)

    with FakeEndpoint(bad) as server:
        ran = ask(server, *argv, "--json")
        assert ran.code == 0
        assert ran.json["judges"]["j"]["counts"]["matcher failed"] == 1
        assert ran.json["judges"]["j"]["failures"] == {"unparsed": 1}
        assert len(server.requests) == 5 + 3  # asked again twice, with what was wrong
        (failure,) = rows_of(out / "failures.jsonl")
        assert (failure["id"], failure["category"], failure["calls"]) == ("r3", "unparsed", 3)
        assert "r3" not in {row["id"] for row in rows_of(out / "matches.jsonl")}
        assert next(row for row in rows_of(out / "rows.jsonl") if row["id"] == "r3")["recall"] is None
    with FakeEndpoint(lambda body, n: best_answer(body)) as server:
        ran = ask(server, *argv, "--json")
        assert len(server.requests) == 1
        assert ran.json["judges"]["j"]["counts"]["matcher failed"] == 0
        assert rows_of(out / "failures.jsonl") == []
        resumed = files_of(out)
        assert ask(server, *argv).code == 0
        assert len(server.requests) == 1
        assert files_of(out) == resumed
        fresh = ask(server, "match", path, *J, "--out", tmp_path / "new", "--no-cache")
        assert fresh.code == 0
    assert files_of(tmp_path / "new") == resumed


def test_too_many_failed_rows_are_a_finding(ask: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl(*(pair(i) for i in range(10)))

    def bad(body: dict[str, Any], n: int) -> str:
        return "no block" if "omits item 3." in reasons_of(body) else best_answer(body)

    argv = ("match", path, *J, "--format-retries", "0")
    with FakeEndpoint(bad) as server:
        assert ask(server, *argv, "--out", tmp_path / "a", "--max-failed", "10%").code == 0
        ran = ask(server, *argv, "--out", tmp_path / "b", "--max-failed", "5%")
    assert ran.code == 1
    assert "1 of 10 rows failed, over --max-failed 5.00%" in ran.err
    with FakeEndpoint(lambda body, n: "never a block") as server:
        assert ask(server, *argv, "--out", tmp_path / "c").code == 1  # all failed


@pytest.mark.parametrize("where", ["file", "stdin"])
@pytest.mark.parametrize(
    ("last", "line"),
    [
        (pair(0), "row 6, field 'id': id 'r0' is in row 1 too"),
        (pair(9) | {"human-checklist": "one string"}, "row 6, field 'human-checklist': is a string, not a list"),
    ],
)
def test_bad_rows_are_found_before_the_first_paid_call(
    ask: Run, jsonl: Jsonl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, last: dict[str, Any], line: str
) -> None:
    path = jsonl(*(pair(i) for i in range(5)), last)
    source: str | Path = path
    if where == "stdin":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
        source = "-"
    with FakeEndpoint(lambda body, n: best_answer(body)) as server:
        ran = ask(server, "match", source, *J, "--out", tmp_path / "out")
        assert ran.code == 2
        assert line in ran.err
        assert len(ran.err.splitlines()) == 1
        assert server.requests == []


def test_stdin_resumes(ask: Run, jsonl: Jsonl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = jsonl(*(pair(i) for i in range(4)))
    with FakeEndpoint(lambda body, n: best_answer(body)) as server:
        for _ in range(2):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
            assert ask(server, "match", "-", *J, "--out", tmp_path / "out", "--no-cache").code == 0
        assert len(server.requests) == 4


@pytest.mark.parametrize(
    "change",
    [("--model", "other"), ("--mode", "matrix"), ("--temperature", "1"), ("--seed", "4"), ("--extra-body", '{"top_p": 0.5}')],
)
def test_two_configurations_are_never_mixed(ask: Run, jsonl: Jsonl, tmp_path: Path, change: tuple[str, str]) -> None:
    path = jsonl(pair(1))
    argv = ["match", str(path), "--judge", "j", "--out", str(tmp_path / "out"), "--model", "m"]
    with FakeEndpoint(lambda body, n: best_answer(body)) as server:
        assert ask(server, *argv).code == 0
        before = files_of(tmp_path / "out")
        ran = ask(server, *argv, *change)
        assert ran.code == 2
        assert "give --out another folder" in ran.err
        assert files_of(tmp_path / "out") == before
        assert ask(server, *argv, "--concurrency", "2", "--max-retries", "1", "--rpm", "6000").code == 0  # no such thing
        assert len(server.requests) == 1


def test_repeats_give_the_matchers_own_noise(ask: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    """PD4: 0.5 on odd calls and 0.75 on even ones for the same prompt; mean and spread a row and for the total."""
    seen: dict[str, int] = {}

    def answer(body: dict[str, Any], n: int) -> str:
        text = reasons_of(body)
        seen[text] = seen.get(text, 0) + 1
        score = 0.5 if seen[text] % 2 else 0.75
        return f"<RESULT_START>\n- R1@S1: {score}\n- R2@S2: {score}\n<RESULT_END>"

    more = {"k-checklist": ["A leaves it out.", "B errs."], "k-label": "A>B"}
    path, out = jsonl(*(pair(i, **more) for i in range(6))), tmp_path / "out"
    argv = ("match", path, "--model", "m", "--out", out, "--repeats", "5", "--concurrency", "1")
    with FakeEndpoint(answer) as server:
        ran = ask(server, *argv, "--json")
        assert ran.code == 0
        assert len(server.requests) == 6 * 2 * 5
        again = ask(server, *argv)
        assert len(server.requests) == 6 * 2 * 5  # a table does not change when it is printed again
    noise = ran.json["noise"]["j"]
    assert noise["repeats"] == 5
    assert ran.json["judges"]["j"]["rationale_consistency"] == pytest.approx(0.6)
    assert noise["row_sd"] == pytest.approx(0.1369306)
    assert noise["sd"] > 0
    row = rows_of(out / "rows.jsonl")[0]
    assert sorted(row["recall_repeats"]) == [0.5, 0.5, 0.5, 0.75, 0.75]
    assert row["recall"] == pytest.approx(0.6)
    assert "the matcher's own noise" in again.out
    assert "does not exceed the matcher's own noise" in " ".join(again.out.split())
    assert not again.err.startswith("Traceback")


def test_matrix_scores_every_pair(ask: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    """Two human reasons whose best reason is the same one: `matrix` knows the second best, so the optimum is the real one."""
    text = "<RESULT_START>\n- R1@S1: 1\n- R1@S2: 0.75\n- R2@S1: 1\n<RESULT_END>"
    with FakeEndpoint(lambda body, n: text) as server:
        ran = ask(server, "match", jsonl(pair(1)), *J, "--out", tmp_path / "o", "--mode", "matrix", "--json")
    assert ran.json["judges"]["j"]["rationale_consistency"] == pytest.approx(1.75 / 2)
    with FakeEndpoint(lambda body, n: matrix_answer(body)) as server:
        assert ask(server, "match", jsonl(pair(1)), *J, "--out", tmp_path / "p", "--mode", "matrix").code == 0


def test_only_the_first_k_reasons_are_shown(ask: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl(pair(1, **{"j-checklist": [f"A errs on point {k}." for k in range(9)]}))
    with FakeEndpoint(lambda body, n: best_answer(body)) as server:
        assert ask(server, "match", path, *J, "--out", tmp_path / "o", "--top-k", "3").code == 0
        assert "S3: " in reasons_of(server.requests[0].body)
        assert "S4: " not in reasons_of(server.requests[0].body)


def test_dry_run_sends_nothing(ask: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    path, out = jsonl(*(pair(i) for i in range(4))), tmp_path / "out"
    argv = ("match", path, *J, "--out", out)
    with FakeEndpoint(lambda body, n: best_answer(body)) as server:
        ran = ask(server, *argv, "--dry-run", "--json", "--price-in", "1", "--price-out", "2")
        assert (ran.code, ran.json["rows"], ran.json["calls"]) == (0, 4, 4)
        assert ran.json["cost"] == pytest.approx((ran.json["prompt_tokens"] + 2 * ran.json["completion_tokens"]) / 1e6)
        assert not out.exists()
        assert server.requests == []
        assert "cost unknown" in ask(server, *argv, "--dry-run").out
        ask(server, *argv)
        real = rows_of(out / "usage.jsonl")[-1]
        assert 0.5 < ran.json["prompt_tokens"] / real["prompt_tokens"] < 2
        assert ask(server, *argv, "--dry-run", "--json").json["calls"] == 0  # all finished


def released_row(row: dict[str, Any], text: str) -> dict[str, Any]:
    lines = [f"R{k}: {r}" for k, r in enumerate(row["human-checklist"], 1)] + [
        f"S{k}: {r}" for k, r in enumerate(row["j-checklist"], 1)
    ]
    return {"prompt": "\n".join(lines), "samples": [{"generated_text": text}], "status": "success", "metadata": row}


def test_imported_rows_are_not_paid_for_again(ask: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    rows = [pair(i) for i in range(5)]
    text = "<RESULT_START>\n- R1@S1: 1\n- R2@S0: 0\n<RESULT_END>"
    done = jsonl(released_row(rows[0], text), released_row(rows[1], "no block"), released_row(rows[2], text), name="done.jsonl")
    with FakeEndpoint(lambda body, n: best_answer(body)) as server:
        ran = ask(server, "match", jsonl(*rows), *J, "--out", tmp_path / "out", "--import", done, "--json")
        assert ran.code == 0, ran.err
        assert len(server.requests) == 3  # the unread one is asked for
    assert ran.json["usage"]["imported"] == 2
    evaluators = {row["id"]: row["evaluator"] for row in rows_of(tmp_path / "out" / "matches.jsonl")}
    assert evaluators == {"r0": "unknown", "r1": "llm", "r2": "unknown", "r3": "llm", "r4": "llm"}


def test_audit_by_a_second_evaluator(ask: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl(*(pair(i) for i in range(30)))
    argv = ("evaluate", path, "--judge", "j", "--audit", "8", "--model", "m")
    with FakeEndpoint(lambda body, n: best_answer(body)) as server:
        ran = ask(server, *argv, "--out", tmp_path / "out", "--json")
        assert ran.code == 0, ran.err
        assert len(server.requests) == 8
        first = {r.prompt for r in server.requests}
        assert ran.json["audit"]["b"]["evaluator"].startswith("llm m best")
        table = ask(server, *argv, "--out", tmp_path / "two", "--no-cache")
        assert {r.prompt for r in server.requests[8:]} == first  # the same games in every run
    assert len(rows_of(tmp_path / "out" / "audit.jsonl")) == 8
    assert "this run" in table.out
    assert "the audit" in table.out


def test_audit_of_an_llm_by_the_embedded_matcher(ask: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl(*(pair(i) for i in range(12)))
    with FakeEndpoint(lambda body, n: best_answer(body)) as server:
        ran = ask(server, "match", path, *J, "--out", tmp_path / "a")
        assert ran.code == 0
        ran = ask(server, "evaluate", path, "--judge", "j", "--matcher", "llm", "--model", "m", "--audit", "5", "--json")
        assert len(server.requests) == 12  # the rest from the cache
    assert ran.json["audit"]["b"]["evaluator"].startswith("embedded")


def test_usable_inside_a_running_event_loop(jsonl: Jsonl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    path = jsonl(*(pair(i) for i in range(4)))
    with FakeEndpoint(lambda body, n: best_answer(body)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)

        async def inside() -> Any:
            return evaluate(path, ["j"], LLMMatcher("m"), tmp_path / "out")

        summary = asyncio.run(inside())
    assert summary.judges["j"].counts["scored"] == 4


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (("evaluate", "IN", "--matcher", "llm"), "no model; name it with --model"),
        (("match", "IN", "--model", "m"), "--out DIR is missing"),
        (("match", "IN", "--model", "m", "--out", "o", "--concurrency", "0"), "--concurrency is 0; give 1 or more"),
        (("match", "IN", "--model", "m", "--out", "o", "--budget", "5"), "--budget in currency needs --price-in and --price-out"),
        (("match", "IN", "--model", "m", "--out", "o", "--price-in", "5"), "--price-in and --price-out go together"),
        (("match", "IN", "--model", "m", "--out", "o", "--extra-body", "[1]"), "--extra-body"),
        (("match", "IN", "--model", "m", "--out", "o", "--base-url", "http://u:p@h/v1"), "put such a URL into OPENAI_BASE_URL"),
        (
            ("match", "IN", "--model", "m", "--out", "o", "--api-key-env", "NOT_THERE"),
            "--api-key-env names a variable that is not set",
        ),
        (("evaluate", "IN", "--repeats", "3"), "--repeats is for --matcher llm"),
        (("evaluate", "IN", "--audit", "3", "--audit-matcher", "embedded"), "is the matcher of the run"),
        (("evaluate", "IN", "--dry-run"), "--dry-run is for --matcher llm"),
    ],
)
def test_wrong_use_is_one_line(run: Run, jsonl: Jsonl, argv: tuple[str, ...], line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    path = jsonl(pair(1))
    ran = run(*(path if word == "IN" else word for word in argv))
    assert ran.code == 2
    assert line in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_a_dead_endpoint_is_one_line_and_stops_the_run(
    run: Run, jsonl: Jsonl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    start = time.monotonic()
    ran = run(
        "match",
        jsonl(*(pair(i) for i in range(50))),
        *J,
        "--out",
        tmp_path / "o",
        "--max-retries",
        "1",
    )
    assert ran.code == 3
    assert "can't connect to http://127.0.0.1:9/v1" in ran.err
    assert time.monotonic() - start < 10


def test_silence_is_a_zero_and_costs_nothing(ask: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    """A judge without reasons scores 0; a judge that failed is not scored; neither is asked about."""
    rows = [pair(0, **{"j-checklist": []}), pair(1, **{"j-checklist": None, "j-label": None, "j-error": "timeout"}), pair(2)]
    with FakeEndpoint(lambda body, n: best_answer(body)) as server:
        ran = ask(server, "match", jsonl(*rows), *J, "--out", tmp_path / "out", "--json")
        assert len(server.requests) == 1
    counts = ran.json["judges"]["j"]["counts"]
    assert (counts["scored"], counts["no reasons"], counts["no answer"]) == (2, 1, 1)
    assert [row["recall"] for row in rows_of(tmp_path / "out" / "rows.jsonl")][:2] == [0.0, None]


def test_chance_level_where_it_is_asked_for(ask: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    def answer(body: dict[str, Any], n: int) -> str:
        numbers = [line.split()[-1].strip(".") for line in reasons_of(body).splitlines() if line.startswith(("R1: ", "S1: "))]
        score = 1 if numbers[0] == numbers[1] else 0
        return f"<RESULT_START>\n- R1@S{score}: {score}\n- R2@S0: 0\n<RESULT_END>"

    with FakeEndpoint(answer) as server:
        ran = ask(
            server, "match", jsonl(*(pair(i) for i in range(6))), *J, "--out", tmp_path / "o",
            "--chance", "6", "--json",
        )  # fmt: skip
        assert len(server.requests) == 12
    assert ran.json["chance"]["j"] == 0.0
    assert ran.json["judges"]["j"]["rationale_consistency"] == 0.5


def test_a_mistyped_model_does_not_lock_the_directory(ask: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    path, out = jsonl(*(pair(i) for i in range(3))), tmp_path / "out"

    def answer(body: dict[str, Any], n: int) -> Answered | str:
        return best_answer(body) if body["model"] == "m" else no_model()

    with FakeEndpoint(answer) as server:
        wrong = ask(server, "match", path, "--judge", "j", "--model", "mm", "--out", out)
        assert wrong.code == 3
        assert "name the model as the server does" in wrong.err
        assert ask(server, "match", path, *J, "--out", out).code == 0
    assert {row["evaluator_version"].split()[0] for row in rows_of(out / "matches.jsonl")} == {"m"}
    assert rows_of(out / "failures.jsonl") == []


def test_the_forecast_counts_chance_and_audit(ask: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl(*(pair(i) for i in range(9)))
    with FakeEndpoint(lambda body, n: best_answer(body)) as server:
        more = ("--chance", "4", "--repeats", "2", "--dry-run", "--json")
        assert ask(server, "match", path, *J, "--out", tmp_path / "o", *more).json["calls"] == 22
        audit = ask(server, "evaluate", path, *J, "--audit", "5", "--dry-run", "--json")
        assert (audit.json["calls"], server.requests) == (5, [])


def test_a_judges_run_is_named_as_such(ask: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    path, out = jsonl({k: v for k, v in pair(1).items() if not k.startswith("j-")}), tmp_path / "judged"
    with FakeEndpoint(lambda body, n: judge_answer(body)) as server:
        assert ask(server, "judge", path, "--model", "m", "--out", out).code == 0
        for argv in (("score", out), ("agree", out, out), ("export", out, "--released", "--out", tmp_path / "x")):
            ran = ask(server, *argv)
            assert ran.code == 2
            assert "holds a judge's answers, not matched yet" in ran.err


def test_a_matcher_that_goes_away_leaves_nothing_open(jsonl: Jsonl, tmp_path: Path) -> None:
    """Sync and async use of one matcher, then the end of the process: not a word on stderr."""
    with FakeEndpoint(lambda body, n: best_answer(body)) as server:
        code = (
            "import asyncio, gc; from rationalerm import LLMMatcher; m = LLMMatcher('m')\n"
            "asyncio.run(m.amatch(['a'], ['b'])); m.match(['c'], ['d']); del m; gc.collect()\n"
            "LLMMatcher('m').match(['e'], ['f']); kept = LLMMatcher('m'); kept.match(['g'], ['h'])"
        )
        env = os.environ | {"OPENAI_BASE_URL": server.url}
        done = subprocess.run([sys.executable, "-W", "always", "-c", code], env=env, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
