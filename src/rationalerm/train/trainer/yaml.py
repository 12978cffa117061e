"""A configuration's words: YAML files and single values, put together. Knows nothing of what they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rationalerm.errors import DataError, UsageError

__all__ = ["mapping", "merged", "read_file", "read_yaml"]

# YAML 1.1 takes 2e-6 for text (it wants 2.0e-6); everybody who writes a learning rate means the number.
_NESTED = ("reward", "trainer")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?[eE][-+]?\d+")


def read_yaml(text: str, source: str) -> Any:
    """The value.

    Raises:
        DataError: it is not YAML; says the line.
        UsageError: PyYAML is not there.

    >>> read_yaml("learning_rate: 2e-6\\nreward: {max_reasons: 5}", "x")
    {'learning_rate': 2e-06, 'reward': {'max_reasons': 5}}
    """
    try:
        import yaml
    except ImportError:
        raise UsageError('PyYAML is not installed; pip install "rationalerm[train]"') from None
    try:
        return _numbers(yaml.load(text, _loader()))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "is not YAML"
        raise DataError(f"is not YAML: {problem}", source=source, row=mark.line + 1 if mark else None) from None
    except RecursionError:
        raise DataError("is nested too deep, or in itself", source=source) from None
    except ValueError as error:  # a date or a number that there is not
        raise DataError(f"holds a value that can't be read: {error}", source=source) from None


def read_file(file: str | Path) -> dict[str, Any]:
    """The mapping of a file.

    Raises:
        DataError: it can't be read, or is no mapping.
    """
    try:
        return mapping(Path(file).read_text("utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"can't be read: {error}", source=str(file)) from None


def mapping(text: str, source: str) -> dict[str, Any]:
    """The mapping of a text.

    Raises:
        DataError: it is none.
    """
    value = read_yaml(text, source)
    if not isinstance(value, dict):
        raise DataError("is not a YAML mapping of options", source=source)
    for name in value:
        if not isinstance(name, str):
            raise DataError(f"holds the name {name!r}, which is not text", source=source)
    return value


def merged(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """The later over the earlier; `reward` and `trainer` are put together name by name, `reward.x` stands in `reward`.

    Raises:
        UsageError: one of the two that is no mapping.

    >>> merged({"batch": 8, "reward": {"max_reasons": 5}}, {"reward.rationale": "f1"})
    {'batch': 8, 'reward': {'max_reasons': 5, 'rationale': 'f1'}}
    """
    out: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            head, _, rest = name.partition(".")
            if head not in _NESTED:
                out[name] = value
            elif rest:
                out[head] = {**out.get(head, {}), rest: value}
            elif value is not None and not isinstance(value, Mapping):
                raise UsageError(f"{name} is {value!r}; give a mapping of the {name}'s options")
            else:
                out[head] = {**out.get(head, {}), **(value or {})}
    return out


def _loader() -> Any:
    """YAML's safe loader, which takes no name twice: the first value would be lost without a word."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen = set()
            for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
                if isinstance(key, yaml.ScalarNode) and key.value in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"{key.value} stands twice", key.start_mark)
                seen.add(key.value if isinstance(key, yaml.ScalarNode) else id(key))
            return super().construct_mapping(node, deep)

    return Loader


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_numbers(each) for each in value]
    return float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value
