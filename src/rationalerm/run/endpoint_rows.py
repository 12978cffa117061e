"""Rows through a matcher behind an endpoint: many at once, each finished row on disk, failures counted and never a number.

Two passes over the file: the first finds bad rows, repeated ids and unsure labels before anything is paid for; the second asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rationalerm.data.pairs import PairFile
from rationalerm.data.rundir import RunDir
from rationalerm.llm.client import Chat
from rationalerm.llm.meter import estimated_tokens
from rationalerm.llm.sweep import sweep
from rationalerm.match import LLMMatcher
from rationalerm.run.chance import mean_recall
from rationalerm.run.config import EvaluateConfig
from rationalerm.run.games import Gathered, game_of, to_match
from rationalerm.run.imported import EVALUATOR, Imported, read_imported
from rationalerm.run.live import Live
from rationalerm.run.progress import say, say_unmatched
from rationalerm.run.session import run_chat, used
from rationalerm.run.store import Game, Store, failure_row, match_row
from rationalerm.run.writer import Writer
from rationalerm.score.summary import Summary
from rationalerm.types import Matching

__all__ = ["Forecast", "forecast", "match_over_endpoint"]


class Forecast(NamedTuple):
    """What a run will ask at most: the cache may hold some of it, re-asking may add to it. Tokens are estimates."""

    rows: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


def match_over_endpoint(
    source: PairFile,
    matcher: LLMMatcher,
    gathered: Gathered,
    config: EvaluateConfig,
    out: str | Path | None,
    manifest: dict[str, Any],
    *,
    progress: bool,
    imported: str | Path | None,
) -> Summary:
    """Asks about every game that is not finished; the run's numbers. For `evaluate`, which says what may be raised."""
    total = sum(len(pair.answers) for pair in source)
    say_unmatched(source.without_feedback, source.feedback)
    if out is None:
        return _matched(source, matcher, gathered, config, None, total, progress=progress, imported=imported)
    with RunDir(out, manifest) as rundir:
        return _matched(source, matcher, gathered, config, rundir, total, progress=progress, imported=imported)


def _matched(
    source: PairFile,
    matcher: LLMMatcher,
    gathered: Gathered,
    config: EvaluateConfig,
    rundir: RunDir | None,
    total: int,
    *,
    progress: bool,
    imported: str | Path | None,
) -> Summary:
    known = read_imported(imported) if imported is not None else None
    writer = Writer() if rundir else None
    store = Store(rundir, writer)
    for line in store.complaints:
        say(line)
    run = _Run(matcher, gathered, config, store, known)
    try:
        chance, meter = run_chat(
            matcher.settings,
            lambda chat, live: run.all(source, chat, live),
            what="games",
            total=total,
            usage=rundir.log("usage.jsonl") if rundir else None,
            show=progress,
        )
    finally:
        store.close()
    gathered.check_labels(source)
    games = gathered.games(source.judges)
    summary = gathered.summary(games, source, f"{matcher.name} {matcher.version}", chance)
    summary.usage.update(used(meter) | {"imported": run.imported})
    store.settle(games, source.bad, config.spurious_under)
    if rundir:
        rundir.write("summary.json", summary.to_json())
    return summary


def forecast(
    source: PairFile,
    matcher: LLMMatcher,
    config: EvaluateConfig,
    out: str | Path | None,
    *,
    imported: str | Path | None = None,
    every_game: bool = True,
    chance_rows: int = 0,
    audit_rows: int = 0,
) -> Forecast:
    """What the run would ask, without asking: for --dry-run. Writes nothing.

    Args:
        source, matcher, config, out, imported: as for the run.
        every_game: False where the model is only asked for the audit.
        chance_rows, audit_rows: calls beyond the games', of the games' mean length.
    """
    known = read_imported(imported) if imported is not None else None
    store = Store(None)
    if out is not None and RunDir.manifest(out) is not None:
        store = Store(RunDir.opened(out))
    rows = calls = prompt = completion = 0
    games: Counter[str] = Counter()
    all_prompt = all_completion = 0
    for pair in source:
        rows += 1
        for game in (game_of(pair, answer) for answer in pair.answers):
            if not to_match(game) or not game.judgment.reasons:
                continue
            question = matcher.question(game.human, game.judgment.reasons[: config.top_k])
            tokens = estimated_tokens(sum(len(message.content) for message in question.messages))
            games[game.answer.judge] += 1
            all_prompt, all_completion = all_prompt + tokens, all_completion + question.expected_tokens
            todo = is_open(game, store, known, config.repeats) if every_game else 0
            calls, prompt, completion = calls + todo, prompt + todo * tokens, completion + todo * question.expected_tokens
    more = sum(min(chance_rows, count) for count in games.values()) + min(audit_rows, games.total())
    if more:
        share = more / games.total()
        calls, prompt, completion = calls + more, prompt + round(share * all_prompt), completion + round(share * all_completion)
    prices = matcher.settings.prices
    return Forecast(rows, calls, prompt, completion, prices.cost(prompt, completion) if prices else None)


def is_open(game: Game, store: Store, known: Imported | None, repeats: int) -> int:
    """How often the endpoint has to be asked about a game."""
    if not to_match(game) or not game.judgment.reasons:
        return 0
    if known is not None and known.find(game.human, game.judgment.reasons) is not None:
        return 0
    return sum(store.finished(game, repeat) is None for repeat in range(repeats))


class _Run:
    """The second pass."""

    def __init__(
        self, matcher: LLMMatcher, gathered: Gathered, config: EvaluateConfig, store: Store, known: Imported | None
    ) -> None:
        self._matcher, self._gathered, self._config, self._store, self._known = matcher, gathered, config, store, known
        self.imported = 0

    async def all(self, source: PairFile, chat: Chat, live: Live) -> dict[str, float | None]:
        """Every game; then, where it was asked for, the chance level a judge."""

        async def work(item: tuple[Game, int]) -> None:
            game, place = item
            asked = self._is_open(game)
            matchings, failure = await self._game(game, chat)
            self._gathered.add(game, matchings, place, failure)
            live.done(failed=failure is not None, asked=asked)

        await sweep(self._games(source), work, chat.limits.concurrency)
        return {judge: await self._level(judge, chat) for judge in self._gathered.chance}

    def _games(self, source: PairFile) -> Iterator[tuple[Game, int]]:
        for pair in source:
            self._gathered.rows += 1
            for place, answer in enumerate(pair.answers):
                game = game_of(pair, answer)
                self._store.add_judgments([game])
                yield game, place

    def _is_open(self, game: Game) -> bool:
        """Will the endpoint be asked?"""
        return is_open(game, self._store, self._known, self._config.repeats) > 0

    async def _game(self, game: Game, chat: Chat) -> tuple[list[Matching], str | None]:
        """Its matchings, one a repeat; none if it is not for the matcher, or if any repeat failed, and then why."""
        if not to_match(game):
            return [], None
        # One after the other: so no more is between the endpoint and the disk than was in flight.
        found = [await self._one(game, repeat, chat) for repeat in range(self._config.repeats)]
        failure = next((one for one in found if isinstance(one, str)), None)
        return ([], failure) if failure else ([one for one in found if not isinstance(one, str)], None)

    async def _one(self, game: Game, repeat: int, chat: Chat) -> Matching | str:
        """One asking: the matching, or the category of the failure."""
        if (done := self._store.finished(game, repeat)) is not None:
            return done
        if not game.judgment.reasons:  # silence: nothing to ask, and a score of 0
            nothing = Matching(len(game.human), 0)
            self._store.add_matches([match_row(game, nothing, self._matcher.name, self._matcher.version, repeat=repeat)])
            return nothing
        if repeat == 0 and self._known and (known := self._known.find(game.human, game.judgment.reasons)) is not None:
            self.imported += 1
            self._store.add_matches([match_row(game, known, EVALUATOR, "imported")])
            return known
        outcome = await chat.ask(self._matcher.question(game.human, game.judgment.reasons[: self._config.top_k], repeat))
        if outcome.value is None:
            self._store.add_failure(failure_row(game, repeat, outcome))
            return outcome.failure or "failed"
        more: dict[str, Any] = {"text": outcome.text, "calls": outcome.calls}
        more |= {"prompt_tokens": outcome.prompt_tokens, "completion_tokens": outcome.completion_tokens}
        if outcome.value.notes:
            more["notes"] = outcome.value.notes
        row = match_row(game, outcome.value, self._matcher.name, self._matcher.version, repeat=repeat, **more)
        self._store.add_matches([row])
        return outcome.value

    async def _level(self, judge: str, chat: Chat) -> float | None:
        crossed = self._gathered.chance[judge].crossed()
        found: list[Matching] = []

        async def work(lists: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
            outcome = await chat.ask(self._matcher.question(*lists))
            if outcome.value is not None:
                found.append(outcome.value)

        await sweep(crossed, work, chat.limits.concurrency)
        return mean_recall(found, self._config.scoring)
