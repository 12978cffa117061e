"""The house itself: exported names, light imports, the sample, the demo's promises."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rationalerm

Run = Callable[..., Any]
SAMPLE = Path(rationalerm.__file__).parent / "sample" / "pairs.jsonl"


def test_exported_names() -> None:
    assert sorted(rationalerm.__all__) == [
        "ChatSettings", "EmbeddedMatcher", "Endpoint", "EvaluateConfig", "HybridReward", "Judgment", "LLMMatcher",
        "LexicalMatcher", "Limits", "Matcher", "Matching", "Pair", "Reward", "RowScore", "Summary", "Verdict",
        "ahybrid_reward", "assign", "errors", "evaluate", "hybrid_reward", "parse_judgment", "parse_matching",
        "rationale_scores",
    ]  # fmt: skip
    for name in rationalerm.__all__:
        assert getattr(rationalerm, name) is not None
    assert set(rationalerm.__all__) <= set(dir(rationalerm))


def test_help_loads_nothing_heavy() -> None:
    heavy = ("numpy", "rich", "tokenizers", "wordllama", "torch", "orjson", "aiohttp", "asyncio", "sqlite3")
    code = f"import sys; import rationalerm.cli as c; c._parser(); print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_evaluate_loads_no_torch_and_no_sdk(tmp_path: Path) -> None:
    code = (
        "import sys; from rationalerm import evaluate; "
        f"evaluate({str(SAMPLE)!r}, limit=3); "
        "print([m for m in ('torch', 'openai', 'scipy', 'transformers', 'requests') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""


def test_the_sample() -> None:
    rows = [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]
    assert len(rows) >= 60
    counted = [row for row in rows if row["human-checklist"]]
    assert len(counted) == len(rows) - 1
    assert {row["domain"] for row in rows} == {"code", "stem", "general", "multilingual"}
    assert min(sum(row["domain"] == d for row in rows) for d in ("code", "stem", "general", "multilingual")) >= 15
    texts = [row[f"{judge}-generated_text"] for row in rows for judge in ("checks", "surface", "noisy")]
    assert len({text for text in texts if text and len(text) > 60}) == len([text for text in texts if text and len(text) > 60])


def test_the_demo_keeps_its_promises(run: Run, tmp_path: Path) -> None:
    """OA of `checks` and `surface` within 0.05, RC at least 0.2 apart; every status that can arise offline there for `noisy`."""
    ran = run("demo", "--json", "--out", tmp_path / "demo")
    assert ran.code == 0
    judges = ran.json["judges"]
    assert set(judges) == {"checks", "surface", "noisy"}
    assert abs(judges["checks"]["outcome_accuracy"] - judges["surface"]["outcome_accuracy"]) <= 0.05
    assert judges["checks"]["rationale_consistency"] - judges["surface"]["rationale_consistency"] >= 0.2
    counts = judges["noisy"]["counts"]
    for status in (
        "given",
        "none",
        "refused",
        "failed",
        "scored",
        "no human reasons",
        "no answer",
        "judge tie",
        "prose",
        "no reasons",
    ):
        assert counts[status] > 0, status
    assert counts["matcher failed"] == 0
    assert all(level <= 0.03 for level in ran.json["chance"].values())
    assert (tmp_path / "demo" / "rows.jsonl").exists()
