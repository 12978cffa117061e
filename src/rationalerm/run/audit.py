"""`evaluate --audit N`: N random games to a second evaluator, and how far the two agree (method.md section 3).

Which games are taken depends on their ids alone, so that a resumed run audits the same. The second evaluator's matchings are kept
in audit.jsonl of the run directory.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rationalerm.data.rundir import Log
from rationalerm.errors import UsageError
from rationalerm.llm.client import Chat
from rationalerm.llm.sweep import sweep
from rationalerm.match import LLMMatcher, Matcher
from rationalerm.run.config import EvaluateConfig
from rationalerm.run.live import Live
from rationalerm.run.session import run_chat
from rationalerm.run.store import Game, Key, match_row
from rationalerm.run.writer import Writer
from rationalerm.score.evaluators import Compared, Evaluator, compare_evaluators
from rationalerm.score.rows import GameResult, result
from rationalerm.types import Matching

__all__ = ["AuditSample", "Audited", "audit"]


class Audited(NamedTuple):
    """A game with what the first evaluator gave."""

    game: Game
    matching: Matching
    first: GameResult


class AuditSample:
    """The N games with the smallest hash of their key, of those that were scored and have reasons."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._heap: list[tuple[int, Key, Audited]] = []

    def offer(self, game: Game, matching: Matching, first: GameResult) -> None:
        """A game that was scored."""
        if not self._size or not game.judgment.reasons:
            return
        rank = int.from_bytes(hashlib.sha256("\x1f".join(("audit", *game.key)).encode("utf-8", "replace")).digest()[:8], "big")
        item = (-rank, game.key, Audited(game, matching, first))
        if len(self._heap) < self._size:
            heapq.heappush(self._heap, item)
        else:
            heapq.heappushpop(self._heap, item)

    def games(self) -> list[Audited]:
        """The sample, in an order of its own."""
        return [one for _, _, one in sorted(self._heap, key=lambda item: -item[0])]


def audit(
    sample: Sequence[Audited], first: str, second: Matcher, config: EvaluateConfig, log: Log | None, *, show: bool
) -> Compared:
    """Matches the sample again and compares.

    Args:
        sample: the games, with the first evaluator's matchings.
        first: the first evaluator's name and version.
        second: the other evaluator.
        config: how both are scored.
        log: gets the second's matchings; what is there already is not asked for again.
        show: progress on stderr.

    Raises:
        StoppedError: the second evaluator's endpoint or budget is gone.
        UsageError: nothing to compare.
    """
    games = [one.game for one in sample]
    if not games:
        raise UsageError("--audit: no game was scored, so there is nothing to audit")
    if isinstance(second, LLMMatcher):
        again = _asked(games, second, config, log, show)
    else:
        again = dict(zip([g.key for g in games], second.match_many([(g.human, g.judgment.reasons) for g in games]), strict=True))
    results = [result(g.pair, g.answer, g.judgment, again.get(g.key), scoring=config.scoring, top_k=config.top_k) for g in games]
    reasons = {g.key: g.judgment.reasons for g in games}
    left = {one.game.key: (one.matching, reasons[one.game.key]) for one in sample}
    right = {key: (matching, reasons[key]) for key, matching in again.items()}
    return compare_evaluators(
        _evaluator("this run", first, [one.first for one in sample], left, config),
        _evaluator("the audit", f"{second.name} {second.version}", results, right, config),
    )


def _asked(
    games: Sequence[Game], matcher: LLMMatcher, config: EvaluateConfig, log: Log | None, show: bool
) -> dict[Key, Matching]:
    """The second evaluator's matchings over an endpoint; games that failed are not in it."""
    writer = Writer() if log else None
    found: dict[Key, Matching] = {}

    async def all_of(chat: Chat, live: Live) -> None:
        async def work(game: Game) -> None:
            outcome = await chat.ask(matcher.question(game.human, game.judgment.reasons[: config.top_k]))
            if outcome.value is not None:
                found[game.key] = outcome.value
                if writer and log:
                    writer.put(log, match_row(game, outcome.value, matcher.name, matcher.version, text=outcome.text))
            live.done(failed=outcome.value is None)

        await sweep(games, work, chat.limits.concurrency)

    try:
        run_chat(matcher.settings, all_of, what="audited games", total=len(games), show=show)
    finally:
        if writer and log:
            writer.close()
            log.close()
    return found


def _evaluator(
    name: str, what: str, games: list[GameResult], matchings: Mapping[Key, tuple[Matching, Sequence[str]]], config: EvaluateConfig
) -> Evaluator:
    return Evaluator.of_games(name, what, games, matchings, scoring=config.scoring, top_k=config.top_k)
