"""Opening a client from a run's settings: all that was opened is closed, whatever goes wrong on the way."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from endpoint import FakeEndpoint
from rationalerm.errors import DataError, UsageError
from rationalerm.llm.endpoint import Endpoint
from rationalerm.llm.limits import Limits
from rationalerm.llm.settings import ChatSettings


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RATIONALERM_CACHE_DIR", str(tmp_path / "cache"))


def opened(settings: ChatSettings) -> bool:
    async def session() -> bool:
        async with settings.open() as chat:
            return chat.sender is not None

    return asyncio.run(session())


def test_open_and_close(tmp_path: Path) -> None:
    before = threading.active_count()
    assert opened(ChatSettings(Endpoint("http://127.0.0.1:9/v1", "m"), log_file=tmp_path / "log"))
    assert threading.active_count() == before
    assert (tmp_path / "cache" / "chat.sqlite").exists()


def test_without_a_cache(tmp_path: Path) -> None:
    assert opened(ChatSettings(Endpoint("http://127.0.0.1:9/v1", "m"), cache=False))
    assert not (tmp_path / "cache").exists()


def test_what_can_not_be_opened_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    endpoint = Endpoint("https://host.example/v1", "m")
    before = threading.active_count()
    with pytest.raises(UsageError, match="--log-file"):
        opened(ChatSettings(endpoint, log_file=tmp_path / "no" / "log"))
    with monkeypatch.context() as patched:
        patched.setenv("SSL_CERT_FILE", str(tmp_path / "missing"))
        with pytest.raises(UsageError, match="SSL_CERT_FILE"):
            opened(ChatSettings(endpoint))
    with monkeypatch.context() as patched:
        patched.setenv("HTTPS_PROXY", "socks5://p:1")
        patched.delenv("NO_PROXY", raising=False)
        patched.delenv("no_proxy", raising=False)
        patched.delenv("https_proxy", raising=False)
        with pytest.raises(UsageError, match="socks5 proxy"):
            opened(ChatSettings(endpoint))
    (tmp_path / "cache").mkdir(exist_ok=True)
    (tmp_path / "cache" / "chat.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(DataError):
        asyncio.run(looked_up(ChatSettings(endpoint)))
    assert threading.active_count() == before


async def looked_up(settings: ChatSettings) -> None:
    async with settings.open() as chat:
        assert chat._cache is not None
        await chat._cache.lookup("key")


def test_a_broken_certificate_file_is_no_matter_to_plain_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/missing")
    with FakeEndpoint() as server:
        assert opened(ChatSettings(Endpoint(server.url, "m")))


@pytest.mark.parametrize(
    "options",
    [
        {"concurrency": 0},
        {"max_retries": -1},
        {"format_retries": -1},
        {"rpm": 0},
        {"tpm": -5},
        {"rpm": float("inf")},
        {"tpm": float("nan")},
    ],
)
def test_limits_out_of_range(options: dict[str, float]) -> None:
    name = next(iter(options)).replace("_", "-")
    with pytest.raises(UsageError, match=f"--{name}"):
        Limits(**options)  # type: ignore[arg-type]
