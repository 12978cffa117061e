"""What the scripts here share: the machine in words, a command timed as a whole process, rows made from a seed."""

from __future__ import annotations

import json
import os
import platform
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["BIN", "Timed", "machine", "pair_rows", "results_rows", "timed", "write_rows"]

BIN = Path(sys.executable).with_name("rationalerm")
SAMPLE = Path(__file__).parent.parent / "src" / "rationalerm" / "sample" / "pairs.jsonl"


class Timed(NamedTuple):
    """Median seconds, peak memory of the largest run in MB, and the last run's stdout."""

    seconds: float
    peak_mb: float
    out: str


def machine() -> str:
    """One line for the docs."""
    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), "?"
    )
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def timed(command: Sequence[str | Path], *, runs: int = 3, cores: int | None = 1) -> Timed:
    """Runs a command as a whole process, pinned to one core, and measures wall time and peak memory."""
    pin = ["taskset", "-c", "0"] if cores == 1 else []
    seconds, peak, out = [], 0.0, ""
    env = os.environ | ({"OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"} if cores == 1 else {})
    for _ in range(runs):
        start = time.perf_counter()
        wrapped = [*pin, sys.executable, "-c", _WRAPPER, *map(str, command)]
        done = subprocess.run(wrapped, capture_output=True, text=True, check=True, env=env)
        seconds.append(time.perf_counter() - start)
        peak = max(peak, float(done.stderr.rsplit("PEAK_KB ", 1)[1]) / 1024)
        out = done.stdout
    return Timed(sorted(seconds)[len(seconds) // 2], peak, out)


_WRAPPER = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print("PEAK_KB", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


def sample() -> list[dict[str, object]]:
    """The sample's rows."""
    return [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]


def pair_rows(n: int, seed: int = 0) -> Iterator[dict[str, object]]:
    """`n` distinct rows made of the sample's reasons: every reason gets a number of its own, so that no cache helps."""
    rng = random.Random(seed)
    base = [row for row in sample() if row["human-checklist"]]
    for k in range(n):
        row = rng.choice(base)
        human = [f"{reason} (item {k}-{i})" for i, reason in enumerate(row["human-checklist"])]  # type: ignore[arg-type, var-annotated]
        texts = {j: str(row[f"{j}-generated_text"]).replace(". ", f". Case {k}: ", 3) for j in ("checks", "surface")}
        yield {
            "id": f"p{k}",
            "domain": row["domain"],
            "context": row["context"],
            "response1": row["response1"],
            "response2": row["response2"],
            "overall_preference": row["overall_preference"],
            "human-checklist": human,
            **{f"{j}-generated_text": text for j, text in texts.items()},
        }


def results_rows(n: int, row_bytes: int, seed: int = 0) -> Iterator[dict[str, object]]:
    """`n` rows in the shape of the released inference script's results, of about `row_bytes` each, with three judges' lists."""
    rng = random.Random(seed)
    words = " ".join(" ".join(map(str, (row["response1"], row["response2"]))) for row in sample()).split()
    for k in range(n):
        human = [f"Response {rng.randint(1, 2)} " + _words(rng, words, 14) for _ in range(rng.randint(3, 6))]
        lists = {f"judge-{j}-checklist": [_words(rng, words, 20) for _ in range(rng.randint(3, 7))] for j in range(3)}
        listed = lists["judge-0-checklist"]
        lines = [
            f"- R{i + 1}@S{(s := rng.randint(0, len(listed)))}: {rng.choice((0.25, 0.5, 0.75, 1.0)) if s else 0:.2f}"
            for i in range(len(human))
        ]
        prompt = "\n".join([*(f"S{i + 1}: {t}" for i, t in enumerate(listed)), *(f"R{i + 1}: {t}" for i, t in enumerate(human))])
        answer = _words(rng, words, 120) + "\n<RESULT_START>\n" + "\n".join(lines) + "\n<RESULT_END>"
        used = len(prompt) + len(answer) + 3000
        yield {
            "prompt": prompt,
            "samples": [{"generated_text": answer, "finish_reason": "stop", "usage": {"total_tokens": 900}}],
            "status": "success",
            "metadata": {
                "id": f"r{k}",
                "domain": "code",
                "context": [{"role": "user", "content": _words(rng, words, 60)}],
                "response1": _words(rng, words, max(10, (row_bytes - used) // 13)),
                "response2": _words(rng, words, max(10, (row_bytes - used) // 13)),
                "human-checklist": human,
                **lists,
                **{f"judge-{j}-label": rng.choice((-1, 1)) for j in range(3)},
            },
            "extraction_result": {"scores": [], "is_ordered": True, "errors": []},
        }


def write_rows(path: Path, rows: Iterator[dict[str, object]]) -> Path:
    """JSON lines."""
    with path.open("w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path


def _words(rng: random.Random, words: list[str], n: int) -> str:
    start = rng.randrange(len(words) - n) if len(words) > n else 0
    return " ".join(words[start : start + n])
