"""`decompose`: a file's prose (annotators' feedback, a judge's answers) -> the same rows with atomic reasons, by a model.

Two passes over the input: the first finds bad rows, repeated ids and lists that are there already, before anything is paid for;
the second asks, and puts each answer on disk as it comes. What is made of them is `decomposed`'s; which texts of a row are taken
apart is said in `data.texts`.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rationalerm import __version__
from rationalerm.data.log import Log
from rationalerm.data.rundir import RunDir
from rationalerm.data.spool import spooled
from rationalerm.data.texts import HUMAN, ProseFile, Text
from rationalerm.errors import UsageError
from rationalerm.judge.decomposition import Decomposition, Passage, decompose_question
from rationalerm.judge.thinking import strip_thinking
from rationalerm.llm.client import Chat
from rationalerm.llm.meter import Meter, Prices, estimated_tokens
from rationalerm.llm.question import Outcome, Question
from rationalerm.llm.settings import ChatSettings
from rationalerm.llm.sweep import sweep
from rationalerm.prompts import load
from rationalerm.run.decomposed import Decomposed, Limits, TextKey, derive, text_key
from rationalerm.run.forecast import Forecast
from rationalerm.run.live import Live
from rationalerm.run.progress import say, say_unmatched
from rationalerm.run.session import run_logged
from rationalerm.run.writer import Writer

__all__ = ["DecomposeConfig", "decompose", "forecast_decomposing"]

Existing = Literal["error", "overwrite", "keep"]


@dataclass(frozen=True, slots=True)
class DecomposeConfig:
    """What changes the result; it goes into the run's config, and a resumed run must have the same.

    Args:
        side: `human`: feedback to `human-checklist`; `judge`: judges' answers to `NAME-checklist`.
        judges: with side judge; none means all that the first row has.
        field: with side human, the text's field; None: HelpSteer3's comments.
        feedback: HelpSteer3's feedback config, beside its preference config.
        id_field: a row's id; else its line number.
        least, most: with side human, rows with fewer or more reasons are left out.
        existing: what to do with a row that has a list already: `error`, `overwrite` it, `keep` it.

    Raises:
        UsageError: values that don't go together.
    """

    side: Literal["human", "judge"] = "human"
    judges: tuple[str, ...] = ()
    field: str | None = None
    feedback: str | None = None
    id_field: str = "id"
    least: int = 0
    most: int | None = None
    existing: Existing = "error"

    def __post_init__(self) -> None:
        if self.side not in ("human", "judge"):
            raise UsageError(f"--side is {self.side!r}; human or judge")
        if self.side == "human" and self.judges:
            raise UsageError("--judge goes with --side judge")
        if self.side == "judge" and (self.field or self.feedback or self.least or self.most is not None):
            raise UsageError("--field, --feedback, --min and --max go with --side human")
        if self.least < 0 or (self.most is not None and self.most < max(1, self.least)):
            raise UsageError(f"--min {self.least} --max {self.most}: give numbers with min <= max")

    def to_json(self) -> dict[str, Any]:
        """For run.json. Which rows are left out afterwards changes no answer: --min and --max may differ in a resumed run."""
        kept = {name: getattr(self, name) for name in self.__slots__ if name not in ("least", "most")}
        return kept | {"judges": list(self.judges)}


def decompose(
    input: str | Path,
    settings: ChatSettings,
    out: str | Path,
    config: DecomposeConfig | None = None,
    *,
    skip_bad: bool = False,
    limit: int | None = None,
    progress: bool = False,
) -> Decomposed:
    """Asks a model about every text, and resumes where an earlier run beside `out` ended.

    Args:
        input: the rows, or `-`.
        settings: the model, how fast, for how much.
        out: the file that is written when all is asked; beside it stand `.run.json`, `.rows.jsonl`, `.failures.jsonl`.
        config: which texts, and what to leave out.
        skip_bad: leave bad rows out and count them, instead of raising.
        limit: at most so many rows.
        progress: shown on stderr while it runs.

    Raises:
        RationalermError: bad input or options, in one line, before the first call.
        StoppedError: the endpoint or the budget ended it; what is finished is beside `out`.
    """
    config = config or DecomposeConfig()
    path = _target(out)
    with ExitStack() as stack:
        source = _opened(stack, input, config, skip_bad, limit)
        texts = {
            text_key(text): text.digest for row in source for text in row.texts
        }  # reads the whole file before anything is paid
        say_unmatched(source.without_feedback, source.feedback)
        rundir = stack.enter_context(
            RunDir(path.parent, _manifest(source, input, settings, config), finished="rows.jsonl", beside=path.name)
        )
        run = _Run(source, config, settings, rundir)
        meter = run.all(run.unfinished(texts), progress)
        limits = Limits(config.least, config.most)
        return derive(rundir, path, source, settings.endpoint.model, limits, meter)


def forecast_decomposing(
    input: str | Path,
    out: str | Path | None,
    config: DecomposeConfig,
    prices: Prices | None,
    *,
    skip_bad: bool = False,
    limit: int | None = None,
) -> Forecast:
    """What `decompose` would ask, without asking: for --dry-run. Writes nothing."""
    rows = calls = prompt = answers = 0
    finished: dict[TextKey, str] = {}
    if out is not None and RunDir.manifest(Path(out).parent, beside=Path(out).name) is not None:
        finished = _finished(RunDir.opened(Path(out).parent, beside=Path(out).name).log("rows.jsonl"))
    with ExitStack() as stack:
        for row in _opened(stack, input, config, skip_bad, limit):
            rows += 1
            for text in row.texts:
                if finished.get(text_key(text)) != text.digest:
                    question = _question(text)
                    calls += 1
                    prompt += estimated_tokens(sum(len(message.content) for message in question.messages))
                    answers += question.expected_tokens
    return Forecast(rows, calls, prompt, answers, prices.cost(prompt, answers) if prices else None)


class _Run:
    """The second pass."""

    def __init__(self, source: ProseFile, config: DecomposeConfig, settings: ChatSettings, rundir: RunDir) -> None:
        self._source, self._config, self._settings, self._rundir = source, config, settings, rundir
        self._answers, self._failures = rundir.log("rows.jsonl"), rundir.log("failures.jsonl")
        self._finished = _finished(self._answers)
        for line in self._answers.complaints():
            say(line)

    def unfinished(self, texts: Mapping[TextKey, str]) -> int:
        """How many of them are to be asked about."""
        return sum(self._finished.get(key) != digest for key, digest in texts.items())

    def all(self, todo: int, progress: bool) -> Meter:
        """Every text that is not finished."""
        return run_logged(
            self._settings,
            self._sweep,
            (self._answers, self._failures),
            what="texts",
            total=todo,
            usage=self._rundir.log("usage.jsonl"),
            show=progress,
        )

    async def _sweep(self, chat: Chat, live: Live, writer: Writer) -> None:
        async def work(text: Text) -> None:
            question = _question(text)
            outcome = await chat.ask(question)
            row: dict[str, Any] = {"id": text.id, "target": text.target, "order": text.order, "digest": text.digest}
            row |= {"prompt": question.prompt}
            row |= {
                "calls": outcome.calls,
                "prompt_tokens": outcome.prompt_tokens,
                "completion_tokens": outcome.completion_tokens,
            }
            if outcome.value is None:
                writer.put(self._failures, row | _failure(outcome))
            else:
                writer.put(self._answers, row | _answer(outcome, outcome.value))
            live.done(failed=outcome.value is None)

        texts = (text for row in self._source for text in row.texts if self._finished.get(text_key(text)) != text.digest)
        await sweep(texts, work, chat.limits.concurrency)


def _opened(stack: ExitStack, input: str | Path, config: DecomposeConfig, skip_bad: bool, limit: int | None) -> ProseFile:
    if limit is not None and limit < 1:
        raise UsageError(f"--limit is {limit}; give 1 or more")
    return ProseFile(
        stack.enter_context(spooled(input)),
        side=config.side,
        judges=config.judges,
        text_field=config.field,
        feedback=config.feedback,
        id_field=config.id_field,
        existing=config.existing,
        skip_bad=skip_bad,
        limit=limit,
        shown="stdin" if str(input) == "-" else str(input),
    )


def _question(text: Text) -> Question[Decomposition]:
    if text.target == HUMAN:
        return decompose_question("human", [Passage(*passage) for passage in text.passages], text.turns, text.responses)
    answers = [Passage(title, strip_thinking(words)[0].strip()) for title, words in text.passages]
    return decompose_question("judge", answers, text.turns, text.responses)


def _finished(log: Log) -> dict[TextKey, str]:
    return {text_key(row): str(row.get("digest")) for row in log.rows()}


def _answer(outcome: Outcome[Decomposition], value: Decomposition) -> dict[str, Any]:
    dropped = [{"text": item.text, "why": item.why} for item in value.dropped]
    return {"kept": value.kept, "dropped": dropped, "notes": value.notes, "text": outcome.text}


def _failure(outcome: Outcome[Decomposition]) -> dict[str, Any]:
    return {
        "what": "call failed",
        "category": outcome.failure,
        "why": outcome.detail,
        "text": outcome.text,
        "finish_reason": outcome.finish_reason,
        "raw": outcome.raw,
    }


def _target(out: str | Path) -> Path:
    """The file to write. Raises UsageError where it is another's."""
    path = Path(out)
    if not str(out) or path.name in ("", ".", "..") or path.is_dir():
        raise UsageError(f"--out is {str(out)!r}; name a file")
    if path.exists() and RunDir.manifest(path.parent, beside=path.name) is None:
        raise UsageError(f"--out {out}: that file is there, and no run of this command made it; give another name")
    return path


def _manifest(source: ProseFile, input: str | Path, settings: ChatSettings, config: DecomposeConfig) -> dict[str, Any]:
    prompt = load(f"decompose_{config.side}").version
    name = source.name if str(input) == "-" else str(Path(input).resolve())
    name = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # a path need not be UTF-8
    return {
        "command": "decompose",
        "endpoint": settings.endpoint.shown,
        "rationalerm": __version__,
        "python": platform.python_version(),
        "config": settings.endpoint.identity() | config.to_json() | {"input": name, "prompt": prompt},
        "prompts": dict([prompt.rsplit(" ", 1)]),
    }
