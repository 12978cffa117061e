"""The held-out figures of a training are those that `evaluate` gives for the same answers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import rationalerm
from rationalerm import EmbeddedMatcher, LexicalMatcher, evaluate
from rationalerm.reward import Truth
from rationalerm.train.genrm.measuring import Answered, measure

SAMPLE = Path(rationalerm.__file__).parent / "sample" / "pairs.jsonl"


def answered(judge: str) -> list[Answered]:
    """The sample's rows that have an answer, a label and reasons, as games of a training."""
    out = []
    for row in map(json.loads, SAMPLE.read_text("utf-8").splitlines()):
        text, human, label = row[f"{judge}-generated_text"], row["human-checklist"], row["overall_preference"]
        if text and human:
            truth = Truth.load({"human_reasons": human, "label": label, "responses": [row["response1"], row["response2"]]})
            cut = row.get(f"{judge}-finish_reason") == "length"
            out.append(Answered(row["id"], "AB", row["id"], text, truth, row["domain"], truncated=cut))
    return out


@pytest.mark.parametrize("judge", ["checks", "surface", "noisy"])
def test_the_same_figures_as_evaluate(judge: str, tmp_path: Path) -> None:
    answers = answered(judge)
    kept = {answer.id for answer in answers}
    rows = [line for line in SAMPLE.read_text("utf-8").splitlines() if json.loads(line)["id"] in kept]
    file = tmp_path / "kept.jsonl"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    theirs = evaluate(file, [judge]).judges[judge]
    mine = measure(5, answers, EmbeddedMatcher()).summary
    for name in ("outcome_accuracy", "outcome_accuracy_all", "rationale_consistency", "average_precision", "precision", "s_corr"):
        assert mine[name].value == pytest.approx(theirs[name].value), name
        assert mine[name].n == theirs[name].n, name


def test_a_game_that_is_answered_twice_counts_once() -> None:
    answers = answered("checks")[:10]
    once, twice = (measure(1, many, LexicalMatcher()).to_json() for many in (answers, answers + answers[:3]))
    assert once == twice


def test_an_answer_that_was_cut_off_is_unscored() -> None:
    answers = answered("checks")[:10]
    cut = [replace(answer, truncated=True, text=(answer.text or "")[:80]) for answer in answers[:4]]
    summary = measure(1, cut + answers[4:], LexicalMatcher()).summary
    assert summary["rationale_consistency"].n == 6
    assert summary.counts["no answer"] == 4


def test_the_generic_share_is_over_answers_with_reasons() -> None:
    answers = answered("surface")
    done = measure(1, [*answers, replace(answers[0], id="empty", text="\\boxed{A>B}")], LexicalMatcher())
    assert done.generic.n == done.reasons.n <= len(answers)
    assert done.generic.value is not None
    assert done.generic.value > (measure(1, answered("checks"), LexicalMatcher()).generic.value or 0)


def test_two_evaluations_are_compared_on_what_both_have() -> None:
    first, last = measure(0, answered("surface"), LexicalMatcher()), measure(9, answered("checks"), LexicalMatcher())
    change = last.against(first)
    assert change["rationale_consistency"].mean_second > change["rationale_consistency"].mean_first
    assert change["rationale_consistency"].p < 0.01


def test_both_games_of_a_pair_are_one_pair() -> None:
    """Each in its letters: a policy that always says A is right in one of the two, and consistent in none."""
    truth = Truth(("Response B gives 1914.",), "B>A", ("1912", "1914"))
    turned = Truth(("Response A gives 1914.",), "A>B", ("1914", "1912"))
    says_a = "1. Response A gives 1914.\n\\boxed{A>B}"
    done = measure(1, [Answered("p", "AB", "c", says_a, truth), Answered("p", "BA", "c", says_a, turned)], LexicalMatcher())
    assert (done.summary.n, done.summary.games) == (1, 2)
    assert done.summary["outcome_accuracy"].value == 0.5
    assert done.summary["consistent_accuracy"].value == 0.0
    assert [game.order for game in done.games] == ["AB", "BA"]
    assert done.summary["first_position_rate"].value == 1.0
