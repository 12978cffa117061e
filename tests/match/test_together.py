"""Rows that are matched together score as each by itself, and what looks first at a text drops nothing."""

from __future__ import annotations

import json
import random
from importlib import resources

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rationalerm import EmbeddedMatcher, LexicalMatcher
from rationalerm.match import align, facts, make_matcher, sides, words
from rationalerm.match.static import StaticMatcher

POOL = [
    reason
    for line in resources.files("rationalerm").joinpath("sample/pairs.jsonl").read_text("utf-8").splitlines()
    for reason in json.loads(line)["human-checklist"]
]


@pytest.mark.parametrize("matcher", [EmbeddedMatcher(fast=True), LexicalMatcher()], ids=["fast", "lexical"])
def test_the_samples_of_a_prompt_score_as_each_by_itself(matcher: StaticMatcher) -> None:
    rng = random.Random(5)
    humans = [rng.sample(POOL, size) for size in (1, 4, 9)] + [[]]
    rows = []
    for _ in range(60):
        human = rng.choice(humans)
        model = rng.sample(POOL, rng.choice((0, 1, 5, 30))) + rng.sample(human, min(len(human), rng.randint(0, 2)))
        rows.append((human, model))
    together = matcher.match_many(iter(rows))
    assert together == [make_matcher(matcher.name).match(human, model) for human, model in rows]
    assert sum(len(matching.scores) for matching in together) > 50


def test_what_can_be_known_at_once_drops_no_pair_that_scores() -> None:
    matcher = EmbeddedMatcher(fast=True)
    _, calibration = matcher._load()
    rng = random.Random(6)
    for _ in range(40):
        human, model = rng.sample(POOL, 5), rng.sample(POOL, 12)
        scores = matcher.match(human, model).scores
        all_pairs = {(i, j): calibration.score(x) for i, j, x in matcher.evidence(human, model)}
        assert {pair: score for pair, score in all_pairs.items() if score > 0} == scores


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 256, 7), (81, 256, 928), (217, 83, 256), (2, 5000, 300), (1, 600_000, 2)])
def test_a_product_in_tiles(shape: tuple[int, int, int]) -> None:
    n, size, m = shape
    rng = np.random.default_rng(0)
    a = rng.integers(-9, 9, (n, size)).astype(np.float64)
    b = rng.integers(-9, 9, (size, m)).astype(np.float64)
    assert np.array_equal(align._product(a, b), a @ b)


TEXTS = st.text(alphabet="aAbO_.,-()`'’\"“”«» 1\n;:é中\ue000\ue001t", max_size=40)


@given(TEXTS)
@settings(max_examples=500, deadline=None)
def test_facts_are_looked_for_wherever_there_is_one(text: str) -> None:
    if facts._CODE.search(text):
        assert facts._MAYBE_CODE.search(text)
    if facts._QUOTED.search(text):
        assert facts._MAYBE_QUOTED.search(text)


@given(TEXTS)
@settings(max_examples=500, deadline=None)
def test_plain_tokens_are_tokens(text: str) -> None:
    folded = text.casefold()
    found = [words._STOPS.get(token, token) for token in words._TOKEN.findall(folded)]
    assert words.tokens(text) == found


def test_marks_are_found_in_sample_reasons() -> None:
    """The clauses of a reason hold all its words but marks, articles before them and commas."""
    for reason in POOL:
        tokens = words.tokens(sides.mark(words.clean(reason)))
        kept = [token for clause in sides.clauses(tokens) for token in clause.tokens]
        assert len(kept) <= len(tokens)
        assert not sides._MARKS_SET & set(kept)
        assert [t for t in tokens if t.isalpha() and t not in sides._ARTICLES and t not in sides._TURN] == [
            t for t in kept if t.isalpha() and t not in sides._ARTICLES and t not in sides._TURN
        ]
