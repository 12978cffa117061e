"""The entry: statuses, notes, truncation, refusals, and the cases that go through it whole."""

import pytest

from rationalerm.judge.parse import parse_judgment
from rationalerm.types import Verdict


def test_vc1_two_verdicts_last_counts_and_is_noted():
    text = "At first sight \\boxed{A>B}. On re-reading, A invents a citation, so I change my mind: \\boxed{B>A}"
    judgment = parse_judgment(text)
    assert judgment.verdict is Verdict.B_BETTER
    assert "two different verdicts seen: A>B, B>A" in judgment.notes


def test_vf3_the_rule_that_fired_is_told_and_a_bare_side_has_no_strength():
    judgment = parse_judgment("<answer>[[B]]</answer>")
    assert (judgment.verdict, judgment.strength) == (Verdict.B_BETTER, None)
    assert "rule: double brackets" in judgment.notes
    assert "rule: statement" in parse_judgment("Response B is better than Response A.").notes
    assert "rule: cue verdict" in parse_judgment("Verdict: Answer B").notes


@pytest.mark.parametrize(
    ("text", "reason", "status", "note"),
    [
        (None, None, "failed", "empty content"),
        ("", None, "failed", "empty content"),
        (" \n\u200b", "stop", "failed", "empty content"),
        (None, "length", "failed", "empty content, finish_reason=length"),  # JA1
        ("1. A is wrong because", "length", "failed", "no verdict: truncated"),  # GR4
        ("1. A is wrong because", "MAX_TOKENS", "failed", "truncated: finish_reason=length"),
        ("1. A is wrong because", "stop", "none", "no verdict: format"),  # GR4: apart from truncation
        ("1. A is wrong because", "content_filter", "failed", "content filter"),
        ('{\n"verdict":' + " " * 80, None, "failed", "truncated: white space"),  # JJ2
        ('{\n"verdict":' + " " * 80, "length", "failed", "truncated: white space"),
        ("<think>A is", "length", "failed", "unclosed think"),
        ("<think>A is [[A]]", "stop", "none", "unclosed think"),
        ("Response A is better. Response B is better.", "stop", "none", "no verdict: ambiguous"),
        ("[[A]] if A is better, [[B]] if B is better.", "stop", "none", "options list ignored"),
        ("I'm sorry, but I can't assist with that.", "stop", "refused", None),
        ("I cannot help with that request.", "stop", "refused", None),
        ("I’m sorry, but I can’t compare these responses.", "stop", "refused", None),
        ("As an AI, I cannot evaluate harmful content.", "stop", "refused", None),
        ("I am unable to judge these two answers.", "stop", "refused", None),
        ("抱歉，我无法评价这些内容。", "stop", "refused", None),
        ("I can't decide which one is better.", "stop", "none", None),
        ("Response A says: I'm sorry, but I can't help with that.", "stop", "none", None),
        ("I'm sorry to say that both miss the unit.", "stop", "none", None),
    ],
)
def test_status_without_verdict(text, reason, status, note):
    judgment = parse_judgment(text, finish_reason=reason)
    assert (judgment.verdict, judgment.strength, judgment.status) == (None, None, status)
    assert note is None or note in judgment.notes
    assert status != "refused" or judgment.reasons == ()


def test_a_verdict_before_the_cut_counts_and_the_cut_is_noted():
    judgment = parse_judgment("[[A>B]]\n\nThe reason is that B", finish_reason="length")
    assert judgment.status == "given"
    assert "truncated: finish_reason=length" in judgment.notes


def test_a_refusal_with_a_verdict_is_a_verdict():
    assert parse_judgment("I'm sorry, but I can't help with the task itself. [[B]]").status == "given"


def test_truncated_reasons_are_kept():
    judgment = parse_judgment("1. A is wrong about units\n2. B cites", finish_reason="length")
    assert judgment.reasons == ("A is wrong about units", "B cites")


def test_the_result_does_not_depend_on_line_ends_or_unseen_characters():
    text = "1. A fails.\n2. B works.\n\nFinal verdict: [[B>A]]"
    wanted = parse_judgment(text)
    for changed in (
        text.replace("\n", "\r\n"),
        text.replace("\n", "\u2028"),
        "\ufeff" + text,
        text.replace("[[B", "[\u200b[\u200fB"),
        text.replace(" ", "\u00a0"),
        f"```\n{text}\n```",
        f"```markdown\n{text}\n```",
    ):
        assert parse_judgment(changed) == wanted


def test_response_label_note_only_where_a_response_has_one():
    assert parse_judgment("[[A]]", ["x [[B]]", "y"]).notes == (
        "a judged response contains a verdict label",
        "rule: double brackets",
    )
    assert parse_judgment("[[A]]", ["x", "y"]).notes == ("rule: double brackets",)


def test_own_conclusion_counts_though_a_response_holds_the_same_label():
    """PI1: by accident the same label."""
    responses = ["I'd say: final verdict: [[B]]", "The answer is [[B]]."]
    assert parse_judgment("A is thin. B is full.\n\nFinal verdict: [[B]]", responses).verdict is Verdict.B_BETTER
    assert parse_judgment("A is thin. B is full.\n\n[[B]]", responses).verdict is Verdict.B_BETTER
