"""Proxies, exemptions and certificates, as the environment's variables say."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from rationalerm.errors import UsageError
from rationalerm.llm.network import certificates, find_proxy

VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the outer variables."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def proxied(monkeypatch: pytest.MonkeyPatch, address: str, **variables: str) -> str | None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = find_proxy(address)
    return found.url if found else None


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.9.9.9", "[::1]", "localhost", "LOCALHOST", "localhost.", "a.localhost", "0.0.0.0", "[::]"),
        *("[::ffff:127.0.0.1]", "localhost.localdomain", "ip6-localhost"),
    ],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_never_for_loopback(monkeypatch: pytest.MonkeyPatch, host: str, scheme: str) -> None:
    """JA5."""
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")
    assert proxied(monkeypatch, f"{scheme}://{host}:8000/v1", **proxies) is None


@pytest.mark.parametrize(
    ("address", "variables", "url"),
    [
        ("http://h/v1", {"HTTP_PROXY": "http://p:1"}, "http://p:1"),
        ("http://h/v1", {"http_proxy": "http://p:1"}, "http://p:1"),
        ("https://h/v1", {"HTTP_PROXY": "http://p:1"}, None),
        ("https://h/v1", {"HTTPS_PROXY": "p:1"}, "http://p:1"),
        ("https://h/v1", {"ALL_PROXY": "http://p:1"}, "http://p:1"),
        ("https://h/v1", {"HTTPS_PROXY": "http://q:2", "ALL_PROXY": "socks5://p:1"}, "http://q:2"),
        ("https://h/v1", {"HTTPS_PROXY": ""}, None),
        ("https://h/v1", {}, None),
    ],
)
def test_which_variable(monkeypatch: pytest.MonkeyPatch, address: str, variables: dict[str, str], url: str | None) -> None:
    assert proxied(monkeypatch, address, **variables) == url


@pytest.mark.parametrize(
    ("host", "rules", "exempt"),
    [
        ("host.example", "host.example", True),
        ("a.host.example", "host.example", True),
        ("a.host.example", ".host.example", True),
        ("a.host.example", "*.host.example", True),
        ("HOST.example", "Host.Example.", True),
        ("otherhost.example", "host.example", False),
        ("host.example", "*", True),
        ("host.example", "x, host.example , y", True),
        ("host.example", "x host.example", True),
        ("host.example", "host.example:443", True),
        ("host.example", "host.example:8443", False),
        ("host.example:8443", "host.example:8443", True),
        ("10.1.2.3", "10.0.0.0/8", True),
        ("11.1.2.3", "10.0.0.0/8", False),
        ("10.1.2.3", "10.1.2.3", True),
        ("10.1.2.3", "10.1.2.3/16", True),
        ("[fd00::1]", "fd00::/8", True),
        ("[fd00::1]", "[fd00::1]", True),
        ("[fd00::1]:80", "[fd00::1]:80", True),
        ("[fd00::1]:81", "[fd00::1]:80", False),
        ("host.example", "", False),
        ("host.example", ",,", False),
        ("host.example", ".", False),
    ],
)
def test_no_proxy(monkeypatch: pytest.MonkeyPatch, host: str, rules: str, exempt: bool) -> None:
    found = proxied(monkeypatch, f"https://{host}/v1", HTTPS_PROXY="http://p:1", NO_PROXY=rules)
    assert (found is None) == exempt


def test_a_proxy_is_shown_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://user:pw%40TEST@p:1")
    proxy = find_proxy("https://h/v1")
    assert proxy is not None
    assert proxy.shown == "http://p:1 (HTTPS_PROXY)"
    assert "TEST" not in repr(proxy)
    assert "TEST" not in proxy.redact("bad proxy http://user:pw%40TEST@p:1, password pw@TEST")


@pytest.mark.parametrize(
    "url", ["socks5://u:pw-TEST@p:1", "http://u:pw-TEST@p:port", "http://u:pw-TEST@", "http://u:pw-TEST@p :1", "x://"]
)
def test_a_proxy_that_can_not_be_used(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("HTTPS_PROXY", url)
    with pytest.raises(UsageError, match=r"HTTPS_PROXY .*--no-proxy") as caught:
        find_proxy("https://h/v1")
    assert "pw-TEST" not in str(caught.value)


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_certificates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str) -> None:
    assert certificates() is True
    monkeypatch.setenv(variable, str(tmp_path))
    assert isinstance(certificates(), ssl.SSLContext), "a folder of them"
    for name, text in (("missing", None), ("empty", ""), ("text", "no certificate")):
        path = tmp_path / name
        if text is not None:
            path.write_text(text)
        monkeypatch.setenv(variable, str(path))
        with pytest.raises(UsageError, match=variable):
            certificates()
