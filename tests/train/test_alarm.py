"""The degeneration alarm: rings when reasons fall while verdicts rise, and only then."""

from __future__ import annotations

import random

import pytest

from rationalerm.train.genrm.alarm import Alarm, Degeneration


def fed(outcome: list[float | None], rationale: list[float | None], window: int = 20, drop: float = 0.1) -> Alarm:
    alarm = Alarm(window, drop)
    for step, (o, r) in enumerate(zip(outcome, rationale, strict=True), 1):
        alarm.saw(step, o, r)
    return alarm


def course(start: float, end: float, n: int = 120, noise: float = 0.02, seed: int = 0) -> list[float | None]:
    rng = random.Random(seed)
    return [start + (end - start) * k / n + rng.gauss(0, noise) for k in range(n)]


def test_the_papers_course_rings() -> None:
    """Outcome 0.76 -> 0.89, rationale 24% down (method.md section 4)."""
    alarm = fed(course(0.76, 0.89), course(0.25, 0.19, seed=1))
    assert alarm.first is not None
    assert alarm.last is not None
    assert alarm.worst is not None
    assert 0.15 < alarm.worst.fall < 0.3
    assert alarm.first.step < alarm.last.step == 120
    said = str(alarm.last)
    assert "rationale degeneration" in said
    assert "120" in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("outcome", "rationale"),
    [
        ((0.76, 0.89), (0.25, 0.37)),  # the hybrid reward's course
        ((0.76, 0.76), (0.25, 0.19)),  # both do not get better: another trouble
        ((0.89, 0.76), (0.25, 0.19)),
        ((0.76, 0.89), (0.25, 0.25)),
        ((0.76, 0.89), (0.25, 0.245)),  # under the least fall
    ],
)
def test_other_courses_do_not(outcome: tuple[float, float], rationale: tuple[float, float]) -> None:
    for seed in range(10):
        alarm = fed(course(*outcome, seed=seed, noise=0.01), course(*rationale, seed=100 + seed, noise=0.01))
        assert alarm.first is None, seed


def test_noise_seldom_rings() -> None:
    rings = sum(
        fed(course(0.8, 0.8, noise=0.05, seed=k), course(0.3, 0.3, noise=0.05, seed=500 + k)).first is not None
        for k in range(100)
    )
    assert rings <= 10


def test_it_stops_when_the_reasons_come_back() -> None:
    down_and_up = course(0.3, 0.15, 80) + course(0.15, 0.32, 80)
    alarm = fed(course(0.7, 0.9, 160), down_and_up)
    assert alarm.first is not None
    assert alarm.last is None


def test_updates_without_a_score_do_not_count() -> None:
    outcome, rationale = course(0.76, 0.89), course(0.25, 0.15, seed=1)
    holes: list[float | None] = [None if k % 3 == 0 else value for k, value in enumerate(rationale)]
    nans: list[float | None] = [float("nan") if k % 3 == 0 else value for k, value in enumerate(rationale)]
    assert fed(outcome, holes).worst == fed(outcome, nans).worst
    assert fed(outcome, holes).first is not None
    assert fed([None] * 120, rationale).first is None


def test_too_short_to_say() -> None:
    short = fed(course(0.7, 0.9, 39), course(0.3, 0.1, 39))
    assert short.first is None
    assert "39 updates with a score were logged, and the alarm needs 40" in short.too_few
    assert fed(course(0.7, 0.9, 40), course(0.3, 0.1, 40)).too_few == ""
    assert fed([], []).first is None


def test_json() -> None:
    seen = Degeneration(40, 20, 0.3, 0.15, 0.7, 0.9)
    assert seen.to_json()["fall"] == pytest.approx(0.5)
