"""`evaluate`: pairs with human reasons and judges' answers -> a run directory and a `Summary`.

Rows stream: a batch is read, parsed, matched, put on disk, and forgotten but for its numbers. Resume is the same call again: a
row whose texts have not changed keeps its matching. A matcher behind an endpoint has its own way through the rows
(`endpoint_rows`); everything else is shared.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from rationalerm import __version__
from rationalerm.data.pairs import PairFile
from rationalerm.data.rundir import RunDir
from rationalerm.data.spool import spooled
from rationalerm.errors import UsageError
from rationalerm.match import LLMMatcher, Matcher, make_matcher
from rationalerm.match.base import shown
from rationalerm.run.ceiling import human_ceiling
from rationalerm.run.config import EvaluateConfig
from rationalerm.run.games import Gathered, game_of, to_match
from rationalerm.run.progress import Progress, say, say_unmatched
from rationalerm.run.reporting import write_beside
from rationalerm.run.store import Store, match_row
from rationalerm.run.writer import Writer
from rationalerm.score.summary import Summary
from rationalerm.types import Pair

__all__ = ["EvaluateConfig", "evaluate"]

_BATCH = 64  # pairs that are matched together
_CHANCE_ROWS = 200


def evaluate(
    input: str | Path,
    judges: str | Sequence[str] = (),
    matcher: str | Matcher = "embedded",
    out: str | Path | None = None,
    *,
    config: EvaluateConfig | None = None,
    skip_bad: bool = False,
    limit: int | None = None,
    progress: bool = False,
    chance_rows: int | None = None,
    imported: str | Path | None = None,
    audit_rows: int = 0,
    auditor: Matcher | None = None,
    report: bool = True,
) -> Summary:
    """Are the judges' reasons the human's reasons?

    Args:
        input: a file of pairs with human reasons and judges' answers, or `-`.
        judges: which judges; none means all that the first row has.
        matcher: `embedded`, `fast`, `lexical`, or a `Matcher` (an `LLMMatcher` too, inside a running event loop as well).
        out: the run directory; None keeps nothing on disk.
        config: scoring and field names.
        skip_bad: leave bad rows out and count them, instead of raising.
        limit: at most so many rows.
        progress: shown on stderr while it runs.
        chance_rows: how many rows the chance level is measured on; None: 200, and none with an LLM, where each costs a call.
        imported: results files of the released inference script, whose rows count as finished (evaluator "unknown").
        audit_rows: so many random games go to `auditor`, a second matcher, too; `Summary.audit` says how far the two agree.
        auditor: the second matcher.
        report: also write `out`/report.html.

    Returns:
        OA, RC and the rest a judge, comparisons, the chance level.

    Raises:
        RationalermError: bad input or options, in one line.
        StoppedError: the endpoint or the budget ended it; what is finished is in `out`.
    """
    config = config or EvaluateConfig()
    judges = [judges] if isinstance(judges, str) else judges
    if not isinstance(input, str | Path):
        raise UsageError(f"input is {type(input).__name__}; give the path of a file, or -")
    chosen = make_matcher(matcher) if isinstance(matcher, str) else matcher
    asked = isinstance(chosen, LLMMatcher)
    _check(out, limit, config, asked, imported)
    with ExitStack() as stack:
        path = stack.enter_context(spooled(input)) if asked else Path(input)
        name = "stdin" if asked and str(input) == "-" else None
        columns = config.columns(_distinct(judges))
        source = PairFile(path, columns, skip_bad=skip_bad, feedback=config.feedback, limit=limit, shown=name)
        total = sum(len(pair.answers) for pair in source) if asked else 0  # bad rows are met before anything is paid for
        manifest = _manifest(source, judges, chosen, config, imported)
        rundir = stack.enter_context(RunDir(out, manifest)) if out is not None else None
        chance = chance_rows if chance_rows is not None else 0 if asked else _CHANCE_ROWS
        gathered = Gathered(config, chance, audit_rows if auditor else 0)
        summary = _matched(source, chosen, gathered, rundir, total, progress=progress, imported=imported)
        summary = summary if auditor is None else _audited(summary, gathered, auditor, rundir, progress)
    if out is not None and report:
        write_beside(out)
    return summary


def _matched(
    source: PairFile,
    matcher: Matcher,
    gathered: Gathered,
    rundir: RunDir | None,
    total: int,
    *,
    progress: bool,
    imported: str | Path | None,
) -> Summary:
    """Every game matched, here or over an endpoint; the run's files and its numbers."""
    usage: dict[str, Any] = {}
    if isinstance(matcher, LLMMatcher):
        from rationalerm.run.endpoint_rows import match_over_endpoint  # brings the client in

        say_unmatched(source.without_feedback, source.feedback)
        store = _store(rundir, Writer() if rundir else None)
        log = rundir.log("usage.jsonl") if rundir else None
        levels, usage = match_over_endpoint(
            source, matcher, gathered, store, total, progress=progress, usage=log, imported=imported
        )
        gathered.check_labels(source)
    else:
        store = _store(rundir, None)
        _match_here(source, matcher, gathered, store, progress)
        say_unmatched(source.without_feedback, source.feedback)
        gathered.check_labels(source)
        levels = _chance(matcher, gathered, progress)
    games = gathered.games(source.judges)
    ceiling = None  # an LLM's would cost calls
    if not isinstance(matcher, LLMMatcher):
        ceiling = human_ceiling(source, matcher, gathered.config, progress)
    summary = gathered.summary(games, source, shown(matcher.name, matcher.version), levels, ceiling)
    store.settle(games, source.bad, gathered.config.spurious_under)
    if rundir:
        rundir.write("summary.json", summary.to_json())
    return replace(summary, usage=usage)


def _store(rundir: RunDir | None, writer: Writer | None) -> Store:
    """The run's rows; what is broken in them is said."""
    store = Store(rundir, writer)
    for line in store.complaints:
        say(line)
    return store


def _match_here(source: PairFile, matcher: Matcher, gathered: Gathered, store: Store, progress: bool) -> None:
    """All rows through a matcher on this machine, a batch at a time."""
    shown = Progress("rows", source.rows_at_most()) if progress else None
    try:
        for pairs in _batches(source, _BATCH):
            _batch(pairs, matcher, gathered, store)
            if shown:
                shown.add(len(pairs))
    finally:
        store.close()
        if shown:
            shown.close()


def _chance(matcher: Matcher, gathered: Gathered, progress: bool) -> dict[str, float | None]:
    """The chance level of each judge."""
    with closing(Progress("judges' chance levels", len(gathered.chance))) as seen:
        levels = {}
        for judge, sample in gathered.chance.items():
            levels[judge] = sample.level(matcher, gathered.config.scoring)
            if progress:
                seen.add(1)
    return levels


def _audited(summary: Summary, gathered: Gathered, auditor: Matcher, rundir: RunDir | None, progress: bool) -> Summary:
    """A second evaluator on a sample; the run is finished and on disk by then."""
    from rationalerm.run.audit import audit

    done = audit(gathered.audit.games(), summary.matcher, auditor, gathered.config, rundir, show=progress)
    if rundir:
        rundir.write("audit.json", done.compared.to_json() | {"games": done.games, "failures": done.failures})
    return replace(summary, audit=done.compared, audit_failures=done.failures, usage=done.usage or summary.usage)


def _batch(pairs: list[Pair], matcher: Matcher, gathered: Gathered, store: Store) -> None:
    placed = [(game_of(pair, answer), place) for pair in pairs for place, answer in enumerate(pair.answers)]
    games = [game for game, _ in placed]
    matchings = {game.key: found for game in games if (found := store.finished(game)) is not None}
    todo = [game for game in games if game.key not in matchings and to_match(game)]
    fresh = matcher.match_many([(game.human, game.said(matcher)) for game in todo])
    matchings |= {game.key: matching for game, matching in zip(todo, fresh, strict=True)}
    store.add_judgments(games)
    store.add_matches(
        match_row(game, matching, matcher.name, matcher.version) for game, matching in zip(todo, fresh, strict=True)
    )
    gathered.rows += len(pairs)
    for game, place in placed:
        found = matchings.get(game.key)
        gathered.add(game, [] if found is None else [found], place)


def _check(out: str | Path | None, limit: int | None, config: EvaluateConfig, asked: bool, imported: str | Path | None) -> None:
    if out is not None and not str(out):
        raise UsageError("--out is empty; name a folder")
    if limit is not None and limit < 1:
        raise UsageError(f"--limit is {limit}; give 1 or more")
    if config.repeats > 1 and not asked:
        raise UsageError("--repeats is for --matcher llm; the other matchers always give the same")
    if imported is not None and config.repeats > 1:
        raise UsageError("--repeats measures this matcher's own noise, imported rows are another's; give one of the two")
    if imported is not None and not asked:
        raise UsageError("--import is for --matcher llm: imported rows need not be paid for again")


def _distinct(judges: Sequence[str]) -> list[str]:
    """Each judge once. Fields are found in any case, so names that differ in case only are one judge's."""
    named: dict[str, str] = {}
    for judge in judges:
        if named.setdefault(judge.lower(), judge) != judge:
            raise UsageError(f"--judge {named[judge.lower()]} and --judge {judge} name the same fields; give one of them")
    return list(named.values())


def _manifest(
    source: PairFile, judges: Sequence[str], matcher: Matcher, config: EvaluateConfig, imported: str | Path | None
) -> dict[str, Any]:
    path = source.name if source.shown or str(source.path) == "-" else str(Path(source.path).resolve())
    name = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # a path need not be UTF-8
    named: dict[str, Any] = {"matcher": matcher.name, "matcher_version": matcher.version, "judges": list(judges), "input": name}
    if isinstance(matcher, LLMMatcher):
        named |= {"mode": matcher.mode, "imported": str(imported) if imported else None, **matcher.settings.endpoint.identity()}
    endpoint = {"endpoint": matcher.settings.endpoint.shown} if isinstance(matcher, LLMMatcher) else {}
    return {
        "command": "match" if endpoint else "evaluate",
        **endpoint,
        "rationalerm": __version__,
        "python": platform.python_version(),
        "config": named | config.to_json(),
        "prompts": dict(prompt.rsplit(" ", 1) for prompt in matcher.prompts) if isinstance(matcher, LLMMatcher) else {},
    }


def _batches(pairs: Iterable[Pair], size: int) -> Iterator[list[Pair]]:
    it = iter(pairs)
    while batch := list(islice(it, size)):
        yield batch
