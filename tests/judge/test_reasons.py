"""Reasons: every list form, RESULT blocks, JSON, prose; what is never a reason."""

import pytest

from rationalerm.judge.parse import parse_judgment

TWO = ("A fails", "B works")

LISTS = {
    "bullets": "- A fails\n* B works\n\n[[B]]",
    "dots and dashes": "• A fails\n– B works\n[[B]]",
    "numbers": "1. A fails\n2. B works\n\\boxed{B>A}",
    "numbers with brackets": "1) A fails\n2) B works\n\nVerdict: B",
    "numbers in brackets": "(1) A fails\n(2) B works\n\nVerdict: B",
    "no space": "1.A fails\n2.B works\n\n[[B]]",
    "lazy numbers": "1. A fails\n1. B works\n[[B]]",
    "R": "R1: A fails\nR2: B works\nVerdict: B>A",
    "S": "- S1: A fails\n- S2: B works\nVerdict: B>A",
    "Reason n": "**Reason 1:** A fails\n**Reason 2:** B works\n\n**Verdict:** B",
    "hash": "#1 A fails\n#2 B works\n\\boxed{B>A}",
    "circled": "① A fails\n② B works\n\n[[B]]",
    "letters": "a) A fails\nb) B works\n\nFinal: [[B]]",
    "bold numbers": "**1.** A fails\n**2.** B works\n\n[[B]]",
    "block quote": "> 1. A fails\n> 2. B works\n>\n> \\boxed{B>A}",
    "starts late": "3. A fails\n4. B works\n[[B]]",
    "json": '{"reasons": ["A fails", "B works"], "verdict": "B>A"}',
    "json fenced, objects": '```json\n{"checklist": [{"point": "A fails"}, {"description": "B works", "w": 1}]}\n```',
    "json list in chatter": 'Here you go:\n["A fails", "B works"]\n\nVerdict: B',
    "json numbered strings": '{"reasons": ["1. A fails", "2. B works"]}',
    "json with a spare comma": '{"reasons": ["A fails", "B works",], "verdict": "B>A"}',
    "introduction and closing": "Here are my reasons:\n- A fails\n- B works\nOverall, B is better.\n[[B]]",
    "announced verdict": "1. A fails\n2. B works\n\nMy final verdict is\n\n\\boxed{B>A}",
    "verdict as an item": "- A fails\n- B works\n- **Final verdict:** B>A",
    "verdict heading": "## Reasons\n- A fails\n- B works\n\n## Verdict\n- B>A",
    "RESULT block": "Chat\n- noise\n<RESULT_START>\n1. A fails\n2. B works\n\\boxed{B>A}\n<RESULT_END>\n- noise",
    "open RESULT block": "- noise\n<RESULT_START>\n1. A fails\n2. B works\n\\boxed{B>A}",
    "thinking": "<think>\n- noise\n</think>\n- A fails\n- B works\n[[B]]",
    "mark at the end of an item": "1. A fails\n2. B works \\boxed{B>A}",
    "list and prose": "- A fails\n- B works\n\nIn summary, while A has merits, B handles more cases.\n\n**Final verdict: B>A**",
    "stray dots": "1. A fails\n2. B works\n...\n[[B]]",
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_list_forms(text):
    judgment = parse_judgment(text)
    assert judgment.reasons == TWO
    assert "prose" not in judgment.notes


def reasons(text):
    return parse_judgment(text).reasons


def test_rl1_numbers_inside_a_sentence_start_no_item():
    text = (
        "1. Response A targets Python 3. It then calls a 2. x only API (see fig. 1. for the trace).\n"
        "2. Response B pins version 1.10. 0 wheels exist for it.\n\n\\boxed{B>A}"
    )
    assert reasons(text) == (
        "Response A targets Python 3. It then calls a 2. x only API (see fig. 1. for the trace).",
        "Response B pins version 1.10. 0 wheels exist for it.",
    )


def test_rl1_a_number_at_a_wrapped_lines_start_is_no_item_out_of_sequence():
    assert reasons("1. A was released in\n1999. It says otherwise.\n2. B needs version\n10. It says so.\n[[B]]") == (
        "A was released in 1999. It says otherwise.",
        "B needs version 10. It says so.",
    )


def test_rl2_blank_items_are_none_and_marks_stay_as_they_are():
    assert reasons('{"reasons": ["", "  ", null, 3]}') == ()
    assert reasons("- a {brace} %s \\d\n- x**2 + y**2 is wrong\n[[B]]") == ("a {brace} %s \\d", "x**2 + y**2 is wrong")


def test_items_under_a_responses_heading_keep_their_side():
    wanted = ("Assistant A: misses the unit", "Assistant A: wrong year", "Assistant B: right unit")
    assert reasons("**Assistant A:**\n- misses the unit\n- wrong year\n\n**Assistant B:**\n- right unit\n\n[[B]]") == wanted
    assert (
        reasons("1. **Assistant A:**\n   - misses the unit\n   - wrong year\n2. **Assistant B:**\n   - right unit\n\n[[B]]")
        == wanted
    )
    assert (
        reasons("### Assistant A\n- misses the unit\n- wrong year\n### Assistant B\n- right unit\n### Verdict\n[[B]]") == wanted
    )
    assert reasons('{"response_a": ["x is wrong"], "response_b": ["y"], "verdict": "B>A"}') == (
        "Response A: x is wrong",
        "Response B: y",
    )
    assert reasons("**Response A:**\n- Response A misses it\n[[B]]") == ("Response A misses it",)


def test_nested_and_continued_lines_belong_to_their_item():
    assert reasons("1. **Accuracy**:\n   - A is wrong\n   - B is right\n2. **Style**\n   Both fine.\n[[B]]") == (
        "Accuracy: A is wrong B is right",
        "Style: Both fine.",
    )
    assert reasons("- A cites 1.10\n  and goes on\n\n  and on\n- B works\n[[B]]") == (
        "A cites 1.10 and goes on and on",
        "B works",
    )
    assert reasons("### 1. Accuracy\nA is wrong.\n\n### 2. Clarity\n\nB is clear.\n\n### Final Verdict\nB>A") == (
        "Accuracy: A is wrong.",
        "Clarity: B is clear.",
    )


def test_code_inside_an_item_stays_with_it():
    assert reasons("1. A loops:\n```python\nfor i in x:\n    - 1\n2. no\n```\n2. B works.\n[[B]]") == (
        "A loops: ```python for i in x: - 1 2. no ```",
        "B works.",
    )


def test_bold_lead_ins_are_a_list():
    assert reasons("**Accuracy:** A is wrong.\n\n**Clarity**: B is clearer.\n\n**Verdict:** [[B>A]]") == (
        "Accuracy: A is wrong.",
        "Clarity: B is clearer.",
    )


def test_copies_are_kept():
    assert reasons("- A fails\n- A fails\n[[B]]") == ("A fails", "A fails")


def test_ml2_last_complete_block():
    text = "<RESULT_START>\n1. draft\n<RESULT_END>\nNo.\n<RESULT_START>\n1. A fails\n2. B works\nVerdict: B>A\n<RESULT_END>"
    judgment = parse_judgment(text)
    assert judgment.reasons == TWO
    assert "two RESULT blocks" in judgment.notes
    mentioned = "I write between <RESULT_START> and <RESULT_END>.\n<RESULT_START>\n- A fails\n- B works\n<RESULT_END>"
    assert parse_judgment(mentioned).reasons == TWO
    assert "two RESULT blocks" not in parse_judgment(mentioned).notes


def test_prose_into_sentences():
    text = (
        "Sure, I will now evaluate. Response A states 3.5 m, e.g. in line 2, which is wrong (see fig. 3). "
        "Response B, by Dr. Smith, uses v2.0 of No. 7 correctly vs. A. Therefore, Response B is better."
    )
    judgment = parse_judgment(text)
    assert judgment.reasons == (
        "Response A states 3.5 m, e.g. in line 2, which is wrong (see fig. 3).",
        "Response B, by Dr. Smith, uses v2.0 of No. 7 correctly vs. A.",
    )
    assert "prose" in judgment.notes
    assert reasons("回答A错了年份。回答B引用了来源！\n\n[[B]]") == ("回答A错了年份。", "回答B引用了来源！")


@pytest.mark.parametrize(
    "text", ["\\boxed{A>B}", "[[B]]", "Verdict: A", "Response B is better.", "My final verdict is:\n[[A>B]]", "### Verdict\nTie"]
)
def test_only_a_verdict_gives_no_reasons(text):
    judgment = parse_judgment(text)
    assert judgment.reasons == ()
    assert "prose" not in judgment.notes


def test_a_reason_that_names_the_better_one_is_a_reason():
    assert reasons("1. Response B is better because it cites its source.\n\n[[B]]") == (
        "Response B is better because it cites its source.",
    )


def test_rubrics_and_quotations_of_rm_r1_are_not_reasons():
    rubric, quote = "<rubric>\n1. Facts (60%)\n</rubric>", "<quote_A>- x</quote_A>"
    text = f"{rubric}\n<eval>\n{quote}\n<summary_A>A is wrong.</summary_A>\n</eval>\n<answer>[[B]]</answer>"
    assert reasons(text) == ("A is wrong.",)


def test_broken_json_reasoning_is_read():
    assert reasons('{"reasoning": "It uses $\\sqrt{5}$ well. It ends early.", "score": 0.9}') == (
        "It uses $\\sqrt{5}$ well.",
        "It ends early.",
    )
