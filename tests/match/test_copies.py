"""Near-copies: a reason fulfils itself; a lone negation contradicts it."""

from __future__ import annotations

from typing import Any

import pytest

from rationalerm.match import EmbeddedMatcher, LexicalMatcher, Matcher

NEGATED = [
    ("Response 1 compiles", "Response 1 does not compile"),
    ("Response 1 compiles.", "A doesn't compile"),
    ("Response 2 is in Spanish", "Response 2 is not in Spanish"),
    ("The dish in Response 1 is vegan", "The dish in Response 1 isn't vegan"),
    ("Response 1 is gluten free", "Response 1 is not gluten free"),
    ("Response B never closes the file.", "Response B closes the file."),
]


@pytest.mark.parametrize("matcher", [EmbeddedMatcher(), EmbeddedMatcher(fast=True), LexicalMatcher()])
@pytest.mark.parametrize(("first", "second"), NEGATED)
def test_a_lone_negation_contradicts(matcher: Matcher, first: str, second: str) -> None:
    assert matcher.match([first], [second]).scores == matcher.match([second], [first]).scores == {}


@pytest.mark.parametrize("matcher", [EmbeddedMatcher(), EmbeddedMatcher(fast=True), LexicalMatcher()])
@pytest.mark.parametrize(
    "reason", ["Response 1 is too verbose", "A has a factual error", "B", "回答1は正しい。", "Not in Spanish, not in French."]
)
def test_a_reason_fulfils_itself(matcher: Matcher, reason: str) -> None:
    assert matcher.match([reason], ["other", f" {reason.upper()}\n"]).scores[0, 1] == 1.0


@pytest.mark.parametrize(
    "matcher", [EmbeddedMatcher(), EmbeddedMatcher(fast=True), LexicalMatcher()], ids=["embedded", "fast", "lexical"]
)
@pytest.mark.parametrize(
    ("human", "model"),
    [
        ("Response 1 is the correct translation", "Response 1 is the correct translation."),
        ("Response 1 is short and readable", "Response A is short and readable"),
        ("@Response 2 is faithful to the source.", "The second response is faithful to the source"),
        ("Response 1 is too short to be useful", "response 1  is too short to be useful !"),
    ],
)
def test_a_vague_reason_is_its_own_copy_however_the_response_is_named(matcher: Any, human: str, model: str) -> None:
    assert matcher.match([human], [model]).scores == {(0, 0): 1.0}
    other = model.replace("1", "2").replace("Response A", "Response B").replace("second", "first")
    assert matcher.match([human], [other]).scores == {}
