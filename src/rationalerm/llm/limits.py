"""How fast and how stubbornly to ask. Nothing here changes an answer, so a resumed run may differ in it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rationalerm.errors import UsageError

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one run.

    Args:
        concurrency: most requests open at once.
        rpm, tpm: requests and tokens a minute.
        max_retries: of a question, for 5xx, resets, timeouts, half bodies. Being told to slow down (429) does not count.
        format_retries: how often an answer that can't be read is asked for again.
        proxies: whether the environment's proxies are used.

    Raises:
        UsageError: a value out of range.
    """

    concurrency: int = 32
    rpm: float | None = None
    tpm: float | None = None
    max_retries: int = 3
    format_retries: int = 2
    proxies: bool = True

    def __post_init__(self) -> None:
        for name, least in (("concurrency", 1), ("max_retries", 0), ("format_retries", 0)):
            if getattr(self, name) < least:
                raise UsageError(f"--{name.replace('_', '-')} is {getattr(self, name)}; give {least} or more")
        for name in ("rpm", "tpm"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise UsageError(f"--{name} is {value}; give a number over 0")
