"""Arena-Hard: the win rates of real judgments, dropped rows, categories, style from real answers."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rationalerm.bench.arena_hard import ArenaHard, Bout, scores_of
from rationalerm.bench.arena_style import features
from rationalerm.bench.base import Played
from rationalerm.data.arena_hard import Style
from rationalerm.types import Pair, Verdict

Run = Callable[..., Any]
Jsonl = Callable[..., Path]
LABELS = ["A>>B", "A>B", "A=B", "B>A", "B>>A"]


def test_the_expected_win_rates_come_out_exactly(shared: Path, run: Run) -> None:
    folder = shared / "data" / "arena_hard_r1_judgments"
    expected = json.loads((folder / "expected_winrate.json").read_text("utf-8"))
    files = [word for name in expected for word in ("--outputs", folder / f"{name}.jsonl")]
    ran = run("bench", "arena-hard", "--judge", "file", *files, "--json")
    assert ran.code == 0
    assert set(ran.json["models"]) == set(expected)
    for name, figures in expected.items():
        model = ran.json["models"][name]
        assert model["score"] == figures["mean"]
        assert (model["rows"], model["dropped_rows"], model["battles"]) == (
            figures["rows"],
            figures["null_rows"],
            figures["battles"],
        )
        assert model["score_ci"][0] <= model["score"] <= model["score_ci"][1]
        one = run("bench", "arena-hard", "--judge", "file", "--outputs", folder / f"{name}.jsonl", "--json").json
        assert one["models"][name] == model
        assert one["overall"]["score"] == figures["mean"]
    folder_said = run("bench", "arena-hard", "--judge", "file", *files, "--reparse", "--json").json
    assert folder_said["reparsed"]["differ"] == 0
    assert folder_said["models"] == ran.json["models"]


@pytest.mark.parametrize("first", [*LABELS, None])
@pytest.mark.parametrize("second", [*LABELS, None])
def test_scores_of_two_games(first: str | None, second: str | None) -> None:
    """Game 1 has the model as A: its scores as they are; game 0 the other way round; a game without a verdict drops the row."""
    table = {"A>B": [1.0], "A>>B": [1.0] * 3, "A=B": [0.5], "B>A": [0.0], "B>>A": [0.0] * 3}
    bout = Bout("u", "m", "base", None, Pair("u"))
    games = {
        (bout.id, order): Played(None, "none") if label is None else Played(Verdict.from_label(label))
        for order, label in (("AB", first), ("BA", second))
    }
    expected = None if first is None or second is None else (*table[second], *(1 - score for score in table[first]))
    assert scores_of(bout, games) == expected  # type: ignore[arg-type]


def test_features_by_their_formula() -> None:
    mine, theirs = Style(300, 3, 0, 10), Style(100, 1, 4, 0)
    headers = (3 / 301 - 1 / 101) / (3 / 301 + 1 / 101 + 1)
    lists = (0 - 4 / 101) / (4 / 101 + 1)
    bold = (10 / 301) / (10 / 301 + 1)
    assert features(mine, theirs) == pytest.approx((0.5, headers, lists, bold))
    assert features(mine, mine) == (0.0, 0.0, 0.0, 0.0)
    assert features(Style(0, 0, 0, 0), Style(0, 0, 0, 0)) == (0.0, 0.0, 0.0, 0.0)


def judged(shared: Path, models: tuple[str, ...], seed: int = 0) -> list[dict[str, Any]]:
    """Judgments of all questions of the sample, by models of different strength, one category's file after the other's."""
    rng = random.Random(seed)
    rows = []
    for line in (shared / "data" / "arena_hard_v2" / "question.jsonl").read_text("utf-8").splitlines():
        question = json.loads(line)
        for k, model in enumerate(models):
            games = [{"score": rng.choices(LABELS, (1, 2 + k * (g == 1), 2, 2 + k * (g == 0), 1))[0]} for g in (0, 1)]
            rows.append({"uid": question["uid"], "category": question["category"], "model": model, "judge": "j", "games": games})
    return rows


def test_several_categories_at_once_are_as_each_alone(shared: Path, run: Run, jsonl: Jsonl) -> None:
    rows = judged(shared, ("one", "two"))
    both = run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(*rows), "--json").json
    baselines = {"hard_prompt": "o3-mini-2025-01-31", "creative_writing": "gemini-2.0-flash-001"}
    for category, baseline in baselines.items():
        part = [row for row in rows if row["category"] == category]
        alone = run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(*part), "--json").json
        for model in ("one", "two"):
            assert both["models"][model]["categories"][category] == alone["models"][model]["categories"][category]
            assert both["models"][model]["categories"][category]["baseline"] == baseline
            assert alone["models"][model]["score"] == alone["models"][model]["categories"][category]["score"]
        chosen = run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(*rows), "--domains", category, "--json").json
        assert chosen["models"] == alone["models"]
    for model in both["models"].values():
        assert (model["score"], model["score_ci"]) == (None, None)  # rates against two baselines are not one rate
        assert model["rows"] == len(rows) / 2
        assert "style_controlled" not in model
    one = [row for row in rows if row["model"] == "one"]
    overall = run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(*one), "--json").json["overall"]
    assert overall == {"score": None, "score_ci": None, "n": len(one)}
    assert "There is no score over several" in run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(*one)).out
    shuffled = random.Random(1).sample(rows, len(rows))
    again = run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(*shuffled), "--json").json
    assert again["models"]["one"]["categories"] == both["models"]["one"]["categories"]


def test_style_from_real_answers(shared: Path, run: Run, jsonl: Jsonl) -> None:
    """Rows whose answers are there enter the regression; the others are counted. Which fit is which is said."""
    rows = judged(shared, ("sky-t1-32b",))
    answers = shared / "data" / "arena_hard_v2"
    words = [
        "--answers",
        answers / "model_answer_sky-t1-32b.jsonl",
        "--answers",
        answers / "model_answer_o3-mini-2025-01-31.jsonl",
    ]
    ran = run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(*rows), *words, "--json")
    style = ran.json["style"]["hard_prompt"]
    answered = {json.loads(line)["uid"] for line in Path(words[1]).read_text("utf-8").splitlines()}
    hard = [row["uid"] for row in rows if row["category"] == "hard_prompt"]
    known = len(answered & set(hard))  # creative writing has another baseline, whose answers are not here
    assert (style["rows"], style["rows_without_style"], style["models"]) == (known, len(hard) - known, 1)
    entry = ran.json["models"]["sky-t1-32b"]["categories"]["hard_prompt"]
    for name in ("style_controlled", "style_controlled_alone"):
        low, high = entry[name]["score_ci"]
        assert 0 < low <= entry[name]["score"] <= high < 1
    assert "style_controlled" not in ran.json["models"]["sky-t1-32b"]["categories"]["creative_writing"]
    assert style["rows_with_estimated_tokens"] == 0
    said = run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(*rows), *words).out
    assert "all models fitted together" in said
    assert "Each category has a baseline of its own" in said
    assert f"{len(hard) - known} rows have no style" in said
    bare = []
    for line in Path(words[1]).read_text("utf-8").splitlines():
        answer = json.loads(line)
        answer["metadata"].pop("token_len")
        bare.append(answer)
    mine = jsonl(*bare, name="bare.jsonl")
    again = ("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(*rows), "--answers", mine, *words[2:])
    assert run(*again, "--json").json["style"]["hard_prompt"]["rows_with_estimated_tokens"] == known
    assert f"lengths of {known} of {known} rows are our count of tokens" in run(*again).out


def test_the_common_fit_moves_when_a_model_is_added_and_the_one_alone_does_not() -> None:
    rng = random.Random(3)

    def bouts(model: str, longer: float) -> list[Bout]:
        made = []
        for q in range(80):
            style = (rng.gauss(longer, 0.3), rng.gauss(0, 0.1), rng.gauss(0, 0.1), rng.gauss(0, 0.1))
            made.append(Bout(str(q), model, "base", "hard_prompt", Pair(str(q), cluster=str(q)), style))
        return made

    first, second = bouts("first", 0.5), bouts("second", -0.5)
    games = {}
    for bout in (*first, *second):
        assert bout.style is not None
        for order, sign in (("AB", 1), ("BA", -1)):
            wins = rng.random() < 1 / (1 + 2.7 ** (-3 * bout.style[0]))
            games[bout.id, order] = Played(Verdict(sign if wins else -sign))
    alone = ArenaHard(first).result(games, {}).tables["models"]["first"]  # type: ignore[arg-type]
    both = ArenaHard([*first, *second]).result(games, {}).tables["models"]["first"]  # type: ignore[arg-type]
    assert both["score"] == alone["score"]
    assert both["style_controlled_alone"] == alone["style_controlled_alone"]
    assert both["style_controlled"]["fitted"] == pytest.approx(0.5, abs=0.12)  # at the mean style of both, which is even
    assert alone["style_controlled"]["fitted"] > both["style_controlled"]["fitted"] + 0.1


def test_a_scalar_judge_plays_both_games() -> None:
    bouts = [Bout(str(k), "m", "base", None, Pair(str(k), response_a="x", response_b="xy")) for k in range(3)]
    protocol = ArenaHard(bouts)
    ids = [candidate.id for candidate in protocol.candidates()]
    assert len(ids) == 6
    scores = {key: float(k) for k, key in enumerate(ids)} | {"m:2:model": None}
    result = protocol.result({}, scores)
    assert result.overall.value == 1.0
    assert result.tables["models"]["m"]["dropped_rows"] == 1
    assert "flip_rate" not in result.effects


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"uid": "a", "model": "m", "games": [{"score": "C>D"}, None]}, "has no single meaning"),
        ({"uid": "a", "model": "m", "games": [{"score": 1}, None]}, "it is a label, as A>B"),
        ({"uid": "a", "model": "m"}, "not a list of two games"),
        ({"uid": "a", "games": []}, "field 'model'"),
    ],
)
def test_a_bad_judgment_is_one_line(row: dict[str, Any], said: str, run: Run, jsonl: Jsonl) -> None:
    good = {"uid": "b", "model": "m", "games": [{"score": "A>B"}, {"score": "B>A"}]}
    ran = run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(good, row))
    assert ran.code == 2
    assert said in ran.err
    assert "row 2" in ran.err
    assert ran.err.count("\n") == 1


def test_labels_in_every_writing_and_games_that_failed(run: Run, jsonl: Jsonl) -> None:
    written = ("A>B", "B<A", "[[A>B]]", "A>>B", "B<<A")
    rows = [{"uid": str(k), "model": "o/m", "games": [{"score": "A=B"}, {"score": label}]} for k, label in enumerate(written)]
    rows += [{"uid": "x", "model": "o/m", "games": [None, {"score": "A>B"}]}, {"uid": "y", "model": "o/m", "games": [None, None]}]
    model = run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(*rows), "--json").json["models"]["m"]
    assert (model["rows"], model["dropped_rows"], model["battles"]) == (7, 2, 5 + 3 + 6)
    assert model["score"] == (5 * 0.5 + 9) / 14
    twice = run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(rows[0], rows[0]))
    assert twice.code == 2
    assert "row 1" in twice.err


def test_rows_against_two_baselines_or_without_a_category_are_no_one_rate(run: Run, jsonl: Jsonl) -> None:
    row = {"model": "m", "games": [{"score": "B>A"}, {"score": "A>B"}]}
    rows = [row | {"uid": "a", "baseline": "x", "category": "c"}, row | {"uid": "b", "baseline": "y", "category": "c"}]
    two = run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(*rows), "--json").json["models"]["m"]
    assert (two["score"], two["categories"]["c"]["score"], two["battles"]) == (None, None, 4)
    table = run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(*rows)).out
    assert "No score for judgments against more than one baseline" in table
    bare = [rows[0], row | {"uid": "b", "baseline": "x"}]
    mixed = run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(*bare), "--json").json["models"]["m"]
    assert (mixed["score"], mixed["categories"]["c"]["score"], mixed["rows"]) == (None, 1.0, 2)
    assert "1 rows name no category" in run("bench", "arena-hard", "--judge", "file", "--outputs", jsonl(*bare)).out


def test_each_categorys_table_has_its_own_biases(run: Run, jsonl: Jsonl) -> None:
    """One category's judge picks the first place always, the other's never: neither is the mean of both."""
    rows = [
        {
            "uid": f"{category}{k}",
            "model": "m",
            "judge": "j",
            "category": category,
            "baseline": "b",
            "games": [{"score": "A>B"}, {"score": "A>B" if category == "hard_prompt" else "B>A"}],
        }
        for category in ("hard_prompt", "creative_writing")
        for k in range(6)
    ]
    outputs = jsonl(*rows, name="m.jsonl")
    words = ("bench", "arena-hard", "--judge", "file", "--outputs", outputs)
    effects = run(*words, "--json").json["effects"]
    assert effects["hard_prompt"]["flip_rate"] == 1.0
    assert effects["hard_prompt"]["first_position_rate"] == 1.0
    assert effects["creative_writing"]["flip_rate"] == 0.0
    assert effects["creative_writing"]["first_position_rate"] == 0.5
    said = " ".join(run(*words).out.split())
    assert "hard_prompt, position: 100.0" in said
    assert "creative_writing, position: 0.0" in said
