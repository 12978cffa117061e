"""Real judges' outputs (../shared/data): no verdict against the side that the source's own reader read.

The disagreements are listed with the reason; each was looked at. Rows are named by ids only: the texts are not ours to copy.
"""

import json
import os
from pathlib import Path

import pytest

from rationalerm.judge.parse import parse_judgment


def shared():
    named = os.environ.get("RATIONALERM_SHARED")
    places = [Path(named)] if named else [parent / "shared" for parent in Path(__file__).resolve().parents]
    return next((place for place in places if (place / "data").is_dir()), None)


DATA = shared()
needs_data = pytest.mark.skipif(
    DATA is None, reason="real data not here: set RATIONALERM_SHARED, or put shared/ beside the checkout"
)

TWO_LABELS = "two labels, one for each assistant in turn; the source gives up, here the last own one counts and is noted"
BOTH_EQUAL = "says that both are equally good; the source's reader knows no tie"
TWO_STATEMENTS = "says of each output in turn that it is better: contradicting statements, no verdict; the source takes the first"
NOT_FIRST = "concludes twice that Output (b) is better; the source takes the first statement, which is on one criterion"
NEITHER = "says that neither is significantly better: not read as a tie"
CLAUDE = "jb/claude-3-haiku/"
DISAGREEMENTS = {
    CLAUDE + "3ca791e5-75b4-5172-bc59-14c5b21c60a1/1": TWO_LABELS,
    CLAUDE + "b29e3027-00b8-5e06-8b51-aeed1a2e4bdb/0": TWO_LABELS,
    CLAUDE + "5ab8d9e6-93cc-585e-b094-abbe3a82ff0f/0": TWO_LABELS,
    CLAUDE + "9fb1c9fc-ef64-5ceb-97b4-cf17019f0455/0": TWO_LABELS,
    CLAUDE + "e507c24c-268f-57b3-ae82-115141c2cb01/0": TWO_LABELS,
    CLAUDE + "bc53b449-7816-55b7-b25d-a81f8b73fc41/0": TWO_LABELS,
    CLAUDE + "663eb019-69ba-570f-bf87-f210f58e8cec/1": TWO_LABELS,
    "llmbar/ChatGPT/Natural/17/False": BOTH_EQUAL,
    "llmbar/ChatGPT/Adversarial/Manual/39/True": BOTH_EQUAL,
    "llmbar/Falcon/Adversarial/GPTInst/26/True": TWO_STATEMENTS,
    "llmbar/Falcon/Natural/7/False": TWO_STATEMENTS,
    "llmbar/Falcon/Natural/74/False": NOT_FIRST,
}


def rows(name):
    with (DATA / "data" / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def side(label):
    return None if label is None else 0 if "=" in label else -1 if label[0] == "A" else 1


def read(text):
    verdict = parse_judgment(text).verdict
    return None if verdict is None else verdict.side


def numbered(winner, swapped):
    """llmbar: '1' is the first output of the data, shown second in the swapped game."""
    return None if winner not in ("1", "2") else (-1 if winner == "1" else 1) * (-1 if swapped else 1)


def upstream(row):
    style, said = row["style"], row["upstream_verdict"]
    if style.startswith("CoT"):
        return numbered(said, row["game"] == "BA")
    if style.startswith("pointwise") or "Rating" in style:
        return None  # one answer, a score: no verdict
    if style.startswith("A/B/C"):
        return {"A": -1, "B": 1}.get(row["text"][0])
    return -1 if style.startswith("<rubric>") else side(said)


@needs_data
def test_judge_texts():
    wrong = {
        row["id"]: (upstream(row), read(row["text"]))
        for row in rows("judge_texts/texts.jsonl")
        if upstream(row) != read(row["text"])
    }
    assert {key: value for key, value in wrong.items() if key not in DISAGREEMENTS} == {}


@needs_data
@pytest.mark.parametrize("judge", ["claude-3-haiku-20240307", "o1-mini-2024-09-12"])
def test_judgebench_arena_hard(judge):
    wrong = set()
    for row in rows(f"judgebench/outputs_arena_hard__{judge}.jsonl"):
        for game, judgment in enumerate(row["judgments"]):
            if read(judgment["text"]) != side(judgment["decision"]):
                wrong.add(f"{CLAUDE}{row['pair_id']}/{game}")
    assert wrong <= set(DISAGREEMENTS)


@needs_data
@pytest.mark.parametrize("name", ["no_rubric__Qwen-Qwen3-1.7B", "rubric__Qwen3-8B__Qwen-Qwen3-8B"])
def test_scores_of_single_answers_are_no_verdict(name):
    texts = [
        judgment[key]
        for row in rows(f"judgebench/outputs_{name}.jsonl")
        for judgment in row["judgments"]
        for key in ("raw_A", "raw_B")
    ]
    assert [text for text in texts if read(text) is not None] == []


@needs_data
@pytest.mark.parametrize("model", ["bagel-8b-v1.0", "gpt-4-0314"])
def test_arena_hard_r1(model):
    """Side and strength of every game, as the published win rate has them."""
    games = [game for row in rows(f"arena_hard_r1_judgments/{model}.jsonl") for game in row["games"]]
    verdicts = [parse_judgment(game["judgment"]).verdict for game in games]
    assert [None if verdict is None else verdict.label for verdict in verdicts] == [game["score"] for game in games]


@needs_data
def test_llmbar():
    wrong = set()
    for row in rows("llmbar/cot_outputs.jsonl"):
        if read(row["text"]) != numbered(row["winner"], row["swap"]):
            wrong.add(f"llmbar/{row['evaluator']}/{row['id']}/{row['swap']}")
    assert wrong <= set(DISAGREEMENTS)


@needs_data
def test_reasons_of_real_texts_are_clean():
    for row in rows("judge_texts/texts.jsonl"):
        for reason in parse_judgment(row["text"]).reasons:
            assert "\n" not in reason
            assert "[[" not in reason or "]]" not in reason or row["style"].startswith("<think>") or "Final" not in reason
