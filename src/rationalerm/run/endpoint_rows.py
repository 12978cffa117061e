"""Rows through a matcher behind an endpoint: many at once, each finished row on disk, failures counted and never a number.

This is the second pass over the file; the first, `evaluate`'s, finds bad rows, repeated ids and unsure labels before anything is
paid for.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rationalerm.data.log import Log
from rationalerm.data.pairs import PairFile
from rationalerm.llm.client import Chat
from rationalerm.llm.sweep import sweep
from rationalerm.match import LLMMatcher
from rationalerm.run.chance import mean_recall
from rationalerm.run.games import Gathered, game_of, to_match
from rationalerm.run.imported import EVALUATOR, Imported, read_imported
from rationalerm.run.live import Live
from rationalerm.run.session import run_chat, used
from rationalerm.run.store import Game, Store, failure_row, match_row
from rationalerm.types import Matching

__all__ = ["is_open", "match_over_endpoint"]


def match_over_endpoint(
    source: PairFile,
    matcher: LLMMatcher,
    gathered: Gathered,
    store: Store,
    total: int,
    *,
    progress: bool,
    usage: Log | None,
    imported: str | Path | None,
) -> tuple[dict[str, float | None], dict[str, Any]]:
    """Asks about every game that is not finished. For `evaluate`, which says what may be raised.

    Returns:
        The chance level a judge, where it was asked for, and what the run used.
    """
    known = read_imported(imported) if imported is not None else None
    run = _Run(matcher, gathered, store, known)
    try:
        chance, meter = run_chat(
            matcher.settings,
            lambda chat, live: run.all(source, chat, live),
            what="games",
            total=total,
            usage=usage,
            show=progress,
        )
    finally:
        store.close()
    return chance, used(meter) | {"imported": run.imported}


def is_open(game: Game, store: Store, known: Imported | None, repeats: int) -> int:
    """How often the endpoint has to be asked about a game."""
    if not to_match(game) or not game.judgment.reasons:
        return 0
    if known is not None and known.find(game.human, game.judgment.reasons) is not None:
        return 0
    return sum(store.finished(game, repeat) is None for repeat in range(repeats))


class _Run:
    """The second pass."""

    def __init__(self, matcher: LLMMatcher, gathered: Gathered, store: Store, known: Imported | None) -> None:
        self._matcher, self._gathered, self._store, self._known = matcher, gathered, store, known
        self._config = gathered.config
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
        crossed = self._gathered.chance[judge].crossed(self._matcher)
        found: list[Matching] = []

        async def work(lists: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
            outcome = await chat.ask(self._matcher.question(*lists))
            if outcome.value is not None:
                found.append(outcome.value)

        await sweep(crossed, work, chat.limits.concurrency)
        return mean_recall(found, self._config.scoring)
