"""Export in the released form: read back by `score` in both scorings, by the analysis script restated, and by the import."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rationalerm import EvaluateConfig, Matching, evaluate
from rationalerm.data.sides import swap_sides
from rationalerm.errors import DataError, UsageError
from rationalerm.judge.parse import parse_matching
from rationalerm.run.exported import best_of, metadata_of, result_row
from rationalerm.run.exporting import export_released
from rationalerm.run.imported import read_imported
from rationalerm.run.rescore import ScoreConfig, rescore
from rationalerm.score import released

Jsonl = Callable[..., Path]
FIGURES = ("precision", "recall", "f1", "average_precision")


class Table:
    """A matcher that looks its scores up: judge's reason -> {human index: score}."""

    name, version = "table", "1"

    def __init__(self, table: dict[str, dict[int, float]]) -> None:
        self.table = table

    def match(self, human: Sequence[str], model: Sequence[str]) -> Matching:
        scores = {(i, j): s for j, reason in enumerate(model) for i, s in self.table.get(reason, {}).items() if i < len(human)}
        return Matching(len(human), len(model), scores)

    def match_many(self, rows: Iterable[tuple[Sequence[str], Sequence[str]]]) -> list[Matching]:
        return [self.match(human, model) for human, model in rows]


BEST = Table({"x": {0: 0.75}, "y": {1: 1.0}, "z": {0: 0.25}, "both": {0: 1.0, 1: 0.5}})


def pair(id: Any, model: Any, **more: Any) -> dict[str, Any]:
    base = {"id": id, "context": f"c{id}", "response1": "one", "response2": "two", "domain": "code"}
    return base | {"human-checklist": ["p", "q"], "m-checklist": model} | more


def analysis(path: Path, judge: str) -> dict[str, Any]:
    """What the analysis script makes of a file, restated from method.md, "released scoring"."""
    scored, errors = [], 0
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        text = row["samples"][0]["generated_text"] if row["samples"] else None
        block = re.search(r"<RESULT_START>(.*?)<RESULT_END>", text, re.DOTALL) if text else None
        found = re.findall(r"- R(\d+)@S(\d+): (\d+(?:\.\d+)?)", block[1]) if block else []
        if not found or f"{judge}-checklist" not in row["metadata"]:
            errors += 1
            continue
        human, model = row["metadata"]["human-checklist"], row["metadata"][f"{judge}-checklist"]
        if len(model) > 10 or not model:
            continue
        assert len(found) == len(human)
        scored.append(released.score_lines([(int(r), int(s), float(v)) for r, s, v in found], len(human), min(len(model), 5)))
    return {name: mean(getattr(row, name) for row in scored) for name in FIGURES} | {"n": len(scored), "errors": errors}


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def figures(path: Path, scoring: Any, judge: str | None = None, **more: Any) -> dict[str, Any]:
    return next(iter(rescore(path, ScoreConfig(scoring, judge=judge, **more))["judges"].values()))


def test_the_round_trip_of_one_best_reason_is_exact(jsonl: Jsonl, tmp_path: Path) -> None:
    """Both scorings of the file are the run's, where each human reason has one score, as in mode best."""
    lists = (["x", "y"], ["y", "w", "x"], ["w"], ["both"], ["w", "v", "u", "t", "s", "x"])
    evaluate(jsonl(*(pair(k, model) for k, model in enumerate(lists))), (), BEST, tmp_path / "run")
    got = export_released(tmp_path / "run", tmp_path / "files")
    assert (got.files, got.other_scores, got.minimal, got.repeats) == ({"m": tmp_path / "files" / "m.jsonl"}, 0, 0, False)
    for scoring in ("paper", "released"):
        ours, theirs = figures(tmp_path / "run", scoring), figures(tmp_path / "files", scoring)
        assert {name: theirs[name] for name in (*FIGURES, "n", "recall_std")} == pytest.approx(
            {name: ours[name] for name in (*FIGURES, "n", "recall_std")}
        )
        assert theirs["errors"] == theirs["skipped"] == 0
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())["judges"]["m"]
    assert figures(tmp_path / "files", "paper")["recall"] == pytest.approx(summary["rationale_consistency"])


def test_the_analysis_script_gives_what_score_gives(jsonl: Jsonl, tmp_path: Path) -> None:
    lists: list[Any] = [["x", "y"], [], ["both", "x"], list("abcdefghijk"), ["w"], ["z", "y", "x"]]
    rows = [pair(k, model) for k, model in enumerate(lists)]
    rows.append(pair(9, None, **{"m-generated_text": None}))
    evaluate(jsonl(*rows), (), BEST, tmp_path / "run")
    got = export_released(tmp_path / "run", tmp_path / "one.jsonl")
    assert got.counts["m"] == {"rows": 7, "failed": 1}
    ours, theirs = figures(tmp_path / "one.jsonl", "released"), analysis(tmp_path / "one.jsonl", "m")
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs)
    assert (ours["n"], ours["errors"], ours["skipped"]) == (4, 1, 2)
    paper, run = figures(tmp_path / "one.jsonl", "paper"), figures(tmp_path / "run", "paper")
    assert (paper["n"], paper["empty"], run["n"]) == (6, 1, 6)  # a judge's silence counts as 0 in paper scoring


def test_of_several_scores_the_best_is_written(jsonl: Jsonl, tmp_path: Path) -> None:
    """The documented loss: `both` is R1's best, `z` has no place in the file; released recall stays, paper recall does not."""
    path = jsonl(pair(1, ["both", "z"]), pair(2, ["z", "x", "y"]))
    evaluate(path, (), BEST, tmp_path / "run")
    got = export_released(tmp_path / "run", tmp_path / "files")
    assert got.other_scores == 2
    texts = [row["samples"][0]["generated_text"] for row in rows_of(tmp_path / "files" / "m.jsonl")]
    assert texts == [
        "<RESULT_START>\n- R1@S1: 1.00\n- R2@S1: 0.50\n<RESULT_END>",
        "<RESULT_START>\n- R1@S2: 0.75\n- R2@S3: 1.00\n<RESULT_END>",
    ]
    run, files = figures(tmp_path / "run", "released"), figures(tmp_path / "files", "released")
    assert files["recall"] == run["recall"]
    assert files["precision"] <= run["precision"]
    assert figures(tmp_path / "files", "paper")["recall"] <= figures(tmp_path / "run", "paper")["recall"]


def test_the_best_is_sought_among_the_reasons_that_count(jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl(pair(1, ["z", "w", "x"]))
    evaluate(path, (), BEST, tmp_path / "run", config=EvaluateConfig(top_k=2))
    export_released(tmp_path / "run", tmp_path / "files")
    assert "- R1@S1: 0.25" in rows_of(tmp_path / "files" / "m.jsonl")[0]["samples"][0]["generated_text"]


def test_the_form_of_a_row(jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl(
        pair(7, [" x ", "", "y"], **{"m-label": "A>B", "n-checklist": ["other"], "note": {"k": 1}, "order": 3, "my-label": 1})
    )
    evaluate(path, ("m",), BEST, tmp_path / "run")
    export_released(tmp_path / "run", tmp_path / "files")
    (row,) = rows_of(tmp_path / "files" / "m.jsonl")
    assert row == {
        "prompt": "Judge's reasons:\nS1: x\nS2: y\nHuman's reasons:\nR1: p\nR2: q",
        "samples": [{"generated_text": "<RESULT_START>\n- R1@S1: 0.75\n- R2@S2: 1.00\n<RESULT_END>"}],
        "status": "success",
        "metadata": {
            "id": "7",
            "human-checklist": ["p", "q"],
            "m-checklist": ["x", "y"],
            "context": "c7",
            "response1": "one",
            "response2": "two",
            "domain": "code",
            "m-label": "A>B",
            "note": {"k": 1},
        },
        "extraction_result": {"scores": [[1, 1, 0.75], [2, 2, 1.0]], "is_ordered": True, "errors": []},
        "evaluator": "table 1",
    }


def test_an_input_that_is_gone_or_changed(jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl(pair(1, ["x"]), pair(2, ["y"]), pair(3, ["w"]))
    evaluate(path, (), BEST, tmp_path / "run")
    jsonl(pair(1, ["x"]), pair(2, ["another"]), pair(3, ["w"], **{"human-checklist": ["p"]}))
    got = export_released(tmp_path / "run", tmp_path / "changed")
    assert got.minimal == 2
    assert ["context" in row["metadata"] for row in rows_of(tmp_path / "changed" / "m.jsonl")] == [True, False, False]
    path.write_text('{"id": 1\n')
    assert export_released(tmp_path / "run", tmp_path / "broken").minimal == 3
    path.unlink()
    assert export_released(tmp_path / "run", tmp_path / "gone").minimal == 3
    assert rows_of(tmp_path / "gone" / "m.jsonl")[0]["metadata"] == {
        "id": "1",
        "human-checklist": ["p", "q"],
        "m-checklist": ["x"],
    }
    assert figures(tmp_path / "gone", "paper")["recall"] == figures(tmp_path / "changed", "paper")["recall"]


def test_rows_without_ids_and_results_files_as_input(jsonl: Jsonl, tmp_path: Path) -> None:
    """An export can be evaluated and exported again."""
    rows = [{k: v for k, v in pair(1, model).items() if k != "id"} for model in (["x"], ["y"])]
    evaluate(jsonl(*rows), (), BEST, tmp_path / "run")
    assert export_released(tmp_path / "run", tmp_path / "one.jsonl").minimal == 0
    assert [row["metadata"]["id"] for row in rows_of(tmp_path / "one.jsonl")] == ["1", "2"]
    evaluate(tmp_path / "one.jsonl", (), BEST, tmp_path / "again")
    assert export_released(tmp_path / "again", tmp_path / "two.jsonl").minimal == 0
    assert rows_of(tmp_path / "two.jsonl") == rows_of(tmp_path / "one.jsonl")


def test_swapped_games(jsonl: Jsonl, tmp_path: Path) -> None:
    human = ["Response 1 is wrong.", "q"]
    games = [{"order": "AB", "checklist": ["x"]}, {"order": "BA", "checklist": ["y"]}]
    row = pair(1, None, **{"human-checklist": human, "m-games": games, "label": "A"})
    del row["m-checklist"]
    evaluate(jsonl(row), (), BEST, tmp_path / "run")
    export_released(tmp_path / "run", tmp_path / "all.jsonl")
    ab, ba = (row["metadata"] for row in rows_of(tmp_path / "all.jsonl"))
    assert (ab["human-checklist"], "order" in ab, ab["response1"]) == (human, False, "one")
    swapped = {"human-checklist": [swap_sides(reason) for reason in human], "m-checklist": ["y"]}
    assert ba == {"id": "1", "order": "BA", **swapped, "context": "c1", "domain": "code"}  # nothing in the other game's letters
    assert figures(tmp_path / "all.jsonl", "paper")["recall"] == pytest.approx(figures(tmp_path / "run", "paper")["recall"])
    for order, reasons in (("AB", ["x"]), ("BA", ["y"])):
        export_released(tmp_path / "run", tmp_path / f"{order}.jsonl", order=order)
        assert [row["metadata"]["m-checklist"] for row in rows_of(tmp_path / f"{order}.jsonl")] == [reasons]


def test_failures_are_written_as_the_script_writes_them(jsonl: Jsonl, tmp_path: Path) -> None:
    """First comes a row with the judge's list: the analysis takes the judge's name from the first row."""
    gone = pair(1, None, **{"m-generated_text": None, "m-error": "timeout"})
    evaluate(jsonl(gone, pair(2, ["x"]), pair(3, ["y"], **{"human-checklist": []})), (), BEST, tmp_path / "run")
    rows = (tmp_path / "run" / "rows.jsonl").read_text().splitlines(keepends=True)
    failed = json.loads(rows[1]) | {"rationale_status": "matcher failed", "recall": None}
    (tmp_path / "run" / "rows.jsonl").write_text(rows[0] + rows[1] + rows[2] + json.dumps(failed | {"order": "BA"}) + "\n")
    with (tmp_path / "run" / "judgments.jsonl").open("a") as handle:
        handle.write(json.dumps({"id": "2", "judge": "m", "order": "BA", "reasons": ["late"]}) + "\n")
    with (tmp_path / "run" / "failures.jsonl").open("a") as handle:
        handle.write(json.dumps({"id": "2", "judge": "m", "order": "BA", "what": "matcher failed", "why": "rate limited"}) + "\n")
    got = export_released(tmp_path / "run", tmp_path / "one.jsonl")
    assert got.counts["m"] == {"rows": 3, "failed": 2, "left out": 1}
    ok, matcher, judge = rows_of(tmp_path / "one.jsonl")
    assert ok["status"] == "success"
    assert {key: matcher[key] for key in ("samples", "status", "error_message")} == {
        "samples": [],
        "status": "error",
        "error_message": "rate limited",
    }
    assert matcher["metadata"]["m-checklist"] == ["late"]
    assert matcher["prompt"].startswith("Judge's reasons:\nS1: late\n")
    assert (judge["status"], judge["samples"], judge["error_message"]) == ("error", [], "error: timeout")
    assert judge["metadata"] == {"id": "1", "human-checklist": ["p", "q"]}
    for scoring in ("paper", "released"):
        assert (figures(tmp_path / "one.jsonl", scoring)["n"], figures(tmp_path / "one.jsonl", scoring)["errors"]) == (1, 2)
    assert read_imported(tmp_path / "one.jsonl").unusable.total() == 2


def test_op3_a_file_a_judge_whatever_its_name(jsonl: Jsonl, tmp_path: Path) -> None:
    """OP3: every file in the folder, the true name in it, and none that the analysis script would take for an input file."""
    judges = [
        "Qwen/Qwen3-30B-A3B",
        "meta-llama/Llama-3.1-405B:bf16",
        "..\\..\\x",
        "../../etc/x",
        "con",
        "a",
        "模型",
        "my-input",
        ".",
    ]
    rows = [
        {"id": k, "human-checklist": ["p", "q"]} | {f"{j}-checklist": ["x", f"{n}"] for n, j in enumerate(judges)} for k in (1, 2)
    ]
    evaluate(jsonl(*rows), judges, BEST, tmp_path / "run")
    got = export_released(tmp_path / "run", tmp_path / "sub" / "files")
    files = sorted((tmp_path / "sub" / "files").iterdir())
    assert sorted(got.files.values()) == files
    assert {path.name for path in tmp_path.iterdir()} == {"run", "sub", "in.jsonl"}
    assert len({path.name.casefold() for path in files}) == len(judges)
    for judge, path in got.files.items():
        first = rows_of(path)[0]["metadata"]
        assert next(name for name in first if name.endswith("-checklist") and name != "human-checklist") == f"{judge}-checklist"
        assert "input" not in path.name or "output" in path.name
    assert set(rescore(tmp_path / "sub" / "files", ScoreConfig())["judges"]) == set(judges)


def test_what_was_exported_is_imported(jsonl: Jsonl, tmp_path: Path) -> None:
    lists = (["x", "y"], ["both"], ["line one\nS2: two", "x"])
    evaluate(jsonl(*(pair(k, model) for k, model in enumerate(lists))), (), BEST, tmp_path / "run")
    export_released(tmp_path / "run", tmp_path / "files")
    imported = read_imported(tmp_path / "files")
    assert (len(imported), imported.unusable) == (3, {})
    for model in lists:
        assert imported.find(("p", "q"), model) == BEST.match(["p", "q"], model)


@given(
    st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 6)), st.floats(1e-9, 1), max_size=12),
    st.sampled_from([None, 1, 5]),
)
def test_any_matching_is_read_back(scores: dict[tuple[int, int], float], top_k: int | None) -> None:
    matching = Matching(4, 7, scores)
    best, others = best_of(matching, top_k)
    row = result_row(["h"] * 4, list("abcdefg"), best, metadata_of(("1", "m", "AB"), ["h"] * 4, list("abcdefg"), None), "e")
    text = row["samples"][0]["generated_text"]
    read = parse_matching(text, 4, 7)
    assert read.notes == ()
    assert read.scores == {(i, s - 1): score for i, (s, score) in enumerate(best) if s}
    assert [line[:2] for line in released.read_lines(text)] == [(r, s) for r, (s, _) in enumerate(best, 1)]
    assert others + len(read.scores) == sum(j < (top_k or 7) for _, j in scores)


def test_refusals(jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl({"id": 1, "human-checklist": ["p"], "m-checklist": ["x"], "n-checklist": ["y"]})
    evaluate(path, (), BEST, tmp_path / "run")
    run = tmp_path / "run"
    with pytest.raises(UsageError, match=r"one.jsonl is one file, and the run has 2 judges; name one with --judge"):
        export_released(run, tmp_path / "one.jsonl")
    with pytest.raises(UsageError, match=r"in.jsonl is there already"):
        export_released(run, path, "m")
    export_released(run, tmp_path / "files", "M")
    with pytest.raises(UsageError, match=r"m.jsonl is there already; remove it"):
        export_released(run, tmp_path / "files")
    assert [file.name for file in (tmp_path / "files").iterdir()] == ["m.jsonl"]
    with pytest.raises(UsageError, match=r"holds no such rows \(only m, n\)"):
        export_released(run, tmp_path / "x", "q")
    with pytest.raises(UsageError, match="no game in order BA"):
        export_released(run, tmp_path / "x", order="BA")
    with pytest.raises(UsageError, match="no order"):
        export_released(run, tmp_path / "x", order="ba")
    with pytest.raises(UsageError, match="--out is empty"):
        export_released(run, "")
    with pytest.raises(DataError, match=r"no run\.json there"):
        export_released(tmp_path / "none", tmp_path / "x")
    (tmp_path / "plain").write_text("")
    with pytest.raises(UsageError, match="is a file; name a folder"):
        export_released(run, tmp_path / "plain")
    with pytest.raises(DataError, match="can't be written"):
        export_released(run, tmp_path / "plain" / "sub")
    (run / "matches.jsonl").write_text("")
    with pytest.raises(DataError, match=r"matches.jsonl: no whole row for id '1', judge m; run its command again"):
        export_released(run, tmp_path / "y")
    assert list((tmp_path / "y").iterdir()) == []
    (run / "rows.jsonl").unlink()
    with pytest.raises(DataError, match="not finished"):
        export_released(run, tmp_path / "y")


def test_of_repeats_the_first_is_written(jsonl: Jsonl, tmp_path: Path) -> None:
    evaluate(jsonl(pair(1, ["x"])), (), BEST, tmp_path / "run")
    (line,) = rows_of(tmp_path / "run" / "matches.jsonl")
    with (tmp_path / "run" / "matches.jsonl").open("a") as handle:
        handle.write(json.dumps(line | {"repeat": 1, "scores": []}) + "\n")
    got = export_released(tmp_path / "run", tmp_path / "one.jsonl")
    assert got.repeats
    assert "- R1@S1: 0.75" in rows_of(tmp_path / "one.jsonl")[0]["samples"][0]["generated_text"]
