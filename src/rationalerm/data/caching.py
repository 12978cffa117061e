"""Where this package keeps what it need not ask for again. Knows nothing of what that is."""

from __future__ import annotations

import os
from pathlib import Path

from rationalerm.errors import DataError

__all__ = ["cache_folder"]


def cache_folder(instead: str) -> Path:
    """$RATIONALERM_CACHE_DIR; else $XDG_CACHE_HOME/rationalerm, else ~/.cache/rationalerm.

    Args:
        instead: what the caller's user can do where there is no such folder, for the message.

    Raises:
        DataError: there is no home folder to put it in.
    """
    named, base = os.environ.get("RATIONALERM_CACHE_DIR"), Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        if named:
            return Path(named).expanduser().absolute()
        base = base if base.is_absolute() else Path.home() / ".cache"  # a relative one is void, says XDG
    except RuntimeError:
        raise DataError(f"no home folder for the cache; set RATIONALERM_CACHE_DIR, or {instead}") from None
    return base / "rationalerm"
