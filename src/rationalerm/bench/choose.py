"""Which rows of a benchmark are run: some domains, a sample, the first few; the same on every machine. Knows no benchmark."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rationalerm.errors import UsageError

__all__ = ["Choice"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Choice:
    """What to keep.

    Attributes:
        domains: only rows of these (in any case); empty: all.
        sample: so many rows, drawn by the seed and the rows' ids alone: not by their place, nor by the other rows' number.
        limit: the first so many of what is left.
        seed: of the sample.
    """

    domains: tuple[str, ...] = ()
    sample: int | None = None
    limit: int | None = None
    seed: int = 0

    def of(self, rows: Iterable[T], key: Callable[[T], str], domains: Callable[[T], Sequence[str]]) -> list[T]:
        """The rows to run, in their own order.

        Args:
            rows: all of them.
            key: a row's id.
            domains: the names that a row's domain goes by.

        Raises:
            UsageError: a domain that no row is of; a number under 1.
        """
        for option, number in (("--limit", self.limit), ("--sample", self.sample)):
            if number is not None and number < 1:
                raise UsageError(f"{option} is {number}; give 1 or more")
        kept = list(rows)
        if self.domains:
            kept = self._of_domains(kept, domains)
        if self.sample is not None and self.sample < len(kept):
            ranked = sorted((self._draw(key(row)), place) for place, row in enumerate(kept))
            kept = [kept[place] for place in sorted(place for _, place in ranked[: self.sample])]
        return kept[: self.limit]

    def _of_domains(self, rows: list[T], domains: Callable[[T], Sequence[str]]) -> list[T]:
        wanted = {name.casefold() for name in self.domains}
        names = [{name.casefold() for name in domains(row)} for row in rows]
        if missing := wanted - set().union(*names):
            there = ", ".join(dict.fromkeys(domains(row)[0] for row in rows))
            raise UsageError(f"--domains: no row of {', '.join(sorted(missing))}; there are {there}")
        return [row for row, of in zip(rows, names, strict=True) if of & wanted]

    def _draw(self, key: str) -> bytes:
        return hashlib.sha256(f"{self.seed}\x1fsample\x1f{key}".encode("utf-8", "surrogatepass")).digest()
