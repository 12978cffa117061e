"""JudgeBench: the pair rule, groups, splits; every entry of the expected scores from the real output files."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rationalerm import parse_judgment
from rationalerm.bench.base import NOT_RUN, Played
from rationalerm.bench.judgebench import JudgeBench
from rationalerm.run.bench_data import BenchData
from rationalerm.run.bench_file import FileOptions, bench_file
from rationalerm.types import Message, Pair, Verdict

Run = Callable[..., Any]
Jsonl = Callable[..., Path]


def pair(key: str, source: str = "livebench-math", label: int = -1) -> Pair:
    return Pair(key, (Message("user", f"q {key}"),), "short", "a longer one", label, domain=source, cluster=f"q {key}")  # type: ignore[arg-type]


def played(*verdicts: int | None) -> list[Played]:
    return [Played(None, "none") if v is None else Played(Verdict(v)) for v in verdicts]


def test_the_expected_scores_come_out_exactly(shared: Path, run: Run) -> None:
    folder = shared / "data" / "judgebench"
    expected = json.loads((folder / "expected_scores.json").read_text("utf-8"))
    assert len(expected) == 9
    for name, groups in expected.items():
        pairs = folder / f"pairs_{groups['split']}.jsonl"
        ran = run(
            "bench", "judgebench", "--judge", "file", "--outputs", folder / f"outputs_{name}.jsonl", "--data", pairs, "--json"
        )
        assert ran.code == 0
        got = ran.json["groups"] | {"Overall": ran.json["overall"]}
        assert set(got) == set(groups) - {"split"}
        for group, figures in groups.items():
            if group == "split":
                continue
            assert got[group]["n"] == figures["n"]
            assert got[group]["score"] == 100 * figures["correct"] / figures["n"]  # unrounded
            assert round(got[group]["score"], 2) == figures["score"]
        all_pairs = len(pairs.read_bytes().splitlines())
        assert ran.json["counts"]["pairs not run"] == all_pairs - ran.json["overall"]["n"]


def test_reparsing_the_real_texts_changes_what_it_says_it_changes(shared: Path) -> None:
    """The file's own reader calls two labels in one text none; ours takes the judge's last one. Nothing else differs."""
    folder = shared / "data" / "judgebench"
    found = {}
    for split in ("gpt", "claude"):
        outputs = [str(path) for path in sorted(folder.glob("outputs_*.jsonl")) if ("haiku" in path.name) == (split == "claude")]
        data = BenchData((str(folder / f"pairs_{split}.jsonl"),))
        plain = {one.judge: one for one in bench_file("judgebench", data, outputs)}
        for one in bench_file("judgebench", data, outputs, FileOptions(reparse=True)):
            found[one.judge] = one.result.tables["reparsed"]
            before = {
                key: None if game.verdict is None else game.verdict.side for key, game in plain[one.judge].outputs.games.items()
            }
            after = {key: None if game.verdict is None else game.verdict.side for key, game in one.outputs.games.items()}
            changed = {key for key in before if before[key] != after[key]}
            assert changed == {(row["id"], row["order"]) for row in found[one.judge]["rows"]}
    texts = {name: table["games"] for name, table in found.items() if table["games"]}
    assert texts == {"outputs_arena_hard__o1-mini-2024-09-12": 356, "outputs_arena_hard__claude-3-haiku-20240307": 274}
    rows = [row for table in found.values() for row in table["rows"]]
    assert len(rows) == found["outputs_arena_hard__claude-3-haiku-20240307"]["differ"] == 7
    for row in rows:
        assert row["file"] is None
        assert row["parsed"] is not None
        assert any(note.startswith("two different verdicts seen") for note in row["notes"])


def test_the_pair_rule_by_brute_force() -> None:
    """Right and tie is right; right and wrong, tie and tie, wrong and anything is not; a missing verdict is a tie."""
    for label, first, second in itertools.product((-1, 1), (-2, -1, 0, 1, 2, None), (-2, -1, 0, 1, 2, None)):
        protocol = JudgeBench([pair("p", label=label)])
        games = dict(zip((("p", "AB"), ("p", "BA")), played(first, second), strict=True))
        turned = None if second is None else -second
        total = sum((v > 0) - (v < 0) for v in (first, turned) if v is not None) * label
        assert protocol.result(games, {}).overall.value == 100.0 * (total > 0)


def test_groups_and_a_pair_that_was_not_run() -> None:
    sources = ("mmlu-pro-law", "livebench-reasoning", "livebench-math", "livecodebench", "own")
    protocol = JudgeBench([pair(str(k), source) for k, source in enumerate(sources)])
    games = {(str(k), order): Played(Verdict(v)) for k in range(4) for order, v in (("AB", -1), ("BA", 1))}
    games["4", "AB"] = Played(None, NOT_RUN)
    result = protocol.result(games, {})
    assert list(result.groups) == ["Knowledge", "Reasoning", "Math", "Coding"]
    assert result.overall.value == 100.0
    assert result.overall.n == 4
    assert result.counts["pairs not run"] == 1
    assert result.counts["not run"] == 2


def test_one_game_of_two_is_said_and_counts() -> None:
    result = JudgeBench([pair("p")]).result({("p", "AB"): Played(Verdict.A_BETTER)}, {})
    assert result.overall.value == 100.0
    assert (result.counts["given"], result.counts["not run"]) == (1, 1)
    assert (result.counts["pairs run in part"], result.counts["pairs on one game"]) == (1, 1)
    assert result.tables["answered"]["n"] == 0  # it has no verdict in both games


def test_pairs_that_hang_on_one_game_are_counted_and_said(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    """Decided by the benchmark's rule, a missing game adds 0; but how many pairs are so is in the table and in each file."""
    rows = [
        {"pair_id": f"p{k}", "source": "livecodebench", "question": f"q{k}", "response_A": "a", "response_B": "b", "label": "A>B"}
        for k in range(6)
    ]
    games: list[list[Any]] = [
        [{"decision": "A>B"}, {"decision": "B>A"}],  # whole
        [{"decision": "A>B"}],  # right, on one game
        [{"decision": "B>A"}],  # wrong, on one game
        [{"decision": None}],  # run in part, no verdict
        [{"decision": "A>B"}, None],  # both were asked, one failed
    ]
    outputs = jsonl(*({"pair_id": f"p{k}", "judgments": two} for k, two in enumerate(games)), name="outputs.jsonl")
    words = ("bench", "judgebench", "--judge", "file", "--data", jsonl(*rows, name="data.jsonl"), "--outputs", outputs)
    ran = run(*words, "--json", "--out", tmp_path / "kept")
    assert ran.json["overall"]["score"] == pytest.approx(100 * 3 / 5)
    assert ran.json["answered"]["n"] == 1
    kept = json.loads((tmp_path / "kept" / "summary.json").read_text("utf-8"))
    for counts in (ran.json["counts"], kept["counts"]):
        names = ("pairs not run", "pairs run in part", "pairs on one game", "not run", "none", "failed")
        assert [counts[name] for name in names] == [1, 3, 3, 5, 1, 1]
    table = run(*words).out
    assert "3 of 6 pairs run in part: of their two games one is there" in table
    assert "3 pairs hang on one game" in table


def test_one_of_two_scores_is_a_failure(run: Run, jsonl: Jsonl) -> None:
    """No verdict, and not a pair that was never run."""
    rows = [
        {"pair_id": f"p{k}", "source": "livecodebench", "question": f"q{k}", "response_A": "a", "response_B": "b", "label": "A>B"}
        for k in range(4)
    ]
    scores = {"p0:A": 2, "p0:B": 1, "p1:A": 2, "p2:B": 2}
    outputs = jsonl(*({"id": key, "score": score} for key, score in scores.items()), name="scores.jsonl")
    words = ("bench", "judgebench", "--judge", "file", "--data", jsonl(*rows, name="data.jsonl"), "--outputs", outputs)
    said = run(*words, "--json").json
    assert (said["overall"]["n"], said["answered"]["n"]) == (3, 1)
    assert said["overall"]["score"] == pytest.approx(100 / 3)
    names = ("given", "failed", "pairs not run", "pairs run in part")
    assert [said["counts"][name] for name in names] == [1, 2, 1, 2]
    table = run(*words).out
    assert "2 of 4 pairs run in part: one of two scores, so no verdict" in table
    assert "no verdict in 2 of 3 games (2 failed)" in table


def test_both_splits_have_a_table_each(shared: Path) -> None:
    folder = shared / "data" / "judgebench"
    files = (str(folder / "pairs_gpt.jsonl"), str(folder / "pairs_claude.jsonl"))
    outputs = str(folder / "outputs_arena_hard__claude-3-haiku-20240307.jsonl")
    (one,) = bench_file("judgebench", BenchData(files), [outputs])
    assert one.result.counts["pairs"] == 620
    assert set(one.result.tables["splits"]) == {"claude"}
    games = {(c.id, order): Played(Verdict(-1)) for c in one.protocol.contests() for order in c.orders}
    both = one.protocol.result(games, {})
    splits = both.tables["splits"]
    assert (splits["gpt"]["overall"]["n"], splits["claude"]["overall"]["n"]) == (350, 270)
    assert {name: group["n"] for name, group in splits["claude"]["groups"].items()} == {
        "Knowledge": 154, "Reasoning": 51, "Math": 34, "Coding": 31,
    }  # fmt: skip
    assert both.overall.value == 0.0  # the first in both games: right once, wrong once


def test_a_scalar_judge_larger_wins() -> None:
    protocol = JudgeBench([pair("p"), pair("q"), pair("r"), pair("s", label=1)])
    ids = [candidate.id for candidate in protocol.candidates()]
    assert ids[:2] == ["p:A", "p:B"]
    scores = {"p:A": 2.0, "p:B": 1.0, "q:A": 1.0, "q:B": 1.0, "r:A": None, "r:B": 1.0, "s:A": -3.0, "s:B": -1.0}
    result = protocol.result({}, scores)
    assert result.overall.value == 50.0
    assert result.counts["ties"] == 1
    assert result.counts["failed"] == 1  # no finite number is a failure, never a score
    assert "flip_rate" not in result.effects  # it sees no order


def test_pd2_the_first_place_each_time() -> None:
    """PD2: a judge that always picks the first response wins no pair, and none of it is a tie."""
    protocol = JudgeBench([pair(str(k), label=(-1, 1)[k % 2]) for k in range(10)])
    games = {(c.id, order): Played(Verdict.A_BETTER) for c in protocol.contests() for order in c.orders}
    result = protocol.result(games, {})
    assert result.overall.value == 0.0
    assert result.tables["outcomes"] == {"right": 0, "wrong": 0, "undecided": 10, "no verdict": 0, "failed": 0}
    assert result.effects["first_position_rate"].value == 1.0
    assert result.effects["flip_rate"].value == 1.0
    assert result.effects["consistent_wins"].value == result.effects["consistent_ties"].value == 0.0


def test_length_bias_against_the_label() -> None:
    """response_b is the longer one throughout; a judge that always takes it, against labels of which half do."""
    protocol = JudgeBench([pair(str(k), label=(-1, 1)[k % 2]) for k in range(10)])
    games = {(str(k), order): Played(Verdict(v)) for k in range(10) for order, v in (("AB", 1), ("BA", -1))}
    result = protocol.result(games, {})
    assert result.effects["longer_wins"].value == 1.0
    assert result.effects["label_longer"].value == 0.5


@pytest.mark.parametrize(
    "text",
    [
        "At first sight \\boxed{A>B}. On re-reading, A invents a citation, so I change my mind: \\boxed{B>A}",
        "I must end with [[A]] if A is better or [[B]] if B is better. A loops forever, so: [[B]]",
        "Final: [[B>A]]\n(Scale: [[A>>B]], [[A>B]], [[A=B]], [[B>A]], [[B>>A]])",
    ],
)
def test_vc1_vc2_one_parser_here_too(text: str, jsonl: Jsonl, run: Run) -> None:
    """VC1, VC2: the verdict of a text is the one that every other entry point gives for the same bytes."""
    row = {"pair_id": "p", "source": "livecodebench", "question": "q", "response_A": "a", "response_B": "b", "label": "B>A"}
    data = jsonl(row, name="pairs.jsonl")
    shapes = (
        jsonl({"pair_id": "p", "judgments": [{"text": text}]}, name="own.jsonl"),
        jsonl({"id": "p", "text": text}, name="plain.jsonl"),
        jsonl({"pair_id": "p", "judgments": [{"decision": None, "text": text}]}, name="decided.jsonl"),
    )
    verdict = parse_judgment(text).verdict
    assert verdict is not None
    for path in shapes:
        more = ["--reparse"] if path.name == "decided.jsonl" else []
        ran = run("bench", "judgebench", "--judge", "file", "--outputs", path, "--data", data, "--json", *more)
        assert ran.json["overall"]["score"] == 100.0 * (verdict.side == 1)
        assert ran.json["counts"]["given"] == 1


def test_an_interval_at_the_edge_is_in_percent_too() -> None:
    """All wrong and all right mirror each other, and neither is certain."""
    pairs = [pair(f"p{k}") for k in range(16)]
    for turned, value, interval in ((1, 0.0, (0.0, 20.59)), (-1, 100.0, (79.41, 100.0))):
        games = {
            (one.id, order): Played(Verdict(turned if order == "AB" else -turned)) for one in pairs for order in ("AB", "BA")
        }
        overall = JudgeBench(pairs).result(games, {}).overall  # type: ignore[arg-type]
        assert overall.value == value
        assert overall.interval == pytest.approx(interval, abs=0.01)
