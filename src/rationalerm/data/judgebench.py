"""JudgeBench's files (benchmarks.md): pairs, and judges' outputs of two games a pair.

Game 1 shows (A, B), game 2 shows (B, A); everything in an output is in its game's own letters. Knows nothing of how a text is
read or a pair is scored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rationalerm.data.datafiles import Place, each_row, finite
from rationalerm.data.fields import Fields
from rationalerm.data.labels import LabelReader
from rationalerm.errors import DataError
from rationalerm.types import Message, Pair, Verdict

__all__ = ["BenchPair", "JudgedPair", "Output", "read_judgebench", "read_judgebench_outputs"]

_TEXTS = ("text", "judgment", "output", "response", "generated_text")


@dataclass(frozen=True, slots=True)
class BenchPair:
    """One pair; its `domain` is the row's `source`. `written_by`: the model of both responses, which names the split."""

    pair: Pair
    written_by: str | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """One game's output. `decision` is the verdict that its own reader gave (`decided`: there is such a field).

    `text` is the judge's whole answer; a judge that grades each response alone has `scores` of (A, B) and no such text.
    """

    decided: bool
    decision: Verdict | None
    text: str | None = None
    scores: tuple[float | None, float | None] | None = None


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """One pair's games, in order; None is a game without an output."""

    pair_id: str
    place: Place
    games: tuple[Output | None, ...]


def read_judgebench(paths: Iterable[str | Path]) -> list[BenchPair]:
    """The pairs of some files (or of a folder), in file order.

    Raises:
        DataError: a row of another shape, a label that names no side, or a pair_id that is there twice.
    """
    pairs: dict[str, BenchPair] = {}

    def read(fields: Fields, place: Place) -> None:
        made = _pair(fields, place[1])
        if made.pair.id in pairs:
            raise DataError(f"{made.pair.id} is there already; each pair has one row", field="pair_id")
        pairs[made.pair.id] = made

    for _ in each_row(paths, read):
        pass
    return list(pairs.values())


def read_judgebench_outputs(*paths: str | Path) -> Iterator[JudgedPair]:
    """A judge's outputs, a pair a row, from a file or several.

    Raises:
        DataError: a row of another shape, a decision that is no verdict, or a pair_id that is there twice.
    """
    seen: dict[str, Place] = {}

    def read(fields: Fields, place: Place) -> JudgedPair:
        made = _judged(fields, place)
        if (before := seen.setdefault(made.pair_id, place)) != place:
            where = f"row {before[1]}" if before[0] == place[0] else f"{before[0]}, row {before[1]},"
            raise DataError(f"{made.pair_id} is in {where} too; each pair has one row", field="pair_id")
        return made

    return each_row(paths, read)


def _pair(fields: Fields, number: int) -> BenchPair:
    for name in ("pair_id", "source", "question", "response_A", "response_B", "label"):
        if not isinstance(fields.first(name), str):
            raise DataError("no such text; a row has pair_id, source, question, response_A, response_B and label", field=name)
    label = _verdict(fields["label"], "label")
    if not label:
        raise DataError(f"is {fields['label']!r}; a pair's label is A>B or B>A", field="label")
    question, model = fields["question"], fields.first("response_model")
    pair = Pair(
        id=fields["pair_id"],
        messages=(Message("user", question),),
        response_a=fields["response_A"],
        response_b=fields["response_B"],
        label=label.side,
        domain=fields["source"],
        cluster=question,
        row=number,
    )
    return BenchPair(pair, model if isinstance(model, str) else None)


def _judged(fields: Fields, place: Place) -> JudgedPair:
    key, games = fields.first("pair_id", "id"), fields.first("judgments", "games")
    if key is None:
        raise DataError("no such field", field="pair_id")
    if not isinstance(games, list) or not 1 <= len(games) <= 2:
        raise DataError("is not a list of one or two games", field="judgments")
    return JudgedPair(str(key), place, tuple(_output(game) for game in games))


def _output(game: Any) -> Output | None:
    if game is None:
        return None
    if isinstance(game, str):
        return Output(False, None, game)
    if not isinstance(game, dict):
        raise DataError("holds a game that is neither an object nor a text", field="judgments")
    fields = Fields(game)
    decided = "decision" in fields
    text = _text(fields)
    return Output(decided, _verdict(fields.first("decision"), "decision") if decided else None, text, _scores(fields))


def _text(fields: Fields) -> str | None:
    for name in _TEXTS:
        value = fields.first(name)
        if isinstance(value, dict):  # {"judgment": {"answer": "..."}}
            value = Fields(value).first("answer", *_TEXTS)
        if isinstance(value, str):
            return value
    return None


def _scores(fields: Fields) -> tuple[float | None, float | None] | None:
    both = fields.first("scores")
    if both is None and "score_A" in fields and "score_B" in fields:
        both = [fields["score_A"], fields["score_B"]]
    if not isinstance(both, list) or len(both) != 2:
        return None
    first, second = (finite(s) if isinstance(s, (int, float)) and not isinstance(s, bool) else None for s in both)
    return first, second


def _verdict(value: Any, field: str) -> Verdict | None:
    """A decision as its reader writes it; empty and null are none."""
    if value is not None and not isinstance(value, str):
        raise DataError(f"is {str(value)[:20]}; a verdict is written A>B, A=B or B>A", field=field)
    try:
        return LabelReader().read(value)
    except ValueError as error:
        raise DataError(str(error).replace("; say it with --label-map", "; write A>B, A=B or B>A"), field=field) from None
