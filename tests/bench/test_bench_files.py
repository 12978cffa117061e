"""`bench --judge file`: which rows, what is refused and how, what is shown beside the table, what is kept."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rationalerm.bench.base import Contest, Played
from rationalerm.bench.choose import Choice
from rationalerm.bench.published import published
from rationalerm.bench.reasons import reasons_table
from rationalerm.errors import UsageError
from rationalerm.judge.tagging import Tags
from rationalerm.types import Pair, Verdict

Run = Callable[..., Any]
Jsonl = Callable[..., Path]
SAMPLED = ["r3", "r7", "r20", "r22", "r23", "r31", "r32", "r33", "r36", "r44"]  # on any machine
PAIR = {"source": "livebench-math", "question": "q", "response_A": "aa", "response_B": "b", "label": "A>B"}


def pairs(n: int, *sources: str) -> list[dict[str, Any]]:
    return [
        PAIR | {"pair_id": f"p{k}", "question": f"q{k}"} | ({"source": sources[k % len(sources)]} if sources else {})
        for k in range(n)
    ]


def judged(n: int, first: str = "A>B", second: str = "B>A") -> list[dict[str, Any]]:
    return [{"pair_id": f"p{k}", "judgments": [{"decision": first}, {"decision": second}]} for k in range(n)]


def words(data: Path, outputs: Path, *more: str) -> tuple[Any, ...]:
    return ("bench", "judgebench", "--judge", "file", "--data", data, "--outputs", outputs, "--json", *more)


def test_a_sample_is_the_same_whatever_the_files_order() -> None:
    """By the seed and the ids alone; more rows in the file do not change which of the old ones are in a sample of all of them."""
    rows = [f"r{k}" for k in range(50)]
    first = Choice(sample=10, seed=3).of(rows, str, lambda _: ("d",))
    assert len(first) == 10
    assert first == sorted(first, key=rows.index)
    shuffled = random.Random(0).sample(rows, 50)
    assert set(Choice(sample=10, seed=3).of(shuffled, str, lambda _: ("d",))) == set(first)
    assert set(Choice(sample=10, seed=4).of(rows, str, lambda _: ("d",))) != set(first)
    assert set(Choice(sample=20, seed=3).of(rows, str, lambda _: ("d",))) > set(first)
    assert first == SAMPLED
    assert Choice(sample=10, limit=4, seed=3).of(rows, str, lambda _: ("d",)) == first[:4]
    with pytest.raises(UsageError, match="there are d"):
        Choice(domains=("e",)).of(rows, str, lambda _: ("d",))
    with pytest.raises(UsageError, match="1 or more"):
        Choice(limit=0).of(rows, str, lambda _: ("d",))


def test_domains_limit_and_sample_on_the_command_line(run: Run, jsonl: Jsonl) -> None:
    data = jsonl(*pairs(12, "mmlu-pro-law", "livebench-math", "livecodebench"), name="data.jsonl")
    outputs = jsonl(*judged(12), name="out.jsonl")
    assert list(run(*words(data, outputs, "--domains", "math,coding")).json["groups"]) == ["Math", "Coding"]
    assert list(run(*words(data, outputs, "--domains", "mmlu-pro-law")).json["groups"]) == ["Knowledge"]
    limited = run(*words(data, outputs, "--limit", "5")).json
    assert limited["overall"]["n"] == 5
    assert limited["counts"]["results outside this run"] == 7
    sampled = run(*words(data, outputs, "--sample", "5", "--seed", "1")).json
    assert sampled["overall"]["n"] == 5
    bad = run(*words(data, outputs, "--domains", "poetry"))
    assert bad.code == 2
    assert "poetry" in bad.err


def test_df1_df3_marks_line_ends_and_separators_in_texts(run: Run, tmp_path: Path) -> None:
    """DF1, DF3: a BOM, CRLF, and separators inside strings change nothing."""
    rows = pairs(2)
    rows[0]["response_A"] = "a\u2028b\x85c"
    data, outputs = tmp_path / "data.jsonl", tmp_path / "out.jsonl"
    for path, content in ((data, rows), (outputs, judged(2))):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\r\n" for row in content)
        path.write_bytes(b"\xef\xbb\xbf" + lines.encode())
    overall = run(*words(data, outputs)).json["overall"]
    assert overall == {"score": 100.0, "score_ci": pytest.approx([15.81, 100.0], abs=0.01), "n": 2}


@pytest.mark.parametrize("benchmark", ["rm-bench", "judgebench", "helpsteer3", "arena-hard"])
def test_df2_a_pointer_is_no_data(benchmark: str, run: Run, tmp_path: Path, jsonl: Jsonl) -> None:
    """DF2: a Git LFS pointer is refused by name, not read as no rows."""
    pointer = tmp_path / "data.jsonl"
    pointer.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 239571399\n", "utf-8")
    ran = run("bench", benchmark, "--judge", "file", "--data", pointer, "--outputs", jsonl(*judged(1), name="out.jsonl"))
    assert ran.code == 2
    assert "Git LFS pointer" in ran.err
    assert ran.err.count("\n") == 1


def test_df4_an_id_twice_is_refused(run: Run, jsonl: Jsonl) -> None:
    """DF4: in the data, and in the outputs; one result is never used twice."""
    data, outputs = jsonl(*pairs(2), name="data.jsonl"), jsonl(*judged(2), name="out.jsonl")
    twice = jsonl(*pairs(2), *pairs(1), name="twice.jsonl")
    assert "p0 is there already" in run(*words(twice, outputs)).err
    both = jsonl(*judged(2), *judged(1), name="both.jsonl")
    assert "p0 is in row 1 too" in run(*words(data, both)).err
    plain = jsonl({"id": "p0", "verdict": "A>B"}, {"id": "p0", "order": "AB", "verdict": "A>B"}, name="plain.jsonl")
    assert "row 1 too" in run(*words(data, plain)).err
    row = {"id": 1, "prompt": "p", "domain": "chat", "chosen": list("abc"), "rejected": list("def")}
    rm = jsonl(row, row, name="rm.jsonl")
    scores = jsonl({"id": 1, "score_chosen": [1, 2, 3], "score_rejected": [0, 0, 0]}, name="scores.jsonl")
    assert "the same row twice" in run("bench", "rm-bench", "--judge", "file", "--data", rm, "--outputs", scores).err
    one, two = (
        jsonl(row, row | {"domain": "code"}, name="two.jsonl"),
        jsonl({"id": 1, "score_chosen": [1, 2, 3]} | {"score_rejected": [0] * 3}),
    )
    ran = run("bench", "rm-bench", "--judge", "file", "--data", one, "--outputs", two)
    assert "in more than one domain" in ran.err


def test_df5_what_is_undefined_is_null(run: Run, jsonl: Jsonl) -> None:
    """DF5: no NaN in what is written, n = 0 beside null; a NaN in a file is refused."""
    data = jsonl(*pairs(1), name="data.jsonl")
    none = run(*words(data, jsonl({"pair_id": "p0", "judgments": [None, None]}, name="none.jsonl")))
    assert none.json["answered"] == {"score": None, "score_ci": None, "n": 0}
    bad = data.with_name("nan.jsonl")
    bad.write_text('{"id": "p0:A", "score": NaN}\n', "utf-8")
    assert "NaN" in run(*words(data, bad)).err


def test_results_by_id(run: Run, jsonl: Jsonl) -> None:
    data = jsonl(*pairs(6), name="data.jsonl")
    rows: list[dict[str, Any]] = []
    for k, (first, second) in enumerate((("A>B", "B>A"), ("A>B", "A=B"), ("A>B", "A>B"), ("A=B", None), (None, None))):
        rows += [{"id": f"p{k}", "order": order, "verdict": v} for order, v in (("AB", first), ("BA", second))]
    rows += [{"id": "p5", "text": "B skips a step.\n\n[[A>>B]]"}, {"id": "p5", "order": "BA", "error": "timeout"}]
    said = run(*words(data, jsonl(*rows, name="rows.jsonl"), "--reasons")).json
    assert said["overall"]["score"] == 50.0
    assert {name: said["counts"][name] for name in ("given", "none", "failed", "ties")} == {
        "given": 8,
        "none": 3,
        "failed": 1,
        "ties": 2,
    }
    assert said["reasons"]["right"]["reasons"] == 1
    assert said["answered"]["n"] == 3
    scores = [{"id": f"p{k}:{side}", "score": s} for k in range(6) for side, s in (("A", 1.0), ("B", 0.5 * k))]
    assert run(*words(data, jsonl(*scores, name="scores.jsonl"))).json["overall"]["score"] == pytest.approx(100 * 2 / 6)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"id": "zz", "verdict": "A>B"}], "'zz' is not in the data"),
        ([{"verdict": "A>B"}], "a result has an id"),
        ([PAIR | {"pair_id": "p0"}], "is the gold label of a row of data"),
        ([{"id": "p0"}], "a result has a verdict, a label, a text or a score"),
        ([{"id": "p0", "verdict": 1}], "write A>B, A=B or B>A"),
        ([{"id": "p0", "verdict": "C"}], "has no single meaning"),
        ([{"id": "p0", "order": "CD", "verdict": "A"}], "AB (as given) or BA (swapped)"),
        ([{"id": "p0:A", "score": "high"}], "not a number"),
        ([{"id": "p0:A", "score": 1.0}, {"id": "p0", "verdict": "A>B"}], "give one kind"),
        ([{"pair_id": "zz", "judgments": [{"decision": "A>B"}]}], "another split or benchmark"),
        ([{"pair_id": "p0", "judgments": [{"decision": "left of B"}]}], "has no single meaning"),
        ([{"pair_id": "p0", "judgments": [{"decision": 1}]}], "a verdict is written A>B"),
        ([{"pair_id": "p0", "judgments": []}], "not a list of one or two games"),
        ([], "is empty"),
    ],
)
def test_bad_results_are_one_line(rows: list[dict[str, Any]], said: str, run: Run, jsonl: Jsonl) -> None:
    ran = run(*words(jsonl(*pairs(1), name="data.jsonl"), jsonl(*rows, name="rows.jsonl")))
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert ran.out == ""


def test_the_published_rows_say_that_they_are(run: Run, jsonl: Jsonl, shared: Path) -> None:
    text = (shared / "spec" / "benchmarks.md").read_text("utf-8")
    for benchmark, part in (("rm-bench", 0), ("judgebench", 1)):
        rows = published(benchmark)
        assert len(rows) == 16
        for row in rows:
            line = next(line for line in text.splitlines() if line.startswith(f"{row.model} ") and line.count("|") == 2)
            figures = line.removeprefix(row.model).split("|")[part].split()
            assert list(row.scores.values()) == [float(figure) for figure in figures]
    data, outputs = jsonl(*pairs(2), name="data.jsonl"), jsonl(*judged(2), name="out.jsonl")
    said = run(*words(data, outputs, "--compare")).json
    assert all(row["measured"] is False for row in said["published"])
    table = run(*words(data, outputs, "--compare")[:-2], "--compare").out
    assert "GPT-4o (published)" in table
    assert "published, not measured here" in table
    assert run("bench", "arena-hard", "--judge", "file", "--outputs", outputs, "--compare").code == 2


def test_what_is_kept(run: Run, jsonl: Jsonl, tmp_path: Path) -> None:
    data = jsonl(*pairs(2), name="data.jsonl")
    one, two = jsonl(*judged(2), name="one.jsonl"), jsonl(*judged(2, "B>A", "A>B"), name="two.jsonl")
    run(*words(data, one, "--out", str(tmp_path / "one")))
    kept = [json.loads(line) for line in (tmp_path / "one" / "rows.jsonl").read_text("utf-8").splitlines()]
    assert [(row["id"], row["order"], row["verdict"]) for row in kept[:2]] == [("p0", "AB", "A>B"), ("p0", "BA", "B>A")]
    assert json.loads((tmp_path / "one" / "summary.json").read_text("utf-8"))["overall"]["score"] == 100.0
    assert run(*words(data, one, "--out", str(tmp_path / "one"))).code == 0
    other = run(*words(data, two, "--out", str(tmp_path / "one")))
    assert other.code == 2
    assert "another folder" in other.err
    both = run(*words(data, one, "--outputs", str(two), "--out", str(tmp_path / "both"))).json
    assert {name: judge["overall"]["score"] for name, judge in both["judges"].items()} == {"one": 100.0, "two": 0.0}
    assert (tmp_path / "both" / "two" / "rows.jsonl").exists()


@pytest.mark.parametrize(
    "more",
    [
        ("--judge", "file"),
        ("--judge", "llm", "--outputs", "x.jsonl"),
        ("--judge", "llm", "--reparse"),
        ("--judge", "llm", "--model", "m"),
    ],
)
def test_wrong_use_is_one_line(more: tuple[str, ...], run: Run, jsonl: Jsonl) -> None:
    ran = run("bench", "judgebench", "--data", jsonl(*pairs(1)), *more)
    assert ran.code == 2
    assert ran.err.count("\n") == 1


def test_reasons_by_right_and_wrong_verdict() -> None:
    contests = [Contest(str(k), Pair(str(k), label=-1, response_a="a", response_b="b"), ("AB", "BA")) for k in range(2)]
    reasons = ("Response A adds 12 and 30 to 44.", "Response B is clear and helpful.")
    games = {
        ("0", "AB"): Played(Verdict.A_BETTER, "given", reasons),
        ("0", "BA"): Played(Verdict.A_BETTER, "given", ("Response A names the year 1987 correctly.",)),
        ("1", "AB"): Played(Verdict.TIE),
        ("1", "BA"): Played(None, "none", ("Both are long.",)),
    }
    table = reasons_table(contests, games)  # type: ignore[arg-type]
    assert set(table) == {"right", "wrong", "tie", "no verdict"}
    assert table["right"]["kinds"] == {"EG": 0.5, "CG": 0.0, "GS": 0.5}
    assert table["right"]["flaws"]["F6"] == 0.5  # praise of B for a verdict of A
    assert table["tie"]["kinds"] == table["tie"]["flaws"] == {}
    assert table["right"]["reasons_lean_to_the_verdict"] == 0.0  # A's mistake and B's praise, for a verdict of A
    assert table["wrong"]["reasons_lean_to_the_verdict"] == 1.0
    assert (table["tie"]["games"], table["tie"]["with_reasons"], table["tie"]["reasons_per_game"]) == (1, 0, None)
    mine = reasons_table(contests, games, lambda given, verdict: [Tags("CG", ("F7",))] * len(given))  # type: ignore[arg-type]
    assert mine["right"]["kinds"] == {"EG": 0.0, "CG": 1.0, "GS": 0.0}
    assert mine["right"]["flaws"]["F7"] == 1.0


def test_every_table_has_n_and_an_interval(run: Run, jsonl: Jsonl) -> None:
    """Of each group or domain too, in the lines below the table; the figures are those of the JSON."""

    def shown(value: float, ends: list[float], scale: float = 100.0) -> str:
        return f"{scale * value:.1f} [{scale * ends[0]:.1f}, {scale * ends[1]:.1f}]"

    data = jsonl(*pairs(12, "mmlu-pro-law", "livebench-math"), name="data.jsonl")
    outputs = jsonl(*judged(8), *({"pair_id": f"p{k}", "judgments": [{"decision": "B>A"}, None]} for k in (8, 9, 10, 11)))
    table = run(*(word for word in words(data, outputs) if word != "--json")).out
    for name, group in run(*words(data, outputs)).json["groups"].items():
        assert f"{name} {shown(group['score'], group['score_ci'], 1.0)} of {group['n']}" in table
    sample = Path(__file__).parents[2] / "src" / "rationalerm" / "sample" / "pairs.jsonl"
    call = ("bench", "helpsteer3", "--judge", "file", "--data", sample, "--name", "checks")
    table, said = run(*call).out, run(*call, "--json").json
    names = {"OA": "outcome_accuracy", "RC": "rationale_consistency", "AP": "average_precision", "S-Corr": "s_corr"}
    for domain, part in (*said["domains"].items(), ("all", said["summary"])):
        figures = ", ".join(f"{title} {shown(part[name], part[f'{name}_ci'])}" for title, name in names.items())
        assert f"{domain} [95%]: {figures}" in table
