"""Plain results by id: a JSON line a game or a response, from a judge that was run elsewhere.

`{"id", "order"?, "verdict" | "label" | "text" | "score"}`: a verdict or label in its game's own letters, a judge's whole text, or
a number. `order` is AB (as given, the default) or BA. Knows no benchmark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rationalerm.data.datafiles import Place, each_row, files_of, finite
from rationalerm.data.fields import Fields, reason_list, text_of
from rationalerm.data.labels import LabelReader
from rationalerm.errors import DataError
from rationalerm.types import Order, Verdict

__all__ = ["Given", "is_given", "read_by_id"]

_ORDERS: dict[str, Order] = {"ab": "AB", "ba": "BA", "given": "AB", "swapped": "BA", "0": "AB", "1": "BA"}
_DATA = ("response_A", "response1", "chosen")  # a row that has one of these is the benchmark's own
_IDS = ("id", "uid", "pair_id")
_VERDICTS, _TEXTS = ("verdict", "label", "decision"), ("text", "generated_text")


@dataclass(frozen=True, slots=True)
class Given:
    """One result. `labelled`: a verdict field is there (its value may be null); a text outranks it; `score` stands alone."""

    id: str
    order: Order
    labelled: bool
    label: Verdict | None
    text: str | None
    score: float | None
    scored: bool
    reasons: tuple[str, ...] | None
    finish_reason: str | None
    error: str | None
    place: Place


def is_given(row: Fields) -> bool:
    """Does a row look like a result by id? One of the data, or of a run's other files, does not."""
    named = any(name in row for name in _IDS) and not any(name in row for name in _DATA)
    return named and any(name in row for name in (*_VERDICTS, *_TEXTS, "score", "error"))


def read_by_id(paths: Iterable[str | Path]) -> Iterator[Given]:
    """All rows of some files.

    Raises:
        DataError: a row of another shape, or an id that has the same order twice.
    """
    seen: dict[tuple[str, Order], Place] = {}
    for path in files_of(paths):
        reader = LabelReader()

        def read(fields: Fields, place: Place, reader: LabelReader = reader) -> Given:
            made = _given(fields, reader, place)
            if (before := seen.setdefault((made.id, made.order), place)) != place:
                raise DataError(f"{made.id!r} with order {made.order} is in {before[0]}, row {before[1]} too", field="id")
            return made

        yield from each_row([path], read)
        if problem := reader.ambiguous:
            raise DataError(f"{problem.split(';')[0]}; write A>B, A=B or B>A", source=str(path), field="verdict")


def _given(fields: Fields, reader: LabelReader, place: Place) -> Given:
    key = fields.first(*_IDS)
    if key is None:
        raise DataError("no such field; a result has an id", field="id")
    labelled = next((name for name in _VERDICTS if name in fields), None)
    if labelled == "label" and any(name in fields for name in _DATA):
        raise DataError("is the gold label of a row of data, not a judge's; results give theirs as verdict", field="label")
    text = text_of(fields.first(*_TEXTS), "text")
    error = fields.first("error")
    scored = "score" in fields
    if not scored and labelled is None and not any(name in fields for name in _TEXTS) and error is None:
        raise DataError("no such field; a result has a verdict, a label, a text or a score", field="verdict")
    reasons = fields.first("reasons", "checklist")
    finish = fields.first("finish_reason")
    return Given(
        id=str(key),
        order=_order(fields.first("order")),
        labelled=labelled is not None,
        label=_verdict(fields, labelled, reader) if labelled else None,
        text=text,
        score=_score(fields.first("score")),
        scored=scored,
        reasons=None if reasons is None else reason_list(reasons, "reasons"),
        finish_reason=finish if isinstance(finish, str) else None,
        error=None if error is None else str(error),
        place=place,
    )


def _order(value: object) -> Order:
    if value is None:
        return "AB"
    if (order := _ORDERS.get(str(value).lower())) is None:
        raise DataError(f"is {str(value)[:20]!r}; AB (as given) or BA (swapped)", field="order")
    return order


def _verdict(fields: Fields, name: str, reader: LabelReader) -> Verdict | None:
    try:
        return reader.read(fields.first(name))
    except ValueError as error:
        raise DataError(str(error).replace("; say it with --label-map", "; write A>B, A=B or B>A"), field=name) from None


def _score(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise DataError(f"is {str(value)[:20]!r}, not a number", field="score")
    return finite(value)
