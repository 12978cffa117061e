"""How each server is asked for the scores of responses, and how its answer is read: bodies and numbers, pure functions.

Five dialects: vLLM's `/classify`, `/score`, `/rerank`, SGLang's `/classify`, TEI's `/rerank`. Each asks for the model's own
number, without the sigmoid or softmax that some put on it: those make large scores equal. An answer is matched to what was asked
by its index where it has one. Sends nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import orjson

from rationalerm.errors import ParseError
from rationalerm.llm.faults import Fault, body_fault, said
from rationalerm.llm.question import Reply
from rationalerm.llm.reply import sendable
from rationalerm.types import Message

__all__ = ["DIALECTS", "Dialect", "Render", "Scored", "Wanted", "dialects", "query_of", "read_body", "text_of", "value_of"]

Render = Callable[[Sequence[Message]], str]  # a conversation as the model was trained on it
Batch = Literal["one", "any", "one prompt"]

DIALECTS = ("vllm-classify", "sglang-classify", "vllm-score", "vllm-rerank", "tei-rerank")  # in the order in which they are tried


class Wanted(NamedTuple):
    """One response to score, behind the conversation that it answers."""

    messages: tuple[Message, ...]
    response: str

    @property
    def turns(self) -> tuple[Message, ...]:
        """The conversation with the response as its last turn."""
        return (*self.messages, Message("assistant", self.response))


class Scored(NamedTuple):
    """A number, or why there is none."""

    score: float | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way of asking.

    Args:
        name: as --dialect has it.
        routes: where it may be served, below the base URL without its /v1.
        batch: which responses may share a request: any, those behind one prompt, none.
        body: the request.
        read: (the answer, how many were asked for, which class) -> a `Scored` each. Raises ParseError for another shape.
    """

    name: str
    routes: tuple[str, ...]
    batch: Batch
    body: Callable[[Sequence[Wanted]], dict[str, Any]]
    read: Callable[[Any, int, int | None], list[Scored]]


def text_of(turns: Sequence[Message]) -> str:
    """A conversation as plain text, for servers that put no chat template around it."""
    return "\n\n".join(f"{turn.role.capitalize()}: {turn.content}" for turn in turns)


def query_of(messages: Sequence[Message]) -> str:
    """What a reranker takes for the query: a single turn's text, else the conversation as plain text."""
    return messages[0].content if len(messages) == 1 else text_of(messages)


def read_body(body: bytes) -> Reply | Fault:
    """The body of an answer as a `Reply` whose text is its JSON; what is none, or an error in a 200, is a fault."""
    raw = body.decode("utf-8", "replace")
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        try:
            value = value_of(raw)
        except (ValueError, RecursionError):
            detail = f"the answer is not JSON: {said(raw)}" if raw.strip() else "the answer is empty"
            return Fault("not JSON", detail, "retry", raw=raw)
    if fault := body_fault(value, raw):
        return fault
    return Reply(raw, "stop", prompt_tokens=_prompt_tokens(value), completion_tokens=0)


def value_of(text: str) -> Any:
    """JSON, with NaN, Infinity and numbers that no float holds (infinite here): a score that is one is its row's failure alone.

    Raises:
        ValueError, RecursionError: it is no JSON.
    """
    return json.loads(text, strict=False, parse_int=lambda digits: int(digits) if len(digits) <= 300 else float(digits))


def dialects(render: Render | None) -> dict[str, Dialect]:
    """All of `DIALECTS` by name. `render`: the model's chat template, applied here."""
    vllm = _vllm_texts(render) if render else Dialect("vllm-classify", ("/classify", "/v1/classify"), "one", _messages, _classes)
    text = render or text_of
    return {
        "vllm-classify": vllm,
        "sglang-classify": Dialect(
            "sglang-classify", ("/classify",), "any", lambda asked: {"text": _texts(asked, text)}, _embeddings
        ),
        "vllm-score": Dialect("vllm-score", ("/score", "/v1/score"), "any", _pairs, _by_index("data", "score")),
        "vllm-rerank": Dialect(
            "vllm-rerank", ("/rerank", "/v1/rerank"), "one prompt", _documents, _by_index("results", "relevance_score")
        ),
        "tei-rerank": Dialect("tei-rerank", ("/rerank",), "one prompt", _tei, _by_index(None, "score")),
    }


def _vllm_texts(render: Render) -> Dialect:
    """Texts with the template on them already: its special tokens are in there."""

    def body(asked: Sequence[Wanted]) -> dict[str, Any]:
        return {"input": _texts(asked, render), "add_special_tokens": False, "use_activation": False}

    return Dialect("vllm-classify", ("/classify", "/v1/classify"), "any", body, _classes)


def _messages(asked: Sequence[Wanted]) -> dict[str, Any]:
    """The server puts the model's own chat template around one conversation."""
    (one,) = asked
    turns = [{"role": turn.role, "content": sendable(turn.content)} for turn in one.turns]
    return {"messages": turns, "add_generation_prompt": False, "use_activation": False}


def _pairs(asked: Sequence[Wanted]) -> dict[str, Any]:
    queries = [sendable(query_of(one.messages)) for one in asked]
    return {"text_1": queries, "text_2": [sendable(one.response) for one in asked], "use_activation": False}


def _documents(asked: Sequence[Wanted]) -> dict[str, Any]:
    documents = [sendable(one.response) for one in asked]
    return {"query": sendable(query_of(asked[0].messages)), "documents": documents, "use_activation": False}


def _tei(asked: Sequence[Wanted]) -> dict[str, Any]:
    texts = [sendable(one.response) for one in asked]
    return {"query": sendable(query_of(asked[0].messages)), "texts": texts, "raw_scores": True, "truncate": False}


def _texts(asked: Sequence[Wanted], render: Render) -> list[str]:
    return [sendable(render(one.turns)) for one in asked]


def _by_index(field: str | None, score: str) -> Callable[[Any, int, int | None], list[Scored]]:
    """Rows with an index each, in any order (rerankers sort by score)."""

    def read(value: Any, n: int, chosen: int | None) -> list[Scored]:
        return [_number(row.get(score)) for row in _rows(value if field is None else _field(value, field), n)]

    return read


def _classes(value: Any, n: int, chosen: int | None) -> list[Scored]:
    return [_of_classes(row.get("probs"), chosen) for row in _rows(_field(value, "data"), n)]


def _embeddings(value: Any, n: int, chosen: int | None) -> list[Scored]:
    """SGLang's rows have no index: they are in the order of the request. One alone may come without a list around it."""
    rows = [value] if isinstance(value, dict) and n == 1 else value
    if not isinstance(rows, list) or len(rows) != n or not all(isinstance(row, dict) and "embedding" in row for row in rows):
        raise ParseError(f"the answer is not {n} rows with an embedding each")
    return [_of_classes(row["embedding"], chosen) for row in rows]


def _field(value: Any, name: str) -> Any:
    if not isinstance(value, dict) or name not in value:
        raise ParseError(f"the answer has no {name}")
    return value[name]


def _rows(rows: Any, n: int) -> list[dict[str, Any]]:
    """Each response's row, by its index. Raises ParseError where they are not each there once."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ParseError("the answer is no list of rows")
    indices = [row.get("index") for row in rows]
    if any(isinstance(index, bool) or not isinstance(index, int) for index in indices) or sorted(indices) != list(range(n)):
        raise ParseError(f"the rows' indices are not 0 to {n - 1}, each once")
    return sorted(rows, key=lambda row: int(row["index"]))


def _of_classes(values: Any, chosen: int | None) -> Scored:
    """The number of a list with one; of several, that of the chosen class."""
    if not isinstance(values, list):
        return _number(values)
    if chosen is None and len(values) > 1:
        raise ParseError(f"the model has {len(values)} outputs a response; say which is the score with --class-index")
    if not 0 <= (chosen or 0) < len(values):
        raise ParseError(f"the model has {len(values)} outputs a response, and --class-index is {chosen}")
    return _number(values[chosen or 0])


def _number(value: Any) -> Scored:
    if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
        return Scored(None, f"the score is {json.dumps(value)[:40]}, no finite number")
    return Scored(float(value))


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer that no float holds
        return False


def _prompt_tokens(value: Any) -> int | None:
    """The server's count: of a whole answer, or row by row (SGLang)."""
    holders = [value.get("usage")] if isinstance(value, dict) else []
    rows = value if isinstance(value, list) else []
    holders += [row.get("meta_info") for row in rows if isinstance(row, dict)]
    counts = [
        holder["prompt_tokens"] for holder in holders if isinstance(holder, dict) and _is_count(holder.get("prompt_tokens"))
    ]
    return sum(counts) if counts and len(counts) == len(holders) else None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12
