"""Real GRPO runs of a few updates on the CPU, with a policy of a few thousand weights: TRL, its trainer, its checkpoints."""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from tiny import make_policy, rows, write_prompts

import rationalerm
from endpoint import Answered, FakeEndpoint, best_answer
from pagefile import read_page
from rationalerm import HybridReward, LexicalMatcher
from rationalerm.adapters.trl import TRLReward
from rationalerm.errors import DataError, ResumeError, StoppedError, UsageError
from rationalerm.reward import RewardConfig
from rationalerm.train.genrm.card import model_card
from rationalerm.train.genrm.config import GenRMConfig, load_config
from rationalerm.train.genrm.recording import RecordingReward
from rationalerm.train.genrm.running import train_genrm
from rationalerm.train.trainer.checkpoints import drop_torn, last_whole

pytestmark = pytest.mark.usefixtures("one_thread")

PARTS = ("outcome", "rationale", "reasons", "generic", "agreement", "padding", "none", "failed", "truncated", "no_spread")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the policy and its prompts."""
    folder = tmp_path_factory.mktemp("tiny")
    make_policy(folder / "policy")
    write_prompts(folder / "data")
    for name in ("weights", "template", "endless"):  # each broken in its own way
        shutil.copytree(folder / "policy", folder / name)
    (folder / "weights" / "model.safetensors").write_bytes(b"torn")
    (folder / "template" / "chat_template.jinja").write_text("{{ raise_exception('no system turn') }}")
    told = json.loads((folder / "endless" / "tokenizer_config.json").read_text("utf-8"))
    (folder / "endless" / "tokenizer_config.json").write_text(json.dumps({k: v for k, v in told.items() if k != "eos_token"}))
    return folder


def config(place: Path, **said: Any) -> GenRMConfig:
    """The preset `small`, smaller."""
    small = {
        "epochs": 2, "policy": str(place / "policy"), "cpu": True, "precision": "fp32", "checkpointing": False, "lora": 0,
        "batch": 4, "mini_batch": 4, "device_batch": 16, "samples": 4, "max_completion": 12, "max_updates": 6,
        "learning_rate": 0.02, "thinking": None, "alarm_window": 2, "eval_every": 3, "save_every": 2, "warmup_updates": 0,
        "reward.combine": "additive",
    }  # fmt: skip
    return load_config("small", None, small | said)


@pytest.fixture(scope="module")
def done(place: Path) -> tuple[Path, dict[str, Any]]:
    """A whole run."""
    out = place / "run"
    return out, train_genrm(place / "data", out, config(place), show=False)


def test_the_parts_are_logged_apart_and_the_losses_are_finite(done: tuple[Path, dict[str, Any]]) -> None:
    out, _ = done
    steps = rows(out / "steps.jsonl")
    assert [row["step"] for row in steps] == [1, 2, 3, 4, 5, 6]
    assert all(math.isfinite(row["loss"]) and math.isfinite(row["grad_norm"]) for row in steps)
    assert any(row["grad_norm"] > 0 for row in steps)
    for row in steps:
        assert {f"reward/{name}" for name in PARTS} <= row.keys()
        assert row["reward_seconds"] <= row["seconds"]


def test_the_held_out_prompts_are_measured_at_the_start_in_between_and_at_the_end(done: tuple[Path, dict[str, Any]]) -> None:
    out, summary = done
    evaluations = rows(out / "evaluations.jsonl")
    assert [row["step"] for row in evaluations] == [0, 3, 6] == [row["step"] for row in summary["held_out"]]
    for row in evaluations:
        assert (row["n"], row["games"]) == (2, 4)
        assert {"outcome_accuracy", "rationale_consistency", "average_precision", "generic", "reasons"} <= row.keys()
    answers = rows(out / "answers.jsonl")
    assert len(answers) == 12
    games = {(answer["id"], answer["order"]) for answer in answers}
    assert games == {(pair, order) for pair in ("row-50", "row-51") for order in ("AB", "BA")}


def test_the_page_has_the_curves_and_the_policy_before_and_after(done: tuple[Path, dict[str, Any]]) -> None:
    out, summary = done
    head = read_page(out / "report.html").head
    assert [judge["name"] for judge in head["judges"]] == [
        f"policy at update {summary['held_out'][0]['step']}",
        f"policy at update {summary['held_out'][-1]['step']}",
    ]
    (curve,) = head["curves"]
    steps = {row["step"]: row for row in rows(out / "steps.jsonl")}
    assert curve["metrics"]["outcome"]["train"] == [[k, steps[k]["reward/outcome"]] for k in sorted(steps)]
    held_out = curve["metrics"]["rationale"]["held out"]
    assert [point[:2] for point in held_out] == [
        [row["step"], row["rationale_consistency"]] for row in summary["held_out"] if row["rationale_consistency"] is not None
    ]


def test_the_loggers_get_the_held_out_figures(done: tuple[Path, dict[str, Any]]) -> None:
    out, summary = done
    state = json.loads((out / "checkpoints" / "checkpoint-6" / "trainer_state.json").read_text("utf-8"))
    logged = {row["step"]: row for row in state["log_history"] if "held_out/outcome_accuracy" in row}
    for row in summary["held_out"]:
        assert logged[row["step"]]["held_out/rationale_consistency"] == row["rationale_consistency"]
    assert any("reward/rationale" in row for row in state["log_history"])


def test_the_card_shows_what_was_measured(done: tuple[Path, dict[str, Any]]) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    out, summary = done
    card = (out / "model" / "README.md").read_text("utf-8")
    last = summary["held_out"][-1]
    assert f"| 6 | {last['outcome_accuracy']:.3f} [" in card
    assert summary["degeneration"]["said"] in card
    assert "${" not in card
    assert json.loads((out / "summary.json").read_text("utf-8"))["held_out"] == summary["held_out"]
    model = AutoModelForCausalLM.from_pretrained(out / "model")
    assert model.num_parameters() > 1000
    assert len(AutoTokenizer.from_pretrained(out / "model")) == model.config.vocab_size


def test_a_run_that_goes_on_is_the_run_that_was_not_interrupted(place: Path, done: tuple[Path, dict[str, Any]]) -> None:
    whole, _ = done
    out = place / "resumed"
    shutil.copytree(whole, out)
    (out / "checkpoints" / "checkpoint-6" / "trainer_state.json").unlink()  # a kill in the middle of the last save
    (out / "summary.json").unlink()
    lines = (out / "steps.jsonl").read_bytes().splitlines(keepends=True)
    (out / "steps.jsonl").write_bytes(b"".join(lines[:5]) + lines[5][:40])
    train_genrm(place / "data", out, config(place), show=False)
    timed = ("seconds", "reward_seconds", "step_time")
    mine, theirs = (
        [{name: value for name, value in row.items() if name not in timed} for row in rows(folder / "steps.jsonl")]
        for folder in (out, whole)
    )
    assert mine == theirs
    assert rows(out / "evaluations.jsonl") == rows(whole / "evaluations.jsonl")
    assert rows(out / "answers.jsonl") == rows(whole / "answers.jsonl")


def test_another_configuration_is_refused(place: Path, done: tuple[Path, dict[str, Any]]) -> None:
    out, _ = done
    with pytest.raises(ResumeError, match="learning_rate"):
        train_genrm(place / "data", out, config(place, learning_rate=0.01), show=False)


def _failing(body: dict[str, Any], n: int) -> Answered | str:
    """Every third question about the treaty's year is answered with something that no reader can use."""
    return "I would rather not." if n % 3 == 0 else best_answer(body, n)


def test_a_reward_of_none_is_left_out(place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    with FakeEndpoint(_failing) as server:
        asked = {
            "matcher": "llm",
            "model": "m",
            "base_url": server.url,
            "format_retries": 0,
            "stop_above": 1.0,
            "combine": "additive",
        }
        said = {f"reward.{name}": value for name, value in asked.items()}
        summary = train_genrm(place / "data", tmp_path / "run", config(place, max_updates=4, **said), show=False)
    steps = rows(tmp_path / "run" / "steps.jsonl")
    assert any(0 < row["reward/none"] < 1 for row in steps)
    assert any(row["reward/failed"] > 0 for row in steps)
    assert all(math.isfinite(row["loss"]) and math.isfinite(row["reward"]) for row in steps)
    assert any(row["grad_norm"] > 0 for row in steps)
    assert summary["updates"] == 4


def test_a_matcher_that_is_gone_stops_the_training(place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    with FakeEndpoint(lambda body, n: "no") as server:
        asked = {"matcher": "llm", "model": "m", "base_url": server.url, "format_retries": 0, "window": 8, "stop_above": 0.1}
        said = {f"reward.{name}": value for name, value in asked.items()}
        with pytest.raises(StoppedError, match=r"of the last 8 rewards failed, over 10%"):
            train_genrm(place / "data", tmp_path / "run", config(place, **said), show=False)


def test_what_was_learnt_before_the_stop_is_kept(place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The budget ends between two checkpoints; the held-out answers cost nothing of it."""
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    with FakeEndpoint(best_answer) as server:
        asked = {"matcher": "llm", "model": "m", "base_url": server.url, "budget": "9000tokens", "concurrency": 4}
        said = {f"reward.{name}": value for name, value in asked.items()} | {"save_every": 1000}
        with pytest.raises(StoppedError, match="budget"):
            train_genrm(place / "data", tmp_path / "run", config(place, **said), show=False)
        reached = rows(tmp_path / "run" / "steps.jsonl")[-1]["step"]
        checkpoint = last_whole(tmp_path / "run" / "checkpoints")
        assert checkpoint is not None
        assert checkpoint.name == f"checkpoint-{reached}"
        more = config(place, **said | {"reward.budget": "9Mtokens"})
        assert train_genrm(place / "data", tmp_path / "run", more, show=False)["updates"] == 6
    assert [row["step"] for row in rows(tmp_path / "run" / "steps.jsonl")] == [1, 2, 3, 4, 5, 6]


def test_held_out_answers_are_not_paid_for(place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    with FakeEndpoint(best_answer) as server:
        reward = TRLReward(RewardConfig(matcher="llm", model="m", base_url=server.url))
        recorder = RecordingReward(reward, TRLReward(HybridReward(LexicalMatcher())))
        truth = {"human_reasons": ["Response B gives 1914."], "label": "B>A"}
        text = "1. Response B gives 1914.\n\\boxed{B>A}"
        columns = {"ground_truth": [truth], "extra_info": [{"id": "a", "order": "AB", "split": "validation"}]}
        assert asyncio.run(recorder(["p"], [text], **columns)) == [1.0]
        assert [answer.text for answer in recorder.take()] == [text]
        assert not server.requests
        columns["extra_info"] = [{"id": "a", "order": "AB", "split": "train"}]
        asyncio.run(recorder(["p"], [text], **columns))
        assert len(server.requests) == 1
    assert recorder.take() == []


def test_from_rows_with_reasons_to_a_model(run: Callable[..., Any], place: Path, tmp_path: Path) -> None:
    """What `train prepare` writes is what `train genrm` reads."""
    sample = Path(rationalerm.__file__).parent / "sample" / "pairs.jsonl"
    assert run("train", "prepare", sample, "--out", tmp_path / "data", "--validation", "0.1").code == 0
    words = ["--preset", "small", "--policy", place / "policy", "--out", tmp_path / "run", "--json"]
    said = (
        "cpu=true precision=fp32 checkpointing=false lora=0 batch=4 mini_batch=4 samples=2 max_completion=8 thinking=null "
        "max_updates=1"
    )
    ran = run("train", "genrm", tmp_path / "data", *words, *(word for value in said.split() for word in ("--set", value)))
    assert ran.code == 0, ran.err
    assert [row["step"] for row in ran.json["held_out"]] == [0, 1]
    account = json.loads((tmp_path / "data" / "prepare.json").read_text("utf-8"))
    assert ran.json["held_out"][0]["games"] == account["games"]["validation"]
    game = rows(tmp_path / "run" / "evaluations.jsonl")[0]["rows"][0]
    assert len(game["cluster"]) == 16


def test_lora(place: Path, tmp_path: Path) -> None:
    summary = train_genrm(place / "data", tmp_path / "run", config(place, lora=2, max_updates=2, kl=0.1), show=False)
    assert summary["updates"] == 2
    assert (tmp_path / "run" / "adapter" / "adapter_config.json").exists()
    assert not (tmp_path / "run" / "model" / "adapter_config.json").exists()
    again = train_genrm(
        place / "data", tmp_path / "next", config(place, policy=str(tmp_path / "run" / "model"), max_updates=1), show=False
    )
    assert again["updates"] == 1  # what was trained is a policy to begin with
    assert "LoRA of rank 2" in (tmp_path / "run" / "model" / "README.md").read_text("utf-8")
    assert all("kl" in row for row in rows(tmp_path / "run" / "steps.jsonl"))


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"policy": "/no/such/model"}, "can't be trained"),
        ({"policy": "{place}/weights"}, "weights: can't be trained: Error while deserializing"),
        ({"policy": "{place}/template"}, "template: can't be trained: no system turn"),
        ({"policy": "{place}/endless"}, "names no end token"),
        ({"report_to": "no_logger"}, "can't be trained: no_logger is not supported"),
        ({"batch": 64, "mini_batch": 64}, "the 12 prompts make 24 in 2 epochs; lower batch"),
        ({"max_completion": 8192}, "do not go into the policy's 8192 positions"),
        ({"trainer.no_such_field": 1}, "the trainer refuses the configuration"),
        ({"trainer.per_device_train_batch_size": 3}, "trainer.per_device_train_batch_size is said as device_batch here"),
        ({"trainer.num_iterations": "many"}, "trainer.num_iterations is 'many'; give 1 or more"),
        ({"vllm": "colocate"}, "vLLM is not installed"),
    ],
)
def test_what_can_not_be_trained_is_one_line(place: Path, tmp_path: Path, said: dict[str, Any], message: str) -> None:
    said = {name: value.replace("{place}", str(place)) if isinstance(value, str) else value for name, value in said.items()}
    with pytest.raises((UsageError, DataError), match=message) as caught:
        train_genrm(place / "data", tmp_path / "run", config(place, **said), show=False)
    assert "\n" not in str(caught.value)


def test_no_gpu_is_said_before_anything_is_loaded(place: Path, tmp_path: Path) -> None:
    import torch

    if torch.accelerator.is_available():
        pytest.skip("there is an accelerator here")
    with pytest.raises(UsageError, match="no GPU was found; to train on the CPU all the same: --set cpu=true"):
        train_genrm(place / "data", tmp_path / "run", config(place, cpu=False), show=False)


def test_prompts_that_are_none(place: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"train\.parquet: not there; make it with `rationalerm train prepare`"):
        train_genrm(tmp_path, tmp_path / "run", config(place), show=False)
    for name in ("train", "validation"):
        (tmp_path / f"{name}.parquet").write_bytes(b"no parquet")
    with pytest.raises(DataError, match=r"train\.parquet: can't be read") as caught:
        train_genrm(tmp_path, tmp_path / "run", config(place), show=False)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("train", {"prompt": None}, r"train\.parquet, row 3, field 'prompt': is no list of turns"),
        ("train", {"extra_info": None}, r"train\.parquet, row 3, field 'extra_info': is no mapping"),
        ("train", {"split": "validation"}, r"train\.parquet, row 3, .* says split 'validation', in this file 'train'"),
        ("validation", {"split": "train"}, r"validation\.parquet, row 3, .* says split 'train', in this file 'validation'"),
        ("validation", {"id": "row-50"}, r"validation\.parquet, row 3: is the same game as row 1"),
    ],
)
def test_rows_that_would_be_measured_wrong(place: Path, tmp_path: Path, file: str, change: dict[str, Any], message: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    write_prompts(tmp_path)
    path = tmp_path / f"{file}.parquet"
    table = pq.read_table(path)
    made = table.to_pylist()
    for name, value in change.items():
        (made[2] if name in made[2] else made[2]["extra_info"])[name] = value
    pq.write_table(pa.Table.from_pylist(made, table.schema), path)
    with pytest.raises(DataError, match=message):
        train_genrm(tmp_path, tmp_path / "run", config(place), show=False)


def test_columns_that_are_not_ours_reach_no_trainer(place: Path, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    write_prompts(tmp_path)
    for name in ("train", "validation"):
        made = pq.read_table(tmp_path / f"{name}.parquet").to_pylist()
        others = {"ground_truth": None, "completions": "x", "image": b"x"}
        pq.write_table(pa.Table.from_pylist([row | others for row in made]), tmp_path / f"{name}.parquet")
    summary = train_genrm(tmp_path, tmp_path / "run", config(place, max_updates=1), show=False)
    assert [row["games"] for row in summary["held_out"]] == [4, 4]


def test_a_run_that_is_whole_is_left_alone(place: Path, done: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    out = tmp_path / "run"
    shutil.copytree(done[0], out)
    before = {file: file.read_bytes() for file in sorted(out.rglob("*")) if file.is_file()}
    for more in ({}, {"max_updates": 2}, {"eval_every": 1}):
        assert train_genrm(place / "data", out, config(place, **more), show=False) == done[1]
    assert {file: file.read_bytes() for file in sorted(out.rglob("*")) if file.is_file() and file.name != "run.json"} == {
        file: data for file, data in before.items() if file.name != "run.json"
    }


def test_a_kill_after_the_last_update_makes_no_update_more(
    place: Path, done: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    from safetensors.torch import load_file

    out = tmp_path / "run"
    short = config(place, max_updates=5, save_every=5)  # ends in the middle of an epoch
    first = train_genrm(place / "data", out, short, show=False)
    weights = load_file(out / "model" / "model.safetensors")
    (out / "summary.json").unlink()
    again = train_genrm(place / "data", out, short, show=False)
    assert again["updates"] == first["updates"] == 5
    assert again["held_out"] == first["held_out"]
    found = load_file(out / "model" / "model.safetensors")
    assert all((found[name] == value).all() for name, value in weights.items())


def test_the_epochs_end_a_run_before_max_updates(place: Path, tmp_path: Path) -> None:
    summary = train_genrm(place / "data", tmp_path / "run", config(place, epochs=1, max_updates=50, mini_batch=2, device_batch=8))
    assert summary["updates"] == 6  # 12 prompts, 4 a batch, 2 updates each


def test_how_the_matcher_is_asked_may_change_in_a_run_that_goes_on(place: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    train_genrm(place / "data", out, config(place, max_updates=1), show=False)
    free = {"reward.concurrency": 8, "reward.timeout": 5.0, "reward.window": 16, "reward.budget": "5tokens"}
    assert train_genrm(place / "data", out, config(place, max_updates=2, **free), show=False)["updates"] == 2
    with pytest.raises(ResumeError, match="reward"):
        train_genrm(place / "data", out, config(place, max_updates=3, **{"reward.max_reasons": 3}), show=False)


def test_a_torn_checkpoint_is_taken_out(tmp_path: Path) -> None:
    for step, state in ((4, '{"global_step": 4}'), (9, '{"global_st')):
        (tmp_path / f"checkpoint-{step}").mkdir()
        (tmp_path / f"checkpoint-{step}" / "trainer_state.json").write_text(state)
    (tmp_path / "checkpoint-9" / "model.safetensors").write_bytes(b"half")
    drop_torn(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-4"]
    drop_torn(tmp_path / "none")


def test_a_training_that_diverges_is_stopped(place: Path, tmp_path: Path) -> None:
    with pytest.raises(StoppedError, match="diverged; lower learning_rate"):
        train_genrm(place / "data", tmp_path / "run", config(place, learning_rate=1e30), show=False)


def test_a_name_breaks_no_card(place: Path, done: tuple[Path, dict[str, Any]]) -> None:
    import yaml

    name = 'x"\n---\n# `own` ${matcher}: [a'
    card = model_card(done[1], replace(config(place), policy=name), "digest")
    _, head, body = card.split("---\n", 2)
    assert yaml.safe_load(head)["base_model"] == name
    assert "\n# `own`" not in body
    assert "`x\"\\n---\\n# 'own' ${matcher}: [a`" in body


def command(place: Path, out: Path, *more: str) -> list[str]:
    """The command line of a long run."""
    said = {
        "cpu": "true", "precision": "fp32", "checkpointing": "false", "lora": "0", "batch": "4", "mini_batch": "4",
        "samples": "4",
        "max_completion": "12", "thinking": "null", "save_every": "1000", "eval_every": "0", "epochs": "500",
    }  # fmt: skip
    words = [word for name, value in said.items() for word in ("--set", f"{name}={value}")]
    start = [sys.executable, "-m", "rationalerm", "train", "genrm", str(place / "data"), "--out", str(out), "--preset", "small"]
    return [*start, "--policy", str(place / "policy"), *words, *more]


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[Any]) -> None:
    """Until it holds, as long as the process lives."""
    end = time.monotonic() + 120
    while not condition():
        assert process.poll() is None, "the training ended"
        assert time.monotonic() < end
        time.sleep(0.05)


def test_ctrl_c_writes_a_checkpoint_and_the_same_command_goes_on(place: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command(place, out), env=environment, stderr=subprocess.PIPE, text=True)
    steps = out / "steps.jsonl"
    wait_for(lambda: steps.exists() and steps.read_bytes().count(b"\n") >= 3, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    checkpoint = last_whole(out / "checkpoints")
    assert checkpoint is not None
    reached = rows(steps)[-1]["step"]
    assert checkpoint.name == f"checkpoint-{reached}"
    more = command(place, out, "--set", f"max_updates={reached + 1}", "--json")
    again = subprocess.run(more, env=environment, capture_output=True, text=True, check=False)
    assert again.returncode in (0, 1), again.stderr
    assert f"going on from update {reached}" in again.stderr
    assert json.loads(again.stdout)["updates"] == reached + 1
    assert not re.search(r"Warning|Traceback", again.stderr), again.stderr
