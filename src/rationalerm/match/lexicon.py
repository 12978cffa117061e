"""The word lists that the rules share, from lexicon.txt. Knows nothing of what they are for."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

__all__ = ["prefixes", "values", "words"]


@lru_cache(maxsize=1)
def _lists() -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    for line in resources.files("rationalerm.match").joinpath("lexicon.txt").read_text(encoding="utf-8").splitlines():
        name, separator, listed = line.partition(": ")
        if separator and not line.startswith("#"):
            result.setdefault(name, []).extend(listed.split())
    return result


def words(name: str) -> frozenset[str]:
    """The whole words of a list."""
    return frozenset(_lists().get(name, ()))


def prefixes(name: str) -> tuple[str, ...]:
    """The beginnings of words of a list, for str.startswith."""
    return tuple(_lists().get(f"{name}*", ()))


def values(name: str) -> dict[str, str]:
    """word -> value of a list of `value=word,word` items."""
    pairs = (item.split("=") for item in _lists().get(name, ()))
    return {word: value for value, listed in pairs for word in listed.split(",")}
