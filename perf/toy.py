"""The toy of `train demo` on four seeds, every arm: the docs' table. A cell: the mean, then each seed.

OA, RC and padding over the held-out pairs; misled OA over pairs whose cues always mislead. The start is made anew, so that the
seconds are those of a first run.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from measure import machine
from rationalerm.train.toy import ToyConfig, run_toy

SEEDS = (3, 4, 5, 6)  # never looked at while the world was made (that was on 0, 1, 2)
ARMS = ("base", "outcome", "hybrid", "control", "additive", "rationale", "capped")
CELLS: dict[str, tuple[str, Callable[[dict[str, Any]], float | None]]] = {
    "OA": (".2f", lambda arm: arm["outcome_accuracy"]),
    "RC": (".2f", lambda arm: arm["rationale_consistency"]),
    "AP": (".2f", lambda arm: arm["average_precision"]),
    "misled OA": (".2f", lambda arm: arm["misled"]["outcome_accuracy"]),
    "reasons": (".1f", lambda arm: arm["reasons"]),
    "generic": (".2f", lambda arm: arm["generic"]),
    "padding": (".2f", lambda arm: arm["padding"]),
    "no verdict": (".0f", lambda arm: arm["no_verdict"]),
}


def cell(values: list[float | None], form: str) -> str:
    """`mean (seed, seed, seed)`; a seed without a value is a dash, and not in the mean."""
    known = [value for value in values if value is not None]
    each = ", ".join("-" if value is None else format(value, form) for value in values)
    return f"{format(sum(known) / len(known), form)} ({each})" if known else "-"


def main() -> None:
    """Prints the table in Markdown."""
    runs, seconds = [], []
    with tempfile.TemporaryDirectory() as cache:
        os.environ["RATIONALERM_CACHE_DIR"] = cache
        for seed in SEEDS:
            began = time.perf_counter()
            config = ToyConfig(seed=seed)
            runs.append(run_toy(config, ARMS, progress=True).arms)
            seconds.append(time.perf_counter() - began)
    print(f"train demo, seeds {', '.join(map(str, SEEDS))}, {config.steps} steps, {config.held_out} pairs an arm; {machine()}")
    print(f"\n| arm | {' | '.join(CELLS)} |\n|---|{'---|' * len(CELLS)}")
    for name in ARMS:
        row = [cell([value(run[name]) for run in runs], form) for form, value in CELLS.values()]
        print(f"| {name} | {' | '.join(row)} |")
    default = [sum(run[name]["seconds"] for name in ARMS[:4]) for run in runs]
    print(f"\nseconds a seed, the four arms of a default run with the start: {', '.join(f'{s:.0f}' for s in default)}")
    print(f"seconds a seed, all arms: {', '.join(f'{s:.0f}' for s in seconds)}")


if __name__ == "__main__":
    sys.exit(main())
