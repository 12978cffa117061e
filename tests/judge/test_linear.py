"""RS3: time grows with the text, no faster; degenerate answers end in no verdict within a second."""

import contextlib
import gc
import time
import tracemalloc

import pytest

from rationalerm.errors import ParseError
from rationalerm.judge.parse import parse_judgment, parse_matching

SIZE = 1_000_000
UNITS = [
    "(",
    "{",
    "[[",
    "**",
    "`",
    "```\n",
    '"',
    "<",
    "&amp;",
    "\\",
    "$",
    "_",
    "\n",
    " \n",
    "> ",
    "1",
    "A",
    "A. ",
    "A>B ",
    "e.g. ",
    "。",
    "- R1@",
    "\\boxed{",
    "\\text{",
    '"reasons": [',
    '{"a":',
    "Response A is better if ",
    "I prefer A. ",
    "<answer>",
    "</think>",
    "<think>",
    "<quote_A>",
    "1. ",
    "1. x\n",
    "- a\n",
    "  - a\n",
    "x\n",
    "# x\n",
    "**a:** b\n",
    "| a ",
    "R1: ",
    "- [[A]] or [[B]]\n",
    "if A is better say [[A]] ",
    'Response A says "[[B]]" ',
    "Final verdict: A ",
    "<RESULT_START>",
    "<RESULT_START>\n<RESULT_END>\n",
    "both ",
    "the first ",
    "verdict: ",
    "If ",
    "not ",
    "<<A",
    "\u200b",
    "I'm sorry ",
    "My own answer:\n",
    "Assistant A:\nx\n",
    "To answer this question ",
    "| a | b |\n|---|---|\n",
    "| a b c d | e f |\n",
    "|-|",
    "<reason>\n\n\n",
    "~~a",
    "~~a~~",
    "<del>",
    "[RESULT] A\n",
    "Winner (A or ",
    "Accuracy winner: A\n",
    "结论：A ",
    '{"a":1}\n',
    "[1]\n[",
    "grid[[A]] ",
    "[[A>",
    "B\n\n",
    "Verdict (A>B) ",
    '"Who?" and ',
    "gives Response A the ",
    "Response A beats ",
    "For a b ",
    "## A\n",
    "Strengths:\n- a\n",
    "1. **a**\n   - b\n",
    "\\operatorname{",
    "Rating: 1 ",
    "> [[A]]\n",
    "- [x] ",
    "i. a\nii. b\n",
]
WHOLE = [
    "{" * 200_000 + "\\boxed{" * 20_000,
    "1. " * 300_000,
    "- R1@S1: " + "9" * 500_000,
    "<think>" * 100_000,
    "a" * 500_000 + "<think>" * 50_000,
]


def seconds(text, parse):
    gc.collect()
    gc.disable()  # else the whole suite's objects are walked again and again while a text's thousands are made
    try:
        start = time.process_time()
        with contextlib.suppress(ParseError):
            parse(text)
        return time.process_time() - start
    finally:
        gc.enable()


def matching(text):
    return parse_matching("<RESULT_START>\n" + text + "\n<RESULT_END>", 2, 2, "matrix")


LINES = [
    "- R1@",
    "R",
    "1. ",
    "- R1@S1: ",
    "- R1@S1: 0.5\n",
    "[[",
    '{"matches": [',
    "```\n",
    "<RESULT_START>",
    "<RESULT_START>\n<RESULT_END>\n",
    "\n",
    "&amp;",
    "<think>",
    '{"matches":[]}\n',
    '[{"r":1}]\n',
    "R1@S1: 0.5 (",
]


@pytest.mark.parametrize(("unit", "parse"), [*((unit, parse_judgment) for unit in UNITS), *((unit, matching) for unit in LINES)])
def test_linear(unit, parse):
    once = unit * (SIZE // len(unit) // 2)
    one, two = seconds(once, parse), seconds(once * 2, parse)
    for _ in range(4):  # a busy machine's hiccup is no quadratic parser: that one never gets better
        if two < 0.2 or two / one < 3:
            break
        one, two = min(one, seconds(once, parse)), min(two, seconds(once * 2, parse))
    assert two < 1
    assert two < 0.2 or two / one < 3


@pytest.mark.parametrize("text", WHOLE, ids=lambda text: text[-8:])
def test_rs3(text):
    assert seconds(text, parse_judgment) < 1
    assert parse_judgment(text).verdict is None
    with pytest.raises(ParseError):
        parse_matching(text, 2, 2)


def test_rs3_memory():
    text = WHOLE[0]
    tracemalloc.start()
    parse_judgment(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000_000
