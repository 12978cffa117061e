"""How many rows a file can have, for the progress line."""

from __future__ import annotations

from pathlib import Path

import pytest

from rationalerm.data.pairs import PairFile


@pytest.mark.parametrize(
    ("text", "limit", "rows"), [("", None, 0), ("{}\n{}\n", None, 2), ("{}\n{}", None, 2), ("{}\n{}\n", 1, 1)]
)
def test_lines_of_a_plain_file(tmp_path: Path, text: str, limit: int | None, rows: int) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(text)
    assert PairFile(path, limit=limit).rows_at_most() == rows


def test_what_would_have_to_be_unpacked_is_not_counted(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl.gz").write_bytes(b"x")
    assert PairFile(tmp_path / "pairs.jsonl.gz").rows_at_most() is PairFile("-").rows_at_most() is None
    assert PairFile(tmp_path).rows_at_most() is None
