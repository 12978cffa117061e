"""The released script's arithmetic: against a slow restatement of method.md's rules, on its corner cases and at random."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rationalerm.score.released import read_lines, score_text
from rationalerm.types import RowScore


def oracle(text: str, n_human: int, n_model: int) -> RowScore | None:
    """method.md, "released scoring", sentence by sentence; None = an error row."""
    block = re.search(r"<RESULT_START>(.*?)<RESULT_END>", text, re.DOTALL)
    if not block:
        return None
    lines = [(int(r), int(s), float(v)) for r, s, v in re.findall(r"- R(\d+)@S(\d+): (\d+(?:\.\d+)?)", block[1])]
    if not lines or any(v > 1 for *_, v in lines) or len(lines) != n_human:
        return None
    n = min(n_model, 5)
    kept = [(r, s, v) for r, s, v in lines if s != 0 and r <= n_human and s <= n]
    recall = sum(max(v for q, _, v in kept if q == r) for r in dict.fromkeys(r for r, _, _ in kept)) / n_human
    best = {s: max(v for _, q, v in kept if q == s) for s in dict.fromkeys(s for _, s, _ in kept)}
    precision = sum(best.values()) / n
    ranked = [best[s] for s in sorted(best)]
    ap = sum(sum(ranked[:k]) / k for k in range(1, len(ranked) + 1)) / n_human
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return RowScore(recall, precision, f1, ap, ap)


def block(*lines: str) -> str:
    return "<RESULT_START>\n" + "\n".join(lines) + "\n<RESULT_END>"


LINE = st.builds(
    "- R{}@S{}: {}".format,
    st.integers(0, 5),
    st.integers(0, 7),
    st.sampled_from(["0", "0.0", "0.25", "0.50", "1", "1.00", "1.5", ".5", "x"]),
)


@given(
    st.lists(LINE, max_size=6),
    st.integers(1, 5),
    st.integers(1, 8),
    st.sampled_from(["", "think <RESULT_START> ", "R1 <RESULT_END>"]),
)
def test_equals_the_rules_on_random_answers(lines: list[str], n_human: int, n_model: int, before: str) -> None:
    text = before + block(*lines) + block("- R1@S1: 1")
    got = score_text(text, n_human, n_model)
    expected = oracle(text, n_human, n_model)
    assert (got if isinstance(got, RowScore) else None) == expected


def test_ml2_the_first_block_counts_here() -> None:
    """ML2: the compatibility scoring reads the draft; the one parser reads the last block."""
    text = "Draft:\n" + block("- R1@S1: 0.25") + "\nOn reflection.\n" + block("- R1@S2: 1.00")
    assert read_lines(text) == [(1, 1, 0.25)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("- R1@S1: 1", "no RESULT block"),
        ("<RESULT_START> - R1@S1: 1", "no RESULT block"),
        ("<RESULT_END> <RESULT_START>", "no RESULT block"),
        (block("nothing"), "no score line"),
        (block("- R1@S1: 2"), "over 1"),
        (block("- R1@S1: 1", "- R1@S2: 1"), "2 score lines for 1"),
        (block(f"- R{'9' * 5000}@S1: 1"), "too long"),
    ],
)
def test_error_rows(text: str, why: str) -> None:
    got = score_text(text, 1, 3)
    assert isinstance(got, str)
    assert why in got


def test_corner_cases_of_the_arithmetic() -> None:
    # a named S with score 0 keeps its rank; an unnamed one costs none
    named = score_text(block("- R1@S1: 0", "- R2@S2: 1"), 2, 4)
    unnamed = score_text(block("- R1@S0: 0", "- R2@S2: 1"), 2, 4)
    assert isinstance(named, RowScore)
    assert isinstance(unnamed, RowScore)
    assert (named.average_precision, unnamed.average_precision) == (0.25, 0.5)
    # S beyond the first five is dropped, R0 passes, a repeated R is a line more
    late = score_text(block("- R0@S1: 1", "- R1@S6: 1"), 2, 9)
    assert isinstance(late, RowScore)
    assert (late.recall, late.precision) == (0.5, 0.2)
    # "0,75" is cut short as the script cuts it (SV1 shows what the one parser does)
    assert read_lines(block("- R1@S1: 0,75", "- R2@S1: 1/2")) == [(1, 1, 0.0), (2, 1, 1.0)]
