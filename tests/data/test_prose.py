"""Prose to sentences."""

from __future__ import annotations

import time

import pytest

from rationalerm.data.prose import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It uses v2.0 and costs 1.5 EUR. Fine.", ["It uses v2.0 and costs 1.5 EUR.", "Fine."]),
        ("See e.g. Python, i.e. the language, vs. Go. Done.", ["See e.g. Python, i.e. the language, vs. Go.", "Done."]),
        ("Dr. Smith (fig. 3) is right. He is.", ["Dr. Smith (fig. 3) is right.", "He is."]),
        ('He said "no." Then left.', ['He said "no."', "Then left."]),
        ("回答一は正しい。回答二は誤り！終わり", ["回答一は正しい。", "回答二は誤り！", "終わり"]),
        ("First line\nSecond line", ["First line", "Second line"]),
        (
            "@Response 1 is better than @Response 2. @Response 1 runs.",
            ["@Response 1 is better than @Response 2.", "@Response 1 runs."],
        ),
        ("It stops at step 3. (See below.) Then", ["It stops at step 3.", "(See below.)", "Then"]),
        ("... --- ...", []),
        ("", []),
        ("I prefer B. A is wrong.", ["I prefer B.", "A is wrong."]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize("unit", [".", "a.b", "e.g. ", "x\n", "A. ", '."', "。", "?!"])
def test_linear_time(unit: str) -> None:
    """Sixteen times the text takes sixteen times as long: 64 is far from that, and from the 256 of quadratic time."""

    def seconds(size: int) -> float:
        start = time.process_time()
        sentences(unit * (size // len(unit)))
        return time.process_time() - start

    small = max(0.005, *(seconds(25_000) for _ in range(3)))
    assert seconds(400_000) < 64 * small
