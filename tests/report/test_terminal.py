"""The table and the sentences, on summaries made by hand."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys

import pytest
from rich.cells import cell_len
from rich.console import Console

from rationalerm.report.sentences import meaning, p_value
from rationalerm.report.tables import shown_name
from rationalerm.report.terminal import console, print_scores, print_summary
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
    for part in ("a-judge", "モデル", "0.50 [", "1.00 [0."):
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
        "p_adjusted": 0.02, "n": 10, "low": None, "high": None, "difference": -0.25,
    }  # fmt: skip


NAMES = {
    "latin": ("checks", "surface"),
    "cjk": ("モデル-大型版", "한국어 심사위원"),
    "emoji": ("🦙👩‍👩‍👧 judge", "👍🏽 ❤️ 🇩🇪"),
    "combining": ("e\u0301te\u0301", "नमस्ते"),
    "rtl": ("שופט", "نموذج عربي"),
    "long": ("organisation/a-very-long-model-name-of-sixty-characters-0x-it",
             "another organisation, a very long name with spaces in it 0001"),
    "mixed": ("a", "モデル organisation/a-very-long-model-name-of-sixty-characters"),
}  # fmt: skip


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_no_line_is_too_wide_and_no_figure_is_lost(names: tuple[str, str], width: int) -> None:
    first, second = names
    what = summary(**{first: games("a", [0.5, 0.1] * 12, 12), second: games("b", [0.25] * 24, 20)})
    text = printed(what, width=width, domains=True)
    assert max(map(cell_len, text.splitlines())) <= width
    squeezed = re.sub(r"\s+", "", text)
    for name in names:
        assert re.sub(r"\s+", "", shown_name(name)) in squeezed
    for table in (what.judges, *({key: of.domains[name] for key, of in what.judges.items()} for name in ("code", "stem"))):
        for judge in table.values():
            for key in ("outcome_accuracy", "rationale_consistency"):
                mean = judge[key]
                assert mean.value is not None
                assert mean.interval is not None
                assert f"{mean.value:.2f} [{mean.interval[0]:.2f}, {mean.interval[1]:.2f}]" in text
            assert all(f"{judge[key].value:.2f}" in text for key in ("s_corr", "average_precision", "precision"))
    assert "\u2026" not in text


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_columns_stand_under_one_another(names: tuple[str, str]) -> None:
    """Where a line's figures begin, in a terminal's cells, is the same for each judge."""
    text = printed(summary(**{name: games("a", [0.5] * 24, 12) for name in names}), width=200)
    ends = [cell_len(line.rstrip()) for line in text.splitlines() if line.rstrip().endswith(" 24")]
    starts = [cell_len(line[: line.index("0.50 [")]) for line in text.splitlines() if "0.50 [0." in line]
    assert len(ends) == 2
    assert len(set(ends)) == 1
    assert len(set(starts)) == 1


WIDTHS = {"モデル-大型版": 13, "한국어": 6, "👍🏽 ❤️ 🇩🇪": 8, "🦙🦙": 4, "e\u0301te\u0301": 3, "नमस्ते": 4, "שופט": 4, "plain": 5}


def test_wide_and_combined_characters_are_as_wide_as_terminals_show_them() -> None:
    """Widths counted by hand, not by the library that aligns."""
    text = printed(summary(**{name: games("a", [0.5] * 24, 12) for name in WIDTHS}), width=200)
    starts = {}
    for name, width in WIDTHS.items():
        (line,) = [line for line in text.splitlines() if line.startswith(f" {name} ")]
        starts[name] = width + line.index("0.50 [") - len(name)
    assert set(starts.values()) == {starts["plain"]}


def test_names_from_the_right_keep_their_figures_right_of_them() -> None:
    what = summary(שופט=games("a", [0.5] * 8, 4), b=games("b", [0.5] * 8, 4))
    out = Console(
        file=io.StringIO(), width=120, highlight=False, markup=False, emoji=False, force_terminal=True, color_system=None
    )
    print_summary(what, out)
    text = out.file.getvalue()  # type: ignore[attr-defined]
    assert "\u200eשופט\u200e" in text
    assert "\u200eb" not in text
    assert "\u200e" not in printed(what)  # a pipe's reader wants the name


def test_two_names_that_look_alike_are_two_rows() -> None:
    text = printed(summary(**{"a\x1b": games("x", [0.5] * 8, 4), "a\\x1b": games("y", [0.5] * 8, 4)}))
    assert len(re.findall(r"^ *a\\x1b  ", text, re.MULTILINE)) == 2


def test_what_cannot_be_seen_is_made_visible() -> None:
    what = summary(**{"a\nb\t\u202ec\u2028d\u200b": games("x", [0.5] * 8, 4)})
    assert "a\\nb\\t\\u202ec\\u2028d\\u200b" in printed(what)


class _Stream(io.StringIO):
    """A stdout that is a terminal or not."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def fileno(self) -> int:
        raise OSError


@pytest.mark.parametrize(
    ("terminal", "environment", "codes"),
    [
        (True, {"TERM": "xterm-256color"}, True),
        (True, {"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        (True, {"TERM": "xterm-256color", "NO_COLOR": ""}, True),  # no-color.org: an empty one says nothing
        (True, {"TERM": "dumb"}, False),
        (False, {"TERM": "xterm-256color"}, False),
        (False, {"TERM": "xterm-256color", "FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": ""}, False),
        (True, {"TERM": "dumb", "FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (False, {"TTY_COMPATIBLE": "1"}, False),
    ],
)
def test_codes_go_to_who_wants_them(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, environment: dict[str, str], codes: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLORTERM", "TTY_COMPATIBLE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = _Stream(terminal)
    monkeypatch.setattr("sys.stdout", stream)
    print_summary(summary(a=games("a", [0.5] * 8, 4)), console())
    assert ("\x1b" in stream.getvalue()) is codes
    assert "a picks the human's side" in stream.getvalue()


def test_a_terminals_own_width_counts_and_a_pipes_is_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "57")
    monkeypatch.setattr("sys.stdout", _Stream(True))
    assert console().width == 57
    monkeypatch.setattr("sys.stdout", _Stream(False))
    assert console().width == 100
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert console().width == 100


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo-terminals here")
@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_a_real_terminals_width(monkeypatch: pytest.MonkeyPatch, term: str) -> None:
    import fcntl
    import struct
    import termios

    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("TERM", term)
    main, side = os.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 61, 0, 0))
    done = subprocess.run(
        [sys.executable, "-c", "from rationalerm.report.terminal import console; console().print('x' * 61 + 'y')"],
        stdin=side, stdout=side, stderr=side,
    )  # fmt: skip
    os.close(side)
    shown = os.read(main, 4096).decode()
    os.close(main)
    assert done.returncode == 0
    assert shown.split() == ["x" * 61, "y"]


def test_scores_with_something_undefined() -> None:
    out = Console(file=io.StringIO(), width=100, highlight=False, markup=False, emoji=False)
    values = {"precision": 0.25, "recall": None, "f1": 0, "average_precision": 1.0, "n": 3, "errors": 0, "skipped": 2}
    print_scores({"m": values}, out, title="paper scoring")
    line = next(line for line in out.file.getvalue().splitlines() if line.lstrip().startswith("m "))  # type: ignore[attr-defined]
    assert line.split() == ["m", "0.2500", "-", "0", "1.0000", "3", "0", "2"]
