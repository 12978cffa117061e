"""Rows that several annotators compared, each annotator apart: HelpSteer3's `individual_preference`.

Each has a score (its sign is the side, as in overall_preference) and reasons: a list of atoms where there is one (`checklist`),
else the sentences of `reasoning`, `feedback1` and `feedback2` that give a reason. The feedback config's texts are not used:
nothing there says which annotator wrote which. Knows nothing of judges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from rationalerm.data.fields import Fields, reason_list
from rationalerm.data.helpsteer3 import prose_atoms
from rationalerm.errors import DataError
from rationalerm.types import Side

__all__ = ["FIELD", "Annotator", "annotators_of", "merged", "side_of_scores"]

FIELD = "individual_preference"
_TEXTS = ("reasoning", "feedback1", "feedback2")


class Annotator(NamedTuple):
    """`score` None: no score that is a number; `said` False: nothing but a score; `reasons` may be empty all the same, where what
    was said only grades or compares."""

    score: float | None
    reasons: tuple[str, ...]
    said: bool


def annotators_of(row: Mapping[str, Any]) -> tuple[Annotator, ...]:
    """A row's annotators in the order of the file; those with neither a score nor a word are none.

    Raises:
        DataError: a `checklist` that is not a list of strings.
    """
    people = Fields(dict(row)).first(FIELD)
    found = [_annotator(Fields(person)) for person in people if isinstance(person, dict)] if isinstance(people, list) else []
    return tuple(one for one in found if one.said or one.score is not None)


def merged(people: tuple[Annotator, ...]) -> tuple[str, ...]:
    """All their reasons, exact repeats once."""
    return tuple(dict.fromkeys(reason for person in people for reason in person.reasons))


def side_of_scores(people: tuple[Annotator, ...]) -> Side | None:
    """The sign of the mean of their scores; None where none has one."""
    scores = [person.score for person in people if person.score is not None]
    total = sum(scores)
    return None if not scores else 0 if total == 0 else -1 if total < 0 else 1


def _annotator(person: Fields) -> Annotator:
    value = person.first("score")
    score = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e9 else None
    atoms = person.first("checklist")
    if atoms is not None:
        try:
            listed = reason_list(atoms, FIELD)
        except DataError as error:
            raise DataError(f"an annotator's checklist {error.message}", field=FIELD) from None
        return Annotator(score, listed, True)
    texts = [text if isinstance(text := person.first(name), str) else "" for name in _TEXTS]
    return Annotator(score, prose_atoms((texts[0],), (texts[1],), (texts[2],)), any(text.strip() for text in texts))
