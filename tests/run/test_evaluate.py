"""`evaluate` end to end through its public function: statuses, orders, resume, labels, symmetry."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from rationalerm import Matching, Summary, evaluate
from rationalerm.data.sides import swap_sides
from rationalerm.errors import DataError, ResumeError, UsageError
from rationalerm.run import EvaluateConfig

Jsonl = Callable[..., Path]

HUMAN = [
    "Response 1 cites the year 1997 for the moon landing, which is wrong.",
    "Response 2 leaves out the source of the quotation.",
]
SHARED = ["A gives a wrong year, 1997, for the moon landing.", "B omits where the quotation comes from."]


class Exact:
    """A matcher that is easy to reckon with: the same text scores 1, and it counts its calls."""

    name, version = "exact", "1"

    def __init__(self) -> None:
        self.rows = 0

    def match(self, human: Sequence[str], model: Sequence[str]) -> Matching:
        self.rows += 1
        return Matching(len(human), len(model), {(i, j): 1.0 for i, h in enumerate(human) for j, m in enumerate(model) if h == m})

    def match_many(self, rows: Iterable[tuple[Sequence[str], Sequence[str]]]) -> list[Matching]:
        return [self.match(human, model) for human, model in rows]


def row(key: str, **change: Any) -> dict[str, Any]:
    base = {
        "id": key,
        "context": key,
        "overall_preference": 1,
        "human-checklist": ["p", "q"],
        "m-checklist": ["p", "z"],
        "m-label": "B>A",
    }
    return base | change


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_whole_of_a_small_run(jsonl: Jsonl, tmp_path: Path) -> None:
    out = tmp_path / "run"
    summary = evaluate(jsonl(row("a"), row("b", **{"m-checklist": ["q", "p"], "m-label": "A>B"})), matcher=Exact(), out=out)
    judge = summary.judges["m"]
    assert isinstance(summary, Summary)
    assert judge["outcome_accuracy"].value == 0.5
    assert judge["rationale_consistency"].value == 0.75
    assert judge["precision"].value == 0.75
    assert sorted(p.name for p in out.iterdir()) == [
        "failures.jsonl",
        "judgments.jsonl",
        "matches.jsonl",
        "report.html",
        "rows.jsonl",
        "run.json",
        "summary.json",
    ]
    match = lines(out / "matches.jsonl")[1]
    assert {k: match[k] for k in ("id", "judge", "evaluator", "n_human", "n_model", "scores")} == {
        "id": "b", "judge": "m", "evaluator": "exact", "n_human": 2, "n_model": 2, "scores": [[0, 1, 1.0], [1, 0, 1.0]],
    }  # fmt: skip
    assert json.loads((out / "summary.json").read_text())["judges"]["m"]["rationale_consistency"] == 0.75
    assert [r["category"] for r in lines(out / "rows.jsonl")] == [
        "right verdict, shared reasons",
        "wrong verdict, shared reasons",
    ]


@pytest.mark.parametrize(
    ("change", "verdict_status", "rationale_status", "recall"),
    [
        ({}, "given", "scored", 0.5),
        ({"m-checklist": []}, "given", "scored", 0.0),  # silence does not raise RC
        ({"m-checklist": ["", " "]}, "given", "scored", 0.0),
        ({"m-checklist": None, "m-label": None, "m-generated_text": "\\boxed{B>A}"}, "given", "scored", 0.0),
        ({"m-checklist": None, "m-label": None, "m-generated_text": None}, "failed", "no answer", None),
        ({"m-checklist": None, "m-label": None, "m-generated_text": "  \n "}, "failed", "no answer", None),
        (
            {"m-checklist": None, "m-label": None, "m-generated_text": "1. p\n2. z", "m-finish_reason": "length"},
            "failed",
            "no answer",
            None,
        ),
        ({"m-checklist": None, "m-label": None, "m-generated_text": "1. p\n2. z"}, "none", "scored", 0.5),
        (
            {"m-checklist": None, "m-label": None, "m-generated_text": "I'm sorry, but I can't evaluate these responses."},
            "refused",
            "scored",
            0.0,
        ),
        ({"m-error": "HTTP 500", "m-generated_text": None, "m-checklist": None}, "failed", "no answer", None),
        ({"human-checklist": []}, "given", "no human reasons", None),
        ({"human-checklist": None}, "given", "no human reasons", None),
    ],
)
def test_the_two_statuses(
    jsonl: Jsonl, change: dict[str, Any], verdict_status: str, rationale_status: str, recall: float | None
) -> None:
    summary = evaluate(jsonl(row("a"), row("b", **change)), ["m"], Exact())
    game = summary.games["m"][1]
    assert (game.verdict_status, game.rationale_status) == (verdict_status, rationale_status)
    assert (game.score.recall if game.score else None) == recall


def test_a_matcher_that_fails_on_a_row_is_counted_not_zero(jsonl: Jsonl) -> None:
    pytest.importorskip("rationalerm.match.embedded")
    summary = evaluate(jsonl(row("a"), row("b", **{"human-checklist": None})), matcher=Exact())
    assert summary.judges["m"].counts["no human reasons"] == 1
    assert summary.judges["m"]["rationale_consistency"].n == 1


def test_both_orders_are_turned_back_and_averaged(jsonl: Jsonl) -> None:
    """design.md, Orders: in the swapped game the judge's letters, and so the human's reasons, change places."""
    games = [
        {"order": "AB", "checklist": ["Response 1 is wrong about x."], "verdict": "B>A"},
        {"order": "BA", "checklist": ["Response 2 is wrong about x."], "verdict": "A>B"},
    ]
    pair = {"id": "a", "overall_preference": 2, "human-checklist": ["Response 1 is wrong about x."], "m-games": games}
    judge = evaluate(jsonl(pair), matcher=Exact()).judges["m"]
    assert (judge["outcome_accuracy"].value, judge["rationale_consistency"].value, judge["consistent_accuracy"].value) == (
        1.0,
        1.0,
        1.0,
    )
    flipped = pair | {"m-games": [games[0], games[1] | {"verdict": "B>A", "checklist": ["Response 1 is wrong about x."]}]}
    judge = evaluate(jsonl(flipped), matcher=Exact()).judges["m"]
    assert (judge["outcome_accuracy"].value, judge["rationale_consistency"].value, judge.counts["inconsistent"]) == (0.5, 0.5, 1)


@pytest.mark.parametrize("matcher", ["embedded", "fast", "lexical"])
def test_swapping_rows_wholly_changes_nothing(jsonl: Jsonl, matcher: str) -> None:
    one = {"id": "a", "overall_preference": 2, "human-checklist": HUMAN, "m-checklist": SHARED, "m-label": "B>A"}
    letters = str.maketrans("AB", "BA")
    other = {
        "id": "a",
        "overall_preference": -2,
        "human-checklist": [swap_sides(reason) for reason in HUMAN],
        "m-checklist": [reason.translate(letters) for reason in SHARED],
        "m-label": "A>B",
    }
    first, second = (evaluate(jsonl(x), matcher=matcher).judges["m"] for x in (one, other))
    assert first["rationale_consistency"].value == second["rationale_consistency"].value
    assert first["rationale_consistency"].value is not None
    assert first["rationale_consistency"].value > 0
    assert first["outcome_accuracy"].value == second["outcome_accuracy"].value == 1.0


def test_vc1_me_labels_beside_texts_are_checked(jsonl: Jsonl) -> None:
    """A label beside a text never counts; contradictions are counted, a majority stops the run."""
    text = {"m-checklist": None, "m-generated_text": "- p\n\n\\boxed{B>A}"}
    good = [row(str(k), **text, **{"m-label": 1}) for k in range(3)]
    bad = row("x", **text, **{"m-label": -1})
    summary = evaluate(jsonl(*good, bad), matcher=Exact())
    assert summary.label_contradictions == {"m": (1, 4)}
    assert summary.judges["m"]["outcome_accuracy"].value == 1.0
    with pytest.raises(DataError, match=r"field 'm-label': contradicts the verdict in m-generated_text in 3 of 3 rows"):
        evaluate(jsonl(*(row(str(k), **text, **{"m-label": -1}) for k in range(3))), matcher=Exact())
    silent = row("a", **{"m-checklist": None, "m-generated_text": "- p\nIt depends.", "m-label": "B>A"})
    assert evaluate(jsonl(silent), matcher=Exact()).games["m"][0].verdict is None


def test_rc2_resume_matches_nothing_twice_and_notices_changed_texts(jsonl: Jsonl, tmp_path: Path) -> None:
    """RC2"""
    out, matcher = tmp_path / "run", Exact()
    path = jsonl(row("a"), row("b"))
    first = evaluate(path, matcher=matcher, out=out).to_json()
    crossed = matcher.rows - 2  # the chance level's rows
    evaluate(path, matcher=matcher, out=out)
    assert matcher.rows == 2 + 2 * crossed
    (out / "matches.jsonl").write_text((out / "matches.jsonl").read_text()[:-30])  # a torn tail
    assert evaluate(path, matcher=matcher, out=out).to_json() == first
    assert matcher.rows == 3 + 3 * crossed
    jsonl(row("a"), row("b", **{"m-checklist": ["z"]}), row("c"))
    summary = evaluate(path, matcher=matcher, out=out)
    assert [game.score.recall for game in summary.games["m"] if game.score] == [0.5, 0.0, 0.5]
    assert [r["id"] for r in lines(out / "matches.jsonl")] == ["a", "b", "c"]
    assert lines(out / "matches.jsonl")[1]["scores"] == []


def test_another_configuration_is_refused(jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl(row("a"))
    evaluate(path, matcher=Exact(), out=tmp_path / "run")
    with pytest.raises(ResumeError, match="top_k = 5, now 3"):
        evaluate(path, matcher=Exact(), out=tmp_path / "run", config=EvaluateConfig(top_k=3))
    with pytest.raises(UsageError, match="top-k"):
        evaluate(path, matcher=Exact(), config=EvaluateConfig(top_k=0))


def test_top_k_cuts_the_list(jsonl: Jsonl) -> None:
    path = jsonl(row("a", **{"m-checklist": ["x", "y", "p"]}))
    values = [
        evaluate(path, matcher=Exact(), config=EvaluateConfig(top_k=k)).judges["m"]["rationale_consistency"].value
        for k in (2, 3, None)
    ]
    assert values == [0.0, 0.5, 0.5]


def test_bad_rows_are_counted_where_they_are_skipped(jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl(row("a"), row("b", **{"human-checklist": "p; q"}), row("c"))
    with pytest.raises(DataError, match="row 2"):
        evaluate(path, matcher=Exact())
    summary = evaluate(path, matcher=Exact(), out=tmp_path / "run", skip_bad=True)
    assert (summary.rows, summary.bad_rows) == (2, 1)
    failure = lines(tmp_path / "run" / "failures.jsonl")[0]
    assert (failure["row"], failure["what"]) == (2, "bad row")
    assert "is a string, not a list" in failure["why"]


def test_failed_answers_never_reach_the_matcher_nor_score(jsonl: Jsonl, tmp_path: Path, run: Callable[..., Any]) -> None:
    bad = {"m-checklist": None, "m-label": None, "m-generated_text": None}
    evaluate(jsonl(row("a"), row("b", **bad)), ["m"], Exact(), tmp_path / "run")
    assert [r["id"] for r in lines(tmp_path / "run" / "matches.jsonl")] == ["a"]
    assert run("score", tmp_path / "run", "--json").json["judges"]["m"]["n"] == 1


def test_score_of_a_run_is_of_its_current_rows_and_a_pair(jsonl: Jsonl, tmp_path: Path, run: Callable[..., Any]) -> None:
    games = [{"order": "AB", "verdict": "A>B", "reasons": ["p"]}, {"order": "BA", "verdict": "A>B", "reasons": ["z"]}]
    path = jsonl(row("a"), {"id": "b", "human-checklist": ["p", "q"], "m-games": games}, row("c"))
    evaluate(path, ["m"], Exact(), tmp_path / "run")
    assert run("score", tmp_path / "run", "--json").json["judges"]["m"]["n"] == 3
    evaluate(path, ["m"], Exact(), tmp_path / "run", limit=2)
    got = run("score", tmp_path / "run", "--json").json["judges"]["m"]
    assert (got["n"], got["recall"]) == (2, pytest.approx((0.5 + 0.25) / 2))
    with (tmp_path / "run" / "matches.jsonl").open("a") as out:
        out.write('{"id": "to')
    assert run("score", tmp_path / "run", "--json").json["judges"]["m"]["n"] == 2
    assert "holds no judge 'x', only m" in run("score", tmp_path / "run", "--judge", "x").err


def test_a_damaged_match_is_done_again(jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl(row("a"))
    evaluate(path, matcher=Exact(), out=tmp_path / "run")
    (match,) = lines(tmp_path / "run" / "matches.jsonl")
    del match["n_human"]
    (tmp_path / "run" / "matches.jsonl").write_text(json.dumps(match) + "\n")
    assert evaluate(path, matcher=Exact(), out=tmp_path / "run").judges["m"]["rationale_consistency"].value == 0.5


def test_which_reason_matched_which_can_be_read(jsonl: Jsonl, tmp_path: Path) -> None:
    evaluate(jsonl(row("a")), matcher=Exact(), out=tmp_path / "run")
    (match,) = lines(tmp_path / "run" / "matches.jsonl")
    assert [(match["human_reasons"][i], match["judge_reasons"][j], s) for i, j, s in match["scores"]] == [("p", "p", 1.0)]


def test_a_judge_named_twice_is_one(jsonl: Jsonl) -> None:
    assert evaluate(jsonl(row("a")), ["m", "m"], Exact()).judges["m"].games == 1
    assert list(evaluate(jsonl(row("a")), "m", Exact()).judges) == ["m"]
    with pytest.raises(UsageError, match="input is list"):
        evaluate([row("a")], ["m"], Exact())  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="--judge m and --judge M name the same fields"):
        evaluate(jsonl(row("a")), ["m", "M"], Exact())


@pytest.mark.parametrize(
    "bad", [{"scoring": "other"}, {"top_k": 2.5}, {"spurious_under": float("nan")}, {"spurious_under": 2}, {"label_map": "0"}]
)
def test_a_configuration_is_checked_once(bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        EvaluateConfig(**bad)


def test_the_advice_of_an_error_can_be_followed_in_the_same_folder(jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl({"why": ["p"], "m-checklist": ["p"]})
    with pytest.raises(DataError, match="point --human-field at"):
        evaluate(path, matcher=Exact(), out=tmp_path / "run")
    assert evaluate(path, matcher=Exact(), out=tmp_path / "run", config=EvaluateConfig(human_field="why")).rows == 1


def test_the_limit_changes_no_score(jsonl: Jsonl) -> None:
    path = jsonl(*(row(str(k), **{"human-checklist": HUMAN, "m-checklist": SHARED[: 1 + k % 2]}) for k in range(8)))
    whole = [game.score for game in evaluate(path).games["m"]]
    assert [game.score for game in evaluate(path, limit=3).games["m"]] == whole[:3]


def test_works_inside_a_running_event_loop(jsonl: Jsonl) -> None:
    path = jsonl(row("a"))

    async def inside() -> Summary:
        return evaluate(path, matcher=Exact())

    assert asyncio.run(inside()).rows == 1


def test_kill_and_resume_gives_the_same_files(tmp_path: Path) -> None:
    """kill -9 in the middle, then the same command: the files equal an uninterrupted run's."""
    from rationalerm.commands import demo

    sample = Path(demo.__file__).parent.parent / "sample" / "pairs.jsonl"
    base = [json.loads(line) for line in sample.read_text("utf-8").splitlines()]
    many = tmp_path / "many.jsonl"
    many.write_text("".join(json.dumps(r | {"id": f"{r['id']}/{k}"}) + "\n" for k in range(30) for r in base), "utf-8")
    command = [
        sys.executable,
        "-m",
        "rationalerm",
        "evaluate",
        str(many),
        "--judge",
        "checks",
        "--json",
        "--matcher",
        "lexical",
        "--out",
    ]
    whole = subprocess.run([*command, str(tmp_path / "whole")], capture_output=True, check=True)
    process = subprocess.Popen([*command, str(tmp_path / "cut")], stdout=subprocess.DEVNULL)
    matches = tmp_path / "cut" / "matches.jsonl"
    deadline = time.monotonic() + 60
    while not (matches.exists() and matches.stat().st_size) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "cut" / "summary.json").exists(), "it was not stopped in the middle"
    resumed = subprocess.run([*command, str(tmp_path / "cut")], capture_output=True, check=True)
    assert json.loads(resumed.stdout) == json.loads(whole.stdout)
    for name in ("rows.jsonl", "matches.jsonl", "judgments.jsonl", "summary.json", "failures.jsonl"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_is_one_line_and_130(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rationalerm", "evaluate", "-", "--out", str(tmp_path / "run")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdin is not None
    for k in range(100):  # of the second batch not all has come
        process.stdin.write(json.dumps(row(str(k))) + "\n")
    process.stdin.flush()
    matches = tmp_path / "run" / "matches.jsonl"
    deadline = time.monotonic() + 60
    while not (matches.exists() and matches.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.strip().splitlines()[-1] == "rationalerm: stopped; what was finished is kept, the same command goes on from there"
    assert "Traceback" not in err
    assert len(lines(matches)) == 64


def test_a_baseline_that_holds_is_said(jsonl: Jsonl, tmp_path: Path, run: Any) -> None:
    rows = jsonl(*(row(name) for name in "abcdef"))
    assert run("evaluate", rows, "--out", tmp_path / "first", "--json").code == 0
    done = run("evaluate", rows, "--baseline", tmp_path / "first", "--json")
    assert done.code == 0
    assert "m compared on up to 6 common rows: none is worse by more than noise" in " ".join(done.err.split())
