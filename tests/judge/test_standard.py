"""The short cut for answers to the letter never says anything that the long way doesn't."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rationalerm.errors import ParseError
from rationalerm.judge.matching import parse_matching
from rationalerm.judge.standard import read_standard

LINE = st.one_of(
    st.builds(
        "- R{}@S{}: {}".format,
        st.integers(0, 4),
        st.integers(0, 4),
        st.sampled_from(["0", "0.00", "0.25", "1", "1.0", "0,5", "2", "x", "0.5 "]),
    ),
    st.sampled_from(
        ["", "  ", "Scores corresponding to claims:", "heading", "\r", "- R1@S1: 1\u2028- R2@S2: 1", "-  R1@S1: 1", "- R１@S1: 1"]
    ),
)
AROUND = st.sampled_from(
    [
        "",
        "I think so.\n",
        "<think>x</think>\n",
        "```\n",
        "a < b\n",
        "[think]\n",
        "<RESULT_START>\n- R1@S1: 0.5\n<RESULT_END>\n",
        "&lt;think&gt;",
    ]
)


def slow(text: str, n_human: int, n_model: int) -> object:
    with mock.patch("rationalerm.judge.matching.read_standard", return_value=None):
        try:
            return dict(parse_matching(text, n_human, n_model).scores)
        except ParseError:
            return ParseError


@given(AROUND, st.lists(LINE, max_size=5), AROUND, st.integers(1, 3), st.integers(0, 4))
def test_what_it_reads_the_long_way_reads_too(before: str, lines: list[str], behind: str, n_human: int, n_model: int) -> None:
    text = before + "\n".join(["<RESULT_START>", *lines, "<RESULT_END>"]) + "\n" + behind
    short = read_standard(text, n_human, n_model)
    if short is not None:
        assert short == slow(text, n_human, n_model)


@pytest.mark.parametrize("unit", ["<RESULT_START>", "- R1@S1: 1\n", "<", "a"])
def test_it_takes_linear_time(unit: str) -> None:
    assert read_standard("<RESULT_START>" + unit * 300_000 + "<RESULT_END>", 1, 1) is None
