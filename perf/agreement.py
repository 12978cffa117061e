"""How far the offline matchers agree with people. One JSON object a matcher: python perf/agreement.py

    summhay     Pearson: the best bullet's score against the human 0 / .5 / 1; S_total / |R_h| against the row's mean.
                `cross_validated`: each topic by weights fitted without it; the rest with the shipped ones, fitted on these rows
    auc         argkp, metacritique, realsumm: does the text say the claim (the better of its sentences); a part of them fitted on
    kept_out    the same on the topics and documents that no training of recipes/matcher saw (`summhay`: Pearson, of one topic)
    contrast    share on the right side of 0.5 a kind, their mean, and the mean of reworded and of the rest (`balanced`).
                `tuned_on`: rules and weights were made with this set in view; `held_out`: weights fitted on its sister instead
    chance      human reasons against another row's: RC; and against a list of generic remarks

Needs ../shared (RATIONALERM_SHARED). Prints figures only, never a text. All but `speed` are the same on every machine.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from public_data import REPOSITORY, lines, shared
from rationalerm.match import Matcher, assign, make_matcher

DEV = [REPOSITORY / "recipes" / "matcher_static" / name for name in ("contrast_dev.jsonl", "contrast_dev2.jsonl")]
MATCHERS = ("embedded", "fast", "lexical")
DEV_NAMES = [path.stem for path in DEV]
GENERIC = [
    "Response B is clearer and more detailed.",
    "Response A is less helpful overall.",
    "B follows the instructions better.",
    "A contains some errors and inaccuracies.",
    "Response B is well structured and easy to read.",
]


def row_recall(matcher: Matcher, human: Sequence[str], model: Sequence[str]) -> float:
    """S_total / |R_h|."""
    return sum(s for _, _, s in assign(matcher.match(human, model))) / len(human)


Scores = tuple[list[float], list[float], list[float], list[float]]


def summhay_scores(matcher: Matcher, data: Path, topic: str | None = None) -> Scores:
    """(best score, label) of each insight, (recall, mean label) of each row. Bullets as they are, citations ("[12]") and all."""
    best, labels, recalls, means = [], [], [], []
    for row in lines(data / "summhay_eval" / "eval.jsonl"):
        if topic not in (None, row["topic"]):
            continue
        score = {h["insight_id"]: h["score"] for h in row["human"]}
        insights = [x for x in row["insights"] if x["id"] in score]
        matching = matcher.match([x["text"] for x in insights], row["bullets"])
        for i, x in enumerate(insights):
            best.append(max((s for (k, _), s in matching.scores.items() if k == i), default=0.0))
            labels.append(score[x["id"]])
        recalls.append(sum(s for _, _, s in assign(matching)) / len(insights))
        means.append(sum(score[x["id"]] for x in insights) / len(insights))
    return best, labels, recalls, means


def summhay_figures(scores: Scores) -> dict[str, float]:
    """Pearson by label and by row; mean score at each label."""
    best, labels, recalls, means = scores
    by_label = {f"mean_at_{v}": float(np.mean([b for b, y in zip(best, labels, strict=True) if y == v])) for v in (0.0, 0.5, 1.0)}
    return {"labels": _pearson(best, labels), "rows": _pearson(recalls, means), **by_label}


def summhay(matcher: Matcher, data: Path) -> dict[str, float]:
    """Pearson by label and by row; mean score at each label."""
    return summhay_figures(summhay_scores(matcher, data))


def validate() -> Any:
    """recipes/matcher_static/validate.py, which fits the weights again."""
    recipe = str(REPOSITORY / "recipes" / "matcher_static")
    if recipe not in sys.path:
        sys.path.insert(0, recipe)
    return importlib.import_module("validate")


def summhay_cross_validated(matcher: Matcher, data: Path) -> dict[str, float]:
    """`summhay`, each topic scored by weights that were fitted without it."""
    folds = [summhay_scores(held, data, topic) for topic, held in validate().by_topic(matcher)]
    best, labels, recalls, means = ([v for fold in folds for v in fold[k]] for k in range(4))
    return summhay_figures((best, labels, recalls, means))


def claims(data: Path) -> dict[str, list[tuple[str, list[str], bool]]]:
    """argkp (every fifth pair), metacritique and realsumm as (claim, sentences, said)."""
    import csv

    def table(name: str) -> list[dict[str, str]]:
        with (data / "argkp" / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    points = {r["key_point_id"]: r["key_point"] for r in table("key_points.csv")}
    arguments = {r["arg_id"]: r["argument"] for r in table("arguments.csv")}
    result: dict[str, list[tuple[str, list[str], bool]]] = {
        "argkp": [(points[r["key_point_id"]], [arguments[r["arg_id"]]], r["label"] == "1") for r in table("labels.csv")[::5]]
    }
    result["metacritique"] = [
        (claim, critique["aius"], bool(label))
        for row in lines(data / "metacritique" / "annotation.jsonl")
        for critique in row["critiques"]
        for claim, label in zip(row["reference_aius"], critique["recall_labels"], strict=True)
    ]
    result["realsumm"] = [
        (unit, re.split(r"(?<=[.!?])\s+", row["summary"]), sum(votes) > len(votes) / 2)
        for row in lines(data / "realsumm" / "scu_votes.jsonl")
        for unit, votes in zip(row["scus"], row["votes"], strict=True)
    ]
    return result


def auc(scores: Sequence[float], truth: Sequence[bool]) -> float:
    """The chance that a pair that is said scores over one that is not; ties count half."""
    values, inverse, counts = np.unique(np.array(scores), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    positive = np.array(truth)
    n1, n0 = positive.sum(), (~positive).sum()
    return float((ranks[positive].sum() - n1 * (n1 + 1) / 2) / (n1 * n0)) if len(values) > 1 else 0.5


def kept_out(matcher: Matcher) -> dict[str, float]:
    """Of each labelled source the figure on what recipes/matcher keeps out of its trainings: AUC; of SummHay Pearson."""
    recipe = str(REPOSITORY / "recipes" / "matcher")
    if recipe not in sys.path:
        sys.path.insert(0, recipe)
    found: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for bag in importlib.import_module("sources").bags():
        if bag.held:
            found[bag.source].append((max(matcher.match([bag.human], bag.model).scores.values(), default=0.0), bag.score))
    result = {}
    for source, pairs in found.items():
        scores, labels = [s for s, _ in pairs], [y for _, y in pairs]
        result[source] = _pearson(scores, labels) if source == "summhay" else auc(scores, [y > 0.5 for y in labels])
    return result


def _pearson(a: Sequence[float], b: Sequence[float]) -> float:
    return float(np.corrcoef(a, b)[0, 1]) if len(set(a)) > 1 else 0.0


def contrast(matcher: Matcher, *paths: Path) -> dict[str, float]:
    """The share on the right side of 0.5 a kind; `mean` over the kinds; `balanced`: reworded against the mean of the rest;
    `error`: mean distance from the label, over the kinds; `multilingual`, `others`: `mean` of the pairs about answers in other
    languages, of the rest. Pairs labelled exactly 0.5 count in the error only."""
    right: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
    errors: defaultdict[str, list[float]] = defaultdict(list)
    for row in (row for path in paths for row in lines(path)):
        score = matcher.match([row["human"]], [row["model"]]).scores.get((0, 0), 0.0)
        errors[row["kind"]].append(abs(score - row["score"]))
        if row["score"] != 0.5:
            right[row["kind"]].append(((score > 0.5) == (row["score"] > 0.5), row["domain"] == "multilingual"))
    kinds = {kind: float(np.mean([hit for hit, _ in found])) for kind, found in right.items()}
    rest = [v for k, v in kinds.items() if k != "reworded"]

    def of(multilingual: bool) -> float:
        return float(np.mean([np.mean([hit for hit, own in found if own == multilingual]) for found in right.values()]))

    return {
        **kinds,
        "mean": float(np.mean(list(kinds.values()))),
        "balanced": (kinds.get("reworded", 0.0) + float(np.mean(rest))) / 2,
        "error": float(np.mean([np.mean(v) for v in errors.values()])),
        "multilingual": of(True),
        "others": of(False),
    }


def chance(
    matcher: Matcher, rows: Sequence[tuple[Sequence[str], Sequence[str]]], shifts: Iterable[int] = (1, 3, 7)
) -> dict[str, float]:
    """RC: of each row itself, against the model reasons of the rows 1, 3 and 7 further on, against generic remarks."""
    own = [row_recall(matcher, h, m) for h, m in rows]
    other = [row_recall(matcher, h, rows[(k + s) % len(rows)][1]) for s in shifts for k, (h, _) in enumerate(rows)]
    generic = [row_recall(matcher, h, GENERIC) for h, _ in rows]
    return {"own": float(np.mean(own)), "other_row": float(np.mean(other)), "generic": float(np.mean(generic))}


def contrast_rows(path: Path) -> list[tuple[list[str], list[str]]]:
    """The contrast pairs in rows of five reasons, in the order of their numbers, so that a row mixes kinds and topics."""
    rows = sorted(lines(path), key=lambda r: (r["id"].split("-")[1], r["id"]))
    return [([r["human"] for r in rows[k : k + 5]], [r["model"] for r in rows[k : k + 5]]) for k in range(0, len(rows) - 4, 5)]


def speed(matcher: Matcher, rows: Sequence[tuple[Sequence[str], Sequence[str]]]) -> dict[str, float]:
    """Pairs a second: every reason new, then every reason known."""
    pairs = sum(len(h) * len(m) for h, m in rows)
    start = time.perf_counter()
    matcher.match_many(rows)
    middle = time.perf_counter()
    matcher.match_many(rows)
    return {"new": pairs / (middle - start), "known": pairs / (time.perf_counter() - middle)}


def judge_rows(data: Path, size: int = 5) -> list[tuple[list[str], list[str]]]:
    """Distinct sentences of real judges in rows of `size` x `size`, for speed."""
    texts = (
        s.strip() for row in lines(data / "llmbar" / "cot_outputs.jsonl") for s in re.split(r"(?<=[.!?])\s+|\n+", row["text"])
    )
    renamed = (t.replace("Output (a)", "Response A").replace("Output (b)", "Response B") for t in texts)
    kept = list(dict.fromkeys(t for t in renamed if 20 < len(t) < 250))
    return [(kept[k : k + size], kept[k + size : k + 2 * size]) for k in range(0, len(kept) - 2 * size, 2 * size)]


def main() -> None:
    """Prints all figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--matcher", choices=MATCHERS, action="append")
    parser.add_argument("--contrast", type=Path, action="append", default=[], help="a contrast set (JSONL); several count as one")
    options = parser.parse_args()
    folder = shared()
    if folder is None:
        print("agreement: left out, since there is no shared/ folder of public data (set RATIONALERM_SHARED)")
        return
    data = folder / "data"
    for name in options.matcher or MATCHERS:
        matcher = make_matcher(name)
        matcher.match(["warm"], ["up"])
        figures: dict[str, Any] = {"matcher": name, "version": matcher.version}
        figures["speed"] = speed(matcher, judge_rows(data))
        refitted = name != "embedded" and not options.contrast  # recipes/matcher/folds.py trains them anew
        figures["summhay"] = summhay(matcher, data)
        if refitted:
            figures["summhay"] |= {"cross_validated": summhay_cross_validated(matcher, data)}
        figures["auc"] = {
            k: auc([max(matcher.match([c], t).scores.values(), default=0.0) for c, t, _ in rows], [y for *_, y in rows])
            for k, rows in claims(data).items()
        }
        figures["kept_out"] = kept_out(matcher)
        sets = options.contrast or DEV
        figures["contrast"] = {p.stem: {"tuned_on": p.stem in DEV_NAMES, **contrast(matcher, p)} for p in sets}
        if len(options.contrast) > 1:
            figures["contrast"]["all"] = contrast(matcher, *options.contrast)
        for held, other in validate().by_writer(matcher) if refitted else ():
            figures["contrast"][held]["held_out"] = contrast(other, next(p for p in DEV if p.stem == held))
        figures["chance"] = {p.stem: chance(matcher, contrast_rows(p)) for p in sets}
        print(json.dumps(figures, indent=1, default=float))


if __name__ == "__main__":
    main()
