"""Near-copies: a reason fulfils itself; a lone negation contradicts it."""

from __future__ import annotations

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


@pytest.mark.parametrize("matcher", [EmbeddedMatcher(), LexicalMatcher()])
@pytest.mark.parametrize(("first", "second"), NEGATED)
def test_a_lone_negation_contradicts(matcher: Matcher, first: str, second: str) -> None:
    assert matcher.match([first], [second]).scores == matcher.match([second], [first]).scores == {}


@pytest.mark.parametrize("matcher", [EmbeddedMatcher(), LexicalMatcher()])
@pytest.mark.parametrize(
    "reason", ["Response 1 is too verbose", "A has a factual error", "B", "回答1は正しい。", "Not in Spanish, not in French."]
)
def test_a_reason_fulfils_itself(matcher: Matcher, reason: str) -> None:
    assert matcher.match([reason], ["other", f" {reason.upper()}\n"]).scores[0, 1] == 1.0
