"""The human ceiling of a file: each annotator against the others, by the run's own matcher and scoring.

Reads the file a second time, and only where rows have annotators (`individual_preference`). Nothing is kept on disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from rationalerm.data.annotators import FIELD, Annotator, annotators_of, merged, side_of_scores
from rationalerm.data.jsonl import Row, read_rows
from rationalerm.data.pairs import PairFile
from rationalerm.errors import DataError
from rationalerm.match import LLMMatcher, Matcher
from rationalerm.match.base import shown
from rationalerm.match.pasted import as_matched, shown_of
from rationalerm.run.config import EvaluateConfig
from rationalerm.run.progress import Progress
from rationalerm.score.ceiling import ANNOTATOR, Ceiling, ceiling
from rationalerm.score.rows import GameResult, rationale_status, result
from rationalerm.types import Answer, Judgment, Matching, Pair, Verdict

__all__ = ["human_ceiling"]

_BATCH = 64  # games


class _Left(NamedTuple):
    """One annotator left out: the row as the rest see it, and the annotator as a judge."""

    pair: Pair
    answer: Answer
    judgment: Judgment


@dataclass
class _Rows:
    """The left-out annotators of a file, and the domain of each row with one annotator only."""

    source: PairFile
    alone: list[str | None]

    def __iter__(self) -> Iterator[_Left]:
        for pair, row in self.source.rows():
            try:
                people = annotators_of(row)
            except DataError as error:
                raise DataError(error.message, source=self.source.name, row=pair.row, field=error.field) from None
            if len(people) == 1:
                self.alone.append(pair.domain)
                continue
            for k, person in enumerate(people):
                yield _left_out(pair, person, (*people[:k], *people[k + 1 :]))


def human_ceiling(source: PairFile, matcher: Matcher, config: EvaluateConfig, progress: bool = False) -> Ceiling | None:
    """OA and RC of the annotators of a file, each held against the others.

    Args:
        source: the run's file; it is read again (its own counts are left alone).
        matcher: the run's. One behind an endpoint is asked once a left-out annotator; a failure is counted and leaves RC.
        config: the run's scoring and top-k.
        progress: a line on stderr once it takes long.

    Returns:
        None where no row has annotators, or where the file was stdin and is gone.

    Raises:
        DataError: as the file's first reading, or an annotator's checklist that is no list.
        StoppedError: the endpoint or the budget ended it.
    """
    if str(source.path) == "-" or not _has_annotators(source):
        return None
    again = PairFile(source.path, source.columns, source.skip_bad, None, source.limit, source.judged, source.shown)
    rows = _Rows(again, [])
    games: list[GameResult] = []
    waiting = iter(rows)
    with closing(Progress("annotators against the others")) as seen:
        while batch := list(islice(waiting, _BATCH)):
            games += _scored(batch, matcher, config)
            if progress:
                seen.add(len(batch))
    if not games and not rows.alone:
        return None
    return ceiling(games, rows.alone, matcher=shown(matcher.name, matcher.version))


def _has_annotators(source: PairFile) -> bool:
    """A look at the rows as they stand: a file without annotators costs no second reading of its pairs."""
    for count, row in enumerate(read_rows(source.path, skip_bad=True)):
        if source.limit is not None and count >= source.limit:
            return False
        if isinstance(row, Row) and any(_names_field(of) for of in (row.value, row.value.get("metadata"))):
            return True
    return False


def _names_field(row: object) -> bool:
    return isinstance(row, dict) and any(key.lower() == FIELD and value for key, value in row.items())


def _left_out(pair: Pair, person: Annotator, rest: tuple[Annotator, ...]) -> _Left:
    side = side_of_scores((person,))
    return _Left(
        Pair(
            id=pair.id,
            label=side_of_scores(rest),
            human_reasons=merged(rest) or None,
            domain=pair.domain,
            cluster=pair.cluster,
            row=pair.row,
            messages=pair.messages,
            response_a=pair.response_a,
            response_b=pair.response_b,
        ),
        Answer(ANNOTATOR, reasons=person.reasons if person.said else None),
        Judgment(
            verdict=None if side is None else Verdict(side),
            reasons=person.reasons,
            status="none" if side is None else "given",
        ),
    )


def _scored(batch: list[_Left], matcher: Matcher, config: EvaluateConfig) -> list[GameResult]:
    todo = [k for k, left in enumerate(batch) if rationale_status(*left) == "scored"]
    lists = [_lists(batch[k], matcher) for k in todo]
    each = matcher.match_each(lists) if isinstance(matcher, LLMMatcher) else matcher.match_many(lists)
    found = {k: one for k, one in zip(todo, each, strict=True) if isinstance(one, Matching)}
    return [result(*left, found.get(k), scoring=config.scoring, top_k=config.top_k) for k, left in enumerate(batch)]


def _lists(left: _Left, matcher: Matcher) -> tuple[tuple[str, ...], tuple[str, ...]]:
    human = left.pair.human_reasons or ()
    return human, as_matched(matcher, left.judgment.reasons, shown_of(left.pair), human)
