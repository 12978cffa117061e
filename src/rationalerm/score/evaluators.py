"""Two evaluators of the same judges' rows, joined row by row: what both scored goes into the figures, the rest is counted.

Knows nothing of files: run/agreement.py reads them, and `evaluate --audit` has its games in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rationalerm.errors import UsageError
from rationalerm.score.agreement import Agreement, RatedTwice, agreement
from rationalerm.score.consistency import Scoring, cut, merge_copies
from rationalerm.score.means import VALUES
from rationalerm.score.rows import GameResult
from rationalerm.types import Matching

__all__ = ["METRICS", "Compared", "Evaluator", "Rated", "compare_evaluators", "scored_matching"]

METRICS = ("rationale_consistency", "precision", "f1", "average_precision")
_SHOWN = 3
GameKey = tuple[str, str, str]  # id, judge, order


class Rated(NamedTuple):
    """A game as one evaluator scored it. `matching`: the one that the score was made of (`scored_matching`); `texts`: changes
    with the reasons of either side. Both None where they are not known."""

    game: GameResult
    matching: Matching | None = None
    texts: Hashable = None


@dataclass
class Evaluator:
    """One evaluator's games. `name`: as the user calls it; `what`: matcher and version; `ids` False: the ids say nothing, so
    rows are found by their texts."""

    name: str
    what: str
    scoring: Scoring
    top_k: int | None
    rows: list[Rated] = field(default_factory=list)
    ids: bool = True
    unread: Counter[str] = field(default_factory=Counter)  # rows that belong to no judge or have no texts: why

    @classmethod
    def of_games(
        cls,
        name: str,
        what: str,
        games: Iterable[GameResult],
        matchings: Mapping[GameKey, tuple[Matching, Sequence[str]]] | None = None,
        *,
        scoring: Scoring,
        top_k: int | None,
    ) -> Evaluator:
        """From games in memory.

        Args:
            name, what: as above.
            games: scored or not.
            matchings: (id, judge, order) -> the matching over the judge's whole list, and that list.
            scoring, top_k: how the games were scored.
        """
        known = matchings or {}
        rows = []
        for game in games:
            found = known.get((game.id, game.judge, game.order))
            rows.append(Rated(game, None if found is None else scored_matching(*found, top_k)))
        return cls(name, what, scoring, top_k, rows)

    @property
    def how(self) -> str:
        """The scoring, in words."""
        return f"{self.scoring} scoring, top-k {'none' if self.top_k is None else self.top_k}"


@dataclass(frozen=True, slots=True)
class Compared:
    """The figures, and what they are not over. `unscored`: rows of both that one or both did not score, by who and why."""

    a: Evaluator
    b: Evaluator
    metric: str
    figures: Agreement
    by_text: bool
    only: tuple[int, int]  # rows in A only, in B only, of the judges that both have
    judges_only: tuple[tuple[str, ...], tuple[str, ...]]
    unscored: Counter[str]

    def to_json(self) -> dict[str, Any]:
        """The whole report, full precision."""
        sides = {
            side: {"name": of.name, "evaluator": of.what, "only": only, "judges_only": list(judges), "unread": dict(of.unread)}
            for side, of, only, judges in zip("ab", (self.a, self.b), self.only, self.judges_only, strict=True)
        }
        how = {
            "metric": self.metric,
            "scoring": self.a.scoring,
            "top_k": self.a.top_k,
            "joined_by": "text" if self.by_text else "id",
        }
        return {**sides, **how, "unscored": dict(self.unscored.most_common()), **self.figures.to_json()}


def scored_matching(matching: Matching, reasons: Sequence[str], top_k: int | None) -> Matching:
    """What a score is made of: the list cut to K, copies of a reason taken for one."""
    kept = cut(matching, top_k)
    return merge_copies(kept, reasons[: kept.n_model])


def compare_evaluators(
    a: Evaluator, b: Evaluator, metric: str = "rationale_consistency", judges: Sequence[str] = (), *, draws: int | None = None
) -> Compared:
    """Joins the rows by (id, judge, order), or by (texts, judge, order), and makes every figure of `score.agreement`.

    Args:
        a, b: the evaluators; the regression is of B on A.
        metric: one of `METRICS`.
        judges: only these; none means all that both have.
        draws: bootstrap samples; None for the usual number.

    Raises:
        UsageError: scored differently, texts that differ, no judge or no row in common.
    """
    if (a.scoring, a.top_k) != (b.scoring, b.top_k):
        raise UsageError(f"{a.name} was scored with {a.how}, {b.name} with {b.how}; score one of them again like the other")
    by_text = not (a.ids and b.ids)
    names = _judges(a, b, judges)
    left, right = (_keyed(of, names, by_text) for of in (a, b))
    common = [key for key in left if key in right]
    if not common:
        where = "texts" if by_text else "id"
        raise UsageError(f"{a.name} and {b.name} have no row in common (same judge, order and {where}); are they of one input?")
    _same_texts(a, b, [(left[key], right[key]) for key in common])
    rows: list[RatedTwice] = []
    unscored: Counter[str] = Counter()
    for key in common:
        if isinstance(row := _twice(left[key], right[key], metric, names[key[1]]), str):
            unscored[row] += 1
        else:
            rows.append(row)
    return Compared(
        a,
        b,
        metric,
        agreement(rows, a.scoring, draws=draws),
        by_text,
        (len(left) - len(common), len(right) - len(common)),
        (_others(a, names), _others(b, names)) if not judges else ((), ()),
        unscored,
    )


def _judges(a: Evaluator, b: Evaluator, wanted: Sequence[str]) -> dict[str, str]:
    """Lower-case name -> A's name, of the judges to compare. Fields are found in any case, so names are one in any case."""
    left, right = ({row.game.judge.lower(): row.game.judge for row in of.rows} for of in (a, b))
    for judge in wanted:
        for of, has in ((a, left), (b, right)):
            if judge.lower() not in has:
                raise UsageError(f"--judge {judge}: not in {of.name}, which has {', '.join(sorted(has.values())) or 'none'}")
    names = {name.lower() for name in wanted} or left.keys() & right.keys()
    if not names:
        here, there = (", ".join(sorted(has.values())) or "none" for has in (left, right))
        raise UsageError(f"no judge in common: {a.name} has {here}, {b.name} has {there}")
    return {lower: name for lower, name in left.items() if lower in names}


def _others(of: Evaluator, names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(sorted({row.game.judge for row in of.rows if row.game.judge.lower() not in names}))


def _keyed(of: Evaluator, names: Mapping[str, str], by_text: bool) -> dict[tuple[Hashable, str, str], Rated]:
    """The rows by what they are found by. Of rows with the same key the last that was scored counts: it was done again."""
    found: dict[tuple[Hashable, str, str], Rated] = {}
    for row in of.rows:
        judge = row.game.judge.lower()
        if judge not in names:
            continue
        place: Hashable = row.game.id
        if by_text:
            place = (of.name, row.game.id) if row.texts is None else row.texts  # without texts it meets no other row
        key = (place, judge, row.game.order)
        if key not in found or row.game.score is not None or found[key].game.score is None:
            found[key] = row
    return found


def _same_texts(a: Evaluator, b: Evaluator, rows: Sequence[tuple[Rated, Rated]]) -> None:
    """Two evaluators of different texts can't be compared: the judge's answers, or the human's reasons, were others."""
    other = [x.game for x, y in rows if x.texts is not None and y.texts is not None and x.texts != y.texts]
    if other:
        named = ", ".join(f"{game.id} ({game.judge})" for game in other[:_SHOWN]) + (", ..." if len(other) > _SHOWN else "")
        raise UsageError(
            f"{a.name} and {b.name} hold other reasons in {len(other)} of {len(rows)} common rows, id {named}; "
            "compare two evaluators of the same input"
        )


def _twice(x: Rated, y: Rated, metric: str, judge: str) -> RatedTwice | str:
    """Both scores of a row, or who did not score it and why."""
    value = VALUES[metric]
    one, other = value(x.game), value(y.game)
    if one is None or other is None:
        why = [f"{who}: {row.game.rationale_status}" for who, row, v in (("A", x, one), ("B", y, other)) if v is None]
        same = len(why) == 2 and x.game.rationale_status == y.game.rationale_status
        return f"both: {x.game.rationale_status}" if same else "; ".join(why)
    known = [c for c in (x.game.cluster, y.game.cluster) if c and not c.startswith("row:")]
    pair = x.game.id
    matchings = None if x.matching is None or y.matching is None else (x.matching, y.matching)
    return RatedTwice(judge, pair, known[0] if known else f"row:{pair}", float(one), float(other), x.game.n_model > 0, matchings)
