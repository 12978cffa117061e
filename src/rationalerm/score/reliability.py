"""How far RC hangs on which reasons the human happened to write: each human list split in two, the judge scored on each half.

    own variance of a row  (recall_1 - recall_2)^2 * h_1 h_2 / (h_1 + h_2)^2     h: the halves' sizes; mean over splits
    error of RC            sqrt(sum of the rows' own variances) / rows
    reliability of a row   c / (c + mean own variance)     c: covariance over rows of recall_1 and recall_2; mean over splits

With halves of equal size the last is Spearman and Brown's 2 r / (1 + r), r the correlation of the halves; lists of three have
none, and that formula would say too little of them.

The one-to-one optimum is made anew on each half. A half's recall is a little higher than the whole list's, since fewer human
reasons compete for the judge's; differences and correlations do not see that. Rows with one human reason can't be split: they
are not in r, and their variance is taken to be the others' of one reason. All games and all judges of a pair are split alike,
so that over judges, "does the ranking hold" compares two human lists that could both have been written.

The human's reasons are taken as a sample of those that could have been given. What a second annotator would have written is
another question: see ceiling.py.

Sources: Spearman, "Correlation calculated from faulty data", and Brown, "Some experimental results in the correlation of mental
abilities", both 1910. Knows nothing of texts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rationalerm.match.assign import assign
from rationalerm.score.resample import Floats, pearson
from rationalerm.types import Matching

__all__ = ["JudgeReliability", "RankingHeld", "Reliability", "Split", "recall_on", "reliability"]

_LEAST_ROWS, _LEAST_JUDGES = 3, 3


class Split(NamedTuple):
    """A game to be split: its pair's id, and the matching that its score was made of (by `evaluators.scored_matching`: cut to K,
    copies merged), its human reasons in the pair's order."""

    pair: str
    matching: Matching


@dataclass(frozen=True, slots=True)
class JudgeReliability:
    """`halves`: mean correlation over splits; `row`: reliability of a row's recall; `error`: of RC; None: not defined (`why`).

    `row` lies near 0, or a little under it, where rows differ by no more than their reasons do. `rows`: pairs split; `single`:
    pairs with one human reason.
    """

    rows: int
    single: int
    halves: float | None
    row: float | None
    error: float | None
    why: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Full precision, undefined = null."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class RankingHeld:
    """Over the pairs that all judges have. `same_order`: share of (two judges, split) whose order both halves agree on;
    `same_best`: of splits with the same best judge; `spearman`: mean rank correlation (None under 3 judges)."""

    rows: int
    same_order: float
    same_best: float
    spearman: float | None

    def to_json(self) -> dict[str, Any]:
        """Full precision."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Reliability:
    """A figure a judge, and whether the ranking holds (None with one judge, or no pair that all have)."""

    judges: dict[str, JudgeReliability]
    ranking: RankingHeld | None
    splits: int
    seed: int

    def to_json(self) -> dict[str, Any]:
        """Full precision."""
        return {
            "judges": {name: of.to_json() for name, of in self.judges.items()},
            "ranking": self.ranking.to_json() if self.ranking else None,
            "splits": self.splits,
            "seed": self.seed,
        }


def reliability(judges: Mapping[str, Sequence[Split]], *, splits: int = 100, seed: int = 0) -> Reliability:
    """Splits every human list `splits` times.

    Args:
        judges: the games of each judge that were scored and have human reasons.
        splits: how often.
        seed: of the generator; the figures do not depend on the order of the rows.

    Raises:
        ValueError: two judges with different numbers of human reasons for one pair.
    """
    lengths = _lengths(judges)
    pairs = {name: _by_pair(games) for name, games in judges.items()}
    halves = _halves(lengths, splits, seed)
    scored = {name: _scored(of, halves, splits) for name, of in pairs.items()}
    single = {name: sum(lengths[key] == 1 for key in of) for name, of in pairs.items()}
    return Reliability(
        {name: _judge(scored[name], lengths, single[name]) for name in judges}, _ranking(list(scored.values())), splits, seed
    )


def recall_on(matching: Matching, kept: Sequence[int]) -> float:
    """Row recall against the human reasons `kept` alone, the one-to-one optimum made anew; the reasons' order is kept."""
    place = {i: k for k, i in enumerate(kept)}
    scores = {(place[i], j): s for (i, j), s in matching.scores.items() if i in place}
    return math.fsum(s for _, _, s in assign(Matching(len(kept), matching.n_model, scores))) / len(kept)


@dataclass(slots=True)
class _Pair:
    """The games of one pair, and what was scored of them."""

    games: list[Matching] = field(default_factory=list)
    _known: dict[tuple[int, ...], float] = field(default_factory=dict)

    def recall(self, kept: tuple[int, ...]) -> float:
        """Mean of the games. Short lists have few halves: each is scored once."""
        if kept not in self._known:
            self._known[kept] = sum(recall_on(game, kept) for game in self.games) / len(self.games)
        return self._known[kept]


_Halves = dict[str, list[tuple[tuple[int, ...], tuple[int, ...]]]]


def _lengths(judges: Mapping[str, Sequence[Split]]) -> dict[str, int]:
    lengths: dict[str, int] = {}
    for games in judges.values():
        for pair, matching in games:
            if lengths.setdefault(pair, matching.n_human) != matching.n_human:
                raise ValueError(f"pair {pair!r} has {lengths[pair]} human reasons and {matching.n_human}")
    return {pair: n for pair, n in sorted(lengths.items()) if n}


def _by_pair(games: Sequence[Split]) -> dict[str, _Pair]:
    out: dict[str, _Pair] = {}
    for pair, matching in games:
        if matching.n_human:
            out.setdefault(pair, _Pair()).games.append(matching)
    return out


def _halves(lengths: Mapping[str, int], splits: int, seed: int) -> _Halves:
    """Of an odd list, chance says which half is the longer."""
    generator = np.random.default_rng(seed)
    out: _Halves = {}
    for pair, n in lengths.items():
        if n < 2:
            continue
        orders = np.argsort(generator.random((splits, n)), axis=1)
        cuts = n // 2 + (generator.random(splits) < 0.5) * (n % 2)
        out[pair] = [
            (tuple(sorted(order[:cut])), tuple(sorted(order[cut:])))
            for order, cut in zip(orders.tolist(), cuts.tolist(), strict=True)
        ]
    return out


def _scored(pairs: Mapping[str, _Pair], halves: _Halves, splits: int) -> dict[str, Floats]:
    """pair -> (2, splits) recall by each half."""
    return {
        key: np.array([[pairs[key].recall(kept[side]) for kept in of] for side in (0, 1)]).reshape(2, splits)
        for key, of in halves.items()
        if key in pairs
    }


def _judge(scored: Mapping[str, Floats], lengths: Mapping[str, int], single: int) -> JudgeReliability:
    if not scored:
        return JudgeReliability(0, single, None, None, None, "no pair has two human reasons or more")
    values = np.stack(list(scored.values()))  # pairs, 2, splits
    sizes = np.array([lengths[key] for key in scored], float)
    a, b = values[:, 0], values[:, 1]
    share = np.floor(sizes / 2) * np.ceil(sizes / 2) / sizes**2
    own = ((a - b) ** 2).mean(axis=1) * share
    total = own.sum() + single * (own * sizes).mean()
    error = float(math.sqrt(total) / (len(scored) + single))
    if len(scored) < _LEAST_ROWS:
        return JudgeReliability(len(scored), single, None, None, error, f"a correlation needs {_LEAST_ROWS} rows or more")
    found = pearson(a.T, b.T, np.ones(a.T.shape))
    if not np.isfinite(found).all():
        return JudgeReliability(len(scored), single, None, None, error, "all rows have the same recall by a half of the reasons")
    between = float(((a - a.mean(axis=0)) * (b - b.mean(axis=0))).sum() / (len(a) - 1) / a.shape[1])
    whole = between + float(own.mean())
    return JudgeReliability(len(scored), single, float(found.mean()), between / whole if whole > 0 else None, error)


def _ranking(judges: Sequence[Mapping[str, Floats]]) -> RankingHeld | None:
    if len(judges) < 2:
        return None
    common = [key for key in judges[0] if all(key in of for of in judges)]
    if not common:
        return None
    means = np.round(np.stack([np.stack([of[key] for key in common]).mean(axis=0) for of in judges]), 12)  # judges, 2, splits
    pairs = list(combinations(range(len(judges)), 2))
    same = [np.sign(means[j, 0] - means[k, 0]) == np.sign(means[j, 1] - means[k, 1]) for j, k in pairs]
    best = means.argmax(axis=0)
    a, b = (_ranks(means[:, side].T) for side in (0, 1))
    rho = pearson(a, b, np.ones(a.shape)) if len(judges) >= _LEAST_JUDGES else np.array([np.nan])
    defined = rho[np.isfinite(rho)]
    return RankingHeld(
        rows=len(common),
        same_order=float(np.mean(same)),
        same_best=float((best[0] == best[1]).mean()),
        spearman=float(defined.mean()) if len(defined) else None,
    )


def _ranks(values: Floats) -> Floats:
    """(splits, judges): mid-ranks."""
    below = (values[:, :, None] > values[:, None, :]).sum(axis=2)
    equal = (values[:, :, None] == values[:, None, :]).sum(axis=2)
    return np.asarray(below + (equal + 1) / 2)
