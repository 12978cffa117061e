"""The released analysis script's arithmetic, exactly (method.md section 2, "released scoring"): for reproducing its tables.

It reads the matcher's raw text, so it has its own small reader, the one exception to one parser. It differs from `paper` in that
the first RESULT block counts, one model reason may serve several human reasons, and AP runs over the named reasons only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rationalerm.types import Matching, RowScore

__all__ = ["MAX_CHECKLIST_LEN", "TOP_K", "read_lines", "score_lines", "score_matching", "score_text"]

TOP_K = 5
MAX_CHECKLIST_LEN = 10
_BLOCK_START, _BLOCK_END = "<RESULT_START>", "<RESULT_END>"
_LINE = re.compile(r"- R(\d+)@S(\d+): (\d+(?:\.\d+)?)")

Lines = list[tuple[int, int, float]]


def score_text(text: str, n_human: int, n_model: int) -> RowScore | str:
    """Scores a matcher's text as the released script does.

    Args:
        text: the matcher's whole answer.
        n_human: length of the human list.
        n_model: length of the judge's whole list (cut to 5 here).

    Returns:
        The row's scores, or why it is an error row.
    """
    lines = read_lines(text)
    if isinstance(lines, str):
        return lines
    if len(lines) != n_human:
        return f"{len(lines)} score lines for {n_human} human reasons"
    return score_lines(lines, n_human, min(n_model, TOP_K))


def read_lines(text: str) -> Lines | str:
    """(R, S, score) of the first block, 1-based, S 0 = none; or why it is an error row."""
    start = text.find(_BLOCK_START)
    end = text.find(_BLOCK_END, start + len(_BLOCK_START)) if start >= 0 else -1
    if end < 0:
        return "no RESULT block"
    found = _LINE.findall(text, start, end)
    if not found:
        return "no score line in the RESULT block"
    try:
        lines = [(int(r), int(s), float(score)) for r, s, score in found]
    except ValueError:  # thousands of digits
        return "a number in a score line is too long"
    if any(score > 1 for _, _, score in lines):
        return "a score over 1"
    return lines


def score_lines(lines: Iterable[tuple[int, int, float]], n_human: int, n_model: int) -> RowScore:
    """The arithmetic. A named S with score 0 keeps its rank; an unnamed one costs none."""
    by_human: dict[int, float] = {}
    by_model: dict[int, float] = {}
    for r, s, score in lines:
        if s == 0 or r > n_human or s > n_model:
            continue
        by_human[r] = max(score, by_human.get(r, score))
        by_model[s] = max(score, by_model.get(s, score))
    if not by_human:
        return RowScore(0.0, 0.0, 0.0, 0.0, 0.0)
    recall = sum(by_human.values()) / n_human
    precision = sum(by_model.values()) / n_model
    ranked = [by_model[s] for s in sorted(by_model)]
    soft = sum(sum(ranked[: k + 1]) / (k + 1) for k in range(len(ranked))) / n_human
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return RowScore(recall, precision, f1, soft, soft)


def score_matching(matching: Matching, top_k: int | None) -> RowScore:
    """The same arithmetic on a `Matching`: approximate, since lines that scored zero are not in it."""
    if not matching.n_human or not matching.n_model:
        return RowScore(0.0, 0.0, 0.0, 0.0, 0.0)
    n_model = matching.n_model if top_k is None else min(matching.n_model, top_k)
    lines = [(i + 1, j + 1, score) for (i, j), score in matching.scores.items()]
    return score_lines(lines, matching.n_human, n_model)
