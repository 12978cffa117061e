"""A scoring server on a loopback port: vLLM's, SGLang's or TEI's routes, as far as a benchmark's client meets them.

A response's number comes from its texts alone. Answers with an index come in another order than the request, as a reranker's do.
What goes wrong is what `wrong` returns. Knows nothing of the package.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from aiohttp import web

Body = dict[str, Any]
Wrong = Callable[[str, Body, int], "web.Response | None"]
SERVERS = {
    "vllm-classify": ("/classify",),
    "vllm-classify, no chat": ("/classify",),
    "vllm-score": ("/score", "/v1/score"),
    "vllm-score, v1": ("/v1/score",),
    "vllm-rerank": ("/rerank", "/v1/rerank"),
    "sglang": ("/classify",),
    "tei": ("/rerank",),
    "chat only": (),
}


def number(prompt: str, response: str) -> float:
    """A response's score, from -8 to 8."""
    digest = hashlib.sha256(f"{prompt}\x1f{response}".encode("utf-8", "replace")).digest()
    return round(int.from_bytes(digest[:4], "big") / 2**32 * 16 - 8, 6)


@dataclass
class FakeScorer:
    """Args:

    server: one of `SERVERS`.
    wrong: called with route, body and the request's number (from 1): what it returns is the answer.
    score: (prompt, response) -> number; what is no number is sent as it is.
    latency: seconds before each answer.
    most: most responses of a request; TEI's refusal beyond.
    outputs: numbers a response, the first of them its score.
    """

    server: str
    wrong: Wrong = lambda route, body, n: None
    score: Callable[[str, str], Any] = number
    latency: float = 0.0
    most: int = 32
    outputs: int = 1
    requests: list[tuple[str, Body, dict[str, str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.port = self.open = self.peak = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: asyncio.Event | None = None

    @property
    def url(self) -> str:
        """As OPENAI_BASE_URL takes it."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def scored(self) -> list[tuple[str, str]]:
        """(prompt, response) of everything that was asked about, in order of arrival."""
        return [pair for route, body, _ in self.requests for pair in self._pairs(body)]

    def __enter__(self) -> FakeScorer:
        started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(started)), name="scorer", daemon=True)
        self._thread.start()
        assert started.wait(10), "the fake did not start"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends the server; may be called twice."""
        if self._loop is not None and self._ended is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._ended.set)
            self._thread.join(10)

    def wait_for(self, condition: Callable[[FakeScorer], bool], seconds: float = 20.0) -> None:
        """AssertionError where it does not come true."""
        end = time.monotonic() + seconds
        while not condition(self):
            assert time.monotonic() < end, f"waited {seconds} s; {len(self.requests)} requests came"
            time.sleep(0.002)

    async def _serve(self, started: threading.Event) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=1 << 28)
        app.router.add_post("/{route:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.0, handler_cancellation=True)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", self.port, reuse_address=True).start()
        self.port = runner.addresses[0][1]
        started.set()
        await self._ended.wait()
        await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        route, body = request.path, json.loads(await request.read())
        if route not in SERVERS[self.server]:
            return web.json_response({"detail": "Not Found"}, status=404)
        if (problem := self._unreadable(body)) is not None:
            return web.json_response({"error": {"message": problem, "type": "BadRequestError", "code": 400}}, status=400)
        self.requests.append((route, body, dict(request.headers)))
        self.open += 1
        self.peak = max(self.peak, self.open)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            if (wrong := self.wrong(route, body, len(self.requests))) is not None:
                return wrong
            pairs = self._pairs(body)
            if self.server == "tei" and len(pairs) > self.most:
                said = f"batch size {len(pairs)} > maximum allowed batch size {self.most}"
                return web.json_response({"error": said, "error_type": "Validation"}, status=413)
            return web.Response(text=json.dumps(self._scores(pairs)), content_type="application/json")
        finally:
            self.open -= 1

    def _unreadable(self, body: Body) -> str | None:
        """What a server says to a request in another's dialect."""
        wanted = {
            "vllm-classify": ({"messages"}, {"input"}),
            "vllm-classify, no chat": ({"input"},),
            "vllm-score": ({"text_1", "text_2"},),
            "vllm-score, v1": ({"text_1", "text_2"},),
            "vllm-rerank": ({"query", "documents"},),
            "sglang": ({"text"},),
            "tei": ({"query", "texts"},),
        }[self.server]
        if any(names <= set(body) for names in wanted):
            return None
        return f"Field required: {', '.join(sorted(wanted[0]))}"

    def _pairs(self, body: Body) -> list[tuple[str, str]]:
        if "messages" in body:
            *prompt, last = body["messages"]
            assert last["role"] == "assistant"
            return [("\n".join(turn["content"] for turn in prompt), last["content"])]
        if "text_1" in body:
            return list(zip(body["text_1"], body["text_2"], strict=True))
        if "query" in body:
            return [(body["query"], text) for text in body.get("documents") or body["texts"]]
        texts = body.get("text") or body["input"]
        return [("", text) for text in texts]

    def _scores(self, pairs: list[tuple[str, str]]) -> Any:
        scores = [self.score(*pair) for pair in pairs]
        usage = {"prompt_tokens": sum(len(a + b) // 4 + 1 for a, b in pairs), "total_tokens": 9, "completion_tokens": 0}
        more = [0.5] * (self.outputs - 1)
        if self.server == "sglang":
            return [{"embedding": [s, *more], "meta_info": {"id": str(k), "prompt_tokens": 7}} for k, s in enumerate(scores)]
        ranked = sorted(enumerate(scores), key=lambda one: str(one[1]))  # any order but that of the request
        if self.server == "tei":
            return [{"index": k, "score": s} for k, s in ranked]
        if self.server == "vllm-rerank":
            return {"results": [{"index": k, "relevance_score": s, "document": {"text": ""}} for k, s in ranked], "usage": usage}
        if self.server.startswith("vllm-score"):
            return {"object": "list", "data": [{"index": k, "object": "score", "score": s} for k, s in ranked], "usage": usage}
        rows = [{"index": k, "label": "LABEL_0", "probs": [s, *more], "num_classes": self.outputs} for k, s in ranked]
        return {"object": "list", "data": rows, "usage": usage}
