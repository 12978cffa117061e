"""The matcher without a model file: the same alignment and rules over the spelling of words. For any script and language."""

from __future__ import annotations

from rationalerm.match.static import StaticMatcher
from rationalerm.match.vectors import hashed_vectors

__all__ = ["LexicalMatcher"]


class LexicalMatcher(StaticMatcher):
    """Scores by shared words and pieces of words."""

    name = "lexical"
    _vectors = staticmethod(hashed_vectors)
