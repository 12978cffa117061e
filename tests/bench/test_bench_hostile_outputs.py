"""`bench --judge file` on results that would be lost, overwritten, or end in a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Jsonl = Callable[..., Path]
PAIR = {"source": "livebench-math", "question": "q", "response_A": "aa", "response_B": "b", "label": "A>B"}
ROW = {"id": 7, "prompt": "q", "domain": "chat", "chosen": ["a", "b", "c"], "rejected": ["d", "e", "f"]}
HUGE = 10**400  # whole in JSON, no float


def bench(run: Run, name: str, data: Path, outputs: Path, *more: Any) -> Any:
    return run("bench", name, "--judge", "file", "--data", data, "--outputs", outputs, "--json", *more)


@pytest.mark.parametrize(
    "rows",
    [
        [{"pair_id": "p0", "judgments": [{"scores": [HUGE, 1]}, {"scores": [0, 1]}]}],
        [{"id": "p0:A", "score": HUGE}, {"id": "p0:B", "score": 1}],
        [{"id": "p0:A", "error": "boom"}, {"id": "p0:B", "score": 1}],
    ],
)
def test_a_score_that_is_no_finite_number_decides_nothing(run: Run, jsonl: Jsonl, rows: list[dict[str, Any]]) -> None:
    ran = bench(run, "judgebench", jsonl(PAIR | {"pair_id": "p0"}, name="d.jsonl"), jsonl(*rows, name="o.jsonl"))
    assert ran.code == 0
    assert ran.json["counts"]["failed"] == 1


def test_a_huge_score_of_rm_bench_is_a_failure_and_not_a_win(run: Run, jsonl: Jsonl) -> None:
    scores = {"id": 7, "domain": "chat", "score_chosen": [HUGE, 1, 1], "score_rejected": [0, 0, 0]}
    ran = bench(run, "rm-bench", jsonl(ROW, name="d.jsonl"), jsonl(scores, name="o.jsonl"))
    assert ran.json["counts"]["failed"] == 3
    assert ran.json["groups"]["chat"]["score"] == 6 / 9


@pytest.mark.parametrize("value", [{"verdict": "B>A"}, {"score": 3}])
def test_one_result_under_two_names_is_refused(run: Run, jsonl: Jsonl, value: dict[str, Any]) -> None:
    """`chat/7:0-0` and `7:0-0` are one comparison: the later would overwrite the earlier."""
    place = "chosen-0" if "score" in value else "0-0"
    outputs = jsonl({"id": f"chat/7:{place}"} | value, {"id": f"7:{place}"} | value, name="o.jsonl")
    ran = bench(run, "rm-bench", jsonl(ROW, name="d.jsonl"), outputs)
    assert ran.code == 2
    assert f"row 2, field 'id': '7:{place}' is 'chat/7:{place}' of" in ran.err


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": "p0", "score": 1}, "names a comparison"),
        ({"id": "p0:A", "verdict": "A>B"}, "names one response"),
    ],
)
def test_a_result_of_the_wrong_kind_is_refused_not_left_out(run: Run, jsonl: Jsonl, row: dict[str, Any], said: str) -> None:
    ran = bench(run, "judgebench", jsonl(PAIR | {"pair_id": "p0"}, name="d.jsonl"), jsonl(row, name="o.jsonl"))
    assert ran.code == 2
    assert said in ran.err


def test_arena_ids_that_a_limit_left_out_are_counted_and_unknown_ones_refused(run: Run, jsonl: Jsonl) -> None:
    questions = jsonl(*({"uid": f"u{k}", "category": "hard_prompt", "prompt": "q"} for k in range(3)), name="q.jsonl")
    models = ("o3-mini-2025-01-31", "m")
    answers = jsonl(
        *({"uid": f"u{k}", "model": m, "messages": [{"role": "assistant", "content": m}]} for m in models for k in range(3)),
        name="a.jsonl",
    )
    games = [{"order": order, "verdict": "A>B"} for order in ("AB", "BA")]
    for prefix in ("m:", ""):
        outputs = jsonl(*({"id": f"{prefix}u{k}"} | game for k in range(3) for game in games), name="o.jsonl")
        ran = bench(run, "arena-hard", questions, outputs, "--answers", answers, "--limit", "1")
        assert ran.code == 0, ran.err
        assert ran.json["counts"]["results outside this run"] == 4
        assert ran.json["models"]["m"]["rows"] == 1
    outputs = jsonl({"id": "m:nope", "verdict": "A>B"}, name="o.jsonl")
    assert "is not in the data" in bench(run, "arena-hard", questions, outputs, "--answers", answers).err


def test_an_arena_judgment_of_a_question_that_the_data_has_not_is_refused(run: Run, jsonl: Jsonl) -> None:
    questions = jsonl(*({"uid": f"u{k}", "category": "hard_prompt", "prompt": "q"} for k in range(2)), name="q.jsonl")
    row = {"model": "m", "baseline": "b", "games": [{"score": "A>B"}, {"score": "B>A"}]}
    good = jsonl(row | {"uid": "u0"}, row | {"uid": "u1"}, name="o.jsonl")
    limited = bench(run, "arena-hard", questions, good, "--limit", "1").json
    assert limited["counts"]["results outside this run"] == 1
    ran = bench(run, "arena-hard", questions, jsonl(row | {"uid": "u0"}, row | {"uid": "nope"}, name="bad.jsonl"))
    assert ran.code == 2
    assert "row 2, field 'uid': 'nope' is not in the data" in ran.err


def test_a_label_without_a_meaning_is_not_sent_to_an_option_that_bench_has_not(run: Run, jsonl: Jsonl) -> None:
    data = jsonl(PAIR | {"pair_id": "p0"}, name="d.jsonl")
    ran = bench(run, "judgebench", data, jsonl({"pair_id": "p0", "judgments": [{"decision": "C>D"}]}, name="o.jsonl"))
    row = {"uid": "u", "model": "m", "games": [{"score": "C>D"}, {"score": "B>A"}]}
    other = run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(row, name="j.jsonl"))
    for one in (ran, other):
        assert one.code == 2
        assert "write A>B, A=B or B>A" in one.err
        assert "--label-map" not in one.err
