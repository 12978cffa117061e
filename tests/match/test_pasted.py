"""Passages of the prompt or the responses in a reason: cut for the offline matchers, in every command and in the reward."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rationalerm import EmbeddedMatcher, HybridReward, LexicalMatcher, LLMMatcher, evaluate
from rationalerm.data.pairs import Columns, PairFile
from rationalerm.llm.endpoint import Endpoint
from rationalerm.match.pasted import as_matched, shown_of, without_pasted
from rationalerm.run.games import game_of

RESPONSE = (
    "The treaty was signed in Utrecht in 1713, not in 1715. Several powers took part, and the war came to an end.\nIt was long."
)
JUDGES = "Utrecht, in 1713, is the right place and the right year of that treaty, as every book has it."  # sounds like a reason
WHOLE = f"Response A says: {RESPONSE} Response B says: {RESPONSE}"


@pytest.mark.parametrize(
    ("reason", "left"),
    [
        ("A gives the year 1713, and rightly so.", "A gives the year 1713, and rightly so."),
        (
            'A says "signed in Utrecht in 1713", which is right.',
            'A says "signed in Utrecht in 1713", which is right.',
        ),  # six words
        ("A claims THE TREATY was signed: in Utrecht in *1713*, wrongly.", "A claims …*, wrongly."),
        (f"A is long. {WHOLE}", "A is long."),
        (WHOLE, ""),
        (RESPONSE, ""),
        ("", ""),
        ("…", "…"),
        ("The treaty was signed, in Paris, in 1713, and several powers took part.", None),  # no seven words in a row
    ],
)
def test_what_is_left(reason: str, left: str | None) -> None:
    assert without_pasted([reason], [RESPONSE, "Other text."]) == (reason if left is None else left,)


def test_the_humans_words_stay() -> None:
    """What a human reason quotes itself is no padding."""
    reason = "B copies 'several powers took part, and the war came to an end', word for word."
    assert without_pasted([reason], [RESPONSE]) != (reason,)
    assert without_pasted([reason], [RESPONSE], [reason]) == (reason,)


def test_scripts_without_spaces() -> None:
    shown = "由于您的硬盘已满，软件更新失败，请删除不需要的文件后重试。"
    assert without_pasted([f"回答A说：{shown}"], [shown]) == ("",)
    assert without_pasted(["回答A用了软件更新失败这个词，不自然。"], [shown]) == ("回答A用了软件更新失败这个词，不自然。",)


@pytest.mark.parametrize("text", ["a " * 20_000, "{}" * 3000, "\x00\u202e\ud800 x" * 9, "ab\u200bc " * 50, "…\ue004. " * 40])
def test_hostile_texts(text: str) -> None:
    (left,) = without_pasted([f"A is short. {text}"], [text])
    assert left.startswith("A is short.")
    assert len(left) <= len(text) + 12


def test_who_reads_on() -> None:
    """An LLM is asked about the reasons as they are; matchers of other people likewise."""
    shown = [RESPONSE]
    for matcher in (EmbeddedMatcher(), EmbeddedMatcher(fast=True), LexicalMatcher()):
        assert as_matched(matcher, [RESPONSE], shown, []) == ("",)
    assert as_matched(LLMMatcher(Endpoint("http://127.0.0.1:9/v1", "m")), [RESPONSE], shown, []) == (RESPONSE,)


def _file(folder: Path, response: str, reasons: list[str]) -> Path:
    row = {
        "id": "q",
        "context": [{"role": "user", "content": "When did the war of the Spanish succession come to an end?"}],
        "response1": response,
        "response2": "In 1720.",
        "overall_preference": -1,
        "human-checklist": ["Response 1 has the right year, 1713, and place, Utrecht, of the treaty."],
        "j-checklist": reasons,
        "j-generated_text": "Response 1. \\boxed{A>B}",
    }
    path = folder / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return path


def test_evaluate_pays_nothing_for_a_copy(tmp_path: Path) -> None:
    pasted = [f"Response 1 says: {JUDGES}"]
    summary = evaluate(_file(tmp_path, JUDGES, pasted), ("j",), LexicalMatcher(), chance_rows=0)
    assert summary.judges["j"]["rationale_consistency"].value == 0.0
    assert summary.judges["j"].counts["scored"] == 1
    elsewhere = evaluate(_file(tmp_path, "In 1713.", pasted), ("j",), LexicalMatcher(), chance_rows=0)
    assert (elsewhere.judges["j"]["rationale_consistency"].value or 0) > 0  # there it is the judge's own


def test_a_run_knows_when_the_responses_changed(tmp_path: Path) -> None:
    digests = []
    for response in (JUDGES, "In 1713.", "In 1714."):
        (pair,) = PairFile(_file(tmp_path, response, [f"Response 1 says: {JUDGES}"]), Columns(judges=("j",)))
        digests.append(game_of(pair, pair.answers[0]).digest)
    assert digests[0] != digests[1] == digests[2]
    assert JUDGES in shown_of(next(iter(PairFile(_file(tmp_path, JUDGES, []), Columns(judges=("j",))))))


@pytest.mark.parametrize("known", [{"responses": [[JUDGES, "In 1720."]]}, {"tasks": [f"Read this. {JUDGES}"]}])
def test_the_reward_pays_nothing_for_a_copy(known: dict[str, list[object]]) -> None:
    reward = HybridReward(LexicalMatcher())
    human = ["Response A has the right year, 1713, and place, Utrecht, of the treaty."]
    text = f"1. Response A says: {JUDGES}\n\n\\boxed{{A>B}}"
    (paid,), (unpaid,) = reward([text], [human], ["A>B"]), reward([text], [human], ["A>B"], **known)  # type: ignore[arg-type]
    assert (paid.total or 0) > 0 == unpaid.total
    assert unpaid.status == "scored"


def test_a_book_is_cut_whole() -> None:
    """Each window is looked for where the last one stood; without that this would take minutes."""
    book = " ".join(f"{word}{k % 977}" for k, word in enumerate(["ab", "cd", "ef"] * 20_000))
    assert without_pasted([f"A is long. {book}"], [book, "Other."]) == ("A is long.",)
