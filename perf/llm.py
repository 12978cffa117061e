"""`match` against a chat endpoint on loopback: 2,000 rows with 64 and 256 in flight, and 20,000 rows of 5 KB for memory.

Latency is lognormal, median 200 ms, sigma 0.5. All counts but the start of the process: prompts, HTTP, parsing, scores, disk.
The endpoint is a process of its own (tests/endpoint.py), on another core where there is one. The peer, in the same run, is the
least that one can do: a semaphore, `post`, `json.loads`, over one aiohttp session; nothing read, scored, kept or written.
`--released FILE` runs a copy of the released inference script too, in an interpreter that has the openai package
(`--released-python`), with its delay set to 0 in place of the 1 s a request that it comes with.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from loopback import MEAN, Used, command_script, endpoint, env_of, measured, peer_script
from measure import machine, pair_rows, write_rows
from rationalerm import parse_judgment

OURS = command_script("""
import aiohttp, numpy, orjson, rich
import rationalerm.commands.match, rationalerm.cli, rationalerm.run, rationalerm.report.terminal
""")
PEER = peer_script("""
SYSTEM = {"role": "system", "content": "x" * 3000}
def items(rows):
    return rows
def messages(row):
    prompt = "\\n".join([*(f"R{i}: {t}" for i, t in enumerate(row["human-checklist"], 1)), "S1: one", "S2: two"])
    return [SYSTEM, {"role": "user", "content": prompt}]
""")


def ours(url: str, rows: Path, out: Path, at_once: int) -> Used:
    """`match`, with a fresh cache."""
    words = ["match", rows, "--judge", "checks", "--model", "m", "--out", out, "--concurrency", str(at_once)]
    used = measured(OURS, words, env_of(url, out.with_suffix(".cache")))
    written = sum(1 for _ in (out / "matches.jsonl").open("rb"))
    assert written == sum(1 for _ in rows.open("rb")), f"{written} rows written"
    return used


def released(python: str, script: str, url: str, rows: Path, at_once: int) -> float:
    """Seconds of the released script, process start included, its delay set to 0."""
    command = [python, script, "--input-file", rows, "--output-file", rows.with_name(f"released{at_once}.jsonl"), "--model", "m"]
    command += [
        "--api-base",
        url,
        "--model-be-evaluated",
        "checks",
        "--concurrent-requests",
        str(at_once),
        "--rate-limit-delay",
        "0",
    ]
    start = time.perf_counter()
    subprocess.run([*map(str, command)], check=True, capture_output=True, env=os.environ | {"OPENAI_API_KEY": "none"})
    return time.perf_counter() - start


def list_rows(n: int, row_bytes: int = 0) -> Iterator[dict[str, object]]:
    """Rows with the judge's reasons as a list, as the released script reads them; filled up to `row_bytes`."""
    for row in pair_rows(n):
        texts = {name for name in row if name.endswith("-generated_text")}
        reasons = list(parse_judgment(str(row["checks-generated_text"])).reasons)
        lists = {name: value for name, value in row.items() if name not in texts} | {"checks-checklist": reasons}
        missing = row_bytes - len(json.dumps(lists, ensure_ascii=False))
        yield lists | {"response1": f"{row['response1']} {'and so on ' * (max(0, missing) // 10)}"}


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--memory-rows", type=int, default=20_000)
    parser.add_argument("--released", help="a copy of the released inference script")
    parser.add_argument("--released-python", default=sys.executable, help="an interpreter with the openai package")
    args = parser.parse_args()
    print(f"match over a chat endpoint: {args.rows} rows; {machine()}, client and endpoint on one core each")
    with tempfile.TemporaryDirectory() as name:
        rows = write_rows(Path(name) / "pairs.jsonl", list_rows(args.rows))
        with endpoint(0) as url:
            most = measured(PEER, [url, rows, "256"])
        print(f"  the endpoint without latency serves {args.rows / most.seconds:,.0f} requests/s to the peer, 256 in flight")
        for at_once in (64, 256):
            with endpoint(0.2) as url:
                theirs = measured(PEER, [url, rows, str(at_once)])
                mine = ours(url, rows, Path(name) / f"out{at_once}", at_once)
                compare(mine, theirs, args.rows, at_once)
                if args.released:
                    took = released(args.released_python, args.released, url, rows, at_once)
                    print(f"      the released script, no delay: {took:.2f} s ({took / mine.seconds:.1f} times ours)")
        texts = write_rows(Path(name) / "texts.jsonl", pair_rows(args.rows))
        with endpoint(0.2) as url:
            used = ours(url, texts, Path(name) / "texts", 64)
        print(f"   64 in flight, with judges' texts to be read: {used.seconds:.2f} s")
        print(f"      CPU {1000 * used.cpu / args.rows:.2f} ms a row")
        if args.memory_rows:
            large = write_rows(Path(name) / "large.jsonl", list_rows(args.memory_rows, 5000))
            with endpoint(0.005) as url:
                used = ours(url, large, Path(name) / "large", 64)
            size, speed = large.stat().st_size / args.memory_rows / 1000, args.memory_rows / used.seconds
            print(f"  {args.memory_rows:,} rows of {size:.1f} KB: peak {used.peak_mb:.0f} MB, {speed:,.0f} rows/s")


def compare(mine: Used, theirs: Used, rows: int, at_once: int) -> None:
    """Prints one width's figures."""
    ideal = mine.seconds / (rows * MEAN / at_once)
    print(f"  {at_once:3} in flight: {mine.seconds:.2f} s, {ideal:.2f} of rows x mean latency / in flight")
    print(f"      {mine.seconds / theirs.seconds:.2f} of the peer's {theirs.seconds:.2f} s; peak {mine.peak_mb:.0f} MB")
    print(f"      CPU {1000 * mine.cpu / rows:.2f} ms a row (the peer {1000 * theirs.cpu / rows:.2f})")


if __name__ == "__main__":
    main()
