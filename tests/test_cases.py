"""Every shared case of the themes that have landed is a test: its id stands in the name or the docstring of one."""

from __future__ import annotations

import json
import re
from pathlib import Path

LANDED = {
    "verdict-format", "verdict-choice", "prompt-injection", "matcher-lines", "score-values", "json-judge", "reason-lists",
    "metrics", "failure-accounting", "data-files", "judge-api", "resume-cache", "position-determinism", "secrets-cost-files",
    "grpo-rewards", "benchmark-scoring",
}  # fmt: skip
ALSO = {"RS1", "RS3"}  # of themes whose rooms are not all there yet
LATER: dict[str, str] = {}


def test_every_case_is_a_test(shared: Path) -> None:
    cases = [json.loads(line) for line in (shared / "cases" / "cases.jsonl").read_text("utf-8").splitlines()]
    wanted = {case["id"] for case in cases if case["theme"] in LANDED} | ALSO
    tests = "\n".join(path.read_text("utf-8") for path in Path(__file__).parent.rglob("test_*.py") if path != Path(__file__))
    named = {found.upper() for found in re.findall(r"(?i)(?<![a-z])([a-z]{2}\d{1,2})(?=_|\b)", tests)}
    assert wanted - named - set(LATER) == set()
