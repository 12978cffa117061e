"""Word alignment over static vectors, with rules for sides, polarity, facts and vagueness."""

from __future__ import annotations

from rationalerm.match.calibration import Calibration
from rationalerm.match.static import StaticMatcher
from rationalerm.match.vectors import wordllama_print, wordllama_vectors

__all__ = ["FastMatcher"]


class FastMatcher(StaticMatcher):
    """Scores by wordllama's token vectors: what `--matcher fast` and `EmbeddedMatcher(fast=True)` are.

    Raises:
        MatcherError: at the first match, if wordllama or its files are missing.
    """

    name = "fast"
    _vectors = staticmethod(wordllama_vectors)

    def _shipped(self) -> Calibration:
        return Calibration.load(FastMatcher.name)

    def _print(self) -> str:
        return f"-{wordllama_print()}"
