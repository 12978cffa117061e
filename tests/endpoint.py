"""The one fake of these tests: a chat endpoint on a loopback port, a real HTTP server with everything that can go wrong.

In a thread: `with FakeEndpoint(answer) as server: ... server.url ... server.requests`. As a process of its own, for measuring:
`python tests/endpoint.py --latency-median 0.2 --sigma 0.5` prints its port and serves until it is ended. What it says comes from
answers.py, what goes wrong from faults.py; both are exported here. Knows nothing of the package.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import signal
import socket
import ssl
import struct
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from aiohttp import web

from answers import *  # noqa: F403
from answers import Answered, best_answer, judge_answer, matrix_answer
from faults import *  # noqa: F403

Answer = Callable[[dict[str, Any], int], "Answered | str"]
MODELS = ("m", "judge", "matcher")


@dataclass
class Recorded:
    """One request: `n` from 1 in order of arrival, `at` and `done` in seconds of time.monotonic(); `done` is None until the last
    byte was handed over, `answered` is what was said,
    `path` has the query with it, `connection` is the other side's port."""

    n: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float
    connection: int
    answered: Answered | None = None
    done: float | None = None

    @property
    def prompt(self) -> str:
        """All turns' texts."""
        return "\n".join(str(turn["content"]) for turn in self.body.get("messages", ()))

    @property
    def paid(self) -> bool:
        """Was a whole completion handed over?"""
        return self.done is not None and self.answered is not None and self.answered.good


class FakeEndpoint:
    """Args:

    answer: called with the request's body and its number (from 1); a text is a completion with this content.
    latency: seconds before each answer, as a function of the request's number.
    max_connections: a connection more is reset, as a server with few workers does it.
    record: keep the requests (off for measuring).
    models: what GET /v1/models lists.
    certificate: its file and its key's; the endpoint then speaks https.
    """

    def __init__(
        self,
        answer: Answer = best_answer,
        *,
        latency: float | Callable[[int], float] = 0.0,
        max_connections: int | None = None,
        record: bool = True,
        models: tuple[str, ...] = MODELS,
        port: int = 0,
        certificate: tuple[Path, Path] | None = None,
    ) -> None:
        self.answer, self.models, self.port = answer, models, port
        self.latency = latency if callable(latency) else lambda n: latency
        self.max_connections, self.record = max_connections, record
        self.certificate = certificate
        self.requests: list[Recorded] = []
        self.count = self.open = self.peak = self.refused = self.peak_connections = 0
        self.failure: BaseException | None = None
        self._seen: set[int] = set()  # the other side's ports
        self._runner: web.AppRunner | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: asyncio.Event | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The base, as OPENAI_BASE_URL takes it."""
        return f"http{'s' if self.certificate else ''}://127.0.0.1:{self.port}/v1"

    @property
    def connections(self) -> int:
        """How many connections ever carried a request."""
        return len(self._seen)

    @property
    def paid(self) -> list[Recorded]:
        """The requests whose whole completion was handed over."""
        return [request for request in self.requests if request.paid]

    def wait_for(self, condition: Callable[[FakeEndpoint], bool], seconds: float = 20.0) -> None:
        """Waits until a condition holds; AssertionError after so many seconds."""
        end = time.monotonic() + seconds
        while not condition(self):
            assert time.monotonic() < end, f"waited {seconds} s; {self.count} requests came"
            time.sleep(0.002)

    def settle(self) -> None:
        """Waits until nothing more can come of a client that is gone: what it had sent is read, its connections are closed."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as last:  # accepted after all that came before it
            last.sendall(b"GET /stats HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            while last.recv(4096):
                pass
        self.wait_for(lambda server: server.live == 0)

    @property
    def live(self) -> int:
        """How many connections are open."""
        return len(self._runner.server.connections) if self._runner and self._runner.server else 0

    def __enter__(self) -> FakeEndpoint:
        started = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self.serve(lambda: started.set())), name="endpoint", daemon=True
        )
        self._thread.start()
        assert started.wait(10), "the fake endpoint did not start"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
        if self.failure is not None and error is None:
            raise AssertionError("the answer function raised") from self.failure

    def stop(self) -> None:
        """Ends the server at once: open requests are reset, the port refuses. May be called twice."""
        if self._thread is not None and self._loop is not None and self._ended is not None:
            self._loop.call_soon_threadsafe(self._ended.set)
            self._thread.join(10)
            self._thread = None

    async def serve(self, started: Callable[[], object]) -> None:
        """Serves until `stop`."""
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/stats", self._stats)
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.0, keepalive_timeout=60)
        await self._runner.setup()
        secure = None
        if self.certificate:
            secure = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            secure.load_cert_chain(*self.certificate)
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, backlog=1024, ssl_context=secure)
        await site.start()
        self.port = self._runner.addresses[0][1]
        started()
        await self._ended.wait()
        for protocol in self._runner.server.connections if self._runner.server else ():
            if protocol.transport is not None:
                protocol.transport.abort()
        await self._runner.cleanup()

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        at = time.monotonic()
        transport = request.transport
        assert transport is not None
        number = transport.get_extra_info("peername")[1]
        live = self.live
        self.peak_connections = max(self.peak_connections, live)
        if self.max_connections is not None and live > self.max_connections:
            self.refused += 1
            _reset(transport)
            raise asyncio.CancelledError
        self._seen.add(number)
        self.count += 1
        n = self.count
        self.open += 1
        self.peak = max(self.peak, self.open)
        try:
            body = json.loads(await request.read())
            seen = Recorded(n, request.path_qs, dict(request.headers), body, at, number)
            if self.record:
                self.requests.append(seen)
            said = self._say(body, n)
            seen.answered = said
            if delay := self.latency(n) + said.delay:
                await asyncio.sleep(delay)
            response = await self._send(request, said, body, n)
            seen.done = time.monotonic()
            return response
        finally:
            self.open -= 1

    def _say(self, body: dict[str, Any], n: int) -> Answered:
        try:
            said = self.answer(body, n)
        except Exception as error:
            self.failure = error
            return Answered(status=500, raw=f"the test's answer function raised: {error!r}", content_type="text/plain")
        return Answered(said) if isinstance(said, str) else said

    async def _send(self, request: web.Request, said: Answered, body: dict[str, Any], n: int) -> web.StreamResponse:
        transport = request.transport
        if said.never:
            await asyncio.sleep(3600)
        data = said.body(body, n)
        headers = {"Content-Type": said.content_type, **said.headers}
        if said.ends == "whole" and not said.drip:
            return web.Response(status=said.status, body=data, headers=headers)
        if said.ends == "dropped" and transport is not None:
            transport.close()
            raise asyncio.CancelledError
        response = web.StreamResponse(status=said.status, headers={**headers, "Content-Length": str(len(data))})
        await response.prepare(request)
        if said.drip:
            for byte in data:
                await response.write(bytes((byte,)))
                await asyncio.sleep(said.drip)
            return response
        await response.write(data[: len(data) // 2])
        await asyncio.sleep(0.005)  # so that the first half is on its way
        if transport is not None:
            _reset(transport) if said.ends == "reset" else transport.close()
        raise asyncio.CancelledError

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]})

    async def _stats(self, request: web.Request) -> web.Response:
        return web.json_response({"requests": self.count, "peak": self.peak, "connections": self.connections})


def _reset(transport: asyncio.Transport) -> None:
    """Closes with RST, so that the other side sees a reset and not an end."""
    sock: socket.socket | None = transport.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


def lognormal(median: float, sigma: float, seed: int = 0) -> Callable[[int], float]:
    """Latencies in seconds: the n-th is always the same."""
    rng = random.Random(seed)
    drawn = [rng.lognormvariate(math.log(median), sigma) for _ in range(100_000)] if median else [0.0]
    return lambda n: drawn[n % len(drawn)]


def main() -> None:
    """Serves as a process of its own until SIGTERM or SIGINT; prints its port."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency-median", type=float, default=0.0, help="seconds")
    parser.add_argument("--sigma", type=float, default=0.5, help="of the latency's logarithm")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--answer", choices=("best", "matrix", "judge"), default="best")
    args = parser.parse_args()
    answer: Answer = {"best": best_answer, "matrix": matrix_answer, "judge": judge_answer}[args.answer]
    latency = lognormal(args.latency_median, args.sigma, args.seed)
    server = FakeEndpoint(answer, latency=latency, record=False, port=args.port)

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, lambda: server._ended.set() if server._ended else None)
        await server.serve(lambda: sys.stdout.write(f"{server.port}\n") and sys.stdout.flush())

    asyncio.run(serve())


if __name__ == "__main__":
    main()
