"""What the scripts here share that ask a model: a chat endpoint on loopback, and a process that measures itself against it.

Latency is lognormal, sigma 0.5. The endpoint is a process of its own (tests/endpoint.py), on another core where there is one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

__all__ = ["MEAN", "Used", "command_script", "endpoint", "env_of", "measured", "peer_script"]

ENDPOINT = Path(__file__).parent.parent / "tests" / "endpoint.py"
MEAN = 0.2 * 1.1331  # seconds: the mean of a latency of median 0.2, median * exp(sigma^2 / 2)

# What each measured process does: imports first, then the clock. CPU is of the whole process, threads and exit hooks included.
_COMMAND = """
import json, resource, sys, time
{imports}
start, cpu = time.perf_counter(), time.process_time()
code = rationalerm.cli.main(sys.argv[1:])
used = time.perf_counter() - start, time.process_time() - cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print("MEASURED", json.dumps([*used, code]), file=sys.stderr)
"""
_PEER = """
import asyncio, json, resource, sys, time
import aiohttp
{asked}
async def main(url, path, at_once):
    gate = asyncio.Semaphore(at_once)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=at_once)) as session:
        async def one(item):
            async with gate:
                body = {"model": "m", "temperature": 0, "messages": messages(item)}
                async with session.post(url + "/chat/completions", json=body) as response:
                    return json.loads(await response.read())["choices"][0]["message"]["content"]
        with open(path, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        return await asyncio.gather(*(one(item) for item in items(rows)))
start, cpu = time.perf_counter(), time.process_time()
answers = asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
used = time.perf_counter() - start, time.process_time() - cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print("MEASURED", json.dumps([*used, 0 if all(answers) else 1]), file=sys.stderr)
"""


class Used(NamedTuple):
    """Seconds of wall time and CPU, peak memory in MB."""

    seconds: float
    cpu: float
    peak_mb: float


def command_script(imports: str) -> str:
    """A script for `measured` that runs the command line; `imports`: what the command would load lazily, and rationalerm.cli."""
    return _COMMAND.replace("{imports}", imports)


def peer_script(asked: str) -> str:
    """The least that one can do over the same HTTP library: a semaphore, `post`, `json.loads`, over one session.

    Args:
        asked: code that defines `items(rows)`, one a request, and `messages(item)`, its chat turns.

    Returns:
        A script for `measured`; its arguments are the base URL, a file of rows, and how many are in flight.
    """
    return _PEER.replace("{asked}", asked)


def env_of(url: str, cache: Path) -> dict[str, str]:
    """The command's environment: this endpoint, and a cache folder of its own."""
    return {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none", "RATIONALERM_CACHE_DIR": str(cache)}


@contextmanager
def endpoint(median: float, answer: str = "best") -> Iterator[str]:
    """Starts the endpoint on the last core; yields its base URL. `answer`: what it says, as tests/endpoint.py names it."""
    pin = ["taskset", "-c", str((os.cpu_count() or 1) - 1)]
    command = [*pin, sys.executable, str(ENDPOINT), "--latency-median", str(median), "--sigma", "0.5", "--answer", answer]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
    finally:
        server.terminate()
        server.wait()


def measured(script: str, argv: Sequence[str | Path], env: dict[str, str] | None = None) -> Used:
    """Runs a script as a process on the first core and reads what it measured of itself."""
    command = ["taskset", "-c", "0", sys.executable, "-c", script, *map(str, argv)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | (env or {}))
    assert "MEASURED" in done.stderr, done.stderr[-2000:]
    *used, code = json.loads(done.stderr.rsplit("MEASURED", 1)[1])
    assert code == 0, f"exit code {code}: {done.stderr[-2000:]}"
    return Used(*used)
