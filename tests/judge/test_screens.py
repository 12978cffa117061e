"""What looks first at a text, to save the slower look, says no only where that finds nothing."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rationalerm.judge import clean, labels, marked, prose_words, quotes, thinking, verdict

WORDS = [
    "<", "&lt;", "[", "◁", "/", "|", " ", "think", "Thinking", "THOUGHTS", "seed:think", "channel", "|>", ">", "]", "▷",
    "\\", "\\\\", "f", "rame", "box", "oxed", "b", "B", "{", "}", "A", "A>B", "[[", "x", "frame",
    "response ", "Response ", "Assistant", "s", "_", "-", "(A", " B ", " A.", "model A",
    "says", ":", "–", "following", "text", "contains", "the", "ends up with", ".", "\n", "3", "é",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map("".join)


def test_every_odd_sign_is_seen() -> None:
    for code in range(sys.maxunicode + 1):
        assert bool(clean._UNTIDY.search(chr(code))) == (code in clean._TIDY), hex(code)
        assert bool(clean._ODD_SIGN.search(chr(code))) == (code in clean._SIGNS), hex(code)


@given(TEXTS)
@settings(max_examples=1000, deadline=None)
def test_what_is_there_is_seen(text: str) -> None:
    if thinking._TAG.search(text):
        assert thinking._ANY.search(text)
    assert verdict._lettered_sides(text) == bool(verdict._LETTERED_SIDES.search(text))
    assert quotes._announces(text) == bool(quotes._LEAD.search(text))
    assert [box.span() for box in marked._opened(text)] == [box.span() for box in marked._BOX.finditer(text)]


@pytest.mark.parametrize(
    ("text", "start"),
    [("so \\boxed{A>B}", 3), ("fbox \\\\\\fbox{B>A}", 5), ("Boxed{A=B}", 0), ("x\\boxed{A>B}", 2), ("\\framebox{A>B}", 0)],
)
def test_a_box_begins_where_it_begins(text: str, start: int) -> None:
    assert [begins for begins, *_ in marked._boxes(text)] == [start]


def test_signs_of_latex_begin_with_a_backslash() -> None:
    assert all(pattern.pattern.startswith(r"\\+") for pattern, _ in labels._SIGNS)


@pytest.mark.parametrize(
    "text",
    [
        "Response 1 is better", "makes Response 2 the better", "I prefer Response 1", "we vote for Response B",
        "I lean towards Response A",
        "Response 2 wins", "Response 2 gets my vote", "Response 2 has the edge", "Response 1 is my choice",
        "Response 1 takes the lead",
        "the point goes to Response 1", "my verdict goes to Response 2", "in favour of Response 1", "a vote to Response 2",
        "gives Response 1 the advantage", "awards Response B the nod", "hands Response 1 the lead", "Response 1 comes out on top",
        "Response 1 is worse than Response 2", "Response 2 lost to Response 1", "both are equally good", "it is a tie",
    ],
)  # fmt: skip
def test_a_statement_holds_a_word_of_its_class(text: str) -> None:
    found = {word.lastgroup for word in prose_words.PREDICATE.finditer(text.lower())}
    every = (*prose_words.FOR_ONE, prose_words.AGAINST_ONE, prose_words.FOR_NEITHER)
    matching = [classes for pattern, classes in every if pattern.search(text)]
    assert matching
    assert all(classes & found for classes in matching)
