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

_VALUE = {"merit": 1.0, "fault": -1.0, "give": 0.5, "care": 1.0, "lack": -1.0}
_WHOLE = {
    word: name for name in ("less", "lack", "care", "give", "merit", "fault", "asked", "not") for word in lexicon.words(name)
}
_BEGINNINGS = {name: lexicon.prefixes(name) for name in ("fault", "merit", "lack", "care")}
_COMPOUND = lexicon.words("compound")
_RELATIVE, _NO_NEGATION = lexicon.words("relative"), lexicon.words("no-negation")
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non")
_NO_MIS = ("missi", "miss", "miste", "mistr", "misc")
_REACH = 5  # how many tokens a negator reaches over


@lru_cache(maxsize=50_000)
def word_class(word: str) -> str:
    """One of "", "merit", "fault", "give", "care", "lack", "less", "not", "asked"."""
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


def polarity(words: Sequence[str]) -> float:
    """-1..1 for one clause."""
    total, negated, mode, last = 0.0, 0, "", ""
    pending = False  # a negator that has met no judging word yet
    for k, word in enumerate(words):
        name = word_class(word)
        if name == "fault" and k + 1 < len(words) and words[k + 1] in _COMPOUND:  # "error handling" is no error
            name = ""
        if name == "not":
            if (k + 1 < len(words) and words[k + 1] == "only") or (k and words[k - 1] in _RELATIVE):
                continue
            negated, pending = _REACH, True
        elif name == "asked":
            total += 0.8 if last in ("as", "the") and "as" in words[max(0, k - 3) : k] else -0.1
        elif name == "less":
            total -= 0.8 if word in ("too", "overly") else 0.4
        elif name:
            value = _VALUE[name]
            if (mode == "lack" and value > 0 and not negated) or (mode == "care" and value < 0):
                value = 0.0
            if negated and value:
                value = -value if abs(value) == 1 else -1.0
                negated, pending = 0, False
            total += value
            if name in ("lack", "care") and not mode:
                mode = name
        elif negated:
            negated -= 1
        last = word
    if pending and total < 1:  # after outright merit it only says how: "keeps to 3.8 as asked, no match statement"
        total = min(total, 0.0) - 0.8
    return max(-1.0, min(1.0, total))
