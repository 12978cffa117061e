"""`view`: the report page over loopback, made anew when the run directories have changed. Knows nothing of what is in the page.

GET /       the page, or, while there is nothing to report, a line that says what it waits for
GET /state  {"stamp": ...}: another one, another page
"""

from __future__ import annotations

import hashlib
import html
import os
import tempfile
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import orjson

from rationalerm.errors import RationalermError, UsageError, printable
from rationalerm.report.page import page
from rationalerm.run.reporting.writing import report

__all__ = ["Server", "Viewer"]

HOST = "127.0.0.1"
_REST = 2.0  # times as long as a page took to make, before it is made anew: a run that grows must not keep us busy
_PIECE = 1 << 16


class _Page:
    """A page in a file that nobody sees; it goes when the last reader has let go of it."""

    def __init__(self, pieces: Iterable[bytes], stamp: str) -> None:
        self.stamp = stamp
        with tempfile.TemporaryFile(prefix="rationalerm-") as file:
            self.length = sum(map(file.write, pieces))
            file.flush()
            self._file = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._file)

    def pieces(self) -> Iterator[bytes]:
        """Its bytes; several may read at once."""
        for start in range(0, self.length, _PIECE):
            yield os.pread(self._file, _PIECE, start)


class Viewer:
    """The page of some run directories, kept until they change. For many threads.

    Args:
        paths: the directories. One that is not there yet is waited for.

    Raises:
        UsageError: a path is a file.
    """

    def __init__(self, paths: Sequence[str | Path]) -> None:
        self._paths = [Path(path) for path in paths]
        if wrong := [path for path in self._paths if path.exists() and not path.is_dir()]:
            raise UsageError(f"{wrong[0]}: is a file; name a run directory")
        self._lock = threading.Lock()
        self._page: _Page | None = None
        self._seconds = 0.0
        self._stamp = ""
        self._looked = float("-inf")

    def stamp(self) -> str:
        """Another one where a file of the runs has changed."""
        with self._lock:
            return self._current()

    def page(self) -> _Page:
        """The page of now.

        Raises:
            RationalermError: nothing to report (yet).
        """
        with self._lock:
            stamp = self._current()
            if self._page is None or self._page.stamp != stamp:
                began = time.monotonic()
                with ExitStack() as stack:
                    self._page = _Page(page(*report(self._paths, stack, live=stamp)), stamp)
                self._seconds = time.monotonic() - began
            return self._page

    def _current(self) -> str:
        now = time.monotonic()
        ended = all((path / "summary.json").is_file() for path in self._paths)  # then it does not grow
        if now - self._looked >= max(0.5, 0.0 if ended else _REST * self._seconds):
            self._looked, self._stamp = now, _stamp(self._paths)
        return self._stamp


def _stamp(paths: Iterable[Path]) -> str:
    """Names, sizes and times of the files that a page is made of."""
    found = hashlib.sha256()
    for path in paths:
        for file in sorted([*path.glob("*.json*"), *path.glob("judge/*.json*")]):
            try:
                stat = file.stat()
            except FileNotFoundError:  # replaced in this moment
                continue
            found.update(f"{file}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode("utf-8", "surrogateescape"))
    return found.hexdigest()[:16]


class Server(ThreadingHTTPServer):
    """Serves a viewer's page on loopback.

    Args:
        viewer: has the page.
        port: 0 takes a free one.

    Raises:
        UsageError: the port is taken.
    """

    daemon_threads = True

    def __init__(self, viewer: Viewer, port: int = 0) -> None:
        self.viewer = viewer
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise UsageError(f"--port {port}: {why}; name another, or leave it out") from None

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://{HOST}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that leaves in the middle is no fault."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    server_version, sys_version = "rationalerm", ""
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        """The two addresses; a name that is not ours (another site's that points here) is refused."""
        if self.headers.get("Host", "").rsplit(":", 1)[0] not in (HOST, "localhost"):
            self._send(403, "text/plain", [b"this page is served to this machine alone\n"])
        elif self.path == "/state":
            self._send(200, "application/json", [orjson.dumps({"stamp": self.server.viewer.stamp()})])
        elif self.path.split("?")[0] == "/":
            self._page()
        else:
            self._send(404, "text/plain", [b"no such page\n"])

    def do_HEAD(self) -> None:
        """As GET, without the body."""
        self.do_GET()

    def _page(self) -> None:
        try:
            found = self.server.viewer.page()
        except RationalermError as error:
            self._send(200, "text/html; charset=utf-8", [_waiting(str(error)).encode("utf-8", "replace")])
        else:
            self._send(200, "text/html; charset=utf-8", found.pieces(), found.length)

    def _send(self, status: int, kind: str, pieces: Iterable[bytes], length: int | None = None) -> None:
        if length is None:
            pieces = list(pieces)
            length = sum(map(len, pieces))
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        for piece in pieces if self.command != "HEAD" else ():
            self.wfile.write(piece)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the terminal is the user's."""


def _waiting(why: str) -> str:
    """A page that asks again."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        "<script>setTimeout(() => location.reload(), 2000)</script>"  # a refresh by name would stay where the URL has a fragment
        "<title>rationalerm view</title>"
        "<style>body{font:1rem system-ui;margin:4rem auto;max-width:40rem;color-scheme:light dark}</style>"
        f"<h1>Nothing to show yet</h1><p>{html.escape(printable(why))}</p><p>This page looks again every two seconds.</p></html>"
    )
