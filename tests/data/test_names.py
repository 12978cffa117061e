"""File names for any id: valid everywhere, one each, never a path."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rationalerm.data.names import file_name

DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$", *(f"{d}{n}" for d in ("com", "lpt") for n in "0123456789¹²³")}
TRICKY = [
    "Qwen/Qwen3-30B-A3B", "meta-llama/Llama-3.1-405B:bf16", "..\\..\\x", "../../etc/x", "con", "CON", "Con.txt", "com1",
    "lpt9.x", "a", "A", "模型", "模型2", "", " ", ".", "..", "...", "a.", "a ", " a", "a/", "a\\", "a/b", "a_b", "a:b", "a?b",
    "a\x00b", "a\nb", "-rf", "~", "$HOME", "C:\\x", "\\\\server\\share", "/etc/passwd", "é", "e\u0301", "É", "ß", "ss", "SS",
    "İ", "ı", "x" * 80, "x" * 81, "x" * 5000, "X" * 5000, "x" * 4999 + "y", "\ud800", "\udfff", "nul.tar.gz", "COM¹",
    "com¹.x", "aux-", "\u202egpt", "gpt\u200b", "gpt", "._a", "a._", "%2e%2e", "id", "con\n", "a\n", "ｃｏｎ", "ｃｏｎ.ｘ",
]  # fmt: skip


def check(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9._-]+", name), name
    assert 0 < len(name) <= 120
    assert name[0] not in ".-"
    assert name[-1] not in ". "
    for ending in ("", ".jsonl"):
        full = name + ending
        assert PurePosixPath(full).name == PureWindowsPath(full).name == full
        assert full.split(".")[0] not in DEVICES
        assert not PureWindowsPath(full).drive


def test_op3_the_case(shared: Path) -> None:
    """OP3: the ids of the case, each a valid name of its own even without case."""
    cases = (json.loads(line) for line in (shared / "cases/cases.jsonl").read_text("utf-8").splitlines())
    ids = next(case for case in cases if case["id"] == "OP3")["minimal_input"]["model_ids"]
    names = [file_name(one) for one in ids]
    assert len({name.casefold() for name in names}) == len(ids)
    for name in names:
        check(name)


def test_op3_tricky_ids_make_files_in_the_folder(tmp_path: Path) -> None:
    """OP3: its whole kind, on this file system too; the true id is in the file."""
    for one in TRICKY:
        check(file_name(one))
        (tmp_path / "out" / f"{file_name(one)}.json").parent.mkdir(exist_ok=True)
        (tmp_path / "out" / f"{file_name(one)}.json").write_text(json.dumps(one))
    files = list((tmp_path / "out").iterdir())
    assert len({file.name.casefold() for file in files}) == len(files) == len(set(TRICKY))
    assert {json.loads(file.read_text()) for file in files} == set(TRICKY)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_ids(a: str, b: str) -> None:
    check(file_name(a))
    assert (file_name(a).casefold() == file_name(b).casefold()) == (a == b)


@given(st.text(alphabet="aAeEé\u0301.-_/ 1", max_size=6), st.text(alphabet="aAeEé\u0301.-_/ 1", max_size=6))
def test_near_twins(a: str, b: str) -> None:
    assert (file_name(a) == file_name(b)) == (a == b)
    assert unicodedata.normalize("NFC", file_name(a)) == unicodedata.normalize("NFD", file_name(a))


@pytest.mark.parametrize("plain", ["gpt-4o", "o3-mini", "deepseek-r1", "claude-3.5", "a", "7b", "a_b", "a..b"])
def test_plain_ids_are_their_own_names(plain: str) -> None:
    assert file_name(plain) == plain


@pytest.mark.parametrize("id", TRICKY)
def test_a_name_is_no_other_ids_name(id: str) -> None:
    """An id that looks like the name which another id was given does not get that name."""
    name = file_name(id)
    if name != id:
        assert file_name(name) != name
        assert file_name(f"{name}.jsonl") != f"{name}.jsonl"
