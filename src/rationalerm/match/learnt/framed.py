"""A reason's text as the networks read it: the two responses have fixed names. Knows nothing of vectors.

In a frame one response is `THIS` and the other `THAT`, whatever the text calls them. A pair is read in the frame of its human
reason, whose first named response is `THIS`: so changing all sides over changes nothing, by construction, and who is blamed is a
word that the networks see.
"""

from __future__ import annotations

from rationalerm.match import copies, sides, words

__all__ = ["THAT", "THIS", "Marked", "framed", "marked"]

THIS, THAT = "alice", "bob"  # one token each, and of a kind: someone who does something
Marked = tuple[str, int]
_SIGNS = {sides.MARK_A: -1, sides.MARK_B: 1}
_NAMES = frozenset((*_SIGNS, sides.MARK_OTHER, sides.MARK_BOTH))


def marked(text: str) -> Marked:
    """The text with a sign for each mention of a response, and the side that it names first: -1 A, 1 B, 0 none."""
    result = copies.bare(sides.mark(words.clean(text)))
    first = next((_SIGNS[sign] for sign in result if sign in _SIGNS), 0)
    return result, first


def framed(text: str, this: int) -> str:
    """The text, with names for the signs.

    Args:
        text: of `marked`.
        this: the side that is called `THIS`; 0 is read as -1.

    >>> framed(marked("Unlike B, the first response cites it")[0], 1)
    'Unlike alice , bob cites it'
    """
    if _NAMES.isdisjoint(text):
        return text
    this = this or -1
    last = 0
    result = []
    for sign in text:
        if sign in _SIGNS:
            last = _SIGNS[sign]
            result.append(THIS if last == this else THAT)
        elif sign == sides.MARK_OTHER:
            result.append("the other" if not last else THAT if last == this else THIS)
        elif sign == sides.MARK_BOTH:
            result.append(f"both {THIS} and {THAT}")
        else:
            result.append(sign)
    return "".join(result)
