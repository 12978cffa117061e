"""A script of the repository as a module, for tests of what is no part of the package."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

__all__ = ["ROOT", "script"]

ROOT = Path(__file__).resolve().parents[1]


@cache
def script(path: str) -> ModuleType:
    """The module at `path`, as "perf/gaming.py". What it imports of its own folder is found, and hidden again afterwards: another
    folder may have modules of the same names."""
    file = ROOT / path
    before = set(sys.modules)
    sys.path.insert(0, str(file.parent))
    try:
        return importlib.import_module(file.stem)
    finally:
        sys.path.remove(str(file.parent))
        for name in set(sys.modules) - before:
            if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == file.parent:
                del sys.modules[name]
