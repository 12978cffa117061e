"""The run directory: torn tails, atomic rewrites, resume refused on another configuration, a full disk."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from rationalerm.data.rundir import RunDir
from rationalerm.errors import DataError, ResumeError

MANIFEST = {"command": "evaluate", "config": {"top_k": 5}}


def test_rc1_a_torn_tail_is_cut_off_and_nothing_is_lost(tmp_path: Path) -> None:
    """RC1"""
    run = RunDir(tmp_path / "run", MANIFEST)
    path = run.path / "matches.jsonl"
    path.write_text('{"id":"a","score":1.0}\n{"id":"b","sco')
    log = run.log("matches.jsonl")
    assert [row["id"] for row in log.rows()] == ["a"]
    log.add([{"id": "b"}, {"id": "c"}])
    log.close()
    again = run.log("matches.jsonl")
    assert [row["id"] for row in again.rows()] == ["a", "b", "c"]
    assert again.torn == []
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_rc1_a_torn_line_in_the_middle_is_numbered(tmp_path: Path) -> None:
    """RC1"""
    run = RunDir(tmp_path / "run", MANIFEST)
    (run.path / "m.jsonl").write_text('{"id":"a"}\n{"id":"b","s\n{"id":"c"}\n')
    log = run.log("m.jsonl")
    assert [row["id"] for row in log.rows()] == ["a", "c"]
    assert log.torn == [2]


def test_another_configuration_is_refused(tmp_path: Path) -> None:
    RunDir(tmp_path / "run", MANIFEST)
    RunDir(tmp_path / "run", {"config": {"top_k": 4}})  # nothing is finished there yet: a mended command may use the folder
    log = RunDir(tmp_path / "run", MANIFEST).log("matches.jsonl")
    log.add([{"id": "a"}])
    log.close()
    with pytest.raises(ResumeError, match="top_k = 5, now 3; give --out another folder"):
        RunDir(tmp_path / "run", {"config": {"top_k": 3}})
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.jsonl").write_text("")
    with pytest.raises(ResumeError, match=r"holds \.jsonl files but no run\.json"):
        RunDir(tmp_path / "other", MANIFEST)


def test_unusable_places_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="is a file; --out names a folder"):
        RunDir(tmp_path / "file", MANIFEST)
    with pytest.raises(DataError, match="--out names a folder"):
        RunDir(tmp_path / "file" / "deeper", MANIFEST)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text("{")
    with pytest.raises(DataError, match=r"run\.json: can't be read"):
        RunDir(tmp_path / "broken", MANIFEST)


def test_settle_leaves_the_last_row_of_each_key_in_order(tmp_path: Path) -> None:
    log = RunDir(tmp_path / "run", MANIFEST).log("m.jsonl")
    log.add([{"id": "a", "n": 1}, {"id": "b", "n": 1}, {"id": "a", "n": 2}])
    log.close()
    with log.path.open("ab") as handle:
        handle.write(b'{"id": "c", "n"')
    log.settle(lambda row: row["id"], "ab".index)
    assert log.path.read_bytes() == b'{"id":"a","n":2}\n{"id":"b","n":1}\n'
    before = log.path.stat().st_ino
    log.settle(lambda row: row["id"], "ab".index)
    assert log.path.stat().st_ino == before  # nothing to do, nothing written


def test_a_full_disk_leaves_whole_lines_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = RunDir(tmp_path / "run", MANIFEST).log("m.jsonl")
    log.add([{"id": "a"}])

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match="the disk is full"):
        log.add([{"id": "b"}])
    monkeypatch.undo()
    assert [row["id"] for row in log.rows()] == ["a"]
    log.add([{"id": "c"}])
    assert [row["id"] for row in log.rows()] == ["a", "c"]
    log.close()


def test_rewrites_are_all_or_nothing(tmp_path: Path) -> None:
    run = RunDir(tmp_path / "run", MANIFEST)
    run.write_lines("rows.jsonl", [{"n": 1}])

    def half() -> Any:
        yield {"n": 2}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.write_lines("rows.jsonl", half())
    assert (run.path / "rows.jsonl").read_text() == '{"n":1}\n'
    assert sorted(p.name for p in run.path.iterdir()) == ["rows.jsonl", "run.json"]


def test_two_runs_never_write_one_directory(tmp_path: Path) -> None:
    with RunDir(tmp_path / "run", MANIFEST), pytest.raises(ResumeError, match="is being written by another run"):
        RunDir(tmp_path / "run", MANIFEST)
    with RunDir(tmp_path / "run", MANIFEST):
        pass
    other = RunDir(tmp_path, MANIFEST, beside="b.jsonl")
    with RunDir(tmp_path, MANIFEST, beside="a.jsonl"), pytest.raises(ResumeError, match=r"a\.jsonl: is being written"):
        RunDir(tmp_path, MANIFEST, beside="a.jsonl")
    other.close()


def test_a_whole_last_line_without_its_newline_is_kept(tmp_path: Path) -> None:
    """A kill between a row and its newline: the row was read as finished, so it may not be cut off."""
    log = RunDir(tmp_path / "run", MANIFEST).log("m.jsonl")
    log.path.write_bytes(b'{"id":"a"}\n{"id":"b"}')
    assert [row["id"] for row in log.rows()] == ["a", "b"]
    log.add([{"id": "c"}])
    log.close()
    assert log.path.read_bytes() == b'{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n'
