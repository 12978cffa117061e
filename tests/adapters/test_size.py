"""A promise of docs/adapters.md: the part of an adapter that is one framework's own is short enough to read at once."""

from __future__ import annotations

from pathlib import Path

import pytest

import rationalerm.adapters

FOLDER = Path(rationalerm.adapters.__file__).parent
# What the six share, and a reward model in this process for `bench`. A module that is not named here is a framework's own.
OTHERS = {"__init__", "batch", "classifier", "columns", "flat", "prepared", "queries", "watch"}
OWN = [path for path in sorted(FOLDER.rglob("*.py")) if path.parent != FOLDER or path.stem not in OTHERS]


def test_every_framework_is_there() -> None:
    names = {path.relative_to(FOLDER).parts[0].removesuffix(".py") for path in OWN}
    assert {"trl", "verl", "openrlhf", "verifiers", "inspect", "ms_swift"} <= names


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_a_module_of_one_framework_is_under_80_lines(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) < 80
