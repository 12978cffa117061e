"""What the fake endpoint answers when nothing goes wrong: a completion's fields, and texts made from the prompt alone.

Same prompt, same text, whatever the order, the process or the run. Knows the prompts' outer forms (`R1: `, the marked blocks)
and nothing of HTTP or of the package.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = [
    "Answered",
    "best_answer",
    "decompose_answer",
    "first_place_answer",
    "judge_answer",
    "listed",
    "matrix_answer",
    "pair_score",
    "seen_responses",
    "usage_of",
]

Body = dict[str, Any]


@dataclass(frozen=True)
class Answered:
    """One answer of the endpoint.

    Args:
        content: of the message; None is sent as null.
        reasoning: sent as `reasoning_content`, where given.
        finish_reason: of every choice.
        choices: how many, all alike; 0 is an empty list.
        usage: token counts; None: counted from the texts; `{}`: none sent.
        status: HTTP's.
        headers: more of them.
        raw: the whole body, in place of a completion.
        content_type: of the body.
        delay: seconds before the first byte.
        drip: seconds between one byte and the next.
        ends: `whole`; `reset` (RST in the middle of the body), `cut` (closed there, properly), `dropped` (closed before it).
        never: no answer at all; the request stays open until the client goes.
    """

    content: str | None = None
    reasoning: str | None = None
    finish_reason: str | None = "stop"
    choices: int = 1
    usage: Mapping[str, int] | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: str | bytes | None = None
    content_type: str = "application/json"
    delay: float = 0.0
    drip: float = 0.0
    ends: Literal["whole", "reset", "cut", "dropped"] = "whole"
    never: bool = False

    @property
    def good(self) -> bool:
        """Is it a completion that arrives whole? Such an answer is paid for."""
        return self.status == 200 and self.raw is None and self.ends == "whole" and not self.never and self.choices > 0

    @property
    def metered(self) -> bool:
        """Does a whole body with token counts arrive? Then they are the server's real use, whatever the answer is worth."""
        return self.good or (self.choices == 0 and self.raw is None and self.usage != {})

    def body(self, request: Body, n: int) -> bytes:
        """The bytes of the answer to the n-th request."""
        if self.raw is not None:
            return self.raw.encode() if isinstance(self.raw, str) else self.raw
        message: dict[str, Any] = {"role": "assistant", "content": self.content}
        if self.reasoning is not None:
            message["reasoning_content"] = self.reasoning
        value: dict[str, Any] = {
            "id": f"chatcmpl-{n}",
            "object": "chat.completion",
            "created": 1_790_000_000,
            "model": request.get("model"),
            "choices": [{"index": i, "message": message, "finish_reason": self.finish_reason} for i in range(self.choices)],
        }
        usage = usage_of(request, (self.content or "") + (self.reasoning or "")) if self.usage is None else self.usage
        if usage:
            value["usage"] = dict(usage)
        return json.dumps(value, ensure_ascii=False).encode()


def usage_of(request: Body, text: str) -> dict[str, int]:
    """Four characters a token."""
    prompt = sum(len(str(turn["content"])) for turn in request["messages"]) // 4 + 1
    completion = len(text) // 4 + 1
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def listed(request: Body, letter: str) -> list[str]:
    """The reasons of one side, from the last user's turn that lists any: lines `R1: text` or `S1: text`."""
    turns = [str(turn["content"]) for turn in request["messages"] if turn["role"] == "user"]
    for text in reversed(turns):
        if found := re.findall(rf"^{letter}(\d+): (.*)$", text, re.MULTILINE):
            assert [int(number) for number, _ in found] == list(range(1, len(found) + 1)), "reasons are numbered from 1"
            return [reason for _, reason in found]
    return []


def pair_score(human: str, model: str) -> float:
    """In quarters from 0 to 1, from the two texts alone."""
    return _number(f"{human}\n{model}", 5) / 4


def best_answer(request: Body, n: int = 0) -> str:
    """A matcher's answer in mode `best`: one line a human reason; as JSON where a schema is asked for."""
    model = listed(request, "S")
    lines = []
    for i, human in enumerate(listed(request, "R"), 1):
        scores = [pair_score(human, reason) for reason in model]
        best = max(scores, default=0.0)
        lines.append((i, scores.index(best) + 1 if best else 0, best))
    return _matches(request, lines)


def matrix_answer(request: Body, n: int = 0) -> str:
    """A matcher's answer in mode `matrix`: one line a pair above zero; as JSON where a schema is asked for."""
    model = listed(request, "S")
    pairs = [(i, j, pair_score(r, s)) for i, r in enumerate(listed(request, "R"), 1) for j, s in enumerate(model, 1)]
    return _matches(request, [pair for pair in pairs if pair[2]])


def seen_responses(request: Body) -> tuple[str, str]:
    """Responses A and B as a judge was shown them."""
    text = next(str(turn["content"]) for turn in request["messages"] if turn["role"] == "user")
    shown = [
        re.search(rf"^===== BEGIN RESPONSE {side} (\S+) =====\n(.*?)\n===== END RESPONSE {side} \1 =====$", text, re.M | re.S)
        for side in "AB"
    ]
    a, b = shown
    assert a, "the prompt shows response A"
    assert b, "the prompt shows response B"
    return a[2], b[2]


def judge_answer(request: Body, n: int = 0) -> str:
    """Three reasons and a verdict that depend on the texts, not on their places: the swapped game has the swapped verdict."""
    a, b = seen_responses(request)
    gap = _number(a, 97) - _number(b, 97)
    verdict = "A=B" if gap == 0 else "A>>B" if gap > 40 else "A>B" if gap > 0 else "B>>A" if gap < -40 else "B>A"
    better, worse = ("A", "B") if gap >= 0 else ("B", "A")
    good, bad = (a, b) if gap >= 0 else (b, a)
    reasons = [
        f'Response {better} gives "{_words(good, 6)}", which is what was asked for.',
        f'Response {worse} says "{_words(bad, 6)}", which can\'t be checked.',
        f"Response {better} has {len(good.split())} words and Response {worse} {len(bad.split())}, with nothing left out.",
    ]
    return _judgment(reasons, verdict)


def first_place_answer(request: Body, n: int = 0) -> str:
    """A judge that always picks the first place."""
    a, _ = seen_responses(request)
    return _judgment([f'Response A comes first, with "{_words(a, 6)}".', "Response B comes second."], "A>B")


def decompose_answer(request: Body, n: int = 0) -> str:
    """Every sentence of the marked text as a reason to keep; those of up to three words left out as vague."""
    text = next(str(turn["content"]) for turn in request["messages"] if turn["role"] == "user")
    found = re.search(r"^===== BEGIN TEXT (\S+) =====\n(.*?)\n===== END TEXT \1 =====$", text, re.M | re.S)
    assert found, "the prompt shows the text"
    sentences = [" ".join(part.split()) for part in re.split(r"(?<=[.!?])\s+", found[2]) if part.strip()]
    lines = [f"- KEEP: {s}" if len(s.split()) > 3 else f"- DROP (vague): {s}" for s in sentences]
    return "\n".join(["<RESULT_START>", *lines, "<RESULT_END>"])


def _matches(request: Body, lines: list[tuple[int, int, float]]) -> str:
    if "response_format" in request:
        return json.dumps({"matches": [{"r": r, "s": s, "score": score} for r, s, score in lines]})
    return "\n".join(["<RESULT_START>", *(f"- R{r}@S{s}: {score:g}" for r, s, score in lines), "<RESULT_END>"])


def _judgment(reasons: list[str], verdict: str) -> str:
    numbered = [f"{i}. {reason}" for i, reason in enumerate(reasons, 1)]
    return "\n".join([*numbered, "", "<RESULT_START>", f"\\boxed{{{verdict}}}", "<RESULT_END>"])


def _words(text: str, n: int) -> str:
    return " ".join(re.sub(r'["\\{}\[\]<>]', "", text).split()[:n])


def _number(text: str, below: int) -> int:
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:4], "big") % below
