"""Paired differences with their intervals, over all rows and by domain."""

from __future__ import annotations

import pytest
from test_summary import game

from rationalerm.score.compare import compare, compare_domains, paired
from rationalerm.score.intervals import bootstrap
from rationalerm.score.rows import GameResult


def judge(name: str, n: int, step: float, **change: object) -> list[GameResult]:
    return [game(str(k), recall=0.1 + step * (k % 4), judge=name, **change) for k in range(n)]


def test_the_interval_is_of_second_minus_first_on_common_rows() -> None:
    a, b = judge("a", 40, 0.1), judge("b", 60, 0.2)
    rc = next(c for c in compare({"a": a, "b": b}) if c.metric == "rationale_consistency")
    assert (rc.n, rc.mean_second - rc.mean_first) == (40, pytest.approx(0.15))
    expected = bootstrap([0.1 * (k % 4) for k in range(40)], [str(k) for k in range(40)], bounds=(-1.0, 1.0))
    assert (rc.low, rc.high) == pytest.approx(expected)
    assert rc.low is not None
    assert rc.high is not None
    assert 0 < rc.low < 0.15 < rc.high
    turned = next(c for c in compare({"b": b, "a": a}) if c.metric == "rationale_consistency")
    assert (turned.low, turned.high) == pytest.approx((-rc.high, -rc.low), abs=0.01)
    assert {"low", "high", "difference", "p", "p_adjusted"} <= rc.to_json().keys()


def test_judges_that_never_differed_may_still_differ() -> None:
    test = paired(judge("a", 50, 0.1), judge("b", 50, 0.1), "rationale_consistency")
    assert test is not None
    assert test.p == 1.0
    assert (test.low, test.high) == pytest.approx((-0.0711, 0.0711), abs=1e-3)  # 1 - 0.025 ** (1 / 50)


def test_one_prompt_gives_no_interval() -> None:
    found = compare({"a": judge("a", 8, 0.1, cluster="c"), "b": judge("b", 8, 0.2, cluster="c")})
    assert [(c.low, c.high) for c in found] == [(None, None)] * 2


def test_by_domain() -> None:
    games = {
        name: judge(name, 12, step, domain="code") + [game(f"x{k}", judge=name, domain=None) for k in range(3)]
        for name, step in (("a", 0.1), ("b", 0.2), ("c", 0.3))
    }
    games["a"] += [game("only", domain="math")]
    found = compare_domains(games)
    assert list(found) == ["code", "math"]
    assert [(c.metric, c.first, c.second, c.n) for c in found["code"][3:]] == [
        ("rationale_consistency", "a", "b", 12),
        ("rationale_consistency", "a", "c", 12),
        ("rationale_consistency", "b", "c", 12),
    ]
    assert found["math"] == []
