"""Fault or merit: what a clause says of the response it is about, from -1 (a fault) to +1 (a merit). Knows nothing of sides.

A small reading machine over word classes. A negator turns the next judging word over ("not correct" -1, "no errors" +1)
and means a fault where nothing follows ("does not validate"). A word of lack absorbs the merit after it ("fails to
handle" -1), a word of care absorbs the fault after it ("avoids the error" +1). Words that judge nothing leave 0: "says
that insulin is made in the liver" is known to be a fault only to one who knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rationalerm.match import lexicon

__all__ = ["polarity", "word_class"]

_VALUE = {"merit": 1.0, "fault": -1.0, "give": 0.25, "care": 1.0, "lack": -1.0}
_CLASSES = ("less", "lack", "care", "give", "merit", "fault", "asked", "not", "would")
_WHOLE = {word: name for name in _CLASSES for word in lexicon.words(name)}
_BEGINNINGS = {name: lexicon.prefixes(name) for name in ("fault", "merit", "lack", "care")}
_COMPOUND, _IDLE = lexicon.words("compound"), lexicon.words("idle")
_GO_ON = frozenset(("keep", "keeps"))
_RELATIVE, _NO_NEGATION = lexicon.words("relative"), lexicon.words("no-negation")
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non")
_NO_MIS = ("missi", "miss", "miste", "mistr", "misc")
_LIKE = frozenset(("as", "like"))
_AGAINST = frozenset(("although", "but", "despite", "even", "though", "when", "where", "whereas", "while", "yet"))
_IN_PLACE, _MERELY = frozenset(("instead", "rather")), frozenset(("just", "merely", "only", "simply"))
_BE = frozenset(("is", "are", "was", "were", "been", "being", "gets"))
_IDEAL = frozenset(("must", "ought", "should"))
_REACH = 5  # how many tokens a negator reaches over


@lru_cache(maxsize=50_000)
def word_class(word: str) -> str:
    """One of "", "merit", "fault", "give", "care", "lack", "less", "not", "asked", "would"."""
    if word.endswith(("n't", "n’t")):
        return "not"
    if word in _WHOLE:
        return _WHOLE[word]
    if word.endswith(("error", "exception")) or (word.startswith("mis") and not word.startswith(_NO_MIS) and len(word) > 6):
        return "fault"
    found = next((name for name, beginnings in _BEGINNINGS.items() if word.startswith(beginnings)), "")
    return found or ("fault" if _negated_merit(word) else "")


def _negated_merit(word: str) -> bool:
    """ "unclear", "incoherent", "disorganised", "unverified": a negating prefix before a word of merit or care."""
    for prefix in _PREFIXES:
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) > 3 and rest not in _NO_NEGATION and word_class(rest) in ("merit", "give", "care"):
            return True
    return False


def _asked(words: Sequence[str], k: int) -> float:
    """A word of asking: "as the task asked" is a merit, "when a table was asked for" a fault."""
    before = words[max(0, k - 5) : k]
    if _LIKE.intersection(before):
        return 0.8
    return -0.6 if _AGAINST.intersection(words[:k]) else -0.1


def _judges_nothing(name: str, word: str, after: str) -> bool:
    """Whether the next word takes the judgment out of this one: "right into", "keeps running", "error handling"."""
    if name == "fault" and after in _COMPOUND:
        return True
    return f"{word}_{after}" in _IDLE or (word in _GO_ON and after.endswith("ing"))


def _less(words: Sequence[str], k: int, after: str) -> float:
    """A word that takes back: "too long", "instead of", "it should be"."""
    word = words[k]
    if word == "should" and _LIKE.intersection(words[max(0, k - 2) : k]):  # "as it should"
        return 0.8
    if word in _IN_PLACE and after in ("of", "than"):  # "instead of just quoting it"
        return 0.5 if _MERELY.intersection(words[k + 2 : k + 3]) else -0.5
    return -0.8 if word in ("too", "overly") else -0.4


def polarity(words: Sequence[str]) -> float:
    """-1..1 for one clause."""
    total, negated, mode = 0.0, 0, ""
    ideal = False  # "X would have been right": what follows speaks of what should be
    pending = False  # a negator that has met no judging word yet
    before = -1  # the last word that has a class
    for k, name in enumerate(map(word_class, words)):
        if not name:
            continue
        word, after = words[k], words[k + 1] if k + 1 < len(words) else ""
        negated, before = max(0, negated - (k - before - 1)), k  # a negator's reach ends over words that judge nothing
        if _judges_nothing(name, word, after):
            negated -= negated > 0
        elif name == "not":
            if after not in _MERELY and not (k and words[k - 1] in _RELATIVE):
                negated, pending = _REACH, True
        elif name == "asked":
            total += _asked(words, k)
        elif name == "less":
            total += _less(words, k, after)
            ideal = ideal or word in _IDEAL
        elif name == "would":
            if after in ("be", "have"):
                total, ideal = total - 0.4, True
        else:
            value = _VALUE[name]
            if mode == "care" and name == "lack" and k and words[k - 1] in _BE:  # "the null check is skipped"
                total, mode = min(0.0, total - 1.0), name
            if (mode == "lack" and value > 0 and not negated) or (mode == "care" and value < 0) or (ideal and value > 0):
                value = 0.0
            if negated and value:
                value = -value if abs(value) == 1 else -1.0
                negated, pending = 0, False
            total += value
            if name in ("lack", "care") and not mode:
                mode = name
    if pending and total < 1:  # after outright merit it only says how: "keeps to 3.8 as asked, no match statement"
        total = min(total, 0.0) - 0.8
    return max(-1.0, min(1.0, total))
