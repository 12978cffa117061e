"""The default matcher: word alignment over static vectors, rules for sides, polarity, facts and vagueness. Offline."""

from __future__ import annotations

from rationalerm.match.static import StaticMatcher
from rationalerm.match.vectors import wordllama_print, wordllama_vectors

__all__ = ["EmbeddedMatcher"]


class EmbeddedMatcher(StaticMatcher):
    """Scores by wordllama's token vectors.

    Args:
        fast: True is the static matcher, the only one there is so far.

    Raises:
        MatcherError: at the first match, if wordllama or its files are missing.
    """

    name = "embedded"
    _vectors = staticmethod(wordllama_vectors)

    def __init__(self, fast: bool = True) -> None:
        super().__init__()
        self.fast = fast

    def _print(self) -> str:
        return f"-{wordllama_print()}"
