"""Proxies and certificates, as the ecosystem's variables say: HTTP(S)_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE, REQUESTS_CA_BUNDLE.

Read once a run, since reading them a request costs more than the request. Loopback never goes through a proxy.
"""

from __future__ import annotations

import ipaddress
import os
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies_environment

from rationalerm.errors import UsageError

__all__ = ["Proxy", "certificates", "find_proxy"]


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy's URL (it may hold a password: `shown` has none) and the variable that named it."""

    url: str
    variable: str

    @property
    def shown(self) -> str:
        """For messages."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]} ({self.variable})"


def find_proxy(address: str) -> Proxy | None:
    """The proxy that the environment names for an address; None: none, or the host is exempt."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    found = getproxies_environment()
    kind = next((kind for kind in (parts.scheme, "all") if found.get(kind)), None)
    if kind is None or _is_loopback(host) or _exempt(host, parts.port, found.get("no", "")):
        return None
    variable = f"{kind}_proxy"
    url = found[kind] if "://" in found[kind] else f"http://{found[kind]}"
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"{variable.upper()} names a {url.split('://')[0]} proxy, only http proxies are spoken; use --no-proxy")
    return Proxy(url, variable if variable in os.environ else variable.upper())


def certificates() -> ssl.SSLContext | bool:
    """The system's certificates, or those of SSL_CERT_FILE, REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE.

    Raises:
        UsageError: the file named is not there or holds no certificate.
    """
    for variable in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        if path := os.environ.get(variable):
            try:
                folder = Path(path).is_dir()
                return ssl.create_default_context(cafile=None if folder else path, capath=path if folder else None)
            except (OSError, ssl.SSLError) as error:
                raise UsageError(f"{variable}={path}: can't be read as certificates: {error}") from None
    return True


def _is_loopback(host: str) -> bool:
    if host.lower().rstrip(".") == "localhost" or host.lower().endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _exempt(host: str, port: int | None, rules: str) -> bool:
    """NO_PROXY: names, suffixes, addresses, address ranges, `*`; with a port where one is given."""
    for rule in (part.strip().lower() for part in rules.split(",")):
        name, _, at = rule.partition(":") if rule.count(":") == 1 else (rule, "", "")
        if not rule or (at and at != str(port)):
            continue
        if name == "*" or _in_range(host, name):
            return True
        suffix = name.lstrip("*").lstrip(".")
        if suffix and (host.lower() == suffix or host.lower().endswith("." + suffix)):
            return True
    return False


def _in_range(host: str, rule: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(rule.strip("[]"), strict=False)
    except ValueError:
        return False
