"""Options that came as words (a YAML file, a launch script's arguments, a variable), checked against a dataclass's fields.

One place for what is said of a name that nobody knows and of a value of the wrong kind. Knows nothing of what an option means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from rationalerm.errors import UsageError

__all__ = ["checked"]

_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "str": (str,),
    "bool": (bool,),
    "None": (type(None),),
}
_SAID = {"int": "a whole number", "float": "a number such as 0.000002", "str": "text", "bool": "true or false", "None": "null"}


def checked(kind: type, values: Mapping[str, Any], what: str) -> dict[str, Any]:
    """The values, for `kind(**values)`.

    Args:
        kind: a dataclass; fields of other types than numbers, text, flags and null are left to it.
        values: by field name.
        what: what an option is called in messages.

    Raises:
        UsageError: an unknown name, with the nearest one, or a value of the wrong kind.
    """
    known = {each.name: str(each.type) for each in fields(kind)}
    for name, value in values.items():
        if name not in known:
            near = get_close_matches(str(name), known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise UsageError(f"no {what} {name!r}; {hint}")
        names = known[name].split(" | ")
        if all(each in _KINDS for each in names) and not any(_is(value, each) for each in names):
            raise UsageError(f"{what} {name} is {value!r}; give {' or '.join(_SAID[each] for each in names)}")
    return dict(values)


def _is(value: Any, kind: str) -> bool:
    """Python takes True for a number; nobody who writes one does."""
    return isinstance(value, _KINDS[kind]) and (kind == "bool" or not isinstance(value, bool))
