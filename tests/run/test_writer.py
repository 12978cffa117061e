"""Rows through async work, and rows to disk from a thread: bounded, ordered, and no failure is lost."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rationalerm.data.log import Log
from rationalerm.errors import DataError, StoppedError
from rationalerm.llm.sweep import sweep
from rationalerm.run.writer import Writer


def test_items_are_taken_as_places_get_free() -> None:
    taken = finished = most = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for number in range(100):
            taken += 1
            yield number

    async def work(_: int) -> None:
        nonlocal finished, most
        most = max(most, taken - finished)
        await asyncio.sleep(0.0005)
        finished += 1

    asyncio.run(sweep(items(), work, 7))
    assert finished == 100
    assert most <= 8


def test_a_stop_lets_what_is_in_flight_end_and_begins_nothing_new() -> None:
    begun: list[int] = []
    ended: list[int] = []

    async def work(number: int) -> None:
        begun.append(number)
        await asyncio.sleep(0.01 * (number + 1))
        if number == 0:
            raise StoppedError("no more")
        ended.append(number)

    with pytest.raises(StoppedError, match="no more"):
        asyncio.run(sweep(range(50), work, 4))
    assert begun == [0, 1, 2, 3]
    assert ended == [1, 2, 3]


def test_another_error_cancels_the_rest() -> None:
    ended: list[int] = []

    async def work(number: int) -> None:
        if number == 2:
            raise DataError("a full disk")
        await asyncio.sleep(5)
        ended.append(number)

    with pytest.raises(DataError, match="a full disk"):
        asyncio.run(asyncio.wait_for(sweep(range(50), work, 4), 3))
    assert ended == []


def test_an_error_of_the_items_is_raised() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise DataError("row 2 is bad")

    async def work(_: int) -> None:
        await asyncio.sleep(0)

    with pytest.raises(DataError, match="row 2"):
        asyncio.run(sweep(items(), work, 3))


def test_the_writer_keeps_the_order_of_each_file(tmp_path: Path) -> None:
    writer, a, b = Writer(), Log(tmp_path / "a.jsonl"), Log(tmp_path / "b.jsonl")
    for number in range(2000):
        writer.put(a if number % 2 else b, {"n": number})
    writer.close()
    assert [row["n"] for row in a.rows()] == list(range(1, 2000, 2))
    assert [row["n"] for row in b.rows()] == list(range(0, 2000, 2))
    a.close()
    b.close()


def test_a_full_disk_stops_the_next_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing more is paid for once a row could not be kept."""
    writer, log = Writer(), Log(tmp_path / "a.jsonl")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    writer.put(log, {"n": 0})
    monkeypatch.setattr("rationalerm.data.log._write_all", full)
    with pytest.raises(DataError, match="the disk is full"):
        writer.put(log, {"n": 1})
    monkeypatch.undo()
    with pytest.raises(DataError, match="the disk is full"):
        writer.put(log, {"n": 2})
    with pytest.raises(DataError, match="the disk is full"):
        writer.close()
    assert list(log.rows()) == [{"n": 0}]  # no half line
    log.close()


def test_a_sync_that_fails_reaches_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    writer, log = Writer(), Log(tmp_path / "a.jsonl")
    monkeypatch.setattr(os, "fsync", broken)
    writer.put(log, {"n": 1})
    with pytest.raises(DataError, match="can't be written"):
        writer.close()
    log.close()


def test_a_row_is_in_the_file_when_put_returns(tmp_path: Path) -> None:
    """kill -9 loses nothing that was put."""
    writer, log = Writer(), Log(tmp_path / "a.jsonl")
    for number in range(50):
        writer.put(log, {"n": number})
        assert log.path.read_bytes().endswith(b'{"n":%d}\n' % number)
    writer.close()
    log.close()
