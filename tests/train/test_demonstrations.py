"""Demonstrations: the best of a game's answers, if good enough; in one form; none of a held-out prompt; every answer counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import rationalerm
from endpoint import Answered, FakeEndpoint
from rationalerm import HybridReward, LexicalMatcher, Verdict, parse_judgment
from rationalerm.data.pairs import PairFile
from rationalerm.data.sides import swap_sides
from rationalerm.errors import DataError, MatcherError, StoppedError, UsageError
from rationalerm.match import Matcher
from rationalerm.reward import FailureGuard
from rationalerm.train.prepare.games import prompt_of
from rationalerm.train.sft.demonstrations import DemonstrationOptions, Demonstrations, demonstrations, validation_prints
from rationalerm.train.sft.judged_pairs import JudgedPairs
from rationalerm.types import Answer, Matching, Message, Pair

Jsonl = Callable[..., Path]
Run = Callable[..., Any]
SAMPLE = Path(rationalerm.__file__).parent / "sample" / "pairs.jsonl"
REWARD = HybridReward(LexicalMatcher())
HUMAN = (
    "Response 1 omits the unit of the mass.",
    "Response 2 converts grams to kilograms correctly.",
    "Response 1 misquotes Newton.",
)
ALL = DemonstrationOptions(validation=0)


def said(reasons: tuple[str, ...] | list[str], verdict: str) -> str:
    """An answer in a style of its own."""
    lines = [f"{k}) {reason}" for k, reason in enumerate(reasons, 1)]
    return "\n".join(["## My analysis", *lines, "", f"Final verdict: [[{verdict}]]"])


def pair(*answers: Answer, key: str = "q", **more: Any) -> Pair:
    made = Pair(
        key,
        (Message("user", f"What is mass, in {key}?"),),
        f"{key}: 5",
        f"{key}: 5 kg",
        label=1,
        preference=2.0,
        human_reasons=HUMAN,
    )
    return replace(made, answers=answers, **more)


def judge(text: str | None, name: str = "j", **more: Any) -> Answer:
    return Answer(name, text, **more)


def of(*pairs: Pair, options: DemonstrationOptions = ALL, **more: Any) -> Demonstrations:
    found = demonstrations(list(pairs), REWARD, options, **more)
    for counts in (found.rows, found.games, found.answers):
        assert counts["read"] == sum(counts.values()) - counts["read"], "every one is counted once"
    return found


def test_the_best_of_several_judges_in_the_form_that_is_asked_for() -> None:
    judges = [
        judge(said(HUMAN[:1], "B>A"), "some"),
        judge(said(HUMAN, "B>>A"), "best"),
        judge(said(HUMAN, "A>B"), "wrong"),
        judge(said(["Response 2 is more detailed."], "B>A"), "vague"),
    ]
    found = of(pair(*judges))
    (made,) = found.made
    assert (made.judge, made.order, made.id, made.reward) == ("best", "AB", "q", 1.0)
    assert made.text == "\n".join(
        ["<RESULT_START>", *(f"{k}. {reason}" for k, reason in enumerate(HUMAN, 1)), "", r"\boxed{B>>A}", "<RESULT_END>"]
    )
    assert found.answers == {"read": 4, "wrong verdict": 1, "under the least reward": 1, "kept": 1, "not the best": 1}
    assert found.games == {"read": 1, "kept": 1}
    row = made.row()
    assert row["completion"] == [{"role": "assistant", "content": made.text}]
    assert [Message(**turn) for turn in row["prompt"]] == list(prompt_of(pair(), "AB"))


def test_equal_ones_go_by_fewer_reasons_then_by_place() -> None:
    padded = [*HUMAN, "Response 2 reads well."]
    answers = [judge(said(padded, "B>A"), "padded"), judge(said(HUMAN, "B>A"), "first"), judge(said(HUMAN, "B>>A"), "second")]
    assert of(pair(*answers)).made[0].judge == "first"
    same = of(pair(*answers[1:2], judge(said(HUMAN, "B>A").replace("##", "#"), "copy")))
    assert same.made[0].judge == "first"
    assert same.answers == {"read": 2, "same as another": 1, "kept": 1}


def test_each_order_is_a_game_in_its_letters() -> None:
    swapped = tuple(swap_sides(reason) for reason in HUMAN)
    answers = [judge(said(HUMAN, "B>A")), judge(said(swapped, "A>>B"), order="BA")]
    one, other = of(pair(*answers)).made
    assert (one.order, other.order) == ("AB", "BA")
    assert parse_judgment(other.text).verdict == Verdict.A_MUCH_BETTER
    assert other.game.truth.label == "A>B"
    assert other.game.prompt == prompt_of(pair(), "BA")
    assert of(pair(judge(said(HUMAN, "B>A"), order="BA"))).made == [], "right in the other game's letters"


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (judge(said(HUMAN, "B>A"), finish_reason="length"), "truncated"),
        (judge("1. Response 1 omits", finish_reason="length"), "truncated"),
        (judge("", finish_reason="length"), "truncated"),
        (judge(None, error="timeout"), "failed"),
        (judge(""), "failed"),
        (judge("1. Response 1 omits the unit of the mass."), "no verdict"),
        (judge("I can't help with comparing these."), "refused"),
        (judge("\\boxed{B>A}"), "no reasons"),
        (judge("Response 1 omits the unit of the mass, which Response 2 has. Hence [[B]]"), "prose"),
        (judge(said(HUMAN, "A>B")), "wrong verdict"),
        (judge(said(["Response 2 is more detailed."], "B>A")), "under the least reward"),
        (judge(None, reasons=("\\boxed{A>B}", "x"), label=Verdict.B_BETTER), "no canonical form"),
    ],
)
def test_what_is_no_demonstration(answer: Answer, cause: str) -> None:
    found = of(pair(answer))
    assert found.made == []
    assert found.answers == {"read": 1, cause: 1}
    assert found.games == {"read": 1, "none": 1}


def test_a_list_and_a_label_without_a_text() -> None:
    (made,) = of(pair(judge(None, reasons=HUMAN, label=Verdict.B_BETTER))).made
    assert made.text.count("\n") == 6
    assert (
        of(pair(judge(None, reasons=HUMAN, label=Verdict.B_BETTER)), options=replace(ALL, verbatim=True)).answers["no text"] == 1
    )


def test_the_cap_cuts_what_is_learnt_and_what_is_scored() -> None:
    late = ["Response 2 reads well.", "Response 2 is friendly.", *HUMAN]
    assert of(pair(judge(said(late, "B>A"))), options=replace(ALL, max_reasons=2)).answers == {
        "read": 1,
        "under the least reward": 1,
    }
    (made,) = of(pair(judge(said([*HUMAN, *late], "B>A"))), options=replace(ALL, max_reasons=3)).made
    assert (parse_judgment(made.text).reasons, made.reward) == (HUMAN, 1.0)


def test_verbatim_keeps_the_text() -> None:
    text = said([*HUMAN[:2], "Response 1 ends with <|im_end|>."], "B>A")
    (made,) = of(pair(judge(text)), options=replace(ALL, verbatim=True)).made
    assert made.text.replace("\u2060", "") == text
    assert "<|im_end|>" not in made.text, "a control token would end the answer that is learnt"
    capped = of(pair(judge(text)), options=replace(ALL, verbatim=True, max_reasons=2))
    assert capped.answers == {"read": 1, "too many reasons": 1}


def test_gold_where_no_answer_is_good_enough() -> None:
    row = pair(judge(said(HUMAN, "A>B")), judge(said(HUMAN, "B>A"), order="BA"), preference=3.0)
    assert of(row).made == []
    found = of(row, options=replace(ALL, gold=True))
    assert found.games == {"read": 2, "gold": 2}
    one, other = found.made
    assert (one.judge, one.reward) == ("human", None)
    first, second = parse_judgment(one.text), parse_judgment(other.text)
    assert (first.verdict, second.verdict) == (Verdict.B_MUCH_BETTER, Verdict.A_MUCH_BETTER)
    assert first.reasons[0] == "Response A omits the unit of the mass."
    assert second.reasons[0] == "Response B omits the unit of the mass."
    (scored,) = REWARD([other.text], [other.game.truth.human_reasons], [other.game.truth.label])
    assert scored.total == 1.0
    good = of(pair(judge(said(HUMAN, "B>A"))), options=replace(ALL, gold=True))
    assert good.games == {"read": 1, "kept": 1}, "a judge's is taken first"


@pytest.mark.parametrize(
    ("more", "order", "made"),
    [({"prose": True}, "AB", 0), ({"human_reasons": ("A omits it.",)}, "BA", 0), ({"human_reasons": ("A omits it.",)}, "AB", 1)],
)
def test_gold_is_never_rough_nor_in_the_wrong_letters(more: dict[str, Any], order: Any, made: int) -> None:
    row = pair(judge("I can't help.", order=order), **more)
    assert len(of(row, options=replace(ALL, gold=True)).made) == made


def test_rows_that_can_not_be_used() -> None:
    right = judge(said(HUMAN, "B>A"))
    rows = [
        pair(right, key="a", human_reasons=None),
        pair(right, key="b", label=None),
        pair(right, key="c", label=0),
        pair(right, key="d"),
    ]
    found = of(*rows)
    assert found.rows == {"read": 4, "used": 1, "human tie": 1, "no human reasons": 1, "unlabelled": 1}
    assert [made.id for made in found.made] == ["d"]
    tie = pair(judge(said(HUMAN, "A=B")), label=0)
    (made,) = of(tie, options=replace(ALL, ties="keep")).made
    assert parse_judgment(made.text).verdict == Verdict.TIE


def rows_of(count: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"q{k}",
            "context": f"Question {k} about the {k * 17 % 101} laws of number {k * k}?",
            "response1": f"It is {k}.",
            "response2": f"It is {k} kg.",
            "overall_preference": 1,
            "human-checklist": list(HUMAN),
            "j-games": [
                {"order": "AB", "generated_text": said(HUMAN, "B>A")},
                {"order": "BA", "generated_text": said([swap_sides(reason) for reason in HUMAN], "A>B")},
            ],
        }
        for k in range(count)
    ]


def test_held_out_prompts_never_enter(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    """By the same rule as `prepare`, or by what it wrote, whatever rows come along."""
    pytest.importorskip("pyarrow", reason="pyarrow is in the extra [train]")
    path = jsonl(*rows_of(60))
    assert run("train", "prepare", path, "--out", tmp_path / "data", "--validation", "0.3").code == 0
    import pyarrow.parquet as pq

    left_out = {game["id"] for game in pq.read_table(tmp_path / "data" / "validation.parquet")["extra_info"].to_pylist()}
    assert 5 < len(left_out) < 35
    found = demonstrations(PairFile(path), REWARD, DemonstrationOptions(validation=0.3))
    assert {made.id for made in found.made} == {f"q{k}" for k in range(60)} - left_out
    assert found.rows == {"read": 60, "used": 60 - len(left_out), "validation": len(left_out)}
    some = jsonl(*[row for row in rows_of(80) if int(row["id"][1:]) % 3], name="some.jsonl")
    found = demonstrations(PairFile(some), REWARD, ALL, held_out=validation_prints(tmp_path / "data"))
    assert not {made.id for made in found.made} & left_out
    assert found.rows["held out"] == len([key for key in left_out if int(key[1:]) % 3])
    assert run("train", "prepare", path, "--out", tmp_path / "none", "--validation", "0").code == 0
    assert validation_prints(tmp_path / "none") == []
    with pytest.raises(DataError, match="no such file"):
        validation_prints(tmp_path)


def test_the_shipped_sample() -> None:
    found = demonstrations(JudgedPairs(SAMPLE), REWARD, DemonstrationOptions(gold=True, validation=0))
    assert found.rows["read"] == 69
    assert found.games["read"] == found.rows["used"] == found.games["kept"] + found.games["gold"]
    assert found.answers["read"] == 3 * found.rows["used"]
    assert {made.judge for made in found.made} >= {"checks", "human"}
    for made in found.made:
        (scored,) = REWARD(
            [made.text], [made.game.truth.human_reasons], [made.game.truth.label], responses=[made.game.truth.responses or ()]
        )
        assert scored.total == (1.0 if made.reward is None else made.reward)
        assert scored.total is not None
        assert scored.total >= 0.3


class Gone(Matcher):
    """Fails at everything."""

    name, version = "gone", "0"

    def match(self, human: Any, model: Any) -> Matching:
        raise MatcherError("no answer")

    def match_many(self, pairs: Any) -> list[Matching]:
        raise MatcherError("no answer")


def test_a_failure_of_the_matcher_is_no_answers_fault() -> None:
    rows = [pair(judge(said(HUMAN, "B>A")), key=f"q{k}") for k in range(3)]
    found = demonstrations(rows, HybridReward(Gone()), ALL)
    assert found.answers == {"read": 3, "not scored": 3}
    for combine in ("additive", "rationale"):
        wrong = demonstrations([pair(judge(said(HUMAN, "A>B")))], HybridReward(LexicalMatcher(), combine=combine), ALL)
        assert wrong.answers == {"read": 1, "wrong verdict": 1}
    with pytest.raises(StoppedError, match="100% of the last 2 rewards failed"):
        demonstrations(rows, HybridReward(Gone()), ALL, guard=FailureGuard(0.5, 2))


def test_wrong_use() -> None:
    with pytest.raises(UsageError, match="read twice"):
        demonstrations(iter([pair()]), REWARD)
    for bad in ({"min_reward": 2}, {"max_reasons": 0}, {"validation": 1}, {"ties": "x"}):
        with pytest.raises(UsageError, match="--"):
            DemonstrationOptions(**bad)  # type: ignore[arg-type]


def test_every_vote_of_a_judge_run(run: Run, jsonl: Jsonl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vote that speaks for a game need not be the best one."""
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    seen: dict[str, int] = {}

    def answer(prompt: str) -> Answered:
        seen[prompt] = seen.get(prompt, 0) + 1
        first = prompt.index("It is 1.") < prompt.index("It is 1 kg.") if "It is 1 kg." in prompt else True
        reasons = HUMAN if first else tuple(swap_sides(reason) for reason in HUMAN)
        verdict = "B>A" if first else "A>B"
        return Answered(said(["It is better."] if seen[prompt] < 3 else reasons, verdict))

    rows = [{key: value for key, value in row.items() if key != "j-games"} for row in rows_of(2)[1:]]
    path, out = jsonl(*rows), tmp_path / "out"
    with FakeEndpoint(lambda body, n: answer(body["messages"][-1]["content"])) as server:
        words = ["--model", "j", "--base-url", server.url, "--votes", "3", "--temperature", "1", "--concurrency", "1"]
        assert run("judge", path, *words, "--out", out).code == 0
    alone = demonstrations(JudgedPairs(out / "pairs.jsonl"), REWARD, ALL)
    assert alone.answers == {"read": 2, "under the least reward": 2}
    found = demonstrations(JudgedPairs(out), REWARD, ALL)
    assert [(made.id, made.order, made.reward) for made in found.made] == [("q1", "AB", 1.0), ("q1", "BA", 1.0)]
    assert found.answers["read"] == 6
    (out / "judgments.jsonl").write_text((out / "judgments.jsonl").read_text() + '{"id": "q1", "te')
    assert demonstrations(JudgedPairs(out), REWARD, ALL).answers == found.answers
    changed = json.loads((out / "pairs.jsonl").read_text())
    (out / "pairs.jsonl").write_text(json.dumps(changed | {"response1": "something else"}) + "\n")
    assert demonstrations(JudgedPairs(out), REWARD, ALL).answers["read"] == 2, "votes on other texts are none on these"
    with pytest.raises(DataError, match=r"holds no pairs\.jsonl"):
        list(JudgedPairs(tmp_path))
