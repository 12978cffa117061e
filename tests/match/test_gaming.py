"""No trick is paid: a list changed by any of perf/tricks.py keeps its RC, within 0.05, on the sample for each of its judges."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from rationalerm import HybridReward, evaluate
from rationalerm.data.pairs import PairFile
from rationalerm.match import Matcher, make_matcher
from scripts import script

LIMIT = 0.05
JUDGES = ("checks", "surface", "noisy")

gaming, tricks = script("perf/gaming.py"), script("perf/tricks.py")
BY_NAME = {trick.name: trick for trick in tricks.TRICKS}
ADDED = [
    name for name in BY_NAME if name.endswith("-first") and name != "joined-first"
]  # those that need no reason to start from


@cache
def _matcher(name: str) -> Matcher:
    return make_matcher(name)


@cache
def _rows() -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = gaming.sample()
    return rows


@cache
def _before(matcher: str, judge: str) -> float:
    return _rc(matcher, judge, None)


def _rc(matcher: str, judge: str, trick: str | None) -> float:
    scores = gaming.scored(_matcher(matcher), _rows()[judge], BY_NAME[trick] if trick else None, ("rc",))
    mean: float = gaming.mean(scores["rc"])
    return mean


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("matcher", gaming.MATCHERS)
def test_a_trick_raises_no_rc(matcher: str, name: str) -> None:
    rises = {judge: _rc(matcher, judge, name) - _before(matcher, judge) for judge in JUDGES}
    assert max(rises.values()) <= LIMIT, rises


@pytest.mark.parametrize("name", ADDED)
@pytest.mark.parametrize("matcher", gaming.MATCHERS)
def test_a_trick_is_no_reason(matcher: str, name: str) -> None:
    """What is added, with no reason beside it."""
    assert _rc(matcher, gaming.NOBODY, name) <= LIMIT


def test_the_lists_are_scored_as_evaluate_and_the_reward_score_them() -> None:
    matcher = _matcher("lexical")
    summary = evaluate(gaming.SAMPLE, (), matcher, chance_rows=0)
    reward = HybridReward(matcher, combine="rationale")
    pairs = {pair.id: pair for pair in PairFile(gaming.SAMPLE)}
    for judge in JUDGES:
        rows = _rows()[judge]
        scores = gaming.scored(matcher, rows, None)
        assert gaming.mean(scores["rc"]) == pytest.approx(summary.judges[judge]["rationale_consistency"].value)
        answers = [next(answer for answer in pairs[row.pair.id].answers if answer.judge == judge) for row in rows]
        rewards = reward([answer.text for answer in answers], [row.human for row in rows], ["A>B"] * len(rows))
        assert scores["ap"] == pytest.approx([one.rationale for one in rewards])


def test_a_trick_sees_nothing_of_the_human() -> None:
    assert {len(_rows()[judge]) > 50 for judge in (*JUDGES, gaming.NOBODY)} == {True}
    for row in (row for of in _rows().values() for row in of):
        assert (row.pair.human_reasons, row.pair.label, row.pair.preference) == (None, None, None)


@pytest.mark.parametrize("name", BY_NAME)
def test_a_trick_changes_a_list_and_leaves_texts(name: str) -> None:
    for row in _rows()["checks"]:
        changed = BY_NAME[name].change(row.pair, row.reasons)
        assert changed != row.reasons
        assert all(text.strip() for text in changed)


def test_the_fixed_lists() -> None:
    assert len(BY_NAME) == len(tricks.TRICKS)
    assert len(tricks.FILLER.split()) == 100
    assert len({*tricks.FAULTS, *tricks.MERITS}) >= 30
    assert all("{}" in text for text in (*tricks.FAULTS, *tricks.MERITS, *tricks.GENERIC))


def test_the_worst_rows_come_first() -> None:
    rows = _rows()["checks"][:3]
    ids = [row.pair.id for row in rows]
    assert gaming.worst(rows, [0.5, 0.0, 0.2], [0.6, 0.4, 0.1], 2) == [(ids[1], 0.0, 0.4), (ids[0], 0.5, 0.6)]
