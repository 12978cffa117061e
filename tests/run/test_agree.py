"""Two runs, or a run and results files, compared: joining, counting, refusing, and what the sentences dare to say."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from rationalerm import EvaluateConfig, Matching, evaluate
from rationalerm.errors import DataError, UsageError
from rationalerm.report.agreement import agreement_sentences
from rationalerm.run.agreement import agree
from rationalerm.run.exporting import export_released
from rationalerm.score.evaluators import Compared, Evaluator, compare_evaluators, scored_matching

Jsonl = Callable[..., Path]
LEVELS = {"good": 0.9, "fair": 0.6, "poor": 0.35, "bad": 0.15, "worst": 0.02}


class Said:
    """A matcher that reads its scores from the judge's reasons: `h0 0.75` says that human reason 0 is fulfilled to 0.75."""

    version = "1"

    def __init__(self, name: str = "said", change: Callable[[float], float] = lambda score: score) -> None:
        self.name, self._change = name, change

    def match(self, human: Sequence[str], model: Sequence[str]) -> Matching:
        scores = {}
        for j, reason in enumerate(model):
            words = reason.split()
            for i, score in zip(words[::2], words[1::2], strict=True):
                if (changed := min(1.0, self._change(float(score)))) > 0:
                    scores[int(i[1:]), j] = changed
        return Matching(len(human), len(model), scores)

    def match_many(self, rows: Iterable[tuple[Sequence[str], Sequence[str]]]) -> list[Matching]:
        return [self.match(human, model) for human, model in rows]


def pairs(judges: dict[str, float], n: int = 40, seed: int = 0) -> list[dict[str, Any]]:
    """Rows whose judges reach their level on average."""
    spin = random.Random(seed)
    rows = []
    for k in range(n):
        row: dict[str, Any] = {"id": f"r{k}", "context": f"prompt {k}", "human-checklist": ["p", "q"]}
        for judge, level in judges.items():
            scores = [min(1.0, max(0.0, level + spin.uniform(-0.2, 0.2))) for _ in range(2)]
            row[f"{judge}-checklist"] = [f"h{i} {score:.2f}" for i, score in enumerate(scores)]
        rows.append(row)
    return rows


@pytest.fixture
def runs(jsonl: Jsonl, tmp_path: Path) -> Callable[..., tuple[Path, Path]]:
    def make(
        rows: list[dict[str, Any]], change: Callable[[float], float] = lambda score: 0.8 * score, **options: Any
    ) -> tuple[Path, Path]:
        path = jsonl(*rows, name="pairs.jsonl")
        evaluate(path, (), Said(), tmp_path / "a", **options)
        evaluate(path, (), Said("other", change), tmp_path / "b", **options)
        return tmp_path / "a", tmp_path / "b"

    return make


Runs = Callable[..., tuple[Path, Path]]


def test_judges_means_are_the_runs_own(runs: Runs) -> None:
    a, b = runs(pairs(LEVELS))
    got = agree(a, b)
    for side, folder in enumerate((a, b)):
        summary = json.loads((folder / "summary.json").read_text())["judges"]
        for judge, figures in got.figures.judges.items():
            assert figures[side].value == pytest.approx(summary[judge]["rationale_consistency"])
            assert figures[side].n == summary[judge]["rationale_consistency_n"]
    assert list(got.figures.judges) == list(LEVELS)
    assert (got.a.what, got.b.what) == ("said 1", "other 1")
    assert got.figures.over_judges["slope"].value == pytest.approx(0.8, abs=0.01)
    assert got.figures.over_judges["r2"].value == pytest.approx(1, abs=0.001)
    assert got.figures.over_rows["same_reason"].value == 1
    assert got.figures.rows == 200


@pytest.mark.parametrize("metric", ["precision", "f1", "average_precision"])
def test_other_metrics(runs: Runs, metric: str) -> None:
    a, b = runs(pairs({"m": 0.5}))
    got = agree(a, b, metric)
    summary = json.loads((b / "summary.json").read_text())["judges"]["m"]
    assert got.figures.judges["m"][1].value == pytest.approx(summary[metric])


def test_a_results_file_is_scored_like_the_other_side(runs: Runs, tmp_path: Path) -> None:
    a, b = runs(pairs(LEVELS), config=EvaluateConfig(top_k=1))
    export_released(b, tmp_path / "files")
    got, runs_own = agree(a, tmp_path / "files"), agree(a, b)
    assert (got.b.what, got.b.how) == ("unknown", "paper scoring, top-k 1")
    assert got.by_text is False
    for name, figure in runs_own.figures.over_judges.items():
        assert got.figures.over_judges[name].value == pytest.approx(figure.value), name
    assert agree(tmp_path / "files", a).figures.over_judges["mean_difference"].value == pytest.approx(
        -runs_own.figures.over_judges["mean_difference"].value
    )
    assert agree(tmp_path / "files", tmp_path / "files").figures.over_rows["kappa"].value == 1


def without_ids(file: Path) -> None:
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows:
        del row["metadata"]["id"]
    file.write_text("".join(json.dumps(row) + "\n" for row in reversed(rows)))


def test_rows_without_ids_are_joined_by_their_texts(runs: Runs, tmp_path: Path) -> None:
    """RC3: in another order, and without ids, each score still meets its own row."""
    a, b = runs(pairs({"m": 0.5, "n": 0.3}))
    export_released(b, tmp_path / "files")
    for file in (tmp_path / "files").iterdir():
        without_ids(file)
    got = agree(a, tmp_path / "files")
    assert got.by_text
    assert got.figures.over_rows["pearson"].value == pytest.approx(agree(a, b).figures.over_rows["pearson"].value)
    assert got.only == (0, 0)


def test_one_list_of_two_judges_is_the_files_judge(jsonl: Jsonl) -> None:
    def row(id: int, m: list[str], n: list[str], shown: list[str]) -> dict[str, Any]:
        text = "<RESULT_START>\n- R1@S1: 0.5\n<RESULT_END>"
        metadata = {"id": id, "human-checklist": ["h"], "m-checklist": m, "n-checklist": n}
        return {"prompt": f"S1: {shown[0]}", "samples": [{"generated_text": text}], "status": "success", "metadata": metadata}

    path = jsonl(row(1, ["x"], ["x"], ["x"]), row(2, ["x"], ["y"], ["y"]), row(3, ["x"], ["x"], ["x"]))
    assert list(agree(path, path).figures.judges) == ["n"]
    assert agree(path, path).figures.judges["n"][0].n == 3


def test_only_what_both_scored_counts(runs: Runs, jsonl: Jsonl, tmp_path: Path) -> None:
    rows = pairs({"m": 0.5, "n": 0.3})
    rows[0]["m-checklist"] = []
    rows[1]["human-checklist"] = []
    del rows[2]["m-checklist"]
    rows[2]["m-generated_text"] = None
    a, _ = runs(rows)
    evaluate(jsonl(*rows[:30], *pairs({"m": 0.5, "n": 0.3}, 50)[45:], name="more.jsonl"), ("m",), Said("other"), tmp_path / "c")
    got = agree(a, tmp_path / "c")
    assert got.only == (10, 5)
    assert got.judges_only == (("n",), ())
    assert got.unscored == {"both: no human reasons": 1, "both: no answer": 1}
    assert (got.figures.rows, got.figures.silent, got.figures.over_rows["pearson"].n) == (28, 1, 27)
    assert agree(a, tmp_path / "c", judges=["M"]).judges_only == ((), ())


def test_an_unfinished_run_is_compared_as_far_as_it_is(runs: Runs) -> None:
    a, b = runs(pairs({"m": 0.5}))
    whole = agree(a, b)
    (b / "rows.jsonl").unlink()
    lines = (b / "matches.jsonl").read_text().splitlines(keepends=True)
    (b / "matches.jsonl").write_text("".join(lines[:10]) + lines[10][:20])
    got = agree(a, b)
    assert (got.figures.rows, got.only) == (10, (30, 0))
    (b / "matches.jsonl").write_text("".join(lines))
    assert agree(a, b).figures.over_rows["pearson"] == whole.figures.over_rows["pearson"]


def test_both_orders(runs: Runs, jsonl: Jsonl) -> None:
    rows = pairs({"m": 0.5})
    for row in rows:
        listed = row.pop("m-checklist")
        row["m-games"] = [{"order": "AB", "checklist": listed}, {"order": "BA", "checklist": [*listed, "h0 0.1"]}]
    a, b = runs(rows)
    got = agree(a, b)
    assert (got.figures.judges["m"][0].n, got.figures.over_rows["pearson"].n) == (40, 80)


def test_refusals(runs: Runs, jsonl: Jsonl, tmp_path: Path) -> None:
    rows = pairs({"m": 0.5})
    a, b = runs(rows)
    path = jsonl(*rows)
    evaluate(path, (), Said(), tmp_path / "k", config=EvaluateConfig(top_k=3))
    with pytest.raises(UsageError, match=r"a was scored with paper scoring, top-k 5, .*k with paper scoring, top-k 3; score one"):
        agree(a, tmp_path / "k")
    evaluate(path, (), Said(), tmp_path / "r", config=EvaluateConfig(scoring="released"))
    with pytest.raises(UsageError, match="with released scoring"):
        agree(a, tmp_path / "r")
    other = [row | {"m-checklist": ["h0 0.5"]} if k > 35 else row for k, row in enumerate(rows)]
    evaluate(jsonl(*other), (), Said(), tmp_path / "o")
    with pytest.raises(
        UsageError, match=r"hold other reasons in 4 of 40 common rows, id r36 \(m\), r37 \(m\), r38 \(m\), \.\.\.; compare"
    ):
        agree(a, tmp_path / "o")
    evaluate(jsonl(*(row | {"id": f"x{k}"} for k, row in enumerate(rows))), (), Said(), tmp_path / "x")
    with pytest.raises(UsageError, match="have no row in common"):
        agree(a, tmp_path / "x")
    evaluate(jsonl(*pairs({"n": 0.5})), (), Said(), tmp_path / "n")
    with pytest.raises(UsageError, match=r"no judge in common: .*a has m, .*n has n"):
        agree(a, tmp_path / "n")
    with pytest.raises(UsageError, match=r"--judge q: not in .*a, which has m"):
        agree(a, b, judges=["q"])
    with pytest.raises(UsageError, match="no metric"):
        agree(a, b, "accuracy")
    with pytest.raises(DataError, match="no such file"):
        agree(a, tmp_path / "none")
    (tmp_path / "void").mkdir()
    with pytest.raises(DataError, match="holds no results file"):
        agree(a, tmp_path / "void")
    with pytest.raises(DataError, match="field 'samples'"):
        agree(a, path)
    (b / "run.json").unlink()
    with pytest.raises(DataError, match=r"no run\.json"):
        agree(a, b)


def test_damaged_rows(runs: Runs) -> None:
    a, b = runs(pairs({"m": 0.5}))
    (b / "matches.jsonl").write_text('{"id": "r0", "judge": "m", "n_human": 1}\n')
    with pytest.raises(DataError, match=r"matches.jsonl: holds a damaged row, id 'r0'"):
        agree(a, b)
    (b / "matches.jsonl").unlink()
    (b / "rows.jsonl").write_text('{"id": 3}\n')
    with pytest.raises(DataError, match=r"rows.jsonl: holds a row that is not a finished run's"):
        agree(a, b)
    (b / "rows.jsonl").unlink()
    with pytest.raises(DataError, match="no finished row"):
        agree(a, b)


def test_games_in_memory_give_the_same_as_on_disk(runs: Runs, jsonl: Jsonl) -> None:
    """What `evaluate --audit` does."""
    rows = pairs(LEVELS)
    a, b = runs(rows)
    on_disk = agree(a, b)

    def side(matcher: Said) -> Evaluator:
        summary = evaluate(jsonl(*rows), (), matcher)
        lists = {(row["id"], judge, "AB"): row[f"{judge}-checklist"] for row in rows for judge in LEVELS}
        matchings = {key: (matcher.match(["p", "q"], model), model) for key, model in lists.items()}
        games = [game for of in summary.games.values() for game in of]
        return Evaluator.of_games(matcher.name, "1", games, matchings, scoring=summary.scoring, top_k=summary.top_k)

    got = compare_evaluators(side(Said()), side(Said("other", lambda score: 0.8 * score)))
    assert got.figures == on_disk.figures
    alone = Evaluator.of_games("a", "1", [row.game for row in on_disk.a.rows][:50], scoring="paper", top_k=5)
    assert compare_evaluators(alone, on_disk.b).figures.over_rows["kappa"].why == "no matchings of both on the same rows"


def test_copies_of_a_reason_are_one(runs: Runs) -> None:
    matching = scored_matching(Matching(2, 6, {(0, 1): 0.5, (1, 5): 1.0}), ["x", "X ", "y", "z", "w", "v"], 5)
    assert (matching.scores, matching.n_model) == ({(0, 0): 0.5}, 5)


def compared(runs: Runs, judges: dict[str, float], change: Callable[[float], float], n: int = 40) -> Compared:
    return agree(*runs(pairs(judges, n), change))


def test_what_the_sentences_say(runs: Runs) -> None:
    words = " ".join(agreement_sentences(compared(runs, LEVELS, lambda score: 0.8 * score)))
    assert words.startswith(
        "Good enough to rank these judges: the 10 pairs of judges that A tells apart by more than noise, B orders"
    )
    assert "less RC than A: never compare B's numbers with A's." in words
    assert "Single rows differ" not in words


def test_a_bad_evaluator_is_called_one(runs: Runs) -> None:
    words = " ".join(agreement_sentences(compared(runs, LEVELS, lambda score: 1 - score)))
    assert words.startswith("Not good enough to rank these judges: of the 10 pairs of judges that A tells apart")
    assert "B puts 10 in another order (first good over worst)" in words
    assert "Single rows differ (Pearson -" in words


def test_few_judges_or_few_rows_can_not_be_told(runs: Runs) -> None:
    one = agreement_sentences(compared(runs, {"good": 0.9}, lambda score: score))
    assert one == ["With 1 judge it can't be told whether B ranks judges as A does."]


def test_two_judges(runs: Runs) -> None:
    two = agreement_sentences(compared(runs, {"good": 0.9, "bad": 0.2}, lambda score: score))
    assert "2 judges are too few to say whether it would rank others so" in two[0]


def test_judges_that_a_does_not_tell_apart(runs: Runs) -> None:
    for n in (3, 8):
        twins = agreement_sentences(compared(runs, {"m": 0.5, "n": 0.5, "o": 0.5}, lambda score: score, n))
        assert "A itself tells none of the 3 pairs of judges apart by more than noise" in twins[0]


def test_the_json_holds_no_nan(runs: Runs) -> None:
    got = compared(runs, {"m": 0.5}, lambda score: 0.0)
    text = json.dumps(got.to_json(), allow_nan=False)
    assert json.loads(text)["over_judges"]["r2"] == {
        "value": None,
        "ci": None,
        "n": 1,
        "why": "needs 3 judges or more, there is 1",
    }
    assert json.loads(text)["over_rows"]["pearson"]["why"] == "B gives every row the same value"
