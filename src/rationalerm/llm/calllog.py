"""`--log-file`: a JSON line for each attempt: when, which request, how it ended, how long it took, its tokens. No texts."""

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
    """Raises UsageError if the file can't be opened. `problem`: why lines are missing, if they are (a full disk)."""

    def __init__(self, path: str | Path) -> None:
        self.path, self.problem = path, ""
        try:
            self._file: IO[bytes] = Path(path).open("ab", buffering=0)  # noqa: SIM115 (closed by close)
        except OSError as error:
            raise UsageError(f"--log-file {path}: {error.strerror}") from None

    def add(self, key: str, result: Reply | Fault, seconds: float, attempt: int) -> None:
        """One attempt. No answer is lost over a line that can't be written."""
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
        try:
            self._file.write(orjson.dumps(line) + b"\n")
        except OSError as error:
            self.problem = f"--log-file {self.path}: lines are missing: {error.strerror}"

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
