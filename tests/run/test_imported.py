"""Results files of the released inference script as finished rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rationalerm.errors import DataError
from rationalerm.run.imported import read_finished, read_imported
from rationalerm.types import Matching

Jsonl = Callable[..., Path]


def answer(*lines: str) -> str:
    return "<RESULT_START>\n" + "\n".join(lines) + "\n<RESULT_END>"


def result(text: str | None, human: Any, shown: list[str] | None = None, status: str = "success", **lists: Any) -> dict[str, Any]:
    more = lists.pop("more", {})
    metadata = {"human-checklist": human} | {f"{name}-checklist": value for name, value in lists.items()} | more
    listed = next(iter(lists.values()), []) if shown is None else shown
    prompt = "\n".join(f"S{k}: {reason.strip()}" for k, reason in enumerate(listed, 1)) if isinstance(listed, list) else ""
    samples = [] if text is None else [{"generated_text": text}]
    return {"prompt": prompt, "samples": samples, "status": status, "metadata": metadata}


def test_a_matching_is_found_by_its_texts(jsonl: Jsonl) -> None:
    path = jsonl(
        result(answer("- R1@S2: 0.75", "- R2@S0: 0"), ["a", "b"], m=["x", "y"], n=["u"]),
        result(answer("- R1@S1: 1"), ["a"], ["u"], m=["x"], n=["u"]),
    )
    imported = read_imported(path)
    assert imported.find(("a", "b"), ("x", "y")) == Matching(2, 2, {(0, 1): 0.75})
    assert imported.find(("a",), ("u",)) == Matching(1, 1, {(0, 0): 1.0})
    for human, model in ((("a",), ("x",)), (("a", "b"), ("y", "x")), (("ab",), ("x", "y")), (("a", "b", "x"), ("y",)), ((), ())):
        assert imported.find(human, model) is None
    assert (imported.rows, len(imported), imported.unusable) == (2, 2, {})


def test_blank_and_padded_reasons(jsonl: Jsonl) -> None:
    """The prompt numbers blank reasons too; `evaluate` leaves them out."""
    path = jsonl(result(answer("- R1@S0: 0", "- R2@S3: 1"), [" ", "a "], m=[" p", "", "q"]))
    assert read_imported(path).find(("a",), ("p", "q")) == Matching(1, 2, {(0, 1): 1.0})


def test_what_is_of_no_use_is_counted_by_why(jsonl: Jsonl) -> None:
    """RC2: a failed row is no result, and is done again."""
    path = jsonl(
        result(answer("- R1@S1: 1"), ["ok"], m=["x"]),
        result(None, ["a"], status="error", m=["x"]),
        result(None, ["a"], m=["x"]),
        result("nothing", ["a"], m=["x"]),
        result(answer("- R2@S1: 1"), ["a"], m=["x"]),
        result(answer("- R3@S1: 1"), ["a"], m=["x"]),
        result(answer("- R1@S1: 1"), [], m=["x"]),
        result(answer("- R1@S1: 1"), "a", m=["x"]),
        result(answer("- R1@S1: 1"), ["a"], ["other"], m=["x"]),
        result(answer("- R1@S1: 1"), ["a"], [], m=["x"], n=["y"]),
        result(answer("- R1@S1: 1"), ["a"]),
        {"prompt": "", "samples": [], "metadata": 3},
        {"id": 7},
    )
    path.write_bytes(path.read_bytes() + b'{"prompt": "to')
    imported = read_imported(path)
    assert (imported.rows, len(imported)) == (14, 1)
    assert imported.unusable == {
        "status error": 1,
        "no matcher answer": 1,
        "unparsed: no RESULT block and no JSON matches": 1,
        "unparsed: line N: RN outside N..N; RN missing": 2,
        "no human reasons": 1,
        "is a string, not a list; split it into a list of reasons": 1,
        "its prompt lists no judge's reasons": 1,
        "can't tell which judge's list was matched": 1,
        "no judge's list": 1,
        "metadata is not an object": 1,
        "not a row of the inference script": 1,
        "a row that can't be read": 1,
    }


def test_a_row_done_again_counts_as_it_was_last(jsonl: Jsonl) -> None:
    rows = [result(text, ["a"], m=["x"]) for text in (None, answer("- R1@S1: 0.25"), answer("- R1@S1: 0.5"), "broken")]
    imported = read_imported(jsonl(*rows))
    assert imported.find(("a",), ("x",)) == Matching(1, 1, {(0, 0): 0.5})
    assert (imported.repeated, imported.unusable.total()) == (1, 2)


def test_a_format_complaint_of_the_script_is_not_ours(jsonl: Jsonl) -> None:
    row = result(answer("- R2@S1: 1", "- R1@S0: 0"), ["a", "b"], status="format_error", m=["x"])
    assert read_imported(jsonl(row)).find(("a", "b"), ("x",)) == Matching(2, 1, {(1, 0): 1.0})


def test_whose_list(jsonl: Jsonl) -> None:
    same = result(answer("- R1@S1: 1"), ["a"], m=["x"], n=["x"], o=["y"])
    folded = result(answer("- R1@S1: 1"), ["a"], ["one\ntwo"], m=["one\nthree"], n=["one\ntwo"])
    silent = result(answer("- R1@S0: 0"), ["a"], m=[])
    rows = list(read_finished(jsonl(same, folded, silent)))
    assert [row.judges for row in rows] == [("m", "n"), ("n",), ("m",)]
    assert rows[1].model == ("one\ntwo",)
    assert rows[2].matching == Matching(1, 0)


def test_id_order_cluster(jsonl: Jsonl) -> None:
    more = [{"id": 5, "order": "BA", "context": "q", "domain": "code"}, {"order": 3}, {"id": ""}, {"id": ["?"], "context": 3}]
    rows = list(read_finished(jsonl(*(result(answer("- R1@S1: 1"), ["a"], m=["x"], more=m) for m in more))))
    assert [(row.id, row.order, row.domain) for row in rows] == [("5", "BA", "code"), *[(None, "AB", None)] * 3]
    assert rows[0].cluster
    assert not rows[1].cluster


def test_folders(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(result(answer("- R1@S1: 1"), [name], m=["x"])) + "\n")
    assert len(read_imported(tmp_path)) == 2


def test_files_that_are_none(jsonl: Jsonl, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"in.jsonl, row 1, field 'samples': no such field; give a file of the released"):
        read_imported(jsonl({"id": 1, "human-checklist": ["a"]}))
    with pytest.raises(DataError, match="no such file"):
        read_imported(tmp_path / "none.jsonl")
    (tmp_path / "void").mkdir()
    with pytest.raises(DataError, match="holds no results file"):
        read_imported(tmp_path / "void")
    broken = tmp_path / "broken.jsonl"
    broken.write_text("nothing\n")
    with pytest.raises(DataError, match="no row of the released inference script"):
        read_imported(broken)
