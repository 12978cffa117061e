"""`agree` and `export` as commands: tables, JSON, one line for wrong use."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rationalerm
from rationalerm import cli
from rationalerm.commands import agree, export

Run = Callable[..., Any]
SAMPLE = Path(rationalerm.__file__).parent / "sample" / "pairs.jsonl"


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = tuple(module for module in (agree, export) if module not in cli._COMMANDS)
    monkeypatch.setattr(cli, "_COMMANDS", (*cli._COMMANDS, *missing))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    for matcher in ("fast", "lexical"):
        rationalerm.evaluate(SAMPLE, (), matcher, folder / matcher)
    return folder / "fast", folder / "lexical"


def test_agree_on_the_sample(run: Run, runs: tuple[Path, Path]) -> None:
    ran = run("agree", *runs)
    assert (ran.code, ran.err) == (0, "")
    for words in (
        f"A: {runs[0]} (fast",
        f"B: {runs[1]} (lexical",
        "paper scoring, top-k 5; 95% intervals over prompts",
        "RC by A [95%]",
        "R^2, B on A",
        "RMSE of that line",
        "kappa of matched at 0.5 or more",
        "8 common rows left out (both: no answer).",
        "8 rows without model reasons, 0 for any evaluator: in the means over judges only.",
        "3 judges",
    ):
        assert words in ran.out, words
    assert "nan" not in ran.out.lower()


def test_agree_json(run: Run, runs: tuple[Path, Path]) -> None:
    ran = run("agree", *runs, "--json", "--judge", "checks", "--metric", "average_precision")
    assert (ran.code, ran.err) == (0, "")
    got = ran.json
    assert (got["metric"], got["scoring"], got["top_k"], got["joined_by"]) == ("average_precision", "paper", 5, "id")
    assert list(got["judges"]) == ["checks"]
    assert got["judges"]["checks"]["a"]["n"] == 68
    assert got["over_judges"]["r2"] == {"value": None, "ci": None, "n": 1, "why": "needs 3 judges or more, there is 1"}
    low, high = got["over_rows"]["pearson"]["ci"]
    assert low < got["over_rows"]["pearson"]["value"] < high
    assert got["sentences"][0] == "With 1 judge it can't be told whether B ranks judges as A does."


def test_agree_in_a_narrow_terminal(run: Run, runs: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rationalerm.report.terminal._PIPE_WIDTH", 40)
    ran = run("agree", *runs)
    assert "  RC by A [95%]: 0." in ran.out


def test_agree_wrong_use(run: Run, runs: tuple[Path, Path], tmp_path: Path) -> None:
    ran = run("agree", runs[0], tmp_path / "none")
    assert (ran.code, ran.out, ran.err) == (2, "", f"rationalerm: {tmp_path / 'none'}: no such file\n")
    ran = run("agree", *runs, "--judge", "nobody")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "--judge nobody: not in" in ran.err
    assert run("agree", *runs, "--metric", "oa").code == 2
    assert run("agree", runs[0]).code == 2


def test_export_and_back(run: Run, runs: tuple[Path, Path], tmp_path: Path) -> None:
    ran = run("export", "--released", runs[0], "--out", tmp_path / "files")
    assert (ran.code, ran.err) == (0, "")
    assert (
        f"noisy: 68 rows in {tmp_path / 'files' / 'noisy.jsonl'} (8 of them failures; 1 without human reasons left out)"
        in ran.out
    )
    assert "scores are not their human reason's best" in ran.out
    assert "hold their lists and no more" not in ran.out.replace("noisy", "")
    theirs = run("score", tmp_path / "files", "--json").json["judges"]
    ours = json.loads((runs[0] / "summary.json").read_text())["judges"]
    for judge, values in theirs.items():
        assert values["n"] == ours[judge]["rationale_consistency_n"]
        assert values["recall"] == pytest.approx(ours[judge]["rationale_consistency"], abs=0.01)
    assert run("agree", runs[0], tmp_path / "files", "--json").json["over_rows"]["pearson"]["value"] > 0.99


def test_export_wrong_use(run: Run, runs: tuple[Path, Path], tmp_path: Path) -> None:
    ran = run("export", "--released", runs[0], "--out", tmp_path / "one.jsonl")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "the run has 3 judges; name one with --judge" in ran.err
    assert run("export", "--released", runs[0], "--out", tmp_path / "one.jsonl", "--judge", "checks", "--order", "AB").code == 0
    ran = run("export", "--released", tmp_path, "--out", tmp_path / "x")
    assert (ran.code, ran.err) == (2, f"rationalerm: {tmp_path}: no run.json there; name the --out folder of evaluate or match\n")
    assert run("export", "--out", tmp_path / "x").code == 2
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("command", ["agree", "export"])
def test_help(run: Run, command: str) -> None:
    ran = run(command, "--help")
    assert ran.code == 0
    assert f"example:\n  rationalerm {command}" in ran.out
