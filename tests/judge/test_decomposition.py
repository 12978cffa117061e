"""Prose to atomic reasons: the question shows the text whole; the answer's kept and dropped lines are read, never guessed."""

from __future__ import annotations

import re
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rationalerm.errors import ParseError
from rationalerm.judge.decomposition import Passage, decompose_question, parse_decomposition
from rationalerm.judge.fence import whole
from rationalerm.llm.question import Reply
from rationalerm.types import Message


def block(*lines: str) -> str:
    return "\n".join(["<RESULT_START>", *lines, "<RESULT_END>"])


def test_the_question_shows_all_pieces() -> None:
    passages = [
        Passage("COMPARISON, PERSON 1 of 1", "@Response 1 is better."),
        Passage("ON RESPONSE 2, COMMENT 1 of 1", "Too long."),
    ]
    question = decompose_question("human", passages, [Message("user", "Hi?")], ("one", ""))
    text = question.messages[1].content
    mark = re.search(r"The mark of this request is ([0-9a-f]{16})\.", text)
    assert mark
    assert f"===== COMPARISON, PERSON 1 of 1 {mark[1]} =====\n@Response 1 is better." in text
    assert f"===== ON RESPONSE 2, COMMENT 1 of 1 {mark[1]} =====\nToo long." in text
    assert f"===== BEGIN RESPONSE 1 {mark[1]} =====\none\n" in text
    assert f"===== BEGIN RESPONSE 2 {mark[1]} =====\n(not given)\n" in text
    assert question.prompt.startswith("decompose_human ")


@given(st.text(), st.text())
def test_no_text_leaves_its_place(prose: str, response: str) -> None:
    text = decompose_question("judge", [Passage("", prose)], [], (response, "b")).messages[1].content
    mark = re.search(r"The mark of this request is ([0-9a-f]{16})\.", text)
    assert mark
    assert text.count(mark[1]) == 9
    inside = text.split(f"===== BEGIN TEXT {mark[1]} =====\n")[1].split(f"\n===== END TEXT {mark[1]} =====")[0]
    assert whole(inside) == prose


def test_what_is_asked_again_says_what_was_wrong() -> None:
    question = decompose_question("human", [Passage("", "x")])
    with pytest.raises(ParseError) as caught:
        question.read(Reply("nothing of the kind", "stop"))
    assert question.again is not None
    assert str(caught.value) in question.again(str(caught.value))
    assert "- KEEP: ..." in question.again("x")


@pytest.mark.parametrize(
    "text",
    [
        block("- KEEP: Response 1 omits the unit.", "- DROP (vague praise): very helpful"),
        "I'll go through it.\n\n" + block("* **KEEP:** Response 1 omits the unit.", "* **DROP** (vague praise): very helpful"),
        "```\n" + block("- KEEP: Response 1 omits the unit.", "- DROP [vague praise]: very helpful") + "\n```",
        block("1. KEEP: Response 1 omits", "   the unit.", "2. DROP - very helpful (vague praise)"),
        "<think>- KEEP: hm</think>" + block("- keep: Response 1 omits the unit.", "- drop (vague praise): very helpful"),
        block("- KEEP: wrong") + "\nNo:\n" + block("- KEEP: Response 1 omits the unit.", "- DROP (vague praise): very helpful"),
        block("Reasons:", "- KEEP: Response 1 omits the unit.", "", "- DROP (vague praise): very helpful"),
        '{"kept": ["Response 1 omits the unit."], "dropped": [{"text": "very helpful", "why": "vague praise"}]}',
        block('{"kept": [{"reason": "Response 1 omits the unit."}], "dropped": [["very helpful", "vague praise"]]}'),
        "- KEEP: Response 1 omits the unit.\n- DROP (vague praise): very helpful",
        block("- KEEP: @Response 1 omits the unit.", "- DROP (vague praise): very helpful").replace("\n", "\r\n"),
        block("- KEEP: Response A omits the unit.", "- DROP（vague praise）: very helpful")
        .replace("（", " (")
        .replace("）", ")"),
    ],
)
def test_forms_of_one_answer(text: str) -> None:
    read = parse_decomposition(text)
    assert read.kept == ("Response 1 omits the unit.",)
    assert [tuple(item) for item in read.dropped] == [("very helpful", "vague praise")]


@pytest.mark.parametrize(
    "text", [block(), block(""), block("- none"), block("- KEEP: nothing"), block("(nothing kept)"), '{"kept": []}']
)
def test_nothing_kept_is_an_answer(text: str) -> None:
    assert parse_decomposition(text).kept == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("<think>all of it", "empty"),
        ("Response 1 is better.", "no RESULT block"),
        ("<RESULT_START>\n- KEEP: Response 1 om", "no <RESULT_END>"),
        (block("- DROP (vague): nice", "- Response 1 omits the unit."), "neither KEEP nor DROP: '- Response 1 omits"),
        (block("- KEEP: a b", "- Response 1 omits the unit."), "neither KEEP nor DROP"),
        (block("- KEEP: the reason"), "the form's own line"),
        ('{"kept": [1]}', "not an item"),
        (block(*["- KEEP: x y"] * 501), "more than 500"),
    ],
)
def test_what_is_no_list_is_asked_again(text: str, problem: str) -> None:
    with pytest.raises(ParseError, match=re.escape(problem)):
        parse_decomposition(text)


def test_sides_are_named_as_the_released_data_names_them() -> None:
    lines = block(
        "- KEEP: @Response A omits it, unlike Response (b).",
        "- KEEP: Responses A and B are long.",
        "- KEEP: Plan A is the answer's option.",
    )
    assert parse_decomposition(lines, "human").kept == (
        "Response 1 omits it, unlike Response (2).",
        "Responses 1 and 2 are long.",
        "Plan A is the answer's option.",
    )
    assert parse_decomposition(block("- KEEP: Response 2 omits it."), "judge").kept == ("Response B omits it.",)


def test_exact_repeats_once() -> None:
    read = parse_decomposition(block("- KEEP: Response 1 is wrong.", "- KEEP: response 1 is wrong.", "- DROP (x): y z"))
    assert read.kept == ("Response 1 is wrong.",)
    assert [tuple(item) for item in read.dropped] == [("response 1 is wrong.", "duplicate"), ("y z", "x")]


def test_bold_of_its_own_stays() -> None:
    read = parse_decomposition(block("- **KEEP:** **Missing name**: Response 1 omits it.", "- **KEEP: Response 2 is late.**"))
    assert read.kept == ("**Missing name**: Response 1 omits it.", "Response 2 is late.")


def test_a_drop_without_a_why() -> None:
    (item,) = parse_decomposition(block("- DROP: it runs (line 3)")).dropped
    assert tuple(item) == ("it runs (line 3)", "not said")


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for answer in (text, block(text), block(f"- KEEP: {text}")):
        with suppress(ParseError):
            read = parse_decomposition(answer)
            assert all(reason.strip() and "\n" not in reason for reason in read.kept)


@pytest.mark.parametrize(
    "piece", [" ", "- KEEP ", "- DROP (", "* ", "> ", "(vague ", "KEEP  \t", "@Response ", "<RESULT_START>\n"]
)
def test_time_is_linear(piece: str) -> None:
    """A degenerate answer of half a megabyte is read or refused at once; a quadratic reader takes minutes."""
    text = block("- KEEP: a b", "- KEEP" + piece * (500_000 // len(piece)))
    begin = time.process_time()
    with suppress(ParseError):
        parse_decomposition(text)
    assert time.process_time() - begin < 5


@pytest.mark.parametrize(
    "text",
    [
        block("- Response 1 omits the unit.", "- Response 2 is 20 words too long."),
        block("1. Response 1 omits the unit.", "2. Response 2 is 20 words too long."),
        "Here they are:\n* Response 1 omits the unit.\n* Response 2 is 20 words too long.",
        '["Response 1 omits the unit.", "Response 2 is 20 words too long."]',
        '{"atoms": ["Response 1 omits the unit.", {"text": "Response 2 is 20 words too long."}]}',
    ],
)
def test_a_list_without_marks_is_what_was_kept(text: str) -> None:
    found = parse_decomposition(text)
    assert found.kept == ("Response 1 omits the unit.", "Response 2 is 20 words too long.")
    assert found.dropped == ()


def test_prose_around_a_list_makes_it_no_plain_list() -> None:
    with pytest.raises(ParseError):
        parse_decomposition("I would keep two of these.\n- Response 1 omits the unit.\nBut not:\n- nice")
