"""A reason's tokens and the fixed weights of words. Knows nothing of vectors.

Words are runs of letters, Han and kana characters one by one, numbers whole; case is folded, a light stem makes "omits" and
"omitted" one. Weights come from `weights.txt`, which ships (recipes/matcher_static makes it): never from the run at hand.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources

__all__ = ["MAX_WEIGHT", "stem", "tokens", "weight"]

MAX_WEIGHT = 100
_TOKEN = re.compile(
    r"[\ue000-\ue003]"  # a mention (sides.py)
    r"|[\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]"  # Han, kana
    r"|\d+(?:[.,]\d+)*"
    r"|[^\W\d_]+(?:['’]t(?![^\W\d_]))?"  # don't, isn’t
    r"|[.;:!?,\n—–](?=[\s\"'”’)»]|$)|[。；：！？，、]|[—–]"
)
_STOPS = {"。": ".", "；": ";", "：": ":", "！": "!", "？": "?", "，": ",", "、": ","}


def tokens(text: str) -> list[str]:
    """Case-folded tokens with mention signs and clause punctuation."""
    return [_STOPS.get(t, t) for t in _TOKEN.findall(text.casefold())]


_SUFFIXES = ("ations", "ation", "ingly", "edly", "ities", "ness", "ments", "ment", "ings", "ing", "ies", "ied", "ity", "ely", "ed", "es", "ly", "s", "e", "y")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A light English stem: one suffix off, if four letters stay (three for "ed", "es", "s", "e")."""
    if not word.isascii() or len(word) < 4:
        return word
    for suffix in _SUFFIXES:
        least = 3 if len(suffix) <= 3 else 4
        if word.endswith(suffix) and len(word) - len(suffix) >= least and not (suffix == "s" and word.endswith("ss")):
            base = word[: -len(suffix)]
            return base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "sl" else base
    return word


@lru_cache(maxsize=1)
def _table() -> dict[str, int]:
    text = resources.files("rationalerm.match").joinpath("weights.txt").read_text(encoding="utf-8")
    return {word: int(value) for word, _, value in (line.partition("\t") for line in text.splitlines() if not line.startswith("#"))}


def weight(word: str) -> int:
    """0..MAX_WEIGHT: how much a word says; an unseen word says most."""
    found = _table().get(stem(word))
    return MAX_WEIGHT if found is None else found
