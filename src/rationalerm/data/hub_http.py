"""One file of a Hub data set over HTTP: redirects to its storage, retries, the stated checksum. Writes bytes, checks none.

The token goes to the Hub's own host alone, never to the storage that it redirects to; neither it nor a signed address is shown.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlsplit

from rationalerm.errors import DataError, UsageError, printable

if TYPE_CHECKING:
    import aiohttp

__all__ = ["Fetched", "HubEndpoint", "MissingError", "endpoint_of", "fetch"]

DEFAULT = "https://huggingface.co"
_TRIES, _BACKOFF_S, _LONGEST_WAIT_S = 4, 0.5, 30.0
_CONNECT_S, _READ_S = 10.0, 60.0
_REDIRECTS = 6
_BLOCK = 1 << 18
_ELSE = "set HF_ENDPOINT to a mirror, or give the file with --data"
_LOCAL = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class HubEndpoint:
    """Where the Hub or its mirror is, and the token for it."""

    url: str = field(repr=False)
    token: str = field(default="", repr=False)

    @property
    def shown(self) -> str:
        """The address without a password in it."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def headers(self, host: Any) -> dict[str, str]:
        """Of a request to `host` (scheme, name, port): the token only where it belongs."""
        own = {"User-Agent": "rationalerm", "Accept-Encoding": "identity"}
        return own | {"Authorization": f"Bearer {self.token}"} if self.token and host == self.origin else own

    @property
    def origin(self) -> tuple[str, str | None, int | None]:
        """Scheme, host, port."""
        return _origin(self.url)


class Fetched(NamedTuple):
    """What the Hub says of a file: the commit it is from, and its checksum as bare hex (empty where it states none)."""

    commit: str | None
    etag: str


class MissingError(DataError):
    """The Hub has no such data set, revision or file."""


class _AgainError(Exception):
    """Worth another try; `wait` is what the server asks for."""

    def __init__(self, said: str, wait: float | None = None) -> None:
        self.said, self.wait = said, wait


def endpoint_of(url: str, token: str) -> HubEndpoint:
    """The Hub that HF_ENDPOINT and HF_TOKEN name. Raises UsageError, without their values: they may hold secrets."""
    url, token = url.strip().rstrip("/") or DEFAULT, token.strip()
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good or any(c.isspace() for c in url):
        raise UsageError("HF_ENDPOINT is not of the form https://host; set it anew or unset it")
    if token and not re.fullmatch(r"[!-~]+", token):
        raise UsageError("HF_TOKEN holds spaces or characters that can't stand in a header; set it anew")
    return HubEndpoint(url, token)


def fetch(endpoint: HubEndpoint, repo: str, revision: str, path: str, to: Path) -> Fetched:
    """Downloads a file of a data set into `to`.

    Raises:
        MissingError: not there.
        DataError: not reachable, or refused, in one line.
        OSError: `to` can't be written.
    """
    return _run(_fetch(endpoint, repo, revision, path, to))


async def _fetch(endpoint: HubEndpoint, repo: str, revision: str, path: str, to: Path) -> Fetched:
    import aiohttp

    name = f"{repo}/{path}"
    address = f"{endpoint.url}/datasets/{repo}/resolve/{quote(revision, safe='')}/{quote(path)}"
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S, sock_read=_READ_S)
    proxies = urlsplit(endpoint.url).hostname not in _LOCAL
    async with aiohttp.ClientSession(timeout=timeout, trust_env=proxies, auto_decompress=False) as session:
        for attempt in range(_TRIES):
            try:
                return await _once(session, endpoint, address, name, to)
            except _AgainError as error:
                problem, wait = error.said, error.wait
            except (aiohttp.ClientError, TimeoutError) as error:
                problem, wait = _words(error), None
            if attempt + 1 < _TRIES:
                await asyncio.sleep(min(_LONGEST_WAIT_S, _BACKOFF_S * 2**attempt if wait is None else wait))
    where = f"{endpoint.shown} is not reachable" if problem.startswith("can't connect") else f"no answer from {endpoint.shown}"
    raise DataError(f"{where} ({problem}); {_ELSE}", source=name)


async def _once(session: aiohttp.ClientSession, endpoint: HubEndpoint, address: str, name: str, to: Path) -> Fetched:
    """One try, through all redirects."""
    from yarl import URL

    url = URL(address, encoded=True)
    commit, etag = None, ""
    for _ in range(_REDIRECTS):
        own = _origin(str(url)) == endpoint.origin
        sent = url.with_user(None) if endpoint.token and own else url  # the token and user:password@ use the same header
        async with session.get(sent, headers=endpoint.headers(_origin(str(url))), allow_redirects=False) as response:
            if own:
                commit = commit or response.headers.get("X-Repo-Commit")
                etag = etag or _hash_of(response.headers.get("X-Linked-Etag")) or _hash_of(response.headers.get("ETag"))
            if response.status in (301, 302, 303, 307, 308) and (target := response.headers.get("Location")):
                url = url.join(URL(target, encoded=True))
                continue
            if response.status != 200:
                raise _refused(response, endpoint, name)
            if response.content_type == "text/html":  # the way of a login page, or of a proxy; it may repeat the token
                raise DataError(f"{endpoint.shown} answers with a web page, not the file; {_ELSE}", source=name)
            with to.open("wb") as handle:
                async for block in response.content.iter_chunked(_BLOCK):
                    handle.write(block)
            return Fetched(commit, etag)
    raise DataError(f"{endpoint.shown} redirects in circles; set HF_ENDPOINT anew, or give the file with --data", source=name)


def _refused(response: aiohttp.ClientResponse, endpoint: HubEndpoint, name: str) -> Exception:
    """What a status that is not 200 means; the Hub's own word for it is in a header."""
    status, code = response.status, response.headers.get("X-Error-Code", "")
    if status == 429 or status >= 500 or status == 408:
        after = response.headers.get("Retry-After", "")
        return _AgainError(f"HTTP {status}", float(after) if re.fullmatch(r"\d{1,4}", after) else None)
    if status in (401, 403):
        if endpoint.token:
            said = f"HF_TOKEN is not accepted by {endpoint.shown} (HTTP {status}); set another one"
        else:
            said = f"{endpoint.shown} wants to know who asks (HTTP {status}); set HF_TOKEN to a token that may read it"
        return DataError(f"{said}, or give the file with --data", source=name)
    if status == 404:
        what = "revision" if code == "RevisionNotFound" else "data set" if code == "RepoNotFound" else "file at this revision"
        return MissingError(f"{endpoint.shown} has no such {what}; give the file with --data", source=name)
    return DataError(f"{endpoint.shown} answers HTTP {status}; give the file with --data", source=name)


def _hash_of(etag: str | None) -> str:
    """A checksum as bare hex; empty where the tag is none."""
    found = re.fullmatch(r'(?:W/)?"?([0-9a-f]{64}|[0-9a-f]{40})"?', (etag or "").strip())
    return found[1] if found else ""


def _words(error: Exception) -> str:
    """What the network did, without an address: that of the storage is signed."""
    import aiohttp

    if isinstance(error, TimeoutError):  # aiohttp's own, too
        connecting = isinstance(error, aiohttp.ConnectionTimeoutError)
        return f"can't connect in {_CONNECT_S:g} s" if connecting else f"nothing came for {_READ_S:g} s"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return "its certificate is not accepted; name yours in SSL_CERT_FILE"
    if isinstance(error, aiohttp.ClientConnectorError):
        return f"can't connect: {printable(str(error.os_error.strerror or error.os_error))}"
    return f"broke off: {type(error).__name__}"


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _run(work: Coroutine[Any, Any, Fetched]) -> Fetched:
    """From sync code, inside a running event loop too (then in a thread of its own)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    made: list[Fetched | BaseException] = []

    def call() -> None:
        try:
            made.append(asyncio.run(work))
        except BaseException as error:
            made.append(error)

    thread = threading.Thread(target=call, name="rationalerm-hub")
    thread.start()
    thread.join()
    if isinstance(made[0], BaseException):
        raise made[0]
    return made[0]
