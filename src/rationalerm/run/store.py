"""The rows of a run directory: which games are finished, and adding to them (design.md, "A run directory")."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from rationalerm.data.jsonl import BadRow
from rationalerm.data.log import Log
from rationalerm.data.rundir import RunDir
from rationalerm.llm.question import Outcome
from rationalerm.match.base import Matcher
from rationalerm.match.pasted import as_matched, shown_of, without_pasted
from rationalerm.run.writer import Writer
from rationalerm.score.rows import GameResult
from rationalerm.types import Answer, Judgment, Matching, Pair

__all__ = ["Game", "Key", "Store", "failure_row", "key_of", "match_key", "match_row", "matching_of"]

Key = tuple[str, str, str]  # id, judge, order
MatchKey = tuple[Key, int]  # the game, which asking of it


class Game(NamedTuple):
    """One answer to one pair, read."""

    pair: Pair
    answer: Answer
    judgment: Judgment
    human: tuple[str, ...]  # in the game's letters

    @property
    def key(self) -> Key:
        """What a row of the run directory is found by."""
        return self.pair.id, self.answer.judge, self.answer.order

    def said(self, matcher: Matcher) -> tuple[str, ...]:
        """The judge's reasons as the matcher gets them."""
        return as_matched(matcher, self.judgment.reasons, shown_of(self.pair), self.human)

    @property
    def digest(self) -> str:
        """Changes with any text that the matching depends on."""
        lists = [self.human, self.judgment.reasons]
        own = without_pasted(self.judgment.reasons, shown_of(self.pair), self.human)
        if own != self.judgment.reasons:  # then it hangs on the prompt and the responses, too
            lists.append(own)
        joined = "\x1e".join("\x1f".join(texts) for texts in lists)
        return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:16]


class _Kept(NamedTuple):
    digest: str
    n_human: int
    n_model: int
    scores: tuple[tuple[int, int, float], ...]


class Store:
    """The growing files of a run directory: what is finished, and adding to it.

    Args:
        rundir: None keeps nothing on disk.
        writer: syncs from its thread; None: each addition is synced when the call returns.
    """

    def __init__(self, rundir: RunDir | None, writer: Writer | None = None) -> None:
        self._rundir, self._writer = rundir, writer
        self._judgments = rundir.log("judgments.jsonl") if rundir else None
        self._matches = rundir.log("matches.jsonl") if rundir else None
        self._failures = rundir.log("failures.jsonl") if rundir else None
        self._judged = {} if self._judgments is None else {key_of(r): r.get("digest") for r in self._judgments.rows()}
        self._done = {} if self._matches is None else {match_key(r): kept for r in self._matches.rows() if (kept := _kept(r))}

    @property
    def complaints(self) -> list[str]:
        """Lines in the middle of the files that were broken: their rows are done again."""
        return [line for log in (self._judgments, self._matches) if log for line in log.complaints()]

    def finished(self, game: Game, repeat: int = 0) -> Matching | None:
        """The matching on disk, if the game's texts are still the same."""
        kept = self._done.get((game.key, repeat))
        if kept is None or kept.digest != game.digest:
            return None
        return Matching(kept.n_human, kept.n_model, {(i, j): score for i, j, score in kept.scores})

    def add_judgments(self, games: Iterable[Game]) -> None:
        """Puts answers on disk as they were read; what is there unchanged is not written again."""
        if self._judgments is not None:
            fresh = [row for game in games if self._judged.get(game.key) != (row := _judgment_row(game))["digest"]]
            self._put(self._judgments, fresh)

    def add_matches(self, rows: Iterable[dict[str, Any]]) -> None:
        """Puts finished matchings on disk (`match_row`)."""
        if self._matches is not None:
            self._put(self._matches, rows)

    def add_failure(self, row: dict[str, Any]) -> None:
        """Puts a failure on disk: what failed and why."""
        if self._failures is not None:
            self._put(self._failures, [row])

    def close(self) -> None:
        """Waits until all is on disk, and closes the files."""
        try:
            if self._writer:
                self._writer.close()
        finally:
            for log in (self._judgments, self._matches, self._failures):
                if log:
                    log.close()

    def settle(self, results: Mapping[str, list[GameResult]], bad: list[BadRow], spurious_under: float) -> None:
        """Writes rows.jsonl, and leaves in the grown files one current record a key, in the order of the input.

        So a resumed run's files are those of a run that was never stopped.
        """
        if self._rundir is None:
            return
        games = [game for of in results.values() for game in of]
        self._rundir.write_lines("rows.jsonl", (game.to_json(spurious_under) for game in games))
        self._rundir.write_lines("failures.jsonl", self._failed(games, bad))
        place: dict[Key, int] = {(game.id, game.judge, game.order): number for number, game in enumerate(games)}
        if self._judgments is not None and self._matches is not None:
            self._judgments.settle(key_of, lambda key: place.get(key, len(place)))
            self._matches.settle(match_key, lambda key: (place.get(key[0], len(place)), key[1]))

    def _put(self, log: Log, rows: Iterable[dict[str, Any]]) -> None:
        if self._writer is None:
            log.add(rows)
            return
        for row in rows:
            self._writer.put(log, row)

    def _failed(self, games: list[GameResult], bad: list[BadRow]) -> Iterator[dict[str, Any]]:
        """The current failures: bad rows, then games; what a call said of its failure is taken from the growing file."""
        failed = [
            game for game in games if game.verdict_status == "failed" or game.rationale_status in ("no answer", "matcher failed")
        ]
        keys = {(game.id, game.judge, game.order) for game in failed if game.rationale_status == "matcher failed"}
        said = {key: row for row in self._failures.rows() if (key := key_of(row)) in keys} if self._failures and keys else {}
        for row in bad:
            yield {"row": row.number, "what": "bad row", "why": str(row.error)}
        for game in failed:
            matcher = game.rationale_status == "matcher failed"
            why = "; ".join(game.notes)
            plain = {"id": game.id, "judge": game.judge, "order": game.order}
            plain |= {"what": "matcher failed" if matcher else "no answer", "why": why}
            yield said.get((game.id, game.judge, game.order), plain)


def key_of(row: Mapping[str, Any]) -> Key:
    """What a game's row in the run directory is found by."""
    return str(row.get("id")), str(row.get("judge")), str(row.get("order", "AB"))


def match_key(row: Mapping[str, Any]) -> MatchKey:
    """What a line of matches.jsonl is found by."""
    repeat = row.get("repeat", 0)
    return key_of(row), repeat if isinstance(repeat, int) else 0


def matching_of(row: Mapping[str, Any]) -> Matching:
    """A line of matches.jsonl as a `Matching`."""
    return Matching(row["n_human"], row["n_model"], {(i, j): score for i, j, score in row["scores"]})


def match_row(game: Game, matching: Matching, evaluator: str, version: str, *, repeat: int = 0, **more: Any) -> dict[str, Any]:
    """A line of matches.jsonl."""
    return {
        "id": game.pair.id,
        "judge": game.answer.judge,
        "order": game.answer.order,
        **({"repeat": repeat} if repeat else {}),
        "evaluator": evaluator,
        "evaluator_version": version,
        "n_human": matching.n_human,
        "n_model": matching.n_model,
        "scores": [[i, j, score] for (i, j), score in sorted(matching.scores.items())],
        "human_reasons": game.human,
        "judge_reasons": game.judgment.reasons,
        "digest": game.digest,
        **more,
    }


def failure_row(game: Game, repeat: int, outcome: Outcome[Matching]) -> dict[str, Any]:
    """A line of failures.jsonl for a game that an endpoint did not match."""
    return {
        "id": game.pair.id,
        "judge": game.answer.judge,
        "order": game.answer.order,
        **({"repeat": repeat} if repeat else {}),
        "what": "matcher failed",
        "category": outcome.failure,
        "why": outcome.detail,
        "finish_reason": outcome.finish_reason,
        "calls": outcome.calls,
        "prompt_tokens": outcome.prompt_tokens,
        "completion_tokens": outcome.completion_tokens,
        "raw": outcome.raw,
    }


def _judgment_row(game: Game) -> dict[str, Any]:
    judgment, answer = game.judgment, game.answer
    row = {
        "id": game.pair.id,
        "judge": answer.judge,
        "order": answer.order,
        "status": judgment.status,
        "verdict": judgment.verdict.label if judgment.verdict is not None else None,
        "strength": judgment.strength,
        "reasons": judgment.reasons,
        "notes": judgment.notes,
        "text": answer.text,
    }
    return row | {"digest": hashlib.sha256(repr(sorted(row.items())).encode("utf-8", "replace")).hexdigest()[:16]}


def _kept(row: Mapping[str, Any]) -> _Kept | None:
    """What is needed of a finished row; a damaged one is a row to do again."""
    try:
        matching = matching_of(row)
    except (KeyError, TypeError, ValueError):
        return None
    scores = tuple((i, j, score) for (i, j), score in matching.scores.items())
    return _Kept(str(row.get("digest")), matching.n_human, matching.n_model, scores)
