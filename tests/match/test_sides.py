"""Which response a text is about; the same text with the responses changed over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rationalerm.data.sides import EXPLICIT, sub_explicit, swap_sides
from rationalerm.match import sides, words


def about(text: str) -> list[int]:
    """The side of each clause."""
    return [c.side for c in sides.clauses(words.tokens(sides.mark(words.clean(text))))]


@pytest.mark.parametrize(
    ("text", "swapped"),
    [
        ("Response 1 omits it.", "Response 2 omits it."),
        ("@Response 2's code", "@Response 1's code"),
        ("Response A and B differ", "Response B and A differ"),
        ("Responses 1 and 2", "Responses 2 and 1"),
        ("Output (a) is short", "Output (b) is short"),
        ("the first response, unlike the SECOND RESPONSE", "the second response, unlike the FIRST RESPONSE"),
        ("Die erste Antwort, Antwort B", "Die zweite Antwort, Antwort A"),
        ("la segunda respuesta y a segunda resposta", "la primera respuesta y a primeira resposta"),
        ("回答1比回答B好", "回答2比回答A好"),
        ("回答1比回答2好", "回答2比回答1好"),
        ("во втором ответе", "во первом ответе"),
    ],
)
def test_swap(text: str, swapped: str) -> None:
    assert swap_sides(text) == swapped
    assert swap_sides(swapped) == text


@pytest.mark.parametrize(
    "text",
    [
        "A omits the unit, B has it.",
        "a response a user would like",
        "Response 12 and version 1.2, Response 1.5",
        "picks answer B, option A, vitamin B, Plan B",
        "the first paragraph of the second section",
    ],
)
def test_swap_leaves_bare_letters_and_other_numbers(text: str) -> None:
    assert swap_sides(text) == text


PIECES = st.sampled_from(
    ["Response 1", "response 2", "@Response A", "Response B's", "Responses 1 and 2", "the first response", "the second answer",
     "Output (a)", "Assistant B", "answer B", "A", "B", "(A)", "option B", "12", "'", '"', ".", ", ", "-", "回答1", "第二个回答",
     "la primera respuesta", "second", "first", "Response", "1", "response_2", "Answer A"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=8).map(" ".join))
def test_swap_is_its_own_inverse(text: str) -> None:
    assert swap_sides(swap_sides(text)) == text


@given(st.lists(PIECES, max_size=8).map(" ".join))
def test_the_cheap_pattern_finds_what_the_full_one_finds(text: str) -> None:
    assert sub_explicit(lambda _: "#", text).replace("@", "") == EXPLICIT.sub("#", text).replace("@", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A omits the name; B includes it.", [-1, 1]),
        ("Missing unit (A): final answer given as 9.8.", [-1, -1]),
        ("Missing Name: Response A omits it; B includes it.", [-1, -1, 1]),
        ("B's loop never ends.", [1]),
        ("The regex in A accepts too much.", [-1]),
        ("Unlike the second response, the first one meets the limit.", [-1, -1]),
        ("A correctly handles nulls", [-1]),
        ("Only Response B closes the file; the other one leaves it open.", [1, -1]),
        ("A is wrong, while B is right", [-1, 1]),
        ("Both responses are fine.", [0]),
        ("In contrast to B, the code is short, as A shows.", [-1]),
        ("B gives the unit, unlike A, which omits it.", [1, -1]),
        ("@Response 2 is too long.", [1]),
        ("回答2没有单位", [1]),
        ("A renamed the method.", [-1]),
        ("**Tests:** B's suite is empty.", [1, 1]),
    ],
)
def test_sides_of_clauses(text: str, expected: list[int]) -> None:
    assert about(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "A better approach would be a set.",
        "A class should have one job.",
        "A detailed answer was wanted.",
        "Vitamin B is missing.",
        "It picks option A although the key says otherwise.",
        'The letter "B" is missing.',
        "Plan B was chosen.",
        "P(A) and P(B) are multiplied.",
        "A resposta tem erros.",
    ],
)
def test_no_side_is_seen_where_none_is_named(text: str) -> None:
    assert set(about(text)) <= {0}


def test_only_is_contrastive() -> None:
    [clause] = sides.clauses(words.tokens(sides.mark("Only B gives the unit")))
    assert clause.only
