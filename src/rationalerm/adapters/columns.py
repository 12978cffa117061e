"""What trainers hand to a reward function, read: completions as texts, a data set's columns as truths. Knows no framework."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rationalerm.errors import DataError
from rationalerm.reward import Truth

__all__ = ["column", "inner", "text_of", "text_of_prompt", "truths_of"]


def text_of(completion: Any) -> str | None:
    """The text of a completion: a string, or a chat's last message of the assistant. None: there is no text.

    >>> text_of("1. x"), text_of([{"role": "assistant", "content": "1. x"}]), text_of([{"role": "assistant", "content": None}])
    ('1. x', '1. x', None)
    """
    if completion is None or isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        return _content(completion.get("content"))
    said = [turn for turn in completion if isinstance(turn, Mapping) and turn.get("role", "assistant") == "assistant"]
    return _content(said[-1].get("content")) if said else None


def text_of_prompt(prompt: Any) -> str | None:
    """All that a prompt shows: a string, or the texts of all turns.

    >>> text_of_prompt([{"role": "system", "content": "Judge."}, {"role": "user", "content": "Hi"}])
    'Judge.\\n\\nHi'
    """
    if prompt is None or isinstance(prompt, str):
        return prompt
    texts = [_content(turn.get("content")) for turn in prompt if isinstance(turn, Mapping)]
    return "\n\n".join(text for text in texts if text) or None


def _content(content: Any) -> str | None:
    if content is None or isinstance(content, str):
        return content
    texts = [part["text"] for part in content if isinstance(part, Mapping) and isinstance(part.get("text"), str)]
    return "".join(texts) if texts else None


def truths_of(columns: Mapping[str, Any], n: int) -> list[Truth | None]:
    """A truth for each of `n` completions; None where a row has none (a row of another task).

    The columns are `ground_truth`, else `reward_model` (verl's: a mapping with `ground_truth`), else `human_reasons` and `label`,
    with `responses` where it is there.

    Raises:
        ValueError: none of these columns, or one that is not `n` long.
        DataError: a row that can't be read; row and field are named.
    """
    if "ground_truth" in columns:
        return [_load(k, one, "ground_truth") for k, one in enumerate(column(columns, "ground_truth", n))]
    if "reward_model" in columns:
        cells = column(columns, "reward_model", n)
        return [
            _load(k, one.get("ground_truth") if isinstance(one, Mapping) else one, "reward_model") for k, one in enumerate(cells)
        ]
    if "human_reasons" not in columns or "label" not in columns:
        there = ", ".join(columns) or "none"
        raise ValueError(f"no column ground_truth, reward_model, or human_reasons and label; there are: {there}")
    names = [name for name in ("human_reasons", "label", "responses") if name in columns]
    rows = list(zip(*(column(columns, name, n) for name in names), strict=True))
    return [_load(k, None if row[0] is None else dict(zip(names, row, strict=True)), None) for k, row in enumerate(rows)]


def inner(cell: Any) -> Any:
    """The ground truth of a `reward_model` cell; anything else as it is.

    >>> inner({"style": "rule", "ground_truth": "{}"}), inner("{}")
    ('{}', '{}')
    """
    return cell["ground_truth"] if isinstance(cell, Mapping) and "ground_truth" in cell else cell


def column(columns: Mapping[str, Any], name: str, n: int) -> Sequence[Any]:
    """A column that is `n` long.

    >>> column({"label": ["A>B"] * 2}, "label", 6)
    Traceback (most recent call last):
    ValueError: column 'label' has 2 values, and there are 6 completions; give one a completion
    """
    values = columns[name]
    single = isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__")
    if single or len(values) != n:
        has = f"is a single value ({type(values).__name__}, length 1)" if single else f"has {len(values)} values"
        raise ValueError(f"column {name!r} {has}, and there are {n} completions; give one a completion")
    return list(values)


def _load(row: int, value: Any, name: str | None) -> Truth | None:
    if value is None:
        return None
    try:
        return Truth.load(value)
    except DataError as error:
        field = ".".join(part for part in (name, error.field) if part)
        raise DataError(error.message, source="the batch", row=row + 1, field=field or None) from None
