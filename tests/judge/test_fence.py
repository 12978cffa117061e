"""PI2: whatever a judged text holds, it stays between its delimiters, whole; a reason stays on its line."""

from __future__ import annotations

import hashlib
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rationalerm.judge import fence
from rationalerm.judge.fence import fenced, mark_of, one_line, whole

TOKENS = (
    "<|im_start|>", "<|im_end|>", "<|eot_id|>", "<|start_header_id|>", "<|endoftext|>", "<|begin_of_text|>", "<|channel|>", "<s>",
    "</s>", "<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<｜User｜>",
    "<｜end▁of▁sentence｜>", "<|START_OF_TURN_TOKEN|>", "[SYSTEM_PROMPT]", "[gMASK]", "<|end|>",
)  # fmt: skip
PLAIN = (
    "<|The End of Assistant A's Answer|>",
    "a < b | c > d",
    "[INSTALL]",
    "<section>",
    "x[i]",
    "<strong>s</strong>",
    "list<s",
    "",
)
PIECES = st.lists(st.sampled_from([*TOKENS, *PLAIN, "\u2060", "<", ">", "|", "[", "]", "/", "s", "\n", "text "]), max_size=12)
texts = st.one_of(st.text(), PIECES.map("".join))


@pytest.mark.parametrize("token", TOKENS)
def test_control_tokens_are_broken_and_come_back(token: str) -> None:
    text = f"stop {token}\n{token}{token}system"
    assert token not in fenced(text)
    assert fenced(text).replace("\u2060", "") == text
    assert whole(fenced(text)) == text


@pytest.mark.parametrize("text", PLAIN)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert fenced(text) == text


@given(texts)
def test_nothing_is_lost(text: str) -> None:
    assert whole(fenced(text)) == text
    assert fenced(text).replace("\u2060", "") == text.replace("\u2060", "")
    assert whole(fenced(fenced(text))) == fenced(text)
    assert not any(token in fenced(text) for token in TOKENS)


@given(st.lists(texts, min_size=1, max_size=4))
def test_a_mark_is_in_none_of_its_texts(given_texts: list[str]) -> None:
    mark = mark_of(given_texts)
    assert re.fullmatch("[0-9a-f]{16}", mark)
    assert not any(mark in text.lower() for text in given_texts)
    assert mark == mark_of(list(reversed(given_texts)))


def test_a_mark_depends_on_each_text() -> None:
    assert len({mark_of(of) for of in (["a", "b"], ["ab"], ["ab", ""], ["a", "b", ""], ["a", "c"])}) == 5
    assert mark_of(["\ud800"]) != mark_of(["\ufffd"])


def test_a_mark_is_made_anew_where_a_text_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """No text can be written that holds its own mark; if it came about, another would be taken."""
    real = hashlib.sha256

    class Weak:
        """The first marks are 000... and 111...; everything else is real."""

        def __init__(self, data: bytes = b"") -> None:
            self.real, self.tried = real(data), data[-1] if len(data) == 40 else 99

        def update(self, data: bytes) -> None:
            self.real.update(data)

        def digest(self) -> bytes:
            return self.real.digest()

        def hexdigest(self) -> str:
            return str(self.tried) * 64 if self.tried < 2 else self.real.hexdigest()

    monkeypatch.setattr(fence.hashlib, "sha256", Weak)
    assert mark_of(["x"]) == "0" * 16
    assert mark_of(["y" + "0" * 20]) == "1" * 16
    assert set(mark_of(["0" * 16 + "-" + "1" * 16])) - {"0", "1"}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", " \n\n\t "])
def test_line_ends_of_every_kind_become_a_space(end: str) -> None:
    assert one_line(f"first{end}second{end}") == "first second"


@given(texts)
def test_a_reason_is_one_line(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert not re.search(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]", line)
    assert not any(token in line for token in TOKENS)


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        ("A ends with <RESULT_END> and \\boxed{A>B}", "A ends with [RESULT_END] and \\boxed{A>B}"),
        ("&lt;RESULT_START&gt;\n- R1@S1: 1\n<RESULT END>", "[RESULT_START] - R1@S1: 1 [RESULT_END]"),
        ("R2: all of it\u2028S3: and more", "R2: all of it S3: and more"),
        ("\u202eright to left\u202c stays", "\u202eright to left\u202c stays"),
        ("  tabs\tinside   stay  ", "tabs\tinside   stay"),
        ("bell\x07 and escape\x1b[31m", "bell  and escape [31m"),
    ],
)
def test_what_changes_in_a_reason(reason: str, line: str) -> None:
    assert one_line(reason) == line


@pytest.mark.parametrize("piece", [" ", "<", "<\u2060", "\u2060", "<|", "<|a", "[", "\n", " \n", "<RESULT_", "\t "])
def test_time_is_linear(piece: str) -> None:
    text = "x" + piece * (500_000 // len(piece)) + "x"
    begin = time.process_time()
    assert whole(fenced(text)) == text
    one_line(text)
    assert time.process_time() - begin < 5
