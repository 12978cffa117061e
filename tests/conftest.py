"""Shared fixtures: the public data folder, JSON lines in a temporary file, the command line in-process."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rationalerm import cli

ROOT = Path(__file__).resolve().parent.parent


def pytest_configure() -> None:
    """The same terminal for every test, whatever the tests are run in; those that need another one set it."""
    for name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        os.environ.pop(name, None)
    os.environ["TERM"] = "xterm"


def find_shared() -> Path | None:
    """The folder of public data: $RATIONALERM_SHARED, or a sibling `shared/` on the way up."""
    places = [Path(os.environ["RATIONALERM_SHARED"])] if os.environ.get("RATIONALERM_SHARED") else []
    places += [parent / "shared" for parent in (ROOT, *ROOT.parents)]
    return next((place for place in places if (place / "data").is_dir()), None)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Public data, or a skip that says why."""
    found = find_shared()
    if found is None:
        pytest.skip("no shared/ folder of public data beside the checkout (set RATIONALERM_SHARED)")
    return found


@pytest.fixture
def jsonl(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows to a JSON lines file."""

    def write(*rows: Any, name: str = "in.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout as one strict JSON document."""

        def refuse(text: str) -> None:
            raise AssertionError(f"{text} in JSON")

        return json.loads(self.out, parse_constant=refuse)


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Ran]:
    """Runs a command in this process."""

    def call(*argv: str | Path) -> Ran:
        try:
            code = cli.main([str(a) for a in argv])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        out, err = capfdbinary.readouterr()
        return Ran(code, out.decode(), err.decode())

    return call
