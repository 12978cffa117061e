"""`--judge file`, from files to numbers: data and outputs to a protocol's result, a judge each. Asks no judge, sends nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from rationalerm import __version__
from rationalerm.bench.arena_hard import ArenaHard, Bout
from rationalerm.bench.base import VERDICT_ONLY, BenchResult, Contest, Played, Protocol
from rationalerm.bench.choose import Choice
from rationalerm.bench.helpsteer3 import HelpSteer3
from rationalerm.bench.reasons import reasons_table
from rationalerm.data.arena_hard import Judged, read_arena_judgments
from rationalerm.data.fields import Fields
from rationalerm.data.names import file_name
from rationalerm.data.pairs import PairFile
from rationalerm.data.rundir import RunDir
from rationalerm.errors import UsageError
from rationalerm.judge.answers import read_answer
from rationalerm.run import bench_data
from rationalerm.run.bench_data import BenchData
from rationalerm.run.bench_games import row_of
from rationalerm.run.bench_outputs import (
    ORDERS,
    Outputs,
    arena_outputs,
    by_id_outputs,
    first_row,
    judgebench_outputs,
    rm_bench_outputs,
)

__all__ = ["FileBenched", "FileOptions", "bench_file", "keep", "with_reasons"]

_SHAPES = {
    "rm-bench": ("score_chosen", "rewards", "acc_matrix", "score_matrix", "reward_diff"),
    "judgebench": ("judgments", "games"),
    "arena-hard": ("games",),
}
_KINDS = ("", ":model", ":baseline")  # an Arena-Hard game; a response's score


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How results are read.

    Attributes:
        reparse: texts that have a verdict beside them go through the parser, and its verdict counts.
        reasons: the judge's reasons are kept and counted.
        name: of the judge, where there is one; of HelpSteer3's file of several judges: which.
        matcher: of HelpSteer3's reasons.
        top_k, scoring: as for `evaluate`.
    """

    reparse: bool = False
    reasons: bool = False
    name: str | None = None
    matcher: str = "embedded"
    top_k: int | None = 5
    scoring: str = "paper"


@dataclass(frozen=True)
class FileBenched:
    """One judge's result, and what it was made of."""

    judge: str
    result: BenchResult
    protocol: Protocol = field(repr=False)
    outputs: Outputs = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """summary.json."""
        return self.result.to_json() | {"judge": self.judge, "judge_kind": "file"}


def bench_file(benchmark: str, data: BenchData, outputs: Sequence[str], options: FileOptions | None = None) -> list[FileBenched]:
    """A benchmark's numbers from results that were computed elsewhere.

    Args:
        benchmark: rm-bench, judgebench, arena-hard or helpsteer3.
        data: which rows.
        outputs: a file or folder a judge; of arena-hard all of one judge's, a file a model. helpsteer3 needs none where its own
            file holds judges' answers.
        options: how they are read.

    Raises:
        DataError, UsageError: in one line, what can't be read and where.
    """
    options = options or FileOptions()
    if not outputs and benchmark != "helpsteer3":
        raise UsageError("--judge file needs --outputs FILE: the judge's results")
    made = _BENCHMARKS[benchmark](data, outputs, options)
    return [_finished(judge, protocol, found, options) for judge, protocol, found in made]


def keep(
    made: Sequence[FileBenched], out: str, benchmark: str, data: BenchData, outputs: Sequence[str], options: FileOptions
) -> None:
    """Writes run.json, rows.jsonl (a game, or a response's score, a line) and summary.json; of several judges a folder each.

    Raises:
        ResumeError: the folder holds another run's rows.
    """
    config: dict[str, Any] = {
        "benchmark": benchmark,
        "judge_kind": "file",
        **data.identity(),
        **asdict(options),
        "outputs": list(outputs),
    }
    for one in made:
        folder = Path(out) / file_name(one.judge) if len(made) > 1 else Path(out)
        manifest = {"command": f"bench {benchmark}", "rationalerm": __version__, "config": config | {"judge": one.judge}}
        with RunDir(folder, manifest, finished="rows.jsonl") as rundir:
            rundir.write_lines("rows.jsonl", _rows(one))
            rundir.write("summary.json", one.to_json())


def _rows(made: FileBenched) -> Iterable[dict[str, Any]]:
    if made.outputs.scores:
        yield from ({"id": key, "score": score} for key, score in made.outputs.scores.items())
        return
    for contest in made.protocol.contests():
        for order in ORDERS:
            if (game := made.outputs.games.get((contest.id, order))) is not None:
                yield row_of(contest, order, game)


def with_reasons(result: BenchResult, protocol: Protocol, games: Mapping[Any, Played]) -> BenchResult:
    """The result with its table of reasons by outcome."""
    orders: dict[str, list[Any]] = {}
    for key, order in games:
        orders.setdefault(key, []).append(order)
    contests = (replace(contest, orders=tuple(sorted(orders.get(contest.id, [])))) for contest in protocol.contests())
    return replace(result, tables={**result.tables, "reasons": reasons_table(contests, games)})


Made = Iterable[tuple[str, Protocol, Outputs]]


def _finished(judge: str, protocol: Protocol, found: Outputs, options: FileOptions) -> FileBenched:
    result = protocol.result(found.games, found.scores)
    if options.reasons and found.games:
        result = with_reasons(result, protocol, found.games)
    tables = dict(result.tables)
    if options.reparse:
        tables["reparsed"] = {"games": found.read, "differ": len(found.differences), "rows": found.differences}
    counts = {**result.counts, "results outside this run": found.outside}
    return FileBenched(judge, replace(result, tables=tables, counts=counts), protocol, found)


def _judgebench(data: BenchData, outputs: Sequence[str], options: FileOptions) -> Made:
    protocol, rows = bench_data.judgebench(data)
    contests, known = _contests(protocol), {row.pair.id for row in rows}
    for path, judge in _named(outputs, options):
        if _has(path, "judgebench"):
            yield judge, protocol, judgebench_outputs(path, contests, known, reparse=options.reparse, reasons=options.reasons)
        else:
            candidates = {f"{key}:{side}" for key in contests for side in "AB"}
            every = known | {f"{key}:{side}" for key in known for side in "AB"}
            yield judge, protocol, by_id_outputs(path, contests, candidates, {}, every)


def _rm_bench(data: BenchData, outputs: Sequence[str], options: FileOptions) -> Made:
    for path, judge in _named(outputs, options):
        protocol, rows = bench_data.rm_bench(data, "given")
        if _has(path, "rm-bench"):
            found = rm_bench_outputs(path, rows, {item.key for item in protocol.items})
        else:
            candidates = {candidate.id for candidate in protocol.candidates()}
            whole = replace(protocol, items=[bench_data.item_of(row) for row in rows])
            every = {c.id for c in whole.candidates()} | {c.id for c in whole.contests()}
            found = by_id_outputs(path, _contests(protocol), candidates, _without_domain(every), every)
        yield judge, replace(protocol, orders=found.orders()) if found.games else protocol, found


def _arena_hard(data: BenchData, outputs: Sequence[str], options: FileOptions) -> Made:
    arena = bench_data.arena_data(data, from_hub=False)
    name = options.name or "judge"
    if _has(outputs[0], "arena-hard"):
        rows = [row for row in read_arena_judgments(outputs) if not data.models or _is_one_of(row.model, data.models)]
        if data.models and not rows:
            raise UsageError(f"--models: no judgment of {', '.join(data.models)}")
        protocol = ArenaHard(bench_data.arena_from_judgments(rows, arena, data.choice))
        known = _all_questions(data) if data.data else None
        found = arena_outputs(rows, _contests(protocol), known, reparse=options.reparse, reasons=options.reasons)
        yield options.name or _judge_of(rows) or name, protocol, found
        return
    if not data.data or not data.answers:
        raise UsageError("results by id need the questions (--data) and the models' and baselines' answers (--answers)")
    protocol = ArenaHard(bench_data.arena_bouts(arena, data.models))
    every = {f"{model}:{uid}{kind}" for uid in _all_questions(data) for model in arena.answers for kind in _KINDS}
    for path, judge in _named(outputs, options):
        candidates = {candidate.id for candidate in protocol.candidates()}
        yield (
            judge,
            protocol,
            by_id_outputs(path, _contests(protocol), candidates, _by_uid(protocol.bouts, _all_questions(data)), every),
        )


def _helpsteer3(data: BenchData, outputs: Sequence[str], options: FileOptions) -> Made:
    from rationalerm.match import make_matcher

    more: dict[str, Any] = {"scoring": options.scoring, "top_k": options.top_k}
    matcher = make_matcher(options.matcher)
    if not outputs:
        yield from _own_judges(data, matcher, options, more)
        return
    for path, judge in _named(outputs, options):
        protocol = bench_data.helpsteer3(data, matcher, "given", **more)
        whole = bench_data.helpsteer3(replace(data, choice=replace(data.choice, domains=(), sample=None, limit=None)), matcher)
        known = {pair.id for pair in whole.pairs}
        candidates = {candidate.id for candidate in protocol.candidates()}
        found = by_id_outputs(path, _contests(protocol), candidates, {}, known | {f"{key}:{k}" for key in known for k in "12"})
        yield judge, replace(protocol, orders=found.orders()) if found.games else protocol, found


def _own_judges(data: BenchData, matcher: Any, options: FileOptions, more: Mapping[str, Any]) -> Made:
    """The judges whose answers stand in HelpSteer3's own file."""
    if len(data.data) != 1:
        raise UsageError("--judge file: give --outputs FILE, or one --data FILE that holds judges' answers")
    source = PairFile(data.data[0], feedback=data.feedback)
    pairs = data.choice.of(list(source), lambda pair: pair.id, lambda pair: (pair.domain or "",))
    names = [options.name] if options.name else list(source.judges)
    if missing := [name for name in names if name not in source.judges]:
        raise UsageError(f"--name: no judge {missing[0]!r} in {source.name}; there are {', '.join(source.judges)}")
    for name in names:
        found = Outputs()
        for pair in pairs:
            for answer in pair.answers:
                if answer.judge == name:
                    made = Played.of(read_answer(answer, pair))
                    bare = answer.text is None and answer.reasons is None
                    found.games[pair.id, answer.order] = replace(made, notes=(*made.notes, VERDICT_ONLY)) if bare else made
        yield name, HelpSteer3(pairs, matcher, found.orders(), **more), found


_BENCHMARKS = {"judgebench": _judgebench, "rm-bench": _rm_bench, "arena-hard": _arena_hard, "helpsteer3": _helpsteer3}


def _has(path: str, benchmark: str) -> bool:
    """Are the rows in the shape of the benchmark's own tools?"""
    fields = Fields(first_row(path))
    return any(name in fields for name in _SHAPES[benchmark])


def _named(outputs: Sequence[str], options: FileOptions) -> list[tuple[str, str]]:
    """Each path with its judge's name: the file's, or the whole path where two files share one."""
    if options.name is not None and len(outputs) == 1:
        return [(outputs[0], options.name)]
    stems = [Path(path).name.split(".jsonl")[0].removesuffix(".json") for path in outputs]
    return [(path, stem if stems.count(stem) == 1 else str(path)) for path, stem in zip(outputs, stems, strict=True)]


def _contests(protocol: Protocol) -> dict[str, Contest]:
    return {contest.id: contest for contest in protocol.contests()}


def _without_domain(ids: Collection[str]) -> dict[str, str]:
    """RM-Bench's ids without their domain, where only one domain has them."""
    short: dict[str, list[str]] = {}
    for key in ids:
        short.setdefault(key.split("/", 1)[-1], []).append(key)
    return {name: keys[0] for name, keys in short.items() if len(keys) == 1}


def _all_questions(data: BenchData) -> list[str]:
    """The uids of the whole data, those too that this run leaves out."""
    return list(bench_data.arena_data(replace(data, choice=Choice(), answers=()), from_hub=False).questions)


def _by_uid(bouts: Sequence[Bout], uids: Iterable[str]) -> dict[str, str]:
    """A uid alone, where there is one model."""
    models = {bout.model for bout in bouts}
    return {uid: f"{model}:{uid}" for model in models for uid in uids} if len(models) == 1 else {}


def _judge_of(rows: Sequence[Judged]) -> str | None:
    judges = {row.judge for row in rows if row.judge}
    return ", ".join(sorted(judges)) or None


def _is_one_of(model: str, names: Sequence[str]) -> bool:
    return model in names or model.rsplit("/", 1)[-1] in names
