"""What broke under attack: `judge`, `decompose`, `match`, `evaluate --audit`, `export` against a real HTTP server.

Each test is a fault that was found, with what should happen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rationalerm.run.live
from endpoint import Answered, FakeEndpoint, best_answer, decompose_answer, judge_answer

Run = Callable[..., Any]
Jsonl = Callable[..., Path]


@pytest.fixture(autouse=True)
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def pairs(n: int) -> list[dict[str, Any]]:
    return [
        {"id": f"q{k}", "prompt": f"Q{k}?", "response1": f"one {k}", "response2": f"two {k}", "overall_preference": -1}
        for k in range(n)
    ]


def lists(n: int, reasons: int = 2) -> list[dict[str, Any]]:
    """Rows with the human's reasons and a judge's."""
    own = ("human-checklist", "m-checklist")
    return [
        row | {own[0]: [f"Response 1 h{row['id']} {i}" for i in range(2)], "m-label": -1}
        | {own[1]: [f"Response A {row['id']} {i}" for i in range(reasons)]}
        for row in pairs(n)
    ]  # fmt: skip


def asked(command: str, server: FakeEndpoint, *words: str | Path) -> list[str]:
    return [command, *map(str, words), "--model", "m", "--base-url", server.url]


def matched(server: FakeEndpoint, path: Path, out: Path, *more: str | Path) -> list[str]:
    return asked("match", server, path, "--judge", "m", "--out", out, *more)


def audited(server: FakeEndpoint, path: Path, out: Path, *more: str | Path) -> list[str]:
    words = (path, "--judge", "m", "--matcher", "lexical", "--audit", "5", "--out", out, "--json", *more)
    return asked("evaluate", server, *words)


def says(text: str) -> FakeEndpoint:
    return FakeEndpoint(lambda body, n: text)


def test_a_failed_call_leaves_no_old_list(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    rows = [{"id": k, "m-generated_text": f"Response A has {k} errors in it.", "m-checklist": ["OLD"]} for k in range(3)]
    rows += [
        {"id": k, "m-games": [{"order": "AB", "generated_text": f"Response A has {k} errors in it.", "checklist": ["OLD"]}]}
        for k in range(10, 13)
    ]

    def answer(body: dict[str, Any], n: int) -> Answered | str:
        return Answered("") if re.search(r"has 1?1 errors", str(body["messages"])) else decompose_answer(body)

    with FakeEndpoint(answer) as server:
        words = ("--side", "judge", "--judge", "m", "--overwrite", "--out", tmp_path / "out.jsonl", "--json")
        ran = run(*asked("decompose", server, jsonl(*rows), *words))
    assert ran.json["failed"] == 2
    assert "OLD" not in (tmp_path / "out.jsonl").read_text()  # commands.md: "is there without the list"


@pytest.mark.parametrize("orders", [("AB", "AB"), (None, None), ("BA", "swapped")])
def test_two_games_in_one_order_are_refused_before_they_are_paid_for(
    run: Run, jsonl: Jsonl, tmp_path: Path, orders: tuple[str | None, ...]
) -> None:
    games = [{"order": order, "generated_text": f"Response A has {k} errors in it."} for k, order in enumerate(orders)]
    with FakeEndpoint(decompose_answer, latency=lambda n: 0.3 / n) as server:  # the first is answered last
        path = jsonl({"id": 1, "m-games": games})
        ran = run(*asked("decompose", server, path, "--side", "judge", "--judge", "m", "--out", tmp_path / "o.jsonl"))
    assert ran.code == 2, ran.out  # as `evaluate` says it: "has two games in one order"
    assert not server.requests


def test_repeats_of_imported_rows_are_not_the_matchers_own_noise(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl(*lists(6))
    with says("<RESULT_START>\n- R1@S1: 1\n- R2@S2: 1\n<RESULT_END>") as server:
        run(*matched(server, path, tmp_path / "first"))
    assert run("export", tmp_path / "first", "--released", "--out", tmp_path / "files").code == 0
    with says("<RESULT_START>\n- R1@S0: 0\n- R2@S0: 0\n<RESULT_END>") as server:
        ran = run(*matched(server, path, tmp_path / "o", "--repeats", "3", "--import", tmp_path / "files", "--json"))
    assert ran.code == 2
    assert "give one of the two" in ran.err


@pytest.mark.parametrize("more", [(), ("--max-failed", "1%")])
def test_an_audit_that_failed_is_a_finding(run: Run, jsonl: Jsonl, tmp_path: Path, more: tuple[str, ...]) -> None:
    with FakeEndpoint(lambda body, n: Answered("")) as server:
        ran = run(*audited(server, jsonl(*lists(8)), tmp_path / "o", *more))
    assert ran.json["audit"]["rows"] == 0
    assert ran.json["audit"]["failures"] == {"empty content": 5}
    assert ran.code == 1
    assert [row["what"] for row in read(tmp_path / "o" / "failures.jsonl")] == ["audit failed"] * 5


def test_what_an_audit_used_is_said(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    with FakeEndpoint(best_answer) as server:
        ran = run(*audited(server, jsonl(*lists(8)), tmp_path / "o", "--price-in", "3", "--price-out", "7"))
    assert ran.code == 0, ran.err
    assert len(read(tmp_path / "o" / "usage.jsonl")) == 1  # endpoints.md: "each run that comes to an end adds a line"
    assert read(tmp_path / "o" / "usage.jsonl")[0]["calls"] == len(server.requests) == 5
    assert "5 calls" in ran.err


def test_an_audit_is_not_paid_for_twice(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl(*lists(8))
    with FakeEndpoint(best_answer) as server:
        for _ in range(2):
            ran = run(*audited(server, path, tmp_path / "o", "--no-cache"))
            assert ran.code == 0, ran.err
    assert len(read(tmp_path / "o" / "audit.jsonl")) == 5
    assert len(server.requests) == 5


def test_the_matchings_of_a_local_audit_are_kept(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    with FakeEndpoint(best_answer) as server:
        words = (jsonl(*lists(8)), "--judge", "m", "--matcher", "llm", "--audit", "5", "--audit-matcher", "lexical")
        ran = run(*asked("evaluate", server, *words, "--out", tmp_path / "o", "--json"))
    assert ran.code == 0, ran.err
    assert len(read(tmp_path / "o" / "audit.jsonl")) == 5


def test_judge_counts_answers_without_reasons(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    with says("\\boxed{A>B}") as server:
        ran = run(*asked("judge", server, jsonl(*lists(3)), "--name", "j", "--out", tmp_path / "o", "--json"))
    evaluated = run("evaluate", tmp_path / "o" / "pairs.jsonl", "--judge", "j", "--matcher", "lexical", "--json")
    assert evaluated.json["judges"]["j"]["counts"]["no reasons"] == 6
    assert ran.json["counts"]["no reasons"] == 6


def test_top_k_holds_for_prose_too(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    prose = (
        "Response A is right about the year 1912 in its second line. Response B gets the year wrong, saying 1913. "
        "Response A also cites the source by name. Overall, \\boxed{A>B}"
    )
    with says(prose) as server:
        run(*asked("judge", server, jsonl(*lists(2)), "--name", "j", "--top-k", "1", "--out", tmp_path / "o"))
    assert all(len(row["reasons"]) == 1 for row in read(tmp_path / "o" / "judgments.jsonl"))
    words = ("--judge", "j", "--matcher", "lexical", "--out", tmp_path / "e")
    assert run("evaluate", tmp_path / "o" / "pairs.jsonl", *words).code == 0
    assert {row["n_model"] for row in read(tmp_path / "e" / "rows.jsonl")} == {1}


@pytest.mark.parametrize("marker", ["<RESULT_END>", "`<RESULT_END>`"])
def test_a_reason_may_quote_the_end_marker(run: Run, jsonl: Jsonl, tmp_path: Path, marker: str) -> None:
    reasons = f"1. Response A prints {marker} in line 4.\n2. Response B has 3 items."
    with says(f"<RESULT_START>\n{reasons}\n\n\\boxed{{B>A}}\n<RESULT_END>") as server:
        run(*asked("judge", server, jsonl(*pairs(1)), "--out", tmp_path / "o", "--orders", "given"))
    (row,) = read(tmp_path / "o" / "judgments.jsonl")
    assert row["verdict"] == "B>A"
    assert len(row["reasons"]) == 2


def test_a_kept_reason_may_quote_the_end_marker(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    lines = "- KEEP: Response 1 prints <RESULT_END> in line 4\n- DROP (vague): nice"
    with says(f"<RESULT_START>\n{lines}\n<RESULT_END>") as server:
        words = (jsonl({"id": 1, "text": "words"}), "--field", "text", "--out", tmp_path / "o.jsonl", "--json")
        ran = run(*asked("decompose", server, *words))
    assert (ran.json["failed"], ran.json["kept"], ran.json["dropped"]) == (0, 1, {"vague": 1})


def test_progress_of_a_resumed_match_expects_what_it_will_cost(
    run: Run, jsonl: Jsonl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rationalerm.run.live, "_PLAIN_S", 0.25)
    with FakeEndpoint(best_answer) as server:
        words = ("--price-in", "100", "--price-out", "100", "--concurrency", "1", "--json")
        run(*matched(server, jsonl(*lists(40)), tmp_path / "o", *words))
        server.latency = lambda n: 0.1
        ran = run(*matched(server, jsonl(*lists(50)), tmp_path / "o", *words))
    assert ran.json["usage"]["calls"] == 10
    expected = [float(found) for found in re.findall(r"cost \S+ of (\S+) expected", ran.err)]
    assert expected
    assert expected[0] == pytest.approx(ran.json["usage"]["cost"], rel=0.3)


def test_a_dry_run_knows_what_is_imported(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    path = jsonl(*lists(6))
    with FakeEndpoint(best_answer) as server:
        run(*matched(server, path, tmp_path / "first"))
        run("export", tmp_path / "first", "--released", "--out", tmp_path / "files")
        ran = run(*matched(server, path, tmp_path / "o", "--import", tmp_path / "files", "--dry-run", "--json"))
    assert ran.json["calls"] == 0


@pytest.mark.parametrize("top_k", ["3", "none"])
def test_exported_files_of_another_top_k(run: Run, jsonl: Jsonl, tmp_path: Path, top_k: str) -> None:
    with FakeEndpoint(best_answer) as server:
        ran = run(*matched(server, jsonl(*lists(12, reasons=8)), tmp_path / "o", "--top-k", top_k, "--json"))
    exported = run("export", tmp_path / "o", "--released", "--out", tmp_path / "files")
    assert f"score them with --top-k {top_k}" in exported.out
    scored = run("score", tmp_path / "files", "--top-k", top_k, "--json").json["judges"]["m"]
    assert scored["precision"] == pytest.approx(ran.json["judges"]["m"]["precision"])


def test_dropped_remarks_of_signs_alone_are_counted(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    lines = "- KEEP: Response 1 has 3 items\n- DROP (vague): \N{THUMBS UP SIGN}\N{THUMBS UP SIGN}\n- DROP (vague): ???"
    with says(f"<RESULT_START>\n{lines}\n<RESULT_END>") as server:
        words = (jsonl({"id": 1, "text": "words"}), "--field", "text", "--out", tmp_path / "o.jsonl", "--json")
        ran = run(*asked("decompose", server, *words))
    assert ran.json["dropped"] == {"vague": 2}


def test_the_next_command_knows_the_id_field(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    rows = [row | {"uid": row["id"], "id": "same"} for row in pairs(3)]
    with FakeEndpoint(judge_answer) as server:
        ran = run(*asked("judge", server, jsonl(*rows), "--id-field", "uid", "--out", tmp_path / "o"))
    assert ran.code == 0, ran.err
    assert "--id-field uid" in ran.out
    assert run("evaluate", tmp_path / "o" / "pairs.jsonl", "--judge", "m", "--id-field", "uid", "--matcher", "lexical").code == 0


def test_labels_of_candidates_are_refused(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    first = jsonl(*({"id": k, "prompt": "p", "response": f"a{k}", "gold": "A"} for k in range(3)), name="a.jsonl")
    second = jsonl(*({"id": k, "prompt": "p", "response": f"b{k}"} for k in range(3)), name="b.jsonl")
    with FakeEndpoint(judge_answer) as server:
        words = ("--candidates", first, second, "--label-field", "gold", "--out", tmp_path / "o", "--json")
        ran = run(*asked("judge", server, *words))
    assert ran.code == 2
    assert "candidates have no human's label" in ran.err


def test_candidates_of_which_nothing_is_left(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    first = jsonl({"id": 1, "prompt": "p", "response": None}, name="a.jsonl")
    second = jsonl({"id": 1, "prompt": "p", "response": "b"}, name="b.jsonl")
    with FakeEndpoint(judge_answer) as server:
        ran = run(*asked("judge", server, "--candidates", first, second, "--skip-bad", "--out", tmp_path / "o"))
    assert ran.code == 2
    assert "rationalerm-" not in ran.err
    assert "a.jsonl" in ran.err


@pytest.mark.parametrize(
    ("old", "new"), [('"status":"given"', '"state":"given"'), ('"verdict":"', '"verdict":"C>>'), ('"id":"0"', '"id":0')]
)
def test_a_damaged_answer_is_one_row_to_do_again(run: Run, jsonl: Jsonl, tmp_path: Path, old: str, new: str) -> None:
    path = jsonl(*({**row, "id": str(k)} for k, row in enumerate(pairs(4))))
    with FakeEndpoint(judge_answer) as server:
        words = asked("judge", server, path, "--out", tmp_path / "o", "--json")
        before = run(*words).json
        file = tmp_path / "o" / "judgments.jsonl"
        file.write_text(file.read_text().replace(old, new, 1))
        after = run(*words).json
    assert after["verdicts"] == before["verdicts"]


def test_a_model_named_human(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    with FakeEndpoint(judge_answer) as server:
        words = ("judge", str(jsonl(*pairs(1))), "--model", "human", "--base-url", server.url, "--out", str(tmp_path / "o"))
        assert run(*words).code == 2
    assert not server.requests


@pytest.mark.parametrize("command", ["evaluate", "match", "demo"])
def test_no_other_command_takes_over_a_judges_directory(run: Run, jsonl: Jsonl, tmp_path: Path, command: str) -> None:
    out = tmp_path / "o"
    with FakeEndpoint(judge_answer) as server:
        words = asked("judge", server, jsonl(*lists(4)), "--name", "j", "--out", out, "--no-cache")
        assert run(*words).code == 0
    paid = (out / "judgments.jsonl").read_bytes()
    with FakeEndpoint(best_answer) as server:
        others = {
            "evaluate": ["evaluate", out / "pairs.jsonl", "--judge", "j", "--matcher", "lexical", "--out", out],
            "match": asked("match", server, out / "pairs.jsonl", "--judge", "j", "--out", out),
            "demo": ["demo", "--out", out],
        }
        ran = run(*others[command])
    assert (out / "judgments.jsonl").read_bytes() == paid
    assert ran.code == 2
    assert json.loads((out / "run.json").read_text())["command"] == "judge"
