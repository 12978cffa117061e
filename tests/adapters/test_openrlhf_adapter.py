"""OpenRLHF's .py hook: numbers only, one sample a thread; and OpenRLHF's own loader, executor and experience over it."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from adapter_rows import AP, RIGHT, SILENT, TRUTH, WRONG, asking, parquet, row
from adapter_tokenizer import tokenizer

import rationalerm.adapters.openrlhf as adapter
from endpoint import FakeEndpoint
from rationalerm.adapters import flat
from rationalerm.adapters.queries import answer_of
from rationalerm.errors import StoppedError, UsageError

torch = pytest.importorskip("torch", reason="torch is not installed (make test installs it)")

PROMPT = "<|im_start|>user\nWhich is better?<|im_end|>\n<|im_start|>assistant\n"
PARTS = {"outcome", "rationale", "reasons", "generic", "agreement", "padding", "failed", "no_truth", "unscored", "no_verdict"}


@pytest.fixture(autouse=True)
def configured(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Sets RATIONALERM_REWARD."""

    def set_to(**options: Any) -> None:
        monkeypatch.setenv("RATIONALERM_REWARD", json.dumps(options))
        flat._kept.cache_clear()

    set_to(matcher="lexical")
    yield set_to
    flat._kept.cache_clear()


def as_openrlhf_loads_it() -> ModuleType:
    """What its loader does: a module of the name reward_func from the file's path."""
    spec = importlib.util.spec_from_file_location("reward_func", adapter.__file__)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_numbers_as_tensors_one_a_sample() -> None:
    found = adapter.reward_func([PROMPT + RIGHT + "<|im_end|>", PROMPT + WRONG], [PROMPT] * 2, [TRUTH.dump()] * 2)
    assert set(found) == {"rewards", "scores", "extra_logs"}
    assert found["rewards"].tolist() == found["scores"].tolist() == pytest.approx([AP, 0.0])
    assert set(found["extra_logs"]) == PARTS
    assert all(column.shape == (2,) and torch.isfinite(column).all() for column in found["extra_logs"].values())
    assert found["extra_logs"]["outcome"].tolist() == [1.0, 0.0]
    assert adapter.reward_func([], [], [])["rewards"].tolist() == []


@pytest.mark.parametrize(
    "query",
    [
        PROMPT + RIGHT,
        PROMPT + RIGHT + "<|im_end|>",
        PROMPT + RIGHT + "<|im_end|>\n<|endoftext|><|endoftext|>",
        "<s>" + PROMPT + RIGHT + "</s>",
        "<s> " + PROMPT + RIGHT + "<pad><pad>",
    ],
)
def test_the_answer_is_what_stands_after_the_prompt(query: str) -> None:
    assert answer_of(query, PROMPT) == RIGHT


def test_a_prompt_that_was_cut_from_the_left_is_found_by_its_end() -> None:
    long = "".join(f"Sentence {k}, with \\boxed{{A>B}} as an example.\n" for k in range(100)) + PROMPT
    assert answer_of(long[-900:] + RIGHT, long) == RIGHT
    assert answer_of("another text " + RIGHT, long) is None
    assert answer_of(RIGHT, "") == RIGHT


def test_rs1_failures_are_numbers_and_told_apart_from_bad_answers(configured: Any) -> None:
    def one(query: str, label: Any = None) -> dict[str, float]:
        found = adapter.reward_func([query], [PROMPT], [TRUTH.dump() if label is None else label])
        logs = {name: column.item() for name, column in found["extra_logs"].items()}
        assert set(logs) == PARTS
        return {"reward": found["rewards"].item(), **logs}

    bad = one(PROMPT + SILENT)
    assert (bad["reward"], bad["failed"], bad["no_verdict"]) == (0.0, 0.0, 1.0)
    configured(matcher="lexical", on_failure=-1.0)
    lost = one("a text without the prompt")
    assert (lost["reward"], lost["failed"], lost["outcome"], lost["no_truth"]) == (-1.0, 1.0, -1.0, 0.0)
    broken = one(PROMPT + RIGHT, "{")
    assert (broken["reward"], broken["failed"], broken["no_truth"]) == (-1.0, 1.0, 1.0)
    with FakeEndpoint(lambda body, n: "nothing that can be read") as server:
        configured(**asking(server, on_failure=0.5))
        failed = one(PROMPT + RIGHT)
        assert (failed["reward"], failed["failed"], failed["outcome"], failed["rationale"]) == (0.5, 1.0, 1.0, -1.0)


def test_a_wrong_configuration_is_said_when_openrlhf_loads_the_file(configured: Any) -> None:
    assert as_openrlhf_loads_it().reward_func([PROMPT + RIGHT], [PROMPT], [TRUTH.dump()])["rewards"].item() == pytest.approx(AP)
    configured(macher="lexical")
    with pytest.raises(UsageError, match="no reward option 'macher'"):
        as_openrlhf_loads_it()


def test_the_stop_is_said_and_raised_where_there_is_no_actor_to_end(configured: Any, caplog: pytest.LogCaptureFixture) -> None:
    configured(matcher="lexical", stop_above=0.5, window=2)
    with caplog.at_level(logging.ERROR, "rationalerm"), pytest.raises(StoppedError, match="100% of the last 2"):
        adapter.reward_func([PROMPT + RIGHT] * 2, [PROMPT] * 2, ["{"] * 2)
    assert "the training is stopped: 100% of the last 2 rewards failed" in caplog.text


# OpenRLHF itself


class Engine:
    """What the executor asks for an answer: vLLM's output, as far as it is read."""

    def __init__(self, tokens: Any, answers: list[str]) -> None:
        self.tokens, self.answers = tokens, answers

    async def generate(self, prompt_ids: list[int], params: Any, multi_modal_data: Any = None) -> Any:
        ids = self.tokens(self.answers.pop(0), add_special_tokens=False)["input_ids"] + [1]
        return SimpleNamespace(outputs=[SimpleNamespace(token_ids=ids, finish_reason="stop", logprobs=None, text="")])


QUESTION = "Response B cites the year 1912."
REASON = "OpenRLHF is not installed here; .ci/adapters openrlhf runs this"


@pytest.mark.filterwarnings("ignore")
def test_openrlhf_s_executor_loads_the_file_and_gets_the_numbers(tmp_path: Path) -> None:
    agent = pytest.importorskip("openrlhf.utils.agent", reason=REASON)
    from transformers import AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(tokenizer(tmp_path))
    executor = agent.SingleTurnAgentExecutor([adapter.__file__])
    params = SimpleNamespace(max_tokens=400, logprobs=None)

    async def run() -> list[dict[str, Any]]:
        engine = Engine(tokens, [RIGHT, WRONG, SILENT, RIGHT])
        labels = [TRUTH.dump()] * 3 + ["{"]
        return await asyncio.gather(*(executor.execute(QUESTION, label, params, 1000, tokens, engine) for label in labels))

    outputs = asyncio.run(run())
    assert [float(output["reward"]) for output in outputs] == pytest.approx([AP, 0.0, 0.0, 0.0])
    assert [float(output["extra_logs"]["failed"]) for output in outputs] == [0.0, 0.0, 0.0, 1.0]
    batch = agent_batch(outputs)
    assert batch.rewards.tolist() == batch.scores.tolist() == pytest.approx([AP, 0.0, 0.0, 0.0])
    assert set(batch.info) == PARTS
    assert all(column.shape == (4,) and torch.isfinite(column).all() for column in batch.info.values())


def agent_batch(outputs: list[dict[str, Any]]) -> Any:
    """A batch of experiences, made of the executor's outputs as OpenRLHF's generator does it (whose module needs vLLM)."""
    from openrlhf.trainer.ppo_utils.experience import Experience

    made = []
    for output in outputs:
        info = {name: torch.tensor([value.flatten()[0].item()]) for name, value in output["extra_logs"].items()}
        ids, rewards, scores = torch.tensor([output["observation_tokens"]]), [output["reward"]], [output["scores"]]
        made.append(Experience(sequences=ids, rewards=torch.tensor(rewards), scores=torch.tensor(scores), info=info))
    return Experience.concat_experiences(made, 0)


@pytest.mark.filterwarnings("ignore")
def test_openrlhf_s_data_set_reads_the_prepared_rows_and_its_labels_are_scored(tmp_path: Path) -> None:
    data = pytest.importorskip("openrlhf.datasets.prompts_dataset", reason=REASON)
    from datasets import load_dataset
    from transformers import AutoTokenizer

    path = parquet(tmp_path / "train.parquet", [row(0), row(1)])
    options = SimpleNamespace(input_key="prompt", label_key="reward_model", apply_chat_template=True)
    strategy = SimpleNamespace(args=SimpleNamespace(data=options), is_rank_0=lambda: False)
    rows = load_dataset("parquet", data_files=str(path), cache_dir=str(tmp_path / "cache"))["train"]
    read = data.PromptDataset(rows, AutoTokenizer.from_pretrained(tokenizer(tmp_path)), strategy)
    _, prompts, labels, _ = read.collate_fn([read[0], read[1]])
    assert prompts[1] == "Question 1: which response is better?"
    found = adapter.reward_func([prompt + RIGHT for prompt in prompts], prompts, labels)
    assert found["rewards"].tolist() == pytest.approx([AP, AP])


@pytest.mark.filterwarnings("ignore")
def test_the_stop_ends_a_rollout_actor_though_openrlhf_swallows_exceptions(tmp_path: Path) -> None:
    agent = pytest.importorskip("openrlhf.utils.agent", reason=REASON)
    import ray
    from transformers import AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(tokenizer(tmp_path))
    path = adapter.__file__

    class Rollout:
        """As its RolloutRayActor is: an async actor that holds the executor."""

        async def __init__(self) -> None:
            self.executor = agent.SingleTurnAgentExecutor([path])

        async def run(self, label: str) -> float | None:
            params = SimpleNamespace(max_tokens=400, logprobs=None)
            engine = Engine(tokens, [RIGHT])
            reward = (await self.executor.execute(QUESTION, label, params, 1000, tokens, engine))["reward"]
            return None if reward is None else float(reward)

    said = json.dumps({"matcher": "lexical", "stop_above": 0.5, "window": 2})
    here = str(Path(__file__).parent)
    paths = os.pathsep.join([here, str(Path(here).parent)])
    env = {"env_vars": {"RATIONALERM_REWARD": said, "PYTHONPATH": paths}}
    with ray.init(num_cpus=2, include_dashboard=False, configure_logging=False, runtime_env=env):
        actor = ray.remote(Rollout).remote()
        assert ray.get(actor.run.remote(TRUTH.dump()), timeout=60) == pytest.approx(AP)
        with pytest.raises(ray.exceptions.RayActorError):
            ray.get([actor.run.remote("{") for _ in range(3)], timeout=60)
