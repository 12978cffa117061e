"""A benchmark with an LLM as the judge: its contests become a file of pairs, `judge` plays them, the protocol counts.

Everything that costs money is `judging`'s: orders, votes, cache, resume, budget, failures. What is made here comes from its files
and the protocol, so a resumed run ends with the files of one that was never stopped. Knows no benchmark.

    OUT/run.json, contests.jsonl, rows.jsonl (a game a line), summary.json
    OUT/judge/      a whole judge run; its pairs.jsonl is ready for `evaluate`
"""

from __future__ import annotations

import platform
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rationalerm import __version__
from rationalerm.bench.base import NOT_RUN, BenchResult, Contest, Games, Played, Protocol, Scores
from rationalerm.data.log import write_lines
from rationalerm.data.orders import Orders
from rationalerm.data.rundir import RunDir
from rationalerm.errors import DataError, UsageError
from rationalerm.llm.settings import ChatSettings
from rationalerm.run.bench_games import row_of
from rationalerm.run.forecast import Forecast
from rationalerm.run.judge_input import JudgeConfig, JudgeInput
from rationalerm.run.judging import forecast_judging, judge
from rationalerm.run.progress import say
from rationalerm.run.reporting import write_beside
from rationalerm.types import Judgment, Order

__all__ = ["BenchRun", "Benched", "bench_llm", "bench_manifest", "forecast_llm", "note"]

_CONTESTS, _JUDGE = "contests.jsonl", "judge"
_OWN = ("data sha256", "answers sha256")  # words of an identity that no judge has
_DRAWS = 200  # of the intervals in judge/summary.json: those of the benchmark are the protocol's


@dataclass(frozen=True, slots=True)
class BenchRun:
    """Where a run goes and what it is of.

    Args:
        out: the run directory.
        identity: what makes the contests what they are (split, seed, ...), for JSON: a resumed run must have the same. Not how
            many there are: a run of a few may grow.
        name: the judge's name in the files; None: the model's.
        orders, seed: as drawn by the protocol, for the records. The contests themselves say which games are played.
        votes, top_k, max_response_chars: as for `judge`.
        notes: what run.json says beside: where the data came from, how the answers are scored. A resumed run may have others.
        report: write report.html too.
    """

    out: str | Path
    identity: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    orders: Orders = "both"
    seed: int = 0
    votes: int = 1
    top_k: int | None = None
    max_response_chars: int | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)
    report: bool = True

    def config(self) -> JudgeConfig:
        """How the judge is asked."""
        return JudgeConfig(self.name, self.orders, self.seed, self.votes, self.top_k, self.max_response_chars)


@dataclass(frozen=True, slots=True)
class Benched:
    """A finished run: the benchmark's result, what it was made of, and what it used.

    `failures`: failed calls (or responses without a score) a category. `usage` and `seconds` are this process's alone; the token
    counts are of all answers, those of an earlier run too.
    """

    result: BenchResult
    judge: str
    kind: str
    games: Games = field(repr=False)
    scores: Scores = field(repr=False)
    calls: int
    failures: Mapping[str, int]
    prompt_tokens: int
    completion_tokens: int
    usage: Mapping[str, Any]
    seconds: float

    @property
    def failed(self) -> int:
        """Failed calls."""
        return sum(self.failures.values())

    def to_json(self) -> dict[str, Any]:
        """summary.json: nothing that depends on how often the run was stopped."""
        out = self.result.to_json() | {"judge": self.judge, "judge_kind": self.kind, "calls": self.calls}
        out |= {"failed_calls": self.failed, "failures": dict(self.failures)}
        return out | {"prompt_tokens": self.prompt_tokens, "completion_tokens": self.completion_tokens}


@dataclass(frozen=True, slots=True)
class _Contests(JudgeInput):
    """The file of contests. It lies in the run directory, so it is known by its benchmark and not by its place."""

    identity: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """For the judge's run.json."""
        return {"input": _CONTESTS, **self.identity}


def bench_llm(protocol: Protocol, settings: ChatSettings, run: BenchRun, *, progress: bool = False) -> Benched:
    """Plays a benchmark's contests with a model behind an endpoint, and resumes where an earlier run in `run.out` ended.

    Args:
        protocol: the benchmark, its data read.
        settings: the model, how fast, for how much.
        run: where to, and how to ask.
        progress: shown on stderr while it runs.

    Raises:
        RationalermError: bad data or options, in one line, before the first call.
        StoppedError: the endpoint or the budget ended it; what is finished is in `run.out`.
    """
    began = time.monotonic()
    _checked(run)
    manifest = bench_manifest(protocol, "llm", settings.endpoint.shown, settings.endpoint.identity(), run)
    with RunDir(run.out, manifest, finished="rows.jsonl") as rundir:
        note(rundir, run)
        path = rundir.path / _CONTESTS
        orders = _write(path, protocol)
        source = _Contests(path, identity={"benchmark": protocol.name, **_named(run.identity)})
        games: dict[tuple[str, Order], Played] = {}

        def keep(key: str, order: Order, judgment: Judgment) -> None:
            games[key, order] = Played.of(judgment)

        judged = judge(
            source,
            settings,
            rundir.path / _JUDGE,
            run.config(),
            progress=progress,
            games=orders.__getitem__,
            each=keep,
            draws=_DRAWS,
        )
        made = Benched(
            result=protocol.result(games, {}),
            judge=judged.name,
            kind="llm",
            games=games,
            scores={},
            calls=judged.calls,
            failures=judged.failures,
            prompt_tokens=judged.prompt_tokens,
            completion_tokens=judged.completion_tokens,
            usage=judged.usage | {"said": judged.said},
            seconds=time.monotonic() - began,
        )
        rundir.write_lines("rows.jsonl", _rows(protocol, games))
        rundir.write("summary.json", made.to_json())
    if run.report:
        write_beside(run.out)
    return made


def forecast_llm(protocol: Protocol, settings: ChatSettings, run: BenchRun) -> Forecast:
    """What `bench_llm` would ask, without asking: for --dry-run. Writes nothing."""
    with tempfile.TemporaryDirectory(prefix="rationalerm-") as folder:
        path = Path(folder) / _CONTESTS
        orders = _write(path, protocol)
        out = Path(run.out) / _JUDGE if str(run.out) else None
        return forecast_judging(_Contests(path), settings, out, run.config(), settings.prices, orders.__getitem__)


def bench_manifest(
    protocol: Protocol, kind: str, endpoint: str, judge: Mapping[str, Any], run: BenchRun, **more: Any
) -> dict[str, Any]:
    """What run.json says.

    Args:
        protocol: the benchmark.
        kind: `llm` or `scalar`.
        endpoint: where the judge is, without secrets.
        judge: what of the judge changes its answers.
        run: the run.
        more: what else changes the numbers.
    """
    own = {name: getattr(run, name) for name in ("name", "orders", "votes", "top_k", "max_response_chars")}
    config = dict(judge) | (own | {"order_seed": run.seed} if kind == "llm" else {}) | _named(run.identity) | more
    return {
        "command": f"bench {protocol.name}",
        "endpoint": endpoint,
        "rationalerm": __version__,
        "python": platform.python_version(),
        "config": config | {"benchmark": protocol.name, "judge_kind": kind},
    }


def note(rundir: RunDir, run: BenchRun) -> None:
    """Puts the run's notes into run.json, if they are not there; says where the same bytes are of another commit now."""
    said = RunDir.manifest(rundir.path) or {}
    before, now = _commits(said), _commits(run.notes)
    for file in sorted(before.keys() & now.keys()):
        if before[file] != now[file]:
            say(f"{file}: the same bytes, now of commit {now[file]}; the run began with {before[file]}")
    if said != said | dict(run.notes):
        rundir.write("run.json", said | dict(run.notes))


def _commits(notes: Mapping[str, Any]) -> dict[str, str]:
    """By file of the Hub."""
    return {one["file"]: one["commit"] for one in (notes.get("sources") or {}).get("hub", ()) if one["commit"]}


def _named(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Under names that are not the judge's: both have a seed."""
    return {name if name in _OWN else f"data {name}": value for name, value in identity.items()}


def _checked(run: BenchRun) -> None:
    if not str(run.out):
        raise UsageError("--out is empty; name a folder")
    run.config()


def _write(path: Path, protocol: Protocol) -> dict[str, tuple[Order, ...]]:
    """Writes the contests that have a game; returns which games.

    Raises:
        DataError: no contest, or an id that is there twice.
    """
    orders: dict[str, tuple[Order, ...]] = {}

    def rows() -> Iterator[dict[str, Any]]:
        for contest in protocol.contests():
            if contest.id in orders:
                raise DataError(f"the id {contest.id!r} is there twice", source=protocol.name)
            if contest.orders:
                orders[contest.id] = contest.orders
                yield _pair_row(contest)

    write_lines(path, rows())
    if not orders:
        raise DataError("no comparison is left to make; give more data, or other --domains", source=protocol.name)
    return orders


def _pair_row(contest: Contest) -> dict[str, Any]:
    """As every command reads a pair."""
    pair = contest.pair
    row: dict[str, Any] = {
        "id": contest.id,
        "context": [{"role": turn.role, "content": turn.content} for turn in pair.messages],
        "response1": pair.response_a,
        "response2": pair.response_b,
    }
    if pair.label is not None:
        row["overall_preference"] = pair.label
    if pair.domain is not None:
        row["domain"] = pair.domain
    return row if pair.human_reasons is None else row | {"human-checklist": pair.human_reasons}


def _rows(protocol: Protocol, games: Games) -> Iterator[dict[str, Any]]:
    for contest in protocol.contests():
        for order in contest.orders:
            yield row_of(contest, order, games.get((contest.id, order), Played(None, NOT_RUN)))
