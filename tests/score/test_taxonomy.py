"""Shares of kinds and flaws: counted by hand, by domain and outcome, intervals over prompts; kappa against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from rationalerm.judge.tagging import FLAWS, KINDS
from rationalerm.score.resample import kappa
from rationalerm.score.taxonomy import Share, TaggedList, agreed, multi_kappa, taxonomy

LISTS = [
    TaggedList("1", "j", "p1", "code", True, ("EG", "GS"), ((), ("F3", "F4"))),
    TaggedList("1", "j", "p1", "code", False, ("CG",), (("F4",),)),
    TaggedList("2", "j", "p2", "math", None, ("EG", "EG"), ((), ())),
    TaggedList("3", "j", "p3", None, True, (), ()),
    TaggedList("4", "j", "p4", "code", True, None),
    TaggedList("1", "k", "p1", "code", True, ("GS",), (("F1",),)),
]


def test_shares_by_hand() -> None:
    found = taxonomy(LISTS)
    assert list(found) == ["j", "k"]
    j = found["j"]
    assert (j.reasons, j.lists, j.empty, j.failed) == (5, 4, 1, 1)
    assert {name: share.value for name, share in j.shares.items() if share.value} == {
        "EG": 0.6,
        "CG": 0.2,
        "GS": 0.2,
        "F3": 0.2,
        "F4": 0.4,
    }
    assert all(share.n == 5 for share in j.shares.values())
    assert j.domains["code"]["F4"].value == pytest.approx(2 / 3)
    assert j.domains["math"]["EG"].value == 1
    assert set(j.domains) == {"code", "math"}
    assert {name: of["EG"].n for name, of in j.outcomes.items()} == {"right": 2, "wrong": 1, "other": 2}


def test_the_json() -> None:
    value = taxonomy(LISTS)["j"].to_json()
    assert list(value["shares"]) == [*KINDS, *FLAWS]
    assert value["shares"]["EG"][0] == 0.6
    assert all(len(share) == 4 for share in value["shares"].values())
    assert value["failed"] == 1


def test_what_failed_is_in_no_share() -> None:
    whole, without = taxonomy(LISTS)["j"], taxonomy([one for one in LISTS if one.kinds is not None])["j"]
    assert whole.shares == without.shares
    assert whole.domains == without.domains


def test_nothing_is_not_defined_and_never_0() -> None:
    failed = taxonomy([TaggedList("1", "j", "p", None, None, None)])["j"]
    assert set(failed.shares.values()) == {Share(None, None, None, 0)}
    assert failed.failed == 1
    empty = taxonomy([TaggedList("1", "j", "p", None, None, ())])["j"]
    assert set(empty.shares.values()) == {Share(None, None, None, 0)}
    assert empty.failed == 0
    assert taxonomy([]) == {}


def test_one_prompt_has_no_interval() -> None:
    share = taxonomy(LISTS)["k"].shares["GS"]
    assert share == Share(1.0, None, None, 1)


def test_a_flaw_counts_once_a_reason() -> None:
    found = taxonomy([TaggedList("1", "j", "p", None, None, ("GS",), (("F1", "F1"),))])["j"]
    assert found.shares["F1"].value == 1


def test_intervals_are_over_prompts() -> None:
    """Ten lists of a prompt that are all alike say as much as one."""
    rng = np.random.default_rng(1)
    kinds = [tuple(rng.choice(KINDS, 4)) for _ in range(60)]
    once = [TaggedList(str(k), "j", f"p{k}", None, None, of, ((),) * 4) for k, of in enumerate(kinds)]
    tenfold = [one for one in once for _ in range(10)]
    few, many = taxonomy(once)["j"].shares["EG"], taxonomy(tenfold)["j"].shares["EG"]
    assert few.low is not None
    assert few.high is not None
    assert (few.value, few.low, few.high) == pytest.approx((many.value, many.low, many.high))
    assert few.low < few.value < few.high  # type: ignore[operator]
    assert taxonomy(once) == taxonomy(once)


def test_coverage_of_the_interval() -> None:
    """Lists of one to six reasons, of prompts that differ: the true share is inside in about 95 of 100."""
    rng, inside, times = np.random.default_rng(3), 0, 200
    for _ in range(times):
        lists = []
        for k in range(80):
            p = rng.beta(3, 2)
            kinds = tuple("EG" if one else "GS" for one in rng.random(rng.integers(1, 7)) < p)
            lists.append(TaggedList(str(k), "j", f"p{k}", None, None, kinds, ((),) * len(kinds)))
        share = taxonomy(lists, draws=400)["j"].shares["EG"]
        assert share.low is not None
        assert share.high is not None
        inside += share.low <= 0.6 <= share.high
    assert 0.90 <= inside / times <= 0.99


def test_kappa_is_that_of_two_classes() -> None:
    table = np.array([[20.0, 5.0], [10.0, 15.0]])
    assert multi_kappa(table[None])[0] == pytest.approx(0.4)
    assert multi_kappa(table[None])[0] == pytest.approx(kappa(np.array([[20.0, 5.0, 10.0, 15.0]]))[0])


def test_kappa_of_three_classes() -> None:
    assert multi_kappa(np.diag([3.0, 4.0, 5.0])[None])[0] == 1
    assert multi_kappa(np.ones((1, 3, 3)))[0] == pytest.approx(0)
    assert np.isnan(multi_kappa(np.diag([3.0, 0.0, 0.0])[None])[0])
    permuted = np.array([[4.0, 1, 2], [0, 5, 1], [2, 2, 6]])
    order = [2, 0, 1]
    assert multi_kappa(permuted[None])[0] == pytest.approx(multi_kappa(permuted[np.ix_(order, order)][None])[0])


def test_agreement() -> None:
    first, second = ["EG", "GS", "CG", "EG"], ["EG", "GS", "GS", "EG"]
    found = agreed(first, second, ["1", "1", "2", "2"], KINDS)
    assert found.accuracy.value == 0.75
    assert found.table == ((2, 0, 0), (0, 0, 1), (0, 0, 1))
    assert found.kappa.n == 4
    back = agreed(second, first, ["1", "1", "2", "2"], KINDS)
    assert back.kappa.value == found.kappa.value
    nothing = agreed([], [], [], KINDS)
    assert nothing.kappa == Share(None, None, None, 0)
    same = agreed(["EG"] * 3, ["EG"] * 3, ["1", "2", "3"], KINDS)
    assert same.kappa.value is None
    assert same.accuracy.value == 1
