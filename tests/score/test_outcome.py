"""Right, wrong, tie, missing; games of both orders."""

from __future__ import annotations

import pytest

from rationalerm.score.outcome import correct, in_row_order, pair_outcome
from rationalerm.types import Side, Verdict


@pytest.mark.parametrize(
    ("verdict", "label", "expected"),
    [(-2, -1, True), (-1, 1, False), (0, 1, False), (2, 1, True), (None, 1, None), (1, 0, None), (0, 0, None), (1, None, None)],
)
def test_the_tie_rule(verdict: int | None, label: Side | None, expected: bool | None) -> None:
    assert correct(None if verdict is None else Verdict(verdict), label) is expected


def test_the_swapped_games_verdict_is_turned_back() -> None:
    assert in_row_order(Verdict.A_BETTER, "AB") == Verdict.A_BETTER
    assert in_row_order(Verdict.A_MUCH_BETTER, "BA") == Verdict.B_MUCH_BETTER
    assert in_row_order(None, "BA") is None


@pytest.mark.parametrize(
    ("sides", "expected"),
    [([-1, -1], "right"), ([1, 1], "wrong"), ([0, 0], "tie"), ([-1, 1], "inconsistent"), ([-1, 0], "inconsistent"),
     ([None, -1], "incomplete"), ([None, None], "incomplete"), ([], "incomplete")],
)  # fmt: skip
def test_pd2_fa2_pair_outcomes(sides: list[Side | None], expected: str) -> None:
    """PD2: disagreement is no tie. FA2: two missing verdicts are no agreement."""
    assert pair_outcome(sides, -1) == expected
