"""A benchmark with a scalar judge: every candidate response gets a number, over an endpoint or from a model in this process.

Scores are on disk as they come and are kept by a resumed run; a response without a finite number is a failure, done again, and
never a score. Knows no benchmark and no server.

    OUT/run.json, scores.jsonl, failures.jsonl, usage.jsonl, rows.jsonl (a response a line), summary.json
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from rationalerm.bench.base import Candidate, Protocol
from rationalerm.data.rundir import RunDir
from rationalerm.errors import DataError, UsageError
from rationalerm.llm.client import Chat
from rationalerm.llm.loop import run_in_loop
from rationalerm.llm.meter import estimated_tokens
from rationalerm.llm.question import Outcome
from rationalerm.llm.scoring import Scorer, ScoringSettings
from rationalerm.llm.scoring_dialects import DIALECTS, Batch, Wanted, dialects
from rationalerm.llm.scoring_probe import resolved
from rationalerm.llm.sweep import sweep
from rationalerm.run.benching import Benched, BenchRun, bench_manifest, note
from rationalerm.run.forecast import Forecast
from rationalerm.run.judged import digest_of
from rationalerm.run.live import Live
from rationalerm.run.progress import Progress, say
from rationalerm.run.reporting import write_beside
from rationalerm.run.session import run_logged
from rationalerm.run.writer import Writer
from rationalerm.types import Pair

__all__ = ["LocalScores", "bench_local", "bench_scalar", "forecast_scalar"]

LocalScores = Callable[[Sequence[Wanted]], Sequence[float | Outcome[float] | None]]


def bench_scalar(protocol: Protocol, settings: ScoringSettings, run: BenchRun, *, progress: bool = False) -> Benched:
    """Scores a benchmark's responses over an endpoint, and resumes where an earlier run in `run.out` ended.

    Args:
        protocol: the benchmark, its data read.
        settings: the model and the dialect; with `auto` the server is asked first which it speaks.
        run: where to.
        progress: shown on stderr while it runs.

    Raises:
        RationalermError: bad data or options, or no scoring route, in one line, before the first score.
        StoppedError: the endpoint or the budget ended it; what is finished is in `run.out`.
    """
    began = time.monotonic()
    found = _answered(protocol, settings, run) or (settings if settings.route else run_in_loop(resolved(settings)))
    with _Scores(protocol, run, found.endpoint.model, found.endpoint.shown, found.identity()) as scores:
        meter = run_logged(
            found,
            lambda chat, live, writer: _sweep(scores, cast(Scorer, chat), live, writer),
            (scores.kept, scores.failures),
            what="responses",
            total=len(scores.todo),
            usage=scores.rundir.log("usage.jsonl"),
            show=progress,
        )
        return scores.benched(meter.to_json() | {"said": meter.said(), "dialect": found.dialect}, time.monotonic() - began)


def bench_local(
    protocol: Protocol,
    score: LocalScores,
    run: BenchRun,
    *,
    model: str,
    identity: Mapping[str, Any],
    batch: int = 8,
    progress: bool = False,
) -> Benched:
    """Scores a benchmark's responses in this process.

    Args:
        protocol: the benchmark, its data read.
        score: a number for each of some responses, or an `Outcome` that says its tokens, or why there is none; None, or a number
            that is not finite: a failure.
        run: where to.
        model: its name.
        identity: what of the model changes a score, for run.json.
        batch: most responses at once.
        progress: shown on stderr while it runs.

    Raises:
        RationalermError: bad data or options, in one line; whatever `score` raises.
    """
    began = time.monotonic()
    with _Scores(protocol, run, model, "this process", identity) as scores:
        shown = Progress("responses", len(scores.todo))
        try:
            for group in scores.batches("any", batch):
                values = score([_wanted(one) for one in group])
                made = [_checked(value) for value in values]
                for one, outcome in zip(group, made, strict=True):
                    log, row = scores.row(one, outcome)
                    log.write(row)
                scores.kept.sync()
                if progress:
                    shown.add(len(group))
        finally:
            shown.close()
            scores.kept.close()
            scores.failures.close()
        return scores.benched({"said": f"{len(scores.todo):,} responses scored here", "from_cache": 0}, time.monotonic() - began)


def forecast_scalar(protocol: Protocol, settings: ScoringSettings, run: BenchRun) -> Forecast:
    """What `bench_scalar` would ask, one response a call, without asking: for --dry-run. Writes nothing."""
    finished = _earlier(run)
    rows = calls = prompt = 0
    for one in protocol.candidates():
        rows += 1
        if finished.get(one.id, ("", 0.0))[0] != _digest(one):
            calls += 1
            prompt += estimated_tokens(sum(len(turn.content) for turn in _wanted(one).turns))
    return Forecast(rows, calls, prompt, 0, settings.prices.cost(prompt, 0) if settings.prices else None)


async def _sweep(scores: _Scores, scorer: Scorer, live: Live, writer: Writer) -> None:
    async def work(group: list[Candidate]) -> None:
        outcomes = await scorer.score([_wanted(one) for one in group])
        for one, outcome in zip(group, outcomes, strict=True):
            writer.put(*scores.row(one, outcome))
            live.done(failed=outcome.value is None)

    assert isinstance(scorer, Chat)
    await sweep(scores.batches(scorer.dialect.batch, scorer.batch), work, scorer.limits.concurrency)


class _Scores:
    """A run directory of scores: what is finished, what is to do, and the result in the end."""

    def __init__(self, protocol: Protocol, run: BenchRun, model: str, where: str, identity: Mapping[str, Any]) -> None:
        if not str(run.out):
            raise UsageError("--out is empty; name a folder")
        self._protocol, self._name = protocol, run.name or model
        self._digests = self._first_pass()
        manifest = bench_manifest(protocol, "scalar", where, {"model": model} | dict(identity), run)
        self._page = run.report
        self.rundir = RunDir(run.out, manifest, finished="scores.jsonl")
        note(self.rundir, run)
        self.kept, self.failures = self.rundir.log("scores.jsonl"), self.rundir.log("failures.jsonl")
        self._finished = _finished(self.rundir)
        for line in self.kept.complaints():
            say(line)
        self.todo = [key for key, digest in self._digests.items() if self._finished.get(key, ("", 0.0))[0] != digest]

    def __enter__(self) -> _Scores:
        return self

    def __exit__(self, *_: object) -> None:
        self.rundir.close()

    def _first_pass(self) -> dict[str, str]:
        """Reads all candidates before anything is paid for."""
        digests: dict[str, str] = {}
        for one in self._protocol.candidates():
            if one.id in digests:
                raise DataError(f"the id {one.id!r} is there twice", source=self._protocol.name)
            digests[one.id] = _digest(one)
        if not digests:
            raise DataError("no response is left to score; give more data, or other --domains", source=self._protocol.name)
        return digests

    def batches(self, kind: Batch, most: int) -> Iterator[list[Candidate]]:
        """What is not finished, so many at once; behind one prompt each where the dialect wants that."""
        todo, group = set(self.todo), list[Candidate]()
        for one in self._protocol.candidates():
            if one.id not in todo:
                continue
            if group and (len(group) >= most or kind == "one" or (kind == "one prompt" and group[0].messages != one.messages)):
                yield group
                group = []
            group.append(one)
        if group:
            yield group

    def row(self, one: Candidate, outcome: Outcome[float]) -> tuple[Any, dict[str, Any]]:
        """The log and the line for what came of a response."""
        row: dict[str, Any] = {"id": one.id, "digest": self._digests[one.id], "prompt_tokens": outcome.prompt_tokens}
        if outcome.value is not None:
            return self.kept, row | {"score": outcome.value}
        why = {"what": "call failed", "category": outcome.failure, "why": outcome.detail, "raw": outcome.raw}
        return self.failures, row | why

    def benched(self, usage: Mapping[str, Any], seconds: float) -> Benched:
        """Puts the grown files into the data's order and counts."""
        places = {key: place for place, key in enumerate(self._digests)}
        self.kept.settle(lambda row: str(row.get("id")), lambda key: places.get(key, len(places)))
        values: dict[str, float | None] = {}
        tokens = 0
        for row in self.kept.rows():
            if _is_score(row) and row["digest"] == self._digests.get(row["id"]):
                values[row["id"]] = float(row["score"])
                tokens += row.get("prompt_tokens") or 0
        last: dict[str, dict[str, Any]] = {}
        for row in self.failures.rows():
            key = str(row.get("id"))
            if "category" in row and key not in values and row.get("digest") == self._digests.get(key):
                last[key] = row
        self.rundir.write_lines("failures.jsonl", (last[key] for key in sorted(last, key=places.__getitem__)))
        values |= dict.fromkeys(last)
        made = Benched(
            result=self._protocol.result({}, values),
            judge=self._name,
            kind="scalar",
            games={},
            scores=values,
            calls=len(values),
            failures=dict(sorted(Counter(str(row["category"]) for row in last.values()).items())),
            prompt_tokens=tokens + sum(row.get("prompt_tokens") or 0 for row in last.values()),
            completion_tokens=0,
            usage=usage,
            seconds=seconds,
        )
        self.rundir.write_lines("rows.jsonl", ({"id": key, "score": values.get(key)} for key in self._digests))
        self.rundir.write("summary.json", made.to_json())
        if self._page:
            write_beside(self.rundir.path)
        return made


def _answered(protocol: Protocol, settings: ScoringSettings, run: BenchRun) -> ScoringSettings | None:
    """The settings as the run in `run.out` had them, if it has all scores: then nothing is asked, not even for the route."""
    manifest = RunDir.manifest(run.out) if str(run.out) else None
    config = manifest.get("config") if manifest else None
    spoken = config.get("dialect") if isinstance(config, dict) else None
    dialect = spoken if settings.dialect == "auto" else settings.dialect
    if settings.route or spoken not in DIALECTS or dialect not in DIALECTS:
        return None
    finished = _earlier(run)
    if any(finished.get(one.id, ("", 0.0))[0] != _digest(one) for one in protocol.candidates()):
        return None
    return replace(settings, dialect=dialect, route=dialects(settings.render)[dialect].routes[0])


def _earlier(run: BenchRun) -> dict[str, tuple[str, float]]:
    """What is finished in `run.out`, as `_finished`, without opening it to write."""
    return _finished(RunDir.opened(run.out)) if str(run.out) and RunDir.manifest(run.out) is not None else {}


def _finished(rundir: RunDir) -> dict[str, tuple[str, float]]:
    return {row["id"]: (row["digest"], row["score"]) for row in rundir.log("scores.jsonl").rows() if _is_score(row)}


def _is_score(row: Mapping[str, Any]) -> bool:
    """Is it a whole row of scores.jsonl?"""
    score = row.get("score")
    number = isinstance(score, int | float) and not isinstance(score, bool)
    return number and isinstance(row.get("id"), str) and isinstance(row.get("digest"), str)


def _wanted(one: Candidate) -> Wanted:
    return Wanted(one.messages, one.response)


def _digest(one: Candidate) -> str:
    return digest_of(Pair(one.id, one.messages, one.response))


def _checked(value: float | Outcome[float] | None) -> Outcome[float]:
    if isinstance(value, Outcome):
        return value if value.value is None else replace(_checked(value.value), prompt_tokens=value.prompt_tokens)
    if value is None or not math.isfinite(value):
        return Outcome(None, "no number", f"the score is {value}, no finite number")
    return Outcome(float(value))
