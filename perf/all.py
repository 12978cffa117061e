"""`make perf`: every figure, one script after the other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPTS = (
    "score.py",
    "evaluate.py",
    "report.py",
    "agreement.py",
    "embedded.py",
    "evaluators.py",
    "gaming.py",
    "tags.py",
    "bench.py",
    "bench_llm.py",
    "llm.py",
    "reward.py",
    "toy.py",
    "install.py",
)

if __name__ == "__main__":
    here = Path(__file__).parent
    sys.exit(max(subprocess.run([sys.executable, here / name], check=False).returncode for name in SCRIPTS))
