"""One HTTP exchange with the endpoint, over one shared session. Retries nothing, reads nothing of the text."""

from __future__ import annotations

import asyncio

import aiohttp

from rationalerm.errors import StoppedError
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.faults import Fault, http_fault
from rationalerm.llm.network import certificates, find_proxy
from rationalerm.llm.question import Reply
from rationalerm.llm.reply import read_reply

__all__ = ["Wire"]

_CONNECT_S = 30.0


class Wire:
    """An open session. Use it from one event loop.

    Args:
        endpoint: where to.
        at_once: most open connections.
        proxies: whether the environment's proxies are used.
    """

    def __init__(self, endpoint: Endpoint, at_once: int, *, proxies: bool = True) -> None:
        self._endpoint = endpoint
        self._address, self._headers = endpoint.address, endpoint.headers()
        self._proxy = find_proxy(self._address) if proxies else None
        self._timeout = aiohttp.ClientTimeout(total=endpoint.timeout, sock_connect=min(_CONNECT_S, endpoint.timeout))
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=at_once, ssl=certificates(), ttl_dns_cache=300),
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    async def close(self) -> None:
        """Closes the connections."""
        await self._session.close()

    async def post(self, data: bytes) -> Reply | Fault:
        """Sends one request and reads its whole answer; what went wrong is a `Fault`, never an exception of the network.

        Raises:
            StoppedError: a server that can't be talked to safely (its certificate).
        """
        proxy = self._proxy.url if self._proxy else None
        try:
            async with self._session.post(
                self._address, data=data, headers=self._headers, timeout=self._timeout, proxy=proxy, allow_redirects=False
            ) as response:
                body = await response.read()
                status, headers = response.status, response.headers
        except TimeoutError:
            return Fault("timeout", f"no answer from {self._where} in {self._endpoint.timeout:g} s", "slow down")
        except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError) as error:
            words = str(getattr(error, "certificate_error", None) or getattr(error, "os_error", error))
            raise StoppedError(f"{self._where}: its certificate is not accepted ({self._clean(words)}); name yours in SSL_CERT_FILE") from None
        except aiohttp.ClientHttpProxyError as error:
            return Fault("connection", self._clean(f"{self._where} can't be reached: HTTP {error.status}"), "retry")
        except (aiohttp.ClientConnectorError, aiohttp.ClientProxyConnectionError) as error:
            words = error.strerror or type(error).__name__
            return Fault("connection", self._clean(f"can't connect to {self._where}: {words}"), "retry", status=-1)
        except (aiohttp.ClientError, OSError, asyncio.IncompleteReadError, ValueError) as error:
            words = str(error) or type(error).__name__
            return Fault("connection", self._clean(f"{self._where} broke off: {words}"), "retry")
        if status == 200:
            return read_reply(body)
        if 300 <= status < 400:
            return Fault("no such address", f"{self._where} redirects elsewhere (HTTP {status}); set OPENAI_BASE_URL anew", "stop")
        return http_fault(status, headers, body)

    @property
    def _where(self) -> str:
        through = f" through the proxy {self._proxy.shown}" if self._proxy else ""
        return f"{self._endpoint.shown}{through}"

    def _clean(self, words: str) -> str:
        return self._endpoint.redact(" ".join(words.split()))[:300]
