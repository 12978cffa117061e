"""What the tests of whole runs share: rows that a prompt can be told by, the command as a process, what a run left on disk."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from endpoint import FakeEndpoint, Recorded

__all__ = [
    "Done",
    "by_id",
    "command",
    "environment",
    "finish",
    "lines",
    "make_rows",
    "match_args",
    "row_of",
    "rows_asked",
    "start",
    "write",
]

Row = dict[str, Any]
BIN = Path(sys.executable).with_name("rationalerm")


class Done(NamedTuple):
    """What a process did."""

    code: int
    out: str
    err: str


def make_rows(n: int, first: int = 0) -> list[Row]:
    """Rows `r0`, `r1`, ... with two to four human reasons and two to four of judge `j`; every reason names its row."""
    made = []
    for k in range(first, first + n):
        human = [f"Response 1 gets step {i} of task {k} wrong: it says {k * 7 + i}." for i in range(2 + k % 3)]
        model = [f"In task {k}, Response A fails at step {i} with {k * 7 + i}." for i in range(2 + k // 3 % 3)]
        texts = {"context": [{"role": "user", "content": f"Do task {k}."}], "response1": f"One {k}", "response2": f"Two {k}"}
        side = -1 if k % 2 else 1
        lists = {"overall_preference": side, "human-checklist": human, "j-checklist": model, "j-label": side}
        made.append({"id": f"r{k}"} | texts | lists)
    return made


def row_of(body: Row) -> str:
    """Which row a request asks about."""
    found = re.search(r"^R1: .*?\btask (\d+)\b", "\n".join(str(turn["content"]) for turn in body["messages"]), re.MULTILINE)
    assert found, "a request about no row of ours"
    return f"r{found[1]}"


def rows_asked(requests: Iterable[Recorded]) -> Counter[str]:
    """How often each row was asked about."""
    return Counter(row_of(request.body) for request in requests)


def write(path: Path, rows: Iterable[Row]) -> Path:
    """JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def environment(server: FakeEndpoint | str, cache: Path, **more: str) -> dict[str, str]:
    """The variables of a run: the endpoint, a key, a cache of its own; no proxies or certificates from outside."""
    outer = re.compile(r"(?i)proxy|^OPENAI|^RATIONALERM|^XDG_CACHE|SSL_CERT|CA_BUNDLE")
    kept = {name: value for name, value in os.environ.items() if not outer.search(name)}
    url = server if isinstance(server, str) else server.url
    return kept | {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-TEST-111-not-real", "RATIONALERM_CACHE_DIR": str(cache)} | more


def match_args(rows: Path, out: Path, *more: str) -> list[str]:
    """`match` of judge `j`."""
    return ["match", str(rows), "--judge", "j", "--model", "m", "--out", str(out), *more]


def start(args: Iterable[str | Path], env: dict[str, str], *, limit: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    """The command as a process of its own. `limit`: called in it before it starts."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([str(BIN), *map(str, args)], **pipes, text=True, env=env, preexec_fn=limit)  # type: ignore[call-overload]


def finish(process: subprocess.Popen[str], seconds: float = 60) -> Done:
    """Waits for its end."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"not done after {seconds} s; it said: {err[-2000:]}") from None
    assert "Traceback" not in err, err
    return Done(process.returncode, out, err)


def command(
    args: Iterable[str | Path], env: dict[str, str], *, seconds: float = 60, limit: Callable[[], None] | None = None
) -> Done:
    """Runs the command to its end."""
    return finish(start(args, env, limit=limit), seconds)


def lines(path: Path) -> list[Row]:
    """The rows of a JSON lines file, each of which must parse; none where there is no file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def by_id(path: Path) -> dict[str, Row]:
    """The rows of a file whose ids are unique."""
    rows = lines(path)
    found = {str(row["id"]): row for row in rows}
    assert len(found) == len(rows), f"{path.name} holds an id twice"
    return found
