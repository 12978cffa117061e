"""verl's score function: always the same keys, never an exception for a sample; and verl's own reward managers over it."""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from adapter_rows import AP, RIGHT, SILENT, TRUTH, WRONG, asking
from adapter_tokenizer import tokenizer
from verl_batch import proto

from endpoint import FakeEndpoint, best_answer
from faults import server_error, unauthorised
from rationalerm.adapters.flat import NOT_MEASURED
from rationalerm.adapters.verl import compute_score
from rationalerm.errors import StoppedError, UsageError
from rationalerm.reward import RewardConfig, Truth

KEYS = {
    *("score", "outcome", "rationale", "reasons", "generic", "agreement", "padding"),
    *("failed", "no_truth", "unscored", "no_verdict"),
}
LEXICAL = {"matcher": "lexical"}


def score(solution: str | None, truth: Any = None, source: str = "rationalerm/general", **options: Any) -> dict[str, float]:
    return asyncio.run(compute_score(source, solution, TRUTH.dump() if truth is None else truth, {}, **(options or LEXICAL)))


def checked(found: dict[str, float]) -> dict[str, float]:
    assert set(found) == KEYS
    assert all(type(value) is float and math.isfinite(value) for value in found.values())
    return found


def test_rs1_every_sample_has_the_same_keys_and_finite_numbers() -> None:
    right = checked(score(RIGHT))
    assert (right["score"], right["outcome"], right["failed"], right["no_verdict"]) == (pytest.approx(AP), 1.0, 0.0, 0.0)
    assert checked(score(RIGHT, source="unknown")) == right
    wrong = checked(score(WRONG))
    assert (wrong["score"], wrong["outcome"], wrong["rationale"], wrong["failed"]) == (0.0, 0.0, pytest.approx(AP), 0.0)
    for bad in ("", None, SILENT, "\x00\ud800", "{" * 1000):
        found = checked(score(bad))
        assert (found["score"], found["failed"], found["no_verdict"], found["unscored"]) == (0.0, 0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    "truth",
    [
        "",
        "not JSON",
        "[]",
        7,
        {"label": "A>B"},
        '{"human_reasons": ["x"], "label": "perhaps"}',
        '{"human_reasons": 3, "label": 1}',
    ],
)
def test_rs1_an_unreadable_truth_is_a_failure_told_apart(truth: Any) -> None:
    found = checked(score(RIGHT, truth, on_failure=-0.5, **LEXICAL))
    assert (found["score"], found["failed"], found["no_truth"], found["unscored"]) == (-0.5, 1.0, 1.0, 1.0)
    assert {found[name] for name in ("outcome", "rationale", "reasons")} == {NOT_MEASURED}


def test_rs1_a_matcher_s_failure_is_told_from_a_bad_answer() -> None:
    with FakeEndpoint(lambda body, n: server_error()) as server:
        found = checked(score(RIGHT, **asking(server, on_failure=0.25)))
        assert (found["score"], found["outcome"], found["rationale"]) == (0.25, 1.0, NOT_MEASURED)
        assert (found["failed"], found["no_truth"], found["unscored"]) == (1.0, 0.0, 1.0)
        bad = checked(score("no reasons, no verdict", **asking(server)))
        assert (bad["score"], bad["failed"], bad["unscored"]) == (0.0, 0.0, 0.0)


def test_a_row_without_human_reasons_is_unscored_and_no_failure() -> None:
    found = checked(score(RIGHT, Truth((), "B>A").dump()))
    assert (found["score"], found["unscored"], found["failed"], found["outcome"]) == (0.0, 1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    "text", ["{" * 200_000 + "\\boxed{" * 20_000, "1. " * 300_000, "- R1@S1: " + "9" * 500_000, "<think>" * 100_000]
)
def test_rs3_a_degenerate_answer_is_one_without_a_verdict(text: str) -> None:
    found = checked(score(text))
    assert (found["score"], found["no_verdict"], found["failed"]) == (0.0, 1.0, 0.0)


def test_the_training_stops_where_too_many_failed_and_never_with_1() -> None:
    with FakeEndpoint(lambda body, n: "nothing that can be read") as server:
        options = asking(server, stop_above=0.5, window=3)
        assert [score(RIGHT, **options)["failed"] for _ in range(2)] == [1.0, 1.0]
        with pytest.raises(StoppedError, match="100% of the last 3 rewards failed"):
            score(RIGHT, **options)
        assert [score(RIGHT, **options, max_tokens=64)["failed"] for _ in range(2)] == [1.0, 1.0], "other options, another guard"
    with FakeEndpoint(lambda body, n: unauthorised()) as server:
        with pytest.raises(StoppedError):
            score(RIGHT, **asking(server))
        never = asking(server, stop_above=1, window=1)
        assert [score(RIGHT, **never)["failed"] for _ in range(3)] == [1.0] * 3


def test_a_wrong_option_is_noticed_and_verl_s_own_are_not_ours() -> None:
    with pytest.raises(UsageError, match=r"no reward option 'macher'; did you mean matcher\?"):
        score(RIGHT, macher="lexical")
    assert score(RIGHT, **LEXICAL, sandbox_fusion_url=None, memory_limit_mb=1024)["score"] == pytest.approx(AP)


def test_many_calls_at_once_share_one_matcher_and_ask_the_same_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path))
    answers = [RIGHT, WRONG, RIGHT.replace("reads well", "is well written")]

    async def many() -> list[dict[str, float]]:
        return await asyncio.gather(*(compute_score("s", answers[k % 3], TRUTH.dump(), {}, **options) for k in range(60)))

    with FakeEndpoint(best_answer, latency=0.02) as server:
        options = asking(server, cache=True, concurrency=8)
        found = asyncio.run(many())
        assert server.count == 2, "two lists of reasons in sixty answers"
        assert server.peak <= 8
        others: list[list[dict[str, float]]] = []
        threads = [threading.Thread(target=lambda: others.append(asyncio.run(many()))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert server.count == 2
        assert others == [found] * 4
    assert all(checked(one)["failed"] == 0.0 for one in found)


def test_the_router_s_address_is_the_endpoint_s() -> None:
    with FakeEndpoint(best_answer) as server:
        options = asking(server)
        del options["base_url"]
        found = score(RIGHT, **options, reward_router_address=f"127.0.0.1:{server.port}", reward_model_tokenizer=object())
        assert found["failed"] == 0.0
        assert server.count == 1
        assert server.requests[0].path == "/v1/chat/completions"


# verl itself

OURS = "reward.custom_reward_function.reward_kwargs"
RECIPE = Path(__file__).resolve().parents[2] / "recipes" / "genrm_verl"


@pytest.fixture
def compose() -> Any:
    """Composes the recipe over verl's own configuration."""
    pytest.importorskip("verl", reason="verl is not installed here; .ci/adapters verl runs this")
    import hydra

    def make(*overrides: str) -> Any:
        with hydra.initialize_config_dir(str(RECIPE), version_base=None):
            return hydra.compose("config", overrides=list(overrides))

    return make


@pytest.mark.filterwarnings("ignore")
def test_the_recipe_composes_with_verl_s_configuration_and_its_numbers_arrive(compose: Any) -> None:
    from verl.trainer.ppo.utils import need_critic, need_reference_policy
    from verl.utils.config import omega_conf_to_dataclass, validate_config

    config = compose("trainer.n_gpus_per_node=4", f"{OURS}.max_reasons=5")
    validate_config(config, use_reference_policy=need_reference_policy(config), use_critic=need_critic(config))
    actor = omega_conf_to_dataclass(config.actor_rollout_ref.actor)
    assert (actor.clip_ratio_low, actor.clip_ratio_high, actor.policy_loss.loss_mode) == (2e-4, 2e-4, "gspo")
    assert (actor.optim.lr, actor.ppo_mini_batch_size, actor.loss_agg_mode) == (2e-6, 128, "seq-mean-token-mean")
    assert (actor.use_kl_loss, actor.ppo_epochs, actor.rollout_n) == (True, 1, 8)
    rollout = omega_conf_to_dataclass(config.actor_rollout_ref.rollout)
    assert (rollout.n, rollout.prompt_length, rollout.response_length) == (8, 8192, 12288)
    assert (config.data.train_batch_size, config.trainer.total_epochs, config.algorithm.adv_estimator) == (256, 2, "grpo")
    assert need_reference_policy(config), "the KL to the reference model"
    kwargs = dict(config.reward.custom_reward_function.reward_kwargs)
    assert kwargs.pop("model") == "Qwen/Qwen3-30B-A3B-Instruct-2507"
    assert RewardConfig.of({**kwargs, "model": "m"}).max_reasons == 5


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("manager", ["naive", "dapo", "rate_limited", "gdpo"])
def test_verl_s_reward_managers_load_it_and_run_it_over_a_batch(compose: Any, manager: str, tmp_path: Path) -> None:
    overrides = [
        *("reward.reward_model.enable=false", f"reward.reward_manager.name={manager}"),
        *(f"{OURS}.matcher=lexical", f"{OURS}.model=null"),
        f"actor_rollout_ref.model.path={tokenizer(tmp_path)}",
    ]
    config = compose(*overrides)
    batch, size = proto(tmp_path)

    async def scored() -> list[dict[str, Any]]:
        from verl.experimental.reward_loop.reward_loop import RewardLoopWorker

        return await RewardLoopWorker(config).compute_score_batch(batch)

    found = asyncio.run(scored())
    assert len(found) == size
    assert [one["reward_score"] for one in found] == pytest.approx([AP, 0.0, 0.0, 0.0])
    infos = [one["reward_extra_info"] for one in found]
    assert all(set(info) >= KEYS and set(info) == set(infos[0]) for info in infos)
    assert [info["failed"] for info in infos] == [0.0, 0.0, 0.0, 1.0]


@pytest.mark.filterwarnings("ignore")
def test_verl_s_reward_loop_over_ray_workers_gives_tensors(compose: Any, tmp_path: Path) -> None:
    config = compose(
        *("reward.reward_model.enable=false", "reward.num_workers=2", f"actor_rollout_ref.model.path={tokenizer(tmp_path)}"),
        *(f"{OURS}.matcher=lexical", f"{OURS}.model=null"),
    )
    import ray

    batch, size = proto(tmp_path)
    with ray.init(num_cpus=2, include_dashboard=False, configure_logging=False):
        from verl.experimental.reward_loop.reward_loop import RewardLoopManager

        found = RewardLoopManager(config).compute_rm_score(batch)
    assert found.batch["rm_scores"].sum(dim=1).tolist() == pytest.approx([AP, 0.0, 0.0, 0.0])
    assert set(found.meta_info["reward_extra_keys"]) == KEYS
    assert all(found.non_tensor_batch[name].shape == (size,) and found.non_tensor_batch[name].dtype.kind == "f" for name in KEYS)
    from verl.trainer.ppo.metric_utils import process_validation_metrics

    columns = {name: found.non_tensor_batch[name].tolist() for name in KEYS}
    metrics = process_validation_metrics(["rationalerm/general"] * size, [str(k) for k in range(size)], columns)
    assert metrics["rationalerm/general"]["failed"]["mean@1"] == 0.25
    assert metrics["rationalerm/general"]["score"]["mean@1"] == pytest.approx(AP / 4)


def test_the_launch_script_submits_what_the_workers_need_and_no_key(tmp_path: Path) -> None:
    ray = tmp_path / "ray"
    ray.write_text('#!/bin/sh\nfor word in "$@"; do printf "%s\\n" "$word"; done\n')
    ray.chmod(0o755)
    known = {"PATH": os.environ["PATH"], "RAY": str(ray), "OPENAI_API_KEY": "sk-secret", "NODES": "4"}
    script = [str(RECIPE / "launch.sh"), "trainer.experiment_name=first"]
    refused = subprocess.run(script, env=known, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "DATA is not set" in refused.stderr
    ran = subprocess.run(script, env={**known, "DATA": "/data/genrm"}, capture_output=True, text=True, check=True)
    words = ran.stdout.splitlines()
    assert words[:2] == ["job", "submit"]
    assert words[-7:] == [
        "-m",
        "verl.trainer.main_ppo",
        "--config-dir",
        ".",
        "--config-name",
        "config",
        "trainer.experiment_name=first",
    ]
    sent = json.loads(words[words.index("--runtime-env-json") + 1])["env_vars"]
    assert (sent["DATA"], sent["NODES"], sent["POLICY"]) == ("/data/genrm", "4", "Qwen/Qwen3-14B")
    assert "sk-secret" not in ran.stdout
