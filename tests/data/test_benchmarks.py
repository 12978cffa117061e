"""The benchmarks' files: the real ones, every shape that has been seen, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rationalerm.data.arena_hard import read_arena_answers, read_arena_judgments, read_arena_questions, style_of
from rationalerm.data.datafiles import files_of
from rationalerm.data.judgebench import read_judgebench, read_judgebench_outputs
from rationalerm.data.rm_bench import read_rm_bench, read_rm_scores
from rationalerm.errors import DataError

Jsonl = Callable[..., Path]


def test_rm_bench_as_one_folder_as_files_and_as_one_list(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "rm_bench"
    rows = read_rm_bench([folder])
    assert len(rows) == 309
    assert rows == read_rm_bench(sorted(folder.glob("*.json")))
    total = tmp_path / "total_dataset.json"
    total.write_text(
        json.dumps([row for path in sorted(folder.glob("*.json")) for row in json.loads(path.read_text("utf-8"))]), "utf-8"
    )
    assert read_rm_bench([total]) == rows
    assert len({row.id for row in rows}) < len(rows)  # some ids are used in two domains
    assert len({row.key for row in rows}) == len(rows)
    assert all(len(row.chosen) == len(row.rejected) == 3 for row in rows)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"chosen": ["a", "b"]}, "field 'chosen': is not a list of three texts"),
        ({"rejected": "abc"}, "field 'rejected'"),
        ({"domain": None}, "field 'domain'"),
    ],
)
def test_an_rm_bench_row_of_another_shape(change: dict[str, Any], said: str, jsonl: Jsonl) -> None:
    row = {"id": 1, "prompt": "p", "domain": "chat", "chosen": list("abc"), "rejected": list("def")}
    with pytest.raises(DataError, match="row 2") as caught:
        read_rm_bench([jsonl(row, row | {"id": 2} | change)])
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"score_chosen": [1, 2], "score_rejected": [1, 2, 3]}, "is not a list of three scores"),
        ({"score_chosen": [1, 2, "x"], "score_rejected": [1, 2, 3]}, "which is no number"),
        ({"score_chosen": [1, 2, True], "score_rejected": [1, 2, 3]}, "which is no number"),
        ({"rewards": [[1, 2, 3]]}, "the chosen and of the rejected"),
        ({"acc_matrix": [[1, 0, 0], [0, 0, 2], [0, 0, 0]]}, "neither 0 nor 1"),
        ({"acc_matrix": [[1, 0, 0]]}, "3 x 3"),
        ({"answer": 1}, "no such field"),
    ],
)
def test_scores_of_another_shape(row: dict[str, Any], said: str, jsonl: Jsonl) -> None:
    with pytest.raises(DataError, match="row 1") as caught:
        read_rm_scores([jsonl({"id": 1} | row)])
    assert said in str(caught.value)
    with pytest.raises(DataError, match="known by its id"):
        read_rm_scores([jsonl(row)])


def test_judgebench_pairs_and_outputs(shared: Path) -> None:
    folder = shared / "data" / "judgebench"
    rows = read_judgebench([folder / "pairs_gpt.jsonl", folder / "pairs_claude.jsonl"])
    assert len(rows) == 620
    assert {row.written_by for row in rows} == {"gpt-4o-2024-05-13", "claude-3-5-sonnet-20240620"}
    assert all(row.pair.label for row in rows)
    outputs = list(read_judgebench_outputs(folder / "outputs_rubric__Qwen3-8B__Qwen-Qwen3-8B.jsonl"))
    assert len(outputs) == 178
    assert sum(game is not None and game.decided and game.decision is None for row in outputs for game in row.games) == 4


def test_judgments_in_every_shape_seen(jsonl: Jsonl) -> None:
    games = [
        [{"decision": "A>B", "text": "t"}, {"decision": None, "text": "u"}],
        [
            {"decision": "B>A", "score_A": 0.5, "score_B": 0.9, "raw_A": "{}", "raw_B": "{}"},
            {"decision": "A=B", "scores": [1, 1]},
        ],
        [{"judgment": {"answer": "t"}}, "just a text"],
        [None, {"scores": [1.5, None]}],
    ]
    read = list(read_judgebench_outputs(jsonl(*({"pair_id": str(k), "judgments": two} for k, two in enumerate(games)))))
    flat = [game for row in read for game in row.games]
    assert [game and game.text for game in flat] == ["t", "u", None, None, "t", "just a text", None, None]
    assert [game and game.decided for game in flat] == [True, True, True, True, False, False, None, False]
    assert [game and game.scores for game in flat] == [None, None, (0.5, 0.9), (1.0, 1.0), None, None, None, (1.5, None)]


def test_the_style_of_an_answer_is_that_of_its_metadata(shared: Path) -> None:
    """Headers, lists and bold of all real answers, counted from their texts, are what the benchmark's own counts say."""
    folder = shared / "data" / "arena_hard_v2"
    answers = read_arena_answers(sorted(folder.glob("model_answer_*.jsonl")))
    assert {name: len(of) for name, of in answers.items()} == {"o3-mini-2025-01-31": 36, "sky-t1-32b": 36}
    for of in answers.values():
        for answer in of.values():
            assert style_of(answer.text, answer.style.tokens) == answer.style
    questions = read_arena_questions([folder / "question.jsonl"])
    assert len(questions) == 376
    assert set(answers["sky-t1-32b"]) <= set(questions)


def test_metadata_in_every_shape(jsonl: Jsonl) -> None:
    text = "# A\n\n- one\n- two **b**"
    metadata: list[Any] = [
        {
            "token_len": 9,
            "header_count": {"h1": 2, "h2": 1},
            "list_count": {"ordered": 1, "unordered": 4},
            "bold_count": {"**": 3, "__": 0},
        },
        {"token_len": 9, "header_count": 3, "list_count": 5, "bold_count": 3},
        {"token_len": 9, "header_count": [2, 1], "list_count": [1, 4], "bold_count": [3]},
        {"token_len": 9},
        None,
    ]
    contents: list[Any] = [{"answer": text}, text, {"answer": text}, text, text]
    rows = [
        {
            "uid": str(k),
            "model": "m",
            "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": c}],
            "metadata": m,
        }
        for k, (c, m) in enumerate(zip(contents, metadata, strict=True))
    ]
    old = {"question_id": "old", "model_id": "m", "choices": [{"index": 0, "turns": [{"content": text, "token_len": 9}]}]}
    styles = [answer.style for answer in read_arena_answers([jsonl(*rows, old)])["m"].values()]
    assert [(s.tokens, s.headers, s.lists, s.bolds, s.estimated) for s in styles[:4]] == [(9, 3, 5, 3, False)] * 3 + [
        (9, 1, 2, 1, False)
    ]
    assert [(s.headers, s.lists, s.bolds, s.estimated) for s in styles[4:]] == [(1, 2, 1, True)] * 2
    with pytest.raises(DataError, match="holds no answer"):
        read_arena_answers([jsonl({"uid": "a", "model": "m", "messages": []})])
    with pytest.raises(DataError, match="has answered 0 already"):
        read_arena_answers([jsonl(rows[0], rows[0])])


def test_real_judgments(shared: Path) -> None:
    rows = list(read_arena_judgments([shared / "data" / "arena_hard_r1_judgments" / "bagel-8b-v1.0.jsonl"]))
    assert len(rows) == 91
    assert {row.model for row in rows} == {"jondurbin/bagel-8b-v1.0"}
    assert sum(game is not None and game.label is None for row in rows for game in row.games) == 5


def test_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("b.json", "a.jsonl.gz", "notes.txt"):
        (tmp_path / name).write_text("", "utf-8")
    assert files_of([tmp_path, "-"]) == [tmp_path / "a.jsonl.gz", tmp_path / "b.json", "-"]
    with pytest.raises(DataError, match="holds no"):
        files_of([tmp_path / "sub"])
    with pytest.raises(DataError, match="no file named"):
        files_of([])
