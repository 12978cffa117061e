"""Made-up data for the report page: n judges, n pairs, hostile texts. Figures are drawn: the page only shows them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

__all__ = ["HOSTILE", "chunks", "head", "index", "report"]

DOMAINS = ["code", "general", "stem"]
CATEGORIES = [
    "right verdict, wrong reasons",
    "right verdict, shared reasons",
    "wrong verdict, shared reasons",
    "wrong verdict, wrong reasons",
    "right verdict, reasons not scored",
    "no verdict (none)",
    "unlabelled",
]
NAMES = [
    "checks",
    "surface",
    "noisy",
    "llama-3.3-70b-instruct",
    "qwen3-14b-genrm-outcome",
    "qwen3-14b-genrm-hybrid",
    "skywork-reward-v2-8b",
    "o1-mini",
    "gpt-4o-2024-11-20",
    "claude-3.5-sonnet",
    "deepseek-r1",
    "gemini-2.0-flash-thinking",
    "rm-r1-32b",
    "rrm-32b",
    "nemotron-70b-reward",
    "judgelm-33b",
    "prometheus-8x7b",
    "internlm2-20b-reward",
    "a judge with a name that goes on and on and on",
]
TEXT = """the a response answer code function loop index off by one error test boundary cites explains omits unit wrong value
table clear steps missing case handles empty list returns None instead of raising compares both correct claim source date formula
sign tone friendly longer headings structure detail user asked format JSON schema invalid edge recursion proof step 3 lemma"""
WORDS = TEXT.split()
HOSTILE = (
    "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked=2'><svg onload=window.hacked=3>"
    "<a href='javascript:window.hacked=4'>x</a> <style>body{display:none}</style> ${window.hacked=5} {{7*7}} <!-- &amp; &#60; "
    "\u202eevil\u202c \u2066iso\u2069 \x00\x07\x1b[31mred\x7f\x85 \u200bzero\ufeff \U000e0041tag \u2028next ابجد 日本語 🧪"
)

HOW = """rationalerm 0.1.0
matcher embedded 3, table 9d0e8a11
scoring paper, first 5 reasons, seed 0
prompt match_best sha256 4f6e0a2c
config {"judges": ["checks", "surface", "noisy"]}"""
MEANING = [
    "surface picks the right response as often as checks (82% against 82% of 65 common rows, p = 1) but gives a tenth of the "
    "human’s reasons that checks gives (0.03 against 0.28, p < 0.001).",
    "noisy picks the right response not clearly more or less often than checks but gives a quarter of its shared "
    "reasons (p < 0.001).",
]
RULE = (
    "OA not clearly below the best (Holm p of at least 0.05, within 0.06 of it), RC clearly below the best of these judges "
    "(Holm p < 0.05) and under half of it: OA from 0.76, RC under 0.14."
)
NO_TRAP = (
    "In the trap is a judge whose OA is not clearly below the best while its RC is clearly below the best and under half of it."
)


class Made:
    """Texts out of one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def words(self, n: int) -> str:
        return " ".join(self.random.choices(WORDS, k=n))

    def text(self, size: int) -> str:
        return self.words(max(3, size // 6))


def mean(made: Made, value: float, half: float = 0.05) -> list[float]:
    """A value, its interval, its n; proportions stay in [0, 1]."""
    low, high = value - half * made.random.uniform(0.7, 1.1), value + half * made.random.uniform(0.7, 1.1)
    return [round(value, 4), round(max(0.0, low), 4), round(min(1.0, high), 4), 69]


def figures(made: Made, oa: float, rc: float, n: int) -> dict[str, Any]:
    return {
        "n": n,
        "oa": mean(made, oa, 0.06),
        "oa_all": mean(made, oa - 0.02),
        "rc": mean(made, rc, 0.02),
        "ap": mean(made, min(1, rc * 1.4), 0.03),
        "precision": mean(made, rc * 1.1, 0.02),
        "f1": mean(made, rc * 1.05, 0.02),
        "s_corr": mean(made, max(0, 0.95 - 2.4 * rc), 0.08),
        "chance": round(made.random.uniform(0.002, 0.02), 4),
        "unscored": made.random.randrange(4),
        "no_verdict": made.random.randrange(9),
    }


def head(judges: int = 3, pairs: int = 69, *, cluster: bool = False, seed: int = 1, **changes: Any) -> dict[str, Any]:
    """The head's block. `cluster`: all judges within a hair of each other, for the labels."""
    made = Made(seed)
    names = NAMES[:judges]
    if cluster:
        spots = [(0.8 + made.random.gauss(0, 0.008), 0.25 + made.random.gauss(0, 0.006)) for _ in names[:-1]] + [(0.6, 0.1)]
    else:
        spots = [(0.82, 0.28), (0.82, 0.03), (0.70, 0.07)] + [
            (made.random.uniform(0.6, 0.9), made.random.uniform(0.05, 0.4)) for _ in names
        ]
    scopes = ["", *DOMAINS]
    listed = [
        {
            "name": name,
            "run": 0,
            "counts": {"given": 65},
            "notes": ["no verdict in 19 (7 none, 4 refused, 8 failed)"] if k == 2 else [],
            "figures": {
                s: figures(
                    made,
                    min(0.98, spots[k][0] + (made.random.gauss(0, 0.03) if s else 0)),
                    max(0.01, spots[k][1] + (made.random.gauss(0, 0.02) if s else 0)),
                    pairs if not s else pairs // 3,
                )
                for s in scopes
            },
        }
        for k, name in enumerate(names)
    ]
    return {
        "version": "0.1.0",
        "title": "runs/first",
        "live": False,
        "domains": DOMAINS,
        "judges": listed,
        "categories": CATEGORIES,
        "runs": [
            {
                "name": "runs/first",
                "command": "evaluate",
                "matcher": "embedded 3",
                "scoring": "paper",
                "top_k": 5,
                "spurious_under": 0.25,
                "rows": pairs,
                "bad_rows": 0,
                "finished": True,
                "how": {},
            }
        ],
        "how": HOW,
        "meaning": MEANING,
        "trap": {
            s: {"rule": RULE, "oa_from": 0.76, "rc_to": 0.14, "judges": [1]} if s != "stem" and judges > 1 else None
            for s in scopes
        },
        "trap_rule": NO_TRAP,
        "ceiling": {
            s: {"rc": [0.41, 0.37, 0.45, 120], "oa": [0.86, 0.81, 0.9, 120], "annotators": 3, "rows": 120} for s in scopes
        },
        "detectable": {s: {"oa": 0.11, "oa_n": 27, "rc": 0.04, "rc_n": 69, "n": pairs} for s in scopes},
        "comparisons": {s: list(comparisons(made, listed, s)) for s in scopes},
        "agreement": {
            "first": "embedded",
            "second": "llm big-model",
            "rows": 50,
            "r2": mean(made, 0.91),
            "rmse": mean(made, 0.04, 0.01),
            "slope": mean(made, 0.94),
            "spearman": mean(made, 0.95),
            "judges": [
                {"name": n["name"], "x": n["figures"][""]["rc"][0], "y": min(1, n["figures"][""]["rc"][0] * 1.1 + 0.02)}
                for n in listed
            ],
        },
        "kinds": {
            "tagger": "rules 1",
            "agreement": "kappa 0.74 with two model readers",
            "judges": [kinds(made, k, spots[k][1]) for k in range(judges)],
        },
        "curves": [curve(made, "outcome", 0.4, -0.27), curve(made, "hybrid", 0.4, 0.5)],
        "benches": [
            {
                "title": "judgebench, in percent",
                "head": "judge",
                "columns": ["knowledge", "overall", "n"],
                "tips": ["", "", ""],
                "digits": [1, 1, 0],
                "rows": [
                    {"name": "my-judge", "cells": [[58.44, 47.2, 68.9, 77], [64.61, 57.3, 71.3, 178], [178, None, None, None]]},
                    {"name": "rm-14b", "cells": [[None, None, None, 0], [60.0, None, None, 178], [178, None, None, None]]},
                ],
                "notes": [],
                "lines": [
                    {"name": "my-judge", "lines": ["position: 30.9 of 178 pairs flip", "115 pairs right, 22 wrong"]},
                    {"name": "rm-14b", "lines": []},
                ],
                "published": {
                    "compare": False,
                    "note": "Published, not measured here. They are of all 350 pairs; measured here: 178.",
                    "rows": [
                        {
                            "name": "o1-mini",
                            "cells": [[58.4, None, None, None], [65.7, None, None, None], [None, None, None, None]],
                        }
                    ],
                },
            }
        ],
        "rows": {
            "n": judges * pairs,
            "pairs": pairs,
            "chunk": 128,
            "chunks": -(-pairs // 128),
            "texts": True,
            "why_no_texts": None,
        },
    } | changes


def comparisons(made: Made, judges: list[dict[str, Any]], scope: str) -> Iterator[dict[str, Any]]:
    for first in range(len(judges)):
        for second in range(first + 1, len(judges)):
            for metric in ("oa", "rc"):
                a, b = judges[first]["figures"][scope][metric][0], judges[second]["figures"][scope][metric][0]
                half = made.random.uniform(0.02, 0.06) * (2 if metric == "oa" else 0.6)
                p = 0.0004 if abs(a - b) > 1.3 * half else made.random.uniform(0.06, 1)
                yield {
                    "metric": metric,
                    "first": first,
                    "second": second,
                    "mean_first": a,
                    "mean_second": b,
                    "difference": b - a,
                    "low": b - a - half,
                    "high": b - a + half,
                    "p": p,
                    "p_adjusted": min(1.0, p * 3),
                    "n": 65,
                }


def kinds(made: Made, judge: int, rc: float) -> dict[str, Any]:
    eg = min(0.95, 0.25 + 2 * rc)
    cg = (1 - eg) * made.random.uniform(0.4, 0.7)
    flaws = {f"F{k}": mean(made, made.random.uniform(0, 1) ** 2 * (1 - eg), 0.04) for k in range(1, 8)}
    return {"judge": judge, "n": 210, "EG": mean(made, eg), "CG": mean(made, cg), "GS": mean(made, 1 - eg - cg), **flaws}


def curve(made: Made, name: str, start: float, gain: float) -> dict[str, Any]:
    def series(at: float, by: float) -> dict[str, Any]:
        def value(step: int) -> float:
            return min(1.0, max(0.0, at + by * (1 - 2.7 ** (-step / 80))))

        train = [[s, value(s) + made.random.gauss(0, 0.02)] for s in range(0, 301, 4)]
        held = [[s, value(s), max(0, value(s) - 0.04), min(1, value(s) + 0.04)] for s in range(0, 301, 25)]
        return {"train": train, "held out": held}

    alarms = (
        [{"step": 150, "text": "outcome up by 0.12 while rationale fell by 0.18: the reasons hollow out"}] if gain < 0 else []
    )
    return {
        "name": name,
        "metrics": {"outcome": series(0.7, 0.17), "rationale": series(start, gain), "EG": series(0.7, gain)},
        "alarms": alarms,
    }


def index(
    judges: int = 3, pairs: int = 69, *, seed: int = 2, orders: int = 1, chunk: int = 128, titles: dict[int, str] | None = None
) -> dict[str, Any]:
    """The rows' numbers. Row r is of pair r // (judges * orders)."""
    made = Made(seed)
    out: dict[str, Any] = {
        name: []
        for name in (
            "id",
            "judge",
            "domain",
            "order",
            "category",
            "verdict",
            "label",
            "recall",
            "precision",
            "ap",
            "n_human",
            "n_model",
            "pair",
        )
    }
    for pair in range(pairs):
        label = made.random.choice((-1, 1))
        for judge in range(judges):
            for order in range(orders):
                right, met = made.random.random() < 0.75, made.random.choices((0, 1, 2, 3), (5, 3, 2, 1))[0]
                none = made.random.random() < 0.03
                category = (
                    "no verdict (none)"
                    if none
                    else f"{'right' if right else 'wrong'} verdict, {'wrong' if met < 2 else 'shared'} reasons"
                )
                row = {
                    "id": f"{DOMAINS[pair % 3]}-{pair:05d}",
                    "judge": judge,
                    "domain": pair % 3,
                    "order": order,
                    "category": CATEGORIES.index(category),
                    "verdict": None if none else label * made.random.choice((1, 2)) * (1 if right else -1),
                    "label": label,
                    "recall": met / 5,
                    "precision": met / 6,
                    "ap": met / 5,
                    "n_human": 5,
                    "n_model": 6,
                    "pair": pair,
                }
                for name, value in row.items():
                    out[name].append(value)
    starts = [f"{made.words(8)} {pair}" for pair in range(pairs)]
    return out | {
        "title": [(titles or {}).get(pair, start)[:90] for pair, start in enumerate(starts)],
        "chunk": [pair // chunk for pair in range(pairs)],
    }


def chunks(
    index: dict[str, Any], *, seed: int = 3, sizes: tuple[int, int] = (600, 2400), hostile: dict[int, str] | None = None
) -> Iterator[dict[str, Any]]:
    """The rows' texts, a chunk at a time. `sizes`: characters of a response, from, to; `hostile`: texts by pair."""
    made = Made(seed)
    pool = made.words(20000)
    games: dict[int, list[int]] = {}
    for row, pair in enumerate(index["pair"]):
        games.setdefault(pair, []).append(row)

    def piece(size: int) -> str:
        start = made.random.randrange(len(pool) - size)
        return pool[start : start + size]

    for k in range(max(index["chunk"], default=-1) + 1):
        made_pairs, made_games = {}, {}
        for pair in (p for p, c in enumerate(index["chunk"]) if c == k):
            evil = (hostile or {}).get(pair)
            texts = [
                evil or f"{piece(made.random.randint(*sizes) // 2)}.\n\n{piece(made.random.randint(*sizes) // 2)}."
                for _ in range(2)
            ]
            made_pairs[str(pair)] = {
                "id": index["id"][games[pair][0]],
                "domain": DOMAINS[pair % 3],
                "messages": [["system", "You are careful."], ["user", evil or f"{index['title'][pair]} {piece(300)}?"]],
                "responses": texts,
                "preference": 2 * index["label"][games[pair][0]],
                "human": [evil or piece(made.random.randint(40, 150)) for _ in range(5)],
                "prose": pair % 4 == 0,
            }
            for row in games[pair]:
                met = round(5 * index["recall"][row])
                made_games[str(row)] = {
                    "human": None if not index["order"][row] else [f"(swapped) {piece(60)}" for _ in range(5)],
                    "reasons": [evil or piece(made.random.randint(30, 160)) for _ in range(6)],
                    "links": [[i, (i * 2 + row) % 5, round(0.55 + 0.4 * made.random.random(), 2)] for i in range(met)],
                    "near": [[4, 1, 0.41], [3, 0, 0.33]],
                    "cut": 5,
                    "kinds": [made.random.choice(("EG", "CG", "GS")) for _ in range(6)],
                    "flaws": [["F3"] if j == 2 else ["F1", "F4"] if j == 4 else [] for j in range(6)],
                    "text": evil or f"Reasons:\n1. {piece(200)}\n2. {piece(200)}\n\nVerdict: [[B>A]]",
                    "status": ["given", "scored"],
                    "notes": ["prose"] if row % 5 == 0 else [],
                    "evaluator": "embedded 3",
                }
        yield {"pairs": made_pairs, "games": made_games}


def report(judges: int = 3, pairs: int = 69, **options: Any) -> tuple[dict[str, Any], dict[str, Any], Iterator[dict[str, Any]]]:
    """Head, index and chunks that belong together. `hostile`, `orders`, `cluster`, `sizes`; the rest changes the head."""
    hostile, orders, sizes = options.pop("hostile", None), options.pop("orders", 1), options.pop("sizes", (600, 2400))
    numbers = index(judges, pairs, orders=orders, titles=hostile)
    return head(judges, pairs, **options), numbers, chunks(numbers, sizes=sizes, hostile=hostile)
