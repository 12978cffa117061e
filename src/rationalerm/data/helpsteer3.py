"""HelpSteer3's preference and feedback configs (benchmarks.md): annotators' prose to rough atoms, offline.

A preference row holds up to three annotators' comparisons; a feedback row, a config of its own, holds what they said of each
response. Sentences that only grade or only compare are left out, since they give no reason. `decompose` makes better atoms.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from rationalerm.data.fields import Fields
from rationalerm.data.jsonl import Row, read_rows
from rationalerm.data.prose import sentences
from rationalerm.errors import DataError

__all__ = ["Feedback", "Raw", "feedback_index", "has_feedback", "human_prose", "is_helpsteer3", "prose_atoms", "raw_feedback"]

_GRADE = re.compile(r"^(?:the |this )?response (?:\d )?is (?:\w+ )?(?:not |un)?helpful\W*$", re.IGNORECASE)
_BARE = re.compile(
    r"^(?:overall,? |therefore,? |so,? )?@?response \d is (?:\w+ )?(?:better|worse) than @?response \d"
    r"(?: overall)?\W*$|^both (?:@?responses?|are)\b.{0,20}\b(?:equal(?:ly)?|same|good|helpful)\W*$",
    re.IGNORECASE,
)
_NAMES_ONE = re.compile(r"response\s*[12ab]\b", re.IGNORECASE)


class Feedback(NamedTuple):
    """What the annotators said of Response 1 and of Response 2."""

    first: tuple[str, ...]
    second: tuple[str, ...]


class Raw(NamedTuple):
    """A row's feedback as the annotators wrote it: comparisons, and what they said of each response."""

    comparisons: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]


def is_helpsteer3(row: Fields) -> bool:
    """Has the row annotators' prose in the shape of either config?"""
    return isinstance(row.first("individual_preference"), list) or isinstance(row.first("feedback1"), list)


def feedback_index(path: str | Path) -> dict[str, Feedback]:
    """The feedback config by prompt and responses. Only the feedback texts are kept in memory."""
    index = {}
    for row in read_rows(path):
        assert isinstance(row, Row)
        fields = Fields(row.value)
        if "feedback1" not in fields and "feedback2" not in fields:
            raise DataError(
                "no such field; is this HelpSteer3's feedback config?", source=str(path), row=row.number, field="feedback1"
            )
        index[_key(fields)] = Feedback(_texts(fields.first("feedback1")), _texts(fields.first("feedback2")))
    return index


def has_feedback(row: Fields, index: dict[str, Feedback]) -> bool:
    """Has the feedback config a row for this one (the same context and responses)?"""
    return _key(row) in index


def raw_feedback(row: Fields, index: dict[str, Feedback]) -> Raw:
    """All annotators' texts of a row and of its row in the feedback config, in file order."""
    beside = index.get(_key(row), Feedback((), ())) if index else Feedback((), ())
    own = row.first("individual_preference")
    people = [person for person in own if isinstance(person, dict)] if isinstance(own, list) else []
    return Raw(
        _texts([person.get("reasoning") for person in people]),
        _texts([*(p.get("feedback1") for p in people), *_texts(row.first("feedback1")), *beside.first]),
        _texts([*(p.get("feedback2") for p in people), *_texts(row.first("feedback2")), *beside.second]),
    )


def human_prose(row: Fields, index: dict[str, Feedback]) -> tuple[str, ...]:
    """Rough atomic reasons of a row: sentences that give a reason, each naming its response; exact repeats once."""
    return prose_atoms(*raw_feedback(row, index))


def prose_atoms(comparisons: Iterable[str], first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    """The same of any texts: comparisons, and what was said of Response 1 and of Response 2."""
    atoms: dict[str, None] = {}
    for number, texts in ((None, comparisons), (1, first), (2, second)):
        for text in texts:
            _add(atoms, text, number)
    return tuple(atoms)


def _add(atoms: dict[str, None], text: str, response: int | None) -> None:
    for sentence in sentences(text):
        if _GRADE.match(sentence) or _BARE.match(sentence):
            continue
        if response and not _NAMES_ONE.search(sentence):
            sentence = f"Response {response}: {sentence}"
        atoms[sentence] = None


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    return tuple(text for text in (value if isinstance(value, list) else ()) if isinstance(text, str) and text.strip())


def _key(row: Fields) -> str:
    joined = "\x1e".join(str(row.first(name)) for name in ("context", "response1", "response2"))
    return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()  # the texts themselves would be most of a file
