"""A small stand-in for the Hugging Face Hub on loopback: a Hub and, on another port, the storage that it redirects to.

Large files are redirected with `X-Linked-Etag` (SHA-256), small ones are sent at once with git's hash as `ETag`, as the Hub does
it. What goes wrong is an `Answer` a request. Knows nothing of the package.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType

from aiohttp import web

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Stored:
    """A file: its bytes, whether it is a large one, and what the Hub says of it where that is not the truth."""

    data: bytes
    large: bool = True
    etag: str | None = None
    commit: str = COMMIT
    signed: str = "X-Amz-Signature=5ecret5ignature"


@dataclass
class Asked:
    """A request: `at` is `hub` or `storage`."""

    at: str
    path: str
    headers: dict[str, str]


Answer = Callable[[Asked, int], "web.Response | None"]


@dataclass
class FakeHub:
    """Args:

    files: by "REPO/PATH"; every revision in `revisions` has them.
    wrong: called with each request and its number (from 1); what it returns is sent in place of the file.
    slow: seconds before the storage answers.
    """

    files: dict[str, Stored] = field(default_factory=dict)
    revisions: tuple[str, ...] = ("main", COMMIT)
    wrong: Answer = lambda asked, n: None
    slow: float = 0.0
    asked: list[Asked] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.port = self.storage_port = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: asyncio.Event | None = None

    @property
    def url(self) -> str:
        """As HF_ENDPOINT takes it."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> FakeHub:
        started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(started)), name="hub", daemon=True)
        self._thread.start()
        assert started.wait(10), "the stand-in did not start"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._loop is not None
        assert self._ended is not None
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(10)

    async def _serve(self, started: threading.Event) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        runners = []
        for at in ("hub", "storage"):
            app = web.Application()
            app.router.add_get("/datasets/{owner}/{name}/resolve/{revision}/{path:.*}", self._resolve)
            app.router.add_get("/storage/{key:.*}", self._send)
            runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.0, handler_cancellation=True)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            port = runner.addresses[0][1]
            self.port, self.storage_port = (port, 0) if at == "hub" else (self.port, port)
            runners.append(runner)
        started.set()
        await self._ended.wait()
        for runner in runners:
            await runner.cleanup()

    def _note(self, at: str, request: web.Request) -> web.Response | None:
        self.asked.append(Asked(at, request.path_qs, dict(request.headers)))
        return self.wrong(self.asked[-1], len(self.asked))

    async def _resolve(self, request: web.Request) -> web.Response:
        if (wrong := self._note("hub", request)) is not None:
            return wrong
        info = request.match_info
        key = f"{info['owner']}/{info['name']}/{info['path']}"
        if info["revision"] not in self.revisions:
            return web.Response(status=404, headers={"X-Error-Code": "RevisionNotFound"}, text="Revision Not Found")
        file = self.files.get(key)
        if file is None:
            known = any(name.startswith(f"{info['owner']}/{info['name']}/") for name in self.files)
            code, status = ("EntryNotFound", 404) if known else ("RepoNotFound", 404)
            return web.Response(status=status, headers={"X-Error-Code": code}, text="Entry Not Found")
        headers = {"X-Repo-Commit": file.commit}
        if not file.large:
            git = hashlib.sha1(b"blob %d\0" % len(file.data) + file.data).hexdigest()
            return web.Response(body=file.data, headers=headers | {"ETag": f'"{file.etag or git}"'})
        sha = hashlib.sha256(file.data).hexdigest()
        headers |= {"X-Linked-Etag": f'"{file.etag or sha}"', "X-Linked-Size": str(len(file.data)), "ETag": '"not a hash"'}
        where = f"http://127.0.0.1:{self.storage_port}/storage/{key}?{file.signed}"
        return web.Response(status=302, headers=headers | {"Location": where})

    async def _send(self, request: web.Request) -> web.Response:
        if (wrong := self._note("storage", request)) is not None:
            return wrong
        if self.slow:
            await asyncio.sleep(self.slow)
        return web.Response(body=self.files[request.match_info["key"]].data, headers={"ETag": '"another-hash"'})


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    """AssertionError where it does not come true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s"
        time.sleep(0.005)
