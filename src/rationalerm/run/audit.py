"""`evaluate --audit N`: N random games to a second evaluator, and how far the two agree (method.md section 3).

Which games are taken depends on their ids alone, so that a resumed run audits the same. The second evaluator's matchings are kept
in audit.jsonl of the run directory.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from rationalerm.data.rundir import RunDir
from rationalerm.errors import UsageError
from rationalerm.llm.client import Chat
from rationalerm.llm.sweep import sweep
from rationalerm.match import LLMMatcher, Matcher
from rationalerm.match.base import shown
from rationalerm.run.config import EvaluateConfig
from rationalerm.run.live import Live
from rationalerm.run.session import run_chat, used
from rationalerm.run.store import Game, Key, failure_row, key_of, match_row, matching_of
from rationalerm.run.writer import Writer
from rationalerm.score.evaluators import Compared, Evaluator, compare_evaluators
from rationalerm.score.rows import GameResult, result
from rationalerm.types import Matching

__all__ = ["Audit", "AuditSample", "Audited", "audit"]


class Audited(NamedTuple):
    """A game with what the first evaluator gave."""

    game: Game
    matching: Matching
    first: GameResult


class Audit(NamedTuple):
    """How far the two agree; how many games were sampled; failed ones by category; what it used (of an endpoint)."""

    compared: Compared
    games: int
    failures: dict[str, int]
    usage: dict[str, Any]


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
    sample: Sequence[Audited], first: str, second: Matcher, config: EvaluateConfig, rundir: RunDir | None, *, show: bool
) -> Audit:
    """Matches the sample again and compares.

    Args:
        sample: the games, with the first evaluator's matchings.
        first: the first evaluator's name and version.
        second: the other evaluator.
        config: how both are scored.
        rundir: gets the second's matchings; what is there already is not asked for again.
        show: progress on stderr.

    Raises:
        StoppedError: the second evaluator's endpoint or budget is gone.
        UsageError: nothing to compare.
    """
    games = [one.game for one in sample]
    if not games:
        raise UsageError("--audit: no game was scored, so there is nothing to audit")
    again = _kept(rundir, second)
    todo = [game for game in games if (game.key, game.digest) not in again]
    usage: dict[str, Any] = {}
    failures: Counter[str] = Counter()
    if isinstance(second, LLMMatcher):
        usage = _ask(todo, second, config, rundir, again, failures, show)
    else:
        found = second.match_many([(game.human, game.said(second)) for game in todo])
        again |= {(game.key, game.digest): matching for game, matching in zip(todo, found, strict=True)}
        if rundir:
            log = rundir.log("audit.jsonl")
            log.add(match_row(game, matching, second.name, second.version) for game, matching in zip(todo, found, strict=True))
            log.close()
    matched = {game.key: again[game.key, game.digest] for game in games if (game.key, game.digest) in again}
    results = [
        result(g.pair, g.answer, g.judgment, matched.get(g.key), scoring=config.scoring, top_k=config.top_k) for g in games
    ]
    reasons = {g.key: g.judgment.reasons for g in games}
    left = {one.game.key: (one.matching, reasons[one.game.key]) for one in sample}
    right = {key: (matching, reasons[key]) for key, matching in matched.items()}
    compared = compare_evaluators(
        _evaluator("this run", first, [one.first for one in sample], left, config),
        _evaluator("the audit", shown(second.name, second.version), results, right, config),
    )
    return Audit(compared, len(games), dict(failures), usage)


def _kept(rundir: RunDir | None, matcher: Matcher) -> dict[tuple[Key, str], Matching]:
    """What an earlier audit by the same matcher found, by game and digest of its texts."""
    found: dict[tuple[Key, str], Matching] = {}
    for row in rundir.log("audit.jsonl").rows() if rundir else ():
        if row.get("evaluator") == matcher.name and row.get("evaluator_version") == matcher.version:
            with suppress(KeyError, TypeError, ValueError):  # a damaged row is one to do again
                found[key_of(row), str(row.get("digest"))] = matching_of(row)
    return found


def _ask(
    games: Sequence[Game],
    matcher: LLMMatcher,
    config: EvaluateConfig,
    rundir: RunDir | None,
    found: dict[tuple[Key, str], Matching],
    failures: Counter[str],
    show: bool,
) -> dict[str, Any]:
    """Asks about the games; fills `found` and `failures`, and returns what it used."""
    writer = Writer() if rundir else None
    logs = [rundir.log(name) for name in ("audit.jsonl", "failures.jsonl")] if rundir else []

    async def all_of(chat: Chat, live: Live) -> None:
        async def work(game: Game) -> None:
            outcome = await chat.ask(matcher.question(game.human, game.judgment.reasons[: config.top_k]))
            if outcome.value is not None:
                found[game.key, game.digest] = outcome.value
                if writer:
                    writer.put(logs[0], match_row(game, outcome.value, matcher.name, matcher.version, text=outcome.text))
            else:
                failures[outcome.failure or "failed"] += 1
                if writer:
                    writer.put(logs[1], failure_row(game, 0, outcome) | {"what": "audit failed"})
            live.done(failed=outcome.value is None)

        await sweep(games, work, chat.limits.concurrency)

    try:
        usage = rundir.log("usage.jsonl") if rundir else None
        _, meter = run_chat(matcher.settings, all_of, what="audited games", total=len(games), usage=usage, show=show)
    finally:
        if writer:
            writer.close()
        for log in logs:
            log.close()
    return used(meter)


def _evaluator(
    name: str, what: str, games: list[GameResult], matchings: Mapping[Key, tuple[Matching, Sequence[str]]], config: EvaluateConfig
) -> Evaluator:
    return Evaluator.of_games(name, what, games, matchings, scoring=config.scoring, top_k=config.top_k)
