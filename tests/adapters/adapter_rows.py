"""Rows for every adapter's tests: one pair with its human reasons, answers of each kind, and what the reward of each is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from endpoint import FakeEndpoint
from rationalerm.reward import RewardConfig, Truth

HUMAN = ("Response A omits the unit.", "Response B cites the year 1912.")
TRUTH = Truth(HUMAN, "B>A")
REASONS = "1. Response A omits the unit.\n2. Response B reads well.\n3. Response B cites the year 1912.\n"
RIGHT = REASONS + "\\boxed{B>A}"  # ranks 1 and 3 of two human reasons: (1 + 2/3) / 2
AP = (1 + 2 / 3) / 2
WRONG = REASONS + "\\boxed{A>B}"
CUT = "1. Response A omits the"
SILENT = "1. Response A omits the unit."  # no verdict
LEXICAL = RewardConfig(matcher="lexical")


def asking(server: FakeEndpoint, **options: Any) -> dict[str, Any]:
    """A reward that asks the fake endpoint."""
    values = {"matcher": "llm", "model": "m", "base_url": server.url, "cache": False, "max_retries": 0, "format_retries": 0}
    return values | options


def row(index: int = 0, truth: Truth = TRUTH, **extra: Any) -> dict[str, Any]:
    """A row as `train prepare` writes it."""
    return {
        "data_source": "rationalerm/general",
        "prompt": [{"role": "user", "content": f"Question {index}: which response is better?"}],
        "ability": "judge",
        "reward_model": {"style": "rule", "ground_truth": truth.dump()},
        "extra_info": {"id": f"row-{index}", "order": "given", "domain": "general", "split": "train", "index": index},
        **extra,
    }


def parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    """A Parquet file of rows."""
    from datasets import Dataset

    Dataset.from_list(rows).to_parquet(str(path))
    return path


def jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The same as JSON lines."""
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path
