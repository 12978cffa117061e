"""Games to summaries and comparisons."""

from __future__ import annotations

from typing import Any

import pytest

from rationalerm.score.compare import compare, paired
from rationalerm.score.rows import GameResult, category
from rationalerm.score.summary import summarise
from rationalerm.types import RowScore, Verdict


def game(key: str, verdict: int | None = -1, recall: float | None = 0.5, **change: Any) -> GameResult:
    score = None if recall is None else RowScore(recall, recall, recall, recall, recall)
    fields: dict[str, Any] = {
        "id": key, "judge": "j", "order": "AB", "cluster": key, "domain": None, "label": -1,
        "verdict": None if verdict is None else Verdict(verdict), "verdict_status": "none" if verdict is None else "given",
        "rationale_status": "no answer" if recall is None else "scored", "score": score, "n_human": 2, "n_model": 3,
    }  # fmt: skip
    return GameResult(**fields | change)


def test_fa1_failures_are_not_in_the_mean() -> None:
    """FA1: 5, 5, unreadable against 4, 4, 4."""
    x = summarise([game("1", recall=1.0), game("2", recall=1.0), game("3", recall=None)], "x")
    y = summarise([game(str(k), recall=0.8) for k in range(3)], "y")
    assert (x["rationale_consistency"].value, x["rationale_consistency"].n, x.counts["no answer"]) == (1.0, 2, 1)
    assert (y["rationale_consistency"].value, y["rationale_consistency"].n, y.counts["no answer"]) == (pytest.approx(0.8), 3, 0)


def test_me2_every_row_is_accounted_for() -> None:
    """ME2: total = the sum of the statuses, for verdicts and for rationales."""
    rows = [game("1"), game("2", recall=0.0, n_model=0), game("3", recall=None),
            game("4", None, None, rationale_status="matcher failed"),
            game("5", recall=None, rationale_status="no human reasons", verdict_status="given")]  # fmt: skip
    counts = summarise(rows, "j").counts
    assert counts["given"] + counts["none"] + counts["refused"] + counts["failed"] == 5
    assert counts["scored"] + counts["no human reasons"] + counts["no answer"] + counts["matcher failed"] == 5
    assert counts["no reasons"] == 1
    assert summarise(rows, "j")["rationale_consistency"].value == 0.25


def test_oa_with_and_without_missing_verdicts() -> None:
    rows = [game("1"), game("2", 1), game("3", None), game("4", 0), game("5", label=0), game("6", label=None)]
    summary = summarise(rows, "j")
    assert (summary["outcome_accuracy"].value, summary["outcome_accuracy"].n) == (pytest.approx(1 / 3), 3)
    assert (summary["outcome_accuracy_all"].value, summary["outcome_accuracy_all"].n) == (0.25, 4)
    assert (summary.counts["judge tie"], summary.counts["human tie"], summary.counts["unlabelled"]) == (1, 1, 1)


def test_without_labels_oa_is_null_not_zero() -> None:
    summary = summarise([game("1", label=None)], "j").to_json()
    assert summary["outcome_accuracy"] is None
    assert summary["outcome_accuracy_n"] == 0
    assert summary["rationale_consistency"] == 0.5


def test_s_corr_is_over_right_verdicts_with_a_scored_rationale() -> None:
    rows = [
        game("1", recall=0.2),
        game("2", recall=0.25),
        game("3", 1, recall=0.0),
        game("4", recall=None),
        game("5", None, recall=0.0),
    ]
    summary = summarise(rows, "j")
    assert (summary["s_corr"].value, summary["s_corr"].n) == (0.5, 2)
    assert summarise(rows, "j", spurious_under=0.3)["s_corr"].value == 1.0


def test_two_games_are_averaged_a_pair() -> None:
    rows = [
        game("1", recall=1.0),
        game("1", recall=0.0, order="BA"),
        game("2", 1, recall=0.0),
        game("2", recall=None, order="BA"),
    ]
    summary = summarise(rows, "j")
    assert (summary.n, summary.games) == (2, 4)
    assert summary["outcome_accuracy"].value == pytest.approx((1.0 + 0.5) / 2)
    assert summary["rationale_consistency"].value == pytest.approx((0.5 + 0.0) / 2)


def test_pd2_a_judge_that_picks_the_first_place() -> None:
    """PD2: verdicts are in the row's letters, so first place twice is A then B: 0% consistent wins, first position 100%."""
    rows = [g for k in range(6) for g in (game(str(k), -1), game(str(k), 1, order="BA"))]
    summary = summarise(rows, "j")
    assert summary["consistent_accuracy"].value == 0.0
    assert summary["first_position_rate"].value == 1.0
    assert (summary.counts["inconsistent"], summary.counts["consistent tie"]) == (6, 0)
    ties = summarise([game("1", 0), game("1", 0, order="BA")], "j")
    assert (ties.counts["inconsistent"], ties.counts["consistent tie"]) == (0, 1)


def test_a_failed_game_says_nothing_of_both_orders() -> None:
    failed: dict[str, Any] = {"verdict": None, "recall": None, "verdict_status": "failed"}
    rows = [game("1"), game("1", order="BA"), game("2"), game("2", order="BA", **failed)]
    summary = summarise(rows, "j")
    assert (summary["consistent_accuracy"].value, summary["consistent_accuracy"].n) == (1.0, 1)
    silent = summarise([*rows[:2], game("2"), game("2", None, None, order="BA")], "j")  # it answered, without a verdict
    assert (silent["consistent_accuracy"].value, silent["consistent_accuracy"].n) == (0.5, 2)


def test_a_judge_that_never_answered_has_no_accuracy() -> None:
    failed: dict[str, Any] = {"verdict": None, "recall": None, "verdict_status": "failed"}
    rows = [game(key, order=order, domain=key, **failed) for key in "12" for order in ("AB", "BA")]
    summary = summarise(rows, "j")
    assert {name: (of.value, of.n) for name, of in summary.means.items() if of.value is not None or of.n} == {}
    one = summarise([*rows[:2], game("2", domain="2"), game("2", order="BA", domain="2")], "j")
    assert (one["outcome_accuracy_all"].value, one.domains["1"]["outcome_accuracy_all"].value) == (0.5, None)
    assert summarise([game("1", None, None)], "j")["outcome_accuracy_all"].value == 0.0  # it answered, without a verdict


def test_domains_and_categories() -> None:
    rows = [game("1", domain="code"), game("2", 1, domain="stem"), game("3", recall=0.1, domain="stem")]
    summary = summarise(rows, "j")
    assert {name: part.n for name, part in summary.domains.items()} == {"code": 1, "stem": 2}
    assert [category(row, 0.25) for row in rows] == [
        "right verdict, shared reasons",
        "wrong verdict, shared reasons",
        "right verdict, wrong reasons",
    ]
    assert category(game("4", None), 0.25) == "no verdict (none)"
    assert category(game("5", label=0), 0.25) == "human tie"
    assert category(game("6", recall=None), 0.25) == "right verdict, reasons not scored"


def test_rows_read_back() -> None:
    for row in (game("1"), game("2", None, None), game("3", 2, label=None, domain="code")):
        assert GameResult.from_json(row.to_json(0.25)) == row


def test_comparisons_use_common_rows_only() -> None:
    a = [game(str(k), recall=0.9) for k in range(20)]
    b = [game(str(k), recall=0.1) for k in range(10, 40)]
    (outcome, rationale) = compare({"a": a, "b": b})
    assert (outcome.metric, outcome.n, outcome.p) == ("outcome_accuracy", 10, 1.0)
    assert rationale.n == 10
    assert rationale.p < 0.01
    assert rationale.to_json()["difference"] == pytest.approx(-0.8)
    assert paired(a, [game("x")], "outcome_accuracy") is None
