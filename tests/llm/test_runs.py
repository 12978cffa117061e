"""Whole runs against the endpoint: limits, proxies, secrets, cost, failures that are redone, results that are their rows' own."""

from __future__ import annotations

import resource
import shutil
import subprocess
import time
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from running import by_id, command, environment, finish, lines, make_rows, match_args, row_of, rows_asked, start, write

from endpoint import Answered, FakeEndpoint, best_answer
from faults import error, quota, rate_limited, server_error, unauthorised, unsupported
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.limits import Limits
from rationalerm.llm.settings import ChatSettings
from rationalerm.match import LLMMatcher

SECRETS = ("sk-TEST-000", "sk-TEST-111", "pw-TEST", "tok-TEST", "proxy-pw-TEST")


def files_limited() -> None:
    """`ulimit -n 256`, in the child before it starts."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))


def test_2000_rows_with_few_connections_and_few_files(tmp_path: Path) -> None:
    """JA4: 16 in flight, one client, 256 open files, a server that refuses more than 20 connections."""
    rows = write(tmp_path / "rows.jsonl", make_rows(2000))
    with FakeEndpoint(best_answer, latency=0.05, max_connections=20) as server:
        args = match_args(rows, tmp_path / "out", "--concurrency", "16", "--timeout", "2")  # waiting for a place takes longer
        done = command(args, environment(server, tmp_path), limit=files_limited)
    assert done.code == 0, done.err
    assert len(by_id(tmp_path / "out/matches.jsonl")) == 2000
    assert server.count == 2000, "nothing had to be asked twice"
    assert server.peak <= 16
    assert server.refused == 0
    assert server.connections <= 20


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_loopback_never_goes_through_a_proxy(tmp_path: Path, name: str) -> None:
    """JA5, the first part."""
    rows = write(tmp_path / "rows.jsonl", make_rows(3))
    with FakeEndpoint(best_answer) as server:
        env = environment(server, tmp_path, **{name: "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"})
        assert command(match_args(rows, tmp_path / "out"), env).code == 0
        env["OPENAI_BASE_URL"] = server.url.replace("127.0.0.1", "localhost")
        assert command(match_args(rows, tmp_path / "other"), env).code == 0


def test_other_hosts_go_through_the_proxy_and_an_error_names_it(tmp_path: Path) -> None:
    """JA5, the rest: a dead proxy is named, without its password; a live one is used; --no-proxy and NO_PROXY do without."""
    rows = write(tmp_path / "rows.jsonl", make_rows(3))
    env = environment("http://judge.invalid/v1", tmp_path, HTTP_PROXY="http://user:proxy-pw-TEST@127.0.0.1:9")
    dead = command(match_args(rows, tmp_path / "dead", "--max-retries", "0"), env)
    assert dead.code == 3
    assert "proxy" in dead.err
    assert "127.0.0.1:9" in dead.err
    assert no_secrets(dead.err, dead.out)
    with FakeEndpoint(best_answer) as proxy:
        env["HTTP_PROXY"] = f"http://user:proxy-pw-TEST@127.0.0.1:{proxy.port}"
        assert command(match_args(rows, tmp_path / "out"), env).code == 0
        assert proxy.count == 3
        assert proxy.requests[0].headers["Host"] == "judge.invalid"
        assert "Proxy-Authorization" in proxy.requests[0].headers
        for more, extra in ((("--no-proxy",), {}), ((), {"NO_PROXY": "localhost,.invalid"})):
            done = command([*match_args(rows, tmp_path / "direct", "--max-retries", "0", "--no-cache"), *more], env | extra)
            assert done.code == 3
            assert "proxy" not in done.err
        assert proxy.count == 3
    assert no_secrets(*texts_below(tmp_path))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate with")
def test_a_certificate_of_ones_own(tmp_path: Path) -> None:
    """A certificate that nobody vouches for stops the run before anything is sent; named in SSL_CERT_FILE it is taken."""
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    made = ["openssl", *words.split(), "-out", str(certificate), "-keyout", str(key)]
    subprocess.run(made, check=True, capture_output=True)
    rows = write(tmp_path / "rows.jsonl", make_rows(3))
    with FakeEndpoint(best_answer, certificate=(certificate, key)) as server:
        env = environment(server, tmp_path / "cache")
        refused = command(match_args(rows, tmp_path / "out"), env)
        assert refused.code == 3
        assert refused.err.count("\n") == 1
        assert "SSL_CERT_FILE" in refused.err
        assert server.count == 0
        for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
            done = command(match_args(rows, tmp_path / name, "--no-cache"), env | {name: str(certificate)})
            assert done.code == 0, done.err
        wrong = command(match_args(rows, tmp_path / "wrong"), env | {"SSL_CERT_FILE": str(tmp_path / "none.pem")})
        assert wrong.code == 2
        assert wrong.err.count("\n") == 1
        assert "none.pem" in wrong.err


@pytest.mark.parametrize("name", ["--api-key", "--api-key=", "--api", "--apikey", "--openai-api-key", "--key=", "--token", "-k"])
def test_a_key_on_the_command_line_is_refused_without_repeating_it(tmp_path: Path, name: str) -> None:
    """OP1, the first part: by the name that scripts use, and by those that people try."""
    rows = write(tmp_path / "rows.jsonl", make_rows(2))
    key = [f"{name}sk-TEST-000-not-real"] if name.endswith("=") else [name, "sk-TEST-000-not-real"]
    with FakeEndpoint(best_answer) as server:
        args = [*match_args(rows, tmp_path / "out"), *key, "--log-file", str(tmp_path / "run.log")]
        done = command(args, environment(server, tmp_path))
        assert server.count == 0
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert no_secrets(done.err, *texts_below(tmp_path))
    if "api-key" in name:
        assert "OPENAI_API_KEY" in done.err


def test_a_base_url_with_a_password_is_not_for_the_command_line(tmp_path: Path) -> None:
    rows = write(tmp_path / "rows.jsonl", make_rows(2))
    url = "http://user:pw-TEST@127.0.0.1:9/v1?token=tok-TEST"
    done = command(match_args(rows, tmp_path / "out", "--base-url", url), environment("http://127.0.0.1:9/v1", tmp_path))
    assert done.code == 2
    assert "OPENAI_BASE_URL" in done.err
    assert no_secrets(done.out, done.err, *texts_below(tmp_path))


@pytest.mark.parametrize("what", ["good", "echo in errors", "echo in answers", "refused", "half HTML", "no key"])
def test_no_secret_anywhere(tmp_path: Path, what: str) -> None:
    """OP1: whatever the server says back, at whatever end the run comes to."""
    rows = write(tmp_path / "rows.jsonl", make_rows(12))
    sent = "Basic dXNlcjpwdy1URVNU" if what == "no key" else "Bearer sk-TEST-111-not-real"
    said = f"Authorization: {sent}, /v1/chat/completions?token=tok-TEST, user:pw-TEST"

    def answer(body: dict[str, Any], n: int) -> Answered | str:
        if what == "good" or (n % 2 and what != "refused"):
            return best_answer(body)
        if what == "echo in answers":
            return f"{said}\n{best_answer(body)}" if n % 4 else said
        if what == "refused":
            return unauthorised(401, repeating=f"sk-TEST-111-not-real ({said})")
        if what == "half HTML":
            return Answered(status=502, raw=f"<html><body><p>{said}</p>", content_type="text/html")
        return error(400, said)

    with FakeEndpoint(answer, latency=0.05) as server:
        env = environment(server, tmp_path / "cache")
        env["OPENAI_BASE_URL"] = server.url.replace("://", "://user:pw-TEST@") + "?token=tok-TEST"
        if what == "no key":
            del env["OPENAI_API_KEY"]
        more = ("--log-file", str(tmp_path / "calls.log"), "--max-retries", "1", "--concurrency", "4")
        args = match_args(rows, tmp_path / "out", *more)
        process = start(args, env)
        server.wait_for(lambda s: s.count > 0)
        shown = Path(f"/proc/{process.pid}/cmdline").read_text("utf-8")
        done = finish(process)
    assert done.code == (3 if what == "refused" else 0)
    assert server.requests[0].headers["Authorization"] == sent
    assert server.requests[0].path.endswith("?token=tok-TEST")
    assert (tmp_path / "calls.log").stat().st_size
    assert no_secrets(done.out, done.err, shown, *texts_below(tmp_path))


def test_the_cost_of_unread_answers_counts_and_the_budget_ends_the_run(tmp_path: Path) -> None:
    """OP2: 100 tokens a call, every first answer unreadable, 1,500 tokens of budget for 10 rows (2,000)."""
    usage = {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}

    def answer(body: dict[str, Any], n: int) -> Answered:
        return Answered("?" if len(body["messages"]) == 2 else best_answer(body), usage=usage)

    rows = write(tmp_path / "rows.jsonl", make_rows(10))
    with FakeEndpoint(answer, latency=0.02) as server:
        env = environment(server, tmp_path / "cache")
        args = [*match_args(rows, tmp_path / "out", "--concurrency", "4"), "--budget"]
        done = command([*args, "1500tokens"], env)
        assert done.code == 3
        last = done.err.strip().splitlines()[-1]
        assert "budget" in last
        assert "kept" in last
        assert f"{server.count} calls" in last
        assert 1500 <= 100 * server.count <= 1600
        used = lines(tmp_path / "out/usage.jsonl")[-1]
        assert used["prompt_tokens"] + used["completion_tokens"] == 100 * server.count
        assert used["cost"] is None, "an unknown price is unknown, not 0"
        kept = by_id(tmp_path / "out/matches.jsonl")
        assert kept
        done = command([*args, "1500tokens"], env)
        assert done.code == 0
        assert server.count == 20
    rows_now = by_id(tmp_path / "out/matches.jsonl")
    assert {row: rows_now[row] for row in kept} == kept
    assert {row["calls"] for row in rows_now.values()} == {2}
    assert {row["prompt_tokens"] + row["completion_tokens"] for row in rows_now.values()} == {200}


def test_a_budget_in_money(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 500, "total_tokens": 1500}  # 1000 * 2 / 1M + 500 * 4 / 1M = 0.004 a call
    rows = write(tmp_path / "rows.jsonl", make_rows(30))
    with FakeEndpoint(lambda body, n: Answered(best_answer(body), usage=usage), latency=0.01) as server:
        more = ("--price-in", "2", "--price-out", "4", "--budget", "0.05", "--concurrency", "8")
        done = command(match_args(rows, tmp_path / "out", *more), environment(server, tmp_path / "cache"))
    assert done.code == 3
    assert 0.05 <= 0.004 * server.count <= 0.0561
    assert lines(tmp_path / "out/usage.jsonl")[-1]["cost"] == pytest.approx(0.004 * server.count)
    assert len(by_id(tmp_path / "out/matches.jsonl")) == server.count


def test_a_used_up_quota_stops_at_once(tmp_path: Path) -> None:
    """JA3."""
    rows = write(tmp_path / "rows.jsonl", make_rows(500))
    began = time.monotonic()
    with FakeEndpoint(lambda body, n: quota() if n > 40 else best_answer(body), latency=0.01) as server:
        done = command(match_args(rows, tmp_path / "out", "--concurrency", "8"), environment(server, tmp_path / "cache"))
    assert done.code == 3
    assert "quota" in done.err
    assert "same command" in done.err
    assert server.count <= 40 + 8
    assert time.monotonic() - began < 5
    assert len(by_id(tmp_path / "out/matches.jsonl")) == 40


def test_a_server_that_takes_no_such_fields(tmp_path: Path) -> None:
    """All that is in flight is refused at once, for one field after the other: no row is lost, and the limit is not."""

    def answer(body: dict[str, Any], n: int) -> Answered | str:
        refused = next((name for name in ("max_tokens", "temperature", "seed", "response_format") if name in body), None)
        return unsupported(refused) if refused else best_answer(body)

    rows = write(tmp_path / "rows.jsonl", make_rows(60))
    with FakeEndpoint(answer, latency=0.01) as server:
        more = ("--concurrency", "16", "--seed", "5", "--structured")
        done = command(match_args(rows, tmp_path / "out", *more), environment(server, tmp_path / "cache"))
    assert done.code == 0, done.err
    assert len(by_id(tmp_path / "out/matches.jsonl")) == 60
    assert all("max_completion_tokens" in request.body for request in server.paid)
    assert server.count <= 60 + 4 * 16


def test_as_many_at_once_as_the_server_bears(tmp_path: Path) -> None:
    """429 above 8 in flight: every row comes through, and what is refused is the smaller part."""
    rows = write(tmp_path / "rows.jsonl", make_rows(300))
    with FakeEndpoint(lambda body, n: rate_limited() if server.open > 8 else best_answer(body), latency=0.02) as server:
        done = command(match_args(rows, tmp_path / "out", "--concurrency", "64"), environment(server, tmp_path / "cache"))
    assert done.code == 0, done.err
    assert len(by_id(tmp_path / "out/matches.jsonl")) == 300
    assert server.count - 300 < 200


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_kept(tmp_path: Path, form: str) -> None:
    asked = 2.0 if form == "date" else 0.7  # a date has whole seconds
    rows = write(tmp_path / "rows.jsonl", make_rows(8))

    def answer(body: dict[str, Any], n: int) -> Answered | str:
        later = formatdate(time.time() + asked, usegmt=True) if form == "date" else asked
        return rate_limited(later) if n == 1 else best_answer(body)

    with FakeEndpoint(answer) as server:
        assert command(match_args(rows, tmp_path / "out"), environment(server, tmp_path / "cache")).code == 0
        first, again = (request.at for request in server.requests if row_of(request.body) == row_of(server.requests[0].body))
        assert again - first >= asked - 1.0 * (form == "date")
        assert server.count == 9


def test_limits_of_retries_do_not_multiply(tmp_path: Path) -> None:
    """JA2: 1 + 3 requests for a server that only fails, 1 + 2 for answers that never parse; each in the log and the totals."""
    rows = write(tmp_path / "rows.jsonl", make_rows(2)[1:])
    for name, said, wanted in (("fails", server_error(), 4), ("babbles", Answered("Well."), 3)):
        with FakeEndpoint(lambda body, n, said=said: said) as server:  # type: ignore[misc]
            more = ("--max-retries", "3", "--format-retries", "2", "--log-file", str(tmp_path / f"{name}.log"))
            command(match_args(rows, tmp_path / name, *more), environment(server, tmp_path / "cache"))
            assert server.count == wanted
        assert len(lines(tmp_path / f"{name}.log")) == wanted
        assert lines(tmp_path / name / "usage.jsonl")[-1]["calls"] == wanted


def test_an_answer_that_never_came_out_of_its_reasoning(tmp_path: Path) -> None:
    """JA1: one more try with a larger limit, then its own category; tokens counted, the body kept; read only on request."""
    rows = write(tmp_path / "rows.jsonl", make_rows(2)[1:])
    with FakeEndpoint(lambda body, n: Answered(None, reasoning=best_answer(body), finish_reason="length")) as server:
        env = environment(server, tmp_path / "cache")
        assert command(match_args(rows, tmp_path / "out"), env).code == 1
        first, second = (request.body["max_tokens"] for request in server.requests)
        assert second > first
        (failed,) = by_id(tmp_path / "out/failures.jsonl").values()
        assert failed["category"] == "empty content, finish_reason=length"
        assert "reasoning_content" in failed["raw"]
        assert failed["prompt_tokens"] > 1000
        assert failed["completion_tokens"] > 10
        assert command(match_args(rows, tmp_path / "read", "--reasoning-as-answer"), env).code == 0
        assert set(by_id(tmp_path / "read/matches.jsonl")) == {"r1"}


def test_failures_are_redone_and_never_served_from_the_cache(tmp_path: Path) -> None:
    """RC2: a stays, b (an error) and c (unparsed) are asked again, with one current record each."""
    bad = {"r1", "r2"}

    def answer(body: dict[str, Any], n: int) -> Answered | str:
        row = row_of(body)
        return best_answer(body) if row not in bad else error(400, "no") if row == "r1" else "prose"

    rows = write(tmp_path / "rows.jsonl", make_rows(3))
    with FakeEndpoint(answer) as server:
        env = environment(server, tmp_path / "cache")
        assert command(match_args(rows, tmp_path / "out"), env).code == 0
        assert {row: failed["category"] for row, failed in by_id(tmp_path / "out/failures.jsonl").items()} == {
            "r1": "bad request",
            "r2": "unparsed",
        }
        assert set(by_id(tmp_path / "out/matches.jsonl")) == {"r0"}
        assert rows_asked(server.requests) == {"r0": 1, "r1": 1, "r2": 3}
        command(match_args(rows, tmp_path / "out"), env)
        assert rows_asked(server.requests) == {"r0": 1, "r1": 2, "r2": 6}
        assert len(by_id(tmp_path / "out/failures.jsonl")) == 2
        bad.clear()
        assert command(match_args(rows, tmp_path / "out"), env).code == 0
        assert rows_asked(server.requests) == {"r0": 1, "r1": 3, "r2": 7}
    assert by_id(tmp_path / "out/failures.jsonl") == {}
    assert set(by_id(tmp_path / "out/matches.jsonl")) == set(by_id(tmp_path / "out/rows.jsonl")) == {"r0", "r1", "r2"}


def delayed(body: dict[str, Any], n: int) -> Answered:
    """The first row's answer comes last; each row has a score of its own, in a place of its own."""
    k = int(row_of(body)[1:])
    scored = [f"- R{i}@S1: {(k % 4 + 1) / 4}" if i == 1 + k // 4 else f"- R{i}@S0: 0" for i in range(1, 5)]
    return Answered("\n".join(["<RESULT_START>", *scored, "<RESULT_END>"]), delay=0.03 * (9 - k))


@pytest.mark.parametrize("at_once", [1, 3, 10])
def test_results_belong_to_their_rows_in_every_order_of_arrival(tmp_path: Path, at_once: int) -> None:
    """RC3: in the file by id, in the returned list by place."""
    rows = make_rows(10)
    for k, row in enumerate(rows):
        row["human-checklist"] = [f"In task {k}, point {i} is missed." for i in range(4)]
    wanted = {f"r{k}": [[k // 4, 0, (k % 4 + 1) / 4]] for k in range(10)}
    with FakeEndpoint(delayed) as server:
        args = match_args(write(tmp_path / "rows.jsonl", rows), tmp_path / "out", "--concurrency", str(at_once))
        assert command(args, environment(server, tmp_path / "cache")).code == 0
        assert {row: found["scores"] for row, found in by_id(tmp_path / "out/matches.jsonl").items()} == wanted
        matcher = LLMMatcher(ChatSettings(Endpoint(server.url, "m"), Limits(concurrency=at_once), cache=False))
        found = matcher.match_many([(row["human-checklist"], row["j-checklist"]) for row in rows])
        matcher.close()
    assert [[[i, j, s] for (i, j), s in matching.scores.items()] for matching in found] == list(wanted.values())


def texts_below(folder: Path) -> list[str]:
    """Every file below, as text."""
    return [path.read_bytes().decode("utf-8", "replace") for path in folder.rglob("*") if path.is_file()]


def no_secrets(*texts: str) -> bool:
    """None of the test's secrets, also not in base64."""
    found = [secret for secret in (*SECRETS, "dXNlcjpwdy1URVNU", "c2stVEVTVC0") for text in texts if secret in text]
    assert found == []
    return True
