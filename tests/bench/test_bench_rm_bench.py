"""RM-Bench: the matrix against a brute-force count, means of means, orders, files of scores."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rationalerm.bench.base import Played
from rationalerm.bench.rm_bench import DOMAINS, Item, RMBench, domain_of
from rationalerm.types import Verdict

Run = Callable[..., Any]
Jsonl = Callable[..., Path]


def item(key: str, domain: str) -> Item:
    return Item(f"{domain}/{key}", domain, f"prompt {domain} {key}", ("c", "cc", "ccc"), ("r", "rr", "rrr"))


def made(seed: int = 0, n: int = 12) -> tuple[list[Item], dict[str, float | None]]:
    """Rows of all domains with scores of few values, so that ties are frequent, and some missing."""
    rng = random.Random(seed)
    names = ("chat", "math", "code", "safety-refuse", "safety-response")
    items = [item(str(k), name) for name in names for k in range(n + len(name))]
    values: list[float | None] = [*range(6), None]  # type: ignore[list-item]
    scores = {f"{i.key}:{kind}-{k}": rng.choice(values) for i in items for kind in ("chosen", "rejected") for k in range(3)}
    return items, scores


def by_brute_force(items: list[Item], scores: dict[str, float | None], domain: str) -> list[list[float]]:
    of = [i for i in items if i.domain == domain or i.domain.startswith(domain + "-")]
    matrix = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            for one in of:
                chosen, rejected = scores[f"{one.key}:chosen-{i}"], scores[f"{one.key}:rejected-{j}"]
                matrix[i][j] += chosen is not None and rejected is not None and chosen > rejected
            matrix[i][j] /= len(of)
    return matrix


def test_the_matrix_against_a_brute_force_count() -> None:
    items, scores = made()
    result = RMBench(items).result({}, scores)
    levels: dict[str, list[float]] = {"hard": [], "normal": [], "easy": []}
    for domain in DOMAINS:
        matrix = by_brute_force(items, scores, domain)
        assert result.tables["domains"][domain]["matrix"] == [
            [pytest.approx(cell, abs=1e-12) for cell in line] for line in matrix
        ]
        own = {
            "hard": (matrix[0][1] + matrix[0][2] + matrix[1][2]) / 3,
            "normal": (matrix[0][0] + matrix[1][1] + matrix[2][2]) / 3,
            "easy": (matrix[1][0] + matrix[2][0] + matrix[2][1]) / 3,
        }
        for name, value in own.items():
            assert result.tables["domains"][domain][name]["score"] == pytest.approx(value, abs=1e-12)
            levels[name].append(value)
        assert result.groups[domain].value == pytest.approx(sum(own.values()) / 3, abs=1e-12)
    assert result.overall.value is not None
    means = {name: sum(values) / 4 for name, values in levels.items()}
    for name, value in means.items():
        assert result.tables["difficulty"][name]["score"] == pytest.approx(value, abs=1e-12)
    assert abs(result.overall.value - sum(means.values()) / 3) < 1e-9
    pairs = [(scores[f"{i.key}:chosen-{a}"], scores[f"{i.key}:rejected-{b}"]) for i in items for a in range(3) for b in range(3)]
    assert result.counts["ties"] == sum(a == b and a is not None for a, b in pairs)
    assert result.counts["failed"] == sum(None in two for two in pairs)
    assert result.counts["given"] == sum(None not in two for two in pairs)


def test_bs1_what_the_means_are_over() -> None:
    """BS1: the mean of four domains, safety pooled over its rows; the mean over rows only under another name."""
    cells = {"chat": (10, 10), "code": (90, 45), "math": (10, 10), "safety-refuse": (30, 30), "safety-response": (10, 0)}
    items, scores = [], {}
    for domain, (n, right) in cells.items():
        for k in range(n):
            items.append(item(str(k), domain))
            for style in range(3):
                scores[f"{domain}/{k}:chosen-{style}"] = 1.0 if k < right else 0.0
                scores[f"{domain}/{k}:rejected-{style}"] = 0.5
    result = RMBench(items).result({}, scores)
    said = result.to_json()
    assert said["overall"]["score"] == pytest.approx(0.8125, abs=1e-12)
    assert said["groups"]["safety"]["score"] == pytest.approx(0.75)
    assert said["per_sample"]["score"] == pytest.approx(95 / 150)
    domains = [group["score"] for group in said["groups"].values()]
    levels = [level["score"] for level in said["difficulty"].values()]
    assert abs(said["overall"]["score"] - sum(domains) / 4) < 1e-9
    assert abs(said["overall"]["score"] - sum(levels) / 3) < 1e-9
    some = RMBench([i for i in items if i.domain != "math"]).result({}, scores).to_json()
    assert some["overall"]["score"] is None
    assert some["difficulty"]["hard"]["score"] is None
    assert some["groups"]["code"]["score"] == 0.5
    assert "matrix" not in some


def test_the_interval_of_the_overall_score() -> None:
    """Rows are drawn within their domains: the spread is that of a mean of four independent means."""
    items, scores = made(3, 100)
    result = RMBench(items).result({}, scores)
    low, high = result.overall.interval or (0.0, 0.0)
    variance = 0.0
    for domain in DOMAINS:
        of = [i for i in items if domain_of(i.domain) == domain]
        values = []
        for one in of:
            wins = 0
            for a in range(3):
                for b in range(3):
                    chosen, rejected = scores[f"{one.key}:chosen-{a}"], scores[f"{one.key}:rejected-{b}"]
                    wins += chosen is not None and rejected is not None and chosen > rejected
            values.append(wins / 9)
        mean = sum(values) / len(values)
        variance += sum((v - mean) ** 2 for v in values) / len(values) ** 2 / 16
    assert high - low == pytest.approx(2 * 1.96 * math.sqrt(variance), rel=0.08)


def test_nine_games_a_row_in_an_order_drawn_by_seed_and_id_alone() -> None:
    """PD1: shuffled, or only the last rows: each comparison keeps its order; another seed draws anew."""
    items, _ = made()
    orders = {c.id: c.orders for c in RMBench(items, "random", 7).contests()}
    assert len(orders) == 9 * len(items)
    assert all(len(order) == 1 for order in orders.values())
    share = sum(order == ("BA",) for order in orders.values()) / len(orders)
    assert 0.4 < share < 0.6
    shuffled = random.Random(1).sample(items, len(items))
    assert {c.id: c.orders for c in RMBench(shuffled, "random", 7).contests()} == orders
    assert all(orders[c.id] == c.orders for c in RMBench(items[-10:], "random", 7).contests())
    assert {c.id: c.orders for c in RMBench(items, "random", 8).contests()} != orders


@pytest.mark.parametrize("orders", ["random", "both", "given"])
def test_a_pairwise_judge_agrees_with_the_scores_it_was_made_from(orders: str) -> None:
    items, scores = made(5)
    protocol = RMBench(items, orders, 3)
    games = {}
    for contest in protocol.contests():
        key, _, places = contest.id.rpartition(":")
        a, b = scores[f"{key}:chosen-{places[0]}"], scores[f"{key}:rejected-{places[2]}"]
        for order in contest.orders:
            games[contest.id, order] = Played.of_scores(*((a, b) if order == "AB" else (b, a)))
    pairwise, scalar = protocol.result(games, {}), protocol.result({}, scores)
    assert pairwise.overall == scalar.overall
    assert pairwise.tables["domains"] == scalar.tables["domains"]


def test_both_orders_count_half_each_and_a_missing_verdict_is_wrong() -> None:
    protocol = RMBench([item("1", "chat")], "both")
    games = {(c.id, order): Played(Verdict.A_BETTER) for c in protocol.contests() for order in c.orders}
    assert protocol.result(games, {}).groups["chat"].value == 0.5  # always the first one
    games["chat/1:0-0", "AB"] = Played(None, "none")
    result = protocol.result(games, {})
    assert result.groups["chat"].value == pytest.approx(8.5 / 18 - 0.5 / 18)
    assert result.counts["none"] == 1
    del games["chat/1:2-2", "BA"]
    result = protocol.result(games, {})
    assert result.groups == {}
    assert (result.counts["rows not run"], result.counts["rows run in part"], result.counts["not run"]) == (1, 1, 1)


def test_real_rows_with_scores_beside_them(shared: Path, run: Run, tmp_path: Path) -> None:
    """The shape that the benchmark's own script writes: the rows with their scores; ids that two domains share stay apart."""
    rng = random.Random(2)
    folder = shared / "data" / "rm_bench"
    wins: dict[str, list[int]] = {}
    rows = []
    for path in sorted(folder.glob("*.json")):
        for row in json.loads(path.read_text("utf-8")):
            chosen, rejected = ([round(rng.gauss(mean, 1), 1) for _ in range(3)] for mean in (0.4, 0.0))
            rows.append(row | {"score_chosen": chosen, "score_rejected": [[value] for value in rejected]})
            found = sum(a > b for a in chosen for b in rejected)
            wins.setdefault(domain_of(row["domain"]), []).append(found)
    rng.shuffle(rows)
    outputs = tmp_path / "scores.json"
    outputs.write_text(json.dumps(rows), "utf-8")
    ran = run("bench", "rm-bench", "--judge", "file", "--data", folder, "--outputs", outputs, "--json")
    assert ran.code == 0
    assert ran.json["counts"]["rows"] == 309
    assert ran.json["overall"]["score"] is None
    for domain, found in wins.items():
        group = ran.json["groups"][domain]
        assert group["n"] == len(found)
        assert group["score"] == pytest.approx(sum(found) / 9 / len(found), abs=1e-12)
    assert {"chat", "code", "safety"} == set(ran.json["groups"])
    parts = run(
        "bench", "rm-bench", "--judge", "file", "--data", folder, "--outputs", outputs, "--json", "--domains", "code"
    ).json
    assert parts["groups"] == {"code": ran.json["groups"]["code"]}
    assert parts["counts"]["results outside this run"] == 309 - 75


def test_other_shapes_of_scores_say_the_same(run: Run, jsonl: Jsonl) -> None:
    rows = [{"id": k, "prompt": f"p{k}", "domain": "chat", "chosen": list("abc"), "rejected": list("def")} for k in range(4)]
    data = jsonl(*rows, name="data.jsonl")
    rng = random.Random(4)
    scores = [([rng.randint(0, 3) for _ in range(3)], [rng.randint(0, 3) for _ in range(3)]) for _ in rows]
    wins = [[[int(a > b) for b in bad] for a in good] for good, bad in scores]
    leads = [[[a - b for b in bad] for a in good] for good, bad in scores]
    keys = [f"chat/{k}" for k in range(4)]
    plain = [
        {"id": f"{keys[k]}:{kind}-{i}", "score": value}
        for k, both in enumerate(scores)
        for kind, values in zip(("chosen", "rejected"), both, strict=True)
        for i, value in enumerate(values)
    ]
    verdicts = [
        {"id": f"{k}:{i}-{j}", "order": "BA", "verdict": "B>A" if win else "A=B"}
        for k, matrix in enumerate(wins)
        for i, line in enumerate(matrix)
        for j, win in enumerate(line)
    ]
    files = {
        "lists": [{"id": k, "score_chosen": good, "score_rejected": bad} for k, (good, bad) in enumerate(scores)],
        "rewards": [{"prompt": f"p{k}", "rewards": [good, bad]} for k, (good, bad) in enumerate(scores)],
        "matrix": [{"id": k, "domain": "chat", "acc_matrix": matrix} for k, matrix in enumerate(wins)],
        "leads": [{"id": k, "reward_diff": matrix} for k, matrix in enumerate(leads)],
        "plain": plain,
        "verdicts": verdicts,
    }
    expected = sum(cell for matrix in wins for line in matrix for cell in line) / 36
    for name, content in files.items():
        ran = run(
            "bench", "rm-bench", "--judge", "file", "--data", data, "--outputs", jsonl(*content, name=f"{name}.jsonl"), "--json"
        )
        assert ran.code == 0, ran.err
        assert ran.json["groups"]["chat"]["score"] == pytest.approx(expected, abs=1e-12)
        assert ran.json["counts"]["given"] == 36


@pytest.mark.parametrize("names", [("id", "domain"), ("id",)])
def test_scores_of_another_text_are_refused(names: tuple[str, ...], run: Run, jsonl: Jsonl) -> None:
    """Domain and id match, the prompt does not: another version of the data, or rows out of step. Spacing is no other text."""
    rows = [{"id": k, "prompt": f"p {k}", "domain": "chat", "chosen": list("abc"), "rejected": list("def")} for k in range(2)]
    scores = [
        {name: row[name] for name in names} | {"prompt": row["prompt"], "score_chosen": [1, 1, 1], "score_rejected": [0, 0, 0]}
        for row in rows
    ]
    data = jsonl(*rows, name="data.jsonl")
    words = ("bench", "rm-bench", "--judge", "file", "--data", data, "--json", "--outputs")
    spaced = run(*words, jsonl(scores[0], scores[1] | {"prompt": " p\n1 "}, name="spaced.jsonl"))
    assert spaced.code == 0, spaced.err
    assert spaced.json["groups"]["chat"]["score"] == 1.0
    ran = run(*words, jsonl(scores[0], scores[1] | {"prompt": "p 0"}, name="other.jsonl"))
    assert ran.code == 2
    assert "other.jsonl, row 2, field 'prompt': is another text than that of chat/1" in ran.err
    assert ran.err.count("\n") == 1


def test_the_table_with_published_rows(run: Run, jsonl: Jsonl) -> None:
    """It fits a pipe's width beside the published rows; the three difficulties, which those have not, stand below."""
    rng = random.Random(6)
    rows = [
        {"id": k, "prompt": f"{domain} {k}", "domain": domain, "chosen": list("abc"), "rejected": list("def")}
        for domain in ("chat", "math", "code", "safety-refuse")
        for k in range(6)
    ]
    scores = [
        {"id": row["id"], "domain": row["domain"]}
        | {name: [rng.random() for _ in range(3)] for name in ("score_chosen", "score_rejected")}
        for row in rows
    ]
    data, outputs = jsonl(*rows, name="data.jsonl"), jsonl(*scores, name="a_reward_model_with_a_name.jsonl")
    words = ("bench", "rm-bench", "--judge", "file", "--data", data, "--outputs", outputs)
    said = run(*words, "--json").json
    table = run(*words, "--compare").out
    published = next(line for line in table.splitlines() if line.strip().startswith("GPT-4o (published)"))
    assert published.split()[2:] == ["67.2", "67.5", "63.6", "91.7", "72.5", "-"]
    ends = {name: [100 * end for end in level["score_ci"]] for name, level in said["difficulty"].items()}
    levels = ", ".join(
        f"{name} {100 * level['score']:.1f} [{ends[name][0]:.1f}, {ends[name][1]:.1f}]"
        for name, level in said["difficulty"].items()
    )
    assert f"over the four domains: {levels}" in table


def test_a_mean_of_means_at_the_edge_is_not_certain_and_does_not_depend_on_the_order() -> None:
    from rationalerm.bench.figures import mean_of_means

    sure = mean_of_means([[(1.0, f"{part} {k}") for k in range(16)] for part in "ab"])
    assert sure.interval == pytest.approx((0.7941, 1.0), abs=1e-4)
    rows = [(float(k % 3 == 0), f"c{k}") for k in range(40)]
    assert mean_of_means([rows, rows]) == mean_of_means([rows[::-1], rows[20:] + rows[:20]])


def test_a_judge_that_never_answered_has_no_score() -> None:
    """Every call failed (a dead endpoint): nothing is known of the judge, so there is no figure, and none of 0."""
    protocol = RMBench([Item("chat/1", "chat", "q", ("a", "b", "c"), ("d", "e", "f"))])
    games = {(contest.id, order): Played(None, "failed") for contest in protocol.contests() for order in contest.orders}
    result = protocol.result(games, {})
    assert result.overall.value is None
    assert result.groups == {}
    assert result.counts["failed"] == len(games)
