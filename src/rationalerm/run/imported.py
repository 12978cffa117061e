"""Output files of the released inference script as rows that are finished already, by an evaluator who is not known.

A row is found again by its texts: the human reasons and the judge's whole list. Which judge's list was matched is seen from the
prompt's `S1: ...` lines. Of a file only digests and small matchings are kept in memory. Knows nothing of scores.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from rationalerm.data.fields import Fields, cluster_of, messages_of, reason_list, row_id
from rationalerm.data.jsonl import BadRow, read_rows
from rationalerm.data.results import find_field, is_results_row, matched_judges, matcher_text, shows_list
from rationalerm.errors import DataError, ParseError
from rationalerm.judge.parse import parse_matching
from rationalerm.run.score_rows import error_kind, without_blanks
from rationalerm.types import Matching, Order, RationaleStatus

__all__ = ["EVALUATOR", "FinishedRow", "Imported", "read_finished", "read_imported", "results_files", "texts_digest"]

EVALUATOR = "unknown"
_UNREADABLE = "a row that can't be read"


class FinishedRow(NamedTuple):
    """One row of a results file. `judges`: whose list the prompt shows (several, where their lists are the same); `id` None: the
    row has none; `matching` None: `why` says why not."""

    number: int
    judges: tuple[str, ...] = ()
    id: str | None = None
    order: Order = "AB"
    cluster: str = ""
    domain: str | None = None
    human: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    matching: Matching | None = None
    status: RationaleStatus = "matcher failed"
    why: str | None = None


class Imported:
    """An index of finished matchings.

    Attributes:
        rows: rows read.
        unusable: why -> how many rows have no matching to give.
        repeated: rows whose texts stood in an earlier row too; the last usable one counts, as a row that was done again.
    """

    def __init__(self) -> None:
        self.rows = 0
        self.unusable: Counter[str] = Counter()
        self.repeated = 0
        self._found: dict[bytes, Matching] = {}

    def __len__(self) -> int:
        return len(self._found)

    def find(self, human: Sequence[str], model: Sequence[str]) -> Matching | None:
        """The matching of these human reasons with this judge's whole list, or None. Both as `evaluate` reads them: without
        white space around them, without blank ones."""
        return self._found.get(texts_digest(human, model))

    def add(self, row: FinishedRow) -> None:
        """Takes one row in."""
        self.rows += 1
        if row.matching is None:
            self.unusable[row.why or "no matching"] += 1
            return
        key = texts_digest(row.human, row.model)
        self.repeated += key in self._found
        self._found[key] = row.matching


def read_imported(path: str | Path) -> Imported:
    """Reads a results file, or a folder of them, into an index. A row that can't be used is counted, not raised.

    Raises:
        DataError: the file can't be read at all, or is not one of the inference script's.
    """
    imported = Imported()
    for row in read_finished(path):
        imported.add(row)
    return imported


def read_finished(path: str | Path) -> Iterator[FinishedRow]:
    """The rows of a results file, or of all such files (`*.jsonl*`) of a folder, in order.

    Raises:
        DataError: as for `read_imported`.
    """
    for file in results_files(path):
        yield from _file(file)


def results_files(path: str | Path) -> list[str | Path]:
    """The file itself, or the `*.jsonl*` files of a folder. Raises DataError for a folder without any."""
    folder = Path(path)
    if str(path) == "-" or not folder.is_dir():
        return [path]
    files = sorted(folder.glob("*.jsonl*"))
    if not files:
        raise DataError("holds no results file (.jsonl)", source=str(path))
    return [*files]


def texts_digest(human: Sequence[str], model: Sequence[str]) -> bytes:
    """16 bytes that change with any text that a matching depends on."""
    return hashlib.sha256(repr((tuple(human), tuple(model))).encode("utf-8", "backslashreplace")).digest()[:16]


def _file(path: str | Path) -> Iterator[FinishedRow]:
    name = "stdin" if str(path) == "-" else str(path)
    seen = False
    for row in read_rows(path, skip_bad=True):
        if isinstance(row, BadRow):
            yield FinishedRow(row.number, why=_UNREADABLE)
            continue
        if not is_results_row(row.value):
            if not seen:
                fix = "give a file of the released inference script (prompt, samples, metadata)"
                raise DataError(f"no such field; {fix}", source=name, row=row.number, field="samples")
            yield FinishedRow(row.number, why="not a row of the inference script")
            continue
        seen = True
        yield _row(row.number, row.value)
    if not seen:
        raise DataError("no row of the released inference script in it", source=name)


def _row(number: int, row: Mapping[str, Any]) -> FinishedRow:
    metadata = row["metadata"]
    if not isinstance(metadata, dict):
        return FinishedRow(number, why="metadata is not an object")
    found = FinishedRow(number, **_place(metadata))
    judges = _judges(row)
    if isinstance(judges, str):
        return found._replace(why=judges)
    human_key, key = find_field(metadata, "human-checklist"), find_field(metadata, f"{judges[0]}-checklist")
    if human_key is None or key is None:
        return found._replace(judges=judges, why="no human-checklist")
    try:
        human, model = reason_list(metadata[human_key], human_key), reason_list(metadata[key], key)
    except DataError as error:
        return found._replace(judges=judges, why=error.message)
    found = found._replace(judges=judges, human=human, model=model)
    if not human:
        return found._replace(status="no human reasons", why="no human reasons")
    if not model:  # nothing to match, whatever the matcher said
        return found._replace(status="scored", matching=Matching(len(human), 0))
    matching = _matching(row, metadata[human_key], metadata[key])
    if isinstance(matching, str):
        return found._replace(why=matching)
    return found._replace(status="scored", matching=matching)


def _matching(row: Mapping[str, Any], human: list[str], model: list[str]) -> Matching | str:
    """What the matcher's text says about the non-blank reasons, or why it says nothing. A row that the script marked for its
    format is read all the same: the one parser takes the lines in any order."""
    if str(row.get("status", "")).lower() == "error":
        return "status error"
    text = matcher_text(row)
    if text is None:
        return "no matcher answer"
    try:
        matching = parse_matching(text, len(human), len(model))
    except ParseError as error:
        return f"unparsed: {error_kind(error)}"
    if all(reason.strip() for reason in (*human, *model)):
        return matching
    return without_blanks(matching, human, model)  # the prompt had numbered the blank ones too


def _judges(row: Mapping[str, Any]) -> tuple[str, ...] | str:
    """The judges whose list the prompt shows, all of them with the same one; or why that can't be told."""
    names, shown = matched_judges(row)
    if not names:
        return "its prompt lists no judge's reasons" if shown else "no judge's list"
    judges = sorted(names)
    if len(judges) > 1 and shown:  # a reason of several lines shows only its first
        judges = [judge for judge in judges if shows_list(row, judge)] or judges
    metadata = row["metadata"]
    lists = {repr(metadata[find_field(metadata, f"{judge}-checklist")]) for judge in judges}
    return tuple(judges) if len(lists) == 1 else "can't tell which judge's list was matched"


def _place(metadata: dict[str, Any]) -> dict[str, Any]:
    """id, order, cluster and domain, as far as the input row has them."""
    fields = Fields(metadata)
    place: dict[str, Any] = {"order": "BA" if fields.first("order") == "BA" else "AB"}
    with suppress(DataError):
        given = fields.first("id")
        place["id"] = None if given is None or given == "" else row_id(given, 0)
    with suppress(DataError):
        place["cluster"] = cluster_of(messages_of(fields.first("context", "messages", "prompt", "question")), "")
    domain = fields.first("domain")
    return place | {"domain": None if domain is None else str(domain)}
