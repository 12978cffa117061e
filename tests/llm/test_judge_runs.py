"""`judge` as a whole run: which response comes first, faults, kills; what the endpoint was shown against what is on disk."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from running import command, environment, lines, make_rows, start, write

from endpoint import Answered, FakeEndpoint, Recorded, first_place_answer, judge_answer, seen_responses
from faults import hang, null_content, rate_limited, reset_mid_body, server_error, too_long, truncated

FINAL = ("judgments.jsonl", "pairs.jsonl", "failures.jsonl", "summary.json")


def judge_args(rows: Path, out: Path, *more: str) -> list[str]:
    """`judge` by model m."""
    return ["judge", str(rows), "--model", "m", "--out", str(out), *more]


def game_of(body: dict[str, Any]) -> tuple[str, str]:
    """Which row a judge was asked about, in which order."""
    a, b = seen_responses(body)
    assert a.split()[1] == b.split()[1]
    return f"r{a.split()[1]}", "AB" if a.startswith("One") else "BA"


def games_asked(requests: Iterable[Recorded]) -> Counter[tuple[str, str]]:
    """How often each game was asked about."""
    return Counter(game_of(request.body) for request in requests)


def test_the_order_depends_on_seed_and_id_only(tmp_path: Path) -> None:
    """PD1: a fresh cache, another concurrency, rows shuffled, only the last ten."""
    rows = make_rows(40)
    shuffled = rows[:]
    random.Random(1).shuffle(shuffled)
    shown: dict[str, dict[str, str]] = {}
    with FakeEndpoint(judge_answer) as server:
        variants = {
            "first": (rows, ["--concurrency", "1"]),
            "again": (rows, ["--concurrency", "16"]),
            "shuffled": (shuffled, []),
            "last ten": (rows[-10:], []),
            "seed 8": (rows, []),
        }
        for name, (of, more) in variants.items():
            before = server.count
            seed = "8" if name == "seed 8" else "7"
            path = write(tmp_path / f"{name}.jsonl", of)
            args = judge_args(path, tmp_path / name, "--orders", "random", "--seed", seed, *more)
            assert command(args, environment(server, tmp_path / f"{name} cache")).code == 0
            asked = games_asked(server.requests[before:])
            assert set(asked.values()) == {1}
            shown[name] = dict(asked)  # type: ignore[arg-type]
            records = {(row["id"], row["order"]) for row in lines(tmp_path / name / "judgments.jsonl")}
            assert records == set(asked), "the order is in each record"
            assert {row["seed"] for row in lines(tmp_path / name / "judgments.jsonl")} == {int(seed)}
    assert set(shown["first"]) == set(shown["again"]) == set(shown["shuffled"])
    assert set(shown["last ten"]) <= set(shown["first"])
    assert set(shown["seed 8"]) != set(shown["first"])
    orders = Counter(order for _, order in shown["first"])
    assert min(orders.values()) >= 10


def test_a_judge_that_picks_the_first_place(tmp_path: Path) -> None:
    """PD2: no consistent win, first place in every game; none of it is a tie."""
    rows = write(tmp_path / "rows.jsonl", make_rows(20))
    with FakeEndpoint(first_place_answer) as server:
        done = command(judge_args(rows, tmp_path / "out", "--json"), environment(server, tmp_path / "cache"))
    assert done.code == 0
    said = json.loads(done.out)
    assert said["first_position_rate"] == 1.0
    assert said["verdicts"]["A=B"] == 0
    assert said["counts"]["judge tie"] == 0
    assert said["counts"]["inconsistent"] == 20
    assert said["flip_rate"] == 1.0
    assert said["consistent_wins"] == said["consistent_ties"] == 0.0


def test_faults_of_a_judge_end_in_one_category_each(tmp_path: Path) -> None:
    failing = {
        "r3": (server_error, "server error"),
        "r7": (reset_mid_body, "connection"),
        "r11": (too_long, "too long for judge"),
        "r15": (lambda: null_content("Let me think."), "empty content, finish_reason=length"),
        "r19": (lambda: truncated("1. Response A is"), "truncated"),
        "r23": (hang, "timeout"),
    }
    asked: Counter[Any] = Counter()

    def answer(body: dict[str, Any], n: int) -> Answered | str:
        row, order = game_of(body)
        asked[row, order] += 1
        if row in failing and order == "AB":
            return failing[row][0]()
        if row == "r27":
            return "1. Both are fine, each in its own way."
        if n % 9 == 0 and asked[row, order] == 1:
            return rate_limited(0.1)
        return judge_answer(body)

    rows = write(tmp_path / "rows.jsonl", make_rows(60))
    with FakeEndpoint(answer, latency=0.005) as server:
        more = ("--max-retries", "1", "--timeout", "1", "--concurrency", "16")
        done = command(judge_args(rows, tmp_path / "out", *more), environment(server, tmp_path / "cache"))
        assert done.code in (0, 1), done.err
    records = lines(tmp_path / "out/judgments.jsonl")
    failures = {(row["id"], row["order"]): row["category"] for row in lines(tmp_path / "out/failures.jsonl")}
    assert failures == {(row, "AB"): category for row, (_, category) in failing.items()}
    given = {(row["id"], row["order"]) for row in records if row["status"] in ("given", "none")}
    assert given | set(failures) == {(f"r{k}", order) for k in range(60) for order in ("AB", "BA")}
    assert not given & set(failures)
    assert {row["status"] for row in records if row["id"] == "r27"} == {"none"}
    assert asked["r27", "AB"] == asked["r27", "BA"] == 1, "a complete answer without a verdict is not asked for until one comes"
    for request in server.paid:
        assert request.answered is not None
        row, order = game_of(request.body)
        if (row, order) in given:
            assert [r["text"] for r in records if (r["id"], r["order"]) == (row, order)] == [request.answered.content]


@pytest.mark.parametrize("cached", [True, False])
def test_a_judge_is_killed_and_goes_on(tmp_path: Path, cached: bool) -> None:
    rng = random.Random(11)
    rows = write(tmp_path / "rows.jsonl", make_rows(100))
    more = ("--concurrency", "8", *(() if cached else ("--no-cache",)))
    with FakeEndpoint(judge_answer) as server:
        whole = command(judge_args(rows, tmp_path / "whole", *more), environment(server, tmp_path / "other cache"))
        assert whole.code == 0
        assert server.count == 200
    with FakeEndpoint(judge_answer, latency=lambda n: 0.003 * (n % 5), port=server.port) as server:
        env = environment(server, tmp_path / "cache")
        for _ in range(4):
            count = server.count + rng.randrange(5, 50)
            process = start(judge_args(rows, tmp_path / "out", *more), env)
            server.wait_for(lambda s, count=count, process=process: s.count >= count or process.poll() is not None)  # type: ignore[misc]
            process.kill()
            process.communicate()
        assert command(judge_args(rows, tmp_path / "out", *more), env).code == 0
        assert server.count <= 200 + 4 * 8
    for name in FINAL:
        out, undisturbed = ((tmp_path / folder / name).read_text("utf-8") for folder in ("out", "whole"))
        assert out == undisturbed, name
