"""What a matcher is: two lists of reasons in, a `Matching` out. Knows nothing of judges, files or metrics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from rationalerm.types import Matching

__all__ = ["Matcher", "shown"]


@runtime_checkable
class Matcher(Protocol):
    """Scores how far each model reason fulfils each human reason (method.md section 2).

    A pair's score depends on the two texts and on `version` alone: `match` and `match_many` agree, in any batch or order.
    """

    @property
    def name(self) -> str:
        """What the command line calls it."""

    @property
    def version(self) -> str:
        """Changes whenever any score can change; part of cache keys and results."""

    def match(self, human: Sequence[str], model: Sequence[str]) -> Matching:
        """The scores of one row, absent = 0."""

    def match_many(self, rows: Iterable[tuple[Sequence[str], Sequence[str]]]) -> list[Matching]:
        """`match` of each row, in order."""


def shown(name: str, version: str) -> str:
    """A matcher as tables and records name it: a version that begins with the name says it already.

    >>> shown("embedded", "embedded-4-33ab6ae6"), shown("llm", "gpt-4o best 79d84e47")
    ('embedded-4-33ab6ae6', 'llm gpt-4o best 79d84e47')
    """
    return version if version.startswith(f"{name}-") else f"{name} {version}".strip()
