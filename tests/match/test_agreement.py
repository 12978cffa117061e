"""How far the matchers agree with people, as thresholds a little below what perf/agreement.py prints; and chance.

The public data is not part of the project; `contrast_frozen.jsonl` is, and was written without sight of the matchers and never
tuned on. The published worked examples check the arithmetic from printed matches to RC.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from rationalerm.match import Matcher, assign, make_matcher
from rationalerm.types import Matching
from scripts import ROOT, script


@pytest.fixture(scope="module")
def agreement() -> ModuleType:
    return script("perf/agreement.py")


@pytest.fixture(scope="module", params=["fast", "lexical"])
def matcher(request: pytest.FixtureRequest) -> Matcher:
    return make_matcher(request.param)


def test_worked_examples_give_the_published_consistency(shared: Path) -> None:
    lines = (shared / "data" / "rationale_worked_examples" / "worked.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        scores = {(m["human"] - 1, m["reason"] - 1): m["score"] for m in row["matches"]}
        n = len(row["human_checklist"])
        total = sum(s for _, _, s in assign(Matching(n, len(row["judge_reasons"]), scores)))
        assert total / n == pytest.approx(row["published_rc"], abs=0.005), row["id"]


def test_worked_examples_in_the_right_order(shared: Path, agreement: ModuleType, matcher: Matcher) -> None:
    """Of two judges of one pair, the one with the higher published RC scores higher."""
    rows = {r["id"]: r for r in agreement.lines(shared / "data" / "rationale_worked_examples" / "worked.jsonl")}
    rc = {k: agreement.row_recall(matcher, r["human_checklist"], r["judge_reasons"]) for k, r in rows.items()}
    assert rc["ads/o3"] > rc["ads/o3-mini"]
    assert rc["hinata/deepseek-r1-0528"] > rc["hinata/gemini-2.0-flash"]
    assert rc["valencia/rationale+outcome"] > rc["valencia/step0"] > rc["valencia/outcome-only"]


def test_summhay(shared: Path, agreement: ModuleType, matcher: Matcher) -> None:
    figures = agreement.summhay(matcher, shared / "data")
    assert figures["labels"] > 0.72
    assert figures["rows"] > 0.76
    assert figures["mean_at_0.0"] < 0.25 < figures["mean_at_0.5"] < 0.6 < 0.7 < figures["mean_at_1.0"]


def test_summhay_by_weights_fitted_on_other_topics(shared: Path, agreement: ModuleType, matcher: Matcher) -> None:
    figures = agreement.summhay_cross_validated(matcher, shared / "data")
    assert figures["labels"] > 0.72
    assert figures["rows"] > 0.77


@pytest.mark.parametrize("name", ["contrast_dev", "contrast_dev2"])
def test_dev_sets_never_get_worse(agreement: ModuleType, matcher: Matcher, name: str) -> None:
    """Both were tuned on: this guards the rules, it says nothing of new pairs."""
    figures = agreement.contrast(matcher, ROOT / "recipes" / "matcher_static" / f"{name}.jsonl")
    assert figures["mean"] >= 0.8, figures
    assert figures["balanced"] >= 0.67, figures


def test_contrast_set(agreement: ModuleType, matcher: Matcher) -> None:
    figures = agreement.contrast(matcher, ROOT / "tests" / "match" / "contrast_frozen.jsonl")
    assert figures["mean"] >= 0.78, figures
    assert figures["balanced"] >= 0.63, figures
    assert figures["generic"] > 0.95


def test_chance(agreement: ModuleType, matcher: Matcher) -> None:
    rows = agreement.contrast_rows(ROOT / "tests" / "match" / "contrast_frozen.jsonl")
    figures = agreement.chance(matcher, rows)
    assert figures["other_row"] <= 0.03
    assert figures["generic"] <= 0.02
    assert figures["own"] > 4 * figures["other_row"]
