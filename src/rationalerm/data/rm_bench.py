"""RM-Bench's files (benchmarks.md): rows of one prompt with three right and three wrong responses, and files of their scores.

A row's responses are one content in three styles: concise, detailed plain, detailed markdown. An id is unique in a domain only
(the published files use some ids twice), so a row is known by both. Knows nothing of how a score is made of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rationalerm.data.datafiles import Place, each_row, finite
from rationalerm.data.fields import Fields
from rationalerm.errors import DataError

__all__ = ["STYLES", "RMRow", "RMScores", "read_rm_bench", "read_rm_scores"]

STYLES = ("concise", "detailed plain", "detailed markdown")

Score = float | None


@dataclass(frozen=True, slots=True)
class RMRow:
    """One row. `key` is `domain/id`; `domain` as the file has it (safety-refuse and safety-response are two)."""

    key: str
    id: str
    domain: str
    prompt: str
    chosen: tuple[str, str, str]
    rejected: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class RMScores:
    """What a file of results has of one row: six scores, or nine answers.

    `chosen` and `rejected`: a score a style, None for one that is missing. `lead`: of files that keep comparisons only, [i][j] is
    positive where chosen i was put over rejected j, negative where it was not, 0 for a tie that the file tells apart.
    """

    id: str | None
    domain: str | None
    prompt: str | None
    place: Place
    chosen: tuple[Score, ...] = ()
    rejected: tuple[Score, ...] = ()
    lead: tuple[tuple[Score, ...], ...] = ()


def read_rm_bench(paths: Iterable[str | Path]) -> list[RMRow]:
    """All rows of some files (or of a folder of them), in file order.

    Raises:
        DataError: a row of another shape, or one that is there twice.
    """
    rows: dict[str, RMRow] = {}

    def read(fields: Fields, place: Place) -> None:
        made = _row(fields)
        if (before := rows.get(made.key)) is not None:
            also = "the same row twice; name each file once" if before == made else "two rows with one id"
            raise DataError(f"{made.domain} {made.id} is there already: {also}", field="id")
        rows[made.key] = made

    for _ in each_row(paths, read):
        pass
    return list(rows.values())


def read_rm_scores(paths: Iterable[str | Path]) -> list[RMScores]:
    """All rows of some files of results.

    Shapes that the field's tools write: the row with `score_chosen` and `score_rejected` (numbers, null, or lists of one number),
    `rewards` ([chosen, rejected]), `acc_matrix` or `score_matrix` or `reward_diff` (3 x 3).

    Raises:
        DataError: a row without scores, or with another number of them.
    """
    return list(each_row(paths, _scores))


def _row(fields: Fields) -> RMRow:
    for name in ("id", "prompt", "domain"):
        if fields.first(name) is None:
            raise DataError("no such field; RM-Bench's rows have id, prompt, chosen, rejected and domain", field=name)
    responses = []
    for name in ("chosen", "rejected"):
        texts = fields.first(name)
        if not isinstance(texts, list) or len(texts) != 3 or not all(isinstance(text, str) for text in texts):
            raise DataError("is not a list of three texts", field=name)
        responses.append((texts[0], texts[1], texts[2]))
    key, domain = str(fields["id"]), str(fields["domain"])
    return RMRow(f"{domain}/{key}", key, domain, str(fields["prompt"]), *responses)


def _scores(fields: Fields, place: Place) -> RMScores:
    known = {name: None if (value := fields.first(name)) is None else str(value) for name in ("id", "domain", "prompt")}
    if known["id"] is None and known["prompt"] is None:
        raise DataError("no such field; a row of scores is known by its id (or its prompt)", field="id")
    where = (known["id"], known["domain"], known["prompt"], place)
    rewards = fields.first("rewards")
    if "score_chosen" in fields or rewards is not None:
        pair = rewards if "score_chosen" not in fields else [fields.first("score_chosen"), fields.first("score_rejected")]
        name = "rewards" if "score_chosen" not in fields else "score_chosen"
        if not isinstance(pair, list) or len(pair) != 2:
            raise DataError("is not the scores of the chosen and of the rejected responses", field=name)
        return RMScores(*where, _three(pair[0], name), _three(pair[1], "score_rejected" if name == "score_chosen" else name))
    for name in ("acc_matrix", "score_matrix", "reward_diff"):
        matrix = fields.first(name)
        if matrix is None:
            continue
        if not isinstance(matrix, list) or len(matrix) != 3:
            raise DataError("is not a matrix of 3 x 3", field=name)
        lines = tuple(_three(line, name) for line in matrix)
        return RMScores(*where, lead=lines if name == "reward_diff" else tuple(_leads(line, name) for line in lines))
    raise DataError(
        "no such field; a row of scores has score_chosen and score_rejected, three numbers each", field="score_chosen"
    )


def _three(value: Any, field: str) -> tuple[Score, ...]:
    if not isinstance(value, list) or len(value) != 3:
        raise DataError("is not a list of three scores", field=field)
    return tuple(_number(item, field) for item in value)


def _leads(line: tuple[Score, ...], field: str) -> tuple[Score, ...]:
    """1 and 0 of a matrix of right and wrong as a lead and none."""
    if any(cell not in (0.0, 1.0, None) for cell in line):
        raise DataError("holds a cell that is neither 0 nor 1; one row's comparisons are won or not", field=field)
    return tuple(None if cell is None else 2 * cell - 1 for cell in line)


def _number(value: Any, field: str) -> Score:
    if isinstance(value, list) and len(value) == 1:  # a classifier's logits, as they come
        value = value[0]
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise DataError(f"holds {str(value)[:30]!r}, which is no number", field=field)
    return finite(value)
