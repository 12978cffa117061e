"""`judge`: pairs -> reasons and a verdict from a model, in both orders; a run directory and pairs that `evaluate` reads.

Two passes over the input: the first finds bad rows, repeated ids and unsure labels before anything is paid for; the second asks,
and puts each answer on disk as it comes. The files that are made from the answers are `judged`'s.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from rationalerm import __version__
from rationalerm.data.log import Log
from rationalerm.data.orders import orders_of
from rationalerm.data.pairs import PairFile
from rationalerm.data.released import judges_of
from rationalerm.data.rundir import RunDir
from rationalerm.errors import DataError, UsageError
from rationalerm.judge.asking import Asked, judge_question
from rationalerm.llm.client import Chat
from rationalerm.llm.meter import Meter, Prices, estimated_tokens
from rationalerm.llm.question import Outcome
from rationalerm.llm.settings import ChatSettings
from rationalerm.llm.sweep import sweep
from rationalerm.prompts import load
from rationalerm.run.forecast import Forecast
from rationalerm.run.judge_input import JudgeConfig, JudgeInput
from rationalerm.run.judged import DRAWS, CallKey, EachGame, Judged, Made, call_key, derive, digest_of, is_answer
from rationalerm.run.live import Live
from rationalerm.run.progress import say
from rationalerm.run.session import run_logged
from rationalerm.run.writer import Writer
from rationalerm.types import Judgment, Order, Pair

__all__ = ["GamesOf", "JudgeConfig", "JudgeInput", "forecast_judging", "judge"]

GamesOf = Callable[[str], tuple[Order, ...]]  # a pair's id -> the orders in which it is shown


class Plan(NamedTuple):
    """What the first pass found: each pair's place in the file, and the digest of its texts."""

    places: dict[str, int]
    digests: dict[str, str]


class _Job(NamedTuple):
    """One call to make."""

    pair: Pair
    order: Order
    vote: int
    digest: str


def judge(
    source: JudgeInput,
    settings: ChatSettings,
    out: str | Path,
    config: JudgeConfig | None = None,
    *,
    progress: bool = False,
    games: GamesOf | None = None,
    each: EachGame | None = None,
    draws: int = DRAWS,
) -> Judged:
    """Asks a model about every pair, and resumes where an earlier run in `out` ended.

    Args:
        source: the pairs.
        settings: the model, how fast, for how much.
        out: the run directory.
        config: how to ask.
        progress: shown on stderr while it runs.
        games: which orders each pair is shown in, in place of the config's rule.
        each: gets every game's answer when all is asked, in the input's order.
        draws: of the intervals' bootstrap.

    Returns:
        Verdicts, order effects, outcome accuracy where labels are there, and what it used.

    Raises:
        RationalermError: bad input or options, in one line, before the first call.
        StoppedError: the endpoint or the budget ended it; what is finished is in `out`.
    """
    config = config or JudgeConfig()
    if not str(out):
        raise UsageError("--out is empty; name a folder")
    name = config.name or settings.endpoint.model
    if name.lower() == "human":
        raise UsageError("a judge can't be called human; give it another --name")
    with ExitStack() as stack:
        pairs, left_out = source.open(stack, config)
        plan = _first_pass(pairs, name)
        rundir = stack.enter_context(RunDir(out, _manifest(source, settings, config, name), finished="judgments.jsonl"))
        games = games or _games_of(config)
        run = _Run(pairs, plan, config, name, rundir, games)
        meter = run.all(settings, progress=progress)
        made = Made(name, games, config.votes, config.top_k, each, draws)
        return derive(rundir, pairs, plan.places, plan.digests, made, meter, left_out)


def forecast_judging(
    source: JudgeInput,
    settings: ChatSettings,
    out: str | Path | None,
    config: JudgeConfig,
    prices: Prices | None,
    games: GamesOf | None = None,
) -> Forecast:
    """What `judge` would ask, without asking: for --dry-run. Writes nothing."""
    calls = prompt = answers = 0
    with ExitStack() as stack:
        pairs, _ = source.open(stack, config)
        plan = _first_pass(pairs, config.name or settings.endpoint.model)
        finished = {}
        if out is not None and RunDir.manifest(out) is not None:
            finished = _finished(RunDir.opened(out).log("judgments.jsonl"))
        for job in _jobs(pairs, plan, config.votes, finished, games or _games_of(config)):
            question = _asked(job, config).question
            calls += 1
            prompt += estimated_tokens(sum(len(message.content) for message in question.messages))
            answers += question.expected_tokens
    return Forecast(len(plan.places), calls, prompt, answers, prices.cost(prompt, answers) if prices else None)


class _Run:
    """The second pass."""

    def __init__(self, pairs: PairFile, plan: Plan, config: JudgeConfig, name: str, rundir: RunDir, games: GamesOf) -> None:
        self._pairs, self._plan, self._config, self._name, self._rundir = pairs, plan, config, name, rundir
        self._games = games
        self._answers, self._failures = rundir.log("judgments.jsonl"), rundir.log("failures.jsonl")
        self._finished = _finished(self._answers)
        for line in self._answers.complaints():
            say(line)

    def all(self, settings: ChatSettings, *, progress: bool) -> Meter:
        """Every call that is not finished."""
        return run_logged(
            settings,
            self._sweep,
            (self._answers, self._failures),
            what="calls",
            total=self._count(),
            usage=self._rundir.log("usage.jsonl"),
            show=progress,
        )

    def _count(self) -> int:
        keys = (
            (key, order, vote) for key in self._plan.places for order in self._games(key) for vote in range(self._config.votes)
        )
        return sum(self._finished.get(key) != self._plan.digests[key[0]] for key in keys)

    async def _sweep(self, chat: Chat, live: Live, writer: Writer) -> None:
        async def work(job: _Job) -> None:
            asked = _asked(job, self._config)
            outcome = await chat.ask(asked.question)
            row = self._base(job) | {"prompt": asked.question.prompt, "calls": outcome.calls}
            row |= {"prompt_tokens": outcome.prompt_tokens, "completion_tokens": outcome.completion_tokens}
            if outcome.value is None:
                writer.put(self._failures, row | _failure(outcome, asked))
            else:
                writer.put(self._answers, row | _answer(outcome, outcome.value, asked))
            live.done(failed=outcome.value is None)

        jobs = _jobs(self._pairs, self._plan, self._config.votes, self._finished, self._games)
        await sweep(jobs, work, chat.limits.concurrency)

    def _base(self, job: _Job) -> dict[str, Any]:
        row: dict[str, Any] = {"id": job.pair.id, "judge": self._name, "order": job.order, "vote": job.vote}
        return row | ({"seed": self._config.seed} if self._config.orders == "random" else {}) | {"digest": job.digest}


def _jobs(pairs: PairFile, plan: Plan, votes: int, finished: dict[CallKey, str], games: GamesOf) -> Iterator[_Job]:
    for pair in pairs:
        digest = plan.digests[pair.id]
        for order in games(pair.id):
            for vote in range(votes):
                if finished.get((pair.id, order, vote)) != digest:
                    yield _Job(pair, order, vote, digest)


def _asked(job: _Job, config: JudgeConfig) -> Asked:
    options = {"max_response_chars": config.max_response_chars, "top_k": config.top_k}
    return judge_question(job.pair, job.order, vote=job.vote, **options)


def _games_of(config: JudgeConfig) -> GamesOf:
    return lambda pair_id: orders_of(config.orders, config.seed, pair_id)


def _finished(log: Log) -> dict[CallKey, str]:
    return {call_key(row): str(row.get("digest")) for row in log.rows() if is_answer(row)}


def _first_pass(pairs: PairFile, name: str) -> Plan:
    """Reads all rows. Raises DataError for what would stop the run after it was paid for."""
    plan = Plan({}, {})
    for pair, row in pairs.rows():
        if clash := next((judge for judge in judges_of(row) if judge.lower() == name.lower()), None):
            raise DataError(
                f"has answers of a judge {clash!r} already; give this one another --name", source=pairs.name, row=pair.row
            )
        plan.places[pair.id] = len(plan.places)
        plan.digests[pair.id] = digest_of(pair)
    return plan


def _answer(outcome: Outcome[Judgment], judgment: Judgment, asked: Asked) -> dict[str, Any]:
    return {
        "status": judgment.status,
        "verdict": judgment.verdict.label if judgment.verdict is not None else None,
        "strength": judgment.strength,
        "reasons": judgment.reasons,
        "notes": [*judgment.notes, *asked.notes],
        "text": outcome.text,
        "finish_reason": outcome.finish_reason,
    }


def _failure(outcome: Outcome[Judgment], asked: Asked) -> dict[str, Any]:
    return {
        "what": "call failed",
        "category": outcome.failure,
        "why": outcome.detail,
        "notes": list(asked.notes),
        "text": outcome.text,
        "finish_reason": outcome.finish_reason,
        "raw": outcome.raw,
    }


def _manifest(source: JudgeInput, settings: ChatSettings, config: JudgeConfig, name: str) -> dict[str, Any]:
    prompt = load("judge").version
    own = {"order_seed" if field == "seed" else field: getattr(config, field) for field in config.__slots__} | {"name": name}
    return {
        "command": "judge",
        "endpoint": settings.endpoint.shown,
        "rationalerm": __version__,
        "python": platform.python_version(),
        "config": settings.endpoint.identity() | own | source.to_json() | {"prompt": prompt},
        "prompts": dict([prompt.rsplit(" ", 1)]),
    }
