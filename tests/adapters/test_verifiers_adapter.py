"""verifiers v1: its own taskset loader, configuration and scoring of a trace over the adapter. Needs verifiers."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from adapter_rows import AP, CUT, RIGHT, SILENT, TRUTH, WRONG, asking, jsonl, parquet, row

from endpoint import FakeEndpoint
from rationalerm.errors import DataError, UsageError

pytest.importorskip("verifiers", reason="verifiers is not installed here; .ci/adapters verifiers runs these")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Loads the taskset as verifiers does, by the name of the two-line module of the docs."""
    import verifiers.v1 as vf

    (tmp_path / "genrm_hybrid.py").write_text(
        'from rationalerm.adapters.verifiers import GenRMTaskset\n\n__all__ = ["GenRMTaskset"]\n'
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("genrm_hybrid", None)

    def make(path: Path, **reward: Any) -> Any:
        kind = vf.taskset_config_type("genrm-hybrid")
        task = {"reward": reward or {"matcher": "lexical"}}
        return vf.load_taskset(kind.model_validate({"id": "genrm-hybrid", "data": str(path), "task": task}))

    return make


def trace_of(task: Any, text: str | None, finish: str = "stop") -> Any:
    """What verifiers records of a rollout that gave this answer."""
    import verifiers.v1 as vf
    from verifiers.v1.trace import ModelCall

    made = vf.Trace(
        task=vf.TraceTask(type=type(task).__name__, data=task.data, key=task.key, hash=task.hash),
        agent=vf.AgentInfo(config=vf.AgentConfig(model="m")),
    )
    made.nodes += [vf.MessageNode(message=message) for message in task.data.prompt]
    made.nodes.append(vf.MessageNode(parent=len(made.nodes) - 1, message=vf.AssistantMessage(content=text), sampled=True))
    made.calls.append(ModelCall(node=len(made.nodes) - 1, finish_reason=finish))
    return made


def scored(task: Any, text: str | None, finish: str = "stop") -> Any:
    trace = trace_of(task, text, finish)
    asyncio.run(task.score(trace))
    return trace


@pytest.mark.parametrize("write", [parquet, jsonl])
def test_the_taskset_holds_the_prepared_games(load: Any, write: Any, tmp_path: Path) -> None:
    path = write(tmp_path / ("rows.parquet" if write is parquet else "rows.jsonl"), [row(k) for k in range(3)])
    tasks = list(load(path))
    assert [task.data.idx for task in tasks] == [0, 1, 2]
    assert [task.data.id for task in tasks] == ["row-0-given", "row-1-given", "row-2-given"]
    assert tasks[1].data.prompt_text == "Question 1: which response is better?"
    assert tasks[1].data.ground_truth == TRUTH.dump()
    assert tasks[1].data.info["domain"] == "general"
    assert len({task.key for task in tasks}) == 3


def test_verifiers_scores_a_trace(load: Any, tmp_path: Path) -> None:
    task = next(iter(load(parquet(tmp_path / "rows.parquet", [row()]))))
    right = scored(task, RIGHT)
    assert right.reward == pytest.approx(AP)
    assert right.rewards["hybrid"].weight == 1.0
    assert right.metrics["outcome"] == 1.0
    assert right.metrics["rationale"] == pytest.approx(AP)
    assert right.metrics["reasons"] == 3.0
    wrong = scored(task, WRONG)
    assert (wrong.reward, wrong.metrics["outcome"]) == (0.0, 0.0)
    for text in (SILENT, "", None):
        assert scored(task, text).reward == 0.0


def test_gr4_a_cut_answer_is_told_by_the_call_s_finish_reason(load: Any, tmp_path: Path) -> None:
    task = next(iter(load(parquet(tmp_path / "rows.parquet", [row()]), matcher="lexical", truncated="none")))
    assert scored(task, RIGHT).reward == pytest.approx(AP)
    import verifiers.v1 as vf

    trace = trace_of(task, CUT, "length")
    with pytest.raises(vf.TaskError, match="no verdict: truncated"):
        asyncio.run(task.score(trace))
    assert trace.rewards["hybrid"] is None


def test_gr1_a_failed_reward_leaves_the_trace_unscored(load: Any, tmp_path: Path) -> None:
    import verifiers.v1 as vf

    with FakeEndpoint(lambda body, n: "nothing that can be read") as server:
        task = next(iter(load(parquet(tmp_path / "rows.parquet", [row()]), **asking(server))))
        trace = trace_of(task, RIGHT)
        with pytest.raises(vf.TaskError, match="GenRMTask scoring: MatcherError: unparsed"):
            asyncio.run(task.score(trace))
    assert trace.rewards["hybrid"] is None
    assert trace.metrics["outcome"] == 1.0
    assert trace.metrics["failed"] == 1.0
    assert "rationale" not in trace.metrics


def test_a_row_that_can_not_be_read_is_named(load: Any, tmp_path: Path) -> None:
    bad = row(1)
    bad["reward_model"]["ground_truth"] = '{"human_reasons": ["x"], "label": "perhaps"}'
    path = jsonl(tmp_path / "rows.jsonl", [row(0), bad])
    with pytest.raises(DataError, match=r"rows.jsonl, row 2, field 'label': 'perhaps' names no side"):
        list(load(path))
    with pytest.raises(DataError, match="row 1: no prompt"):
        list(load(jsonl(tmp_path / "other.jsonl", [{"question": "?"}])))
    with pytest.raises(DataError, match="no such file"):
        list(load(tmp_path / "missing.parquet"))


def test_a_wrong_option_is_said_before_the_first_rollout(load: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no reward option 'macher'"):
        list(load(parquet(tmp_path / "rows.parquet", [row()]), macher="fast"))
