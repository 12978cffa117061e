"""The assignment against brute force, its ties, and what must not depend on the order of the human reasons."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rationalerm.match import assign
from rationalerm.types import Matching

Scores = dict[tuple[int, int], float]


def brute(n: int, m: int, scores: Scores) -> list[tuple[int, int]]:
    """Every one-to-one pairing, compared by total, then by the set of ranks, then by the human of each rank."""
    found: list[tuple[tuple[int, tuple[int, ...], tuple[int, ...]], list[tuple[int, int]]]] = []

    def extend(j: int, used: frozenset[int], pairs: list[tuple[int, int]]) -> None:
        if j == m:
            of = {rank: human for human, rank in pairs}
            total = sum(round(scores[p] * 1_000_000) for p in pairs)
            found.append(((total, tuple(int(k in of) for k in range(m)), tuple(-of.get(k, 0) for k in range(m))), pairs))
            return
        extend(j + 1, used, pairs)
        for i in range(n):
            if i not in used and scores.get((i, j), 0) > 0:
                extend(j + 1, used | {i}, [*pairs, (i, j)])

    extend(0, frozenset(), [])
    return max(found)[1]


@st.composite
def matrices(draw: st.DrawFn) -> tuple[int, int, Scores]:
    n, m = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    values = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 0.3333])
    keep = st.booleans()
    return n, m, {(i, j): draw(values) for i in range(n) for j in range(m) if draw(keep)}


@settings(deadline=None, max_examples=300)
@given(matrices())
def test_equals_brute_force(matrix: tuple[int, int, Scores]) -> None:
    n, m, scores = matrix
    assert [(i, j) for i, j, _ in assign(Matching(n, m, scores))] == brute(n, m, scores)


@settings(deadline=None)
@given(matrices(), st.randoms(use_true_random=False))
def test_order_of_human_reasons_changes_neither_total_nor_ranks(matrix: tuple[int, int, Scores], random: object) -> None:
    n, m, scores = matrix
    order = list(range(n))
    random.shuffle(order)  # type: ignore[attr-defined]
    first = assign(Matching(n, m, scores))
    second = assign(Matching(n, m, {(order[i], j): s for (i, j), s in scores.items()}))
    assert sum(round(s * 1e6) for *_, s in first) == sum(round(s * 1e6) for *_, s in second)
    assert [j for _, j, _ in first] == [j for _, j, _ in second]  # the same ranks: the same AP


def test_ties_take_the_earliest_ranks_then_the_lowest_human() -> None:
    scores = {(i, j): 0.5 for i in range(2) for j in range(3)}
    assert assign(Matching(2, 3, scores)) == [(0, 0, 0.5), (1, 1, 0.5)]


def test_a_better_total_beats_an_earlier_rank() -> None:
    assert assign(Matching(1, 2, {(0, 0): 0.5, (0, 1): 0.75})) == [(0, 1, 0.75)]


def test_a_tenth_three_times_is_three_tenths() -> None:
    """Floats would break this tie: 0.1 + 0.2 != 0.3."""
    scores = {(0, 0): 0.1, (1, 1): 0.2, (0, 1): 0.3}
    assert assign(Matching(2, 2, scores)) == [(0, 0, 0.1), (1, 1, 0.2)]


def test_zero_and_negative_scores_are_never_matched() -> None:
    assert assign(Matching(2, 2, {(0, 0): 0.0, (1, 1): -1.0})) == []
    assert assign(Matching(0, 3)) == assign(Matching(3, 0)) == []


@pytest.mark.parametrize(("n", "m", "limit"), [(7, 40, 2.0), (50, 200, 30.0), (200, 50, 30.0)])
def test_large_rows_are_fast_enough(n: int, m: int, limit: float) -> None:
    scores = {(i, j): (1 + (i * 7 + j * 13) % 4) / 4 for i in range(n) for j in range(m)}
    start = time.perf_counter()
    assert len(assign(Matching(n, m, scores))) == min(n, m)
    assert time.perf_counter() - start < limit


def test_many_rows_of_best_matches_are_fast() -> None:
    rows = [Matching(5, 5, {(i, (i * k) % 5): 0.25 * (1 + (i + k) % 4) for i in range(5)}) for k in range(20_000)]
    start = time.perf_counter()
    for row in rows:
        assign(row)
    assert time.perf_counter() - start < 15.0  # 0.2 s alone on a core; a search of each row would take minutes
