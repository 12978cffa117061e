"""Two lists of reasons in, a score matrix out; and the one-to-one optimum of it. Knows nothing of judges, files or metrics.

base         what a matcher is                     embedded, fast, lexical, llm   the matchers
assign       the one-to-one optimum                learnt                         the networks of embedded
reading      a reason read once                    static                         what fast, lexical and embedded share:
                                                     rows, align, pairs, calibration, knots
sides, polarity, facts, generic, words, vectors    what a reason says, each in its own module
"""

from __future__ import annotations

from rationalerm.errors import UsageError
from rationalerm.match.assign import assign
from rationalerm.match.base import Matcher
from rationalerm.match.embedded import EmbeddedMatcher
from rationalerm.match.lexical import LexicalMatcher
from rationalerm.match.llm import LLMMatcher

__all__ = ["EmbeddedMatcher", "LLMMatcher", "LexicalMatcher", "Matcher", "assign", "make_matcher"]


def make_matcher(name: str) -> Matcher:
    """The matcher of a name that the command line takes: embedded, fast or lexical.

    Raises:
        UsageError: any other name; `llm` needs a model.
    """
    if name in ("embedded", "fast"):
        return EmbeddedMatcher(fast=name == "fast")
    if name == "lexical":
        return LexicalMatcher()
    if name == "llm":
        raise UsageError("the matcher llm needs a model: --model on the command line, LLMMatcher(model) in Python")
    raise UsageError(f"no matcher {name!r}; one of embedded, fast, lexical")
