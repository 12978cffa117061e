"""TRL's reward function: both forms of completions, columns, None, what is logged; and TRL's own trainer over it."""

from __future__ import annotations

import asyncio
import logging
import math
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from adapter_rows import AP, CUT, HUMAN, LEXICAL, RIGHT, SILENT, TRUTH, WRONG, asking, row
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from endpoint import FakeEndpoint
from faults import server_error
from rationalerm.adapters import trl as adapter
from rationalerm.adapters.trl import TRLReward
from rationalerm.adapters.watch import group_size
from rationalerm.errors import DataError, StoppedError
from rationalerm.reward import FailureGuard, RewardConfig
from rationalerm.reward.groups import advantages

EXTRA = {"trainer_state": None, "log_extra": None, "environments": None, "never_heard_of": 3}


def score(reward: TRLReward, completions: list[Any], **columns: Any) -> list[float | None]:
    n = len(completions)
    columns.setdefault("ground_truth", [TRUTH.dump()] * n)
    return asyncio.run(reward(columns.pop("prompts", ["p"] * n), completions, **columns))


@pytest.fixture
def reward() -> TRLReward:
    return TRLReward(LEXICAL)


class Trainer:
    """What TRL's trainer shows of itself through `log_metric`."""

    max_completion_length, eos_token_ids, num_generations, num_generations_eval = 4, [2], 4, 4

    def __init__(self) -> None:
        self.metrics: dict[str, float] = {}
        self.columns: dict[str, list[Any]] = {}

    def log_metric(self, name: str, value: float) -> None:
        self.metrics[name] = value

    def log_extra(self, name: str, values: list[Any]) -> None:
        self.columns[name] = values


def test_gr3_strings_and_chats_give_the_same_and_no_text_is_no_error(reward: TRLReward) -> None:
    chats = [[{"role": "assistant", "content": text}] for text in (RIGHT, WRONG)]
    parts = [[{"role": "assistant", "content": [{"type": "text", "text": text}]}] for text in (RIGHT, WRONG)]
    assert score(reward, [RIGHT, WRONG], completion_ids=[[1, 2], [1, 2]], **EXTRA) == pytest.approx([AP, 0.0])
    assert score(reward, chats) == score(reward, parts) == pytest.approx([AP, 0.0])
    asked = [[{"role": "assistant", "content": "a"}, {"role": "tool", "content": WRONG}, {"role": "assistant", "content": RIGHT}]]
    assert score(reward, asked) == pytest.approx([AP])
    trainer = Trainer()
    silent = [[{"role": "assistant", "content": None, "tool_calls": []}], [], None]
    assert score(reward, silent, log_metric=trainer.log_metric, log_extra=trainer.log_extra) == [0.0] * 3
    assert trainer.columns["status"] == ["no verdict: empty"] * 3


@pytest.mark.parametrize(
    "columns",
    [
        {"ground_truth": [TRUTH.dump()] * 2},
        {"ground_truth": [{"human_reasons": list(HUMAN), "label": 1}] * 2},
        {"reward_model": [row()["reward_model"]] * 2, "data_source": ["rationalerm/general"] * 2},
        {"human_reasons": [list(HUMAN)] * 2, "label": ["B>A", 2], "responses": [["12 kg", "1912"], None]},
    ],
)
def test_the_truth_comes_from_any_of_its_columns(reward: TRLReward, columns: dict[str, Any]) -> None:
    columns.setdefault("ground_truth", columns.get("ground_truth"))
    if columns["ground_truth"] is None:
        del columns["ground_truth"]
    assert asyncio.run(reward(["p"] * 2, [RIGHT, WRONG], **columns)) == pytest.approx([AP, 0.0])


@pytest.mark.parametrize("n", [0, 1, 6])
def test_gr2_as_many_rewards_as_completions(reward: TRLReward, n: int) -> None:
    assert score(reward, [RIGHT] * n) == pytest.approx([AP] * n)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"ground_truth": [TRUTH.dump()] * 5}, r"'ground_truth' has 5 values, and there are 6 completions"),
        ({"ground_truth": TRUTH.dump()}, r"'ground_truth' is a single value \(str, length 1\), and there are 6 completions"),
        ({"reward_model": row()["reward_model"]}, r"'reward_model' is a single value \(dict, length 1\), and there are 6"),
        ({"human_reasons": [list(HUMAN)] * 6, "label": -2}, r"'label' is a single value \(int, length 1\), and there are 6"),
        ({"human_reasons": [list(HUMAN)] * 6, "label": ["A>B"] * 6, "responses": []}, r"'responses' has 0 values"),
        ({"ground_truth": [TRUTH.dump()] * 6, "completion_ids": [[1]]}, r"'completion_ids' has 1 values, and there are 6"),
        ({"ground_truth": [TRUTH.dump()] * 6, "prompts": ["p"]}, r"'prompts' has 1 values, and there are 6 completions"),
        ({"checklist": [[]] * 6}, r"no column ground_truth, reward_model, or human_reasons and label; there are: checklist"),
    ],
)
def test_gr2_a_column_of_another_length_is_refused_before_anything_is_paid(columns: dict[str, Any], said: str) -> None:
    with FakeEndpoint() as server:
        reward = TRLReward(RewardConfig.of(asking(server)))
        prompts = columns.pop("prompts", ["p"] * 6)
        with pytest.raises(ValueError, match=said):
            asyncio.run(reward(prompts, [RIGHT] * 6, **columns))
        assert server.count == 0


def test_a_truth_that_can_not_be_read_names_row_and_field(reward: TRLReward) -> None:
    bad = [TRUTH.dump(), '{"human_reasons": "one", "label": "A>B"}']
    with pytest.raises(DataError, match=r"the batch, row 2, field 'ground_truth.human_reasons': is not a list of strings"):
        score(reward, [RIGHT] * 2, ground_truth=bad)


def test_a_row_of_another_task_is_none_and_counts_nowhere(reward: TRLReward) -> None:
    trainer = Trainer()
    found = score(reward, [RIGHT, "42", WRONG], ground_truth=[TRUTH.dump(), None, TRUTH.dump()], log_metric=trainer.log_metric)
    assert found == [pytest.approx(AP), None, 0.0]
    assert trainer.metrics["reward/outcome"] == 0.5
    assert trainer.metrics["reward/none"] == 0.0


def test_gr1_one_failed_row_is_none_and_the_others_have_finite_advantages() -> None:
    poison = RIGHT.replace("reads well", "poison")

    def answer(body: dict[str, Any], n: int) -> Any:
        text = str(body["messages"])
        return server_error() if "poison" in text else "<RESULT_START>\n- R1@S1: 1.0\n- R2@S3: 0.5\n<RESULT_END>"

    trainer = Trainer()
    with FakeEndpoint(answer) as server:
        reward = TRLReward(RewardConfig.of(asking(server)))
        found = score(reward, [RIGHT, poison, WRONG, SILENT], log_metric=trainer.log_metric, log_extra=trainer.log_extra)
    assert [type(one) for one in found] == [float, type(None), float, float]
    assert found[1] is None
    assert found[0] == pytest.approx(AP)
    assert (found[2], found[3]) == (0.0, 0.0)
    assert all(math.isfinite(one) for one in advantages(found, 4) if one is not None)
    assert trainer.metrics["reward/failed"] == trainer.metrics["reward/none"] == 0.25
    assert trainer.columns["status"] == ["scored", "matcher failed", "scored", "no verdict: format"]


def test_gr1_the_training_stops_above_the_set_share() -> None:
    with FakeEndpoint(lambda body, n: "nothing that can be read") as server:
        reward = TRLReward(RewardConfig.of(asking(server, stop_above=0.5, window=4)))
        assert score(reward, [RIGHT] * 3) == [None] * 3
        with pytest.raises(StoppedError, match="100% of the last 4 rewards failed, over 50%"):
            score(reward, [RIGHT])
        assert score(TRLReward(reward.reward, FailureGuard(1.0, 1)), [RIGHT]) == [None]


def test_gr4_cut_answers_are_told_apart_counted_and_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    group = ["1. A is wrong because", "1. B omits the", "1. A repeats", "1. B cites a"]
    reward, trainer = TRLReward(LEXICAL, window=3), Trainer()
    known = {"log_metric": trainer.log_metric, "log_extra": trainer.log_extra}
    with caplog.at_level(logging.WARNING, "rationalerm"):
        for step in range(5):
            assert score(reward, group, completion_ids=[[5, 6, 7, 8]] * 4, **known) == [0.0] * 4
            assert len(caplog.records) == (step >= 2), "once a window"
        assert trainer.columns["status"] == ["no verdict: truncated"] * 4
        assert (trainer.metrics["reward/truncated"], trainer.metrics["reward/no_spread"]) == (1.0, 1.0)
        score(reward, group, completion_ids=[[5, 6, 7, 2]] * 4, **known)
        assert trainer.columns["status"] == ["no verdict: format"] * 4
        assert trainer.metrics["reward/truncated"] == 0.0
    assert len(caplog.records) == 2
    assert "no group of the last 3 steps had rewards that differ" in caplog.text
    assert "100% of the answers were cut off" in caplog.text
    assert "raise the completion limit" in caplog.text


def test_gr4_a_step_with_spread_is_no_reason_to_warn(caplog: pytest.LogCaptureFixture) -> None:
    reward = TRLReward(LEXICAL, window=2)
    for completions in ([WRONG] * 4, [WRONG, RIGHT, WRONG, WRONG], [WRONG] * 4):
        score(reward, completions)
    assert not caplog.records
    score(reward, [WRONG] * 4)
    assert len(caplog.records) == 1


@pytest.mark.parametrize(("truncated", "worth"), [("zero", 0.0), ("none", None)])
def test_gr4_what_a_cut_answer_is_worth_is_one_setting(truncated: Any, worth: float | None) -> None:
    reward = TRLReward(RewardConfig(matcher="lexical", truncated=truncated), max_completion_length=3, eos_token_id=2)
    found = score(reward, [RIGHT, CUT, SILENT, RIGHT], completion_ids=[[5, 6, 2], [5, 6, 7], [5, 2], [5, 6, 7]])
    assert found == [pytest.approx(AP), worth, 0.0, worth]


def test_the_limit_alone_or_the_end_alone_tell_a_cut_answer() -> None:
    ids = [[5, 6, 2], [5, 6, 7], [5, 2], [5, 6], []]
    told = []
    for known in ({}, {"max_completion_length": 3}, {"eos_token_id": [2, 3]}, {"max_completion_length": 3, "eos_token_id": 2}):
        trainer = Trainer()
        score(TRLReward(LEXICAL, **known), [SILENT] * 5, completion_ids=ids, log_extra=trainer.log_extra)
        told.append(["truncated" in status for status in trainer.columns["status"]])
    assert told == [
        [False] * 5,
        [True, True, False, False, False],
        [False, True, False, True, False],
        [False, True, False, False, False],
    ]


def test_what_is_logged(reward: TRLReward) -> None:
    trainer = Trainer()
    score(reward, [RIGHT, WRONG, SILENT, RIGHT], log_metric=trainer.log_metric, log_extra=trainer.log_extra)
    names = ("outcome", "rationale", "reasons", "generic", "agreement", "padding", "none", "failed", "truncated", "no_spread")
    assert set(trainer.metrics) == {f"reward/{name}" for name in names}
    assert all(isinstance(value, float) and math.isfinite(value) for value in trainer.metrics.values())
    assert trainer.metrics["reward/outcome"] == 0.5
    assert trainer.metrics["reward/reasons"] == 2.5
    assert trainer.columns["outcome"] == [1.0, 0.0, 0.0, 1.0]
    assert set(trainer.columns) == {"outcome", "rationale", "status"}


def test_the_spread_is_told_of_whole_groups_only(reward: TRLReward) -> None:
    assert group_size(["a"] * 4 + ["b"] * 8) == 4
    for prompts in (["a", "a", "b", "b"], ["a", "b", "c", "d"], ["a", "a", "a", "b"]):  # of groups of 4
        trainer = Trainer()
        score(reward, [RIGHT] * 4, prompts=prompts, log_metric=trainer.log_metric)
        assert "reward/no_spread" not in trainer.metrics
        assert "reward/outcome" in trainer.metrics


def test_it_is_picklable_and_named(reward: TRLReward) -> None:
    again = pickle.loads(pickle.dumps(reward))
    assert again.__name__ == "hybrid_reward"
    assert score(again, [RIGHT, WRONG]) == score(reward, [RIGHT, WRONG])


def test_the_module_s_function_is_set_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "reward.json"
    file.write_text('{"matcher": "lexical", "combine": "outcome"}')
    monkeypatch.setenv("RATIONALERM_REWARD", str(file))
    adapter._from_env.cache_clear()
    try:
        assert asyncio.run(adapter.hybrid_reward(["p"], [RIGHT], ground_truth=[TRUTH.dump()])) == [1.0]
    finally:
        adapter._from_env.cache_clear()


@pytest.mark.filterwarnings("ignore")
def test_trl_s_own_trainer_asks_leaves_none_out_and_logs_the_parts(tmp_path: Path) -> None:
    pytest.importorskip("trl", reason="TRL is not installed (make test installs it)")
    from datasets import Dataset
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer

    words = ["<pad>", "<end>", "1.", "2.", "A", "B", "omits", "cites", "\\boxed{B>A}", "\\boxed{A>B}", "user", "."]
    tokens = Tokenizer(WordLevel({word: k for k, word in enumerate(words)}, unk_token="."))
    tokens.pre_tokenizer = WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokens, pad_token="<pad>", eos_token="<end>", unk_token=".")
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    ends = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(words), max_position_embeddings=64, **sizes, **ends))
    rows = [{"prompt": f"user {'A' if k % 2 else 'B'}", "ground_truth": None if k == 3 else TRUTH.dump()} for k in range(4)]
    reward = TRLReward(LEXICAL)
    settings = {"use_cpu": True, "bf16": False, "gradient_checkpointing": False, "report_to": "none", "logging_steps": 1}
    sampling = {"per_device_train_batch_size": 8, "num_generations": 4, "max_completion_length": 6, "max_steps": 2}
    sampling["generation_kwargs"] = {"suppress_tokens": [0]}  # no padding as a word of the model's
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=reward,
        args=GRPOConfig(output_dir=str(tmp_path), **settings, **sampling),
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
    )
    trainer.train()
    steps = [step for step in trainer.state.log_history if "reward" in step]
    assert len(steps) == 2
    for step in steps:
        assert math.isfinite(step["loss"])
        for name in ("outcome", "reasons", "generic", "none", "failed", "truncated", "no_spread"):
            assert math.isfinite(step[f"reward/{name}"]), name
        assert math.isfinite(step["rewards/hybrid_reward/mean"])
    # One of the two steps has the row without a truth; in the other TRL's own share is of the same eight answers.
    assert True in [step["reward/truncated"] == pytest.approx(step["completions/clipped_ratio"]) for step in steps]


def test_what_a_framework_only_calls_imports_none() -> None:
    heavy = ["torch", "transformers", "trl", "datasets", "ray", "verl", "openrlhf", "pyarrow"]
    ours = ", ".join(f"rationalerm.adapters.{name}" for name in ("trl", "verl", "openrlhf"))
    code = f"import sys, {ours}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_pasted_from_the_prompt_is_not_paid(reward: TRLReward) -> None:
    """The prompt that TRL hands over is what the policy saw; a truth's own task comes first."""
    said = "It gives the year 1912, so B cites what was asked for here."
    answer = f"1. {said}\n\\boxed{{B>A}}"
    chat = [{"role": "system", "content": "Judge."}, {"role": "user", "content": f"Response B:\n{said}"}]
    paid = score(reward, [answer], prompts=["Judge."])
    assert (paid[0] or 0) > 0
    assert score(reward, [answer], prompts=[chat]) == score(reward, [answer], prompts=[chat[1]["content"]]) == [0.0]
    known = [{"human_reasons": list(HUMAN), "label": "B>A", "task": said}]
    assert score(reward, [answer], prompts=["Judge."], ground_truth=known) == [0.0]
    known[0]["task"] = "Another one."
    assert score(reward, [answer], prompts=[chat], ground_truth=known) == paid
