"""`--judge file`, from files to numbers: data and outputs to a protocol's result, a judge each. Asks no judge, sends nothing."""

from __future__ import annotations

import os
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
from rationalerm.data.datafiles import files_of
from rationalerm.data.names import file_name
from rationalerm.data.pairs import PairFile
from rationalerm.data.rundir import RunDir
from rationalerm.errors import DataError, UsageError
from rationalerm.judge.answers import read_answer
from rationalerm.run import bench_data
from rationalerm.run.bench_data import BenchData
from rationalerm.run.bench_games import row_of
from rationalerm.run.bench_outputs import (
    ORDERS,
    Outputs,
    arena_outputs,
    by_id_outputs,
    judgebench_outputs,
    rm_bench_outputs,
)
from rationalerm.run.bench_sources import Source, named_path, sources

__all__ = ["FileBenched", "FileOptions", "bench_file", "keep", "with_reasons"]

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
    found = sources(outputs, benchmark, options.name, one_judge=benchmark == "arena-hard")
    made = _BENCHMARKS[benchmark](data, found, options)
    return [_finished(judge, protocol, results, options) for judge, protocol, results in made]


def keep(
    made: Sequence[FileBenched],
    out: str,
    benchmark: str,
    data: BenchData,
    outputs: Sequence[str],
    options: FileOptions,
    *,
    compare: bool = False,
    report: bool = True,
) -> list[Path]:
    """Writes run.json, rows.jsonl (a game, or a response's score, a line) and summary.json; of several judges a folder each.

    Args:
        made, benchmark, data, outputs, options: as given to `bench_file`, and what came of it.
        out: the directory.
        compare: do the published rows belong beside the results?
        report: write report.html too, and of several judges one of all.

    Returns:
        The run directories.

    Raises:
        ResumeError: the folder holds another run's rows.
    """
    config: dict[str, Any] = {
        "benchmark": benchmark,
        "judge_kind": "file",
        **data.identity(),
        **asdict(options),
        "outputs": [os.path.realpath(named_path(output)[1]) for output in outputs],
    }
    from rationalerm.run.reporting import write_beside  # brings a client in, that a table of files needs not

    folders = []
    for one in made:
        folder = Path(out) / file_name(one.judge) if len(made) > 1 else Path(out)
        manifest: dict[str, Any] = {"command": f"bench {benchmark}", "rationalerm": __version__}
        manifest |= {"config": config | {"judge": one.judge}, "sources": data.sources(), "compare": compare}
        with RunDir(folder, manifest, finished="rows.jsonl") as rundir:
            rundir.write_lines("rows.jsonl", _rows(one))
            rundir.write("summary.json", one.to_json())
        if report:
            write_beside(folder)
        folders.append(folder)
    if report and len(folders) > 1:
        write_beside(*folders, out=Path(out))
    return folders


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


def _judgebench(data: BenchData, outputs: Sequence[Source], options: FileOptions) -> Made:
    protocol, rows = bench_data.judgebench(data)
    contests, known = _contests(protocol), {row.pair.id for row in rows}
    for source in outputs:
        if source.own:
            more = {"reparse": options.reparse, "reasons": options.reasons}
            yield source.judge, protocol, judgebench_outputs(source.files, contests, known, **more)
        else:
            candidates = {f"{key}:{side}" for key in contests for side in "AB"}
            every = known | {f"{key}:{side}" for key in known for side in "AB"}
            yield source.judge, protocol, by_id_outputs(source.files, contests, candidates, {}, every)


def _rm_bench(data: BenchData, outputs: Sequence[Source], options: FileOptions) -> Made:
    for source in outputs:
        protocol, rows = bench_data.rm_bench(data, "given")
        if source.own:
            found = rm_bench_outputs(source.files, rows, {item.key for item in protocol.items})
        else:
            candidates = {candidate.id for candidate in protocol.candidates()}
            whole = replace(protocol, items=[bench_data.item_of(row) for row in rows])
            every = {c.id for c in whole.candidates()} | {c.id for c in whole.contests()}
            found = by_id_outputs(source.files, _contests(protocol), candidates, _without_domain(every), every)
        yield source.judge, replace(protocol, orders=found.orders()) if found.games else protocol, found


def _arena_hard(data: BenchData, outputs: Sequence[Source], options: FileOptions) -> Made:
    arena = bench_data.arena_data(data, from_hub=False)
    name = options.name or "judge"
    if len({source.own for source in outputs}) > 1:
        own = next(source.path for source in outputs if source.own)
        by_id = next(source.path for source in outputs if not source.own)
        raise UsageError(f"--outputs: {own} has judgments in the benchmark's own shape, {by_id} has not; give one kind")
    if outputs[0].own:
        files = [file for source in outputs for file in source.files]
        rows = [row for row in read_arena_judgments(files) if not data.models or _is_one_of(row.model, data.models)]
        if data.models and not rows:
            there = ", ".join(dict.fromkeys(row.model for row in read_arena_judgments(files)))
            raise UsageError(f"--models: no judgment of {', '.join(data.models)}; there are {there}")
        protocol = ArenaHard(bench_data.arena_from_judgments(rows, arena, data.choice))
        known = _all_questions(data) if data.data else None
        found = arena_outputs(rows, _contests(protocol), known, reparse=options.reparse, reasons=options.reasons)
        yield options.name or _judge_of(rows) or name, protocol, found
        return
    if not data.data or not data.answers:
        raise UsageError("results by id need the questions (--data) and the models' and baselines' answers (--answers)")
    protocol = ArenaHard(bench_data.arena_bouts(arena, data.models))
    every = {f"{model}:{uid}{kind}" for uid in _all_questions(data) for model in arena.answers for kind in _KINDS}
    for source in outputs:
        candidates = {candidate.id for candidate in protocol.candidates()}
        aliases = _by_uid(protocol.bouts, _all_questions(data))
        yield source.judge, protocol, by_id_outputs(source.files, _contests(protocol), candidates, aliases, every)


def _helpsteer3(data: BenchData, outputs: Sequence[Source], options: FileOptions) -> Made:
    from rationalerm.match import make_matcher

    more: dict[str, Any] = {"scoring": options.scoring, "top_k": options.top_k}
    matcher = make_matcher(options.matcher)
    if not outputs:
        yield from _own_judges(data, matcher, options, more)
        return
    for source in outputs:
        protocol = bench_data.helpsteer3(data, matcher, "given", **more)
        whole = bench_data.helpsteer3(replace(data, choice=replace(data.choice, domains=(), sample=None, limit=None)), matcher)
        known = {pair.id for pair in whole.pairs}
        candidates = {candidate.id for candidate in protocol.candidates()}
        every = known | {f"{key}:{k}" for key in known for k in "12"}
        found = by_id_outputs(source.files, _contests(protocol), candidates, {}, every)
        yield source.judge, replace(protocol, orders=found.orders()) if found.games else protocol, found


def _own_judges(data: BenchData, matcher: Any, options: FileOptions, more: Mapping[str, Any]) -> Made:
    """The judges whose answers stand in HelpSteer3's own file."""
    if not data.data:
        raise UsageError("--judge file: give --outputs FILE, or --data FILE that holds judges' answers")
    files = [PairFile(path, feedback=data.feedback) for path in files_of(data.data)]
    source = files[0]
    try:
        pairs = data.choice.of(bench_data.pairs_of(files), lambda pair: pair.id, lambda pair: (pair.domain or "",))
    except DataError as error:  # `--judge` is the kind of judge here
        said = error.message.replace("; name one with --judge", "; give a judge's results with --outputs FILE")
        said = said.replace("; name the judges with --judge", "; give each judge a file of its own with --outputs FILE")
        raise DataError(said, source=error.source, row=error.row, field=error.field) from None
    for other in files[1:]:
        if set(other.judges) != set(source.judges):
            raise DataError(f"has other judges than {source.name}; give one file", source=other.name)
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
