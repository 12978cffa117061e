"""The demonstration: the world is as it says, the sampler keeps to its lengths, nothing is counted as 0 that is missing, and the
direction holds over one seed of a shortened run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from rationalerm import parse_judgment
from rationalerm.errors import ResumeError, UsageError
from rationalerm.match import Matcher
from rationalerm.reward.groups import step_of
from rationalerm.train.toy.arms import ARMS
from rationalerm.train.toy.codec import (
    END,
    PROMPT_LENGTH,
    VOCABULARY,
    decode,
    encode_answer,
    encode_prompt,
    pair_text,
    reason_text,
)
from rationalerm.train.toy.demonstrations import Habits
from rationalerm.train.toy.matcher import ExactMatcher
from rationalerm.train.toy.start import STEPS, Start
from rationalerm.train.toy.world import CHECKS, CHOICES, CUES, FACTS, Claim, ToyPair, World, lighter, swapped

Run = Callable[..., Any]
SHORT = Start(reading=6, imitating=6, batch=16, pool=64)


def pairs(n: int, world: World | None = None, seed: str = "test") -> list[ToyPair]:
    return list(islice((world or World()).pairs(seed), n))


# The world


def test_labels_follow_the_weighted_defects_but_where_the_human_is_swayed() -> None:
    assert all(pair.label == lighter(pair.defects()) for pair in pairs(500, World(swayed=0.0)))
    against = sum(pair.label != lighter(pair.defects()) for pair in pairs(4000, World(swayed=0.2))) / 4000
    assert against == pytest.approx(0.2, abs=0.03)


def test_human_reasons_can_be_read_off_the_pair_heaviest_first() -> None:
    names = (*CHOICES, *FACTS)
    for pair in pairs(300):
        expected = []
        for side, response in ((-1, pair.a), (1, pair.b)):
            for name, word in zip(names, response.words, strict=True):
                right = pair.request[names.index(name)] if name in CHOICES else FACTS[name][0]
                if word != right:
                    expected.append((-CHECKS[name], side, word))
        assert [(claim.side, claim.about) for claim in pair.reasons] == [(side, word) for _, side, word in sorted(expected)[:4]]
        assert pair.reasons


@pytest.mark.parametrize("rate", [0.0, 0.5, 0.85])
def test_cues_point_at_the_humans_side_at_the_set_rate(rate: float) -> None:
    made = pairs(4000, World(cue_rate=rate))
    assert sum(pair.styled == pair.label for pair in made) / len(made) == pytest.approx(rate, abs=0.03)
    assert all(bool(pair.a.cues) != bool(pair.b.cues) for pair in made)
    assert Counter(pair.label for pair in made)[1] / len(made) == pytest.approx(0.5, abs=0.05)


def test_cues_change_neither_the_responses_nor_the_label() -> None:
    for one, other in zip(pairs(200, World(cue_rate=0.0)), pairs(200, World(cue_rate=1.0)), strict=True):
        assert (one.request, one.a.words, one.b.words, one.label) == (other.request, other.a.words, other.b.words, other.label)
        assert one.styled != other.styled


def test_swapping_turns_everything() -> None:
    for pair in pairs(100):
        other = swapped(pair)
        assert (other.label, other.styled, other.a, other.b) == (-pair.label, -pair.styled, pair.b, pair.a)
        assert sorted(other.reasons) == sorted(Claim(1 if c.side < 0 else -1, c.about) for c in pair.reasons)
        assert swapped(other) == pair
        reward = ARMS["hybrid"].reward()
        answer, turned = (decode(encode_answer(one.reasons, one.label)) for one in (pair, other))
        totals = [
            reward([text], [[reason_text(c) for c in one.reasons]], [one.label])[0].total
            for text, one in ((answer, pair), (turned, other))
        ]
        assert totals == [1.0, 1.0]


def test_same_seed_same_pairs() -> None:
    assert pairs(50) == pairs(50)
    assert pairs(50) != pairs(50, seed="other")


def test_evidence_and_surface_demonstrations_are_about_equally_right() -> None:
    import random

    made, habits, rng = pairs(4000), Habits(), random.Random(0)
    right = {
        habit: sum(habits.answer(pair, habit, rng).verdict == pair.label for pair in made) / len(made)
        for habit in ("evidence", "surface")
    }
    assert abs(right["evidence"] - right["surface"]) < 0.05
    shares = Counter(one.habit for one in habits.demonstrations(iter(made), "s"))
    assert [shares[habit] / 4000 for habit in ("evidence", "mixed", "surface")] == pytest.approx([0.5, 0.2, 0.3], abs=0.03)


# Words, tokens, texts


def test_prompts_have_one_length_and_answers_fit() -> None:
    assert len(set(VOCABULARY)) == len(VOCABULARY)
    for pair in pairs(100):
        assert len(encode_prompt(pair)) == PROMPT_LENGTH
        assert len(encode_answer(pair.reasons, pair.label)) <= STEPS
        assert set(pair_text(pair)) == {"request", "response_a", "response_b"}


def test_an_answers_text_is_read_back_by_the_products_parser() -> None:
    for pair in pairs(100):
        claims = (*pair.reasons, *pair.cues())
        judgment = parse_judgment(decode(encode_answer(claims, pair.label)))
        assert judgment.verdict is not None
        assert judgment.verdict.side == pair.label
        assert judgment.reasons == tuple(reason_text(claim) for claim in claims)


def test_every_cue_reads_as_generic_and_no_defect_does() -> None:
    defects = [*(w for words in CHOICES.values() for w in words), *(w for words in FACTS.values() for w in words[1:])]
    answers = [decode(encode_answer([Claim(1, word)], 1)) for word in (*CUES, *defects)]
    made = ARMS["hybrid"].reward()(answers, [["x"]] * len(answers), [1] * len(answers))
    assert [one.generic for one in made] == [1.0] * len(CUES) + [0.0] * len(defects)


def test_tokens_in_no_order_are_text_without_a_verdict() -> None:
    judgment = parse_judgment(decode([VOCABULARY.index("German"), VOCABULARY.index("Response A"), END, 3]))
    assert judgment.verdict is None


def test_the_matcher_is_a_matcher_and_exact() -> None:
    matcher = ExactMatcher()
    assert isinstance(matcher, Matcher)
    lists = (["A b.", "c"], ["C", "a  b."])
    assert matcher.match(*lists).scores == {(0, 1): 1.0, (1, 0): 1.0}
    assert matcher.match_many([lists]) == [matcher.match(*lists)]


# The arms


def test_arms_differ_in_reward_and_cue_rate_alone() -> None:
    pair = next(pair for pair in pairs(50) if len(pair.reasons) >= 2)
    human = [reason_text(claim) for claim in pair.reasons]
    junk = [Claim(pair.styled, cue) for cue in CUES]
    texts = [decode(encode_answer(claims, side)) for claims in (pair.reasons, junk) for side in (pair.label, -pair.label)]
    totals = {
        name: [one.total for one in arm.reward()(texts, [human] * 4, [pair.label] * 4)]
        for name, arm in ARMS.items()
        if arm.combine
    }
    assert totals == {
        "outcome": [1.0, 0.0, 1.0, 0.0],
        "hybrid": [1.0, 0.0, 0.0, 0.0],
        "control": [1.0, 0.0, 1.0, 0.0],
        "additive": [1.0, 0.5, 0.5, 0.0],
        "rationale": [1.0, 1.0, 0.0, 0.0],
        "capped": [1.0, 0.0, 0.0, 0.0],
    }
    worlds = {name: arm.world(World()) for name, arm in ARMS.items()}
    assert worlds.pop("control") == replace(World(), cue_rate=0.5)
    assert set(worlds.values()) == {World()}


# The policy


def test_the_sampler_keeps_to_its_lengths_and_to_its_own_log_probs() -> None:
    torch = pytest.importorskip("torch")
    from rationalerm.train.toy.model import ModelConfig, log_probs, new_policy, sample

    policy = new_policy(ModelConfig(len(VOCABULARY), PROMPT_LENGTH + STEPS), 0)
    assert 90_000 < sum(weight.numel() for weight in policy.weights.values()) < 120_000
    prompts = torch.tensor([encode_prompt(pair) for pair in pairs(8)])
    drawn = sample(policy, prompts, 4, STEPS, END, torch.Generator().manual_seed(0))
    assert drawn.tokens.shape == drawn.mask.shape == (32, STEPS)
    for tokens, mask in zip(drawn.tokens.tolist(), drawn.mask.tolist(), strict=True):
        length = tokens.index(END) + 1 if END in tokens else STEPS
        assert mask == [1.0] * length + [0.0] * (STEPS - length)
        assert set(tokens[length:]) <= {END}
    again = log_probs(policy, prompts, drawn.tokens, 4)
    assert torch.allclose(again * drawn.mask, drawn.log_probs, atol=1e-4)
    assert torch.allclose(again[4:8], log_probs(policy, prompts[1:2].repeat(4, 1), drawn.tokens[4:8], 1), atol=1e-4)


def test_evaluation_counts_what_is_missing_apart() -> None:
    from rationalerm.train.toy.evaluate import evaluated
    from rationalerm.train.toy.grpo import Answers

    four = pairs(4)
    right = [decode(encode_answer(pair.reasons, pair.label)) for pair in four]
    no_verdict = right[2].split("\\boxed")[0]
    figures = evaluated(four, Answers([right[0], "", no_verdict, no_verdict], ["stop", "stop", "stop", "length"]))
    assert (figures["answers"], figures["no_verdict"], figures["truncated"], figures["not_scored"]) == (4, 3, 1, 2)
    assert (figures["outcome_accuracy"], figures["outcome_accuracy_n"]) == (1.0, 1)
    assert figures["outcome_accuracy_all"] == 0.25
    assert (figures["rationale_consistency"], figures["rationale_consistency_n"]) == (1.0, 2)
    nothing = evaluated(four, Answers([""] * 4, ["stop"] * 4))
    assert nothing["outcome_accuracy"] is None
    assert nothing["rationale_consistency"] is None
    assert nothing["padding"] is None


def test_the_curve_is_the_steps_rewards() -> None:
    reward = ARMS["hybrid"].reward()
    pair = pairs(1)[0]
    made = reward(
        [decode(encode_answer(pair.reasons, side)) for side in (pair.label, -pair.label)],
        [[reason_text(claim) for claim in pair.reasons]] * 2,
        [pair.label] * 2,
    )
    step = step_of(made, 2)
    assert (step.means["outcome"], step.means["rationale"], step.means["total"]) == (0.5, 1.0, 0.5)


# Whole runs


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_same_seed_same_figures(cache: Path) -> None:
    pytest.importorskip("torch")
    from rationalerm.train.toy import ToyConfig, run_toy

    config = ToyConfig(seed=3, steps=3, start=SHORT, held_out=24)
    first = run_toy(config, ("base", "outcome", "hybrid"))
    assert len(list(cache.glob("toy-start-*.safetensors"))) == 1
    for file in cache.iterdir():
        file.write_bytes(b"broken")  # made again
    second = run_toy(config, ("base", "hybrid"))
    third = run_toy(config, ("base", "hybrid"))  # from the cache
    for other in (second, third):
        assert other.curves["hybrid"] == first.curves["hybrid"]
        assert {k: v for k, v in other.arms["hybrid"].items() if k != "seconds"} == {
            k: v for k, v in first.arms["hybrid"].items() if k != "seconds"
        }
    assert len(first.curves["outcome"]) == 3
    assert "base" not in first.curves


def test_a_finished_directory_is_shown_and_an_arm_cut_short_done_again(cache: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    from rationalerm.train.toy import ToyConfig, run_toy

    out = tmp_path / "run"
    config = ToyConfig(seed=1, steps=2, start=SHORT, held_out=16, shown=2)
    first = run_toy(config, ("base", "outcome"), out)
    assert {file.name for file in out.iterdir()} == {
        "run.json", "arms.jsonl", "curves.jsonl", "examples.jsonl", "summary.json", "curves.png", "report.html",
    }  # fmt: skip
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((out / "summary.json").read_text())["arms"] == first.arms
    before = (out / "arms.jsonl").read_bytes()
    with (out / "curves.jsonl").open("a") as curves:  # what a stop leaves of an arm
        curves.write('{"arm": "hybrid", "step": 1}\n{"arm": "hyb')
    again = run_toy(config, ("base", "outcome"), out)
    assert again == first
    assert (out / "arms.jsonl").read_bytes() == before
    more = run_toy(config, ("base", "hybrid"), out)
    assert list(more.arms) == ["base", "hybrid"]
    rows = [json.loads(line) for line in (out / "curves.jsonl").read_text().splitlines()]
    assert Counter(row["arm"] for row in rows) == {"outcome": 2, "hybrid": 2}
    assert list(json.loads((out / "summary.json").read_text())["arms"]) == ["base", "outcome", "hybrid"]
    shown = [json.loads(line) for line in (out / "examples.jsonl").read_text().splitlines()]
    assert [(row["id"], row["arm"]) for row in shown] == [(k, arm) for k in (1, 2) for arm in ("base", "outcome", "hybrid")]
    with pytest.raises(ResumeError):
        run_toy(replace(config, seed=2), ("base",), out)


def test_the_commands_json_and_table(run: Run, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    from rationalerm.train.toy import ToyConfig

    monkeypatch.setattr("rationalerm.train.toy.ToyConfig", lambda **given: ToyConfig(start=SHORT, held_out=16, **given))
    words = ("train", "demo", "--out", tmp_path / "run", "--seed", "2", "--steps", "2")
    ran = run(*words, "--json")
    assert ran.code == 0, ran.err
    assert set(ran.json["arms"]) == {"base", "outcome", "hybrid", "control"}
    assert (ran.json["seed"], ran.json["steps"]) == (2, 2)
    for arm in ran.json["arms"].values():
        assert 0 <= arm["rationale_consistency"] <= 1
        assert {"outcome_accuracy", "average_precision", "reasons", "generic", "padding", "no_verdict", "misled"} <= set(arm)
        assert {"outcome_accuracy", "rationale_consistency"} <= set(arm["misled"])
    table = run(*words)
    assert table.code == 0
    assert "shortcut on purpose" in table.out
    assert "Warning" not in table.err


def test_wrong_words(run: Run, cache: Path) -> None:
    from rationalerm.commands import train_demo

    assert tuple(ARMS) == train_demo.ARMS
    assert run("train", "demo", "--arms", "hybird").code == 2
    assert "--steps" in run("train", "demo", "--steps", "0").err
    from rationalerm.train.toy import run_toy
    from rationalerm.train.toy.run import ToyConfig

    with pytest.raises(UsageError, match="no arm x"):
        run_toy(ToyConfig(), ("x",))


def test_a_missing_extra_is_one_line(run: Run, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    ran = run("train", "demo")
    assert (ran.code, ran.err.splitlines()) == (2, ['rationalerm: train demo needs torch: pip install "rationalerm[train]"'])


def test_the_room_loads_no_torch() -> None:
    code = "import sys; from rationalerm.train.toy import plot, show; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


def test_sentences_follow_the_figures() -> None:
    from rationalerm.train.toy import ToyConfig, ToySummary
    from rationalerm.train.toy.show import sentences

    def arm(oa: float, rc: float, reasons: float = 2.0) -> dict[str, Any]:
        return {
            "outcome_accuracy": oa,
            "outcome_accuracy_ci": [oa - 0.03, oa + 0.03],
            "rationale_consistency": rc,
            "rationale_consistency_ci": [rc - 0.03, rc + 0.03],
            "reasons": reasons,
            "padding": 0.25,
        }

    arms = {"base": arm(0.7, 0.4), "outcome": arm(0.7, 0.41), "hybrid": arm(0.6, 0.5, 4.0), "control": arm(0.9, 0.1)}
    said = list(sentences(ToySummary(ToyConfig(), arms, {})))
    assert "right not clearly more or less often (0.70 -> 0.70)" in said[0]
    assert "does not clearly change (0.40 -> 0.41)" in said[0]
    assert "right less often (0.70 -> 0.60)" in said[1]
    assert "rises (0.40 -> 0.50)" in said[1]
    assert "grow from 2.0 to 4.0 reasons, 25%" in said[1]
    assert "more often (0.70 -> 0.90)" in said[2]
    assert "falls (0.40 -> 0.10)" in said[2]
    assert list(sentences(ToySummary(ToyConfig(), {"hybrid": arms["hybrid"]}, {}))) == []


def test_the_direction(cache: Path) -> None:
    """One seed, a shortened start, few steps, wide margins: reward the verdict alone, and the reasons go."""
    pytest.importorskip("torch")
    from rationalerm.train.toy import ToyConfig, run_toy

    start = Start(reading=450, imitating=350, batch=96)
    arms = run_toy(ToyConfig(seed=0, steps=60, start=start, held_out=256), ("base", "outcome", "hybrid", "control")).arms
    oa = {name: arm["outcome_accuracy"] for name, arm in arms.items()}
    rc = {name: arm["rationale_consistency"] for name, arm in arms.items()}
    assert rc["outcome"] < rc["base"] - 0.08
    assert rc["hybrid"] > rc["base"] + 0.25
    assert rc["control"] > rc["outcome"] + 0.08
    assert min(oa["outcome"], oa["hybrid"]) > oa["base"]
    assert arms["outcome"]["generic"] > arms["base"]["generic"] > arms["hybrid"]["generic"]
    assert all(arm["no_verdict"] <= 0.1 * arm["answers"] for arm in arms.values())
