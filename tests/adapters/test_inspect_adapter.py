"""inspect_ai: its own eval, end to end, over the adapter, with a model that says what the test wants. Needs inspect_ai."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from adapter_rows import AP, CUT, RIGHT, SILENT, WRONG, asking, jsonl, parquet, row

from endpoint import FakeEndpoint
from rationalerm.errors import DataError, UsageError
from rationalerm.reward import Truth

pytest.importorskip("inspect_ai", reason="inspect_ai is not installed here; .ci/adapters inspect runs these")
pytestmark = pytest.mark.filterwarnings("ignore")
KEYS = {"hybrid", "outcome", "rationale", "reasons", "generic", "agreement", "padding", "failed"}


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    """Evaluates a file with answers given; the log."""
    from inspect_ai import eval as evaluate

    from rationalerm.adapters.inspect import genrm

    def make(path: Path, answers: list[tuple[str, str]], reward: dict[str, Any] | None = None, **options: Any) -> Any:
        task = genrm(data=str(path), reward=reward or {"matcher": "lexical"})
        log_dir = str(tmp_path / "logs")
        (log,) = evaluate(task, model=saying(answers), display="none", max_samples=1, log_dir=log_dir, **options)
        assert log.status == "success", log.error
        return log

    return make


def saying(answers: list[tuple[str, str]]) -> Any:
    """A model that says these, with what they cost given, so that nothing is counted by a tokenizer from the network."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    outputs = [ModelOutput.from_content("mockllm/model", text, stop_reason=stop) for text, stop in answers]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return get_model("mockllm/model", custom_outputs=outputs, memoize=False)


def value(log: Any, k: int) -> dict[str, float]:
    (score,) = log.samples[k].scores.values()
    assert set(score.value) == KEYS
    return dict(score.value)


def means(log: Any) -> dict[str, tuple[float, int]]:
    """Each key's mean and how many samples it is over."""
    return {score.name: (score.metrics["mean"].value, score.scored_samples) for score in log.results.scores}


def test_inspect_evaluates_a_prepared_file(run: Callable[..., Any], tmp_path: Path) -> None:
    path = parquet(tmp_path / "rows.parquet", [row(k) for k in range(4)])
    log = run(path, [(RIGHT, "stop"), (WRONG, "stop"), (SILENT, "stop"), (CUT, "max_tokens")])
    assert [sample.id for sample in log.samples] == [f"row-{k}-given" for k in range(4)]
    assert log.samples[0].metadata["domain"] == "general"
    assert value(log, 0)["hybrid"] == pytest.approx(AP)
    assert (value(log, 1)["outcome"], value(log, 1)["rationale"]) == (0.0, pytest.approx(AP))
    status = [next(iter(sample.scores.values())).answer for sample in log.samples]
    assert status == ["scored", "scored", "no verdict: format", "no verdict: truncated"]
    found = means(log)
    assert set(found) == KEYS
    assert found["hybrid"] == (pytest.approx(AP / 4), 4)
    assert found["outcome"] == (0.25, 4)
    assert all("stderr" in score.metrics for score in log.results.scores)


def test_gr1_what_can_not_be_measured_is_left_out_of_the_means(run: Callable[..., Any], tmp_path: Path) -> None:
    path = jsonl(tmp_path / "rows.jsonl", [row(0), row(1), row(2, Truth((), "B>A"))])
    poison = RIGHT.replace("reads well", "poison")

    def said(body: dict[str, Any], n: int) -> str:
        return "none" if "poison" in str(body["messages"]) else "<RESULT_START>\n- R1@S1: 1.0\n- R2@S3: 1.0\n<RESULT_END>"

    with FakeEndpoint(said) as server:
        log = run(path, [(RIGHT, "stop"), (poison, "stop"), (RIGHT, "stop")], asking(server))
    assert math.isnan(value(log, 1)["hybrid"])
    assert math.isnan(value(log, 1)["rationale"])
    assert math.isnan(value(log, 2)["hybrid"])
    found = means(log)
    assert found["hybrid"] == (pytest.approx(AP), 1)
    assert found["rationale"] == (pytest.approx(AP), 1)
    assert found["outcome"] == (1.0, 3)
    assert found["failed"] == (pytest.approx(1 / 3), 3)


def test_the_grader_s_role_can_be_the_matcher(run: Callable[..., Any], tmp_path: Path) -> None:
    graded = ["<RESULT_START>\n- R1@S1: 1.0\n- R2@S3: 0.75\n<RESULT_END>", "I can't say."]
    grader = saying([(text, "stop") for text in graded])
    path = parquet(tmp_path / "rows.parquet", [row(0), row(1)])
    log = run(path, [(RIGHT, "stop")] * 2, {"matcher": "grader"}, model_roles={"grader": grader})
    assert value(log, 0)["hybrid"] == pytest.approx(AP)
    assert value(log, 1)["failed"] == 1.0
    assert math.isnan(value(log, 1)["hybrid"])
    (said,) = log.samples[1].scores.values()
    assert "the grader's answer can't be read" in said.explanation


def test_wrong_use_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    from rationalerm.adapters.inspect import genrm

    with pytest.raises(UsageError, match="no reward option 'macher'"):
        genrm(data=str(parquet(tmp_path / "rows.parquet", [row()])), reward={"macher": "fast"})
    with pytest.raises(DataError, match="no such file"):
        genrm(data=str(tmp_path / "missing.parquet"))


ALONE = """
import sys
from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model

said = ModelOutput.from_content("mockllm/model", sys.argv[2])
said.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
model = get_model("mockllm/model", custom_outputs=[said])
(log,) = evaluate("rationalerm/genrm", model=model, task_args={"data": sys.argv[1]}, display="none", log_dir=sys.argv[3])
print(log.status, log.eval.task, next(iter(log.samples[0].scores.values())).value["hybrid"])
"""


def test_inspect_finds_the_task_by_the_package_s_entry_point(tmp_path: Path) -> None:
    path = parquet(tmp_path / "rows.parquet", [row()])
    env = {**os.environ, "RATIONALERM_REWARD": '{"matcher": "lexical", "combine": "outcome"}'}
    said = [sys.executable, "-c", ALONE, str(path), RIGHT, str(tmp_path / "logs")]
    ran = subprocess.run(said, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.split() == ["success", "rationalerm/genrm", "1.0"]
