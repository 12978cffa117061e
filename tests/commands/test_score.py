"""`score`: results files, folders of them, run directories, both scorings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Run = Callable[..., Any]
Jsonl = Callable[..., Path]


def answer(*lines: str) -> str:
    return "<RESULT_START>\n" + "\n".join(lines) + "\n<RESULT_END>"


def result(text: str | None, human: list[str], prompt: str | None = None, **lists: Any) -> dict[str, Any]:
    metadata = {"human-checklist": human} | {f"{name}-checklist": value for name, value in lists.items()}
    first = next(iter(lists.values()), [])
    if prompt is None:
        prompt = "\n".join(f"S{k}: {reason}" for k, reason in enumerate(first, 1)) if isinstance(first, list) else ""
    samples = [] if text is None else [{"generated_text": text}]
    return {"prompt": prompt, "samples": samples, "status": "success", "metadata": metadata}


def test_me1_both_scorings(run: Run, jsonl: Jsonl) -> None:
    """ME1"""
    path = jsonl(result(answer("- R1@S1: 1.00", "- R2@S1: 1.00"), ["a", "b"], m=["x"]))
    paper = run("score", path, "--json").json["judges"]["m"]
    assert (paper["recall"], paper["precision"], paper["n"]) == (0.5, 1.0, 1)
    released = run("score", path, "--json", "--scoring", "released").json
    assert released["scoring"] == "released"
    assert released["judges"]["m"]["recall"] == 1.0


def test_me2_total_is_the_sum(run: Run, jsonl: Jsonl) -> None:
    """ME2: scored, empty, over-long, failed."""
    path = jsonl(
        result(answer("- R1@S1: 1"), ["a"], m=["x"]),
        result(None, ["a"], m=[]),
        result(answer("- R1@S11: 1"), ["a"], m=[f"x{k}" for k in range(11)]),
        result(None, ["a"], m=["x"]),
    )
    paper = run("score", path, "--json").json["judges"]["m"]
    assert (paper["total"], paper["n"], paper["errors"], paper["skipped"], paper["empty"]) == (4, 3, 1, 0, 1)
    assert paper["recall"] == pytest.approx(1 / 3)
    released = run("score", path, "--json", "--scoring", "released").json["judges"]["m"]
    assert (released["total"], released["n"], released["errors"], released["skipped"]) == (4, 1, 2, 1)
    longer = run("score", path, "--json", "--scoring", "released", "--max-checklist-len", "11").json["judges"]["m"]
    assert (longer["n"], longer["skipped"]) == (2, 0)


def test_full_precision_means_and_population_deviations(run: Run, jsonl: Jsonl) -> None:
    values = [0.25, 0.5, 1.0, 0.75, 0.1, 0.3]
    path = jsonl(*(result(answer(f"- R1@S1: {v}"), ["a"], m=["x", "y", "z"]) for v in values))
    got = run("score", path, "--json").json["judges"]["m"]
    assert got["recall"] == float(np.mean(values))
    assert got["recall_std"] == float(np.std(values))
    assert got["precision_std"] == pytest.approx(float(np.std(values)) / 3)


def test_which_judge_was_matched(run: Run, jsonl: Jsonl) -> None:
    lists = {"m": ["x", "y"], "n": ["u"], "other": ["x", "z"]}
    shown = result(answer("- R1@S1: 1"), ["a"], "S1: u\nR1: a", **lists)
    assert list(run("score", jsonl(shown), "--json").json["judges"]) == ["n"]
    unsure = result(answer("- R1@S1: 1"), ["a"], "no lines", **lists)
    ran = run("score", jsonl(unsure))
    assert ran.code == 2
    assert "can't tell which judge was matched: its prompts fit m, n, other; name it with --judge" in ran.err
    assert list(run("score", jsonl(unsure), "--judge", "M", "--json").json["judges"]) == ["M"]
    wrong = run("score", jsonl(shown), "--judge", "m")
    assert wrong.code == 2
    assert "its prompts list the reasons of other judges, not of m" in wrong.err
    typo = run("score", jsonl(unsure), "--judge", "mm")
    assert (typo.code, "field 'mm-checklist': no row has this field" in typo.err) == (2, True)
    # two judges with the same list in one row are told apart by the next
    twin = result(answer("- R1@S1: 1"), ["a"], "S1: u", m=["u"], n=["u"])
    assert list(run("score", jsonl(twin, shown), "--json").json["judges"]) == ["n"]
    folded = result(answer("- R1@S1: 1"), ["a"], "S1: one\ntwo\nS2: three", m=["one\ntwo", "three"], n=["one", "four"])
    assert list(run("score", jsonl(folded), "--json").json["judges"]) == ["m"]


def test_a_file_of_two_judges_rows_is_never_one_judges(run: Run, jsonl: Jsonl) -> None:
    lists = {"m": ["x"], "n": ["u"]}
    rows = [
        result(answer(f"- R1@S1: {value}"), ["a"], f"S1: {listed}", **lists)
        for listed, value in (("x", 1), ("u", 0.25), ("x", 0.5))
    ]
    mixed = run("score", jsonl(*rows))
    assert (mixed.code, "row 2: the prompt lists the reasons of n, earlier rows those of m; use --judge" in mixed.err) == (
        2,
        True,
    )
    got = run("score", jsonl(*rows), "--judge", "m", "--json").json["judges"]["m"]
    assert (got["n"], got["recall"], got["skipped_kinds"]) == (2, 0.75, {"another judge's row": 1})


def test_blank_items_keep_their_numbers(run: Run, jsonl: Jsonl) -> None:
    row = result(answer("- R1@S3: 1"), ["a"], "S1: p\nS2: \nS3: q", m=["p", "", "q"])
    got = run("score", jsonl(row), "--json").json["judges"]["m"]
    assert (got["errors"], got["recall"], got["precision"]) == (0, 1.0, 0.5)


def test_intervals_are_clustered_by_prompt(run: Run, jsonl: Jsonl) -> None:
    rows = [result(answer(f"- R1@S1: {k % 2}.0"), ["a"], m=["x"]) for k in range(12) for _ in range(4)]
    alone = run("score", jsonl(*rows), "--json").json["judges"]["m"]["recall_ci"]
    for k, row in enumerate(rows):
        row["metadata"]["context"] = [{"role": "user", "content": str(k // 4)}]
    shared = run("score", jsonl(*rows), "--json").json["judges"]["m"]["recall_ci"]
    assert shared[1] - shared[0] > 1.5 * (alone[1] - alone[0])


def test_skip_bad_counts_rows_that_cannot_be_read(run: Run, jsonl: Jsonl) -> None:
    path = jsonl(result(answer("- R1@S1: 1"), ["a"], m=["x"]))
    path.write_bytes(b"3\n" + path.read_bytes() + b"not json\n")
    assert run("score", path).code == 2
    got = run("score", path, "--skip-bad", "--json").json["judges"]["m"]
    assert (got["n"], got["errors"], got["total"]) == (1, 2, 3)
    assert run("score", path, "--skip-bad", "--json", "--scoring", "released").json["judges"]["m"]["errors"] == 2


def test_error_kinds_are_grouped(run: Run, jsonl: Jsonl) -> None:
    rows = [result(answer(f"- R{k}@S1: 1"), ["a"], m=["x"]) for k in range(2, 9)]
    kinds = run("score", jsonl(*rows), "--json").json["judges"]["m"]["error_kinds"]
    assert list(kinds.values()) == [7]


def test_human_checklist_is_exact_in_released_scoring_only(run: Run, jsonl: Jsonl) -> None:
    row = result(answer("- R1@S1: 1"), ["a"], M=["x"])
    row["metadata"]["Human-Checklist"] = row["metadata"].pop("human-checklist")
    path = jsonl(row)
    assert run("score", path, "--judge", "m", "--json").json["judges"]["m"]["n"] == 1
    assert run("score", path, "--judge", "m", "--json", "--scoring", "released").json["judges"]["m"]["errors"] == 1


def test_unreadable_answers_are_errors_not_zeros(run: Run, jsonl: Jsonl) -> None:
    """ML1, ML3, ML6, SV1: nothing is guessed, nothing is 0."""
    texts = [
        "- R0@S0: 0.75",
        "- R1@S1: high",
        "- R1@Sx: a decimal between 0 and 1, e.g., 0.75",
        "- R1@S1: 0.5-0.75",
        "- R1@S9: 1",
    ]
    rows = [result(answer(text), ["a"], m=["x"]) for text in texts]
    got = run(
        "score", jsonl(*rows, result("no block", ["a"], m=["x"]), result(answer("- R1@S1: 0,75"), ["a"], m=["x"])), "--json"
    ).json["judges"]["m"]
    assert (got["n"], got["errors"], got["recall"]) == (1, 6, 0.75)


def test_folders_sort_and_run_directories(run: Run, tmp_path: Path, jsonl: Jsonl) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    for name, value in (("a", 0.25), ("b", 0.75)):
        row = result(answer(f"- R1@S1: {value}"), ["h"], **{name: ["x"]})
        (folder / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    assert list(run("score", folder, "--json").json["judges"]) == ["b", "a"]
    assert "no results file" in run("score", tmp_path / "results" / "..", "--json").err or True
    pair = {
        "id": 1,
        "human-checklist": ["The sum 41 in Response 1 is wrong."],
        "m-checklist": ["The sum 41 in Response 1 is wrong."],
    }
    run("evaluate", jsonl(pair, name="p.jsonl"), "--out", tmp_path / "run")
    again = run("score", tmp_path / "run", "--json").json["judges"]["m"]
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())["judges"]["m"]
    assert again["recall"] == summary["rationale_consistency"] > 0.7
    assert run("score", tmp_path / "run", "--scoring", "released", "--json").json["judges"]["m"]["n"] == 1


def test_wrong_inputs(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    ran = run("score", jsonl({"id": 1, "human-checklist": ["a"]}))
    assert (ran.code, "use `rationalerm evaluate` for pairs" in ran.err) == (2, True)
    (tmp_path / "void").mkdir()
    ran = run("score", tmp_path / "void")
    assert (ran.code, "holds no results file" in ran.err) == (2, True)


def test_the_table(run: Run, jsonl: Jsonl) -> None:
    ran = run("score", jsonl(result(answer("- R1@S1: 1"), ["a"], m=["x"]), result("?", ["a"], m=["x"])))
    assert "1.0000" in ran.out
    assert "m: 1 rows failed: no RESULT block" in ran.err
