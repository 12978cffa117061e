"""perf/evaluators.py on a handful of rows: what is a reference, what is ranked, and that figures alone come out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from endpoint import FakeEndpoint, best_answer
from rationalerm.match import make_matcher
from scripts import script


@pytest.fixture(scope="module")
def evaluators() -> ModuleType:
    return script("perf/evaluators.py")


@pytest.fixture(scope="module")
def found(evaluators: ModuleType, shared: Path) -> Any:
    matchers = {name: make_matcher(name) for name in ("fast", "lexical")}
    return evaluators.measured(matchers, 8, shared / "data")


def references(found: Any) -> Iterator[tuple[str, str, Any]]:
    for agreed in found["agreement"]:
        for name, of in agreed["sets"].items():
            for reference, figures in of["references"].items():
                yield name, reference, figures


def test_a_matcher_agrees_with_itself(evaluators: ModuleType) -> None:
    found = evaluators.measured({"fast": make_matcher("fast"), "again": make_matcher("fast")}, 12, None)
    assert list(found["sets"]) == ["sample"]
    assert found["sets"]["sample"]["rows"] == 12
    (agreed,) = found["agreement"]
    assert agreed["orders"]["pairs"] == agreed["orders"]["same_order"] == 3
    assert agreed["orders"]["told_by_a"] == agreed["orders"]["alike"] == agreed["orders"]["told_by_both"] > 0
    figures = agreed["sets"]["sample"]["references"]["human"]
    assert all(judge["a"] == judge["b"] for judge in figures["judges"].values())
    assert figures["over_judges"]["spearman"]["value"] == figures["over_rows"]["pearson"]["value"] == 1
    assert figures["over_rows"]["same_reason"]["value"] == 1
    assert figures["over_rows"]["mean_absolute_difference"]["value"] == 0


def test_the_judges_and_rows_that_hold_the_most_answers(evaluators: ModuleType) -> None:
    rows = [f"p{k}#{game}" for k in range(4) for game in (0, 1)]
    lists = {judge: dict.fromkeys(rows, ("A is short.",)) for judge in ("x", "y", "z")}
    lists["few"] = {rows[0]: ("A is short.",)}
    lists["silent"] = dict.fromkeys(rows, ())
    lists["z"] = {**lists["z"], rows[1]: ()}
    judges, kept = evaluators.same_rows(lists)
    assert judges == ("x", "y", "z")
    assert sorted(kept) == sorted({*rows} - {rows[1]})
    assert evaluators.same_rows({judge: lists[judge] for judge in ("x", "y", "silent")}) == ((), [])


def test_each_judge_is_the_reference_once_and_then_not_ranked(found: Any) -> None:
    assert set(found["sets"]) == {"sample", "judgebench", "llmbar", "texts_pairs", "texts_responses"}
    seen: dict[str, set[str]] = {}
    for name, reference, figures in references(found):
        seen.setdefault(name, set()).add(reference)
        assert set(figures["judges"]) == set(found["sets"][name]["judges"]) - {reference}
        n = len(figures["judges"])
        assert figures["ranking"]["pairs"] == n * (n - 1) // 2
        assert ("value" in figures["over_judges"]["spearman"]) == (n >= 3)
    for name, of in found["sets"].items():
        assert seen[name] == ({"human"} if name == "sample" else set(of["judges"]))
        assert 0 < of["rows"] <= 8


def test_every_ranked_judge_has_reasons_in_every_row(found: Any) -> None:
    for name, _, figures in references(found):
        if name != "sample":
            assert figures["rows"] == found["sets"][name]["rows"] * len(figures["judges"])
            assert figures["silent_rows"] == 0
            assert not figures["unscored"]


def test_counts_add_up(found: Any) -> None:
    (agreed,) = found["agreement"]
    for count in agreed["orders"]:
        assert agreed["orders"][count] == sum(of["orders"][count] for of in agreed["sets"].values())
    for of in (agreed, *agreed["sets"].values()):
        assert of["orders"]["told_by_both"] <= of["orders"]["alike"] <= of["orders"]["told_by_a"] <= of["orders"]["pairs"]


def test_fast_and_lexical_agree_on_real_judges(found: Any) -> None:
    (agreed,) = found["agreement"]
    assert agreed["orders"]["same_order"] >= 0.8 * agreed["orders"]["pairs"]
    for name in ("judgebench", "llmbar"):
        for figures in agreed["sets"][name]["references"].values():
            assert figures["over_rows"]["pearson"]["value"] > 0.6, name


def test_prints_figures_only(evaluators: ModuleType, found: Any, shared: Path) -> None:
    text = evaluators.printed(found)
    assert json.loads(text) == json.loads(json.dumps(found))
    reasons = [r for games in evaluators.llmbar(shared / "data").values() for of in games.values() for r in of if len(r) > 20]
    assert len(reasons) > 1000
    assert not any(reason in text for reason in reasons)


def test_a_model_joins_as_the_first(
    evaluators: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(evaluators, "shared", lambda: None)
    with FakeEndpoint(best_answer) as server:
        assert evaluators.main(["--model", "m", "--base-url", server.url, "--matchers", "embedded", "--rows", "6"]) == 0
        assert server.requests
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert list(found["matchers"]) == ["llm", "embedded"]
    assert [(of["a"], of["b"]) for of in found["agreement"]] == [("llm", "embedded")]
    assert found["agreement"][0]["orders"]["pairs"] == 3
    assert "the sample alone" in printed.err


@pytest.mark.parametrize(
    "argv", [["--rows", "0"], ["--matchers", "embedded"], ["--matchers", "embedded", "embedded"], ["--base-url", "http://x"]]
)
def test_refused(evaluators: ModuleType, argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        evaluators.main(argv)
    assert "error:" in capsys.readouterr().err
