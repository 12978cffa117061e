"""What the fit is worth on what it has not seen: summhay by topic, each dev set by the other. perf/agreement.py prints it.

The rules and word lists were written with both dev sets in view, so that only the frozen set is free of the hand that tuned.
"""

from __future__ import annotations

from collections.abc import Iterator

import corpora
import make
import numpy as np

from rationalerm.match.static import StaticMatcher

__all__ = ["by_topic", "by_writer"]


def by_topic(matcher: StaticMatcher) -> Iterator[tuple[str, StaticMatcher]]:
    """(topic, the matcher fitted without it) of each topic of summhay_eval."""
    np.seterr(over="ignore")
    rest = make.others(matcher)
    for rows in make.dev_sets().values():
        rest += [*make.contrast(matcher, rows), *make.strangers(matcher, rows)]
    for topic in sorted({row["topic"] for row in corpora.rows("summhay_eval/eval.jsonl")}):
        yield topic, matcher.calibrated(make.fitted(matcher.name, [*rest, *make.summhay(matcher, without={topic})]))


def by_writer(matcher: StaticMatcher) -> Iterator[tuple[str, StaticMatcher]]:
    """(dev set, the matcher fitted without it) of each of the two."""
    np.seterr(over="ignore")
    rest, sets = [*make.summhay(matcher), *make.others(matcher)], make.dev_sets()
    for held in sets:
        pairs = [p for k, v in sets.items() if k != held for p in (*make.contrast(matcher, v), *make.strangers(matcher, v))]
        yield held, matcher.calibrated(make.fitted(matcher.name, [*rest, *pairs]))
