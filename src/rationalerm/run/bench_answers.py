"""A policy's answers to a benchmark's questions, through an endpoint: a file in Arena-Hard's own shape, resumable.

    answers.jsonl                 {"uid", "ans_id", "model", "messages", "tstamp", "metadata"}, in the questions' order
    answers.jsonl.run.json, .rows.jsonl, .failures.jsonl, .usage.jsonl        the run's own files beside it

What the metadata counts is what Arena-Hard counts. Its token count is of one tokenizer; where that is not here the field is left
out, and whoever reads the file says that its count is an estimate. Knows nothing of judges.
"""

from __future__ import annotations

import hashlib
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rationalerm import __version__
from rationalerm.data.arena_hard import markdown_counts
from rationalerm.data.log import Log, write_lines
from rationalerm.data.rundir import RunDir
from rationalerm.errors import DataError, ParseError, UsageError
from rationalerm.judge.thinking import strip_thinking
from rationalerm.llm.client import Chat
from rationalerm.llm.meter import estimated_tokens
from rationalerm.llm.question import Question, Reply
from rationalerm.llm.settings import ChatSettings
from rationalerm.llm.sweep import sweep
from rationalerm.run.forecast import Forecast
from rationalerm.run.judged import digest_of
from rationalerm.run.live import Live
from rationalerm.run.progress import say
from rationalerm.run.session import run_logged
from rationalerm.run.writer import Writer
from rationalerm.types import Message, Pair

__all__ = ["Answers", "Prompt", "answer_prompts", "forecast_answers", "token_counter"]

_VERSION = "policy-answer 1"  # in cache keys
_LIMIT, _EXPECTED = 16_000, 800  # tokens: Arena-Hard v2's own limit, and a forecast


class Prompt(NamedTuple):
    """A question to answer."""

    id: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """A finished run. `cut`: answers that the token limit ended; `failures`: questions without an answer, a category."""

    path: Path
    model: str
    written: int
    cut: int
    failures: dict[str, int]
    prompt_tokens: int
    completion_tokens: int
    usage: dict[str, Any]

    @property
    def failed(self) -> int:
        """Questions without an answer."""
        return sum(self.failures.values())


def answer_prompts(
    prompts: Iterable[Prompt], settings: ChatSettings, out: str | Path, *, name: str | None = None, progress: bool = False
) -> Answers:
    """Asks a model every question once, and resumes where an earlier run beside `out` ended.

    Args:
        prompts: the questions.
        settings: the policy, how fast, for how much.
        out: the file of answers.
        name: the model's name in it; None: the endpoint's.
        progress: shown on stderr while it runs.

    Raises:
        RationalermError: bad questions or options, in one line, before the first call.
        StoppedError: the endpoint or the budget ended it; what is finished is beside `out`.
    """
    path, model = Path(out), name or settings.endpoint.model
    if not str(out) or path.is_dir():
        raise UsageError(f"the file of answers is {str(out)!r}; name a file")
    if path.exists() and RunDir.manifest(path.parent, beside=path.name) is None:
        raise UsageError(f"{out}: that file is there, and no run made it; give another name")
    asked = list(prompts)
    digests = {one.id: _digest(one) for one in asked}
    if len(digests) < len(asked):
        twice = next(key for key, count in Counter(one.id for one in asked).items() if count > 1)
        raise DataError(f"the question {twice!r} is there twice")
    if not asked:
        raise DataError("there is no question to answer")
    with RunDir(path.parent, _manifest(settings, model), finished="rows.jsonl", beside=path.name) as rundir:
        answers, failures = rundir.log("rows.jsonl"), rundir.log("failures.jsonl")
        finished = _finished(answers)
        for line in answers.complaints():
            say(line)
        todo = [one for one in asked if finished.get(one.id) != digests[one.id]]

        async def ask(chat: Chat, live: Live, writer: Writer) -> None:
            async def work(one: Prompt) -> None:
                outcome = await chat.ask(_question(one))
                row: dict[str, Any] = {"id": one.id, "digest": digests[one.id], "prompt_tokens": outcome.prompt_tokens}
                row |= {"completion_tokens": outcome.completion_tokens, "finish_reason": outcome.finish_reason}
                if outcome.value is None:
                    why = {"what": "call failed", "category": outcome.failure, "why": outcome.detail, "raw": outcome.raw}
                    writer.put(failures, row | why)
                else:
                    writer.put(answers, row | {"answer": outcome.value, "time": time.time()})
                live.done(failed=outcome.value is None)

            await sweep(todo, work, chat.limits.concurrency)

        usage = rundir.log("usage.jsonl")
        meter = run_logged(settings, ask, (answers, failures), what="answers", total=len(todo), usage=usage, show=progress)
        return _derive(rundir, path, model, asked, digests, meter.to_json() | {"said": meter.said()})


def forecast_answers(prompts: Iterable[Prompt], settings: ChatSettings, out: str | Path | None) -> Forecast:
    """What `answer_prompts` would ask, without asking. Writes nothing."""
    finished: dict[str, str] = {}
    if out and RunDir.manifest(Path(out).parent, beside=Path(out).name) is not None:
        finished = _finished(RunDir.opened(Path(out).parent, beside=Path(out).name).log("rows.jsonl"))
    rows = calls = prompt = 0
    for one in prompts:
        rows += 1
        if finished.get(one.id) != _digest(one):
            calls += 1
            prompt += estimated_tokens(sum(len(turn.content) for turn in one.messages))
    answers = calls * _EXPECTED
    return Forecast(rows, calls, prompt, answers, settings.prices.cost(prompt, answers) if settings.prices else None)


def token_counter() -> Callable[[str], int] | None:
    """Counts tokens as Arena-Hard's own files do; None where that tokenizer (tiktoken, with its vocabulary) is not here."""
    try:
        import tiktoken  # type: ignore[import-not-found, unused-ignore]

        encoding = tiktoken.encoding_for_model("gpt-4o")
    except Exception:  # not installed, or its vocabulary can't be fetched: which, it says in errors of its HTTP library
        return None
    return lambda text: len(encoding.encode(text, disallowed_special=()))


def _question(one: Prompt) -> Question[str]:
    return Question(one.messages, _VERSION, _read, limit=_LIMIT, expected_tokens=_EXPECTED)


def _read(reply: Reply) -> str:
    """The answer without its thinking; one that the limit has cut stands as it is."""
    text = strip_thinking(reply.text or "")[0].strip()
    if not text:
        raise ParseError("the answer holds nothing but thinking")
    return text


def _derive(
    rundir: RunDir, path: Path, model: str, asked: list[Prompt], digests: dict[str, str], usage: dict[str, Any]
) -> Answers:
    """Writes the file, from the run's own files alone."""
    places = {one.id: place for place, one in enumerate(asked)}
    answers, failures = rundir.log("rows.jsonl"), rundir.log("failures.jsonl")
    answers.settle(lambda row: str(row.get("id")), lambda key: places.get(key, len(places)))
    found = {row["id"]: row for row in answers.rows() if _is_answer(row) and digests.get(row["id"]) == row["digest"]}
    last = {
        str(row.get("id")): row
        for row in failures.rows()
        if "category" in row and row.get("id") not in found and row.get("digest") == digests.get(str(row.get("id")))
    }
    rundir.write_lines("failures.jsonl", (last[one.id] for one in asked if one.id in last))
    write_lines(path, _answer_rows(model, asked, found))
    rows = [*found.values(), *last.values()]
    return Answers(
        path=path,
        model=model,
        written=len(found),
        cut=sum(str(row.get("finish_reason")).lower() in ("length", "max_tokens") for row in found.values()),
        failures=dict(sorted(Counter(str(row["category"]) for row in last.values()).items())),
        prompt_tokens=sum(row.get("prompt_tokens") or 0 for row in rows),
        completion_tokens=sum(row.get("completion_tokens") or 0 for row in rows),
        usage=usage,
    )


def _answer_rows(model: str, asked: list[Prompt], found: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    count = token_counter()
    for one in asked:
        if (row := found.get(one.id)) is None:
            continue
        text = row["answer"]
        turns: list[dict[str, Any]] = [{"role": turn.role, "content": turn.content} for turn in one.messages]
        made = hashlib.sha256(f"{model}\x1f{one.id}\x1f{text}".encode("utf-8", "surrogatepass")).hexdigest()[:22]
        tokens = {"token_len": count(text)} if count else {}
        yield {
            "uid": one.id,
            "ans_id": made,
            "model": model,
            "messages": [*turns, {"role": "assistant", "content": {"answer": text}}],
            "tstamp": row.get("time"),
            "metadata": tokens | markdown_counts(text),
        }


def _finished(log: Log) -> dict[str, str]:
    return {row["id"]: row["digest"] for row in log.rows() if _is_answer(row)}


def _is_answer(row: dict[str, Any]) -> bool:
    return all(isinstance(row.get(name), str) for name in ("id", "digest", "answer"))


def _digest(one: Prompt) -> str:
    return digest_of(Pair(one.id, one.messages))


def _manifest(settings: ChatSettings, model: str) -> dict[str, Any]:
    return {
        "command": "bench answers",
        "endpoint": settings.endpoint.shown,
        "rationalerm": __version__,
        "python": platform.python_version(),
        "config": settings.endpoint.identity() | {"name": model, "prompt": _VERSION},
    }
