"""A row's rationale consistency and its kin (method.md section 2, items 4 and 5).

With S_total the sum of the scores of the one-to-one optimum, n_h human reasons and n_m model reasons after the cut to K:

    recall = S_total / n_h        precision = S_total / n_m        F1 = their harmonic mean
    AP = 1/n_h * sum over ranks k of P@k * I(k),  I(k) = 1 if reason k is in the optimum, P@k = mean of I over the first k
    soft AP: the score in place of the 0/1, in P@k too

RC is the mean of recall over rows. Knows nothing of texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rationalerm.match.assign import assign
from rationalerm.score import released
from rationalerm.types import Matching, RowScore

__all__ = ["TOP_K", "Scoring", "cut", "merge_copies", "rationale_scores"]

TOP_K = 5  # the paper's K in evaluation
Scoring = Literal["paper", "released"]


def rationale_scores(matching: Matching, scoring: Scoring = "paper", top_k: int | None = TOP_K) -> RowScore:
    """Scores one row.

    Args:
        matching: scores in (0, 1] by 0-based (human, model) index.
        scoring: `paper` (one-to-one) or `released` (approximate here, since a `Matching` has lost the lines that scored zero;
            on a matcher's text `released.score_text` is exact).
        top_k: only the first `top_k` model reasons count; None for all.

    Returns:
        Each metric in [0, 1]. A row without model reasons scores 0; so does one without human reasons, which callers must
        not count (status "no human reasons").

    >>> rationale_scores(Matching(2, 1, {(0, 0): 1.0, (1, 0): 1.0})).recall  # one broad reason can't be counted twice
    0.5
    """
    if scoring == "released":
        return released.score_matching(matching, top_k)
    if scoring != "paper":
        raise ValueError(f"no scoring {scoring!r}; paper or released")
    kept = cut(matching, top_k)
    return _paper(kept.n_human, kept.n_model, [(j, score) for _, j, score in assign(kept)])


def cut(matching: Matching, top_k: int | None) -> Matching:
    """The matching with only the first `top_k` model reasons."""
    if top_k is None or matching.n_model <= top_k:
        return matching
    scores = {pair: score for pair, score in matching.scores.items() if pair[1] < top_k}
    return Matching(matching.n_human, top_k, scores, matching.notes)


def merge_copies(matching: Matching, reasons: Sequence[str]) -> Matching:
    """Moves the scores of a copied model reason to its first copy: copies are one reason for matching.

    The list keeps its length, so copies lower precision and can't raise recall.

    Args:
        matching: over `reasons`.
        reasons: the model's reasons, in order.
    """
    first: dict[str, int] = {}
    home = [first.setdefault(" ".join(reason.split()).casefold(), j) for j, reason in enumerate(reasons)]
    if len(first) == len(reasons):
        return matching
    scores: dict[tuple[int, int], float] = {}
    for (i, j), score in matching.scores.items():
        key = (i, home[j])
        scores[key] = max(score, scores.get(key, 0.0))
    return Matching(matching.n_human, matching.n_model, scores, (*matching.notes, f"copies: {len(reasons) - len(first)}"))


def _paper(n_human: int, n_model: int, ranked: list[tuple[int, float]]) -> RowScore:
    """`ranked`: (rank index, score) of the optimum, in rank order."""
    if not n_human or not n_model or not ranked:
        return RowScore(0.0, 0.0, 0.0, 0.0, 0.0)
    total = hits = hit_sum = soft_sum = 0.0
    for j, score in ranked:
        total += score
        hits += 1
        hit_sum += hits / (j + 1)
        soft_sum += score * total / (j + 1)
    recall, precision = total / n_human, total / n_model
    f1 = 2 * precision * recall / (precision + recall)
    return RowScore(recall, precision, f1, hit_sum / n_human, soft_sum / n_human)
