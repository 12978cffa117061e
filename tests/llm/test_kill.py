"""Runs that end before their end: kill -9 at random moments, Ctrl-C, a dead endpoint, a full disk, torn lines, two at once.

After each the same command goes on: the final files are those of a run that nobody disturbed, and the endpoint has seen nothing
twice but what was in flight.
"""

from __future__ import annotations

import json
import random
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running import BIN, by_id, command, environment, finish, lines, make_rows, match_args, row_of, rows_asked, start, write

from endpoint import FakeEndpoint, best_answer, matrix_answer, server_error

ROWS = 240
AT_ONCE = 8
FINAL = ("matches.jsonl", "judgments.jsonl", "rows.jsonl", "failures.jsonl", "summary.json")


def files(folder: Path) -> dict[str, str]:
    """The final files; but for the folder's own name they must be equal, byte for byte."""
    return {name: (folder / name).read_text("utf-8").replace(str(folder.parent), "") for name in FINAL}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a run that nobody disturbs leaves."""
    folder = tmp_path_factory.mktemp("undisturbed")
    rows = write(folder / "rows.jsonl", make_rows(ROWS))
    with FakeEndpoint(best_answer) as server:
        assert command(match_args(rows, folder / "out"), environment(server, folder / "cache")).code == 0
        assert server.count == ROWS
    return files(folder / "out")


@pytest.mark.parametrize("cached", [True, False])
def test_kill_at_20_random_moments(tmp_path: Path, undisturbed: dict[str, str], cached: bool) -> None:
    rng = random.Random(7 + cached)
    rows = write(tmp_path / "rows.jsonl", make_rows(ROWS))
    args = match_args(rows, tmp_path / "out", "--concurrency", str(AT_ONCE), *(() if cached else ("--no-cache",)))
    with FakeEndpoint(best_answer, latency=lambda n: 0.002 * (n % 7)) as server:
        env = environment(server, tmp_path / "cache")
        ended = 0
        for kill in range(20):
            before, done = server.count, rows_on_disk(tmp_path / "out")
            process = start(args, env)
            if kill < 16:  # among the requests
                reached(server, before + rng.randrange(0, 22), process)
                time.sleep(rng.uniform(0, 0.02))
            else:  # anywhere: at the start, among the last requests, while the final files are written
                time.sleep(rng.uniform(0.1, 0.7))
            process.kill()
            process.communicate()
            server.settle()  # what it had sent is counted now, and not as the next run's
            ended += process.returncode == 0
            asked = rows_asked(server.requests[before:])
            assert not set(asked) & done, "asked about a row that is on disk"
            assert max(asked.values(), default=1) == 1
        final = command(args, env)
        assert final.code == 0, final.err
        assert files(tmp_path / "out") == undisturbed
        assert ended <= 4
        again = [row for row, times in rows_asked(server.requests).items() if times > 1]
        assert server.count <= ROWS + 20 * AT_ONCE
        assert len(again) <= 20 * AT_ONCE
        count = server.count
        assert command(args, env).code == 0
        assert server.count == count, "a finished run asks nothing"


@pytest.mark.parametrize("more", [(), ("--no-cache",), ("--repeats", "2"), ("--mode", "matrix")], ids=" ".join)
def test_kill_among_rows_that_take_several_calls(tmp_path: Path, more: tuple[str, ...]) -> None:
    """Every third row's first answer can't be read; kills fall between the two calls of a row too."""

    def shaky(body: dict[str, Any], n: int) -> str:
        good = matrix_answer if "matrix" in more else best_answer
        return "Let me think." if int(row_of(body)[1:]) % 3 == 0 and len(body["messages"]) == 2 else good(body)

    rng = random.Random(5)
    rows = write(tmp_path / "rows.jsonl", make_rows(90))
    args = match_args(rows, tmp_path / "out", "--concurrency", "8", *more)
    with FakeEndpoint(shaky) as server:
        assert command(args, environment(server, tmp_path / "cache")).code == 0
        whole, calls = files(tmp_path / "out"), server.count
        (tmp_path / "out").rename(tmp_path / "whole")
    with FakeEndpoint(shaky, latency=lambda n: 0.002 * (n % 7), port=server.port) as server:
        env = environment(server, tmp_path / "another cache")
        for _ in range(5):
            process = start(args, env)
            reached(server, server.count + rng.randrange(0, 40), process)
            time.sleep(rng.uniform(0, 0.02))
            process.kill()
            process.communicate()
            server.settle()
        assert command(args, env).code == 0
        # without a cache the first, unread answer of a row in flight is lost with it
        assert server.count <= calls + 5 * 8 * (2 if "--no-cache" in more else 1)
    assert files(tmp_path / "out") == whole
    assert {path.name for path in (tmp_path / "out").iterdir()} == {path.name for path in (tmp_path / "whole").iterdir()}


def test_each_kill_costs_at_most_what_was_in_flight(tmp_path: Path) -> None:
    """What one kill makes the next run ask again is at most what the endpoint had in flight, or had just answered."""
    rng = random.Random(3)
    rows = write(tmp_path / "rows.jsonl", make_rows(ROWS))
    args = match_args(rows, tmp_path / "out", "--concurrency", str(AT_ONCE), "--no-cache")
    with FakeEndpoint(best_answer, latency=0.01) as server:
        env = environment(server, tmp_path / "cache")
        for _ in range(4):
            before = server.count
            process = start(args, env)
            reached(server, before + rng.randrange(20, 50), process)
            process.kill()
            process.communicate()
            server.settle()
            lost = set(rows_asked(server.requests[before:])) - rows_on_disk(tmp_path / "out")
            assert len(lost) <= AT_ONCE, f"{len(lost)} answers were paid for and are on no disk"


def reached(server: FakeEndpoint, count: int, process: subprocess.Popen[str]) -> None:
    """Waits until the endpoint has seen so many requests, or the process is done."""
    server.wait_for(lambda s: s.count >= count or process.poll() is not None)


def rows_on_disk(out: Path) -> set[str]:
    """Ids of whole lines of matches.jsonl; the last line may be torn."""
    path = out / "matches.jsonl"
    whole = path.read_bytes().rpartition(b"\n")[0].splitlines() if path.exists() else []
    return {str(json.loads(line)["id"]) for line in whole}


def test_two_processes_on_one_cache_send_each_request_once(tmp_path: Path, undisturbed: dict[str, str]) -> None:
    rows = write(tmp_path / "rows.jsonl", make_rows(ROWS))
    with FakeEndpoint(best_answer, latency=0.02) as server:
        env = environment(server, tmp_path / "cache")
        both = [start(match_args(rows, tmp_path / name, "--concurrency", "8"), env) for name in ("one", "two")]
        ended = [finish(process) for process in both]
        assert [done.code for done in ended] == [0, 0], [done.err for done in ended]
        assert server.count == ROWS
        assert set(rows_asked(server.requests).values()) == {1}
    assert files(tmp_path / "one") == files(tmp_path / "two") == undisturbed
    used = [lines(tmp_path / name / "usage.jsonl")[-1] for name in ("one", "two")]
    assert sum(use["calls"] for use in used) == ROWS
    assert sum(use["from_cache"] for use in used) == ROWS


def test_one_of_two_processes_on_one_cache_is_killed(tmp_path: Path, undisturbed: dict[str, str]) -> None:
    """What it had claimed is asked for by the other, without a long wait."""
    rows = write(tmp_path / "rows.jsonl", make_rows(ROWS))
    with FakeEndpoint(best_answer, latency=0.02) as server:
        env = environment(server, tmp_path / "cache")
        one, two = (start(match_args(rows, tmp_path / name, "--concurrency", "8"), env) for name in ("one", "two"))
        server.wait_for(lambda s: s.count >= 60)
        one.kill()
        one.communicate()
        began = time.monotonic()
        assert finish(two).code == 0
        assert time.monotonic() - began < 15
        assert server.count <= ROWS + 8
    assert files(tmp_path / "two") == undisturbed


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c(tmp_path: Path, undisturbed: dict[str, str], number: signal.Signals) -> None:
    rows = write(tmp_path / "rows.jsonl", make_rows(ROWS))
    args = match_args(rows, tmp_path / "out", "--concurrency", "8")
    with FakeEndpoint(best_answer, latency=0.02) as server:
        env = environment(server, tmp_path / "cache")
        process = start(args, env)
        server.wait_for(lambda s: s.count >= 50)
        process.send_signal(number)
        began = time.monotonic()
        done = finish(process)
        assert time.monotonic() - began < 5
        if number == signal.SIGINT:
            assert done.code == 130
            assert "kept" in done.err.splitlines()[-1]
        stopped_at = server.count
        assert command(args, env).code == 0
        assert server.count <= ROWS + 8
        assert stopped_at < ROWS
    assert files(tmp_path / "out") == undisturbed


def test_ctrl_c_while_nothing_is_answered_yet(tmp_path: Path) -> None:
    """One line, no trace of threads that were cut off; what was sent is in the record of use."""
    rows = write(tmp_path / "rows.jsonl", make_rows(30))
    with FakeEndpoint(best_answer, latency=30) as server:
        process = start(match_args(rows, tmp_path / "out", "--concurrency", "8"), environment(server, tmp_path / "cache"))
        server.wait_for(lambda s: s.count >= 8)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        done = finish(process)
    assert done.code == 130
    assert done.err.count("\n") == 1
    assert time.monotonic() - began < 5
    assert lines(tmp_path / "out/usage.jsonl")[-1]["calls"] == 8


@pytest.mark.parametrize("cached", [True, False])
def test_the_same_command_twice_at_once(tmp_path: Path, undisturbed: dict[str, str], cached: bool) -> None:
    """By mistake: the second is refused in one line, or shares the work; nothing is paid for twice, no file is torn."""
    rows = write(tmp_path / "rows.jsonl", make_rows(ROWS))
    args = match_args(rows, tmp_path / "out", "--concurrency", "8", *(() if cached else ("--no-cache",)))
    with FakeEndpoint(best_answer, latency=0.02) as server:
        env = environment(server, tmp_path / "cache")
        first = start(args, env)
        server.wait_for(lambda s: s.count >= 20)
        second = command(args, env)
        assert finish(first).code == 0
        assert second.code in (0, 2)
        if second.code == 2:
            assert second.err.count("\n") == 1
            assert "--out" in second.err
        assert server.count == ROWS
    assert files(tmp_path / "out") == undisturbed


def test_an_endpoint_that_dies_and_comes_back(tmp_path: Path, undisturbed: dict[str, str]) -> None:
    rows = write(tmp_path / "rows.jsonl", make_rows(ROWS))
    args = match_args(rows, tmp_path / "out", "--concurrency", "8", "--max-retries", "1")
    with FakeEndpoint(best_answer, latency=0.02) as server:
        env = environment(server, tmp_path / "cache")
        process = start(args, env)
        server.wait_for(lambda s: s.count >= 50)
        server.stop()
        done = finish(process, 30)
    assert done.code == 3
    last = done.err.strip().splitlines()[-1]
    assert "connect" in last
    assert "kept" in last
    assert 0 < len(rows_on_disk(tmp_path / "out")) <= server.count
    with FakeEndpoint(best_answer, port=server.port) as back:
        assert command(args, env).code == 0
        assert server.count + back.count <= ROWS + 8
    assert files(tmp_path / "out") == undisturbed


def test_an_endpoint_that_only_fails_stops_the_run(tmp_path: Path) -> None:
    rows = write(tmp_path / "rows.jsonl", make_rows(ROWS))
    with FakeEndpoint(lambda body, n: best_answer(body) if n < 60 else server_error()) as server:
        done = command(
            match_args(rows, tmp_path / "out", "--concurrency", "8", "--max-retries", "1"), environment(server, tmp_path)
        )
        assert done.code == 3
        assert "kept" in done.err.strip().splitlines()[-1]
        assert server.count < ROWS
        assert len(by_id(tmp_path / "out/matches.jsonl")) == 59


@pytest.mark.parametrize("what", ["results", "cache"])
def test_a_disk_that_gets_full(tmp_path: Path, undisturbed: dict[str, str], what: str) -> None:
    """One clear line, whole lines on disk, and the run goes on once there is room. (A limit on file sizes is the disk.)"""
    rows = write(tmp_path / "rows.jsonl", make_rows(ROWS))
    more = ("--no-cache",) if what == "results" else ()
    args = match_args(rows, tmp_path / "out", "--concurrency", "8", *more)
    with FakeEndpoint(best_answer) as server:
        env = environment(server, tmp_path / "cache")
        done = command(args, env, limit=limited(resource.RLIMIT_FSIZE, 60_000 if what == "results" else 100_000))
        assert done.code in (2, 3)
        last = done.err.strip().splitlines()[-1]
        assert last.startswith("rationalerm: ")
        assert ("matches.jsonl" in last or "judgments.jsonl" in last) if what == "results" else "chat.sqlite" in last
        kept, asked = rows_on_disk(tmp_path / "out"), server.count
        lines(tmp_path / "out/matches.jsonl")  # every line is whole
        assert asked <= ROWS
        assert len(kept) >= asked - 2 * 8
        assert command(args, env).code == 0
        if what == "results":
            assert not set(rows_asked(server.requests[asked:])) & kept
        else:
            assert server.count <= ROWS + 2 * 8
    assert files(tmp_path / "out") == undisturbed


def limited(which: int, most: int) -> Callable[[], None]:
    """For the child before it starts."""
    return lambda: resource.setrlimit(which, (most, most))


def test_torn_lines(tmp_path: Path, undisturbed: dict[str, str]) -> None:
    """RC1: a torn tail is mended, a torn line in the middle is said with its number; only those rows are asked again."""
    rows = write(tmp_path / "rows.jsonl", make_rows(ROWS))
    args = match_args(rows, tmp_path / "out", "--no-cache")
    with FakeEndpoint(best_answer) as server:
        env = environment(server, tmp_path / "cache")
        assert command(args, env).code == 0
        path = tmp_path / "out/matches.jsonl"
        whole = path.read_bytes().splitlines(keepends=True)
        torn = [*whole[:100], whole[100][:40] + b"\n", *whole[101:200], whole[200][:77]]
        path.write_bytes(b"".join(torn))
        done = command(args, env)
        assert done.code == 0
        assert "101" in done.err
        assert rows_asked(server.requests[ROWS:]) == dict.fromkeys(["r100", *(f"r{k}" for k in range(200, ROWS))], 1)
        count = server.count
        assert command(args, env).code == 0
        assert server.count == count
    assert files(tmp_path / "out") == undisturbed


def test_another_configuration_is_refused(tmp_path: Path) -> None:
    rows = write(tmp_path / "rows.jsonl", make_rows(12))
    with FakeEndpoint(best_answer) as server:
        env = environment(server, tmp_path / "cache")
        assert command(match_args(rows, tmp_path / "out"), env).code == 0
        for more in (["--temperature", "0.7"], ["--mode", "matrix"], ["--model", "other"], ["--seed", "3"]):
            done = command([*match_args(rows, tmp_path / "out"), *more], env)
            assert done.code == 2
            assert done.err.count("\n") == 1
            assert "--out" in done.err
        assert server.count == 12


def test_a_moved_endpoint_is_the_same_evaluator_or_refused_in_one_line(tmp_path: Path) -> None:
    """A server that comes back on another port: never a mixture without a word."""
    rows = write(tmp_path / "rows.jsonl", make_rows(40))
    with FakeEndpoint(lambda body, n: best_answer(body) if n <= 20 else server_error(), latency=0.005) as server:
        first = command(match_args(rows, tmp_path / "out", "--max-retries", "0"), environment(server, tmp_path / "cache"))
        assert first.code in (0, 1, 3)
    with FakeEndpoint(best_answer) as moved:
        done = command(match_args(rows, tmp_path / "out"), environment(moved, tmp_path / "cache"))
    assert (done.code, moved.count) == (0, 20) or (done.code == 2 and done.err.count("\n") == 1 and moved.count == 0)


def test_stdin_is_read_whole_before_anything_is_asked(tmp_path: Path) -> None:
    """A repeated id in the last line costs no call."""
    rows = make_rows(30)
    rows.append(rows[0])
    text = "".join(json.dumps(row) + "\n" for row in rows)
    with FakeEndpoint(best_answer) as server:
        args = [str(BIN), "match", "-", "--judge", "j", "--model", "m", "--out", str(tmp_path / "out")]
        env = environment(server, tmp_path / "cache")
        done = subprocess.run(args, input=text, text=True, capture_output=True, env=env, timeout=60)
        assert done.returncode == 2
        assert "r0" in done.stderr
        assert server.count == 0
