"""How far the rule tagger agrees with the reference labels. JSON: python perf/tags.py [--split dev|test] [--tags FILE] [--fit]

    readers     the two passes of the labels against each other
    first, second, both     the tagger against each pass, and against the reasons (for flaws: reason by flaw) on which they agree
    each: kappa and accuracy [value, low, high, n] of the kinds with the confusion (rows the reference, EG CG GS), and each flaw's
          kappa with how often the reference and the tagger have it. Intervals: lists are drawn with replacement
    speed       reasons a second of CPU time, every text new

The labellers are two model readers, not people. Labels: tests/judge/tag_reference.jsonl, which holds ids and indexes only; the
texts are read from ../shared (RATIONALERM_SHARED) and the sample. `--tags FILE`: another tagger's tags.jsonl (id = the text's) in
place of the rules. `--fit` makes src/rationalerm/judge/tag_weights.txt from the dev lists: the weights of START, moved by ridge
logistic regression; `--crossed` prints the dev figures with each list tagged by weights that were fitted without it.
Prints figures only, never a text.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from public_data import REPOSITORY, lines, shared
from rationalerm.judge.parse import parse_judgment
from rationalerm.judge.tag_reading import FEATURES, read_list
from rationalerm.judge.tagging import FLAWS, KINDS, RuleTagger, Tags, Weights
from rationalerm.score.taxonomy import agreed
from rationalerm.types import Verdict

REFERENCE = REPOSITORY / "tests" / "judge" / "tag_reference.jsonl"
WEIGHTS = REPOSITORY / "src" / "rationalerm" / "judge" / "tag_weights.txt"
SAMPLE = REPOSITORY / "src" / "rationalerm" / "sample" / "pairs.jsonl"
SCORED = FLAWS[:6]
RIDGE = 16.0

# Where the fit begins, in hundredths, from the guide and not from labels: feature, EG CG GS, F1 to F6.
START = """
one         -100    0  -50 -320 -350 -350 -300 -330 -250
quote       200    0 -150   -50  -50  -50    0 -150  -50
number       80    0  -60     0    0    0    0    0    0
code        150    0  -80   -50    0    0    0    0    0
name         60    0  -30     0    0    0    0    0    0
part         50    0  -30     0    0    0    0    0    0
specific     30    0  -20   -30  -30  -30    0  -30    0
specific3     60    0  -40  -20 -100  -60    0  -50    0
specific6     60    0  -30  -40  -50  -30    0  -30    0
generic     -40    0   40     0    0    0    0    0  -30
only_generic  -80    0  100   60   50   50    0    0  -50
style        -20    0   30  220  -50  -50    0    0  -30
correct       0    0    0   -80  200  -30    0    0    0
relevant    -20    0    0   -60  -30  150    0    0    0
aspect      -30   30  -50     0    0    0    0    0    0
report       30    0  -30   -20    0    0   30  -50  -30
rightly     100    0  -50     0 -100    0   50    0    0
list         60    0  -30     0    0    0    0    0    0
compare       0    0    0     0    0    0 -150    0    0
hedge       -60    0   80     0    0    0    0  150    0
taste       -80    0  150     0    0    0  -50  300    0
could         0   30    0     0    0    0 -100    0    0
good          0    0    0     0    0    0   60    0    0
bad           0    0    0     0    0    0 -100    0    0
both          0    0    0     0    0    0 -100    0   30
named         0    0    0     0    0    0    0    0  -50
self        -60    0   80     0    0    0  -50    0  100
math        -50    0   50     0    0    0  -50    0   50
question   -400    0  400  -100 -100 -100 -400    0  400
verdict    -150    0  200     0    0    0 -100    0  250
one_sided     0    0    0     0    0    0  300    0    0
even          0    0   30     0    0    0 -100    0  100
fault         0  100  -50     0    0    0    0    0    0
foreign       0  150 -100  -100 -100 -100 -200 -100 -100
own        -200    0  250   -50  -50  -50 -200    0  200
own_list   -200    0  250   -50  -50  -50 -200    0  200
EG             0    0    0  -50 -300 -300    0 -200 -150
CG            0    0    0     0  -50  -50    0 -100 -150
GS            0    0    0   100  150  150    0  100  100
"""


class Listed(NamedTuple):
    """A list with its reasons and labels; `first` and `second`: tags by either pass."""

    id: str
    split: str
    reasons: list[str]
    verdict: Verdict | None
    first: list[Tags]
    second: list[Tags]


def reference(folder: Path) -> list[Listed]:
    """The labelled lists. Exits where a text's reasons are no longer those that were labelled."""
    texts = {row["id"]: row["text"] for row in lines(folder / "data" / "judge_texts" / "texts.jsonl")}
    for row in lines(SAMPLE):
        texts |= {f"sample/{row['id']}/{j}": row[f"{j}-generated_text"] for j in ("checks", "surface", "noisy")}
    found = []
    for row in lines(REFERENCE):
        judgment = parse_judgment(texts[row["text"]])
        reasons = [judgment.reasons[k] for k in row["reasons"] if k < len(judgment.reasons)]
        if hashlib.sha256("\x1f".join(reasons).encode()).hexdigest()[:12] != row["digest"]:
            sys.exit(f"{row['text']}: its reasons are read differently now than when they were labelled")
        first, second = (
            [Tags(kind, tuple(flaws)) for kind, flaws in zip(row[k]["kinds"], row[k]["flaws"], strict=True)]
            for k in ("first", "second")
        )
        found.append(Listed(row["text"], row["split"], reasons, judgment.verdict, first, second))
    return found


def compared(
    one: Sequence[Sequence[Tags]], other: Sequence[Sequence[Tags]], both: Sequence[Sequence[Tags]] | None, ids: Sequence[str]
) -> Any:
    """The agreement of `other` with the reference `one`; with `both`, where that pass agrees with `one` only."""
    rows = [
        (a, b, c, name)
        for name, of, with_, also in zip(ids, one, other, both or one, strict=True)
        for a, b, c in zip(of, with_, also, strict=True)
    ]
    kinds = [(a.kind, b.kind, name) for a, b, c, name in rows if a.kind == c.kind]
    said = agreed(*map(list, zip(*kinds, strict=True)), KINDS)  # type: ignore[arg-type]
    flaws = {}
    for flaw in FLAWS:
        held = [
            ("ny"[flaw in a.flaws], "ny"[flaw in b.flaws], name)
            for a, b, c, name in rows
            if (flaw in a.flaws) == (flaw in c.flaws)
        ]
        of = agreed(*map(list, zip(*held, strict=True)), "ny")  # type: ignore[arg-type]
        reference_has, other_has = sum(of.table[1]), of.table[0][1] + of.table[1][1]
        flaws[flaw] = {"kappa": rounded(of.kappa), "reference": reference_has, "other": other_has, "shared": of.table[1][1]}
    return {"kappa": rounded(said.kappa), "accuracy": rounded(said.accuracy), "confusion": said.table, "flaws": flaws}


def rounded(share: Sequence[float | None]) -> list[float | None]:
    """Three digits."""
    return [None if number is None else round(number, 3) for number in share]


def measured(lists: Sequence[Listed], tags: Sequence[Sequence[Tags]]) -> dict[str, Any]:
    """All agreements of one split."""
    first, second, ids = [of.first for of in lists], [of.second for of in lists], [of.id for of in lists]
    return {
        "lists": len(lists),
        "reasons": sum(len(of.reasons) for of in lists),
        "readers": compared(first, second, None, ids),
        "tagger, first": compared(first, tags, None, ids),
        "tagger, second": compared(second, tags, None, ids),
        "tagger, both": compared(first, tags, second, ids),
    }


def fitted(lists: Sequence[Listed], ridge: float = RIDGE) -> tuple[Any, Any]:
    """The kinds' and the flaws' weights, in hundredths, from both passes."""
    start = {line.split()[0]: np.array([float(n) for n in line.split()[1:]]) / 100 for line in START.strip().splitlines()}
    x = np.array([one.features for of in lists for one in read_list(of.reasons)], dtype=float)
    kinds = sum(
        np.array([[t.kind == kind for kind in KINDS] for of in lists for t in getattr(of, who)], float)
        for who in ("first", "second")
    )
    prior = np.array([start[name] for name in FEATURES])
    weights = descended(x, kinds / 2, prior[:, :3], ridge, softmax)
    chosen = np.eye(3)[(x @ weights).argmax(axis=1)]
    flaws = sum(
        np.array([[f in t.flaws for f in SCORED] for of in lists for t in getattr(of, who)], float) for who in ("first", "second")
    )
    wide = np.hstack([x, chosen])
    more = np.vstack([prior[:, 3:], [start[kind][3:] for kind in KINDS]])
    return weights, descended(wide, flaws / 2, more, ridge, lambda z: 1 / (1 + np.exp(-z)))


def crossed(lists: Sequence[Listed], folds: int = 10) -> list[list[Tags]]:
    """Each list's tags by weights that were fitted without it."""
    n, tags = len(FEATURES), [list[Tags]() for _ in lists]
    for fold in range(folds):
        kinds, flaws = (
            np.round(100 * of).astype(np.int64) for of in fitted([of for k, of in enumerate(lists) if k % folds != fold])
        )
        tagger = RuleTagger(Weights(kinds, flaws[:n], flaws[n:]))
        for k in range(fold, len(lists), folds):
            tags[k] = tagger.tag(lists[k].reasons, lists[k].verdict)
    return tags


def softmax(z: Any) -> Any:
    """Over the last axis."""
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def descended(x: Any, y: Any, prior: Any, ridge: float, link: Any) -> Any:
    """Weights of the least loss + ridge / 2 * squared distance from the prior, by accelerated gradient descent."""
    step = 1 / (np.linalg.norm(x, 2) ** 2 / 2 + ridge)
    weights = ahead = prior.copy()
    for k in range(4000):
        new = ahead - step * (x.T @ (link(x @ ahead) - y) + ridge * (ahead - prior))
        ahead, weights = new + k / (k + 3) * (new - weights), new
    return weights


def written(kinds: Any, flaws: Any) -> str:
    """The text of tag_weights.txt."""
    rows = [
        "# Weights of the rule tagger in hundredths, made by `python perf/tags.py --fit` from the dev lists of the reference.",
        "# feature EG CG GS F1 F2 F3 F4 F5 F6; the last rows: what a kind adds to a flaw",
    ]
    n = len(FEATURES)
    for k, name in enumerate((*FEATURES, *KINDS)):
        numbers = [*(kinds[k] if k < n else (0, 0, 0)), *flaws[k]]
        rows.append(f"{name:13}" + "".join(f"{round(100 * number):6d}" for number in numbers))
    return "\n".join(rows) + "\n"


def speed(lists: Sequence[Listed]) -> int:
    """Reasons a second, the best of three; each text gets a number of its own, so that nothing was seen before."""
    tagger, best = RuleTagger(), 0.0
    for turn in range(3):
        new = [
            ([f"{reason} (case {turn}-{k}-{copy})" for k, reason in enumerate(of.reasons)], of.verdict)
            for copy in range(30)
            for of in lists
        ]
        start = time.process_time()
        for reasons, verdict in new:
            tagger.tag(reasons, verdict)
        best = max(best, sum(len(reasons) for reasons, _ in new) / (time.process_time() - start))
    return round(best)


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=("dev", "test"), help="one split only")
    parser.add_argument("--tags", type=Path, help="a tags.jsonl of another tagger")
    parser.add_argument("--fit", action="store_true", help="make the weights anew from the dev lists")
    parser.add_argument("--crossed", action="store_true", help="dev only, each list by weights fitted without it")
    parser.add_argument("--no-speed", action="store_true")
    args = parser.parse_args()
    folder = shared()
    if folder is None:
        sys.exit("no shared/ folder of public data beside the checkout (set RATIONALERM_SHARED)")
    lists = reference(folder)
    if args.fit:
        WEIGHTS.write_text(written(*fitted([of for of in lists if of.split == "dev"])), encoding="utf-8")
        return
    if args.crossed:
        part = [of for of in lists if of.split == "dev"]
        print(json.dumps({"dev, crossed": measured(part, crossed(part))}))
        return
    tagger = RuleTagger()
    other = (
        {row["id"]: [Tags(k, tuple(f)) for k, f in zip(row["kinds"], row["flaws"], strict=True)] for row in lines(args.tags)}
        if args.tags
        else None
    )
    done: dict[str, Any] = {"tagger": str(args.tags) if args.tags else tagger.version}
    for split in (args.split,) if args.split else ("dev", "test"):
        part = [of for of in lists if of.split == split and (other is None or of.id in other)]
        done[split] = measured(part, [other[of.id] if other else tagger.tag(of.reasons, of.verdict) for of in part])
    if not args.no_speed and other is None:
        done["speed"] = speed(lists)
    print(json.dumps(done))


if __name__ == "__main__":
    main()
