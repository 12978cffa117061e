"""HelpSteer3-Atomic: the numbers of `evaluate` on the same answers, a domain each; judges without reasons; both orders."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rationalerm
from rationalerm import EmbeddedMatcher
from rationalerm.bench.base import Played
from rationalerm.bench.helpsteer3 import HelpSteer3
from rationalerm.data.sides import swap_sides
from rationalerm.types import Message, Pair, Verdict

Run = Callable[..., Any]
Jsonl = Callable[..., Path]
SAMPLE = Path(rationalerm.__file__).parent / "sample" / "pairs.jsonl"
MEANS = ("outcome_accuracy", "outcome_accuracy_all", "rationale_consistency", "average_precision", "precision", "s_corr")


def test_as_evaluate_has_it(run: Run) -> None:
    judges = rationalerm.evaluate(SAMPLE).judges
    said = run("bench", "helpsteer3", "--judge", "file", "--data", SAMPLE, "--json")
    assert said.code == 0
    assert set(said.json["judges"]) == set(judges) == {"checks", "surface", "noisy"}
    for name, expected in judges.items():
        got = said.json["judges"][name]
        assert got["overall"]["score"] == expected["outcome_accuracy"].value
        assert list(got["domains"]) == ["general", "stem", "code", "multilingual"]
        for mean in MEANS:
            assert got["summary"][mean] == expected[mean].value
            assert got["summary"][f"{mean}_ci"] == list(expected[mean].interval or ())
            for domain, part in expected.domains.items():
                assert got["domains"][domain][mean] == part[mean].value
        assert got["counts"]["failed"] == expected.counts["failed"]
        assert got["counts"]["human tie"] == expected.counts["human tie"]


def test_results_by_id_are_the_same_results(run: Run, jsonl: Jsonl) -> None:
    rows = [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]
    outputs = jsonl(*({"id": row["id"], "text": row["checks-generated_text"]} for row in rows), name="outputs.jsonl")
    words = ("bench", "helpsteer3", "--judge", "file", "--data", SAMPLE, "--json")
    inside = run(*words, "--name", "checks").json
    beside = run(*words, "--outputs", outputs, "--name", "checks").json
    assert beside["summary"] == inside["summary"]
    assert beside["domains"] == inside["domains"]
    part = run(*words, "--outputs", outputs, "--domains", "code,stem").json
    assert list(part["domains"]) == ["stem", "code"]
    assert part["domains"]["code"] == inside["domains"]["code"]
    assert part["counts"]["results outside this run"] == len(rows) - part["counts"]["pairs"]


def pairs() -> list[Pair]:
    human = ("Response 1 miscounts the rows: it says 41.", "Response 2 cites the wrong year, 1987.")
    return [
        Pair(str(k), (Message("user", str(k)),), "a", "bb", (-1, 1, 0)[k], human_reasons=human, cluster=str(k)) for k in range(3)
    ]


def test_swapping_a_game_wholly_changes_nothing() -> None:
    """In the swapped game the letters change places in the human's reasons too."""
    reasons = ("Response 1 says 41, which miscounts the rows.",)
    protocol = HelpSteer3(pairs(), EmbeddedMatcher())
    given = {(str(k), "AB"): Played(Verdict.A_BETTER, "given", reasons) for k in range(3)}
    turned = {(str(k), "BA"): Played(Verdict.B_BETTER, "given", tuple(map(swap_sides, reasons))) for k in range(3)}
    one, other = (protocol.result(games, {}) for games in (given, turned))  # type: ignore[arg-type]
    assert one.tables["summary"]["rationale_consistency"] == pytest.approx(other.tables["summary"]["rationale_consistency"])
    assert one.tables["summary"]["rationale_consistency"] > 0.3
    both = protocol.result(given | turned, {})  # type: ignore[arg-type]
    assert both.effects["flip_rate"].value == 0.0
    assert both.overall.value == 0.5
    assert both.counts["human tie"] == 1  # BS2: a tie is no win of the second response


def test_a_judge_that_gives_no_reasons_has_no_rc_and_silence_is_not_that() -> None:
    protocol = HelpSteer3(pairs(), EmbeddedMatcher())
    scores = {f"{k}:{side}": float(value) for k in range(3) for side, value in (("1", 2 - k), ("2", k))}
    scalar = protocol.result({}, scores).tables["summary"]  # type: ignore[arg-type]
    assert scalar["rationale_consistency"] is None
    assert scalar["outcome_accuracy"] == 0.5  # 2:0 right, 1:1 a tie on a decided pair, and the human's tie left out
    silent = protocol.result({("0", "AB"): Played(Verdict.A_BETTER)}, {}).tables["summary"]
    assert silent["rationale_consistency"] == 0.0
    failed = protocol.result({("0", "AB"): Played(None, "failed")}, {}).tables["summary"]
    assert failed["rationale_consistency"] is None
    assert failed["outcome_accuracy"] is None


def test_real_rows_in_both_shapes(shared: Path, run: Run, jsonl: Jsonl) -> None:
    """BS2: a preference row's sign, its turns, the annotators' prose as reasons."""
    preference = shared / "data" / "helpsteer_rows" / "helpsteer3_preference.jsonl"
    row = json.loads(preference.read_text("utf-8").splitlines()[0])
    verdict = "B>A" if row["overall_preference"] > 0 else "A>B"
    outputs = jsonl({"id": "1", "order": "AB", "verdict": verdict})
    ran = run("bench", "helpsteer3", "--judge", "file", "--data", preference, "--outputs", outputs, "--json")
    assert ran.code == 0, ran.err
    assert ran.json["overall"]["score"] == 1.0
    assert ran.json["summary"]["rationale_consistency"] is None
