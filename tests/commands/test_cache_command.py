"""`cache stats` and `cache clear`."""

from __future__ import annotations

import asyncio
import os
import pty
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rationalerm.llm.cache import Cache

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the cache is: not there yet."""
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "chat.sqlite"


@pytest.fixture
def filled(file: Path) -> Path:
    """Three answers of two models, one of them rejected, one of them two days old."""

    async def fill() -> None:
        cache = Cache()
        for name, model in (("a" * 64, "small"), ("b" * 64, "small"), ("c" * 64, "big\x1b[31m")):
            await cache.put(name, {"text": "yes", "model": model, "prompt_tokens": 1000, "completion_tokens": 20})
        await cache.reject(["b" * 64])
        await cache.close()

    asyncio.run(fill())
    db = sqlite3.connect(file)
    db.execute("UPDATE answers SET created = ? WHERE key = ?", (time.time() - 2 * 86400, "a" * 64))
    db.commit()
    db.close()
    return file


def test_nothing_there(run: Run, file: Path) -> None:
    ran = run("cache", "stats")
    assert (ran.code, ran.out, ran.err) == (0, f"{file}: no answers\n", "")
    assert run("cache", "stats", "--json").json["answers"] == 0
    ran = run("cache", "clear")
    assert (ran.code, ran.err) == (0, "")
    assert "nothing to clear" in ran.out
    assert not file.parent.exists()


def test_stats(run: Run, filled: Path) -> None:
    found = run("cache", "stats", "--json").json
    assert (found["answers"], found["rejected"], found["paid"]) == (3, 1, 3)
    assert (found["prompt_tokens"], found["completion_tokens"]) == (3000, 60)
    assert found["models"]["small"] == {"answers": 2, "rejected": 1, "prompt_tokens": 2000, "completion_tokens": 40}
    assert found["oldest"] < found["newest"]
    assert found["bytes"] > 0
    ran = run("cache", "stats")
    assert (ran.code, ran.err) == (0, "")
    assert f"{filled}: 3 answers" in ran.out
    assert "2,000" in ran.out
    assert "1 of them are not served again" in ran.out
    assert "\x1b" not in ran.out


def test_clear_a_part_then_all(run: Run, filled: Path) -> None:
    assert "0 answers removed, 3 left" in run("cache", "clear", "--older-than", "3").out
    assert "0 answers removed, 3 left" in run("cache", "clear", "--older-than", "1", "--model", "big").out
    assert "1 answers removed, 2 left" in run("cache", "clear", "--older-than", "1").out
    assert "1 answers removed, 1 left" in run("cache", "clear", "--model", "small").out
    ran = run("cache", "clear")
    assert (ran.code, ran.err) == (0, "")
    assert "1 answers removed, 0 left" in ran.out
    assert run("cache", "stats", "--json").json["answers"] == 0


def test_a_corrupt_file(run: Run, file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(os.urandom(10_000))
    ran = run("cache", "stats")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "`rationalerm cache clear`" in ran.err
    assert run("cache", "clear", "--model", "m").code == 2
    assert "removed whole" in run("cache", "clear").out
    assert not file.exists()


@pytest.mark.parametrize("argv", [("cache",), ("cache", "purge"), ("cache", "clear", "--older-than", "-1")])
def test_wrong_use(run: Run, argv: tuple[str, ...]) -> None:
    ran = run(*argv)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(("said", "left"), [(b"n\n", 3), (b"\n", 3), (b"y\n", 0)])
def test_a_person_is_asked(run: Run, filled: Path, said: bytes, left: int) -> None:
    main, terminal = pty.openpty()
    os.write(main, said)
    argv = [sys.executable, "-m", "rationalerm", "cache", "clear"]
    done = subprocess.run(argv, stdin=terminal, capture_output=True, text=True, timeout=20)
    os.close(main)
    os.close(terminal)
    assert done.returncode == 0
    assert "They were paid for" in done.stderr
    assert run("cache", "stats", "--json").json["answers"] == left
    assert left == 0 or "nothing was removed" in done.stdout
