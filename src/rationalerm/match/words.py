"""A reason's tokens and the fixed weights of words. Knows nothing of vectors.

Words are runs of letters, Han and kana characters one by one, numbers whole; case is folded, a light stem makes "omits" and
"omitted" one. Weights come from `weights.txt`, which ships (recipes/matcher_static makes it): never from the run at hand.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources

from rationalerm.match import lexicon

__all__ = ["MAX_WEIGHT", "clean", "stem", "tokens", "weight"]

MAX_WEIGHT = 100
_TOKEN = re.compile(
    r"[\ue000-\ue003]"  # a mention (sides.py)
    r"|[\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]"  # Han, kana
    r"|\d+(?:[.,]\d+)*"
    r"|[^\W\d_]+(?:['’]t(?![^\W\d_]))?"  # don't, isn’t
    r"|[.;:!?,\n—–](?=[\s\"'”’)»]|$)|[。；：！？，、]|[—–]"
)
_WIDE = re.compile("[^\x00-\x7f\ue000-\ue003]")
_PLAIN_TOKEN = re.compile(  # the same in a text without such letters, which most are: twice as fast
    r"[a-z]+(?:'t(?![a-z]))?|[\ue000-\ue003]|\d+(?:[.,]\d+)*|[.;:!?,\n](?=[\s\"')]|$)"
)
_BEFORE_LIST = lexicon.words("before-list")
_STOPS = {"。": ".", "；": ";", "：": ":", "！": "!", "？": "?", "，": ",", "、": ","}


# "[12]" or "[3][40]" after a word or a full stop is a citation; after these words, or "=" and ":", it is a list.
_CITED = re.compile(r"(?<=[^\W\d_][\"'”’).,;%]|[^\W\d_][^\W\d_]|.[\d.,;])(?:\s\[\d{1,3}\](?:\s*,?\s*\[\d{1,3}\])*)")
_BOLD = re.compile(r"(?<![\w*])\*\*(?=\S)([^*\n]{1,120})\*\*(?![\w*])")
_BULLET = re.compile(r"^\s*(?:[-*•‣–]\s+|\(?\d{1,2}[.)]\s+)")


def clean(text: str) -> str:
    """The text without bullet signs, list numbers, bold type and citations: markup, which would count as numbers."""
    text = _BULLET.sub("", text)
    if "**" in text:
        text = _BOLD.sub(r"\1", text)
    return _CITED.sub(_uncited, text) if "[" in text else text


def _uncited(match: re.Match[str]) -> str:
    word = match.string[: match.start()].rpartition(" ")[2].casefold()
    return match[0] if word in _BEFORE_LIST and match[0].count("[") == 1 else ""


def tokens(text: str) -> list[str]:
    """Case-folded tokens with mention signs and clause punctuation."""
    folded = text.casefold()
    found: list[str]
    if not _WIDE.search(folded):
        found = _PLAIN_TOKEN.findall(folded)
        return found
    found = _TOKEN.findall(folded)
    return found if _STOPS.keys().isdisjoint(folded) else [_STOPS.get(t, t) for t in found]


_SUFFIXES = (
    "ations",
    "ation",
    "ingly",
    "edly",
    "ities",
    "ness",
    "ments",
    "ment",
    "ings",
    "ing",
    "ies",
    "ied",
    "ity",
    "ely",
    "ed",
    "es",
    "ly",
    "s",
    "e",
    "y",
)


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
    return {
        word: int(value) for word, _, value in (line.partition("\t") for line in text.splitlines() if not line.startswith("#"))
    }


def weight(word: str) -> int:
    """0..MAX_WEIGHT: how much a word says; an unseen word says most."""
    found = _table().get(stem(word))
    return MAX_WEIGHT if found is None else found
