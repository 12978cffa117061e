"""The human ceiling: annotators against each other, by hand, on constructed rows, and on the real row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rationalerm import evaluate
from rationalerm.data.annotators import Annotator, annotators_of, merged, side_of_scores
from rationalerm.data.pairs import Columns, PairFile
from rationalerm.errors import DataError
from rationalerm.match import LexicalMatcher
from rationalerm.run.ceiling import human_ceiling
from rationalerm.run.config import EvaluateConfig
from rationalerm.score.ceiling import Ceiling
from rationalerm.types import Matching

CONFIG = EvaluateConfig()


class Same:
    """A matcher of equal texts alone; nothing is faked but the matching, which is then done by eye."""

    name, version = "same", "1"

    def match(self, human: Sequence[str], model: Sequence[str]) -> Matching:
        scores = {(i, j): 1.0 for i, one in enumerate(human) for j, other in enumerate(model) if one == other}
        return Matching(len(human), len(model), scores)

    def match_many(self, rows: Any) -> list[Matching]:
        return [self.match(*row) for row in rows]


def row(key: str, people: list[dict[str, Any]], prompt: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": key, "context": prompt or f"prompt {key}", "response1": "x", "response2": "y", "overall_preference": -1,
        "individual_preference": people, "j-generated_text": "1. It is right.\n[[A]]", **more,
    }  # fmt: skip


def person(score: Any, *reasons: str) -> dict[str, Any]:
    return {"score": score, "checklist": list(reasons)}


def found(tmp_path: Path, rows: list[dict[str, Any]], config: EvaluateConfig = CONFIG, **options: Any) -> Ceiling | None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return human_ceiling(PairFile(path, Columns(), **options), Same(), config)


def test_leave_one_out_by_hand(tmp_path: Path) -> None:
    made = found(tmp_path, [row("1", [person(-2, "a", "b"), person(-1, "a"), person(3, "c", "b")])])
    assert made is not None
    # against the rest: {a, c, b} has a and b: 2/3; {a, b, c} has a: 1/3; {a, b} has b: 1/2
    # sides: the rest's means are 1, 1/2, -3/2
    assert made["rationale_consistency"].value == pytest.approx((2 / 3 + 1 / 3 + 1 / 2) / 3)
    assert made["outcome_accuracy"].value == 0.0
    assert (made.rows, made.annotators, made.one_annotator, made["rationale_consistency"].n) == (1, 3, 0, 1)
    assert made["rationale_consistency"].interval is None  # one prompt
    assert made.matcher == "same 1"


def test_rows_are_the_unit_and_prompts_the_clusters(tmp_path: Path) -> None:
    agree, differ = [person(-1, "a"), person(-2, "a"), person(-1, "a")], [person(-1, "a"), person(1, "b")]
    rows = [row(str(k), agree if k % 2 else differ, prompt=f"p{k // 2}", domain="code" if k < 6 else "math") for k in range(12)]
    made = found(tmp_path, rows)
    assert made is not None
    assert (made["outcome_accuracy"].value, made["rationale_consistency"].value) == (0.5, 0.5)  # not weighted by annotators
    assert (made.rows, made.annotators, made["outcome_accuracy"].n) == (12, 30, 12)
    assert made["outcome_accuracy"].interval is not None
    assert {name: of.rows for name, of in made.domains.items()} == {"code": 6, "math": 6}
    text = made.to_json()
    assert set(text["domains"]["code"]) == set(text) - {"domains", "matcher"}
    assert text["rationale_consistency_n"] == 12


def test_what_has_no_figure_is_counted_apart(tmp_path: Path) -> None:
    rows = [
        row("one", [person(-1, "a")], domain="code"),
        row("none", []),
        row("tie", [person(-1, "a"), person(1, "a"), person(2, "a")]),  # the third's rest is a tie, the others' is not
        row("mute", [{"score": -1}, {"score": -1, "reasoning": "Response 1 names the unit."}]),
        row("blank", [{"reasoning": ""}, {"score": None, "reasoning": "Response 1 names the unit."}]),
        row("no score", [person(None, "a"), person(-1, "a"), person(True, "a")]),
    ]
    made = found(tmp_path, rows)
    assert made is not None
    assert (made.rows, made.annotators, made.one_annotator) == (3, 8, 2)  # an annotator who left nothing is none
    assert (made.human_ties, made.said_nothing, made.no_reasons_against, made.no_score) == (1, 1, 1, 3)
    assert made["outcome_accuracy"].n == 2
    # mute: who said nothing is not scored, and the other has nothing to be held against
    assert made["rationale_consistency"].n == 2
    assert made["rationale_consistency"].value == 1.0


def test_the_runs_top_k_and_scoring_hold(tmp_path: Path) -> None:
    rows = [row(str(k), [person(-1, "a", "b"), person(-1, "b", "c", "a")]) for k in range(3)]
    values = [
        (found(tmp_path, rows, EvaluateConfig(top_k=k, scoring=scoring)) or pytest.fail("none"))["rationale_consistency"].value
        for k, scoring in ((None, "paper"), (1, "paper"), (1, "released"))
    ]
    assert values[0] == pytest.approx((2 / 3 + 1) / 2)
    assert values[1] == values[2] == pytest.approx((1 / 3 + 1 / 2) / 2)


def test_prose_becomes_atoms_as_for_any_helpsteer3_row() -> None:
    people = annotators_of(
        row("1", [
            {"score": -1, "reasoning": "@Response 1 names the unit. @Response 1 is better than @Response 2.",
             "feedback1": "It compiles.", "feedback2": ""},
            {"score": 2.5, "reasoning": "@Response 1 names the unit."},
            {"score": 1, "reasoning": "Response 2 is better than Response 1."},
            "not an annotator",
        ])
    )  # fmt: skip
    assert people == (
        Annotator(-1.0, ("@Response 1 names the unit.", "Response 1: It compiles."), True),
        Annotator(2.5, ("@Response 1 names the unit.",), True),
        Annotator(1.0, (), True),
    )
    assert merged(people) == ("@Response 1 names the unit.", "Response 1: It compiles.")
    assert (side_of_scores(people), side_of_scores(people[:1]), side_of_scores(())) == (1, -1, None)
    assert side_of_scores((people[0], people[2])) == 0


def test_nothing_to_measure(tmp_path: Path) -> None:
    assert found(tmp_path, [{"human-checklist": ["a"], "j-checklist": ["a"], "label": -1}]) is None
    late = [row("1", []), row("2", [person(-1, "a"), person(-1, "a")])]
    assert found(tmp_path, late, limit=1) is None
    assert human_ceiling(PairFile("-"), Same(), CONFIG) is None
    only = found(tmp_path, [row("1", [person(-1, "a")])])
    assert only is not None
    assert (only.rows, only.one_annotator, only["rationale_consistency"].value) == (0, 1, None)


def test_a_bad_checklist_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"rows.jsonl, row 1, .*individual_preference.*an annotator's checklist is a string"):
        found(tmp_path, [row("1", [{"score": -1, "checklist": "one, two"}])])


def test_the_runs_own_reading_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row("1", [person(-1, "a"), person(-1, "a")])) + "\n{broken\n")
    source = PairFile(path, Columns(), skip_bad=True)
    list(source)
    before = (source.judges, source.bad, source.prose_rows)
    assert human_ceiling(source, Same(), CONFIG) is not None
    assert (source.judges, source.bad, source.prose_rows) == before


def test_the_real_row(shared: Path) -> None:
    path = shared / "data" / "helpsteer_rows" / "helpsteer3_preference.jsonl"
    made = human_ceiling(PairFile(path, judged=False), LexicalMatcher(), CONFIG)
    assert made is not None
    assert (made.rows, made.annotators, made.human_ties) == (1, 3, 0)
    assert made["outcome_accuracy"].value == 1.0
    assert made["rationale_consistency"].value is not None
    assert 0 <= made["rationale_consistency"].value < 1
    assert list(made.domains) == ["code"]


def test_what_comes_after_the_rows_shows_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[str, int]] = []

    class Seen:
        def __init__(self, what: str, total: int | None = None) -> None:
            self.what = what

        def add(self, count: int) -> None:
            shown.append((self.what, count))

        def close(self) -> None:
            shown.append((self.what, 0))

    monkeypatch.setattr("rationalerm.run.ceiling.Progress", Seen)
    monkeypatch.setattr("rationalerm.run.evaluation.Progress", Seen)
    path = tmp_path / "rows.jsonl"
    rows = [row(str(k), [person(-2, "a"), person(-1, "b")], **{"human-checklist": ["a"]}) for k in range(50)]
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    evaluate(path, matcher=Same(), progress=True)
    after = [("judges' chance levels", 1), ("judges' chance levels", 0)]
    people = [("annotators against the others", count) for count in (64, 36, 0)]
    assert shown == [("rows", 50), ("rows", 0), *after, *people]
