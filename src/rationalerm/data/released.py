"""Rows of the released data set (`human-checklist`, `NAME-checklist`, `NAME-label`, `NAME-generated_text`; method.md section 2)
and any other JSONL by field names. Games in the swapped order stand in `NAME-games`, or under `NAME-order`.

Knows nothing of what a judge's text says, nor of the file that a row came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rationalerm.data.fields import Fields, cluster_of, messages_of, reason_list, row_id, text_of
from rationalerm.data.labels import LabelReader
from rationalerm.errors import DataError
from rationalerm.types import Answer, Order, Pair, Verdict

__all__ = ["SUFFIXES", "Columns", "RowReader", "judges_of"]

SUFFIXES = ("-checklist", "-generated_text", "-games", "-label")
_ORDERS: dict[str, Order] = {"ab": "AB", "ba": "BA", "given": "AB", "swapped": "BA"}


@dataclass(frozen=True, slots=True)
class Columns:
    """Which judges to read, and the field names where they are not the released ones.

    `{judge}` in `reasons_field`, `text_field` and `judge_label_field` stands for the judge's name.
    """

    judges: tuple[str, ...] = ()
    human_field: str | None = None
    reasons_field: str = "{judge}-checklist"
    text_field: str = "{judge}-generated_text"
    label_field: str | None = None
    label_map: Mapping[str, int] | None = None
    judge_label_field: str = "{judge}-label"
    judge_label_map: Mapping[str, int] | None = None
    id_field: str = "id"


class RowReader:
    """Turns rows into pairs; remembers the codings of the label columns over the whole file."""

    def __init__(self, columns: Columns, judges: tuple[str, ...]) -> None:
        self._columns = columns
        self._judges = judges
        self._preference = LabelReader(signed=True)
        self._label = LabelReader(columns.label_map)
        self._judge_labels = {judge: LabelReader(columns.judge_label_map) for judge in judges}
        self._label_counts = False  # a row's side was taken from the label column
        self._relied_on: set[str] = set()

    def pair(self, fields: Fields, number: int, *, prose: tuple[str, ...] | None = None, reasons_needed: bool = True) -> Pair:
        """One row as a pair.

        Args:
            fields: the row.
            number: its line.
            prose: atoms split from annotators' prose, in place of a checklist.
            reasons_needed: False: a row without the human's reasons is one that has none.

        Raises:
            DataError: naming the field and the fix.
        """
        messages = messages_of(fields.first("context", "messages", "prompt", "question"))
        if self._columns.id_field != "id" and self._columns.id_field not in fields:
            raise DataError("no such field; point --id-field at the row's id", field=self._columns.id_field)
        key = row_id(fields.first(self._columns.id_field), number)
        label, preference = self._human_label(fields)
        domain = fields.first("domain")
        return Pair(
            id=key,
            messages=messages,
            response_a=text_of(fields.first("response1", "response_a"), "response1") or "",
            response_b=text_of(fields.first("response2", "response_b"), "response2") or "",
            label=label,
            preference=preference,
            human_reasons=(prose if prose is not None else self._human_reasons(fields, reasons_needed)) or None,
            prose=prose is not None,
            domain=None if domain is None or not str(domain).strip() else str(domain),
            cluster=cluster_of(messages, f"row:{key}"),
            row=number,
            answers=tuple(answer for judge in self._judges for answer in self._answers(fields, judge)),
        )

    def look_at_labels(self, fields: Fields) -> None:
        """Lets a row beyond the limit say what the codes of the label columns mean."""
        with suppress(DataError):
            self._human_label(fields)
        with suppress(DataError):
            for judge in self._judges:
                label = self._columns.judge_label_field.replace("{judge}", judge)
                _read(self._judge_labels[judge], fields.first(label), "")

    def doubt(self) -> DataError | None:
        """A label column that is relied on and whose coding stayed unsure, after the last row."""
        if self._label_counts and (problem := self._label.ambiguous):
            return DataError(problem, field=self._columns.label_field or "label")
        for judge in sorted(self._relied_on):
            if problem := self._judge_labels[judge].ambiguous:
                label = self._columns.judge_label_field.replace("{judge}", judge)
                return DataError(problem.replace("--label-map", "--judge-label-map"), field=label)
        return None

    def _human_reasons(self, fields: Fields, needed: bool) -> tuple[str, ...]:
        name = self._columns.human_field or "human-checklist"
        if name not in fields and not needed:
            return ()
        if name not in fields:
            raise DataError("no such field; point --human-field at the human's reasons", field=name)
        return reason_list(fields[name], name)

    def _human_label(self, fields: Fields) -> tuple[Any, float | None]:
        if name := self._columns.label_field:
            if name not in fields:
                raise DataError("no such field; point --label-field at the human's label", field=name)
            signed = name.lower() == "overall_preference" and not self._columns.label_map
            reader = self._preference if signed else self._label
            self._label_counts = True
            return _side(_read(reader, fields[name], name)), _number(fields[name])
        preference = _read(self._preference, fields.first("overall_preference"), "overall_preference")
        label = _read(self._label, fields.first("label"), "label")
        if preference is not None and label is not None and preference.side != label.side:
            raise DataError("differs in side from overall_preference; name the right one with --label-field", field="label")
        self._label_counts |= preference is None and label is not None
        return _side(label if preference is None else preference), _number(fields.first("overall_preference"))

    def _answers(self, fields: Fields, judge: str) -> Iterable[Answer]:
        games = f"{judge}-games"
        if games not in fields:
            return [self._answer(fields, judge)]
        value = fields[games]
        if not isinstance(value, list) or not value or not all(isinstance(game, dict) for game in value):
            raise DataError("is not a list of games, each with order, generated_text, checklist or label", field=games)
        answers = [self._game(Fields(game), judge, games) for game in value]
        if len({answer.order for answer in answers}) < len(answers):
            raise DataError("has two games in one order; write one game for AB and one for BA", field=games)
        return answers

    def _answer(self, fields: Fields, judge: str) -> Answer:
        reasons, text = (name.replace("{judge}", judge) for name in (self._columns.reasons_field, self._columns.text_field))
        label = self._columns.judge_label_field.replace("{judge}", judge)
        if not any(name in fields for name in (reasons, text, label)):
            raise DataError("no such field; point --reasons-field or --text-field at the judge's answer", field=reasons)
        return Answer(
            judge=judge,
            text=text_of(fields.first(text), text),
            reasons=_listed(fields, reasons),
            label=self._judge_label(fields.first(label), judge, label, relied_on=fields.first(text) is None),
            order=_order(fields.first(f"{judge}-order"), f"{judge}-order"),
            finish_reason=text_of(fields.first(f"{judge}-finish_reason"), f"{judge}-finish_reason"),
            error=text_of(fields.first(f"{judge}-error"), f"{judge}-error") or None,  # loggers write "" for none
        )

    def _game(self, game: Fields, judge: str, field: str) -> Answer:
        text = text_of(game.first("generated_text", "text"), field)
        return Answer(
            judge=judge,
            text=text,
            reasons=_listed(game, "checklist" if "checklist" in game else "reasons"),
            label=self._judge_label(game.first("label", "verdict"), judge, field, relied_on=text is None),
            order=_order(game.first("order"), field),
            finish_reason=text_of(game.first("finish_reason"), field),
            error=text_of(game.first("error"), field) or None,
        )

    def _judge_label(self, value: Any, judge: str, field: str, *, relied_on: bool) -> Verdict | None:
        verdict = _read(self._judge_labels[judge], value, field)
        if verdict is not None and relied_on:
            self._relied_on.add(judge)
        return verdict


def judges_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The judges whose fields a row holds, in the row's order."""
    found: dict[str, str] = {}
    for key in row:
        for suffix in SUFFIXES:
            if key.lower().endswith(suffix) and (name := key[: -len(suffix)]) and name.lower() != "human":
                found.setdefault(name.lower(), name)
    return tuple(found.values())


def _listed(fields: Fields, name: str) -> tuple[str, ...] | None:
    if name not in fields or fields[name] is None:
        return None
    return reason_list(fields[name], name)


def _read(reader: LabelReader, value: Any, field: str) -> Verdict | None:
    try:
        return reader.read(value)
    except ValueError as error:
        raise DataError(str(error), field=field) from None


def _side(verdict: Verdict | None) -> Any:
    return None if verdict is None else verdict.side


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _order(value: Any, field: str) -> Order:
    if value is None:
        return "AB"
    order = _ORDERS.get(str(value).lower())
    if order is None:
        raise DataError(f"is {value!r}; an order is AB (as in the row) or BA (swapped)", field=field)
    return order
