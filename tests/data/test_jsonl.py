"""Bytes to rows."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import threading
import time
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from rationalerm.data.jsonl import BadRow, Row, dumps, read_rows
from rationalerm.errors import DataError

ROWS = [{"id": "a", "x": 1}, {"id": "b", "x": 2}]
LINES = b"".join(json.dumps(row).encode() + b"\n" for row in ROWS)


def values(path: Path) -> list[dict[str, object]]:
    return [row.value for row in read_rows(path) if isinstance(row, Row)]


def problem(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        list(read_rows(path))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.jsonl", LINES),
        ("a.jsonl.gz", gzip.compress(LINES, mtime=0)),
        ("two-members.gz", gzip.compress(LINES[:20], mtime=0) + gzip.compress(LINES[20:], mtime=0)),
        ("a.jsonl.zst", zstandard.compress(LINES)),
        ("two-frames.zst", zstandard.compress(LINES[:20]) + zstandard.compress(LINES[20:])),
        ("a.json", json.dumps(ROWS, indent=1).encode()),
        ("a.json.gz", gzip.compress(json.dumps(ROWS).encode(), mtime=0)),
        ("wrong-name.txt", gzip.compress(LINES, mtime=0)),
        ("no-last-newline.jsonl", LINES[:-1]),
        ("blank-lines.jsonl", b"\n" + LINES.replace(b"\n", b"\n\n \t\n")),
        ("crlf.jsonl", LINES.replace(b"\n", b"\r\n")),
        ("bom.jsonl", b"\xef\xbb\xbf" + LINES),
        ("bom.json", b"\xef\xbb\xbf  " + json.dumps(ROWS).encode()),
    ],
)
def test_same_rows_in_every_wrapping(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    assert values(tmp_path / name) == ROWS


def test_df1_bom_and_crlf(tmp_path: Path) -> None:
    """DF1"""
    path = tmp_path / "w.jsonl"
    path.write_bytes(bytes.fromhex("efbbbf7b226964223a2261227d0d0a7b226964223a2262227d0d0a"))
    assert values(path) == [{"id": "a"}, {"id": "b"}]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_df1_other_encodings_are_named(tmp_path: Path, encoding: str) -> None:
    """DF1"""
    path = tmp_path / "w.jsonl"
    path.write_text('{"id": "a"}\n', encoding=encoding)
    assert "UTF-16" in problem(path)


def test_df2_git_lfs_pointer(tmp_path: Path) -> None:
    """DF2"""
    path = tmp_path / "p.jsonl"
    path.write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 239571399\n")
    line = problem(path)
    assert "Git LFS pointer" in line
    assert "git lfs pull" in line


def test_df3_unicode_separators_do_not_end_a_line(tmp_path: Path) -> None:
    """DF3: U+2028, U+0085 and their kind inside strings; and our own output reads back the same, line by line."""
    rows = [{"id": n, "t": f"a{c}b"} for n, c in enumerate("\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e")]
    path = tmp_path / "u.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8", newline="")
    assert values(path) == rows
    written = b"\n".join(dumps(row) for row in rows)
    path.write_bytes(written)
    assert values(path) == rows
    assert [json.loads(line) for line in written.decode().splitlines()] == rows


def test_df5_nan_is_a_bad_row_and_never_written(tmp_path: Path) -> None:
    """DF5"""
    path = tmp_path / "n.jsonl"
    for constant in ("NaN", "Infinity", "-Infinity"):
        path.write_text(f'{{"id": 1, "overall_preference": {constant}}}\n')
        assert f"row 1: holds {constant}, which is not JSON; write null" in problem(path)
    assert dumps({"x": float("nan"), "y": float("inf")}) == b'{"x":null,"y":null}'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b'{"a": 1}\n[1, 2]\n', "row 2: is a list, not an object"),
        (b'{"a": 1}\n"x"\n', "row 2: is a string, not an object"),
        (b"null\n", "row 1: is null, not an object"),
        (b'[{"a": 1}, 3]', "row 2: is a number, not an object"),
        (b'{"a": 1}\n{"a": \n', "row 2: is not JSON"),
        (b'[{"a": 1}, {"a": ', "row 2: is not JSON"),
        (b'{"a": "\xff"}\n', "row 1: is not UTF-8"),
        (b"PK\x03\x04 zip", "zip archive"),
        (gzip.compress(LINES, mtime=0)[:-12], "can't be unpacked"),
        (b"\x1f\x8b\x08 not really", "can't be"),
        (b"\x28\xb5\x2f\xfdnot really", "can't be"),
        (b"[" * 200_000, "row 1: is not JSON"),
        (b'{"a":' * 200_000 + b"\n", "row 1: is not JSON"),
    ],
)
def test_bad_files_in_one_line(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(data)
    line = problem(path)
    assert said in line
    assert "bad.jsonl" in line


def test_folder_and_missing_file(tmp_path: Path) -> None:
    assert "is a folder" in problem(tmp_path)
    assert "no such file" in problem(tmp_path / "none.jsonl")


def test_skip_bad_goes_on_and_keeps_the_numbers(tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_bytes(b'{"a": 1}\nnot json\n[]\n{"a": 2}\n')
    rows = list(read_rows(path, skip_bad=True))
    assert [row.number for row in rows] == [1, 2, 3, 4]
    assert [isinstance(row, BadRow) for row in rows] == [False, True, True, False]


def test_half_surrogates_are_read_as_replacement_characters(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(rb'{"t": "cut \ud83d off", "ok": "\ud83d\ude00"}' + b"\n")
    assert values(path) == [{"t": "cut \ufffd off", "ok": "😀"}]


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 1 << 20])
def test_a_list_is_cut_at_its_commas_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, chunk: int) -> None:
    monkeypatch.setattr("rationalerm.data.listfile._CHUNK", chunk)
    rows = [{"t": 'a "quoted, [x]" \\\\'}, {"t": "\\", "n": [[1, {"k": "]}"}], []]}, {}, {"u": " é"}]
    path = tmp_path / "l.json"
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=2), encoding="utf-8")
    assert values(path) == rows


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"a": 1}] x', "behind the list"),
        ('[{"a": 1},]', "row 2: is not JSON"),
        ('[,{"a": 1}]', "row 1: is not JSON"),
        ('[{"a": 1} {"b": 2}]', "row 1: is not JSON"),
        ('[{"a": "x]', "ends inside the list"),
        ('[{"a": 1]', "row 1: is not JSON"),
    ],
)
def test_broken_lists(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "l.json"
    path.write_text(text)
    assert said in problem(path)


def test_an_empty_list_has_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "l.json"
    path.write_text(" [ ] \n")
    assert values(path) == []


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_cut_and_damaged_archives_are_never_read_short(tmp_path: Path, kind: str) -> None:
    """Cut at any place, or with a byte changed: an error, or all the rows; never some of them in silence."""
    lines = b"".join(json.dumps({"id": k, "t": "x" * (k % 97)}).encode() + b"\n" for k in range(3000))
    packed = gzip.compress(lines, mtime=0) if kind == "gz" else zstandard.compress(lines)
    path = tmp_path / "a"
    for cut in range(10, len(packed), len(packed) // 37):
        path.write_bytes(packed[:cut])
        problem(path)
        path.write_bytes(packed[:cut] + bytes([packed[cut] ^ 255]) + packed[cut + 1 :])
        with contextlib.suppress(DataError):
            assert len(values(path)) == 3000


def test_zstd_blocks_without_an_end_of_frame_are_an_error(tmp_path: Path) -> None:
    compressor = zstandard.ZstdCompressor().compressobj()
    data = compressor.compress(LINES) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    path = tmp_path / "cut.zst"
    path.write_bytes(data)
    assert "does not end" in problem(path)


@pytest.mark.parametrize(
    "data", [LINES, b"\xef\xbb\xbf" + LINES, gzip.compress(LINES, mtime=0), zstandard.compress(LINES), json.dumps(ROWS).encode()]
)
def test_a_pipe_that_gives_a_byte_at_a_time(tmp_path: Path, data: bytes) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def feed() -> None:
        with pipe.open("wb", buffering=0) as out:
            for k in range(len(data)):
                out.write(data[k : k + 1])
                time.sleep(0.0002)

    writer = threading.Thread(target=feed)
    writer.start()
    assert values(pipe) == ROWS
    writer.join()


def test_a_million_bad_rows_take_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"x\n" * 50_000)
    tracemalloc.start()
    bad = list(read_rows(path, skip_bad=True))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(bad) == 50_000
    assert peak < 80e6
