"""Real input end to end: a public data set of human coverage labels as an `evaluate` input (a floor under the README's claim)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def test_row_recall_follows_the_human_labels(
    shared: Path, jsonl: Callable[..., Path], run: Callable[..., Any], tmp_path: Path
) -> None:
    """A sample's insights are the human reasons, its bullets the judge's; row recall against the mean of the human 0 / .5 / 1."""
    samples = [json.loads(line) for line in (shared / "data/summhay_eval/eval.jsonl").read_text("utf-8").splitlines()]
    rows = [{"id": s["id"], "human-checklist": [i["text"] for i in s["insights"]], "m-checklist": s["bullets"]} for s in samples]
    ran = run("evaluate", jsonl(*rows), "--judge", "m", "--top-k", "none", "--out", tmp_path / "run", "--json")
    assert ran.code == 0
    assert ran.json["judges"]["m"]["outcome_accuracy"] is None
    got = {row["id"]: row["recall"] for row in map(json.loads, (tmp_path / "run" / "rows.jsonl").read_text("utf-8").splitlines())}
    recall = [got[s["id"]] for s in samples]
    human = [float(np.mean([h["score"] for h in s["human"]])) for s in samples]
    assert np.corrcoef(recall, human)[0, 1] >= 0.75
