"""Published rows to stand beside a measured table, marked as published: nothing of them was measured here."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["PublishedRow", "published"]

_COLUMNS = {
    "rm-bench": ("chat", "math", "code", "safety", "overall"),
    "judgebench": ("Knowledge", "Reasoning", "Math", "Coding", "overall"),
}


class PublishedRow(NamedTuple):
    """One model's figures, in percent, by group; `overall` among them."""

    model: str
    scores: dict[str, float]


def published(benchmark: str) -> list[PublishedRow]:
    """The rows of a benchmark, in the paper's order; empty where there are none.

    >>> published("judgebench")[0]
    PublishedRow(model='GPT-4o', scores={'Knowledge': 50.6, 'Reasoning': 54.1, 'Math': 75.0, 'Coding': 59.5, 'overall': 59.8})
    """
    if benchmark not in _COLUMNS:
        return []
    place = list(_COLUMNS).index(benchmark) + 1
    return [
        PublishedRow(parts[0], dict(zip(_COLUMNS[benchmark], map(float, parts[place].split()), strict=True)))
        for parts in _lines()
    ]


@lru_cache(maxsize=1)
def _lines() -> list[list[str]]:
    text = Path(__file__).with_name("published.txt").read_text("utf-8")
    return [[part.strip() for part in line.split("|")] for line in text.splitlines() if line and not line.startswith("#")]
