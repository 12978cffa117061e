"""The prose of a row that can be taken apart into reasons: annotators' feedback, any text field, or judges' answers.

Knows where such texts stand in a row and where their reasons go; nothing of models, prompts or what a text says.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rationalerm.data import helpsteer3
from rationalerm.data.fields import Fields, messages_of, row_id, text_of
from rationalerm.data.jsonl import BadRow, Row, read_rows
from rationalerm.data.released import judges_of
from rationalerm.errors import DataError
from rationalerm.types import Message

__all__ = ["HUMAN", "ProseFile", "ProseRow", "Text"]

HUMAN = "human"


class Text(NamedTuple):
    """One text of a row. `target`: whose reasons it becomes (`human`, a judge's name); `order`: the game's, where it is of one.

    `responses` are as the writer of the text saw them.
    """

    id: str
    target: str
    order: str | None
    passages: tuple[tuple[str, str], ...]  # (title, text)
    turns: tuple[Message, ...]
    responses: tuple[str, str]

    @property
    def digest(self) -> str:
        """Changes with anything that is shown of it."""
        shown = [*(part for passage in self.passages for part in passage), *self.responses]
        shown += [part for turn in self.turns for part in (turn.role, turn.content)]
        hashed = hashlib.sha256()
        for text in shown:
            data = text.encode("utf-8", "surrogatepass")
            hashed.update(b"%d:" % len(data) + data)
        return hashed.hexdigest()[:16]


class ProseRow(NamedTuple):
    """A row as it stands in the file, and its texts."""

    id: str
    number: int
    value: dict[str, Any]
    texts: tuple[Text, ...]


@dataclass
class ProseFile:
    """One input file. Iterate it, more than once if need be; `bad` says what the last time met.

    Args:
        path: the file.
        side: whose texts.
        judges: with side `judge`; none means all that the first row has.
        text_field: with side `human`, the text's field; None: HelpSteer3's comments.
        feedback: HelpSteer3's feedback config.
        id_field: a row's id; else its line number.
        existing: of a row that has a list already: `error`; `overwrite`: its text is taken apart; `keep`: it is not.
        skip_bad: go on after a bad row and keep it in `bad`.
        limit: at most so many rows.
        shown: the file's name in messages.

    Raises (while iterating):
        DataError: a bad row without `skip_bad`, no row left.
    """

    path: str | Path
    side: Literal["human", "judge"] = "human"
    judges: tuple[str, ...] = ()
    text_field: str | None = None
    feedback: str | None = None
    id_field: str = "id"
    existing: str = "error"
    skip_bad: bool = False
    limit: int | None = None
    shown: str | None = None
    bad: list[BadRow] = field(default_factory=list)
    without_feedback: int = 0
    _index: dict[str, helpsteer3.Feedback] | None = None

    @property
    def name(self) -> str:
        """The file as the user named it."""
        return self.shown or str(self.path)

    def __iter__(self) -> Iterator[ProseRow]:
        self.bad, self.without_feedback = [], 0
        if self._index is None:
            self._index = helpsteer3.feedback_index(self.feedback) if self.feedback else {}
        seen: dict[str, int] = {}
        for count, row in enumerate(read_rows(self.path, skip_bad=self.skip_bad)):
            if self.limit is not None and count >= self.limit:
                break
            if isinstance(row, BadRow):
                self.bad.append(row)
                continue
            try:
                made = self._row(row)
                if made.id in seen:
                    raise DataError(f"id {made.id!r} is in row {seen[made.id]} too; ids must differ", field=self.id_field)
            except DataError as error:
                placed = DataError(error.message, source=self.name, row=row.number, field=error.field)
                if not self.skip_bad:
                    raise placed from None
                self.bad.append(BadRow(row.number, placed))
                continue
            seen[made.id] = row.number
            yield made
        if not seen:
            first = f" (the first: {self.bad[0].error})" if self.bad else ""
            raise DataError(f"no row left to read{first}", source=self.name)

    def _row(self, row: Row) -> ProseRow:
        metadata = row.value.get("metadata")
        value = metadata if isinstance(metadata, dict) and "samples" in row.value else row.value
        fields = Fields(value)
        if self.id_field != "id" and self.id_field not in fields:
            raise DataError("no such field; point --id-field at the row's id", field=self.id_field)
        key = row_id(fields.first(self.id_field), row.number)
        turns = messages_of(fields.first("context", "messages", "prompt", "question"))
        pair = [
            text_of(fields.first(*names), names[0]) or "" for names in (("response1", "response_a"), ("response2", "response_b"))
        ]
        if self.side == "human":
            passages = () if self._kept(fields, "human-checklist") else self._feedback(fields)
            texts = [Text(key, HUMAN, None, passages, turns, (pair[0], pair[1]))] if passages else []
        else:
            texts = list(self._answers(fields, key, turns, (pair[0], pair[1])))
        return ProseRow(key, row.number, value, tuple(texts))

    def _feedback(self, fields: Fields) -> tuple[tuple[str, str], ...]:
        """(title, text) of each piece of a row's feedback; empty where nobody said anything."""
        if self.text_field is not None:
            if self.text_field not in fields:
                raise DataError("no such field; point --field at the text", field=self.text_field)
            return _titled("PERSON", _listed(fields[self.text_field], self.text_field))
        if not helpsteer3.is_helpsteer3(fields):
            raise DataError("no annotators' comments (individual_preference, feedback1) in it; point --field at the text")
        self.without_feedback += self.feedback is not None and not helpsteer3.has_feedback(fields, self._index or {})
        raw = helpsteer3.raw_feedback(fields, self._index or {})
        return (
            *_titled("COMPARISON, PERSON", raw.comparisons, always=True),
            *_titled("ON RESPONSE 1, COMMENT", raw.first, always=True),
            *_titled("ON RESPONSE 2, COMMENT", raw.second, always=True),
        )

    def _answers(self, fields: Fields, key: str, turns: tuple[Message, ...], pair: tuple[str, str]) -> Iterator[Text]:
        judges = self.judges or judges_of(dict(fields))
        if not judges:
            raise DataError("no judge found: no field NAME-generated_text or NAME-games; name one with --judge")
        for judge in judges:
            games = f"{judge}-games"
            if games in fields:
                value = fields[games]
                if not isinstance(value, list) or not all(isinstance(game, dict) for game in value):
                    raise DataError("is not a list of games", field=games)
                orders = ["BA" if _swapped(Fields(game).first("order")) else "AB" for game in value]
                if len(set(orders)) < len(orders):
                    raise DataError("has two games in one order; write one game for AB and one for BA", field=games)
                for game in map(Fields, value):
                    yield from self._answer(game, ("generated_text", "text"), "checklist", key, judge, turns, pair, games)
            elif f"{judge}-generated_text" in fields:
                names = (f"{judge}-generated_text",)
                yield from self._answer(fields, names, f"{judge}-checklist", key, judge, turns, pair, names[0])
            elif self.judges:
                raise DataError("no such field; a judge's answer stands in NAME-generated_text or NAME-games", field=games)

    def _answer(
        self,
        fields: Fields,
        texts: tuple[str, ...],
        checklist: str,
        key: str,
        judge: str,
        turns: tuple[Message, ...],
        pair: tuple[str, str],
        shown: str,
    ) -> Iterator[Text]:
        """The text of one answer, if there is one to take apart."""
        text = text_of(fields.first(*texts), shown)
        if (
            self._kept(fields, checklist, f"{shown}: checklist" if checklist == "checklist" else None)
            or text is None
            or not text.strip()
        ):
            return
        of_game = checklist == "checklist"
        given = fields.first("order") if of_game else fields.first(f"{judge}-order")
        swapped = _swapped(given)
        order = ("BA" if swapped else "AB") if of_game else None
        yield Text(key, judge, order, (("", text),), turns, (pair[1], pair[0]) if swapped else pair)

    def _kept(self, fields: Fields, name: str, shown: str | None = None) -> bool:
        """Is there a list already that stays? Raises DataError where that was not said."""
        if fields.first(name) is None or self.existing == "overwrite":
            return False
        if self.existing == "error":
            raise DataError("is there already; --overwrite makes it anew, --keep leaves it", field=shown or name)
        return True


def _swapped(order: Any) -> bool:
    return str(order).lower() in ("ba", "swapped")


def _listed(value: Any, name: str) -> list[str]:
    """A text, or a list of them (one a person)."""
    if value is None or isinstance(value, str):
        return [value] if value and value.strip() else []
    if isinstance(value, list) and all(isinstance(item, str) or item is None for item in value):
        return [item for item in value if item and item.strip()]
    raise DataError("is neither a text nor a list of texts", field=name)


def _titled(title: str, texts: Any, *, always: bool = False) -> tuple[tuple[str, str], ...]:
    """Each text with its title; one alone has none, unless the title says what it is."""
    if len(texts) == 1 and not always:
        return (("", texts[0]),)
    return tuple((f"{title} {number} of {len(texts)}", text) for number, text in enumerate(texts, 1))
