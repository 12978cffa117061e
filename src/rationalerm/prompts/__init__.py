"""The prompts: one text file each, with a version that changes with its words. Knows nothing of what is asked, or of whom.

A file: lines `# ...` at the top are for its reader; `[system]`, `[user]` and `[assistant]`, each alone on a line, open a turn;
`{{name}}` is a place; `[include name]`, alone on a line, stands for the text of `_name.txt`, which several prompts share. All
places are filled in one pass: a part's own braces and brackets are text, never a place or a turn, since judged text may hold
anything.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from rationalerm.types import Message

__all__ = ["Prompt", "load", "names"]

_TURN = re.compile(r"^\[(system|user|assistant)\]$", re.M)
_INCLUDE = re.compile(r"^\[include (\w+)\]$", re.M)
_PLACE = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True)
class Prompt:
    """A prompt as it stands in its file, without the comment at its top."""

    name: str
    text: str

    @cached_property
    def version(self) -> str:
        """The name and the first 8 hex digits of the text's SHA-256: what a cache key or a result records."""
        return f"{self.name} {hashlib.sha256(self.text.encode()).hexdigest()[:8]}"

    @cached_property
    def places(self) -> frozenset[str]:
        """The names of the places."""
        return frozenset(_PLACE.findall(self.text))

    def fill(self, **parts: str) -> tuple[Message, ...]:
        """The turns, with every place filled.

        Raises:
            ValueError: a place without a part, or a part without a place.

        >>> Prompt("greet", "[user]\\nSay {{what}}.").fill(what="{{what}}")
        (Message(role='user', content='Say {{what}}.'),)
        """
        if self.places != parts.keys():
            missing, unknown = sorted(self.places - parts.keys()), sorted(parts.keys() - self.places)
            raise ValueError(f"prompt {self.name}: parts missing: {missing}, unknown: {unknown}")
        return tuple(Message(role, _PLACE.sub(lambda place: parts[place[1]], turn)) for role, turn in self._turns)

    @cached_property
    def _turns(self) -> tuple[tuple[str, str], ...]:
        head, *rest = _TURN.split(self.text)
        if head.strip() or not rest:
            raise ValueError(f"prompt {self.name}: text before the first turn, or no turn; a turn opens with [system] or [user]")
        return tuple((role, turn.strip("\n")) for role, turn in zip(rest[::2], rest[1::2], strict=True))


@cache
def load(name: str) -> Prompt:
    """The prompt `name`, from this folder.

    Raises:
        ValueError: there is no such prompt.
    """
    try:
        text = _INCLUDE.sub(lambda include: _words(f"_{include[1]}"), _words(name))
    except OSError:
        raise ValueError(f"no prompt {name!r}; one of {', '.join(names())}") from None
    return Prompt(name, text + "\n")


def _words(name: str) -> str:
    """A file without the comment at its top; the same whatever line ends a checkout has."""
    lines = (files(__package__) / f"{name}.txt").read_text("utf-8").splitlines()
    while lines and (lines[0].startswith("#") or not lines[0].strip()):
        del lines[0]
    return "\n".join(lines)


def names() -> tuple[str, ...]:
    """All prompts."""
    found = (
        entry.name.removesuffix(".txt")
        for entry in files(__package__).iterdir()
        if entry.name.endswith(".txt") and entry.name[0] != "_"
    )
    return tuple(sorted(found))
