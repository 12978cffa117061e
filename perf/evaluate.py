"""`evaluate` of 1,000 rows x 2 judges, process start included, on one core; the matchers in reason pairs a second; `--help`."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

from measure import BIN, machine, pair_rows, timed, write_rows
from rationalerm import EmbeddedMatcher, LexicalMatcher, parse_judgment


def main() -> None:
    """Prints the figures."""
    print(f"evaluate: {machine()}, one core")
    with tempfile.TemporaryDirectory() as folder:
        path = write_rows(Path(folder) / "pairs.jsonl", pair_rows(1000))
        for matcher in ("embedded", "fast", "lexical"):
            out = Path(folder) / matcher
            ran = timed([BIN, "evaluate", path, "--json", "--matcher", matcher, "--out", out], runs=1)
            rc = {name: round(judge["rationale_consistency"], 3) for name, judge in json.loads(ran.out)["judges"].items()}
            print(f"  1,000 rows x 2 judges, {matcher}: {ran.seconds:.2f} s, peak {ran.peak_mb:.0f} MB (RC {rc})")
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lists = [
        (row["human-checklist"], parse_judgment(row[f"{j}-generated_text"]).reasons)
        for row in rows
        for j in ("checks", "surface")
    ]
    pairs = sum(len(human) * len(model) for human, model in lists)
    for matcher in (EmbeddedMatcher(fast=True), LexicalMatcher()):
        matcher.match(["warm"], ["up"])
        for what in ("every reason new", "reasons seen before"):
            start = time.perf_counter()
            matcher.match_many(lists)
            seconds = time.perf_counter() - start
            print(f"  {matcher.name}: {pairs / seconds:,.0f} reason pairs/s ({what}; {pairs:,} pairs)")
    print(f"  --help: {timed([BIN, '--help'], runs=7).seconds:.2f} s")


if __name__ == "__main__":
    main()
