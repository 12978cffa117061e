"""Rows that must not be trained on: a benchmark's file -> fingerprints of its conversations and responses.

Read by field names, whatever the benchmark: pairs as elsewhere here, RM-Bench (`chosen`, `rejected` lists), JudgeBench
(`question`, `response_A`, `response_B`), Arena-Hard (`prompt`), LLMBar (`input`, `output_1`), chosen and rejected conversations,
and a Parquet file of `train prepare`. A row with neither a conversation nor responses is an error: nothing is taken for checked
that was not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from rationalerm.data.fields import Fields, messages_of
from rationalerm.data.jsonl import Row, read_rows
from rationalerm.data.results import is_results_row
from rationalerm.errors import DataError
from rationalerm.reward.truth import Truth
from rationalerm.train.prepare.games import conversation_of
from rationalerm.train.prepare.likeness import Fingerprint, fingerprint
from rationalerm.train.prepare.parquet import read_table
from rationalerm.types import Message

__all__ = ["held_out_prints", "kept_out_prints"]

_TALK = ("context", "messages", "conversation", "conversations", "prompt", "question", "instruction", "query", "input", "turns")
_PAIRS = (
    ("response1", "response2"), ("response_a", "response_b"), ("chosen", "rejected"), ("output_1", "output_2"),
    ("answer1", "answer2"), ("answer_a", "answer_b"),
)  # fmt: skip


def held_out_prints(path: str | Path) -> Iterator[tuple[int, Fingerprint]]:
    """The row's number with each of its fingerprints: one a pair of responses, or one for the conversation alone.

    Raises:
        DataError: a file or row that can't be read; it is named.
    """
    if str(path).endswith(".parquet"):
        yield from _prepared(path)
        return
    for row in read_rows(path):
        assert isinstance(row, Row)
        value = row.value["metadata"] if is_results_row(row.value) and isinstance(row.value["metadata"], dict) else row.value
        try:
            talk, pairs = _texts(Fields(value))
        except DataError as error:
            raise DataError(error.message, source=str(path), row=row.number, field=error.field) from None
        if not any(turn.content.strip() for turn in talk) and not pairs:
            known = ", ".join((*_TALK[:6], *(name for pair in _PAIRS[:3] for name in pair)))
            raise DataError(
                f"no conversation and no responses found; fields that are read: {known}", source=str(path), row=row.number
            )
        for pair in pairs or [()]:
            yield row.number, fingerprint(talk, pair)


def kept_out_prints(folder: str | Path) -> Iterator[Fingerprint]:
    """The fingerprints of the files that a folder of `train prepare` was made to keep out (--held-out).

    Raises:
        DataError: one of them is not there as it was read then.
    """
    try:
        named = orjson.loads((Path(folder) / "prepare.json").read_bytes()).get("held_out", [])
    except (OSError, orjson.JSONDecodeError, AttributeError):
        return
    for one in named:
        path = Path(one["file"])
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != one["sha256"]:
            raise DataError(f"is not there as {folder} kept it out; put it back, or prepare anew", source=str(path))
        for _, found in held_out_prints(path):
            yield found


def _texts(fields: Fields) -> tuple[tuple[Message, ...], list[tuple[str, ...]]]:
    """A row's conversation, and its pairs of responses."""
    name = next((name for name in _TALK if fields.first(name) is not None), None)
    talk = messages_of(_turns(fields.first(name)), name) if name else ()
    if name == "instruction" and isinstance(fields.first("input"), str):
        talk = (Message("user", f"{talk[0].content}\n{fields.first('input')}".strip()),)
    for first, second in _PAIRS:
        if fields.first(first) is not None and fields.first(second) is not None:
            own, one = _responses(fields.first(first), first)
            _, other = _responses(fields.first(second), second)
            return talk or own, [(a, b) for a in one for b in other]
    return talk, []


def _turns(value: Any) -> Any:
    """ShareGPT's {from, value} as {role, content}."""
    if not isinstance(value, list):
        return value
    return [
        {"role": turn.get("from"), "content": turn["value"]} if isinstance(turn, dict) and "value" in turn else turn
        for turn in value
    ]


def _responses(value: Any, field: str) -> tuple[tuple[Message, ...], list[str]]:
    """The responses of a field: a text, several, or a conversation whose last turn is the response (its other turns come too)."""
    if isinstance(value, str):
        return (), [value]
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return (), value
    turns = messages_of(_turns(value), field)
    return turns[:-1], [turn.content for turn in turns[-1:]]


def _prepared(path: str | Path) -> Iterator[tuple[int, Fingerprint]]:
    for number, row in enumerate(read_table(path, ("prompt", "reward_model")), 1):
        try:
            truth = Truth.load(row["reward_model"]["ground_truth"])
            talk = conversation_of([Message(turn["role"], turn["content"]) for turn in row["prompt"]])
        except (DataError, TypeError, KeyError):
            talk = None
        if talk is None:
            raise DataError("is not a row of `train prepare`", source=str(path), row=number)
        yield number, fingerprint(talk, truth.responses or ())
