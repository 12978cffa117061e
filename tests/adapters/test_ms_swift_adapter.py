"""ms-swift: its own plugin loader, data set, scoring and advantages over the adapter. Needs ms-swift."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from adapter_rows import AP, CUT, RIGHT, SILENT, TRUTH, WRONG, asking, parquet, row

from endpoint import FakeEndpoint
from rationalerm import adapters
from rationalerm.errors import StoppedError

swift = pytest.importorskip("swift", reason="ms-swift is not installed here; .ci/adapters ms_swift runs these")
pytestmark = pytest.mark.filterwarnings("ignore")
PLUGIN = Path(adapters.__path__[0]) / "ms_swift" / "__init__.py"


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Loads the plugin as `--external_plugins` does and makes the reward as the trainer does."""
    from swift.rewards import orms
    from swift.utils.utils import import_external_file

    monkeypatch.setattr(sys, "path", list(sys.path))
    import_external_file(str(PLUGIN))

    def make(args: Any = None, **options: Any) -> Any:
        monkeypatch.setenv("RATIONALERM_REWARD", json.dumps(options or {"matcher": "lexical"}))
        return orms["hybrid_reward"](args=args)

    return make


def samples(*texts: str, ends: list[str | None] | None = None, **extra: Any) -> list[Any]:
    from swift.rl_core.data import GRPOSample

    columns = {"reward_model": row()["reward_model"], "data_source": "rationalerm/general", **extra}
    return [
        GRPOSample(
            messages=[*row()["prompt"], {"role": "assistant", "content": text}],
            prompt_id="p",
            finish_reason=ends[k] if ends else "stop",
            extra=dict(columns),
        )
        for k, text in enumerate(texts)
    ]


def scored(reward: Any, rows: list[Any]) -> Any:
    import torch
    from swift.rl_core.grpo_algorithm import score_completions

    return score_completions(rows, [reward], [None], use_gym_env=False, device=torch.device("cpu"))


def test_the_plugin_s_folder_on_the_path_hides_no_module(plugin: Any) -> None:
    assert str(PLUGIN.parent) in sys.path
    assert {path.name for path in PLUGIN.parent.iterdir()} <= {"__init__.py", "__pycache__"}


def test_ms_swift_scores_with_it(plugin: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "rationalerm"):
        found = scored(plugin(), samples(RIGHT, WRONG, CUT, SILENT, ends=["stop", "stop", "length", "stop"]))
    assert found.shape == (4, 1)
    assert found[:, 0].tolist() == pytest.approx([AP, 0.0, 0.0, 0.0])
    assert "'reward/truncated': 0.25" in caplog.text
    assert "'reward/no_spread': 0.0" in caplog.text


def test_the_columns_can_also_be_plain(plugin: Any) -> None:
    rows = samples(RIGHT, human_reasons=list(TRUTH.human_reasons), label="B>A")
    del rows[0].extra["reward_model"]
    assert scored(plugin(), rows)[0].item() == pytest.approx(AP)


def test_gr1_a_failed_reward_is_a_number_since_ms_swift_adds_none_up_as_0(plugin: Any) -> None:
    import torch
    from swift.rl_core.advantage import compute_advantages

    poison = RIGHT.replace("reads well", "poison")

    def said(body: dict[str, Any], n: int) -> str:
        return "none" if "poison" in str(body["messages"]) else "<RESULT_START>\n- R1@S1: 1.0\n- R2@S3: 1.0\n<RESULT_END>"

    one = {"reward_weights": torch.ones(1), "num_generations": 4}
    with FakeEndpoint(said) as server:
        found = scored(plugin(**asking(server, on_failure=0.4)), samples(RIGHT, poison, WRONG, SILENT))
        assert found[:, 0].tolist() == pytest.approx([AP, 0.4, 0.0, 0.0])
        advantages, rewards = compute_advantages(found, **one)
        assert torch.isfinite(advantages).all()
        assert rewards[1].item() == pytest.approx(0.4)
        gdpo = SimpleNamespace(scale_rewards="gdpo")
        found = scored(plugin(gdpo, **asking(server, on_failure=0.4)), samples(RIGHT, poison, WRONG, SILENT))
        assert torch.isnan(found[1, 0])
        advantages, _ = compute_advantages(found, scale_rewards="gdpo", **one)
        assert torch.isfinite(advantages).all()
    none, _ = compute_advantages(torch.tensor([[0.8], [float("nan")], [0.8], [0.8]]), **one)
    assert none[1].item() < -1, "the premise: ms-swift takes None for 0 and pushes the sample down"


def test_the_training_stops_where_too_many_failed(plugin: Any) -> None:
    with FakeEndpoint(lambda body, n: "nothing that can be read") as server:
        reward = plugin(**asking(server, stop_above=0.5, window=4))
        with pytest.raises(StoppedError, match="100% of the last 4 rewards failed"):
            scored(reward, samples(RIGHT, RIGHT, RIGHT, RIGHT))


def test_ms_swift_reads_the_prepared_rows(plugin: Any, tmp_path: Path) -> None:
    from swift.dataset import load_dataset

    path = parquet(tmp_path / "train.parquet", [row(k) for k in range(3)])
    rows, _ = load_dataset(str(path), columns={"prompt": "messages"}, remove_unused_columns=False)
    assert len(rows) == 3
    assert rows[0]["messages"][0]["content"].startswith("Question")
    assert rows[0]["reward_model"] == row()["reward_model"]
