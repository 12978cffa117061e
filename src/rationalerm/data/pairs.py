"""The front door: a file in, `Pair`s out, whatever of the known shapes its rows have.

Which shape a row has is decided row by row: a results row (`samples` and `metadata`) is unwrapped; a HelpSteer3 row (annotators'
prose, no checklist) is split; anything else is read by field names. Knows nothing of what judges' texts say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rationalerm.data import helpsteer3, released
from rationalerm.data.fields import Fields
from rationalerm.data.jsonl import BadRow, Row, read_rows
from rationalerm.data.released import Columns, RowReader
from rationalerm.data.streams import CHUNK
from rationalerm.errors import DataError
from rationalerm.types import Pair

__all__ = ["Columns", "PairFile"]


@dataclass
class PairFile:
    """One input file. Iterate it, more than once if need be; `bad` and `prose_rows` say what the last time met.

    Args:
        path: file or `-`.
        columns: which judges and under which field names; no judges means: all that the first row has.
        skip_bad: go on after a bad row and keep it in `bad`.
        feedback: HelpSteer3's feedback config, joined to preference rows by prompt and responses.
        limit: at most so many rows.
        judged: False: rows that no judge need have answered, and no human; both responses must be there instead.
        shown: the file's name in messages, where it is not the path's.

    Raises (while iterating):
        DataError: a bad row without `skip_bad`, a repeated id, labels whose coding is not sure, no row left.
    """

    path: str | Path
    columns: Columns = field(default_factory=Columns)
    skip_bad: bool = False
    feedback: str | Path | None = None
    limit: int | None = None
    judged: bool = True
    shown: str | None = None
    bad: list[BadRow] = field(default_factory=list)
    judges: tuple[str, ...] = ()
    prose_rows: int = 0
    without_feedback: int = 0
    _known: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        """The file as the user named it."""
        if self.shown is not None:
            return self.shown
        return "stdin" if str(self.path) == "-" else str(self.path)

    def rows_at_most(self) -> int | None:
        """The lines of a plain JSONL file, or `limit`: for showing how far a run is. None where it would have to be unpacked."""
        path = Path(self.path)
        if path.suffix != ".jsonl" or not path.is_file():
            return None
        lines, last = 0, b""
        with path.open("rb") as file:
            for block in iter(lambda: file.read(CHUNK), b""):
                lines, last = lines + block.count(b"\n"), block[-1:]
        lines += last not in (b"", b"\n")  # a last line without its newline
        return lines if self.limit is None else min(lines, self.limit)

    def __iter__(self) -> Iterator[Pair]:
        return (pair for pair, _ in self.rows())

    def rows(self) -> Iterator[tuple[Pair, dict[str, Any]]]:
        """Each pair with its row as it stands in the file (the input row, where it is a results row)."""
        notes = helpsteer3.feedback_index(self.feedback) if self.feedback else {}
        self.judges, self.prose_rows, self.without_feedback, self.bad = self.columns.judges, 0, 0, []
        reader: RowReader | None = None
        seen: dict[str, int] = {}
        for count, row in enumerate(read_rows(self.path, skip_bad=self.skip_bad)):
            if self.limit is not None and count >= self.limit:
                if reader is None or reader.doubt() is None:
                    break
                if isinstance(row, Row):  # what the label's codes mean may show further down
                    reader.look_at_labels(Fields(_unwrapped(row)))
                continue
            if isinstance(row, BadRow):
                self.bad.append(row)
                continue
            try:
                reader = reader or self._reader(row)
                self._check_judges(row)
                pair = self._pair(row, reader, notes)
                self._check_new(pair.id, row.number, seen)
            except DataError as error:
                placed = DataError(error.message, source=self.name, row=row.number, field=error.field)
                if not self.skip_bad:
                    raise placed from None
                self.bad.append(BadRow(row.number, placed))
                continue
            self.prose_rows += pair.prose
            yield pair, _unwrapped(row)
        self._check_end(reader, len(seen))

    def _reader(self, row: Row) -> RowReader:
        if not self.judged:
            return RowReader(self.columns, ())
        value = _unwrapped(row)
        self.judges = self.columns.judges or released.judges_of(value)
        if not self.judges:
            raise DataError(
                "no judge found: no field NAME-checklist, NAME-generated_text, NAME-label or NAME-games; name one with --judge"
            )
        self._known = {judge.lower() for judge in self.judges}
        return RowReader(self.columns, self.judges)

    def _check_judges(self, row: Row) -> None:
        """Where the judges were taken from the first row, one that comes up later would be left out in silence."""
        if self.columns.judges or not self.judged:
            return
        if new := [judge for judge in released.judges_of(_unwrapped(row)) if judge.lower() not in self._known]:
            raise DataError(f"has a judge {new[0]!r} that the first row has not; name the judges with --judge")

    def _pair(self, row: Row, reader: RowReader, notes: dict[str, helpsteer3.Feedback]) -> Pair:
        fields = Fields(_unwrapped(row))
        if not self.judged:
            _check_responses(fields)
        if self.columns.human_field is None and "human-checklist" not in fields and helpsteer3.is_helpsteer3(fields):
            self.without_feedback += self.feedback is not None and not helpsteer3.has_feedback(fields, notes)
            return reader.pair(fields, row.number, prose=helpsteer3.human_prose(fields, notes))
        return reader.pair(fields, row.number, reasons_needed=self.judged)

    def _check_new(self, key: str, number: int, seen: dict[str, int]) -> None:
        if key in seen:
            raise DataError(
                f"id {key!r} is in row {seen[key]} too; ids must differ (or leave the field out)", field=self.columns.id_field
            )
        seen[key] = number

    def _check_end(self, reader: RowReader | None, good: int) -> None:
        if not good:
            first = f" (the first: {self.bad[0].error})" if self.bad else ""
            raise DataError(f"no row left to read{first}", source=self.name)
        if reader and (problem := reader.doubt()):
            raise DataError(problem.message, source=self.name, field=problem.field)


def _check_responses(fields: Fields) -> None:
    for names in (("response1", "response_a"), ("response2", "response_b")):
        if fields.first(*names) is None:
            raise DataError(f"no such field; a pair to judge has its responses in {names[0]} or {names[1]}", field=names[0])


def _unwrapped(row: Row) -> dict[str, Any]:
    """The input row inside a row of the released inference script, or the row itself."""
    metadata = row.value.get("metadata")
    return metadata if isinstance(metadata, dict) and "samples" in row.value else row.value
