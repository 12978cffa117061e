"""Shares of the kinds and flaws of a judge's reasons (method.md section 5), and how far two taggers agree on them.

A share is of reasons: those of the kind, divided by all reasons of the lists that were tagged. A list that could not be tagged is
counted apart and enters no share. 95% intervals: prompts are drawn with replacement, with all their lists and reasons; where no
resample differs (a flaw that nobody has) the interval is that of `intervals.bootstrap`. Knows nothing of files, and not how
reasons are tagged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rationalerm.judge.tagging import FLAWS, KINDS
from rationalerm.score.intervals import bootstrap
from rationalerm.score.resample import Floats, cluster_draws, interval

__all__ = ["OUTCOMES", "Agreed", "Share", "TaggedList", "Taxonomy", "agreed", "multi_kappa", "taxonomy"]

OUTCOMES = ("right", "wrong", "other")
_NAMES = (*KINDS, *FLAWS)
_DRAWS, _FEWEST_DRAWS, _WORK = 2000, 400, 50_000_000
_SAME = 1e-12


class Share(NamedTuple):
    """A figure with its 95% interval; None where not defined. `n`: the reasons that it is of."""

    value: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class TaggedList:
    """A judge's list in one game. `right`: is its verdict the human's side; None: tie, unlabelled, or no verdict.
    `kinds` None: the tagger failed on it."""

    id: str
    judge: str
    cluster: str
    domain: str | None
    right: bool | None
    kinds: tuple[str, ...] | None
    flaws: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """One judge's shares: of all its reasons, by domain, by what the verdict came to (`right`, `wrong`, `other`). `lists`: tagged
    ones, `empty` of them without reasons; `failed`: lists that the tagger failed on."""

    shares: Mapping[str, Share]
    domains: Mapping[str, Mapping[str, Share]]
    outcomes: Mapping[str, Mapping[str, Share]]
    reasons: int
    lists: int
    empty: int
    failed: int

    def to_json(self) -> dict[str, Any]:
        """Each share as [value, low, high, n], under EG to GS and F1 to F7."""
        return {
            "reasons": self.reasons,
            "lists": self.lists,
            "empty": self.empty,
            "failed": self.failed,
            "shares": _json(self.shares),
            "domains": {name: _json(of) for name, of in self.domains.items()},
            "outcomes": {name: _json(of) for name, of in self.outcomes.items()},
        }


def taxonomy(lists: Iterable[TaggedList], *, draws: int | None = None, seed: int = 0) -> dict[str, Taxonomy]:
    """Every judge's shares, in order of first appearance.

    Args:
        lists: one a game.
        draws: bootstrap samples (default 2000, fewer with very many prompts).
        seed: of the generator.
    """
    judges: dict[str, list[TaggedList]] = {}
    for one in lists:
        judges.setdefault(one.judge, []).append(one)
    return {name: _one_judge(of, draws, seed) for name, of in judges.items()}


def _one_judge(of: Sequence[TaggedList], draws: int | None, seed: int) -> Taxonomy:
    tagged = [one for one in of if one.kinds is not None]

    def shares(test: Callable[[TaggedList], bool]) -> dict[str, Share]:
        return _shares([one for one in tagged if test(one)], draws, seed)

    domains = sorted({one.domain for one in tagged if one.domain})
    outcomes = [name for name in OUTCOMES if any(_outcome(one) == name for one in tagged)]
    return Taxonomy(
        shares=shares(lambda one: True),
        domains={name: shares(lambda one, name=name: one.domain == name) for name in domains},  # type: ignore[misc]
        outcomes={name: shares(lambda one, name=name: _outcome(one) == name) for name in outcomes},  # type: ignore[misc]
        reasons=sum(len(one.kinds or ()) for one in tagged),
        lists=len(tagged),
        empty=sum(not one.kinds for one in tagged),
        failed=len(of) - len(tagged),
    )


def _outcome(one: TaggedList) -> str:
    return "other" if one.right is None else "right" if one.right else "wrong"


def _shares(lists: Sequence[TaggedList], draws: int | None, seed: int) -> dict[str, Share]:
    counts: dict[str, list[int]] = {}
    for one in lists:
        if one.kinds:
            row = counts.setdefault(one.cluster, [0] * (len(_NAMES) + 1))
            row[-1] += len(one.kinds)
            for kind in one.kinds:
                row[_NAMES.index(kind)] += 1
            for flaw in (flaw for flaws in one.flaws for flaw in set(flaws)):
                row[_NAMES.index(flaw)] += 1
    if not counts:
        return {name: Share(None, None, None, 0) for name in _NAMES}
    table = np.array(list(counts.values()), dtype=np.float64)
    drawn = _drawn(table, draws, seed)
    return {name: _share(table[:, k], table[:, -1], drawn[:, k]) for k, name in enumerate(_NAMES)}


def _drawn(table: Floats, draws: int | None, seed: int) -> Floats:
    """(draws, names): the shares in each resample; no rows where there is one prompt only."""
    clusters = len(table)
    draws = draws or max(_FEWEST_DRAWS, min(_DRAWS, _WORK // clusters))
    if clusters < 2:
        return np.empty((0, len(_NAMES)))
    sums = np.concatenate([weights @ table for weights in cluster_draws(clusters, draws, clusters, seed)])
    return cast(Floats, sums[:, :-1] / sums[:, -1:])


def _share(has: Floats, of: Floats, drawn: Floats) -> Share:
    n = int(of.sum())
    value = float(has.sum()) / n
    if len(drawn) and float(np.ptp(drawn)) < _SAME:
        numbers = [float(k < held) for held, size in zip(has, of, strict=True) for k in range(int(size))]
        found = bootstrap(numbers, [k for k, size in enumerate(of) for _ in range(int(size))])
    else:
        found = interval(drawn) if len(drawn) else None
    low, high = found or (None, None)
    return Share(value, low, high, n)


def _json(shares: Mapping[str, Share]) -> dict[str, list[float | int | None]]:
    return {name: list(share) for name, share in shares.items()}


def multi_kappa(table: NDArray[np.float64]) -> Floats:
    """Cohen's kappa of two raters over k classes from (draws, k, k), rows the first's; NaN where both give one class only.

    (observed - expected agreement) / (1 - expected), unweighted.
    Source: Cohen, "A coefficient of agreement for nominal scales", 1960.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = table / table.sum(axis=(1, 2), keepdims=True)
        observed = np.trace(shares, axis1=1, axis2=2)
        expected = (shares.sum(axis=2) * shares.sum(axis=1)).sum(axis=1)
        return cast(Floats, np.where(1 - expected > _SAME, (observed - expected) / (1 - expected), np.nan))


class Agreed(NamedTuple):
    """Two raters of the same items: Cohen's kappa and the plain share of agreement; `table[i][j]`: the first says class i, the
    second class j."""

    kappa: Share
    accuracy: Share
    table: tuple[tuple[int, ...], ...]


def agreed(
    first: Sequence[str],
    second: Sequence[str],
    clusters: Sequence[str],
    classes: Sequence[str],
    *,
    draws: int = 2000,
    seed: int = 0,
) -> Agreed:
    """How far two raters agree, with intervals over resampled clusters (lists).

    Args:
        first, second: a class an item, same items in the same order.
        clusters: the item's list.
        classes: all that there are.

    >>> agreed(["x", "y", "x", "y"], ["x", "y", "y", "y"], ["1", "1", "2", "2"], ["x", "y"]).kappa.value
    0.5
    """
    place = {name: k for k, name in enumerate(classes)}
    size = len(classes)
    tables: dict[str, NDArray[np.float64]] = {}
    for a, b, cluster in zip(first, second, clusters, strict=True):
        tables.setdefault(cluster, np.zeros((size, size)))[place[a], place[b]] += 1
    if not tables:
        nothing = Share(None, None, None, 0)
        return Agreed(nothing, nothing, ((0,) * size,) * size)
    each = np.array(list(tables.values()))
    whole = each.sum(axis=0)[None]
    drawn = (
        [np.tensordot(weights, each, 1) for weights in cluster_draws(len(each), draws, len(each), seed)] if len(each) > 1 else []
    )
    many = np.concatenate(drawn) if drawn else whole[:0]

    def figure(of: Callable[[NDArray[np.float64]], Floats]) -> Share:
        value = float(of(whole)[0])
        low, high = (interval(of(many)) if len(many) else None) or (None, None)
        return Share(None if np.isnan(value) else value, low, high, len(first))

    def accuracy(table: NDArray[np.float64]) -> Floats:
        return cast(Floats, np.trace(table, axis1=1, axis2=2) / table.sum(axis=(1, 2)))

    return Agreed(figure(multi_kappa), figure(accuracy), tuple(tuple(map(int, row)) for row in whole[0]))
