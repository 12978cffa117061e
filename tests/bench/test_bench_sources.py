"""Which files are a judge's results: named twice, under one name, beside other JSON in a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Jsonl = Callable[..., Path]
PAIRS = [
    {"pair_id": f"p{k}", "source": "livebench-math", "question": "q", "response_A": "a", "response_B": "b", "label": "A>B"}
    for k in range(3)
]
RIGHT = [{"pair_id": f"p{k}", "judgments": [{"decision": "A>B"}, {"decision": "B>A"}]} for k in range(3)]


@pytest.fixture
def bench(run: Run, jsonl: Jsonl) -> Run:
    """JudgeBench's command over results, each in its own --outputs."""
    data = jsonl(*PAIRS, name="data.jsonl")

    def call(*outputs: str | Path, more: tuple[str, ...] = ()) -> Any:
        words = [word for path in outputs for word in ("--outputs", path)]
        return run("bench", "judgebench", "--judge", "file", "--data", data, *words, "--json", *more)

    return call


def written(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def refused(ran: Any, *said: str) -> None:
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    for words in said:
        assert words in ran.err


def test_one_file_twice_is_refused_whatever_its_path(bench: Run, tmp_path: Path) -> None:
    file = written(tmp_path / "runs" / "one.jsonl", *RIGHT)
    (tmp_path / "link.jsonl").symlink_to(file)
    os.link(file, tmp_path / "hard.jsonl")
    refused(bench(file, file), "is there twice")
    for other in (file.parent / ".." / "runs" / "one.jsonl", tmp_path / "link.jsonl", tmp_path / "hard.jsonl", file.parent):
        refused(bench(file, other), "the same file", "name each file once")


def test_an_arena_file_twice_is_refused_not_counted_twice(run: Run, tmp_path: Path) -> None:
    file = written(tmp_path / "m.jsonl", {"uid": "u", "model": "m", "games": [{"score": "A>B"}, {"score": "B>A"}]})
    refused(run("bench", "arena-hard", "--judge", "file", "--outputs", file, file, "--json"), "is there twice")


def test_two_files_of_one_judges_name_are_refused(bench: Run, tmp_path: Path) -> None:
    one, two = written(tmp_path / "a" / "out.jsonl", *RIGHT), written(tmp_path / "b" / "out.jsonl", *RIGHT[:2])
    refused(bench(one, two), "'out'", str(one), str(two), "NAME=FILE")
    refused(bench(one, written(tmp_path / "c" / "x.jsonl", *RIGHT), more=("--name", "mine")), "--name mine", "2 --outputs")
    assert bench(two, more=("--name", "mine")).json["judge"] == "mine"


def test_each_file_can_name_its_judge(bench: Run, tmp_path: Path) -> None:
    one, two = written(tmp_path / "a" / "out.jsonl", *RIGHT), written(tmp_path / "b" / "out.jsonl", *RIGHT[:2])
    odd = written(tmp_path / "k=v.jsonl", *RIGHT)
    assert list(bench(f"first judge={one}", f"gpt-4o={two}", odd).json["judges"]) == ["first judge", "gpt-4o", "k=v"]
    refused(bench(f"x={one}", f"x={two}"), "'x'")
    refused(bench(f"x={one}", f"y={one}"), "is there twice")


def test_stdin_is_refused(bench: Run) -> None:
    refused(bench("-"), "name a file")


def test_other_json_in_a_folder_is_left_out_and_named(bench: Run, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    written(folder / "b.jsonl", *RIGHT[:2])
    written(folder / "c.jsonl", RIGHT[2])
    alone = bench(folder)
    assert (alone.err, alone.json["overall"]["n"]) == ("", 3)
    (folder / "expected_winrate.json").write_text(json.dumps({"m": {"mean": 0.5}}, indent=1), "utf-8")
    (folder / "README.json").write_text('{"about": "these"}\n', "utf-8")
    (folder / "numbers.json").write_text("[1, 2]", "utf-8")
    (folder / "failures.jsonl").write_text("", "utf-8")
    written(folder / "a_pairs.jsonl", *PAIRS)
    ran = bench(folder)
    assert ran.json == alone.json
    assert ran.err.count("\n") == 1
    for name in (
        "expected_winrate.json",
        "README.json (rows of about)",
        "numbers.json",
        "failures.jsonl (empty)",
        "a_pairs.jsonl",
    ):
        assert name in ran.err
    assert "b.jsonl" not in ran.err


def test_a_folder_without_results_says_what_is_there(bench: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "summary.json").write_text(json.dumps({"overall": {"score": 1}}, indent=1), "utf-8")
    written(tmp_path / "mine" / "data.jsonl", *PAIRS)
    refused(bench(tmp_path / "mine"), "holds no file of results", "summary.json", "data.jsonl (rows of pair_id, source,")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 2\n", "Git LFS pointer"),
        (b'{"pair_id": "p2", "judgments": [{"dec\n', "c.jsonl, row 1"),
        (b"\xff\xfe{\x00}\x00", "UTF-16"),
    ],
)
def test_a_file_that_may_be_results_is_never_left_out(bench: Run, tmp_path: Path, content: bytes, said: str) -> None:
    written(tmp_path / "mine" / "b.jsonl", *RIGHT[:2])
    (tmp_path / "mine" / "c.jsonl").write_bytes(content)
    refused(bench(tmp_path / "mine"), said)


def test_results_of_two_shapes_in_a_folder_are_refused(bench: Run, tmp_path: Path) -> None:
    written(tmp_path / "mine" / "b.jsonl", *RIGHT[:2])
    written(tmp_path / "mine" / "c.jsonl", {"id": "p2", "verdict": "A>B"})
    refused(bench(tmp_path / "mine"), "results of two shapes", "b.jsonl", "c.jsonl")


def test_a_pair_in_two_files_of_a_folder_is_refused(bench: Run, tmp_path: Path) -> None:
    """In the same row of both: the later would overwrite the earlier."""
    for name in ("b.jsonl", "c.jsonl"):
        written(tmp_path / "mine" / name, RIGHT[0])
    refused(bench(tmp_path / "mine"), "p0 is in", "b.jsonl, row 1,", "c.jsonl, row 1")


def test_a_folder_of_arena_judgments_with_its_table(run: Run, shared: Path) -> None:
    folder = shared / "data" / "arena_hard_r1_judgments"
    ran = run("bench", "arena-hard", "--judge", "file", "--outputs", folder, "--json")
    assert ran.code == 0, ran.err
    expected = json.loads((folder / "expected_winrate.json").read_text("utf-8"))
    assert {name: model["score"] for name, model in ran.json["models"].items()} == {
        name: figures["mean"] for name, figures in expected.items()
    }
    assert "expected_winrate.json" in ran.err


def test_arena_files_of_two_shapes_are_refused(run: Run, tmp_path: Path) -> None:
    own = written(tmp_path / "a.jsonl", {"uid": "u", "model": "m", "games": [{"score": "A>B"}, {"score": "B>A"}]})
    by_id = written(tmp_path / "b.jsonl", {"id": "m:u", "verdict": "A>B"})
    refused(run("bench", "arena-hard", "--judge", "file", "--outputs", own, by_id), "give one kind", "a.jsonl", "b.jsonl")


def test_a_run_directory_as_results(bench: Run, tmp_path: Path) -> None:
    """The folder that a run wrote: its rows are the results, its summary is named."""
    file = written(tmp_path / "one.jsonl", *RIGHT)
    first = bench(file, more=("--out", str(tmp_path / "kept")))
    again = bench(tmp_path / "kept")
    assert again.code == 0, again.err
    assert again.json["overall"] == first.json["overall"]
    assert "summary.json" in again.err
