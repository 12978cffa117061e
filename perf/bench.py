"""`bench` from files, on one core: JudgeBench from nine judges' outputs, and Arena-Hard with style control and 100 bootstraps.

JudgeBench's files are public data that is not in this repository: $RATIONALERM_SHARED, or a `shared/` folder beside the checkout.
Arena-Hard's are made here: 10 models, 750 questions, 2 games, labels of which some count three times, and answers with metadata.
All whole processes, with reading and start. The peer of the regression: the same 100 fits, one after the other, each on its
resampled rows written out, by plain Newton on the whole matrix.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from measure import BIN, machine, timed, write_rows
from public_data import shared

LABELS = ("A>>B", "A>B", "A=B", "B>A", "B>>A")
QUESTIONS, MODELS = 750, 10

PEER = """
import sys
import numpy as np
from rationalerm.bench.arena_hard import ArenaHard, Row, scores_of
from rationalerm.data.arena_hard import read_arena_judgments
from rationalerm.run.bench_data import BenchData, arena_data, arena_from_judgments
from rationalerm.run.bench_outputs import arena_outputs
data = BenchData((sys.argv[1],), answers=(sys.argv[2],))
rows = list(read_arena_judgments([sys.argv[3]]))
protocol = ArenaHard(arena_from_judgments(rows, arena_data(data, from_hub=False), data.choice))
games = arena_outputs(rows, {contest.id: contest for contest in protocol.contests()}).games
made = [Row(bout, found) for bout in protocol.bouts if (found := scores_of(bout, games)) is not None]
names = sorted({row.bout.model for row in made})
x = np.array([[*(row.bout.model == name for name in names), *row.bout.style] for row in made for _ in row.scores], dtype=float)
y = np.array([score for row in made for score in row.scores])
x[:, len(names):] = (x[:, len(names):] - x[:, len(names):].mean(0)) / x[:, len(names):].std(0, ddof=1)
rng = np.random.default_rng(0)
for _ in range(100):
    drawn = rng.integers(len(x), size=len(x))
    a, b, beta = x[drawn], y[drawn], np.zeros(x.shape[1])
    for _ in range(12):
        p = 1 / (1 + np.exp(-a @ beta))
        beta += np.linalg.solve((a * (p * (1 - p))[:, None]).T @ a, a.T @ (b - p))
"""


def judgebench() -> None:
    """Nine files of outputs: one command a split, and with every text read anew."""
    found = shared()
    if found is None:
        print("judgebench: no shared/ folder of public data; set RATIONALERM_SHARED")
        return
    folder = found / "data" / "judgebench"
    splits = {name: judged["split"] for name, judged in json.loads((folder / "expected_scores.json").read_text("utf-8")).items()}
    size = sum(path.stat().st_size for path in folder.glob("*.jsonl")) / 1e6
    print(f"bench judgebench: {len(splits)} judges' outputs and both splits' pairs, {size:.1f} MB; {machine()}, one core")
    for what, more in (("by decision", ()), ("--reparse --reasons", ("--reparse", "--reasons"))):
        seconds = 0.0
        for split in ("gpt", "claude"):
            outputs = [w for name, of in splits.items() if of == split for w in ("--outputs", folder / f"outputs_{name}.jsonl")]
            command = [BIN, "bench", "judgebench", "--judge", "file", "--data", folder / f"pairs_{split}.jsonl", *outputs]
            seconds += timed([*command, "--json", *more]).seconds
        print(f"  {what:20} {seconds:.2f} s in all" + (" (to reach: 2 s)" if not more else ""))


def judgments(model: str, strength: float, seed: int) -> Iterator[dict[str, object]]:
    """A model's games on all questions."""
    rng = random.Random(seed)
    better, worse = (1, 2 + strength, 1, 2, 1), (1, 2, 1, 2 + strength, 1)
    for k in range(QUESTIONS):
        games = [{"score": rng.choices(LABELS, worse)[0]}, {"score": rng.choices(LABELS, better)[0]}]
        yield {"uid": f"q{k}", "category": "hard_prompt", "model": model, "judge": "j", "games": games}


def answers(model: str, seed: int) -> Iterator[dict[str, object]]:
    """Its answers."""
    rng = random.Random(seed)
    for k in range(QUESTIONS):
        counts = {
            "header_count": {"h1": rng.randrange(4)},
            "list_count": {"ordered": rng.randrange(9)},
            "bold_count": {"**": rng.randrange(7)},
        }
        messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": {"answer": "word " * 300}}]
        yield {"uid": f"q{k}", "model": model, "messages": messages, "metadata": {"token_len": rng.randint(50, 900)} | counts}


def arena_hard() -> None:
    """Ten models' win rates, plain and with style controlled: all together, and each alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "answers").mkdir()
        (folder / "judgments").mkdir()
        rows = ({"uid": f"q{k}", "category": "hard_prompt", "prompt": "q"} for k in range(QUESTIONS))
        questions = write_rows(folder / "questions.jsonl", rows)
        write_rows(folder / "answers" / "base.jsonl", answers("o3-mini-2025-01-31", 99))
        for m in range(MODELS):
            write_rows(folder / "answers" / f"m{m}.jsonl", answers(f"m{m}", m))
            write_rows(folder / "judgments" / f"m{m}.jsonl", judgments(f"m{m}", m / 3 - 1, 100 + m))
        words = ["--data", questions, "--answers", folder / "answers", "--outputs", folder / "judgments", "--json"]
        ours = timed([BIN, "bench", "arena-hard", "--judge", "file", *words])
        found = json.loads(ours.out)
        battles = sum(model["battles"] for model in found["models"].values())
        assert all(model["style_controlled"]["score"] for model in found["models"].values())
        print(
            f"bench arena-hard: {MODELS} models, {QUESTIONS} questions, {battles} battles, 100 bootstraps; {machine()}, one core"
        )
        fits = f"{MODELS} models together, and each alone"
        print(f"  win rates, style control ({fits}) {ours.seconds:.2f} s, peak {ours.peak_mb:.0f} MB (to reach: 10 s)")
        peer = timed([sys.executable, "-c", PEER, questions, folder / "answers", folder / "judgments"], runs=1)
        ratio = ours.seconds / peer.seconds
        print(f"  peer: together only, resampled rows one fit at a time {peer.seconds:.2f} s (ours: {ratio:.2f} of its time)")


if __name__ == "__main__":
    judgebench()
    arena_hard()
