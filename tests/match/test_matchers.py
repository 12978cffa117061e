"""What every matcher promises: the same score for the same two texts, whatever stands around them; sides, polarity, facts."""

from __future__ import annotations

import dataclasses
import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rationalerm.errors import MatcherError, UsageError
from rationalerm.match import EmbeddedMatcher, LexicalMatcher, Matcher, make_matcher, vectors
from rationalerm.match.calibration import Calibration
from rationalerm.match.learnt import networks
from rationalerm.match.static import StaticMatcher

HUMAN = [
    "@Response 1 omits the unit of the force.",
    "B answers in Spanish although the user wrote in Catalan.",
    "Response A crashes with an IndexError on an empty list.",
    "回答A没有单位",
    "",
]
MODEL = [
    "Only B gives the unit; the first response leaves the force without one.",
    "Response B replies in Spanish to a question in Catalan.",
    "A does not handle the empty list and raises IndexError.",
    "B is clearer and more detailed.",
    "回答1没有给出单位",
]
EMBEDDED, FAST, LEXICAL = EmbeddedMatcher(), EmbeddedMatcher(fast=True), LexicalMatcher()
ALL = (EMBEDDED, FAST, LEXICAL)
every = pytest.mark.parametrize("matcher", ALL, ids=["embedded", "fast", "lexical"])
static = pytest.mark.parametrize("matcher", [FAST, LEXICAL], ids=["fast", "lexical"])


def score(matcher: Matcher, human: str, model: str) -> float:
    return matcher.match([human], [model]).scores.get((0, 0), 0.0)


@every
def test_protocol_and_shape(matcher: Matcher) -> None:
    assert isinstance(matcher, Matcher)
    matching = matcher.match(HUMAN, MODEL)
    assert (matching.n_human, matching.n_model) == (5, 5)
    assert all(0 < s <= 1 and s == round(s, 4) for s in matching.scores.values())
    assert matcher.match([], MODEL).scores == matcher.match(HUMAN, []).scores == {}


@every
def test_a_pair_scores_the_same_in_any_company(matcher: Matcher) -> None:
    alone = {(i, j): score(matcher, h, m) for i, h in enumerate(HUMAN) for j, m in enumerate(MODEL)}
    together = matcher.match(HUMAN, MODEL)
    assert {k: s for k, s in alone.items() if s} == together.scores
    turned = make_matcher(matcher.name).match_many(
        [(HUMAN[::-1], MODEL[::-1]), (HUMAN, MODEL)]
    )  # another instance, another order of words
    assert turned[1] == together
    assert {(4 - i, 4 - j): s for (i, j), s in turned[0].scores.items()} == together.scores


@every
def test_a_second_process_scores_the_same(matcher: Matcher) -> None:
    code = (
        "import json, sys; from rationalerm.match import make_matcher; name, h, m = json.load(sys.stdin); x = make_matcher(name);"
        "print(json.dumps([x.version, sorted([*k, s] for k, s in x.match(h, m).scores.items())]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps([matcher.name, HUMAN, MODEL]), capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [matcher.version, sorted([*k, s] for k, s in matcher.match(HUMAN, MODEL).scores.items())]


@every
def test_threads_and_pickles(matcher: Matcher) -> None:
    expected = matcher.match(HUMAN, MODEL)
    fresh = pickle.loads(pickle.dumps(make_matcher(matcher.name)))
    rows = [([*HUMAN, f"Response A adds line {k}."], MODEL) for k in range(40)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda row: fresh.match(*row), rows))
    assert all({k: s for k, s in r.scores.items() if k[0] < 5} == expected.scores for r in results)


def test_construction_is_cheap_and_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_package", lambda: pytest.fail("read too early"))
    monkeypatch.setattr(networks, "files", lambda: pytest.fail("read too early"))
    EmbeddedMatcher(fast=True)
    EmbeddedMatcher()


def test_missing_vectors_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MatcherError, match="pip install wordllama, or use --matcher lexical"):
        EmbeddedMatcher().match(["a"], ["b"])


def test_names() -> None:
    assert [make_matcher(name).name for name in ("embedded", "fast", "lexical")] == ["embedded", "fast", "lexical"]
    assert EmbeddedMatcher(fast=True).version == make_matcher("fast").version != EmbeddedMatcher().version
    with pytest.raises(UsageError, match="embedded, fast, lexical"):
        make_matcher("bert")


@every
@pytest.mark.parametrize(
    ("human", "model"),
    [
        ("A omits the unit of the force.", "B gives the unit of the force, unlike A, which omits it."),
        ("Response 1 answers in Spanish.", "The first response answers in Spanish."),
        (
            "@Response 2 crashes with an IndexError on an empty list.",
            "B does not handle the empty list and raises an IndexError.",
        ),
    ],
)
def test_the_same_reason(matcher: Matcher, human: str, model: str) -> None:
    assert score(matcher, human, model) > 0.5


@every
@pytest.mark.parametrize(
    ("human", "model"),
    [
        ("A omits the unit of the force.", "B omits the unit of the force."),
        ("A omits the unit of the force.", "A includes the unit of the force."),
        ("A omits the unit of the force.", "Only A gives the unit of the force."),
        ("A's use of the flag is wrong.", "A's use of the flag is right."),
        ("A calls the flag on line 12.", "A calls the flag on line 21."),
        ("A answers in Java when Kotlin was wanted.", "A answers in Scala when Kotlin was wanted."),
        ("B never checks the port range.", "B is more detailed and better structured."),
        ("B is more detailed.", "B is more detailed and helpful."),
        ("B keeps the metre of the Welsh hymn.", "A keeps the metre of the Welsh hymn, while B's hymn turns into prose."),
        ("A skips the null check in the parser.", "The null check in the parser is skipped in B but not in A."),
        ("A omits the unit of the force.", "The recipe in A contains peanuts, to which the user is allergic."),
    ],
)
def test_not_the_same_reason(matcher: Matcher, human: str, model: str) -> None:
    assert score(matcher, human, model) < 0.5


def test_only_the_other_one_has_it() -> None:
    for matcher in ALL:
        assert score(matcher, "A omits the unit of the force.", "Only B gives the unit of the force.") > 0.5


def test_a_replaced_fact_never_passes_half() -> None:
    human = "@Response 1 dates the Battle of Hastings to 1067 in its second paragraph on Norman England."
    for matcher in ALL:
        assert score(matcher, human, human) > 0.9
        assert score(matcher, human, human.replace("1067", "1076")) < 0.5


@static
def test_nothing_that_scores_is_dropped_early(matcher: StaticMatcher) -> None:
    """`match` looks closely only at pairs that could score by their similarity."""
    calibration = Calibration.load(matcher.name)
    scored = {(i, j): calibration.score(x) for i, j, x in matcher.evidence(HUMAN, MODEL)}
    assert {pair: s for pair, s in scored.items() if s} == matcher.match(HUMAN, MODEL).scores


def test_other_numbers_for_the_same_matcher() -> None:
    found = FAST.match(HUMAN, MODEL)
    shut = Calibration.load("fast")
    other = FAST.calibrated(dataclasses.replace(shut, bias=shut.bias - 100))
    assert other.match(HUMAN, MODEL).scores == {}
    assert FAST.match(HUMAN, MODEL) == found
    assert FAST.calibrated(shut).match(HUMAN, MODEL) == found


FIRST = ["Response 1", "@Response 1", "Response A", "The first response", "A"]
SECOND = ["Response 2", "@Response 2", "Response B", "The second response", "B"]
SAYS = [
    "{x} omits the unit",
    "only {x} gives the unit m/s²",
    "{x} is wrong about line 12, while {y} handles it",
    "missing null check ({p}): the code in {x} crashes",
    "unlike {y}, {x} explains why",
    "{x} fails; {y} includes the test",
    "{x} caches the result in line 12, {y} does not",
]


@st.composite
def reasons(draw: st.DrawFn) -> tuple[str, str]:
    """A reason, and the same with all sides changed over, bare letters too."""
    says, a, b, turned = draw(st.sampled_from(SAYS)), draw(st.integers(0, 4)), draw(st.integers(0, 4)), draw(st.booleans())
    one = says.format(x=FIRST[a], y=SECOND[b], p="A")
    other = says.format(x=SECOND[a], y=FIRST[b], p="B")
    return (other, one) if turned else (one, other)


@settings(deadline=None, max_examples=150)
@given(reasons(), reasons())
def test_changing_all_sides_over_changes_no_score(human: tuple[str, str], model: tuple[str, str]) -> None:
    for matcher in ALL:
        assert score(matcher, human[0], model[0]) == score(matcher, human[1], model[1])


@settings(deadline=None, max_examples=100)
@given(st.lists(st.text(max_size=40), max_size=4), st.lists(st.text(max_size=40), max_size=4))
def test_any_text_is_read(human: list[str], model: list[str]) -> None:
    for matcher in ALL:
        matcher.match(human, model)
