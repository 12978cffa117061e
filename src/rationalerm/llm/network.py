"""Proxies and certificates, as the ecosystem's variables say: HTTP(S)_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE, ...

Read once a run, since reading them a request costs more than the request. Loopback never goes through a proxy.
"""

from __future__ import annotations

import ipaddress
import os
import re
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment

from rationalerm.errors import UsageError

__all__ = ["Proxy", "certificates", "find_proxy"]

_LOCAL = ("localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")
_RULE = re.compile(
    r"(\[[^\]]*\]|[^:]*)(?::(\d+))?"
)  # a name with or without a port; anything with more colons is an IPv6 address


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy's URL (it may hold a password: `shown` has none) and the variable that named it."""

    url: str = field(repr=False)
    variable: str

    @property
    def shown(self) -> str:
        """For messages."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]} ({self.variable})"

    def redact(self, text: str) -> str:
        """Words without its password."""
        password = urlsplit(self.url).password or ""
        for secret in {self.url, password, unquote(password)}:
            text = text.replace(secret, "***") if secret else text
        return text


def find_proxy(address: str) -> Proxy | None:
    """The proxy that the environment names for an address; None: none, or the host is exempt.

    Raises:
        UsageError: a proxy of another kind, or what is no URL.
    """
    parts = urlsplit(address)
    host = (parts.hostname or "").rstrip(".")
    found = getproxies_environment()
    kind = next((kind for kind in (parts.scheme, "all") if found.get(kind)), None)
    if kind is None or _is_loopback(host) or _exempt(host, parts.port or _PORTS.get(parts.scheme), found.get("no", "")):
        return None
    variable = f"{kind}_proxy" if f"{kind}_proxy" in os.environ else f"{kind}_proxy".upper()
    url = found[kind] if "://" in found[kind] else f"http://{found[kind]}"
    scheme = url.split("://")[0].lower()
    if scheme not in ("http", "https"):
        named = f"{scheme} proxy" if re.fullmatch(r"[a-z0-9+.-]{1,12}", scheme) else "proxy of another kind"
        raise UsageError(f"{variable} names a {named}, only http proxies are spoken; use --no-proxy")
    if not _is_url(url):
        raise UsageError(f"{variable} is not of the form http://host:port; set it anew or use --no-proxy")
    return Proxy(url, variable)


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


_PORTS = {"http": 80, "https": 443}


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0) and not any(c.isspace() for c in url)
    except ValueError:
        return False


def _is_loopback(host: str) -> bool:
    """This machine: 0.0.0.0, as servers print it, reaches it too."""
    if host.lower() in _LOCAL or host.lower().endswith(".localhost"):
        return True
    address = _address(host)
    return address is not None and (address.is_loopback or address.is_unspecified)


def _exempt(host: str, port: int | None, rules: str) -> bool:
    """NO_PROXY: names, suffixes, addresses, address ranges, `*`; with a port where one is given."""
    for rule in re.split(r"[,\s]+", rules.lower()):
        found = _RULE.fullmatch(rule)
        name, at = (found[1], found[2]) if found else (rule, None)
        if not name or (at and at != str(port)):
            continue
        if name == "*" or _in_range(host, name):
            return True
        suffix = name.lstrip("*").strip(".")
        if suffix and (host.lower() == suffix or host.lower().endswith("." + suffix)):
            return True
    return False


def _in_range(host: str, rule: str) -> bool:
    address = _address(host)
    try:
        return address is not None and address in ipaddress.ip_network(rule.strip("[]"), strict=False)
    except ValueError:
        return False


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
