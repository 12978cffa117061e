"""Near-copies of a reason: word for word the same, or the same but for a negation. Knows nothing of vectors.

Similarity says most of all about copies, and least about what a "not" does to one: "Response 1 compiles" and "A does not compile"
share every word of weight. So these two are rules.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rationalerm.match import sides, words

__all__ = ["bare", "fold", "named_fold", "negates"]

_NEGATORS = frozenset(["not", "never", "no", "cannot", "without", "nor"])
_AUXILIARIES = frozenset(["does", "do", "did"])
_STOPS = " .,;:!?…"
_NAMED = re.compile(rf"(?i)(?:\bthe |@ ?)?([{sides.MARK_A}{sides.MARK_B}])(?: (?:response|answer|assistant|output)\b)?")
_PUNCTUATION = frozenset(".,;:!?—–\n")


def fold(reason: str) -> str:
    """Equal for reasons that are copies: case and white space aside."""
    return " ".join(reason.split()).casefold()


def named_fold(marked: str) -> str:
    """Equal for reasons that are copies but for the stop at the end and how a response is named, too.

    Args:
        marked: the reason with a sign for each mention of a response (sides.mark).

    >>> named_fold(sides.mark("Response 1 is the correct translation")) == named_fold(sides.mark("A is the correct translation."))
    True
    """
    return bare(marked).casefold().rstrip(_STOPS)


def bare(marked: str) -> str:
    """The signs of a marked text without what stands around them ("the ", "@", " response"), and white space folded."""
    return _NAMED.sub(r"\1", " ".join(marked.split()))


def negates(first: str, second: str) -> bool:
    """Whether two reasons are the same words, sides included, but for an odd number of negations.

    >>> negates("Response 1 compiles.", "A does not compile"), negates("Response 1 compiles.", "Response 1 compiles")
    (True, False)
    """
    (ours, odd), (theirs, odd_there) = _skeleton(first), _skeleton(second)
    return ours == theirs and odd != odd_there


@lru_cache(maxsize=20_000)
def _skeleton(reason: str) -> tuple[tuple[str, ...], bool]:
    """The stems in order, without negators and what they bring along, and whether the negators are odd."""
    stems: list[str] = []
    odd = False
    for token in words.tokens(sides.mark(reason)):
        contracted = token.endswith(("n't", "n’t"))
        word = token[:-3] if contracted else token
        odd ^= contracted or word in _NEGATORS
        if word and word not in _NEGATORS and word not in _AUXILIARIES and word not in _PUNCTUATION:
            stems.append(words.stem(word))
    return tuple(stems), odd
