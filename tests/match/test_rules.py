"""Polarity, facts, vagueness and claims, each by a table."""

from __future__ import annotations

import pytest

from rationalerm.match import facts, generic, sides, words
from rationalerm.match.claim import Claim
from rationalerm.match.lexical import LexicalMatcher
from rationalerm.match.polarity import polarity, word_class


@pytest.mark.parametrize(
    "text",
    [
        "handles the empty list correctly",
        "avoids the error",
        "has no errors",
        "includes the unit",
        "is not wrong",
        "warns that the flag is dangerous",
        "answers in a table as requested",
        "sticks to 3.8 as requested, no match statement",
        "puts the verb last as it should be",
        "replies in verse like the user wanted",
        "derives the sum instead of just quoting it",
        "doesn't just list the steps but explains them",
    ],
)
def test_merits(text: str) -> None:
    assert polarity(words.tokens(text)) > 0


@pytest.mark.parametrize(
    "text",
    [
        "fails to handle the empty list",
        "does not validate the port",
        "omits the unit",
        "is not correct",
        "is too long",
        "gives the command without a word on the flag",
        "misdates the treaty",
        "is unclear and incoherent",
        "doesn't include a test",
        "prints prose when a table was requested",
        "writes metres instead of feet",
        "pastes the input right into the query without escaping",
        "skips the null check",
        "the null check is skipped",
    ],
)
def test_faults(text: str) -> None:
    assert polarity(words.tokens(text)) < 0


@pytest.mark.parametrize(
    "text", ["says that insulin is made in the liver", "the result of 3 and 4", "for those who can't read", "keeps running"]
)
def test_what_judges_nothing(text: str) -> None:
    assert polarity(words.tokens(text)) == 0


def test_error_handling_is_no_error() -> None:
    assert polarity(words.tokens("adds error handling")) > 0


def test_what_would_be_right_is_no_merit() -> None:
    assert polarity(words.tokens("the dative would have been correct")) < 0


@pytest.mark.parametrize("word", ["improves", "include", "discover", "important", "mission", "misses"])
def test_negating_prefixes_need_a_judging_word(word: str) -> None:
    assert word_class(word) != "fault" or word == "misses"


def found(text: str) -> facts.Facts:
    marked = sides.mark(text)
    return facts.find(marked, words.tokens(marked))


def test_numbers_by_value() -> None:
    assert found("twelve of 1,400 in O(n²), the third 2.50").numbers == {"12", "1400", "2", "3", "2.5"}
    assert found("Response 1 has 7 and Response 2 has none").numbers == {"7"}  # labels are no facts


def test_quotes_code_and_names() -> None:
    text = 'It calls `json.parse`, misses --recursive and writes "la problema" in Spanish, see user.profile'
    seen = found(text)
    assert seen.quotes == {"la problema"}
    assert {"json.parse", "--recursive", "user.profile"} <= seen.code
    assert "spanish" in seen.names
    assert ("language", "spanish") in seen.members


@pytest.mark.parametrize(
    ("human", "model"),
    [
        ("answers in Spanish", "answers in Catalan"),
        ("the third paragraph", "the last paragraph"),
        ("writes it in Java", "writes it in Scala"),
    ],
)
def test_siblings_conflict(human: str, model: str) -> None:
    assert facts.siblings_conflict(found(human), found(model))
    assert not facts.siblings_conflict(found(human), found(human))


def test_conflict_needs_something_left_on_both_sides() -> None:
    assert facts.conflict(frozenset({"3"}), frozenset({"4"}))
    assert not facts.conflict(frozenset({"3"}), frozenset({"3", "4"}))
    assert not facts.conflict(frozenset({"drop_nulls"}), frozenset({"pandas.drop_nulls"}), "drop_nulls", "pandas.drop_nulls")


@pytest.mark.parametrize("word", ["detailed", "clearer", "helpful", "instructions", "grammar", "overall"])
def test_vague_words(word: str) -> None:
    assert generic.is_vague(word)


@pytest.mark.parametrize("word", ["regex", "photosynthesis", "handle", "partition", "lottery", "grapefruit"])
def test_words_that_say_something(word: str) -> None:
    assert not generic.is_vague(word)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- Plans to close 420 stores [20][33].", "Plans to close 420 stores."),
        ("the Professional tier [3], and more [37][39]", "the Professional tier, and more"),
        ("2) It omits the unit", "It omits the unit"),
        ("**Units:** B's answer, 2**3**4 and **kwargs", "Units: B's answer, 2**3**4 and **kwargs"),
        ("It returns [3] for s[0] and [1, 2].", "It returns [3] for s[0] and [1, 2]."),
        ("an interval of [2.1, 3.4]", "an interval of [2.1, 3.4]"),
    ],
)
def test_markup_is_no_text(text: str, expected: str) -> None:
    assert words.clean(text) == expected


LONG = "Response A omits the unit of the pressure in its final table."


def _claim(text: str) -> Claim:
    reading: Claim = LexicalMatcher().readings([text])[0].claim
    return reading


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("Response A: range, 7, 3, gives, 0, 1, 2, 4, 5, 6, takes, items", 0.0),
        ("1, 2, 3, 4, 5, 6, 7, 8, 9, 10", 0.0),
        ("affected, babies, with, recessive, carriers, frequency, allele, disease", 0.0),
        ("Response A lists red, green, blue and white, which is all of them.", 1.0),
        ("B is short, clear, correct.", 1.0),
        ("Response 1 balances C 4, H 10 and O 13, atom by atom, and says so.", 1.0),
    ],
)
def test_words_between_commas_are_a_list_unless_a_sentence_holds_them(text: str, worth: float) -> None:
    assert _claim(text).worth == worth


@pytest.mark.parametrize(
    ("text", "evenly"),
    [
        (f"{LONG} Or it is the other way round: {LONG.replace('A', 'B')}", True),
        ("A gives the unit of the pressure; B gives the unit of the pressure.", True),
        ("Response A omits the unit of the pressure, Response B gives it.", False),
        ("Unlike B, A omits the unit of the pressure.", False),
        ("A misses the base case of the induction; B never states what it assumes.", False),
        ("Both responses omit the unit of the pressure.", False),
        ("Response A omits the unit of the pressure.", False),
    ],
)
def test_the_same_said_of_both(text: str, evenly: bool) -> None:
    assert _claim(text).evenly == evenly


def test_what_is_said_of_both_is_half_of_what_is_said_of_one() -> None:
    both, one = _claim("A omits the unit of pressure. B omits the unit of pressure."), _claim("A omits the unit of pressure.")
    assert both.against(one) == 0.5 * one.against(one) == 0.5
    assert both.against(both) == one.against(both) == 1.0
