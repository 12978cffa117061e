"""What the human said of one game, as a trainer's data set carries it beside the prompt. One text form, for every framework.

verl and OpenRLHF hand a reward function one string per sample: JSON with `human_reasons`, `label`, `responses` and `task`,
everything in the letters of the game that the policy saw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from rationalerm.errors import DataError
from rationalerm.reward.hybrid import side_of_label
from rationalerm.types import Verdict

__all__ = ["Truth"]


@dataclass(frozen=True, slots=True)
class Truth:
    """One game's truth.

    Attributes:
        human_reasons: the human's atomic reasons.
        label: the human's side, as a label ("A>B", "A=B", "B>>A").
        responses: the two judged responses, A's first; None where they are not at hand.
        task: the conversation that they answer, as one text; likewise.
    """

    human_reasons: tuple[str, ...]
    label: str
    responses: tuple[str, str] | None = None
    task: str | None = None

    def dump(self) -> str:
        """The text form.

        >>> Truth(("Response A omits the unit.",), "B>A").dump()
        '{"human_reasons":["Response A omits the unit."],"label":"B>A"}'
        """
        value: dict[str, Any] = {"human_reasons": self.human_reasons, "label": self.label}
        if self.responses is not None:
            value["responses"] = self.responses
        if self.task is not None:
            value["task"] = self.task
        return orjson.dumps(value).decode()

    @classmethod
    def load(cls, value: str | bytes | Mapping[str, Any] | Truth) -> Truth:
        """The truth of a text form, or of the same as a mapping.

        Raises:
            DataError: it is not one; the field is named.
        """
        if isinstance(value, Truth):
            return value
        if isinstance(value, str | bytes):
            try:
                value = orjson.loads(value)
            except orjson.JSONDecodeError:
                raise DataError("ground truth is not JSON; write it with `train prepare`") from None
        if not isinstance(value, Mapping):
            raise DataError("ground truth is not a JSON object with human_reasons and label")
        reasons, label = _reasons(value.get("human_reasons")), _label(value.get("label"))
        return cls(reasons, label, _responses(value.get("responses")), _task(value.get("task")))


def _reasons(value: Any) -> tuple[str, ...]:
    if value is None or isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(r, str) for r in value):
        raise DataError("is not a list of strings", field="human_reasons")
    return tuple(value)


def _label(value: Any) -> str:
    """As a label; a number's sign is the side.

    >>> _label(-3), _label("response_2")
    ('A>B', 'response_2')
    """
    try:
        side = side_of_label(value)
    except (ValueError, TypeError):
        raise DataError(f"{value!r} names no side; give A>B, A=B, B>A or a number (negative: A)", field="label") from None
    return value if isinstance(value, str) else Verdict(side).label


def _responses(value: Any) -> tuple[str, str] | None:
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Sequence) or [type(text) for text in value] != [str, str]:
        raise DataError("is not a list of two strings", field="responses")
    return value[0], value[1]


def _task(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise DataError("is not a string", field="task")
    return value
