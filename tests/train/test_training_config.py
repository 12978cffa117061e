"""What a training is told: presets, files, words; and the same in the trainer's words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rationalerm.errors import DataError, UsageError
from rationalerm.train.genrm import PRESETS
from rationalerm.train.genrm.config import load_config, presets
from rationalerm.train.genrm.trl import grpo_arguments

Run = Callable[..., Any]


def test_the_presets_are_those_that_are_named() -> None:
    assert presets() == PRESETS


@pytest.mark.parametrize(("preset", "policy"), [("paper-14b", "Qwen/Qwen3-14B"), ("paper-30b-a3b", "Qwen/Qwen3-30B-A3B")])
def test_the_papers_figures(preset: str, policy: str) -> None:
    """method.md section 4."""
    config = load_config(preset, None, {"vllm": "none"})
    assert config.policy == policy
    trainer = grpo_arguments(config, Path("x"))
    assert trainer["num_generations"] == 8
    assert trainer["learning_rate"] == 2e-6
    assert trainer["generation_batch_size"] == 256 * 8
    assert trainer["per_device_train_batch_size"] * trainer["gradient_accumulation_steps"] == 128 * 8
    assert trainer["epsilon"] == trainer["epsilon_high"] == 2e-4
    assert trainer["importance_sampling_level"] == "sequence"
    assert trainer["scale_rewards"] == "group"
    assert trainer["max_completion_length"] == 12288
    assert trainer["beta"] > 0
    assert config.epochs == 2
    assert config.reward.options.combine == "product"
    assert config.reward.options.rationale == "ap"
    assert config.reward.options.max_reasons is None
    assert config.reward.matcher == "llm"


def test_recommended_has_the_cap_on() -> None:
    assert load_config("recommended").reward.max_reasons == 5


def test_file_over_preset_and_words_over_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "preset: small\nlearning_rate: 3e-6\nbatch: 32\nmini_batch: 16\nreward:\n  max_reasons: 4\n  rationale: ap_soft\n"
    )
    config = load_config(None, file, {"batch": 64, "reward.max_reasons": None})
    assert (config.learning_rate, config.batch, config.lora) == (3e-6, 64, 32)
    assert (config.reward.max_reasons, config.reward.rationale, config.reward.matcher) == (None, "ap_soft", "fast")
    assert load_config("recommended", file).policy == "Qwen/Qwen3-8B"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"lerning_rate": 1.0}, "no training option 'lerning_rate'; did you mean learning_rate?"),
        ({"reward.max_reason": 1}, "no reward option 'max_reason'; did you mean max_reasons?"),
        ({"batch": "many"}, "training option batch is 'many'; give a whole number"),
        ({"batch": True}, "training option batch is True"),
        ({"cpu": 1}, "give true or false"),
        ({"samples": 1}, "a group needs 2 or more answers"),
        ({"batch": 10, "mini_batch": 4}, "a batch is whole mini-batches"),
        ({"mini_batch": 1, "batch": 1, "device_batch": 3}, "no multiple of it"),
        ({"ratio": "words"}, "one of sequence, token"),
        ({"learning_rate": 0.0}, "give a number over 0"),
        ({"kl": float("nan")}, "kl is nan"),
        ({"kl": -1.0}, "kl is -1.0"),
        ({"vllm": "server"}, "vllm: server and vllm_url go together"),
        ({"reward": 3}, "give a mapping of the reward's options"),
        ({"reward.matcher": "llm"}, "the matcher llm needs a model"),
        ({"reward.stop_above": 2.0}, "stop_above is 2.0"),
        ({"alarm_window": 1}, "alarm_window"),
        ({"max_updates": 0}, "max_updates is 0"),
        ({"seed": -1}, "seed is -1; give 0 to 4294967295"),
        ({"seed": 2**70}, "seed is"),
        ({"samples": 10**30}, "samples is over 1,000,000,000"),
        ({"loss": "garbage"}, "loss is 'garbage'; one of grpo"),
        ({"lora_alpha": 0}, "lora_alpha is 0"),
        ({"trainer": {"beta": 1.0}}, "trainer.beta is said as kl here; set kl"),
        ({"trainer.hub_token": "hf_secret"}, "trainer.hub_token would be written down"),
        ({"trainer.output_dir": "x"}, "trainer.output_dir is the run's own"),
        ({"reward.rationale": ["ap"]}, "rationale is ['ap']; give one name"),
        ({"reward.mode": "all"}, "mode is 'all'; best or matrix"),
        ({"reward.extra_body": 5}, "extra_body is 5; give a mapping"),
        ({"reward.window": 10**30}, "window is over 1,000,000,000"),
        ({"reward.on_failure": 10**400}, "give a finite number"),
        ({"reward.price_in": -1.0, "reward.price_out": 1.0}, "price_in is -1.0; give 0 or more"),
        ({"reward.base_url": "http://me:secret@host/v1"}, "base_url holds a user or a password"),
    ],
)
def test_what_can_not_be_is_said_in_a_line(said: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_config("small", None, said)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n- b", "is not a YAML mapping"),
        ("a: [", "is not YAML"),
        ("a: b: c", "row 1"),
        ("1: 2", "holds the name 1, which is not text"),
        ("batch: 8\nbatch: 16", "row 2: is not YAML: batch stands twice"),
        ("reward: {window: 8, window: 9}", "window stands twice"),
        ("reward: &a {x: *a}", "is nested too deep, or in itself"),
        ("a: " + "[" * 3000 + "]" * 3000, "is nested too deep"),
        ("policy: 2001-99-99", "holds a value that can't be read: month"),
        (f"batch: {'1' * 5000}", "holds a value that can't be read"),
    ],
)
def test_a_file_that_is_no_configuration(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    with pytest.raises(DataError, match=r"bad\.yaml") as caught:
        load_config(None, file)
    assert message in str(caught.value)
    with pytest.raises(DataError, match="can't be read"):
        load_config(None, tmp_path / "none.yaml")


def test_sizes_over_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    config = load_config("small")
    assert grpo_arguments(config, Path("x"))["gradient_accumulation_steps"] == 16
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert grpo_arguments(config, Path("x"))["gradient_accumulation_steps"] == 4
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(UsageError, match="no multiple of device_batch x processes = 24"):
        grpo_arguments(config, Path("x"))


def test_the_trainers_own_fields_come_last() -> None:
    config = load_config("small", None, {"trainer": {"optim": "adamw_torch"}, "trainer.seed": 7})
    assert config.trainer == {"optim": "adamw_torch", "seed": 7}
    assert grpo_arguments(config, Path("x"))["seed"] == 7


def test_a_dry_run_loads_nothing_and_prints_all(run: Run, tmp_path: Path) -> None:
    ran = run(
        "train", "genrm", tmp_path / "none", "--out", tmp_path / "run", "--preset", "small", "--set", "batch=32", "--dry-run"
    )
    assert ran.code == 0
    assert ran.json["config"]["batch"] == 32
    assert ran.json["trainer"]["generation_batch_size"] == 32 * 8
    assert ran.json["config"]["lora"] == 32
    assert not (tmp_path / "run").exists()


def test_wrong_words_on_the_command_line(run: Run, tmp_path: Path) -> None:
    for words, message in (
        (["--set", "batch"], "give NAME=VALUE"),
        (["--set", "batch=[1"], "is not YAML"),
        (["--preset", "huge"], "invalid choice"),
        ([], "no policy"),
        (["--policy", "x"], "make it with `rationalerm train prepare`"),
    ):
        ran = run("train", "genrm", tmp_path, "--out", tmp_path / "run", *words)
        assert ran.code == 2, words
        assert message in ran.err
        assert len(ran.err.strip().splitlines()) == 1


def test_no_key_is_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123456789")
    config = load_config("small", None, {"reward.matcher": "llm", "reward.model": "m"})
    matcher = config.reward.make_matcher()
    assert "sk-very-secret" not in json.dumps(config.to_json()) + repr(config) + repr(matcher)
