"""The hybrid reward: the paper's product, its ablations, and whose fault a missing score is."""

from __future__ import annotations

import asyncio
import pickle
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endpoint import Answered, FakeEndpoint, best_answer
from rationalerm import EmbeddedMatcher, HybridReward, LexicalMatcher, LLMMatcher, Matching, ahybrid_reward, hybrid_reward
from rationalerm.data.sides import swap_sides
from rationalerm.errors import MatcherError, UsageError
from rationalerm.reward.hybrid import side_of_label
from rationalerm.types import Verdict

HUMAN = ["Response 1 omits the unit.", "Response 2 cites the year 1912."]


class Fixed:
    """Scores by place; counts its calls."""

    name, version = "fixed", "1"

    def __init__(self, scores: dict[tuple[int, int], float]) -> None:
        self.scores, self.rows = scores, 0

    def match(self, human: Sequence[str], model: Sequence[str]) -> Matching:
        self.rows += 1
        scores = {(i, j): s for (i, j), s in self.scores.items() if i < len(human) and j < len(model)}
        return Matching(len(human), len(model), scores)

    def match_many(self, rows: Iterable[tuple[Sequence[str], Sequence[str]]]) -> list[Matching]:
        return [self.match(*row) for row in rows]


class Failing(Fixed):
    def match(self, human: Sequence[str], model: Sequence[str]) -> Matching:
        if any("poison" in reason for reason in model):
            raise MatcherError("timeout: no answer")
        return super().match(human, model)


def answer(*reasons: str, verdict: str = "B>A") -> str:
    listed = "\n".join(f"{k}. {reason}" for k, reason in enumerate(reasons, 1))
    return f"<RESULT_START>\n{listed}\n\n\\boxed{{{verdict}}}\n<RESULT_END>"


THREE = answer("A gives no unit.", "B reads well.", "B cites 1912.")


@pytest.mark.parametrize(
    ("options", "right", "wrong"),
    [
        ({}, (1 + 2 / 3) / 2, 0.0),
        ({"rationale": "recall"}, 0.75, 0.0),
        ({"rationale": "f1"}, 0.6, 0.0),
        ({"rationale": "ap_soft"}, (1.0 + 0.5 * 1.5 / 3) / 2, 0.0),
        ({"combine": "additive"}, (1 + (1 + 2 / 3) / 2) / 2, (1 + 2 / 3) / 4),
        ({"combine": "outcome"}, 1.0, 0.0),
        ({"combine": "rationale"}, (1 + 2 / 3) / 2, (1 + 2 / 3) / 2),
        ({"max_reasons": 1}, 0.5, 0.0),
    ],
)
def test_the_formula(options: dict[str, object], right: float, wrong: float) -> None:
    """Reasons 1 and 3 of three are matched (1 and 0.5): AP = (1/1 + 2/3) / 2."""
    matcher = Fixed({(0, 0): 1.0, (1, 2): 0.5})
    assert hybrid_reward(THREE, HUMAN, 1, matcher, **options).total == pytest.approx(right)
    assert hybrid_reward(THREE, HUMAN, -1, matcher, **options).total == pytest.approx(wrong)


def test_the_list_is_not_cut_in_training() -> None:
    reward = hybrid_reward(answer(*(f"A errs in line {k}." for k in range(9))), HUMAN, 1, Fixed({(0, 8): 1.0}))
    assert (reward.reasons, reward.rationale) == (9, pytest.approx(1 / 9 / 2))


def test_padding_is_seen_where_ap_does_not_charge_for_it() -> None:
    short, padded = answer("A gives no unit."), answer("A gives no unit.", *(f"Filler number {k}." for k in range(3)))
    matcher = Fixed({(0, 0): 1.0})
    one, other = (hybrid_reward(text, HUMAN, 1, matcher) for text in (short, padded))
    assert one.total == other.total == 0.5
    assert (one.padding, other.padding) == (0.0, 0.75)
    assert hybrid_reward(padded, HUMAN, 1, matcher, max_reasons=1).padding == 0.0


@pytest.mark.parametrize(
    ("text", "finish", "status"),
    [
        ("1. A is wrong because", "length", "no verdict: truncated"),
        (None, "length", "no verdict: truncated"),
        (THREE, "length", "no verdict: truncated"),
        ("1. A gives no unit.", None, "no verdict: format"),
        ("\\boxed{A>B} or \\boxed{B>A}", None, "no verdict: ambiguous"),
        ("I'm sorry, but I can't evaluate these responses.", None, "no verdict: refused"),
        ("", None, "no verdict: empty"),
        (None, None, "no verdict: empty"),
    ],
)
def test_an_answer_without_a_verdict_is_the_policys_fault(text: str | None, finish: str | None, status: str) -> None:
    """GR4: truncation is a cause of its own; what it gets is one setting."""
    reward = hybrid_reward(text, HUMAN, 1, Fixed({(0, 0): 1.0}), finish_reason=finish)
    assert (reward.total, reward.outcome, reward.status) == (0.0, 0.0, status)
    other = hybrid_reward(text, HUMAN, 1, Fixed({}), finish_reason=finish, truncated="none")
    assert other.total == (None if status == "no verdict: truncated" else 0.0)


def test_a_failure_of_the_matcher_is_nobodys() -> None:
    """GR1: None for that sample only, floats for the others, never NaN."""
    texts = [answer("A gives no unit."), answer("poison"), answer("A gives no unit.", verdict="A>B"), "no verdict"]
    rewards = HybridReward(Failing({(0, 0): 1.0}))(texts, [HUMAN] * 4, [1] * 4)
    assert [reward.total for reward in rewards] == [0.5, None, 0.0, 0.0]
    assert [reward.status for reward in rewards][:3] == ["scored", "matcher failed", "scored"]
    assert rewards[1].failed
    assert rewards[1].cause == "timeout: no answer"
    assert rewards[1].outcome == 1.0
    assert {tuple(reward.parts()) for reward in rewards} == {tuple(rewards[0].parts())}


def test_no_human_reasons_is_no_score() -> None:
    reward = hybrid_reward(THREE, [], 1, Fixed({}))
    assert (reward.total, reward.outcome, reward.status) == (None, 1.0, "no human reasons")
    assert hybrid_reward(THREE, [], 1, Fixed({}), combine="outcome").total == 1.0


def test_silence_earns_nothing() -> None:
    assert hybrid_reward("\\boxed{B>A}", HUMAN, 1, Fixed({(0, 0): 1.0})).total == 0.0


def test_a_human_tie_wants_a_tie() -> None:
    matcher = Fixed({(0, 0): 1.0})
    assert hybrid_reward(answer("A gives no unit.", verdict="A=B"), HUMAN, 0, matcher).total == 0.5
    assert hybrid_reward(answer("A gives no unit."), HUMAN, 0, matcher).total == 0.0


@pytest.mark.parametrize(
    ("label", "side"),
    [(-3, -1), (0, 0), (2.0, 1), (Verdict.B_MUCH_BETTER, 1), ("A>>B", -1), ("A=B", 0), ("response_2", 1), ("tie", 0)],
)
def test_labels(label: Verdict | float | str, side: int) -> None:
    assert side_of_label(label) == side


@pytest.mark.parametrize("label", [True, float("nan"), "both ways", ""])
def test_a_label_without_a_side_is_an_error(label: Verdict | float | str) -> None:
    with pytest.raises(ValueError):
        side_of_label(label)


def test_columns_of_another_length_are_named_before_anything_is_matched() -> None:
    """GR2."""
    matcher = Fixed({})
    score = HybridReward(matcher)
    with pytest.raises(ValueError, match="labels is 1 long, and there are 2 texts"):
        score([THREE, THREE], [HUMAN, HUMAN], [1])
    with pytest.raises(ValueError, match="human_reasons is a string"):
        score([THREE], "Response 1 omits the unit.", [1])
    assert score([], [], []) == []
    assert matcher.rows == 0


def test_identical_lists_are_matched_once() -> None:
    matcher = Fixed({(0, 0): 1.0})
    rewards = HybridReward(matcher)([THREE, THREE, answer("Other."), THREE], [HUMAN] * 4, [1, -1, 1, 1])
    assert matcher.rows == 2
    assert [reward.outcome for reward in rewards] == [1.0, 0.0, 1.0, 1.0]


def test_options_are_checked_and_all_is_picklable() -> None:
    for wrong in ({"rationale": "bleu"}, {"combine": "sum"}, {"max_reasons": 0}, {"truncated": "half"}):
        with pytest.raises(UsageError):
            HybridReward(LexicalMatcher(), **wrong)
    made = pickle.loads(pickle.dumps(HybridReward(EmbeddedMatcher(), max_reasons=4)))
    assert made([THREE], [HUMAN], [1])[0].total > 0
    assert pickle.loads(pickle.dumps(hybrid_reward)) is hybrid_reward


@given(st.lists(st.sampled_from(["gives no unit", "cites the year 1912", "is clear", "omits line 7", "rambles"]), min_size=1))
@settings(max_examples=40, deadline=None)
def test_swapping_a_row_wholly_changes_nothing(points: list[str]) -> None:
    matcher = LexicalMatcher()
    reasons = [f"Response {'AB'[k % 2]} {point}." for k, point in enumerate(points)]
    text = answer(*reasons)
    one = hybrid_reward(text, HUMAN, 1, matcher)
    mirrored = answer(*map(swap_sides, reasons), verdict="A>B")
    other = hybrid_reward(mirrored, [swap_sides(reason) for reason in HUMAN], -1, matcher)
    assert (one.total, one.rationale, one.generic, one.agreement) == (
        other.total,
        other.rationale,
        other.generic,
        other.agreement,
    )


def test_the_diagnostics_tell_reasons_from_phrases() -> None:
    against = answer("Response A miscounts the 12 rows.", "Response A omits the header.", verdict="A>B")
    assert hybrid_reward(against, HUMAN, -1, LexicalMatcher()).agreement == 0.0
    assert hybrid_reward(against.replace("A>B", "B>A"), HUMAN, 1, LexicalMatcher()).agreement == 1.0
    vague = answer("Response B is clear and helpful.", "Response B is more detailed.", "Response A miscounts the 12 rows.")
    assert hybrid_reward(vague, HUMAN, 1, LexicalMatcher()).generic == pytest.approx(2 / 3)


@pytest.fixture
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path))


@pytest.mark.usefixtures("_cache")
def test_an_endpoint_as_the_matcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """One row's failure is None and the others are scored; the async twin gives the same."""

    def reply(body: dict[str, object], n: int) -> Answered | str:
        return Answered("") if "poison" in str(body["messages"]) else best_answer(body)

    texts = [answer(f"A omits item {k}.") for k in range(5)] + [answer("poison")]
    with FakeEndpoint(reply) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        matcher = LLMMatcher("m")
        score = HybridReward(matcher)
        rewards = score(texts, [HUMAN] * 6, [1] * 6)
        assert [reward.total is None for reward in rewards] == [False] * 5 + [True]
        assert rewards[-1].cause.startswith("empty content")
        again = asyncio.run(score.ascore(texts[:5], [HUMAN] * 5, [1] * 5))
        assert again == rewards[:5]
        assert asyncio.run(ahybrid_reward(texts[0], HUMAN, 1, matcher)) == rewards[0]
        assert len(server.requests) == 6  # the rest from the cache
        matcher.close()


@pytest.mark.parametrize(
    "text", ["{" * 200_000 + "\\boxed{" * 20_000, "1. " * 300_000, "- R1@S1: " + "9" * 500_000, "<think>" * 100_000]
)
def test_a_degenerate_answer_is_read_in_no_time(text: str) -> None:
    """RS3."""
    start = time.process_time()
    reward = hybrid_reward(text, HUMAN, 1, LexicalMatcher())
    assert time.process_time() - start < 15  # a second here; what is not linear takes minutes
    assert reward.total == 0.0
    assert reward.status.startswith("no verdict")


@pytest.mark.parametrize("reasons", ["Response B is right.", None])
def test_a_list_of_reasons_that_is_none_is_refused(reasons: object) -> None:
    """A string would be scored letter by letter."""
    with pytest.raises(ValueError, match="give a list of reasons"):
        hybrid_reward("1. x\n\\boxed{A>B}", reasons, "A>B", LexicalMatcher())  # type: ignore[arg-type]


@pytest.mark.parametrize("label", [None, [1], True, float("nan"), "", "perhaps"])
def test_a_label_that_names_no_side_is_refused(label: object) -> None:
    with pytest.raises(ValueError):
        hybrid_reward("1. x\n\\boxed{A>B}", ["y"], label, LexicalMatcher())  # type: ignore[arg-type]
