"""The command line: exit codes, one-line errors, JSON on stdout alone, pipes that close, no key anywhere."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rationalerm import cli

Run = Callable[..., Any]
Jsonl = Callable[..., Path]
COMMANDS = [module.__name__.rsplit(".", 1)[1] for module in cli._COMMANDS]

ROW = {
    "id": "a",
    "overall_preference": 1,
    "human-checklist": ["The sum 41 in Response 1 is wrong."],
    "m-generated_text": "- A's sum of 41 is wrong.\n\n[[B]]",
}


def one_line(ran: Any) -> str:
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("rationalerm: ")
    return str(ran.err)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(run: Run, command: str) -> None:
    ran = run(command, "--help")
    assert ran.code == 0
    assert f"rationalerm {command}" in ran.out.split("example:")[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_documented(command: str) -> None:
    docs = (Path(__file__).parents[2] / "docs" / "commands.md").read_text("utf-8")
    assert f"## `rationalerm {command}`" in docs


def test_every_option_is_documented() -> None:
    docs = (Path(__file__).parents[2] / "docs" / "commands.md").read_text("utf-8")
    parser = cli._parser()
    commands = next(action for action in parser._actions if hasattr(action, "choices") and action.choices)
    sections = {re.sub(r"[`]", "", part.split("\n")[0]).lower().replace(" ", "-"): part for part in docs.split("\n## ")[1:]}
    for name, sub in commands.choices.items():  # type: ignore[union-attr, attr-defined]
        section = sections[f"rationalerm-{name}"]
        section += "".join(sections[link] for link in re.findall(r"\(#([\w-]+)\)", section))  # options that commands share
        for action in sub._actions:
            for option in action.option_strings:
                assert option in ("-h", "--help") or f"`{option}" in section, f"{name} {option}"
        for part, inner in _inner(sub).items():
            told = section.split(f"### `{name} {part}`")[1].split("\n### ")[0] if f"### `{name} {part}`" in section else section
            for option in (option for action in inner._actions for option in action.option_strings):
                assert option in ("-h", "--help") or f"`{option}" in told, f"{name} {part} {option}"


def _inner(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The actions of a command that has some (`cache stats`, `train genrm`)."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(groups[0].choices) if groups else {}


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "required"),
        (["nonsense"], "invalid choice"),
        (["evaluate"], "required"),
        (["evaluate", "none.jsonl"], "none.jsonl: no such file"),
        (["evaluate", "."], ".: is a folder"),
        (["evaluate", "x", "--matcher", "magic"], "invalid choice"),
        (["evaluate", "x", "--top-k", "0"], "--top-k"),
        (["evaluate", "x", "--limit", "0"], "--limit"),
        (["evaluate", "x", "--label-map", "0"], "--label-map"),
        (["score", "none.jsonl"], "no such file"),
        (["parse", "none.jsonl"], "no such file"),
        (["evaluate", "x", "--jud", "m"], "unrecognized arguments"),
    ],
)
def test_wrong_use_is_one_line_and_2(run: Run, argv: list[str], said: str) -> None:
    assert said in one_line(run(*argv))


def test_op1_keys_are_never_taken_from_the_command_line_or_shown(run: Run) -> None:
    """OP1: --api-key is refused in one line that does not repeat the value."""
    for argv in (
        ["evaluate", "x", "--api-key", "sk-TEST-000"],
        ["score", "x", "--api-key=sk-TEST-000"],
        ["--api-key", "sk-TEST-000", "demo"],
    ):
        completed = subprocess.run([sys.executable, "-m", "rationalerm", *argv], capture_output=True, text=True)
        assert completed.returncode == 2
        assert "sk-TEST-000" not in completed.stdout + completed.stderr
        assert "environment only" in completed.stderr


@pytest.mark.parametrize("name", ["evaluate", "score", "parse"])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "Git LFS pointer"),
        (b"\xff\xfe{\x00", "UTF-16"),
        (b"not json\n", "row 1: is not JSON"),
        (b"[1]\n", "row 1"),
        (b'{"id": NaN}\n', "NaN"),
    ],
)
def test_bad_files_are_one_line_and_2(run: Run, tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(data)
    line = one_line(run(name, path))
    assert said in line
    assert "in.jsonl" in line


def test_op4_json_is_all_that_stdout_has(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    """OP4"""
    ran = run("evaluate", jsonl(ROW, {"bad": 1}), "--json", "--skip-bad", "--out", tmp_path / "run")
    assert ran.code == 0
    assert ran.json["judges"]["m"]["n"] == 1
    assert ran.json["bad_rows"] == 1


def test_df5_undefined_is_null(run: Run, jsonl: Jsonl) -> None:
    """DF5"""
    ran = run("evaluate", jsonl({**ROW, "human-checklist": [], "overall_preference": None}), "--json")
    judge = ran.json["judges"]["m"]
    assert (judge["rationale_consistency"], judge["rationale_consistency_n"], judge["outcome_accuracy"]) == (None, 0, None)


def test_op4_a_reader_that_closes_early_gets_no_trace(tmp_path: Path) -> None:
    """OP4"""
    path = tmp_path / "big.jsonl"
    path.write_text("".join(json.dumps({"text": "- a\n[[A]] " + "x" * 500}) + "\n" for _ in range(3000)))
    line = f"{sys.executable} -m rationalerm parse {path} | head -1"
    completed = subprocess.run(["bash", "-c", f"set -o pipefail; {line}"], capture_output=True, text=True)
    assert completed.stdout.count("\n") == 1
    assert completed.stderr == ""


def test_stdin_and_pipes(jsonl: Jsonl) -> None:
    data = jsonl(ROW).read_bytes()
    completed = subprocess.run([sys.executable, "-m", "rationalerm", "evaluate", "-", "--json"], input=data, capture_output=True)
    assert completed.returncode == 0
    assert json.loads(completed.stdout)["rows"] == 1
    broken = subprocess.run([sys.executable, "-m", "rationalerm", "evaluate", "-"], input=b"", capture_output=True, text=False)
    assert broken.stderr == b"rationalerm: stdin: is empty\n"


def test_parse_prints_a_line_each(run: Run, jsonl: Jsonl) -> None:
    path = jsonl({"id": 7, "text": "1. A is late.\n\n\\boxed{B>>A}"}, {"text": "[[A]]"}, {"text": "nothing here"}, {"text": None})
    ran = run("parse", path)
    got = [json.loads(line) for line in ran.out.splitlines()]
    assert got[0] == {
        "id": 7,
        "verdict": "B>>A",
        "side": 1,
        "strength": 2,
        "reasons": ["A is late."],
        "status": "given",
        "notes": got[0]["notes"],
    }
    assert (got[1]["verdict"], got[1]["side"], got[1]["strength"]) == ("A>B", -1, None)
    assert (got[2]["verdict"], got[2]["side"], got[2]["status"]) == (None, None, "none")
    assert got[3]["status"] == "failed"
    assert set(got[1]) == {"verdict", "side", "strength", "reasons", "status", "notes"}
    assert "no such field" in one_line(run("parse", jsonl({"output": "x"})))
    assert "is not a string" in one_line(run("parse", jsonl({"text": 3})))


def test_parse_takes_plain_text(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("- A is late.\n\n[[B>A]]\n")
    assert run("parse", path, "--text").json["verdict"] == "B>A"


def test_fail_under_rc(run: Run, jsonl: Jsonl) -> None:
    path = jsonl(ROW)
    assert run("evaluate", path, "--fail-under-rc", "0.1").code == 0
    ran = run("evaluate", jsonl({**ROW, "m-generated_text": "- B is nicer.\n\n[[B]]"}), "--fail-under-rc", "1", "--json")
    assert ran.code == 1
    assert "m: RC is" in ran.json["findings"][0]
    assert "under 1" in ran.err
    undefined = run("evaluate", jsonl({**ROW, "human-checklist": []}), "--fail-under-rc", "0")
    assert undefined.code == 1
    assert "not defined" in undefined.err


def test_baseline(run: Run, tmp_path: Path, jsonl: Jsonl) -> None:
    good = [{"id": k, "overall_preference": 1, "human-checklist": [f"Response 1 gets the sum {k}41 wrong."],
             "m-checklist": [f"Response 1 gets the sum {k}41 wrong."], "m-label": "B>A"} for k in range(12)]  # fmt: skip
    bad = [row | {"m-checklist": ["B looks nicer."]} for row in good]
    assert run("evaluate", jsonl(*good, name="good.jsonl"), "--out", tmp_path / "good").code == 0
    assert run("evaluate", jsonl(*bad, name="bad.jsonl"), "--out", tmp_path / "bad").code == 0
    worse = run("evaluate", tmp_path / "bad.jsonl", "--baseline", tmp_path / "good")
    assert worse.code == 1
    assert "m: RC fell from" in worse.err
    assert run("evaluate", tmp_path / "good.jsonl", "--baseline", tmp_path / "bad").code == 0
    assert "no run.json" in one_line(run("evaluate", tmp_path / "good.jsonl", "--baseline", tmp_path / "none"))
    lexical = run("evaluate", tmp_path / "good.jsonl", "--baseline", tmp_path / "good", "--matcher", "lexical")
    assert "run it again with the same" in one_line(lexical)


def test_codes_of_judges_and_of_the_human(run: Run, jsonl: Jsonl) -> None:
    rows = [{"id": k, "label": k % 2, "human-checklist": ["x"], "m-checklist": [], "m-choice": 1 + k % 2} for k in range(4)]
    argv = ["--judge-label-field", "{judge}-choice", "--label-map", "0=A,1=B", "--judge-label-map", "1=A,2=B", "--json"]
    assert run("evaluate", jsonl(*rows), *argv).json["judges"]["m"]["outcome_accuracy"] == 1.0
    assert "--judge-label-map" in one_line(run("evaluate", jsonl(*rows), *argv[:4]))


def test_a_judge_that_comes_up_later_is_not_left_out_in_silence(run: Run, jsonl: Jsonl) -> None:
    path = jsonl(ROW, {**ROW, "id": "b", "late-generated_text": "[[A]]"})
    assert "row 2: has a judge 'late' that the first row has not" in one_line(run("evaluate", path))
    assert run("evaluate", path, "--judge", "m").code == 0


def test_the_ceiling_of_long_human_lists_is_said(run: Run, jsonl: Jsonl) -> None:
    row = {**ROW, "human-checklist": [f"The sum {k}1 in Response 1 is wrong." for k in range(1, 21)]}
    assert "RC can't exceed 0.25" in run("evaluate", jsonl(row)).out
    assert "can't exceed" not in run("evaluate", jsonl(row), "--top-k", "none").out


def test_baseline_against_itself_lost_judges_and_other_cuts(run: Run, tmp_path: Path, jsonl: Jsonl) -> None:
    good = [{"id": k, "context": str(k), "overall_preference": 1, "human-checklist": [f"Response 1 gets the sum {k}41 wrong."],
             "m-checklist": [f"Response 1 gets the sum {k}41 wrong."], "m-label": "B>A"} for k in range(12)]  # fmt: skip
    path, out = jsonl(*good), tmp_path / "run"
    assert run("evaluate", path, "--out", out).code == 0
    jsonl(*(row | {"m-checklist": ["B looks nicer."]} for row in good))
    assert (
        "m: RC fell from" in run("evaluate", path, "--out", out, "--baseline", out).err
    )  # one folder: read before it is written
    jsonl(*good)
    run("evaluate", path, "--out", out)
    jsonl(*(row | {"m-error": "HTTP 500"} for row in good))
    lost = run("evaluate", path, "--baseline", out)
    assert lost.code == 1
    assert "m: RC was there on 12 rows and is now not defined on any" in lost.err
    assert "OA with missing verdicts as wrong fell" in lost.err
    assert "top-k none; run it again" in one_line(run("evaluate", path, "--baseline", out, "--top-k", "none"))
    jsonl(*(row | {"context": "another prompt"} for row in good))
    assert "no judge and row in common" in one_line(run("evaluate", path, "--baseline", out))
    jsonl(*good[:5])
    assert "m: only 5 of the 12 rows there are in this run" in run("evaluate", path, "--baseline", out).err
    jsonl(*({key.replace("m-", "n-"): value for key, value in row.items()} for row in good))
    assert "m: was there, and is not in this run" in run("evaluate", path, "--baseline", out).err
    (out / "rows.jsonl").unlink()
    assert "that run is not finished" in one_line(run("evaluate", path, "--baseline", out))
    assert "no run.json" in one_line(run("evaluate", path, "--baseline", ""))


@pytest.mark.parametrize(
    "argv",
    [
        ["--fail-under-rc", "nan"],
        ["--fail-under-rc", "30"],
        ["--s-corr", "nan"],
        ["--s-corr", "-1"],
        ["--out", ""],
        ["--fail-under-rc", "x"],
    ],
)
def test_values_out_of_range(run: Run, jsonl: Jsonl, argv: list[str]) -> None:
    one_line(run("evaluate", jsonl(ROW), *argv))


@pytest.mark.parametrize("command", ["evaluate", "demo"])
def test_a_closed_pipe_is_no_failure_of_the_table_either(jsonl: Jsonl, command: str) -> None:
    argv = f"{sys.executable} -m rationalerm {command}" + (f" {jsonl(ROW)}" if command == "evaluate" else "")
    done = subprocess.run(["bash", "-c", f"{argv} | true; exit ${{PIPESTATUS[0]}}"], capture_output=True, text=True)
    progress = r"[\d/]+ [a-z' ]+, \d+/s(, \d+ s left)?"  # of a busy machine
    assert (done.returncode, [line for line in done.stderr.splitlines() if not re.fullmatch(progress, line)]) == (0, [])


def test_closed_streams_and_small_character_sets(jsonl: Jsonl) -> None:
    path = jsonl({**ROW, "模型-generated_text": "[[B]]"})
    plain = subprocess.run(
        [sys.executable, "-m", "rationalerm", "evaluate", path],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
    )
    assert (plain.returncode, plain.stderr) == (0, b"")
    assert b"\\u6a21\\u578b" in plain.stdout
    for closed in ("<&-", ">&-", "2>&-"):
        target = "-" if closed == "<&-" else path
        done = subprocess.run(
            ["bash", "-c", f"{sys.executable} -m rationalerm evaluate {target} --json {closed}"], capture_output=True, text=True
        )
        assert "Traceback" not in done.stderr
        assert done.returncode == (2 if closed == "<&-" else 0)


def test_the_table_is_for_people(run: Run, jsonl: Jsonl) -> None:
    ran = run("evaluate", jsonl(ROW, {**ROW, "id": "b", "m-generated_text": "It depends."}), "--domains")
    assert "OA [95%]" in ran.out
    assert "no verdict in 1 (1 none" in ran.out


def test_no_secret_environment_value_is_stored(jsonl: Jsonl, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """OP1"""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-TEST-111-not-real")
    ran = run("evaluate", jsonl(ROW), "--out", tmp_path / "run")
    stored = b"".join(p.read_bytes() for p in (tmp_path / "run").iterdir())
    assert b"sk-TEST-111" not in stored + ran.out.encode() + ran.err.encode()
