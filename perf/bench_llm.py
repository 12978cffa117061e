"""A full JudgeBench run with an LLM judge: 620 pairs x 2 games, 64 in flight, against a chat endpoint on loopback.

Latency is lognormal, median 200 ms, sigma 0.5; the limit is games x mean latency / in flight. All counts but the start of the
process: reading, prompts, HTTP, parsing, disk, scores with their intervals. The pairs are the real ones where the folder of
public data is there, else texts of their length. The endpoint is a process of its own, on another core where there is one.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from loopback import MEAN, command_script, endpoint, env_of, measured, peer_script
from measure import machine, write_rows

GAMES, AT_ONCE = 1240, 64
SOURCES = {"mmlu-pro-law": 305, "livebench-reasoning": 149, "livebench-math": 90, "livecodebench": 76}

OURS = command_script("""
import aiohttp, numpy.random, orjson, rich
import rationalerm.cli, rationalerm.commands.bench_run, rationalerm.report.bench
import rationalerm.run.bench_data, rationalerm.run.bench_file, rationalerm.run.benching
""")

# Nothing is read, scored, kept or written; its prompts are as long as ours.
PEER = peer_script("""
BLOCK = "\\n===== BEGIN RESPONSE {0} x =====\\n{1}\\n===== END RESPONSE {0} x =====\\n"
def items(rows):
    texts = [(row["question"], row["response_A"], row["response_B"]) for row in rows]
    return [game for q, a, b in texts for game in ((q, a, b), (q, b, a))]
def messages(game):
    question, a, b = game
    prompt = "x" * 3000 + question + BLOCK.format("A", a) + BLOCK.format("B", b)
    return [{"role": "user", "content": prompt}]
""")


def pairs(seed: int = 0) -> Iterator[dict[str, object]]:
    """620 pairs of about JudgeBench's lengths."""
    rng = random.Random(seed)
    words = [f"w{k}" for k in range(2000)]
    for source, count in SOURCES.items():
        for k in range(count):
            texts = [" ".join(rng.choices(words, k=rng.randint(150, 450))) for _ in range(3)]
            row = {"pair_id": f"{source}-{k}", "original_id": k, "source": source, "question": texts[0], "response_model": "m"}
            yield row | {"response_A": texts[1], "response_B": texts[2], "label": rng.choice(("A>B", "B>A"))}


def real_pairs(shared: Path) -> list[dict[str, object]]:
    """The two splits."""
    files = [shared / "data/judgebench" / name for name in ("pairs_gpt.jsonl", "pairs_claude.jsonl")]
    return [json.loads(line) for file in files for line in file.open(encoding="utf-8")]


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", type=Path, default=Path(__file__).parents[2] / "shared", help="the folder of public data")
    args = parser.parse_args()
    real = (args.shared / "data/judgebench").is_dir()
    print(f"bench judgebench --judge llm, {AT_ONCE} in flight, {'real' if real else 'made'} pairs; {machine()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = write_rows(folder / "pairs.jsonl", iter(real_pairs(args.shared)) if real else pairs())
        with endpoint(0.2, "judge") as url:
            theirs = measured(PEER, [url, rows, str(AT_ONCE)])
        with endpoint(0.2, "judge") as url:  # a new one: so both meet the same latencies
            env = env_of(url, folder / "cache")
            command = ["bench", "judgebench", "--judge", "llm", "--model", "m", "--data", rows, "--out", folder / "out"]
            words = [*command, "--concurrency", str(AT_ONCE), "--json"]
            used = measured(OURS, [*words, "--no-report"], env)
            again, paged = (measured(OURS, [*words, *more], env) for more in (["--no-report"], []))
        played = sum(1 for _ in (folder / "out/rows.jsonl").open("rb"))
    assert played == GAMES, f"{played} games were played"
    limit = GAMES * MEAN / AT_ONCE
    print(f"  {GAMES} games: {used.seconds:.2f} s, {used.seconds / limit:.2f} of the latency limit's {limit:.2f} s")
    print(f"  a bare loop over the same HTTP library: {theirs.seconds:.2f} s, {theirs.seconds / limit:.2f} of the limit")
    print(f"  CPU {1000 * used.cpu / GAMES:.2f} ms a game; peak {used.peak_mb:.0f} MB")
    print(f"  the finished run again, nothing asked: {again.seconds:.2f} s, with its page {paged.seconds:.2f} s")


if __name__ == "__main__":
    main()
