"""Arena-Hard v2 (benchmarks.md): two games a question against the category's baseline; win rates, plain and style-controlled.

A game's label is a score of the model, 1, 0.5 or 0, a `>>` counting three times; a row with a game without a verdict is dropped.
The plain win rate is the mean of all scores; intervals are 5% and 95% quantiles of 100 resamples of the questions. Knows no
files.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rationalerm.bench.arena_style import controlled
from rationalerm.bench.base import BenchResult, Candidate, Contest, Games, Scores, games_of_scores
from rationalerm.bench.figures import counts_of, effects_of, played
from rationalerm.score.means import Mean
from rationalerm.types import Pair, Verdict

__all__ = ["ArenaHard", "Bout", "Row", "scores_of"]

_MUCH = 3  # how often a `>>` counts


@dataclass(frozen=True, slots=True)
class Bout:
    """One model's two games on one question.

    `pair`: response_a is the baseline's answer, response_b the model's (empty where only judgments are known).

    `style`: the four features of the model's answer against the baseline's (`arena_style.features`); None: not known.
    `estimated`: their tokens were counted here, without the tokenizer of the benchmark's own counts.
    """

    uid: str
    model: str
    baseline: str
    category: str | None
    pair: Pair
    style: tuple[float, float, float, float] | None = None
    estimated: bool = False

    @property
    def id(self) -> str:
        """One of its own in the benchmark."""
        return f"{self.model}:{self.uid}"


@dataclass(frozen=True, slots=True)
class Row:
    """A bout that counts: its scores."""

    bout: Bout
    scores: tuple[float, ...]


@dataclass(frozen=True)
class ArenaHard:
    """The protocol.

    Args:
        bouts: of one model or several.
        draws: bootstrap resamples.
        seed: of the draws.
    """

    bouts: Sequence[Bout]
    draws: int = 100
    seed: int = 0

    @property
    def name(self) -> str:
        """As the command line has it."""
        return "arena-hard"

    def contests(self) -> Iterator[Contest]:
        """A bout each, in both orders; "AB" is game 0, in which A is the baseline."""
        for bout in self.bouts:
            yield Contest(bout.id, bout.pair, ("AB", "BA"))

    def candidates(self) -> Iterator[Candidate]:
        """`MODEL:UID:model` and, once a question, `BASELINE:UID:baseline`."""
        seen = set()
        for bout in self.bouts:
            a, b = _candidates(bout)
            if a not in seen:
                yield Candidate(a, bout.pair.messages, bout.pair.response_a)
                seen.add(a)
            yield Candidate(b, bout.pair.messages, bout.pair.response_b)

    def result(self, games: Games, scores: Scores) -> BenchResult:
        """Shares of 1, a model each; `overall` where there is one model, and one category of it."""
        contests = list(self.contests())
        if scores:
            pairs = zip(contests, map(_candidates, self.bouts), strict=True)
            games = games_of_scores(pairs, scores, both=True)
            contests = [replace(contest, orders=("AB",)) for contest in contests]  # a scalar judge has no orders to flip
        run = {contest.id for contest in contests if played(contest, games)}
        bouts = [bout for bout in self.bouts if bout.id in run]
        rows = [Row(bout, found) for bout in bouts if (found := scores_of(bout, games)) is not None]
        short = _short_names({bout.model for bout in bouts})
        models = {short[model]: self._model(model, bouts, rows) for model in dict.fromkeys(bout.model for bout in bouts)}
        tables: dict[str, Any] = {"models": models, "style": self._style(rows, models, short)}
        tables["effects"] = _by_category(bouts, contests, games)
        only = next(iter(models.values())) if len(models) == 1 else None
        overall = Mean(only["score"], tuple(only["score_ci"]) if only["score_ci"] else None, only["rows"]) if only else None
        counts = counts_of(contests, games) | {"rows": len(bouts), "dropped rows": len(bouts) - len(rows)}
        return BenchResult(
            name=self.name,
            overall=overall or Mean(None, None, len(rows)),
            counts=counts,
            effects=effects_of(contests, games),
            tables=tables,
        )

    def _model(self, model: str, bouts: Sequence[Bout], rows: Sequence[Row]) -> dict[str, Any]:
        """One model's plain win rates: a category each, and over all of its rows where they are of one."""
        of = [bout for bout in bouts if bout.model == model]
        mine = [row for row in rows if row.bout.model == model]
        out = self._plain(of, mine)
        categories = list(dict.fromkeys(bout.category for bout in of if bout.category is not None))
        out["categories"] = {
            name: self._plain([b for b in of if b.category == name], [r for r in mine if r.bout.category == name])
            for name in sorted(categories, reverse=True)  # hard_prompt, the benchmark's main one, first
        }
        return out

    def _plain(self, bouts: Sequence[Bout], rows: Sequence[Row]) -> dict[str, Any]:
        scores = [score for row in rows for score in row.scores]
        # The benchmark has a win rate a category, each against a baseline of its own. One over several would mix rates against
        # different opponents by how many questions each has, and stand beside no published figure: there is none, only counts.
        one = len({(bout.category, bout.baseline) for bout in bouts}) == 1
        return {
            "score": sum(scores) / len(scores) if scores and one else None,
            "score_ci": self._interval(rows) if one else None,
            "n": len(rows),
            "battles": len(scores),
            "rows": len(bouts),
            "dropped_rows": len(bouts) - len(rows),
            "baseline": ", ".join(dict.fromkeys(bout.baseline for bout in bouts)),
        }

    def _interval(self, rows: Sequence[Row]) -> list[float] | None:
        """The 5% and 95% quantiles over resamples of the questions (a question's scores are not independent)."""
        by_question: dict[str, list[float]] = defaultdict(list)
        for row in sorted(rows, key=lambda row: row.bout.uid):  # so that the file's order does not matter
            by_question[row.bout.uid] += row.scores
        if len(by_question) < 2:
            return None
        won = np.array([sum(of) for of in by_question.values()])
        size = np.array([len(of) for of in by_question.values()], dtype=float)
        picked = np.random.default_rng(self.seed).integers(len(won), size=(self.draws, len(won)))
        low, high = np.quantile(won[picked].sum(axis=1) / size[picked].sum(axis=1), [0.05, 0.95])
        return [float(low), float(high)]

    def _style(self, rows: Sequence[Row], models: dict[str, dict[str, Any]], short: dict[str, str]) -> dict[str, Any]:
        """With style controlled, a category and baseline each: into each model's entry, and what the fits share."""
        shared: dict[str, Any] = {}
        of: dict[tuple[str | None, str], list[Row]] = defaultdict(list)
        for row in rows:
            if row.bout.model != row.bout.baseline:
                of[row.bout.category, row.bout.baseline].append(row)
        fitted = Counter((row.bout.model, row.bout.category, row.bout.baseline) for row in rows)
        several = Counter((model, category) for model, category, _ in fitted)
        for (category, baseline), part in of.items():
            known = [row for row in part if row.bout.style is not None]
            if not known:
                continue
            fits, rest = controlled(known, self.draws, self.seed)
            rest |= {"baseline": baseline, "rows_without_style": len(part) - len(known)}
            rest |= {"rows_with_estimated_tokens": sum(row.bout.estimated for row in known)}
            shared["all" if category is None else category if category not in shared else f"{category} ({baseline})"] = rest
            for model, found in fits.items():
                if several[model, category] > 1:  # against two baselines: no figure, as in _plain
                    continue
                entry = models[short[model]]
                (entry["categories"][category] if category is not None else entry).update(found)
        for entry in models.values():
            if len(entry["categories"]) == 1 and entry["score"] is not None:
                (only,) = entry["categories"].values()
                entry.update({name: only[name] for name in ("style_controlled", "style_controlled_alone") if name in only})
        return shared


def _by_category(bouts: Sequence[Bout], contests: Sequence[Contest], games: Games) -> dict[str, Any]:
    """Position and length bias of each category's table, as `effects_of` gives them."""
    of = {bout.id: bout.category for bout in bouts if bout.category is not None}
    names = sorted(set(of.values()), reverse=True)
    parts = {name: effects_of([contest for contest in contests if of.get(contest.id) == name], games) for name in names}
    return {
        name: {key: value for one, mean in part.items() for key, value in mean.to_json(one).items()}
        for name, part in parts.items()
    }


def scores_of(bout: Bout, games: Games) -> tuple[float, ...] | None:
    """The model's scores in both games, weights written out; None where a game has no verdict (the row is dropped)."""
    first, second = games.get((bout.id, "AB")), games.get((bout.id, "BA"))
    if first is None or second is None or first.verdict is None or second.verdict is None:
        return None
    return (*_scores(second.verdict), *(1.0 - score for score in _scores(first.verdict)))


def _scores(verdict: Verdict) -> tuple[float, ...]:
    """What the response shown as A gets."""
    value = 0.5 if verdict.side == 0 else 1.0 if verdict.side < 0 else 0.0
    return (value,) * (_MUCH if verdict.strength == 2 else 1)


def _candidates(bout: Bout) -> tuple[str, str]:
    return f"{bout.baseline}:{bout.uid}:baseline", f"{bout.id}:model"


def _short_names(models: set[str]) -> dict[str, str]:
    """A model without its owner (`owner/name`), as the benchmark's own tables have it, unless two would share a name."""
    last = {model: model.rsplit("/", 1)[-1] for model in models}
    taken = list(last.values())
    return {model: name if taken.count(name) == 1 else model for model, name in last.items()}
