"""The matcher's answers: lines, blocks, scores, JSON; every refusal names its line."""

import pytest

from rationalerm.errors import ParseError
from rationalerm.judge.parse import parse_matching


def block(*lines):
    return "\n".join(["<RESULT_START>", *lines, "<RESULT_END>"])


def test_ml1_r0_is_refused_not_rebased():
    with pytest.raises(ParseError, match=r"R0 outside 1\.\.2; R2 missing") as caught:
        parse_matching(block("- R0@S0: 0.75", "- R1@S1: 0.50"), 2, 3)
    assert caught.value.line == 2


def test_ml2_last_complete_block():
    text = (
        "Draft:\n"
        + block("- R1@S1: 0.25")
        + "\nOn reflection S2 fits.\n"
        + block("Scores corresponding to claims:", "- R1@S2: 1.00")
    )
    matching = parse_matching(text, 1, 2)
    assert matching.scores == {(0, 1): 1.0}
    assert "two blocks" in matching.notes
    assert parse_matching(text + "\n<RESULT_START>\n- R1@S1: 0", 1, 2).scores == {(0, 1): 1.0}


def test_ml3_a_word_for_a_score_names_its_line_and_shifts_nothing():
    with pytest.raises(ParseError, match="R2@S2: high") as caught:
        parse_matching(block("- R1@S1: 0.75", "- R2@S2: high", "- R3@S3: 0.25"), 3, 3)
    assert caught.value.line == 3


def test_ml6_placeholder_is_unparsed():
    with pytest.raises(ParseError, match="R1@Sx"):
        parse_matching(block("Scores:", "- R1@Sx: a decimal between 0 and 1, keep at least two decimal places, e.g., 0.75"), 1, 1)


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("0,75", 0.75),
        ("1/2", 0.5),
        (".75", 0.75),
        ("1e-1", 0.1),
        ("~0.75", 0.75),
        ("0.75/1", 0.75),
        ("75%", 0.75),
        ("0.75 (mostly)", 0.75),
        ("0.75 # ok", 0.75),
        ("0.75 - because it says 0.5 m", 0.75),
        ("**0.75**", 0.75),
        ("`0.75`", 0.75),
        ("0.75.", 0.75),
        ("1.", 1.0),
        ("1,00", 1.0),
        ("≈0.5", 0.5),
        ("３/4", 0.75),
        ("+0.5", 0.5),
        ("0.5 out of 1", 0.5),
    ],
)
def test_sv1_whole_token_is_understood_and_noted(token, value):
    matching = parse_matching(block(f"- R1@S1: {token}"), 1, 1)
    assert matching.scores == {(0, 0): pytest.approx(value)}
    assert any(note.startswith("normalised:") for note in matching.notes)


@pytest.mark.parametrize(
    "token",
    [
        "0.5-0.75",
        "high",
        "nan",
        "inf",
        "-0.5",
        "1.5",
        "0.75 0.5",
        "0. 75",
        "0.5 or 0.75",
        "0.7.5",
        "",
        "0x1",
        "1_0",
        "?",
        "9" * 5000,
        "1/0",
        "150%",
        "7e99",
        "0.5 to 0.75",
        "0.5; R1@S1: 1",
        "between 0.5 and 0.75",
        "0.75?",
        "one",
    ],
)
def test_sv1_anything_else_is_an_error(token):
    with pytest.raises(ParseError, match="R1@S1"):
        parse_matching(block(f"- R1@S1: {token}"), 1, 1)


def test_standard_scores_carry_no_note():
    for token in ("0", "0.25", "0.5", "0.50", "1", "1.0"):
        assert parse_matching(block(f"- R1@S1: {token}"), 1, 1).notes == ()


@pytest.mark.parametrize(
    "line",
    [
        "R1@S2: 0.75",
        "* R1@S2: 0.75",
        "R1 @ S2 : 0.75",
        "- **R1@S2**: 0.75",
        "1. R1@S2: 0.75",
        "- r1@s2: 0.75",
        "- R1→S2: 0.75",
        "- R1 -> S2: 0.75",
        "- R1＠S2：0.75",
        "- `R1@S2: 0.75`",
        "- R1@S2 = 0.75",
        "- R01@S02: 0.75",
        "> - R1@S2: 0.75",
        "-\u00a0R1@S2:\u200b 0.75",
    ],
)
def test_line_forms(line):
    assert parse_matching(block(line), 1, 2).scores == {(0, 1): 0.75}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["- R1@S1: 0.5", "- R1@S2: 0.5", "- R2@S0: 0"], "R1 twice"),
        (["- R1@S1: 0.5"], "R2 missing"),
        (["- R1@S1: 0.5", "- R3@S1: 0.5"], r"R3 outside 1\.\.2"),
        (["- R1@S4: 0.5", "- R2@S0: 0"], r"S4 outside 0\.\.3"),
        (["- R1@S0: 0.5", "- R2@S0: 0"], "S0"),
        (["- R1@S-1: 0.5", "- R2@S0: 0"], "R1@S-1"),
        (["- R1@S1,S2: 0.5", "- R2@S0: 0"], "R1@S1,S2"),
        (["- R1@none: 0", "- R2@S0: 0"], "R1@none"),
        (["- R1: S2 0.5", "- R2@S0: 0"], "R1: S2"),
        (["nothing here"], "no score line"),
        ([], "no score line"),
    ],
)
def test_best_mode_refusals(lines, words):
    with pytest.raises(ParseError, match=words):
        parse_matching(block(*lines), 2, 3)


def test_best_mode_any_order_zero_is_no_match():
    assert parse_matching(block("- R2@S0: 0", "- R1@S1: 0"), 2, 3).scores == {}


def test_matrix_mode():
    assert parse_matching(block("- R1@S1: 0.5", "- R1@S2: 0.25", "- R2@S0: 0"), 2, 2, "matrix").scores == {
        (0, 0): 0.5,
        (0, 1): 0.25,
    }
    assert parse_matching(block(), 2, 2, "matrix").scores == {}
    assert parse_matching(block("none"), 2, 2, "matrix").scores == {}
    with pytest.raises(ParseError, match="R1@S1 twice"):
        parse_matching(block("- R1@S1: 0.5", "- R1@S1: 0.5"), 2, 2, "matrix")
    with pytest.raises(ParseError, match="no score line"):
        parse_matching(block("I could not do it."), 2, 2, "matrix")


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"matches":[{"r":1,"s":2,"score":0.75}]}\n```',
        'Here it is:\n{"matches":[{"r":1,"s":2,"score":0.75}]}\nDone.',
        '{"matches":[{"r":1,"s":2,"score":0.75,"why":"uses ```a``` and ```b```"}]}',
        "```\n<RESULT_START>\n- R1@S2: 0.75\n<RESULT_END>\n```",
        '[{"r": "R1", "s": "S2", "score": "0,75"}]',
        '{"matches":[{"r":1,"s":2,"score":0.75},]}',
        'Sure: {"matches":[{"r":1,"s":2,"score":0.75}]}',
        '<think>{"matches": []}</think>{"matches":[{"r":1,"s":2,"score":0.75}]}',
        '```json\n{\n  "matches": [\n    {"r": 1, "s": 2, "score": 0.75, "why": "\\sqrt{2} is right"}\n  ]\n}\n```\nDone.',
    ],
)
def test_jj1_json_and_fences(text):
    assert parse_matching(text, 1, 2).scores == {(0, 1): 0.75}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"matches":[{"r":0,"s":2,"score":0.75}]}', r"R0 outside 1\.\.1"),
        ('{"matches":[]}', "R1 missing"),
        ('{"matches":[{"r":1,"s":2,"score":NaN}]}', "score outside"),
        ('{"matches":[{"r":1,"s":2}]}', "not a match"),
        ('{"matches":[{"r":1,"s":2,"score":true}]}', "not a match"),
        ('{\n"matches":' + " " * 60, "truncated: white space"),  # JJ2
        ("I think R1 fits.", "no RESULT block"),
        ("", "empty"),
        ("<RESULT_START>\n- R1@S2: 0.7", "RESULT_END"),
    ],
)
def test_json_and_missing_blocks_refused(text, words):
    with pytest.raises(ParseError, match=words):
        parse_matching(text, 1, 2)


def test_json_none_and_no_human_reasons():
    assert parse_matching('{"matches":[{"r":1,"s":null,"score":0}]}', 1, 2).scores == {}
    assert parse_matching("whatever", 0, 2).scores == {}


def test_the_line_number_counts_from_the_texts_first_line():
    with pytest.raises(ParseError) as caught:
        parse_matching("intro\n\n<think>\nx\n</think>\n<RESULT_START>\n- R1@S1: bad\n<RESULT_END>", 1, 1)
    assert caught.value.line == 7
