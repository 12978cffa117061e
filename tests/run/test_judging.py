"""`judge` against a real HTTP server: both orders, votes, resume, what is refused before anything is paid for."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from endpoint import Answered, FakeEndpoint, first_place_answer, judge_answer, seen_responses
from rationalerm.data.orders import orders_of
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.limits import Limits
from rationalerm.llm.settings import ChatSettings
from rationalerm.run.judging import JudgeConfig, JudgeInput, judge

Run = Callable[..., Any]
Jsonl = Callable[..., Path]
MADE = ("judgments.jsonl", "failures.jsonl", "pairs.jsonl", "summary.json", "run.json")


@pytest.fixture(autouse=True)
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def rows_of(n: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"q{k}",
            "context": [{"role": "user", "content": f"Question {k}?"}],
            "response1": f"The answer to {k} is {k * 3}.",
            "response2": f"It may be {k + 1}, I think.",
            "overall_preference": 2 if k % 3 else -1,
            "human-checklist": [f"Response 1 says {k * 3}."],
        }
        for k in range(n)
    ]


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def files(out: Path) -> dict[str, bytes]:
    return {name: (out / name).read_bytes() for name in MADE}


@pytest.fixture
def server() -> Iterator[FakeEndpoint]:
    with FakeEndpoint(judge_answer) as server:
        yield server


def asked(server: FakeEndpoint, path: Path, out: Path, *more: str) -> list[str]:
    return ["judge", str(path), "--model", "m", "--base-url", server.url, "--out", str(out), *more]


def test_both_orders_and_what_evaluate_makes_of_them(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint) -> None:
    path, out = jsonl(*rows_of(12)), tmp_path / "out"
    ran = run(*asked(server, path, out, "--json"))
    assert ran.code == 0, ran.err
    assert len(server.requests) == 24
    assert ran.json["pairs"] == 12
    assert ran.json["flip_rate"] == 0.0
    assert ran.json["consistent_wins"] == 1.0
    assert ran.json["first_position_rate"] == 0.5
    judgments = read(out / "judgments.jsonl")
    assert [(row["id"], row["order"]) for row in judgments] == [(f"q{k}", order) for k in range(12) for order in ("AB", "BA")]
    first, second = judgments[:2]
    assert first["verdict"] != second["verdict"]  # the letters follow their game
    assert len(first["reasons"]) == 3
    assert {"judge", "vote", "status", "strength", "notes", "text", "finish_reason", "prompt", "prompt_tokens"} <= first.keys()
    (row, *_) = read(out / "pairs.jsonl")
    assert {name: row[name] for name in ("id", "response1", "human-checklist")} == {
        name: rows_of(1)[0][name] for name in ("id", "response1", "human-checklist")
    }
    assert [(game["order"], game["label"], game["checklist"]) for game in row["m-games"]] == [
        ("AB", first["verdict"], first["reasons"]), ("BA", second["verdict"], second["reasons"]),
    ]  # fmt: skip
    evaluated = run("evaluate", out / "pairs.jsonl", "--judge", "m", "--json")
    assert evaluated.code == 0, evaluated.err
    assert evaluated.json["judges"]["m"]["outcome_accuracy"] == ran.json["outcome_accuracy"]
    assert evaluated.json["judges"]["m"]["counts"]["scored"] == 24


def test_the_table_says_what_comes_next(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint) -> None:
    ran = run(*asked(server, jsonl(*rows_of(3)), tmp_path / "out", "--name", "my judge"))
    assert ran.code == 0, ran.err
    out = " ".join(ran.out.split())
    assert f"next: rationalerm evaluate {tmp_path}/out/pairs.jsonl --judge 'my judge'" in out.replace("\n", "")
    assert "flip rate" in out
    assert "picks the response shown first 0.500" in out
    assert "6 calls, " in out


def test_pd2_a_judge_that_picks_the_first_place(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    with FakeEndpoint(first_place_answer) as server:
        ran = run(*asked(server, jsonl(*rows_of(8)), tmp_path / "out", "--json"))
    assert ran.json["consistent_wins"] == 0.0
    assert ran.json["flip_rate"] == 1.0
    assert ran.json["first_position_rate"] == 1.0
    assert ran.json["first_position_rate_ci"] == pytest.approx([0.63, 1.0], abs=0.01)
    assert ran.json["counts"]["inconsistent"] == 8
    assert ran.json["counts"]["consistent tie"] == 0
    assert ran.json["consistent_accuracy"] == 0.0


def test_pd1_the_order_is_by_seed_and_id_alone(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint) -> None:
    rows = rows_of(30)
    shuffled = random.Random(1).sample(rows, 30)
    seen = []
    for name, of, more in (("a", rows, ()), ("b", rows, ("--concurrency", "1")), ("c", shuffled, ()), ("d", rows[-10:], ())):
        options = ("--orders", "random", "--seed", "7", "--no-cache", *more)
        assert run(*asked(server, jsonl(*of, name=f"{name}.jsonl"), tmp_path / name, *options)).code == 0
        judgments = read(tmp_path / name / "judgments.jsonl")
        assert {row["seed"] for row in judgments} == {7}
        seen.append({row["id"]: (row["order"], row["verdict"]) for row in judgments})
    assert seen[0] == seen[1] == seen[2]
    assert seen[3].items() <= seen[0].items()
    orders = [order for order, _ in seen[0].values()]
    assert {"AB", "BA"} == set(orders)
    assert orders != [orders_of("random", 8, row["id"])[0] for row in rows]
    games = {row["id"]: row["m-games"] for row in read(tmp_path / "a" / "pairs.jsonl")}
    assert {key: [game["order"] for game in of] for key, of in games.items()} == {
        key: [order] for key, (order, _) in seen[0].items()
    }


def test_given_order(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint) -> None:
    ran = run(*asked(server, jsonl(*rows_of(4)), tmp_path / "out", "--orders", "given", "--json"))
    assert len(server.requests) == 4
    assert "first_position_rate" not in ran.json  # the data's own order says nothing of the judge
    assert {seen_responses(request.body)[0] for request in server.requests} == {row["response1"] for row in rows_of(4)}


def settings(server: FakeEndpoint, **more: Any) -> ChatSettings:
    return ChatSettings(Endpoint(server.url, "m", **more), Limits(8, max_retries=0), cache=False)


def test_votes_name_a_side_or_none(jsonl: Jsonl, tmp_path: Path) -> None:
    """Three samples: A>B, B>A, A>>B -> A>B with the first one's reasons; two that differ -> no verdict, and that is said."""
    said = iter(["A>B", "B>A", "A>>B", "B>A", "A=B", "A>B"])

    def answer(body: dict[str, Any], n: int) -> str:
        verdict = next(said)
        return f"<RESULT_START>\n1. Reason for {verdict} here.\n\\boxed{{{verdict}}}\n<RESULT_END>"

    path = jsonl(*rows_of(2))
    with FakeEndpoint(answer) as server:
        one = ChatSettings(Endpoint(server.url, "m", temperature=0.7, seed=1), Limits(1), cache=False)
        judged = judge(JudgeInput(path), one, tmp_path / "out", JudgeConfig(orders="given", votes=3))
    assert [request.body["seed"] for request in server.requests] == [1, 2, 3, 1, 2, 3]
    (won,), (split,) = [row["m-games"] for row in read(tmp_path / "out" / "pairs.jsonl")]
    assert won["label"] == "A>B"
    assert won["checklist"] == ["Reason for A>B here."]
    assert "votes: A 2, tie 0, B 1" in won["notes"]
    assert split["label"] is None
    assert split["generated_text"] is None
    assert split["checklist"] == ["Reason for B>A here."]
    assert "votes split: A 1, tie 1, B 1" in split["notes"]
    assert judged.verdicts["no verdict"] == 1
    assert judged.calls == 6


def test_a_vote_that_failed_leaves_the_others(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    def answer(body: dict[str, Any], n: int) -> Answered | str:
        return Answered("", finish_reason="stop") if n == 2 else judge_answer(body)

    with FakeEndpoint(answer) as server:
        one = ChatSettings(Endpoint(server.url, "m", temperature=1.0), Limits(1), cache=False)
        judged = judge(JudgeInput(jsonl(*rows_of(1))), one, tmp_path / "out", JudgeConfig(orders="given", votes=3))
    assert judged.failures == {"empty content": 1}
    (row,) = read(tmp_path / "out" / "pairs.jsonl")
    assert row["m-games"][0]["label"]
    assert row["m-games"][0]["notes"][-1].endswith("1 failed")


FAULTS: list[tuple[Answered, str]] = [
    (Answered(None, reasoning="<RESULT_START> \\boxed{A>B}", finish_reason="length"), "empty content, finish_reason=length"),
    (Answered("1. Response A is", finish_reason="length"), "truncated"),
    (Answered(None, finish_reason="content_filter"), "content filter"),
    (
        Answered("{", status=400, raw='{"error": {"code": "context_length_exceeded", "message": "too long"}}'),
        "too long for judge",
    ),
    (Answered(status=400, raw='{"error": {"message": "no"}}'), "bad request"),
]


@pytest.mark.parametrize(("fault", "category"), FAULTS)
def test_failed_calls_are_failures_and_never_verdicts(
    run: Run, jsonl: Jsonl, tmp_path: Path, fault: Answered, category: str
) -> None:
    """JA1, JA9: each ends in its category, the pair stays in the files, and the same command asks again for it only."""
    broken = True

    def answer(body: dict[str, Any], n: int) -> Answered | str:
        return fault if broken and "is 9." in str(body["messages"][1]["content"]) else judge_answer(body)

    path, out = jsonl(*rows_of(5)), tmp_path / "out"
    with FakeEndpoint(answer) as server:
        ran = run(*asked(server, path, out, "--json", "--max-retries", "0"))
        assert ran.code == 0
        assert ran.json["failures"] == {category: 2}
        assert ran.json["counts"]["failed"] == 2
        failures = read(out / "failures.jsonl")
        assert [(row["id"], row["order"], row["category"]) for row in failures] == [
            ("q3", "AB", category),
            ("q3", "BA", category),
        ]
        games = read(out / "pairs.jsonl")[3]["m-games"]
        assert all(game["error"].startswith(category) and "label" not in game for game in games)
        evaluated = run("evaluate", out / "pairs.jsonl", "--judge", "m", "--json")
        assert evaluated.json["judges"]["m"]["counts"]["failed"] == 2
        assert run(*asked(server, path, out, "--max-retries", "0", "--max-failed", "5%")).code == 1
        broken, before = False, len(server.requests)
        ran = run(*asked(server, path, out, "--json", "--max-failed", "5%"))
        assert ran.code == 0
        assert len(server.requests) == before + 2
        assert read(out / "failures.jsonl") == []
    with FakeEndpoint(judge_answer, port=server.port) as again:
        assert run(*asked(again, path, tmp_path / "whole", "--no-cache")).code == 0
    assert files(out) == files(tmp_path / "whole")


def test_an_endpoint_that_never_answers_gets_no_figure(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    with FakeEndpoint(lambda body, n: Answered(status=500, raw="{}")) as server:
        ran = run(*asked(server, jsonl(*rows_of(3)), tmp_path / "out", "--max-retries", "0"))
    assert ran.code == 1
    assert "no verdict: 6 failed" in ran.out
    assert "0.000" not in ran.out
    said = " ".join(run("evaluate", tmp_path / "out" / "pairs.jsonl", "--judge", "m").out.split())
    assert "0.00" not in said
    assert "3 pairs without a verdict in one order or both" in said
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    for name in ("outcome_accuracy", "outcome_accuracy_all", "consistent_accuracy"):
        assert (summary[name], summary[f"{name}_n"]) == (None, 0)


def test_reasoning_is_no_answer_unless_asked_for(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    said = "<RESULT_START>\n1. Response A is right.\n\\boxed{A>B}\n<RESULT_END>"
    with FakeEndpoint(lambda body, n: Answered(None, reasoning=said)) as server:
        path = jsonl(*rows_of(1))
        assert run(*asked(server, path, tmp_path / "a", "--json")).json["failures"] == {"empty content": 2}
        assert run(*asked(server, path, tmp_path / "b", "--json", "--reasoning-as-answer")).json["verdicts"]["A>B"] == 1


def test_resume_ends_with_the_files_of_an_unbroken_run(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint) -> None:
    path = jsonl(*rows_of(20))
    assert run(*asked(server, path, tmp_path / "whole", "--no-cache")).code == 0
    before = len(server.requests)
    stopped = run(*asked(server, path, tmp_path / "out", "--no-cache", "--budget", "8000tokens", "--concurrency", "2"))
    assert stopped.code == 3
    assert "budget" in stopped.err
    assert not (tmp_path / "out" / "pairs.jsonl").exists()
    done = len(read(tmp_path / "out" / "judgments.jsonl"))
    assert 0 < done < 40
    with (tmp_path / "out" / "judgments.jsonl").open("ab") as handle:
        handle.write(b'{"id": "q1", "order": "A')  # a kill in the middle of a line
    assert run(*asked(server, path, tmp_path / "out", "--no-cache")).code == 0
    assert len(server.requests) - before == 40
    assert files(tmp_path / "out") == files(tmp_path / "whole")


def test_a_row_whose_text_has_changed_is_asked_again(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint) -> None:
    rows = rows_of(4)
    assert run(*asked(server, jsonl(*rows), tmp_path / "out")).code == 0
    rows[2]["response2"] = "Something else."
    del rows[0]
    assert run(*asked(server, jsonl(*rows), tmp_path / "out")).code == 0
    assert len(server.requests) == 8 + 2
    assert [row["id"] for row in read(tmp_path / "out" / "pairs.jsonl")] == ["q1", "q2", "q3"]
    assert seen_responses(server.requests[-1].body)[0] in ("Something else.", rows[1]["response1"])


def test_another_configuration_is_refused(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint) -> None:
    path = jsonl(*rows_of(2))
    assert run(*asked(server, path, tmp_path / "out")).code == 0
    for more in (("--votes", "3"), ("--orders", "given"), ("--temperature", "1"), ("--max-response-chars", "9")):
        ran = run(*asked(server, path, tmp_path / "out", *more))
        assert ran.code == 2
        assert "give --out another folder" in ran.err
    for harmless in (("--concurrency", "3"), ("--budget", "1Mtokens"), ("--max-failed", "5%")):
        assert run(*asked(server, path, tmp_path / "out", *harmless)).code == 0
    assert len(server.requests) == 4
    config = json.loads((tmp_path / "out" / "run.json").read_text())["config"]
    assert config["model"] == "m"
    assert "concurrency" not in config


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda rows: rows.append(dict(rows[0])), "id 'q0' is in row 1 too"),
        (lambda rows: rows[3].pop("response2"), "row 4, field 'response2'"),
        (lambda rows: rows[3].update(response1=["a"]), "row 4"),
        (lambda rows: rows[3].update(context=3), "row 4, field 'context'"),
        (lambda rows: rows[0].update({"M-label": "A>B"}), "has answers of a judge 'M' already; give this one another --name"),
    ],
)
def test_bad_rows_are_found_before_the_first_call(
    run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint, spoil: Any, problem: str
) -> None:
    rows = rows_of(6)
    spoil(rows)
    ran = run(*asked(server, jsonl(*rows), tmp_path / "out"))
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert problem in ran.err
    assert server.requests == []
    assert not (tmp_path / "out").exists()


def test_bad_rows_can_be_left_out(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint) -> None:
    rows = rows_of(4)
    rows[1]["context"] = 3
    del rows[0]["id"]
    ran = run(*asked(server, jsonl(*rows), tmp_path / "out", "--skip-bad", "--json"))
    assert ran.json["bad_rows"] == 1
    assert [row["id"] for row in read(tmp_path / "out" / "pairs.jsonl")] == ["1", "q2", "q3"]
    assert read(tmp_path / "out" / "failures.jsonl")[0]["what"] == "bad row"


def test_stdin_is_read_twice(run: Run, tmp_path: Path, server: FakeEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    data = "".join(json.dumps(row) + "\n" for row in rows_of(3))
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(data.encode())))
    ran = run("judge", "-", "--model", "m", "--base-url", server.url, "--out", tmp_path / "out", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["pairs"] == 3


def test_rows_without_labels_or_human_reasons(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint) -> None:
    rows = [{"prompt": f"Q{k}", "response_a": f"a{k}", "response_b": f"b{k}"} for k in range(3)]
    ran = run(*asked(server, jsonl(*rows), tmp_path / "out", "--json"))
    assert ran.json["outcome_accuracy"] is None
    assert ran.json["counts"]["unlabelled"] == 3
    evaluated = run("evaluate", tmp_path / "out" / "pairs.jsonl", "--judge", "m", "--json")
    assert evaluated.code == 0, evaluated.err
    assert evaluated.json["judges"]["m"]["counts"]["no human reasons"] == 6


def test_dry_run_sends_and_writes_nothing(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint) -> None:
    path = jsonl(*rows_of(5))
    prices = ("--price-in", "1", "--price-out", "2")
    ran = run(*asked(server, path, tmp_path / "out", "--dry-run", *prices))
    assert ran.code == 0
    assert "5 rows, 10 calls to make" in ran.out
    assert not (tmp_path / "out").exists()
    assert run(*asked(server, path, tmp_path / "out")).code == 0
    assert "0 calls to make" in run(*asked(server, path, tmp_path / "out", "--dry-run")).out
    assert len(server.requests) == 10


def test_top_k_and_cutting(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint) -> None:
    ran = run(*asked(server, jsonl(*rows_of(2)), tmp_path / "out", "--top-k", "2", "--max-response-chars", "15"))
    assert ran.code == 0
    judgments = read(tmp_path / "out" / "judgments.jsonl")
    assert all(len(row["reasons"]) == 2 for row in judgments)
    assert "response A cut to its first 15 of" in str(judgments[0]["notes"])
    assert all(len(game["checklist"]) == 2 for row in read(tmp_path / "out" / "pairs.jsonl") for game in row["m-games"])


def test_prose_is_left_to_its_reader(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    said = "Response A gives the right year. Response B invents a source.\n\\boxed{A>B}"
    with FakeEndpoint(lambda body, n: said) as server:
        assert run(*asked(server, jsonl(*rows_of(1)), tmp_path / "out", "--orders", "given")).code == 0
    ((game,),) = [row["m-games"] for row in read(tmp_path / "out" / "pairs.jsonl")]
    assert "checklist" not in game
    evaluated = run("evaluate", tmp_path / "out" / "pairs.jsonl", "--json")
    assert evaluated.json["judges"]["m"]["counts"]["prose"] == 1


def test_op3_a_models_id_is_no_file_name(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint) -> None:
    path = jsonl(*rows_of(1))
    for k, model in enumerate(("Qwen/Qwen3-30B-A3B", "../../etc/x", "..\\..\\x", "con", "模型")):
        out = tmp_path / "runs" / str(k)
        assert run("judge", path, "--model", model, "--base-url", server.url, "--out", out).code == 0
        assert {file.name for file in out.iterdir()} == {*MADE, "usage.jsonl"}
        assert json.loads((out / "run.json").read_text("utf-8"))["config"]["model"] == model
        evaluated = run("evaluate", out / "pairs.jsonl", "--judge", model, "--json")
        assert set(evaluated.json["judges"]) == {model}
    assert sorted(file.name for file in tmp_path.iterdir()) == ["cache", "in.jsonl", "runs"]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (("--votes", "0"), "--votes is 0"),
        (("--name", "human"), "needs a name of its own"),
        (("--max-response-chars", "0"), "--max-response-chars is 0"),
        (("--limit", "0"), "--limit is 0"),
        (("--candidates", "a", "b"), "give a file of pairs, or two files"),
    ],
)
def test_wrong_use(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint, more: tuple[str, ...], problem: str) -> None:
    ran = run(*asked(server, jsonl(*rows_of(1)), tmp_path / "out", *more))
    assert ran.code == 2
    assert problem in ran.err


def candidates(server: FakeEndpoint, one: Path, two: Path, out: Path, *more: str) -> list[str]:
    return ["judge", "--candidates", str(one), str(two), "--model", "m", "--base-url", server.url, "--out", str(out), *more]


def test_candidates_are_joined_by_id(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint) -> None:
    one = jsonl(*({"id": k, "prompt": f"Q{k}", "response": f"one {k}"} for k in range(4)), name="one.jsonl")
    two = jsonl(*({"id": k, "question": f"Q{k}", "output": f"two {k}"} for k in (3, 1, 0, 2)), name="two.jsonl")
    ran = run(*candidates(server, one, two, tmp_path / "out", "--json"))
    assert ran.code == 0, ran.err
    rows = read(tmp_path / "out" / "pairs.jsonl")
    assert [(row["id"], row["response1"], row["response2"]) for row in rows] == [
        (str(k), f"one {k}", f"two {k}") for k in range(4)
    ]
    assert rows[0]["context"] == [{"role": "user", "content": "Q0"}]
    assert run(*candidates(server, one, two, tmp_path / "out")).code == 0
    assert len(server.requests) == 8


def test_candidates_without_ids_are_joined_by_prompt(run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint) -> None:
    turns = [{"role": "user", "content": "Q1"}, {"role": "assistant", "content": {"answer": "one"}}]
    one = jsonl({"messages": turns}, name="one.jsonl")
    two = jsonl({"prompt": "Q0", "text": "other"}, {"prompt": "Q1", "text": "two"}, name="two.jsonl")
    ran = run(*candidates(server, one, two, tmp_path / "out"))
    assert ran.code == 2
    assert "row 1 has no counterpart" in ran.err
    ran = run(*candidates(server, one, two, tmp_path / "out", "--skip-bad", "--json"))
    assert ran.json["left_out"] == 1
    (row,) = read(tmp_path / "out" / "pairs.jsonl")
    assert (row["response1"], row["response2"]) == ("one", "two")


@pytest.mark.parametrize(
    ("one", "two", "problem"),
    [
        ([{"id": 1, "response": "a"}, {"id": 1, "response": "b"}], [{"id": 1, "response": "c"}], "id '1' twice"),
        ([{"id": 1, "response": "a"}], [{"id": 1, "response": "c"}, {"id": 1, "response": "d"}], "id '1' twice"),
        ([{"id": 1, "response": "a"}], [{"id": 2, "response": "c"}], "id '1' has no counterpart"),
        ([{"id": 1, "prompt": "x", "response": "a"}], [{"id": 1, "prompt": "y", "response": "c"}], "has another prompt"),
        ([{"id": 1, "resp": "a"}], [{"id": 1, "response": "c"}], "point --response-field"),
    ],
)
def test_candidates_that_do_not_join(
    run: Run, jsonl: Jsonl, tmp_path: Path, server: FakeEndpoint, one: Any, two: Any, problem: str
) -> None:
    ran = run(*candidates(server, jsonl(*one, name="1.jsonl"), jsonl(*two, name="2.jsonl"), tmp_path / "out"))
    assert ran.code == 2
    assert problem in ran.err
    assert ran.err.count("\n") == 1
    assert server.requests == []
