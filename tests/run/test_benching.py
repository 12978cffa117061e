"""Benchmarks over endpoints as whole runs: both kinds of judge, a small protocol of this file's own, kills and resumes."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from answers import Answered
from endpoint import FakeEndpoint, judge_answer, seen_responses
from faults import server_error
from hub import wait_until
from rationalerm.bench.base import BenchResult, Candidate, Contest, Games, Scores, drawn
from rationalerm.data.arena_hard import markdown_counts
from rationalerm.errors import DataError, ResumeError, StoppedError, UsageError
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.limits import Limits
from rationalerm.llm.scoring import ScoringSettings
from rationalerm.llm.settings import ChatSettings
from rationalerm.run.bench_answers import Prompt, answer_prompts, forecast_answers
from rationalerm.run.bench_scalar import bench_local, bench_scalar, forecast_scalar
from rationalerm.run.benching import Benched, BenchRun, bench_llm, forecast_llm
from rationalerm.score.means import Mean
from rationalerm.types import Message, Order, Pair
from scalar_endpoint import FakeScorer, number

KEY = "sk-TEST-111-not-real"
FINAL = ("contests.jsonl", "rows.jsonl", "summary.json", "judge/judgments.jsonl", "judge/pairs.jsonl", "judge/failures.jsonl")


@dataclass(frozen=True)
class Small:
    """A benchmark of `n` questions; the right one is the response with the larger word. `orders` as `drawn` has it."""

    n: int = 12
    orders: str = "both"
    seed: int = 0
    name: str = "small"

    def pair(self, k: int) -> Pair:
        """The k-th."""
        texts = f"One {k} says {k % 5}.", f"Two {k} says {k % 7}."
        label = -1 if k % 2 else 1
        return Pair(f"c{k}", (Message("user", f"Task {k // 2}"),), *texts, label=label, domain="odd" if k % 2 else "even")  # type: ignore[arg-type]

    def contests(self) -> Iterator[Contest]:
        """What a judge compares."""
        for k in range(self.n):
            yield Contest(f"c{k}", self.pair(k), drawn(self.orders, self.seed, f"c{k}"))

    def candidates(self) -> Iterator[Candidate]:
        """What a scalar judge scores."""
        for k in range(self.n):
            pair = self.pair(k)
            yield Candidate(f"c{k}:a", pair.messages, pair.response_a)
            yield Candidate(f"c{k}:b", pair.messages, pair.response_b)

    def result(self, games: Games, scores: Scores) -> BenchResult:
        """How many are right, over games or over scores."""
        counts = Counter(played.status for played in games.values()) + Counter(v is None for v in scores.values())
        rows: list[float] = []
        for contest in self.contests():
            sides = [g.verdict.side * (1 if o == "AB" else -1) for (i, o), g in games.items() if i == contest.id and g.verdict]
            a, b = scores.get(f"{contest.id}:a"), scores.get(f"{contest.id}:b")
            if a is not None and b is not None:
                sides.append((a < b) - (a > b))
            rows.append(float(sum(sides) * (contest.pair.label or 0) > 0))
        value = sum(rows) / len(rows)
        return BenchResult(self.name, Mean(value, None, len(rows)), counts={str(k): v for k, v in counts.items()})


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache of this test's own."""
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("rationalerm.llm.sender._BACKOFF_S", 0.01)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def chat(server: FakeEndpoint, **more: Any) -> ChatSettings:
    """Of a judge."""
    options: dict[str, Any] = {"limits": Limits(8, max_retries=0)} | more
    return ChatSettings(Endpoint(server.url, "m", KEY), **options)


def scalar(server: FakeScorer, **more: Any) -> ScoringSettings:
    """Of a reward model."""
    options: dict[str, Any] = {"limits": Limits(8, max_retries=0), "batch": 4} | more
    return ScoringSettings(Endpoint(server.url, "rm", KEY), **options)


def files(folder: Path, names: tuple[str, ...] = FINAL) -> dict[str, str]:
    """The final files."""
    return {name: (folder / name).read_text("utf-8") for name in names}


def lines(path: Path) -> list[dict[str, Any]]:
    """Rows of a file, each of which must parse, without NaN."""
    return [json.loads(line, parse_constant=lambda text: 1 / 0) for line in path.read_text("utf-8").splitlines()]


def game_of(body: dict[str, Any]) -> tuple[str, Order]:
    """Which game a judge was asked about."""
    a, _ = seen_responses(body)
    return f"c{a.split()[1]}", "AB" if a.startswith("One") else "BA"


def test_games_come_back_in_their_own_letters(tmp_path: Path) -> None:
    """Both orders; a judge whose verdict is of the texts gives swapped letters in the swapped game."""
    with FakeEndpoint(judge_answer) as server:
        made = bench_llm(Small(), chat(server), BenchRun(tmp_path / "out"))
        asked = Counter(game_of(request.body) for request in server.requests)
    assert asked == dict.fromkeys(made.games, 1)
    assert set(made.games) == {(f"c{k}", order) for k in range(12) for order in ("AB", "BA")}
    for k in range(12):
        first, second = made.games[f"c{k}", "AB"], made.games[f"c{k}", "BA"]
        assert first.status == second.status == "given"
        assert first.verdict is not None
        assert first.verdict.swapped == second.verdict
        assert len(first.reasons) == 3
    rows = lines(tmp_path / "out/rows.jsonl")
    assert [(row["id"], row["order"]) for row in rows] == list(made.games)
    assert {row["label"] for row in rows} == {-1, 1}
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    assert summary["overall"]["score"] == made.result.overall.value
    assert (summary["judge"], summary["judge_kind"], summary["calls"], summary["failed_calls"]) == ("m", "llm", 24, 0)
    assert made.usage["calls"] == 24
    assert KEY not in "".join(files(tmp_path / "out").values())


def test_the_order_drawn_is_the_order_played(tmp_path: Path) -> None:
    """PD1: one game a contest, by seed and id alone; order and seed are in each record."""
    shown = {}
    with FakeEndpoint(judge_answer) as server:
        for name, protocol in {
            "all": Small(30, "random", 7),
            "few": Small(10, "random", 7),
            "seed 8": Small(30, "random", 8),
        }.items():
            run = BenchRun(tmp_path / name, {"seed": protocol.seed}, orders="random", seed=protocol.seed)
            before = server.count
            made = bench_llm(protocol, chat(server, cache=False), run)
            assert server.count - before == protocol.n
            shown[name] = dict(made.games)
            records = lines(tmp_path / name / "judge/judgments.jsonl")
            assert {(row["id"], row["order"]) for row in records} == set(made.games)
            assert {row["seed"] for row in records} == {protocol.seed}
    assert set(shown["few"]) <= set(shown["all"])
    assert set(shown["seed 8"]) != set(shown["all"])
    assert all(order in drawn("random", 7, key) for key, order in shown["all"])


def test_each_missing_verdict_is_of_its_kind(tmp_path: Path) -> None:
    """A failure, a refusal and an answer without a verdict are told apart, and none of them is a tie."""

    def answer(body: dict[str, Any], n: int) -> Answered | str:
        key, order = game_of(body)
        if key == "c1" and order == "AB":
            return server_error()
        if key == "c2":
            return "I'm sorry, but I can't help with judging these responses."
        return "1. Both have merit, each in its way." if key == "c3" else judge_answer(body)

    with FakeEndpoint(answer) as server:
        made = bench_llm(Small(6), chat(server), BenchRun(tmp_path / "out"))
        assert made.failures == {"server error": 1}
        assert made.games["c1", "AB"].status == "failed"
        assert made.games["c1", "AB"].notes[0].startswith("error: server error: ")
        assert made.games["c2", "AB"].status == "refused"
        assert made.games["c3", "BA"].status == "none"
        assert [made.games[f"c{k}", "AB"].verdict for k in (1, 2, 3)] == [None] * 3
        count = server.count
        server.answer = judge_answer
        again = bench_llm(Small(6), chat(server), BenchRun(tmp_path / "out"))
        assert server.count == count + 1, "only what failed is asked for again"
        assert again.failures == {}
        assert again.games["c1", "AB"].status == "given"


def test_votes(tmp_path: Path) -> None:
    def answer(body: dict[str, Any], n: int) -> str:
        return "1. A is right.\n\n\\boxed{A>B}" if n % 3 else "1. B is right.\n\n\\boxed{B>A}"

    with FakeEndpoint(answer) as server:
        settings = chat(server, limits=Limits(1))
        made = bench_llm(Small(3), settings, BenchRun(tmp_path / "out", votes=3))
        assert server.count == 18
    assert {played.verdict.label for played in made.games.values() if played.verdict} == {"A>B"}
    assert made.games["c0", "AB"].notes[-1] == "votes: A 2, tie 0, B 1"


def test_a_smaller_run_grows_and_another_benchmark_is_refused(tmp_path: Path) -> None:
    with FakeEndpoint(judge_answer) as server:
        bench_llm(Small(4), chat(server), BenchRun(tmp_path / "out", {"split": "gpt"}))
        (tmp_path / "out").rename(tmp_path / "moved")
        bench_llm(Small(9), chat(server, cache=False), BenchRun(tmp_path / "moved", {"split": "gpt"}))
        assert server.count == 18, "what a smaller run played is not played again, wherever its folder is now"
        fewer = bench_llm(Small(4), chat(server), BenchRun(tmp_path / "moved", {"split": "gpt"}))
        assert len(fewer.games) == 8
        assert server.count == 18
        for protocol, identity in ((Small(9, name="other"), {"split": "gpt"}), (Small(9), {"split": "claude"})):
            with pytest.raises(ResumeError, match="--out"):
                bench_llm(protocol, chat(server), BenchRun(tmp_path / "moved", identity))
        assert server.count == 18


def test_bad_data_costs_no_call(tmp_path: Path) -> None:
    class Twice(Small):
        def contests(self) -> Iterator[Contest]:
            yield from [next(super().contests())] * 2

        def candidates(self) -> Iterator[Candidate]:
            yield from [next(super().candidates())] * 2

    with FakeEndpoint(judge_answer) as server, FakeScorer("tei") as scorer:
        with pytest.raises(DataError, match="'c0' is there twice"):
            bench_llm(Twice(), chat(server), BenchRun(tmp_path / "out"))
        with pytest.raises(DataError, match="'c0:a' is there twice"):
            bench_scalar(Twice(), scalar(scorer, route="/rerank", dialect="tei-rerank"), BenchRun(tmp_path / "scalar"))
        with pytest.raises(DataError, match="no comparison"):
            bench_llm(Small(0), chat(server), BenchRun(tmp_path / "none"))
        with pytest.raises(DataError, match="no response"):
            bench_scalar(Small(0), scalar(scorer), BenchRun(tmp_path / "none"))
        with pytest.raises(UsageError, match="--out"):
            bench_llm(Small(), chat(server), BenchRun(""))
        assert server.count == 0


def test_the_forecast_is_what_is_asked(tmp_path: Path) -> None:
    with FakeEndpoint(judge_answer) as server:
        run = BenchRun(tmp_path / "out")
        assert forecast_llm(Small(5), chat(server), run)[:2] == (5, 10)
        assert not (tmp_path / "out").exists()
        assert server.count == 0
        bench_llm(Small(3), chat(server), run)
        assert forecast_llm(Small(5), chat(server), run)[:2] == (5, 4)
        before = server.count
        bench_llm(Small(5), chat(server), run)
        assert server.count - before == 4
    with FakeScorer("vllm-score") as scorer:
        run = BenchRun(tmp_path / "scalar")
        assert forecast_scalar(Small(5), scalar(scorer), run)[:2] == (10, 10)
        bench_scalar(Small(3), scalar(scorer), run)
        assert forecast_scalar(Small(5), scalar(scorer), run)[:2] == (10, 4)


CHILD = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/run"]
import test_benching as t
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.limits import Limits
kind, url, out, n = sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])
if kind == "llm":
    t.bench_llm(t.Small(n), t.ChatSettings(Endpoint(url, "m", t.KEY), Limits(8), cache=False), t.BenchRun(out))
elif kind == "scalar":
    t.bench_scalar(t.Small(n), t.ScoringSettings(Endpoint(url, "rm", t.KEY), Limits(8), cache=False, batch=4), t.BenchRun(out))
else:
    t.answer_prompts(t.questions(n), t.ChatSettings(Endpoint(url, "m", t.KEY), Limits(8), cache=False), out)
"""


def child(kind: str, url: str, out: Path, n: int) -> subprocess.Popen[bytes]:
    """A run as a process of its own."""
    tests = Path(__file__).parent.parent
    command = [sys.executable, "-c", CHILD, str(tests), kind, url, str(out), str(n)]
    return subprocess.Popen(command, env=dict(os.environ), stderr=subprocess.PIPE)


def killed_until_done(kind: str, url: str, out: Path, n: int, count: Any, kills: int = 4) -> None:
    """Kills -9 at random moments, then lets it end."""
    rng = random.Random(3)
    for _ in range(kills):
        process = child(kind, url, out, n)
        goal = count() + rng.randrange(1, 20)
        wait_until(lambda goal=goal, process=process: count() >= goal or process.poll() is not None, 30)  # type: ignore[misc]
        time.sleep(rng.uniform(0, 0.02))
        process.kill()
        process.communicate()
    process = child(kind, url, out, n)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said.decode()[-2000:]


def test_killed_and_resumed_llm(tmp_path: Path) -> None:
    """The final files are those of a run that nobody disturbed; nothing is asked twice but what was in flight."""
    with FakeEndpoint(judge_answer, latency=0.01) as server:
        bench_llm(Small(60), chat(server, cache=False), BenchRun(tmp_path / "whole"))
        before = server.count
        killed_until_done("llm", server.url, tmp_path / "out", 60, lambda: server.count)
        assert server.count - before <= 120 + 4 * 8
    assert files(tmp_path / "out") == files(tmp_path / "whole")


def test_killed_and_resumed_scalar(tmp_path: Path) -> None:
    with FakeScorer("vllm-rerank", latency=0.01) as server:
        bench_scalar(Small(60), scalar(server, cache=False), BenchRun(tmp_path / "whole"))
        before = len(server.scored)
        killed_until_done("scalar", server.url, tmp_path / "out", 60, lambda: len(server.requests))
        probes = 5
        assert len(server.scored) - before <= 120 + 4 * 8 * 4 + probes
    names = ("scores.jsonl", "rows.jsonl", "summary.json", "failures.jsonl")
    assert files(tmp_path / "out", names) == files(tmp_path / "whole", names)


def test_an_endpoint_that_ends_a_run_keeps_what_is_finished(tmp_path: Path) -> None:
    def answer(body: dict[str, Any], n: int) -> Answered | str:
        return judge_answer(body) if n <= 10 else Answered(status=401, raw="no")

    with FakeEndpoint(answer) as server:
        with pytest.raises(StoppedError, match="kept"):
            bench_llm(Small(12), chat(server, limits=Limits(2)), BenchRun(tmp_path / "out"))
        assert len(lines(tmp_path / "out/judge/judgments.jsonl")) == 10
        server.answer = judge_answer
        count = server.count
        made = bench_llm(Small(12), chat(server, cache=False), BenchRun(tmp_path / "out"))
        assert server.count - count == 14
        assert made.failed == 0


@pytest.mark.parametrize("server", ["vllm-classify", "vllm-score", "vllm-rerank", "tei"])
def test_a_scalar_judge(server: str, tmp_path: Path) -> None:
    with FakeScorer(server) as scorer:
        made = bench_scalar(Small(), scalar(scorer), BenchRun(tmp_path / "out"))
        assert all(len({query for query, _ in scorer._pairs(body)}) == 1 for _, body, _ in scorer.requests if "query" in body)
        count = len(scorer.requests)
        bench_scalar(Small(), scalar(scorer, route="/x", dialect=str(made.usage["dialect"])), BenchRun(tmp_path / "out"))
        assert len(scorer.requests) == count, "a finished run asks nothing"
    wanted = {one.id: number(one.messages[0].content, one.response) for one in Small().candidates()}
    assert made.scores == wanted
    right = [(wanted[f"c{k}:a"] < wanted[f"c{k}:b"]) == (k % 2 == 0) for k in range(12)]
    assert made.result.overall.value == sum(right) / 12
    assert lines(tmp_path / "out/rows.jsonl") == [{"id": key, "score": value} for key, value in wanted.items()]
    assert (made.calls, made.failed, made.kind) == (24, 0, "scalar")


def test_a_response_without_a_number_is_counted_and_done_again(tmp_path: Path) -> None:
    broken = [True]

    def wrong(route: str, body: dict[str, Any], n: int) -> web.Response | None:
        if broken[0] and any("One 3 " in text for text in body["text_2"]):
            return web.json_response({"error": {"message": "maximum context length is 512 tokens"}}, status=400)
        return None

    with FakeScorer("vllm-score", wrong=wrong) as scorer:
        made = bench_scalar(Small(), scalar(scorer), BenchRun(tmp_path / "out"))
        assert made.failures == {"too long for judge": 1}
        assert made.scores["c3:a"] is None
        assert made.result.counts == {"False": 23, "True": 1}
        row = next(row for row in lines(tmp_path / "out/rows.jsonl") if row["id"] == "c3:a")
        assert row["score"] is None
        broken[0] = False
        before = len(scorer.scored)
        again = bench_scalar(Small(), scalar(scorer), BenchRun(tmp_path / "out"))
        assert [response for _, response in scorer.scored[before:]][-1] == "One 3 says 3."
        assert len(scorer.scored) - before == 2, "the server's dialect, and the one response"
    assert again.failed == 0
    assert lines(tmp_path / "out/failures.jsonl") == []
    assert again.scores["c3:a"] is not None


def test_another_reward_model_is_refused_in_the_same_folder(tmp_path: Path) -> None:
    with FakeScorer("tei") as tei, FakeScorer("vllm-score") as vllm:
        bench_scalar(Small(), scalar(tei), BenchRun(tmp_path / "out"))
        with pytest.raises(ResumeError, match="dialect"):
            bench_scalar(Small(), replace(scalar(vllm), dialect="vllm-score"), BenchRun(tmp_path / "out"))
        kept = tmp_path / "out" / "scores.jsonl"
        kept.write_text("".join(kept.read_text("utf-8").splitlines(keepends=True)[:-1]), "utf-8")  # so the server is asked
        with pytest.raises(ResumeError, match="dialect"):
            bench_scalar(Small(), scalar(vllm), BenchRun(tmp_path / "out"))


def test_a_finished_run_asks_nobody_for_its_table(tmp_path: Path) -> None:
    """Not even which route there is: the server may be gone. One with a score missing does."""
    with FakeScorer("vllm-score") as server:
        made = bench_scalar(Small(), scalar(server), BenchRun(tmp_path / "out"))
        asked = len(server.requests)
        again = bench_scalar(Small(), scalar(server), BenchRun(tmp_path / "out"))
        assert len(server.requests) == asked
    gone = bench_scalar(Small(), scalar(server), BenchRun(tmp_path / "out"))
    assert gone.scores == again.scores == made.scores
    with pytest.raises(ResumeError, match="dialect"):
        bench_scalar(Small(), replace(scalar(server), dialect="tei-rerank"), BenchRun(tmp_path / "out"))
    kept = tmp_path / "out" / "scores.jsonl"
    kept.write_text("".join(kept.read_text("utf-8").splitlines(keepends=True)[:-1]), "utf-8")
    with pytest.raises(StoppedError, match="connection"):
        bench_scalar(Small(), scalar(server), BenchRun(tmp_path / "out"))


def test_a_model_in_this_process(tmp_path: Path) -> None:
    """Any function of responses; what is no finite number is a failure."""

    def score(wanted: Any) -> list[float | None]:
        return [float("nan") if "One 3 " in one.response else number(one.messages[0].content, one.response) for one in wanted]

    run = BenchRun(tmp_path / "out")
    made = bench_local(Small(), score, run, model="mine", identity={"path": "mine"}, batch=5)
    assert made.failures == {"no number": 1}
    assert made.judge == "mine"
    assert made.scores["c0:a"] == number("Task 0", "One 0 says 0.")
    calls: list[int] = []

    def fixed(wanted: Any) -> list[float | None]:
        calls.append(len(wanted))
        return [1.0] * len(wanted)

    again = bench_local(Small(), fixed, run, model="mine", identity={"path": "mine"})
    assert calls == [1]
    assert again.failed == 0


def test_a_sequence_classifier_of_hugging_face(tmp_path: Path) -> None:
    """A tiny Llama with one output: the numbers are its own, whatever the batch; a text beyond its reach is none."""
    torch = pytest.importorskip("torch", reason="the train extra is not installed")
    transformers = pytest.importorskip("transformers", reason="the train extra is not installed")
    from rationalerm.adapters.classifier import LocalClassifier, template_of
    from rationalerm.llm.scoring_dialects import Wanted

    folder = tiny_classifier(tmp_path / "rm")
    made = bench_local(Small(), LocalClassifier(str(folder), device="cpu"), BenchRun(tmp_path / "out"), model="rm", identity={})
    other = bench_local(Small(), LocalClassifier(str(folder)), BenchRun(tmp_path / "one"), model="rm", identity={}, batch=1)
    assert made.scores == other.scores
    assert len(set(made.scores.values())) > 10
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    text = template_of(str(folder))((Message("user", "Task 0"), Message("assistant", "Two 1 says 1.")))
    assert text == "user: Task 0\nassistant: Two 1 says 1.\n"
    with torch.inference_mode():
        expected = model(**tokenizer(text, return_tensors="pt", add_special_tokens=False, return_token_type_ids=False)).logits[
            0, 0
        ]
    assert made.scores["c1:b"] == float(expected)
    (long,) = LocalClassifier(str(folder))([Wanted((Message("user", "x"),), "word " * 300)])
    assert (long.value, long.failure) == (None, "too long for judge")
    with pytest.raises(UsageError, match="can't be loaded"):
        LocalClassifier(str(tmp_path / "nothing here"))
    two = tiny_classifier(tmp_path / "two", outputs=2)
    with pytest.raises(UsageError, match=r"2 outputs.*--class-index"):
        LocalClassifier(str(two))
    LocalClassifier(str(two), class_index=1)


def tiny_classifier(folder: Path, outputs: int = 1) -> Path:
    """A Llama of one layer that classifies, with a tokenizer of words and a chat template."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForSequenceClassification, PreTrainedTokenizerFast

    words = ["<pad>", "<unk>", "user", "assistant", ":", "Task", "One", "Two", "says", ".", "word", *map(str, range(20))]
    raw = Tokenizer(models.WordLevel({word: k for k, word in enumerate(words)}, unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    template = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, pad_token="<pad>", unk_token="<unk>", chat_template=template)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(words), hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=128, pad_token_id=0, num_labels=outputs, bos_token_id=None,
        eos_token_id=None,
    )  # fmt: skip
    LlamaForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def questions(n: int) -> list[Prompt]:
    """For a policy."""
    return [Prompt(f"u{k}", (Message("user", f"Write about {k}."),)) for k in range(n)]


def policy(body: dict[str, Any], n: int = 0) -> Answered | str:
    """Markdown, with thinking before it."""
    said = body["messages"][-1]["content"]
    return f"<think>What to say of {said}</think>\n# {said}\n\n- **one**\n- two\n1. three\n```\n# not a header\n```"


def test_a_policys_answers(tmp_path: Path) -> None:
    """In Arena-Hard's own shape, and read back by its reader; a failed question is counted and asked for again."""
    from rationalerm.data.arena_hard import read_arena_answers

    out = tmp_path / "model_answer" / "mine.jsonl"

    def answer(body: dict[str, Any], n: int) -> Answered | str:
        said = body["messages"][-1]["content"]
        if said.endswith(" 2."):
            return server_error()
        if said.endswith(" 3."):
            return Answered("cut off he", finish_reason="length")
        return policy(body)

    with FakeEndpoint(answer) as server:
        assert forecast_answers(questions(5), chat(server), out)[:2] == (5, 5)
        made = answer_prompts(questions(5), chat(server), out, name="mine")
        assert (made.written, made.failures, made.cut) == (4, {"server error": 1}, 1)
        server.answer = policy
        assert forecast_answers(questions(5), chat(server), out)[:2] == (5, 1)
        before = server.count
        made = answer_prompts(questions(5), chat(server), out, name="mine")
        assert server.count - before == 1
        assert (made.written, made.failed) == (5, 0)
    rows = lines(out)
    assert [row["uid"] for row in rows] == [f"u{k}" for k in range(5)]
    assert rows[0]["messages"][0] == {"role": "user", "content": "Write about 0."}
    assert rows[0]["messages"][1]["content"]["answer"].startswith("# Write about 0.")
    counts = {name: rows[0]["metadata"][name] for name in ("header_count", "list_count", "bold_count")}
    assert counts == {
        "header_count": {"h1": 1, "h2": 0, "h3": 0, "h4": 0, "h5": 0, "h6": 0},
        "list_count": {"ordered": 1, "unordered": 2},
        "bold_count": {"**": 1, "__": 0},
    }
    read = read_arena_answers([out])["mine"]["u0"]
    assert (read.style.headers, read.style.lists, read.style.bolds) == (1, 3, 1)


def test_a_policys_answers_killed_and_resumed(tmp_path: Path) -> None:
    with FakeEndpoint(policy, latency=0.01) as server:
        answer_prompts(questions(60), chat(server, cache=False), tmp_path / "whole.jsonl")
        before = server.count
        killed_until_done("answers", server.url, tmp_path / "out.jsonl", 60, lambda: server.count, kills=3)
        assert server.count - before <= 60 + 3 * 8

    def settled(path: Path) -> list[dict[str, Any]]:
        return [{name: row[name] for name in row if name != "tstamp"} for row in lines(path)]

    assert settled(tmp_path / "out.jsonl") == settled(tmp_path / "whole.jsonl")


def test_answers_overwrite_no_file_of_others(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n")
    with FakeEndpoint(policy) as server:
        with pytest.raises(UsageError, match="no run made it"):
            answer_prompts(questions(2), chat(server), tmp_path / "a.jsonl")
        with pytest.raises(DataError, match="'u0' is there twice"):
            answer_prompts([*questions(2), *questions(1)], chat(server), tmp_path / "b.jsonl")
        assert server.count == 0


def test_markdown_is_counted_as_arena_hard_counts_it(shared: Path) -> None:
    """On the real answers of two models, whose metadata its own script wrote."""
    rows = [row for path in sorted((shared / "data/arena_hard_v2").glob("model_answer_*.jsonl")) for row in lines(path)]
    assert len(rows) >= 72
    for row in rows:
        counted = markdown_counts(row["messages"][-1]["content"]["answer"])
        assert counted == {name: row["metadata"][name] for name in counted}, row["uid"]


def test_nothing_here_depends_on_how_often_it_was_stopped(tmp_path: Path) -> None:
    """A table that is printed again is the same: from the files alone, nothing asked."""
    with FakeEndpoint(judge_answer) as server:
        first: Benched = bench_llm(Small(), chat(server), BenchRun(tmp_path / "out"))
        second = bench_llm(Small(), chat(server), BenchRun(tmp_path / "out"))
        assert server.count == 24
    assert first.to_json() == second.to_json()
    assert first.games == second.games
