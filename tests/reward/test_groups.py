"""A step's rewards as GRPO sees them."""

from __future__ import annotations

import math

import pytest

from rationalerm.errors import UsageError
from rationalerm.reward.groups import advantages, step_of
from rationalerm.reward.result import PARTS, Reward


def reward(total: float | None, status: str = "scored") -> Reward:
    return Reward(total, 1.0, total, status, reasons=3)


def test_none_is_left_out_of_the_groups_baseline() -> None:
    """GR1: the other three get finite advantages, as if the group had three."""
    found = advantages([0.2, None, 0.8, 0.5], 4)
    three = advantages([0.2, 0.8, 0.5], 3)
    assert found[1] is None
    assert [a for a in found if a is not None] == three
    assert all(a is not None and math.isfinite(a) for a in three)


@pytest.mark.parametrize("group", [[0.0] * 4, [None] * 4, [0.5, None, None, None], [0.3, 0.3, 0.3, None]])
def test_a_group_without_spread_teaches_nothing(group: list[float | None]) -> None:
    assert [a for a in advantages(group, 4) if a is not None] == [0.0] * sum(v is not None for v in group)


def test_what_a_step_came_to() -> None:
    """GR4: share truncated and share of groups without spread."""
    cut = [reward(0.0, "no verdict: truncated")] * 4
    mixed = [reward(0.5), reward(1.0), reward(None, "matcher failed"), reward(0.0)]
    step = step_of([*cut, *mixed], 4)
    assert (step.samples, step.none, step.failed, step.truncated, step.no_spread) == (8, 1 / 8, 1 / 8, 0.5, 0.5)
    assert step.means["total"] == pytest.approx(1.5 / 7)
    assert set(step.means) == {"total", *PARTS}
    assert step.means["agreement"] is None
    assert step_of([], 4).samples == 0


def test_no_whole_groups() -> None:
    with pytest.raises(UsageError, match="5 rewards are no whole groups of 4"):
        step_of([reward(0.5)] * 5, 4)
