"""A row's metrics in paper scoring, against brute force and worked examples."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rationalerm.score.consistency import cut, merge_copies, rationale_scores
from rationalerm.types import Matching, RowScore

QUARTERS = st.sampled_from([0.25, 0.5, 0.75, 1.0])


@st.composite
def matchings(draw: st.DrawFn, most: int = 4) -> Matching:
    n, m = draw(st.integers(1, most)), draw(st.integers(1, most))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, m - 1)), unique=True, max_size=n * m))
    return Matching(n, m, {pair: draw(QUARTERS) for pair in pairs})


def brute(matching: Matching) -> RowScore:
    """Every one-to-one pairing; ties: the earliest ranks (as bits), then the lowest human index by rank."""
    n, m = matching.n_human, matching.n_model
    best = None
    for humans in permutations([*range(n), *[None] * m], m):
        pairs = [(i, j, matching.scores[i, j]) for j, i in enumerate(humans) if i is not None and (i, j) in matching.scores]
        key = (sum(s for *_, s in pairs), [any(j == k for _, j, _ in pairs) for k in range(m)], [-i for i, _, _ in pairs])
        if best is None or key > best[0]:
            best = key, pairs
    assert best is not None
    pairs = best[1]
    total = sum(s for *_, s in pairs)
    ranks = {j: s for _, j, s in pairs}
    ap = sum(sum(k in ranks for k in range(j + 1)) / (j + 1) for j in ranks) / n
    soft = sum(s * sum(ranks.get(k, 0) for k in range(j + 1)) / (j + 1) for j, s in ranks.items()) / n
    recall, precision = total / n, total / m
    return RowScore(recall, precision, 2 * recall * precision / (recall + precision) if total else 0.0, ap, soft)


def close(a: RowScore, b: RowScore) -> bool:
    names = RowScore.__slots__
    return all(getattr(a, name) == pytest.approx(getattr(b, name), abs=1e-12) for name in names)


@given(matchings())
def test_metrics_equal_brute_force(matching: Matching) -> None:
    assert close(rationale_scores(matching, top_k=None), brute(matching))


@given(matchings(), st.randoms(use_true_random=False))
def test_the_order_of_human_reasons_changes_nothing(matching: Matching, random: object) -> None:
    order = list(range(matching.n_human))
    random.shuffle(order)  # type: ignore[attr-defined]
    turned = Matching(matching.n_human, matching.n_model, {(order[i], j): s for (i, j), s in matching.scores.items()})
    a, b = rationale_scores(matching), rationale_scores(turned)
    assert (a.recall, a.precision, a.average_precision) == pytest.approx((b.recall, b.precision, b.average_precision))


@given(matchings(), st.data())
def test_a_higher_score_never_lowers_recall(matching: Matching, data: st.DataObject) -> None:
    i, j = data.draw(st.integers(0, matching.n_human - 1)), data.draw(st.integers(0, matching.n_model - 1))
    more = Matching(matching.n_human, matching.n_model, {**matching.scores, (i, j): 1.0})
    assert rationale_scores(more).recall >= rationale_scores(matching).recall


@given(matchings())
def test_bounds(matching: Matching) -> None:
    score = rationale_scores(matching)
    assert all(0 <= getattr(score, name) <= 1 for name in RowScore.__slots__)
    assert score.average_precision_soft <= score.average_precision + 1e-12
    assert score.recall <= min(matching.n_human, matching.n_model) / matching.n_human


def test_me1_one_broad_reason_counts_once() -> None:
    """ME1: one-to-one gives recall 0.5 and precision 1; the released way gives recall 1."""
    matching = Matching(2, 1, {(0, 0): 1.0, (1, 0): 1.0})
    score = rationale_scores(matching)
    assert (score.recall, score.precision) == (0.5, 1.0)
    assert rationale_scores(matching, "released").recall == 1.0


def test_me1_copies_are_one_reason() -> None:
    """ME1: five copies of one reason, each matched once: recall as with one, lower precision, the copies counted."""
    reasons = ["A has  factual errors", *["a has factual errors"] * 4]
    merged = merge_copies(Matching(2, 5, {(0, 0): 1.0, (1, 1): 1.0}), reasons)
    score = rationale_scores(merged)
    assert (score.recall, score.precision) == (0.5, 0.2)
    assert merged.notes == ("copies: 4",)
    same = Matching(2, 2, {(0, 0): 1.0})
    assert merge_copies(same, ["x", "y"]) is same


def test_the_list_is_cut_before_matching() -> None:
    matching = Matching(1, 8, {(0, 6): 1.0, (0, 2): 0.5})
    assert cut(matching, 5) == Matching(1, 5, {(0, 2): 0.5})
    assert rationale_scores(matching).recall == 0.5
    assert rationale_scores(matching, top_k=None).recall == 1.0
    assert rationale_scores(matching).precision == 0.1


def test_undefined_rows_have_documented_values() -> None:
    """RL2 (r3): no division by zero, no NaN."""
    zero = RowScore(0.0, 0.0, 0.0, 0.0, 0.0)
    for scoring in ("paper", "released"):
        for matching in (Matching(0, 0), Matching(2, 0), Matching(0, 3), Matching(2, 2)):
            assert rationale_scores(matching, scoring) == zero  # type: ignore[arg-type]


def test_average_precision_by_hand() -> None:
    score = rationale_scores(Matching(2, 4, {(0, 1): 0.5, (1, 3): 1.0}))
    assert score.average_precision == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert score.average_precision_soft == pytest.approx((0.5 * 0.5 / 2 + 1.0 * 1.5 / 4) / 2)


def test_unknown_scoring() -> None:
    with pytest.raises(ValueError, match="paper or released"):
        rationale_scores(Matching(1, 1), "other")  # type: ignore[arg-type]


def test_worked_examples_give_the_published_rc(shared: Path) -> None:
    """Every row of the paper's worked examples, from its printed matches."""
    rows = [json.loads(line) for line in (shared / "data/rationale_worked_examples/worked.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 7
    for row in rows:
        scores = {(m["human"] - 1, m["reason"] - 1): m["score"] for m in row["matches"]}
        matching = Matching(len(row["human_checklist"]), len(row["judge_reasons"]), scores)
        assert rationale_scores(matching).recall == pytest.approx(row["published_rc"], abs=0.005), row["id"]
