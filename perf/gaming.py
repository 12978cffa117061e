"""What tricks (perf/tricks.py) add to a list of reasons. One JSON object a matcher: python perf/gaming.py [--matcher NAME]

    tricks      trick x judge of the shipped sample: [before, after, difference], means over the rows that `evaluate` scores
                rc              recall, list cut to 5, as `evaluate` scores it
                ap              average precision, list whole: the hybrid reward's rationale part
                ap_of_5         average precision, list cut to 5: the same with `max_reasons: 5`
                `nobody` is no judge but the empty list on every row: what a trick alone is paid
    families    tricks of a kind together: the largest difference of each judge
    over        where RC rises by more than `limit`: the three rows with the most, [id, before, after]

The sample ships: nothing is read from outside. The figures are the same on every machine.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import rationalerm
from rationalerm.data.pairs import PairFile
from rationalerm.errors import MatcherError
from rationalerm.match import Matcher, make_matcher
from rationalerm.match.pasted import as_matched, shown_of
from rationalerm.run.games import game_of, to_match
from rationalerm.score.consistency import TOP_K, cut, merge_copies, rationale_scores
from rationalerm.types import Matching, Pair
from tricks import TRICKS, Reasons, Trick

SAMPLE = Path(rationalerm.__file__).parent / "sample" / "pairs.jsonl"
MATCHERS = ("embedded", "fast", "lexical")
LIMIT = 0.05
NOBODY = "nobody"
METRICS: dict[str, tuple[str, int | None]] = {
    "rc": ("recall", TOP_K),
    "ap": ("average_precision", None),
    "ap_of_5": ("average_precision", TOP_K),
}
Scores = dict[str, list[float]]  # metric -> a score a row


class Row(NamedTuple):
    """A row of a judge that `evaluate` scores: the pair without what the human said, the human's reasons, the judge's list."""

    pair: Pair
    human: Reasons
    reasons: Reasons


def sample() -> dict[str, list[Row]]:
    """Each judge's rows, and the rows of `NOBODY`: every pair with human reasons."""
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for pair in PairFile(SAMPLE):
        blind = replace(pair, label=None, preference=None, human_reasons=None)
        for game in filter(to_match, (game_of(pair, answer) for answer in pair.answers)):
            rows[game.answer.judge].append(Row(blind, game.human, game.judgment.reasons))
        if pair.human_reasons:
            rows[NOBODY].append(Row(blind, pair.human_reasons, ()))
    return dict(rows)


def scored(matcher: Matcher, rows: Sequence[Row], trick: Trick | None, metrics: Sequence[str] = tuple(METRICS)) -> Scores:
    """Each row's scores under a trick; None: the list as it is. Only so much of the lists is matched as the metrics look at."""
    lists = [row.reasons if trick is None else trick.change(row.pair, row.reasons) for row in rows]
    if all(METRICS[name][1] is not None for name in metrics):
        lists = [reasons[:TOP_K] for reasons in lists]
    lists = [as_matched(matcher, own, shown_of(row.pair), row.human) for row, own in zip(rows, lists, strict=True)]
    matchings = matcher.match_many([(row.human, own) for row, own in zip(rows, lists, strict=True)])
    return {name: [_score(m, own, *METRICS[name]) for m, own in zip(matchings, lists, strict=True)] for name in metrics}


def _score(matching: Matching, reasons: Reasons, metric: str, top_k: int | None) -> float:
    """As score/rows.py and reward/formula.py do it: cut, copies merged, scored."""
    kept = cut(matching, top_k)
    value: float = getattr(rationale_scores(merge_copies(kept, reasons[: kept.n_model]), "paper", None), metric)
    return value


def mean(values: Sequence[float]) -> float:
    """Of no values, 0."""
    return sum(values) / len(values) if values else 0.0


def measured(matcher: Matcher, rows: dict[str, list[Row]]) -> dict[str, Any]:
    """All figures of a matcher."""
    before = {judge: scored(matcher, of, None) for judge, of in rows.items()}
    tricks: dict[str, Any] = {}
    over = []
    for trick in TRICKS:
        tricks[trick.name] = {"family": trick.family}
        for judge, of in rows.items():
            after = scored(matcher, of, trick)
            figures = {name: _figure(before[judge][name], after[name]) for name in METRICS}
            tricks[trick.name][judge] = figures
            if figures["rc"][2] > LIMIT:
                over.append({"trick": trick.name, "judge": judge, "rows": worst(of, before[judge]["rc"], after["rc"])})
    return {"tricks": tricks, "families": _families(tricks, list(rows)), "limit": LIMIT, "over": over}


def _figure(before: Sequence[float], after: Sequence[float]) -> list[float]:
    return [round(value, 4) for value in (mean(before), mean(after), mean(after) - mean(before))]


def worst(rows: Sequence[Row], before: Sequence[float], after: Sequence[float], most: int = 3) -> list[tuple[str, float, float]]:
    """The rows that rise most."""
    risen = sorted(zip(rows, before, after, strict=True), key=lambda one: one[1] - one[2])
    return [(row.pair.id, round(x, 3), round(y, 3)) for row, x, y in risen[:most]]


def _families(tricks: dict[str, Any], judges: Sequence[str]) -> dict[str, Any]:
    """The largest difference of each metric and judge over the tricks of a kind."""
    kinds: defaultdict[str, list[Any]] = defaultdict(list)
    for trick in tricks.values():
        kinds[trick["family"]].append(trick)
    return {
        kind: {name: {judge: max(trick[judge][name][2] for trick in of) for judge in judges} for name in METRICS}
        for kind, of in kinds.items()
    }


def main() -> None:
    """Prints all figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--matcher", choices=MATCHERS, action="append", help="may be given more than once; all that load if not")
    options = parser.parse_args()
    rows = sample()
    for name in options.matcher or MATCHERS:
        matcher = make_matcher(name)
        try:
            matcher.match(["warm"], ["up"])
        except MatcherError as error:
            if options.matcher:
                sys.exit(f"gaming: {error}")
            print(f"gaming: {name} left out: {error}", file=sys.stderr)
            continue
        sizes = {judge: len(of) for judge, of in rows.items()}
        print(json.dumps({"matcher": name, "version": matcher.version, "rows": sizes, **measured(matcher, rows)}, indent=1))


if __name__ == "__main__":
    main()
