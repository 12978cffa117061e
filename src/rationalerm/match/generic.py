"""Whether a reason says anything in particular. Knows nothing of the other reason.

A remark is generic where, once the words that could be said of any answer are taken away ("clear", "detailed", "follows the
instructions", "some errors", "grammar mistakes"), hardly any word of weight is left and no fact is named.
"""

from __future__ import annotations

from functools import lru_cache

from rationalerm.match import lexicon

__all__ = ["is_vague"]

_BEGINNINGS = lexicon.prefixes("vague")
_WHOLE = lexicon.words("vague")


@lru_cache(maxsize=50_000)
def is_vague(word: str) -> bool:
    """Whether a word could stand in a remark on any answer."""
    return word in _WHOLE or word.removesuffix("s") in _WHOLE or word.startswith(_BEGINNINGS)
