"""Every fault in one run: each row ends in one category, what was paid for is on disk, nothing is asked again after success."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running import by_id, command, environment, lines, make_rows, match_args, row_of, rows_asked, write

from endpoint import Answered, FakeEndpoint, best_answer
from faults import (
    cut_mid_body,
    dropped,
    empty_choices,
    error,
    filtered,
    hang,
    html,
    null_content,
    rate_limited,
    reset_mid_body,
    server_error,
    slow_drip,
    too_long,
    truncated,
    white_space,
    wrong_type,
)
from rationalerm import parse_matching

Said = Callable[[dict[str, Any]], Answered | str]
RETRIES = 1  # --max-retries: few, so that the run is short
FORMAT_RETRIES = 2


def another_row(body: dict[str, Any]) -> str:
    """The answer of a row with other reasons: the numbers do not fit."""
    return "<RESULT_START>\n" + "\n".join(f"- R{i}@S1: 0.5" for i in range(1, 8)) + "\n<RESULT_END>"


def twice(body: dict[str, Any]) -> str:
    """Every line there twice."""
    first, *inner, last = best_answer(body).split("\n")
    return "\n".join([first, *inner, *inner, last])


# Once, then the good answer. None of them may cost the row.
PASSING: dict[str, Said] = {
    "nothing": best_answer,
    "429": lambda _: rate_limited(),
    "429 with Retry-After": lambda _: rate_limited(0.2),
    "500": lambda _: server_error(500),
    "502": lambda _: html(502),
    "503 with Retry-After": lambda _: Answered(status=503, raw="busy", content_type="text/plain", headers={"Retry-After": "0.1"}),
    "504": lambda _: server_error(504),
    "529": lambda _: server_error(529),
    "reset": lambda _: reset_mid_body(),
    "half a body": lambda _: cut_mid_body(),
    "no answer, closed": lambda _: dropped(),
    "drip": lambda _: slow_drip(),
    "never": lambda _: hang(),
    "html": lambda _: html(),
    "empty body": lambda _: Answered(raw=b""),
    "half JSON": lambda _: Answered(raw=b'{"choices": [{"mess'),
    "no choices": lambda _: empty_choices(),
    "wrong content type": lambda body: wrong_type(best_answer(body)),
    "two choices": lambda body: Answered(best_answer(body), choices=2),
    "prose": lambda _: "I think R1 fits S2 well, and the rest not at all.",
    "another row's": another_row,
    "each line twice": twice,
    "cut off": lambda _: truncated(),
    "empty, still reasoning": lambda _: null_content(),
}
HARMLESS = ("nothing", "wrong content type", "two choices")

# Always; the category that the row must end in, and how many requests that may take.
FAILING: dict[str, tuple[Said, str, int]] = {
    "500": (lambda _: server_error(), "server error", 1 + RETRIES),
    "reset": (lambda _: reset_mid_body(), "connection", 1 + RETRIES),
    "half a body": (lambda _: cut_mid_body(), "connection", 1 + RETRIES),
    "never": (lambda _: hang(), "timeout", 1 + RETRIES),
    "drip": (lambda _: slow_drip(), "timeout", 1 + RETRIES),
    "html": (lambda _: html(), "not JSON", 1 + RETRIES),
    "no choices": (lambda _: empty_choices(), "no choices", 1 + RETRIES),
    "prose": (lambda _: "No.", "unparsed", 1 + FORMAT_RETRIES),
    "another row's": (another_row, "unparsed", 1 + FORMAT_RETRIES),
    "cut off": (lambda _: truncated(), "truncated", 2),
    "white space": (lambda _: white_space(), "truncated: white space", 1),
    "empty, still reasoning": (lambda _: null_content(), "empty content, finish_reason=length", 2),
    "empty": (lambda _: Answered(""), "empty content", 1),
    "filtered": (lambda _: filtered(), "content filter", 1),
    "too long": (lambda _: too_long("vllm 0.11"), "too long for judge", 1),
    "400": (lambda _: error(400, "messages: something else is wrong"), "bad request", 1),
}
PLAN = [*(("passing", name) for name in PASSING), *(("failing", name) for name in FAILING)]


def plan_of(row: str) -> tuple[str, str]:
    """Which fault a row meets: one in three, so that faults come among good answers; each fault in several rows."""
    k = int(row[1:])
    return PLAN[k // 3 % len(PLAN)] if k % 3 == 0 else ("passing", "nothing")


@pytest.fixture(scope="module")
def chaos(tmp_path_factory: pytest.TempPathFactory) -> tuple[FakeEndpoint, Path, Any]:
    """One run of 360 rows."""
    folder = tmp_path_factory.mktemp("chaos")
    asked: Counter[str] = Counter()

    def answer(body: dict[str, Any], n: int) -> Answered | str:
        row = row_of(body)
        asked[row] += 1
        kind, name = plan_of(row)
        if kind == "failing":
            return FAILING[name][0](body)
        return PASSING[name](body) if asked[row] == 1 else best_answer(body)

    rows = write(folder / "rows.jsonl", make_rows(360))
    with FakeEndpoint(answer, latency=0.01) as server:
        more = ("--concurrency", "48", "--max-retries", str(RETRIES), "--timeout", "1", "--log-file", str(folder / "calls.log"))
        done = command(match_args(rows, folder / "out", *more), environment(server, folder / "cache"))
    return server, folder, done


def test_each_row_ends_in_exactly_one_category(chaos: tuple[FakeEndpoint, Path, Any]) -> None:
    _, folder, done = chaos
    matched, failed = by_id(folder / "out/matches.jsonl"), by_id(folder / "out/failures.jsonl")
    assert not set(matched) & set(failed)
    assert set(matched) | set(failed) == {f"r{k}" for k in range(360)}
    plans = {row: plan_of(row) for row in set(matched) | set(failed)}
    wanted = {row: FAILING[name][1] for row, (kind, name) in plans.items() if kind == "failing"}
    assert {row: failed[row]["category"] for row in failed} == wanted
    assert set(by_id(folder / "out/rows.jsonl")) == set(matched) | set(failed)
    assert done.code in (0, 1)


def test_what_was_paid_for_is_on_disk(chaos: tuple[FakeEndpoint, Path, Any]) -> None:
    server, folder, _ = chaos
    last, tokens = {}, defaultdict(int)
    for request in server.paid:
        assert request.answered is not None
        row = row_of(request.body)
        last[row] = request
        tokens[row] += _total(request)
    for row, found in by_id(folder / "out/matches.jsonl").items():
        request = last[row]
        assert found["text"] == request.answered.content, row
        read = parse_matching(found["text"], found["n_human"], found["n_model"])
        assert {(i, j): s for i, j, s in found["scores"]} == dict(read.scores), row
        assert found["text"] == best_answer(request.body), row
        assert found["prompt_tokens"] + found["completion_tokens"] == tokens[row], row
    for row, found in by_id(folder / "out/failures.jsonl").items():
        assert found["prompt_tokens"] + found["completion_tokens"] == tokens[row], row


def test_nothing_is_asked_again_after_success_and_retries_do_not_multiply(chaos: tuple[FakeEndpoint, Path, Any]) -> None:
    server, folder, _ = chaos
    asked: dict[str, list[Any]] = defaultdict(list)
    for request in server.requests:
        asked[row_of(request.body)].append(request)
    for row, requests in asked.items():
        kind, name = plan_of(row)
        most = FAILING[name][2] if kind == "failing" else 1 if name in HARMLESS else 2
        assert len(requests) == most, (row, kind, name)
    logged = lines(folder / "calls.log")
    assert len(logged) == len(server.requests), "each attempt is in the log"


def test_the_totals_are_the_servers(chaos: tuple[FakeEndpoint, Path, Any]) -> None:
    server, folder, _ = chaos
    used = lines(folder / "out/usage.jsonl")[-1]
    assert used["calls"] == server.count
    assert used["answers"] == len(server.paid)
    assert used["failed_calls"] == server.count - len(server.paid)
    metered = [request for request in server.requests if request.done and request.answered and request.answered.metered]
    assert used["prompt_tokens"] + used["completion_tokens"] == sum(map(_total, metered))
    assert used["cost"] is None
    assert server.peak <= 48


def test_the_next_run_redoes_failures_only(chaos: tuple[FakeEndpoint, Path, Any]) -> None:
    first, folder, _ = chaos
    matched, failed = by_id(folder / "out/matches.jsonl"), by_id(folder / "out/failures.jsonl")
    with FakeEndpoint(best_answer, port=first.port) as server:
        done = command(match_args(folder / "rows.jsonl", folder / "out"), environment(server, folder / "cache"))
        assert done.code == 0
        assert rows_asked(server.requests) == dict.fromkeys(failed, 1), "an answer that was no use is not served from the cache"
        again = command(match_args(folder / "rows.jsonl", folder / "out"), environment(server, folder / "cache"))
        assert again.code == 0
        assert server.count == len(failed)
    now = by_id(folder / "out/matches.jsonl")
    assert set(now) == set(matched) | set(failed)
    assert {row: now[row] for row in matched} == matched
    assert by_id(folder / "out/failures.jsonl") == {}


@pytest.mark.parametrize("cached", [True, False])
def test_rows_with_the_same_texts_are_asked_once_with_a_cache(tmp_path: Path, cached: bool) -> None:
    rows = make_rows(10)
    twins = rows + [row | {"id": f"twin of {row['id']}"} for row in rows]
    with FakeEndpoint(best_answer, latency=0.2) as server:  # both of a pair are in flight at once
        more = () if cached else ("--no-cache",)
        done = command(match_args(write(tmp_path / "rows.jsonl", twins), tmp_path / "out", *more), environment(server, tmp_path))
    assert done.code == 0
    assert server.count == (10 if cached else 20)
    found = by_id(tmp_path / "out/matches.jsonl")
    assert len(found) == 20
    for row in rows:
        assert found[row["id"]]["scores"] == found[f"twin of {row['id']}"]["scores"]


def _total(request: Any) -> int:
    assert request.answered is not None
    text = (request.answered.content or "") + (request.answered.reasoning or "")
    prompt = sum(len(str(turn["content"])) for turn in request.body["messages"]) // 4 + 1
    return prompt + len(text) // 4 + 1
