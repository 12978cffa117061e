"""How much of a text is a claim about a response: 1 for a reason, 0 for what only holds its words. Knows nothing of meanings.

A matcher that looks for words in common can be fed words: lists of them, the prompt, both responses whole. Such a text asserts
nothing of either response, or buries what it asserts. Of 1,533 reasons of o1-mini and claude-3-haiku on JudgeBench half have up
to 17 words, 99 in 100 up to 60.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rationalerm.match import lexicon, sides

__all__ = ["Claim", "claim"]

_LONG = 70  # tokens, punctuation among them, of about 60 words; what is longer is worth less by the square of it
_ENGLISH = lexicon.words("function")  # no English sentence does without
_ANY = _ENGLISH | lexicon.words("function-elsewhere")
_ABOUT = frozenset(
    ("response", "responses", "answer", "answers", "assistant", "reply", "neither", sides.MARK_BOTH, sides.MARK_OTHER)
)
_LIST = 8  # so many words in Latin script without one of them are a list of words
_COMMAS = frozenset((",", ";", "\n"))
_EVENLY = 0.5  # what a text is worth to a reason of one response that says the same of both
_STOPS = _COMMAS | frozenset((".", ":", "!", "?", "—", "–"))


class Claim(NamedTuple):
    """`made`: whether a fault or merit of something, or anything of a response is said; `about`: whether it is of a response;
    `worth`: how much of the text is sentences of a reason's length, 0 to 1; `one`: whether it names one response alone;
    `evenly`: whether what it says of one it says of the other likewise, clause by clause."""

    made: bool
    about: bool
    worth: float
    one: bool = False
    evenly: bool = False

    def against(self, human: Claim) -> float:
        """How much of the text can fulfil a human reason. One that says nothing of a response itself asks for its words only."""
        if not self.made and human.about:
            return 0.0
        return self.worth * _EVENLY if self.evenly and human.one else self.worth


def claim(tokens: Sequence[str], about: bool, judges: bool) -> Claim:
    """What a text claims.

    Args:
        tokens: of the text.
        about: whether it names a response.
        judges: whether one of its words says a fault or a merit.

    >>> claim("loop index bounds array last element skipped code range".split(), False, True).worth
    0.0
    """
    about = about or not _ABOUT.isdisjoint(tokens)
    made, worth = about or judges, 1.0
    if _listed(tokens):
        worth = 0.0
    elif sum(1 for token in tokens if token.isascii() and token.isalpha()) < _LIST:
        made = True  # a note
    elif _ANY.isdisjoint(tokens):
        worth = 0.0
    elif _ENGLISH.isdisjoint(tokens):
        made = True  # in other languages the words that judge are not known
    return Claim(made, about, worth if len(tokens) <= _LONG else worth * (_LONG / len(tokens)) ** 2)


def _listed(tokens: Sequence[str]) -> bool:
    """Whether there are three commas to four words, in any script, or numbers."""
    stops = sum(1 for token in tokens if token in _STOPS)
    return len(tokens) - stops >= _LIST and 4 * sum(1 for token in tokens if token in _COMMAS) >= 3 * (len(tokens) - stops)
