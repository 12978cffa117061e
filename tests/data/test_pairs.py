"""Rows to pairs: field names, lists, labels, ids, orders, the two HelpSteer3 configs, results files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rationalerm.data.pairs import Columns, PairFile
from rationalerm.errors import DataError
from rationalerm.types import Message, Pair, Verdict

Jsonl = Callable[..., Path]


def pairs(path: Path, **options: Any) -> list[Pair]:
    columns = Columns(**options.pop("columns", {}))
    return list(PairFile(path, columns, **options))


def problem(path: Path, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        pairs(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


GOOD = {"id": "r", "human-checklist": ["a"], "m-checklist": ["x"], "overall_preference": -2}


def test_names_are_found_in_any_case(jsonl: Jsonl) -> None:
    row = {
        "ID": "q",
        "Human-Checklist": ["a"],
        "M-CHECKLIST": ["x"],
        "m-Label": "B>A",
        "Overall_Preference": 1,
        "Domain": "code",
        "Response1": "p",
    }
    (pair,) = pairs(jsonl(row), columns={"judges": ("m",)})
    assert (pair.id, pair.human_reasons, pair.label, pair.domain, pair.response_a) == ("q", ("a",), 1, "code", "p")
    assert pair.answers[0].reasons == ("x",)
    assert pair.answers[0].label == Verdict.B_BETTER


def test_judges_are_found_when_none_is_named(jsonl: Jsonl) -> None:
    source = PairFile(jsonl(GOOD | {"gpt-4o-generated_text": "t", "Human-checklist": ["a"]}))
    (pair,) = source
    assert source.judges == ("m", "gpt-4o")
    assert [answer.text for answer in pair.answers] == [None, "t"]


def test_other_field_names(jsonl: Jsonl) -> None:
    row = {"key": 7, "why": ["a"], "judge_why": ["x"], "winner": "response_2", "out": "text"}
    columns = {
        "judges": ("j",), "human_field": "why", "reasons_field": "judge_why", "label_field": "winner", "text_field": "out",
        "id_field": "key",
    }  # fmt: skip
    (pair,) = pairs(jsonl(row), columns=columns)
    assert (pair.id, pair.human_reasons, pair.label) == ("7", ("a",), 1)
    assert (pair.answers[0].reasons, pair.answers[0].text) == (("x",), "text")


def test_rl2_lists_are_checked(jsonl: Jsonl) -> None:
    """RL2: never one reason a letter; blank items are no reasons; braces stay."""
    rows = [
        {"id": "r1", "human-checklist": "A is terse; B is wrong", "m-checklist": ["x"]},
        {"id": "r2", "human-checklist": ["ok", None], "m-checklist": ["x"]},
        {"id": "r3", "human-checklist": [], "m-checklist": []},
        {"id": "r4", "human-checklist": ["ok"], "m-checklist": ["", "  "]},
        {"id": "r5", "human-checklist": ["a {brace} %s \\d"], "m-checklist": ["{source_list}"]},
    ]
    path = jsonl(*rows)
    line = problem(path)
    assert "in.jsonl, row 1, field 'human-checklist': is a string, not a list" in line
    assert "row 1, field 'human-checklist': item 2 is NoneType" in problem(jsonl(rows[1]))
    source = PairFile(jsonl(*rows), skip_bad=True)
    got = {pair.id: pair for pair in source}
    assert [bad.number for bad in source.bad] == [1, 2]
    assert set(got) == {"r3", "r4", "r5"}
    assert (got["r3"].human_reasons, got["r3"].answers[0].reasons) == (None, ())
    assert got["r4"].answers[0].reasons == ()
    assert (got["r5"].human_reasons, got["r5"].answers[0].reasons) == (("a {brace} %s \\d",), ("{source_list}",))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"m-checklist": "x"}, "field 'm-checklist': is a string, not a list"),
        ({"m-checklist": [1]}, "field 'm-checklist': item 1 is int"),
        ({"m-checklist": {"a": 1}}, "field 'm-checklist': is not a list"),
        ({"human-checklist": 3}, "field 'human-checklist': is not a list"),
        ({"overall_preference": "good"}, "field 'overall_preference': 'good' has no single meaning"),
        ({"overall_preference": 9}, "outside -3..3"),
        ({"label": "B>A"}, "field 'label': differs in side from overall_preference"),
        ({"context": 3}, "field 'context'"),
        ({"context": [3]}, "field 'context': holds a turn"),
        ({"id": [1]}, "field 'id'"),
        ({"m-generated_text": 4}, "field 'm-generated_text': is int, not a string"),
        ({"m-label": "yes"}, "field 'm-label'"),
        ({"m-order": "AC"}, "field 'm-order'"),
        ({"m-games": []}, "field 'm-games'"),
        ({"m-games": [{"order": "AB"}, {"order": "AB"}]}, "two games in one order"),
        ({"response1": 4}, "field 'response1'"),
    ],
)
def test_bad_fields_name_file_row_field_and_fix(jsonl: Jsonl, change: dict[str, Any], said: str) -> None:
    line = problem(jsonl(GOOD, GOOD | {"id": "s"} | change))
    assert "in.jsonl, row 2" in line
    assert said in line


def test_missing_fields(jsonl: Jsonl) -> None:
    path = jsonl({"id": 1, "m-checklist": []})
    assert "row 1, field 'human-checklist': no such field; point --human-field at" in problem(path)
    assert "field 'n-checklist': no such field; point --reasons-field" in problem(jsonl(GOOD), columns={"judges": ("n",)})
    assert "no judge found" in problem(jsonl({"human-checklist": ["a"]}))
    assert "field 'winner': no such field; point --label-field" in problem(jsonl(GOOD), columns={"label_field": "winner"})


def test_df4_repeated_ids_are_refused(jsonl: Jsonl) -> None:
    """DF4: naming the id and both rows; a row without an id is its line number."""
    rows = [
        {"id": "q1", "human-checklist": ["a"], "m-checklist": ["x"]},
        {"id": "q1", "human-checklist": ["b"], "m-checklist": ["y"]},
        {"human-checklist": ["c"], "m-checklist": ["z"]},
    ]
    line = problem(jsonl(*rows))
    assert "row 2, field 'id': id 'q1' is in row 1 too" in line
    assert [pair.id for pair in pairs(jsonl(rows[0], rows[2]))] == ["q1", "2"]
    assert "id '2'" in problem(jsonl({**GOOD, "id": 2}, rows[2]))
    source = PairFile(jsonl(*rows), skip_bad=True)
    assert len(list(source)) == 2
    assert len(source.bad) == 1


def test_no_row_left(jsonl: Jsonl, tmp_path: Path) -> None:
    bad = {"human-checklist": "x"}
    source = PairFile(jsonl(bad | {"m-checklist": []}), skip_bad=True)
    with pytest.raises(DataError, match=r"no row left to read \(the first: .*row 1"):
        list(source)
    empty = tmp_path / "list.json"
    empty.write_text("[]")
    assert "no row left" in problem(empty)


def test_bs2_preferences_and_turns(jsonl: Jsonl) -> None:
    """BS2: negative = Response 1 better, 0 = tie; every turn in order; an empty reasoning is no reason."""
    rows: list[dict[str, Any]] = [
        {"overall_preference": -2, "response1": "x", "response2": "y", "context": [{"role": "user", "content": "q"}]},
        {"overall_preference": 0, "response1": "x", "response2": "y", "context": "q"},
        {
            "overall_preference": 3,
            "response1": "x",
            "response2": "y",
            "context": [
                {"role": "user", "content": "q1"},
                {"role": "assistant", "content": "a1"},
                {"role": "user", "content": "q2"},
            ],
            "individual_preference": [
                {"score": 3, "reasoning": "@Response 2 is right", "feedback1": "", "feedback2": ""},
                {"score": 2, "reasoning": "", "feedback1": "f one", "feedback2": "f two"},
            ],
        },
    ]
    for row in rows:
        row.setdefault("individual_preference", [])
        row["m-generated_text"] = "t"
    got = pairs(jsonl(*rows))
    assert [pair.label for pair in got] == [-1, 0, 1]
    assert [pair.preference for pair in got] == [-2, 0, 3]
    assert got[2].messages == (Message("user", "q1"), Message("assistant", "a1"), Message("user", "q2"))
    assert got[2].human_reasons == ("@Response 2 is right", "Response 1: f one", "Response 2: f two")
    assert got[2].prose
    assert got[0].human_reasons is None
    assert got[0].cluster == got[1].cluster  # one prompt, written in two ways


def test_real_helpsteer3_rows_with_feedback_beside(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "helpsteer_rows"
    path = tmp_path / "p.jsonl"
    rows = (folder / "helpsteer3_preference.jsonl").read_bytes().splitlines()
    path.write_text("".join(json.dumps(json.loads(row) | {"m-generated_text": "t"}) + "\n" for row in rows))
    alone = pairs(path)[0]
    beside = pairs(path, feedback=folder / "helpsteer3_feedback.jsonl")[0]
    assert alone.label == beside.label == -1
    assert alone.human_reasons is not None
    assert beside.human_reasons is not None
    assert all("Response" in reason for reason in alone.human_reasons)
    assert len(beside.human_reasons) > len(alone.human_reasons) + 10
    assert not any(reason.endswith("The response is partially helpful.") for reason in beside.human_reasons)
    assert any(reason.startswith("Response 2: The sentence should be limited to 20 words") for reason in beside.human_reasons)


def test_games_of_both_orders(jsonl: Jsonl) -> None:
    games = [{"order": "AB", "verdict": "A>B", "reasons": ["x"]}, {"order": "swapped", "generated_text": "t"}]
    (pair,) = pairs(jsonl({"human-checklist": ["a"], "m-games": games}))
    assert [(answer.order, answer.label, answer.text) for answer in pair.answers] == [
        ("AB", Verdict.A_BETTER, None),
        ("BA", None, "t"),
    ]


def test_results_files_are_unwrapped(jsonl: Jsonl) -> None:
    (pair,) = pairs(jsonl({"prompt": "p", "samples": [], "status": "ok", "metadata": GOOD}))
    assert (pair.id, pair.label) == ("r", -1)


def test_label_codes_are_doubted_after_the_last_row(jsonl: Jsonl) -> None:
    rows = [{"human-checklist": ["a"], "m-checklist": ["x"], "label": n % 2} for n in range(4)]
    assert "field 'label': holds only 0, 1" in problem(jsonl(*rows))
    got = pairs(jsonl(*rows), columns={"label_map": {"0": -1, "1": 1}})
    assert [pair.label for pair in got] == [-1, 1, -1, 1]
    only_label = [{"human-checklist": ["a"], "m-checklist": ["x"], "m-label": 1 + n % 2} for n in range(4)]
    assert "field 'm-label': holds only 1, 2" in problem(jsonl(*only_label))


def test_string_codes_of_a_judge_are_doubted_like_numbers(jsonl: Jsonl) -> None:
    rows = [{"human-checklist": ["a"], "m-checklist": ["x"], "m-label": str(1 + n % 2)} for n in range(4)]
    assert "field 'm-label': holds only 1, 2" in problem(jsonl(*rows))


def test_a_label_that_is_not_used_is_not_doubted(jsonl: Jsonl) -> None:
    rows = [{**GOOD, "id": n, "overall_preference": n, "label": n} for n in (1, 2)]
    assert [pair.label for pair in pairs(jsonl(*rows))] == [1, 1]


def test_the_limit_is_of_rows_and_what_is_behind_it_is_not_read(jsonl: Jsonl, tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    path.write_text(json.dumps(GOOD) + "\n[]\n" + json.dumps(GOOD | {"id": "t"}) + "\nnot json\n")
    source = PairFile(path, skip_bad=True, limit=3)
    assert [pair.id for pair in source] == ["r", "t"]
    assert len(source.bad) == 1
    assert len(pairs(jsonl(GOOD, {"id": "s"}), limit=1)) == 1
    signed = [{"human-checklist": ["a"], "m-checklist": ["x"], "label": label} for label in (1, 1, -1)]
    assert [pair.label for pair in pairs(jsonl(*signed), limit=1)] == [1]  # the third row says what 1 means


def test_odd_values_are_bad_rows_not_crashes(jsonl: Jsonl) -> None:
    assert "outside -3..3" in problem(jsonl(GOOD | {"overall_preference": 10**400}))
    for value in (5, True, {"a": 1}):
        row = {"m-generated_text": "t", "individual_preference": [{"reasoning": value, "feedback1": value}], "feedback2": value}
        assert pairs(jsonl(row))[0].human_reasons is None
    source = PairFile(jsonl({"x": 1}, GOOD), skip_bad=True)
    assert [pair.id for pair in source] == ["r"]
    (pair,) = pairs(jsonl(GOOD | {"m-error": "", "m-generated_text": "t"}))
    assert pair.answers[0].error is None
    assert "field 'key': no such field" in problem(jsonl(GOOD), columns={"id_field": "key"})


def test_limit_and_stream(jsonl: Jsonl) -> None:
    path = jsonl(*({**GOOD, "id": n} for n in range(10)))
    assert len(pairs(path, limit=3)) == 3
    assert len(pairs(path)) == 10
