"""One HTTP exchange with the endpoint, over one shared session. Retries nothing, reads nothing of the text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import aiohttp
from yarl import URL

from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.faults import Fault, http_fault
from rationalerm.llm.network import certificates, find_proxy
from rationalerm.llm.question import Reply
from rationalerm.llm.reply import read_reply

__all__ = ["Wire"]

_CONNECT_S = 30.0
_NO_CONNECTION = -1  # a fault's status


class Wire:
    """An open session. Use it from one event loop.

    Args:
        endpoint: where to.
        at_once: most open connections.
        proxies: whether the environment's proxies are used.
        reader: of the body that comes with HTTP 200.

    Raises:
        UsageError: a proxy or certificate file that can't be used.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        at_once: int,
        *,
        proxies: bool = True,
        reader: Callable[[bytes], Reply | Fault] = read_reply,
    ) -> None:
        self._endpoint, self._reader = endpoint, reader
        self._address = URL(endpoint.address)
        self._proxy = find_proxy(endpoint.address) if proxies else None
        self._proxy_url = URL(self._proxy.url) if self._proxy else None
        self._connect_s = min(_CONNECT_S, endpoint.timeout)
        timeout = aiohttp.ClientTimeout(total=endpoint.timeout, sock_connect=self._connect_s)
        secure = "https" in (self._address.scheme, self._proxy_url.scheme if self._proxy_url else "")
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=at_once, ssl=certificates() if secure else True, ttl_dns_cache=300),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=endpoint.headers(),
            timeout=timeout,
        )

    async def close(self) -> None:
        """Closes the connections."""
        await self._session.close()

    async def post(self, data: bytes) -> Reply | Fault:
        """Sends one request and reads its whole answer; what went wrong is a `Fault`, never an exception of the network."""
        try:
            async with self._session.post(self._address, data=data, proxy=self._proxy_url, allow_redirects=False) as response:
                body = await response.read()
                status, headers = response.status, response.headers
        except (TimeoutError, aiohttp.ClientError, OSError, asyncio.IncompleteReadError, ValueError) as error:
            return self._broken(error)
        if 200 <= status < 300:
            got = self._reader(body)
            return self._seen(self._reader(self._clean(body))) if isinstance(got, Fault) else got
        if 300 <= status < 400:
            return Fault("no such address", f"redirects elsewhere (HTTP {status}); set OPENAI_BASE_URL anew", "stop")
        return self._seen(http_fault(status, headers, self._clean(body)))

    def _broken(self, error: Exception) -> Fault:
        """What the network did."""
        where = self._endpoint.shown + (f" through the proxy {self._proxy.shown}" if self._proxy else "")
        if isinstance(error, aiohttp.ConnectionTimeoutError):
            return Fault(
                "connection", f"can't connect to {where}: no answer in {self._connect_s:g} s", "retry", status=_NO_CONNECTION
            )
        if isinstance(error, TimeoutError):
            return Fault("timeout", f"no answer from {where} in {self._endpoint.timeout:g} s", "slow down")
        if isinstance(error, aiohttp.ClientConnectorCertificateError):
            words = self._words(str(error.certificate_error))
            return Fault("certificate", f"is not accepted ({words}); name yours in SSL_CERT_FILE", "stop")
        if isinstance(error, aiohttp.ClientHttpProxyError):
            words = f"can't reach {where}: HTTP {error.status} from the proxy"
            return Fault("connection", words, "stop" if error.status == 407 else "retry", status=_NO_CONNECTION)
        if isinstance(error, aiohttp.ClientConnectorError):
            words = self._words(str(error.os_error.strerror or error.os_error or type(error).__name__))
            return Fault("connection", f"can't connect to {where}: {words}", "retry", status=_NO_CONNECTION)
        said = error.message if isinstance(error, aiohttp.ClientResponseError) else str(error)  # its text would hold the URL
        return Fault("connection", f"{where} broke off: {self._words(said) or type(error).__name__}", "retry")

    def _seen(self, got: Reply | Fault) -> Reply | Fault:
        """A proxy's own refusal looks like the server's: so its name is beside it."""
        if self._proxy is None or not isinstance(got, Fault):
            return got
        return replace(got, detail=f"{got.detail} (through the proxy {self._proxy.shown})")

    def _clean(self, body: bytes) -> bytes:
        """Before any of it is cut short: half a secret is one too."""
        return self._endpoint.redact(body.decode("utf-8", "replace")).encode()

    def _words(self, words: str) -> str:
        clean = self._endpoint.redact(" ".join(words.split()))
        return (self._proxy.redact(clean) if self._proxy else clean)[:300]
