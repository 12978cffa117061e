"""The table and the sentences, on summaries made by hand."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from rationalerm.report.sentences import meaning, p_value
from rationalerm.report.terminal import print_summary
from rationalerm.score.compare import Comparison, compare
from rationalerm.score.rows import GameResult
from rationalerm.score.summary import Summary, summarise
from rationalerm.types import RowScore, Verdict


def games(judge: str, recalls: list[float | None], right: int) -> list[GameResult]:
    out = []
    for k, recall in enumerate(recalls):
        score = None if recall is None else RowScore(recall, recall, recall, recall, recall)
        status = "scored" if score else "no answer"
        verdict = Verdict.A_BETTER if k < right else Verdict.B_BETTER
        out.append(
            GameResult(str(k), judge, "AB", str(k), "code" if k % 2 else "stem", -1, verdict, "given", status, score, 3, 3)
        )  # type: ignore[arg-type]
    return out


def summary(**judges: list[GameResult]) -> Summary:
    return Summary(
        {name: summarise(of, name) for name, of in judges.items()},
        compare(judges),
        dict.fromkeys(judges, 0.01),
        40,
        2,
        3,
        0.25,
        "paper",
        5,
        "x 1",
    )


def printed(what: Summary, width: int = 100, **options: bool) -> str:
    out = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    print_summary(what, out, **options)
    return out.file.getvalue()  # type: ignore[attr-defined]


def test_the_trap_is_said_in_words() -> None:
    lines = meaning(summary(a=games("a", [0.6] * 40, 30), b=games("b", [0.3] * 40, 30)))
    assert lines == [
        "b picks the right response as often as a (75% against 75% of 40 common rows, p = 1) "
        "but gives half of the human's reasons that a gives "
        "(0.30 against 0.60, p < 0.001)."
    ]


@pytest.mark.parametrize(
    ("weak", "strong", "words"),
    [
        (0.0, 0.5, "almost none of"),
        (0.05, 0.5, "a tenth of"),
        (0.125, 0.5, "a quarter of"),
        (0.34, 0.5, "two thirds of"),
        (0.45, 0.5, "gives fewer"),
    ],
)
def test_how_many_reasons_in_words(weak: float, strong: float, words: str) -> None:
    (line,) = meaning(summary(a=games("a", [strong] * 40, 30), b=games("b", [weak] * 40, 30)))
    assert words in line


def test_noise_is_not_a_difference() -> None:
    (line,) = meaning(summary(a=games("a", [0.5, 0.4] * 4, 5), b=games("b", [0.4, 0.5] * 4, 5)))
    assert "about as many of the human's reasons" in line
    (line,) = meaning(summary(a=games("a", [0.5] * 40, 40), b=games("b", [0.2] * 40, 10)))
    assert "less often than a" in line


def test_the_trap_comes_first_of_many() -> None:
    lines = meaning(summary(a=games("a", [0.6] * 40, 30), b=games("b", [0.1] * 40, 2), c=games("c", [0.1] * 40, 30)))
    assert lines[0].startswith("c picks the right response as often as a")
    assert len(lines) == 3


def test_one_judge_alone() -> None:
    (line,) = meaning(summary(a=games("a", [0.5, 0.0] * 4, 6)))
    assert (
        line == "a picks the human's side in 75% of the rows and gives 25% of the human's reasons; "
        "of its right verdicts 50% have a recall under 0.25."
    )


def test_p_values() -> None:
    assert [p_value(p) for p in (1.0, 0.4321, 0.04, 0.0004)] == ["p = 1", "p = 0.43", "p = 0.04", "p < 0.001"]


def test_the_table_has_numbers_intervals_and_what_is_missing() -> None:
    text = printed(summary(a=games("a", [0.5] * 20 + [None] * 4, 12), b=games("b", [0.5] * 24, 24)), domains=True)
    for part in (
        "0.50 [",
        "S-Corr@0.25",
        "a: reasons not scored in 4 (4 no answer)",
        "2 bad rows skipped",
        "rough atoms",
        "Chance level",
        "code",
        "stem",
    ):
        assert part in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("width", [20, 40, 60, 79, 80, 100, 200])
def test_no_name_and_no_figure_is_lost_at_any_width(width: int) -> None:
    what = summary(**{"a-judge": games("a", [0.5] * 24, 12), "モデル": games("b", [0.5] * 24, 24)})
    text = printed(what, width=width).replace("\n", "")
    for part in ("a-judge", "モデル", "0.50 [", "1.00 [1.00, 1.00]"):
        assert part in text
    assert "\u2026" not in text


def test_few_rows_are_not_compared() -> None:
    (line,) = meaning(summary(a=games("a", [0.5] * 3, 3), b=games("b", [0.1] * 3, 0)))
    assert line == "a and b have 3 rows in common: too few to tell them apart."


def test_hostile_names_are_text() -> None:
    text = printed(summary(**{"[red]evil\x1b[31m[/red]": games("x", [0.5] * 8, 4)}))
    assert "[red]evil" in text
    assert "\x1b" not in text


def test_undefined_is_a_dash() -> None:
    text = printed(summary(a=games("a", [None] * 4, 2)))
    assert " - " in text
    assert "nan" not in text.lower()


def test_comparison_json() -> None:
    made = Comparison("rationale_consistency", "a", "b", 0.5, 0.25, 0.01, 0.02, 10)
    assert made.to_json() == {
        "metric": "rationale_consistency", "first": "a", "second": "b", "mean_first": 0.5, "mean_second": 0.25, "p": 0.01,
        "p_adjusted": 0.02, "n": 10, "difference": -0.25,
    }  # fmt: skip
