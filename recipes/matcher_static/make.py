"""Makes what the static matchers ship: weights.txt and calibration_<name>.json.   python recipes/matcher_static/make.py

Reads ../shared/data and the two contrast_dev*.jsonl beside this file; writes into src/rationalerm/match. Deterministic; 10 s.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Container, Iterable
from pathlib import Path

import corpora
import numpy as np
from fit import Labelled, fit
from table import write_table

from rationalerm.match import LexicalMatcher
from rationalerm.match.calibration import Calibration
from rationalerm.match.fast import FastMatcher
from rationalerm.match.pairs import FEATURES
from rationalerm.match.static import StaticMatcher

HERE = Path(__file__).resolve().parent
DEV = (HERE / "contrast_dev.jsonl", HERE / "contrast_dev2.jsonl")
TARGET = HERE.parents[1] / "src" / "rationalerm" / "match"
SLOT = 0.14  # the share of a reason in one place, from which on a replaced word is another fact
FIXED: dict[str, float] = {"cap": -1.25, "slope": 0.25, "slot": SLOT, "floor": 0.2}
REWORDED, CONTRAST, SUMMHAY, OTHERS, STRANGERS = 3.0, 1.0, 1.0, 0.2, 0.4  # how much a pair of each source counts
# The map from evidence to scores: at -1.2 a human says "not there" nine times in ten, at 0 the odds are even.
KNOTS = {
    "fast": [(-1.7, 0.0), (-1.0, 0.22), (0.0, 0.5), (1.0, 0.77), (2.0, 0.92), (3.0, 1.0)],
    "lexical": [(-1.5, 0.0), (-1.0, 0.2), (0.0, 0.5), (1.0, 0.77), (2.0, 0.92), (3.0, 1.0)],
}


def contrast(matcher: StaticMatcher, rows: Iterable[dict[str, str]]) -> list[Labelled]:
    """The pairs of the contrast set that is there to be tuned on."""
    result = []
    for row in rows:
        for _, _, x in matcher.evidence([row["human"]], [row["model"]]):
            good = float(row["score"]) > 0.5
            result.append(Labelled(x, float(good), CONTRAST * (REWORDED if good else 1)))
    return result


def strangers(matcher: StaticMatcher, rows: list[dict[str, str]]) -> list[Labelled]:
    """Human reasons of the contrast set against model reasons of other pairs: nothing matches."""
    result = []
    for shift in (7, 20, 50):
        for k in range(0, len(rows) - 4, 5):
            there = [rows[(k + shift * 5 + n) % len(rows)]["model"] for n in range(5)]
            result.extend(
                Labelled(x, 0.0, STRANGERS) for _, _, x in matcher.evidence([r["human"] for r in rows[k : k + 5]], there)
            )
    return result


def summhay(matcher: StaticMatcher, without: Container[str] = ()) -> list[Labelled]:
    """The bullet that the human named, with the human's score; every bullet, where the human found none. Not the topics of
    `without`."""
    result = []
    for raw, examples in zip(corpora.rows("summhay_eval/eval.jsonl"), corpora.summhay(), strict=True):
        if raw["topic"] in without:
            continue
        named = [h["bullet"] for h in raw["human"]]
        for i, j, x in matcher.evidence([e.human for e in examples], examples[0].model):
            if examples[i].score == 0:
                result.append(Labelled(x, 0.0, 0.3 * SUMMHAY))
            elif named[i] == j:
                result.append(Labelled(x, examples[i].score, SUMMHAY))
    return result


def others(matcher: StaticMatcher) -> list[Labelled]:
    """The sentence that shares most with the claim, under the human's label: argkp, metacritique, realsumm."""
    rng = random.Random(0)
    result = []
    for example in [*rng.sample(corpora.argkp(), 2500), *corpora.metacritique(), *rng.sample(corpora.realsumm(), 1500)]:
        found = matcher.evidence([example.human], example.model)
        if found:
            result.append(Labelled(max((x for _, _, x in found), key=lambda x: x[0] + x[2]), example.score, OTHERS))
    return result


def fitted(name: str, pairs: list[Labelled]) -> Calibration:
    """The calibration of a matcher that these pairs give, rounded as it ships."""
    w, b = fit(pairs, SLOT)
    weights = tuple(round(float(v), 4) for v in w)
    return Calibration("", round(b, 4), weights, knots=tuple(KNOTS[name]), **FIXED)


def calibrate(matcher: StaticMatcher, dev: list[list[dict[str, str]]]) -> None:
    """Fits one matcher to all there is and writes its file."""
    pairs = [p for rows in dev for p in (*contrast(matcher, rows), *strangers(matcher, rows))]
    found = fitted(matcher.name, [*pairs, *summhay(matcher), *others(matcher)])
    weights = dict(zip(FEATURES, found.weights, strict=True))
    data = {"bias": found.bias, "weights": weights, **FIXED, "knots": found.knots}
    (TARGET / f"calibration_{matcher.name}.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(matcher.name, {k: v for k, v in weights.items() if v}, "bias", data["bias"])


def dev_sets() -> dict[str, list[dict[str, str]]]:
    """The contrast sets that are there to be tuned on, by name."""
    return {p.stem: [json.loads(line) for line in p.read_text(encoding="utf-8").splitlines()] for p in DEV}


def blank(name: str) -> None:
    """A calibration that loads: a file whose features are of another version would not."""
    data = {**FIXED, "bias": 0.0, "weights": dict.fromkeys(FEATURES, 0.0), "knots": [[0, 0], [1, 1]]}
    (TARGET / f"calibration_{name}.json").write_text(json.dumps(data), encoding="utf-8")


def main() -> None:
    """Everything, or the calibration alone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep-table", action="store_true", help="leave weights.txt as it is")
    options = parser.parse_args()
    if not options.keep_table:
        print("weights.txt:", write_table(TARGET / "weights.txt"), "words")
    np.seterr(over="ignore")
    for matcher in (FastMatcher(), LexicalMatcher()):
        blank(matcher.name)
        calibrate(matcher, list(dev_sets().values()))


if __name__ == "__main__":
    main()
