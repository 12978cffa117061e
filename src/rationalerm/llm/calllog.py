"""`--log-file`: a JSON line for each attempt: when, which request, how it ended, how long it took, its tokens. No texts, no keys."""

from __future__ import annotations

import time
from pathlib import Path
from typing import IO

import orjson

from rationalerm.errors import UsageError
from rationalerm.llm.faults import Fault
from rationalerm.llm.question import Reply

__all__ = ["CallLog"]


class CallLog:
    """Raises UsageError if the file can't be opened."""

    def __init__(self, path: str | Path) -> None:
        try:
            self._file: IO[bytes] = Path(path).open("ab")  # noqa: SIM115 (closed by close)
        except OSError as error:
            raise UsageError(f"--log-file {path}: {error.strerror}") from None

    def add(self, key: str, result: Reply | Fault, seconds: float, attempt: int) -> None:
        """One attempt."""
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            "request": key[:16],
            "attempt": attempt,
            "seconds": round(seconds, 3),
        }
        if isinstance(result, Fault):
            line |= {"result": result.kind, "detail": result.detail}
        else:
            line |= {"result": "answer", "prompt_tokens": result.prompt_tokens, "completion_tokens": result.completion_tokens}
        self._file.write(orjson.dumps(line) + b"\n")

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
