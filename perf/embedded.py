"""The learnt matcher on one core: size, load, reading, comparing what was read.   python perf/embedded.py

Reasons are real judges' sentences (judge_texts, LLMBar of ../shared), each read for the first time; then pairs of them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from agreement import judge_rows
from measure import machine
from public_data import shared
from rationalerm import EmbeddedMatcher
from rationalerm.match.learnt.framed import framed, marked
from rationalerm.match.learnt.networks import Networks, files

_REASONS, _PAIRS = 1000, 40_000


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Prints the figures."""
    folder = shared()
    if folder is None:
        print("embedded: left out, since there is no shared/ folder of public data (set RATIONALERM_SHARED)")
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"embedded: {machine()}, one core; the model's files {sum(map(len, files().values())) / 1e6:.1f} MB")
    rows = judge_rows(folder / "data")
    matcher = EmbeddedMatcher()
    print(f"  ready after {seconds(lambda: matcher.match(['The unit is missing.'], ['There is no unit.'])):.2f} s")
    texts = list(dict.fromkeys(t for row in rows for side in row for t in side))[:_REASONS]
    networks = Networks(files())
    read = {}
    took = seconds(lambda: read.update(networks.read([framed(*marked(text)) for text in texts])))
    print(f"  {len(texts) / took:,.0f} reasons/s read")
    reads = list(read.values())
    pairs = [(reads[k % len(reads)], reads[(k * 7 + 1) % len(reads)]) for k in range(_PAIRS)]
    print(f"  {_PAIRS / seconds(lambda: networks.compare(pairs)):,.0f} pairs/s compared")
    count = sum(len(h) * len(m) for h, m in rows[60:160])
    took = seconds(lambda: matcher.match_many(rows[60:160]))
    print(
        f"  {count / took:,.0f} pairs/s in rows of five with five, all new: claims of no response are read, the rest is for rules"
    )


if __name__ == "__main__":
    main()
