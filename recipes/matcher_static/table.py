"""weights.txt: how much a word says, from how many texts of judges and of others hold it.

    weight(word) = 100 * clip((log(N / df) - log 8) / (log(N / 3) - log 8), 0, 1)      df smoothed over the two kinds of text

N sentences, df of them with the word's stem. What any judge says of any answer is frequent in judges' texts, so the
rarer of the two inverse frequencies counts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from corpora import judge_sentences, plain_sentences

from rationalerm.match import sides, words

__all__ = ["write_table"]

_LEAST = 3  # a word in fewer sentences is as good as unseen


def _frequencies(texts: Iterable[list[str]]) -> tuple[Counter[str], int]:
    counts: Counter[str] = Counter()
    seen = 0
    for text in texts:
        for sentence in text:
            seen += 1
            counts.update({words.stem(t) for t in words.tokens(sides.mark(words.clean(sentence))) if t[0].isalpha()})
    return counts, seen


def write_table(path: Path) -> int:
    """Writes the table; the number of its words."""
    judge, n_judge = _frequencies(judge_sentences())
    plain, n_plain = _frequencies(plain_sentences())
    lines = []
    for word in sorted(set(judge) | set(plain)):
        if judge[word] + plain[word] < _LEAST:
            continue
        share = max(judge[word] / n_judge, plain[word] / n_plain, (judge[word] + plain[word]) / (n_judge + n_plain))
        low, high = math.log(12), math.log(min(n_judge, n_plain) / 3)
        value = round(words.MAX_WEIGHT * min(1.0, max(0.0, (-math.log(share) - low) / (high - low))))
        if value < words.MAX_WEIGHT:
            lines.append(f"{word}\t{value}")
    path.write_text(
        "# stem<TAB>weight 0..100; made by recipes/matcher_static/make.py; a word not here weighs 100\n"
        + "\n".join(lines)
        + "\n",
        encoding="utf-8",
    )
    return len(lines)
