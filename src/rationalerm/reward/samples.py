"""A trainer's columns, checked: one sample a row, before anything is read or matched. Knows nothing of matchers or rewards."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple

from rationalerm.data.labels import LabelReader
from rationalerm.types import Verdict

__all__ = ["Label", "Sample", "samples_of", "side_of_label"]

Label = Verdict | float | str


class Sample(NamedTuple):
    """An answer of the policy as it came, with what is known of its prompt. `side`: the human's, -1 A, 0 tie, 1 B; `task`: the
    conversation that the responses answer."""

    text: str | None
    human: tuple[str, ...]
    side: int
    responses: Sequence[str] | None
    finish_reason: str | None
    task: str | None = None

    @property
    def shown(self) -> tuple[str, ...]:
        """The texts that the policy saw, as far as they are known."""
        return tuple(text for text in (*(self.responses or ()), self.task) if text)


def samples_of(
    texts: Sequence[str | None],
    human_reasons: Sequence[Sequence[str]],
    labels: Sequence[Label],
    responses: Sequence[Sequence[str]] | None = None,
    finish_reasons: Sequence[str | None] | None = None,
    tasks: Sequence[str | None] | None = None,
) -> list[Sample]:
    """The rows of the columns.

    Raises:
        ValueError: columns of different lengths (named), or a label that names no side.
    """
    columns = {
        "human_reasons": human_reasons,
        "labels": labels,
        "responses": responses,
        "finish_reasons": finish_reasons,
        "tasks": tasks,
    }
    for name, column in columns.items():
        if column is not None and (isinstance(column, str) or len(column) != len(texts)):
            given = "a string" if isinstance(column, str) else f"{len(column)} long"
            raise ValueError(f"{name} is {given}, and there are {len(texts)} texts; give one item a text")
    for k, reasons in enumerate(human_reasons):
        if reasons is None or isinstance(reasons, str):  # a string would be read letter by letter
            raise ValueError(f"human_reasons[{k}] is {reasons!r:.60}; give a list of reasons")
    return [
        Sample(
            text,
            tuple(human_reasons[k]),
            side_of_label(labels[k]),
            responses[k] if responses else None,
            finish_reasons[k] if finish_reasons else None,
            tasks[k] if tasks else None,
        )
        for k, text in enumerate(texts)
    ]


def side_of_label(label: Label) -> int:
    """-1, 0 or 1.

    Raises:
        ValueError: a label that names no side.
    """
    if isinstance(label, str):
        verdict = LabelReader().read(label)
        if verdict is None:
            raise ValueError("label is empty; give the human's side")
        return verdict.side
    given: Any = label  # of a data set: may be anything
    if isinstance(given, bool) or not isinstance(given, Real) or given != given:  # NaN
        raise ValueError(f"label is {label!r}; negative = A, 0 = tie, positive = B")
    return (label > 0) - (label < 0)
