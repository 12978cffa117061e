"""Which server and model to ask, and how: validated once, printable without its secrets. Sends nothing."""

from __future__ import annotations

import base64
import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import SplitResult, unquote, unquote_plus, urlsplit, urlunsplit

import orjson

from rationalerm.errors import UsageError

__all__ = ["DEFAULT_URL", "Endpoint"]

DEFAULT_URL = "https://api.openai.com/v1"
_PATH = "/chat/completions"
_SECRET_FIELD = re.compile(r"(?i)api[-_]?key|secret|passw|authori[sz]ation|credential|^(?:access[-_]?|auth[-_]?)?token$")
_SECRET_QUERY = re.compile(r"(?i)key|token|secret|passw|auth|credential|sig|code")
_LEAST_SECRET = 4  # a shorter word can't be told from text, and hides nothing
_NO_KEY = re.compile(
    r"(?i)none|null|empty|dummy|test|fake|key|token|local|ollama|vllm|sglang|unused|lm-studio|not-needed|no-key(?:-required)?"
)
_WORD = re.compile(r"[A-Za-z]{1,12}|[\d.:-]{1,12}(?:-preview)?")  # "none", "EMPTY", "2024-06-01": may stand in any answer


@dataclass(frozen=True)
class Endpoint:
    """A chat endpoint (`POST {url}/chat/completions`) and the sampling that is asked of it.

    Args:
        url: the base, as OPENAI_BASE_URL has it; user:password@ and ?query are used and never shown.
        model: the server's name for the model.
        key: sent as a bearer token; never shown.
        temperature: None leaves it to the server.
        max_tokens: of every answer; None: each kind of question has its own limit.
        seed: sent along where given. Neither it nor temperature 0 makes a server deterministic.
        extra_body: more fields of the request.
        timeout: seconds for one request, from its sending to its last byte.
        structured: ask for output by JSON schema, where a question has one and the server takes it.
        reasoning_as_answer: read `reasoning_content` where `content` is empty.

    Raises:
        UsageError: a value that no server could take.
    """

    url: str = field(repr=False)
    model: str
    key: str | None = field(default=None, repr=False)
    temperature: float | None = 0.0
    max_tokens: int | None = None
    seed: int | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = 600.0
    structured: bool = False
    reasoning_as_answer: bool = False

    def __post_init__(self) -> None:
        _checked_url(self.url)
        if not self.model.strip():
            raise UsageError("--model is empty; name the model as the server does")
        if self.key is not None and not re.fullmatch(r"[!-~]+", self.key):
            raise UsageError("the API key holds spaces or characters that can't stand in a header; set it anew")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise UsageError(f"--max-tokens is {self.max_tokens}; give 1 or more")
        if self.temperature is not None and not 0 <= self.temperature <= 10:
            raise UsageError(f"--temperature is {self.temperature}; give 0 to 10")
        if not 0 < self.timeout < math.inf:
            raise UsageError(f"--timeout is {self.timeout}; give a number of seconds over 0")
        if _holds_secret(self.extra_body):
            raise UsageError("--extra-body holds a field for a secret; keys are read from the environment only")
        for name in ("messages", "model", "stream", "n"):
            if name in self.extra_body:
                raise UsageError(f"--extra-body can't set {name}")
        try:
            orjson.dumps([self.identity(), 4 * (self.max_tokens or 0), (self.seed or 0) + 2**32])
        except (TypeError, OverflowError) as error:
            raise UsageError(f"the model, --seed, --max-tokens or --extra-body can't be sent as JSON: {error}") from None

    @classmethod
    def from_env(cls, model: str, *, base_url: str | None = None, api_key_env: str | None = None, **options: Any) -> Endpoint:
        """The endpoint of OPENAI_BASE_URL and OPENAI_API_KEY.

        Args:
            model: the model.
            base_url: in place of OPENAI_BASE_URL.
            api_key_env: the variable that holds the key, in place of OPENAI_API_KEY.
            options: the other fields.

        Raises:
            UsageError: a named variable that is not set, or no key for the hosted default.
        """
        url = base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or DEFAULT_URL
        key = os.environ.get(api_key_env or "OPENAI_API_KEY", "").strip() or None
        if key is None and api_key_env:
            raise UsageError("--api-key-env names a variable that is not set; it takes the variable's name, never the key")
        made = cls(url=url, model=model, key=key, **options)
        if key is None and made.shown == DEFAULT_URL:
            raise UsageError("OPENAI_API_KEY is not set; set it, or point OPENAI_BASE_URL at your own server")
        return made

    @property
    def shown(self) -> str:
        """The URL as it may be printed and stored: no user, password or query."""
        parts = _parts(self.url)
        return urlunsplit((parts.scheme, _host(parts), parts.path, "", ""))

    @property
    def address(self) -> str:
        """Where requests go."""
        parts = _parts(self.url)
        return urlunsplit((parts.scheme, _host(parts), parts.path + _PATH, parts.query, ""))

    def headers(self) -> dict[str, str]:
        """Of every request. A key outranks user:password@ in the URL: both use the same header."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        parts = urlsplit(self.url)
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        elif parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        return headers

    def redact(self, text: str) -> str:
        """A server's words without our secrets, which some servers repeat."""
        return _without(self._secrets, text)

    def redact_answer(self, text: str) -> str:
        """A model's words: a secret that is also a plain word or number (`?beta=true`) stays here, as part of the answer."""
        return _without(self._no_words, text)

    @property
    def own_limit(self) -> bool:
        """Does `extra_body` set the answer's limit?"""
        return "max_tokens" in self.extra_body or "max_completion_tokens" in self.extra_body

    def identity(self) -> dict[str, Any]:
        """What can change an answer, for run.json. Not the address: a server that moved to another port is the same model."""
        return {
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "extra_body": dict(self.extra_body),
            "structured": self.structured,
            "reasoning_as_answer": self.reasoning_as_answer,
        }

    @cached_property
    def _secrets(self) -> tuple[str, ...]:
        """Key, password and query, as they are sent, as they are meant and as JSON writes them; the longest first."""
        parts = urlsplit(self.url)
        key = "" if self.key is None or _NO_KEY.fullmatch(self.key) else self.key  # what local servers are given hides nothing
        found = [key, parts.password or parts.username or ""]
        for name, _, value in (pair.partition("=") for pair in parts.query.split("&")):
            if _SECRET_QUERY.search(name) or not _WORD.fullmatch(value):
                found += [value or name, unquote_plus(value)]
        found += [unquote(secret) for secret in found]
        found += [form for secret in found for form in (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])]
        if parts.username is not None and not self.key:
            found.append(self.headers()["Authorization"].split(" ", 1)[1])
        return tuple(sorted({secret for secret in found if len(secret) >= _LEAST_SECRET}, key=len, reverse=True))

    @cached_property
    def _no_words(self) -> tuple[str, ...]:
        return tuple(secret for secret in self._secrets if not _WORD.fullmatch(secret))


def _without(secrets: tuple[str, ...], text: str) -> str:
    for secret in secrets:
        if secret in text:
            text = text.replace(secret, "***")
    return text


def _holds_secret(value: Any) -> bool:
    """Is there a field for a secret, at any depth?"""
    inner = [value]
    while inner:
        value = inner.pop()
        if isinstance(value, Mapping):
            if any(_SECRET_FIELD.search(str(name)) for name in value):
                return True
            inner += value.values()
        elif isinstance(value, list | tuple):
            inner += value
    return False


def _parts(url: str) -> SplitResult:
    """The base, whatever of `/` or `/chat/completions` was left at its end."""
    parts = urlsplit(url)
    return parts._replace(path=parts.path.rstrip("/").removesuffix(_PATH).rstrip("/"))


def _host(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


def _checked_url(url: str) -> None:
    """Raises UsageError, without the URL in it: it may hold a password."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
        good = good and "@" not in parts.path + parts.fragment  # a password with a bare / or # in it would be shown
    except ValueError:
        good = False
    if not good or any(c.isspace() for c in url):
        raise UsageError("the base URL is not of the form http://host:port/v1; set OPENAI_BASE_URL anew")
