"""The rows of a run directory: which games are finished, and adding to them (design.md, "A run directory")."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from rationalerm.data.jsonl import BadRow
from rationalerm.data.rundir import RunDir
from rationalerm.match import Matcher
from rationalerm.score.rows import GameResult
from rationalerm.types import Answer, Judgment, Matching, Pair

__all__ = ["Game", "Key", "Store", "key_of", "matching_of"]

Key = tuple[str, str, str]  # id, judge, order


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

    @property
    def digest(self) -> str:
        """Changes with any text that the matching depends on."""
        joined = "\x1e".join(("\x1f".join(self.human), "\x1f".join(self.judgment.reasons)))
        return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:16]


class Store:
    """The growing files of a run directory: what is finished, and adding to it."""

    def __init__(self, rundir: RunDir | None) -> None:
        self._judgments = rundir.log("judgments.jsonl") if rundir else None
        self._matches = rundir.log("matches.jsonl") if rundir else None
        self._judged = {} if self._judgments is None else {key_of(r): r.get("digest") for r in self._judgments.rows()}
        self._done = {} if self._matches is None else {key_of(r): r for r in self._matches.rows()}

    def finished(self, game: Game) -> Matching | None:
        """The matching on disk, if the game's texts are still the same."""
        row = self._done.get(game.key)
        if row is None or row.get("digest") != game.digest:
            return None
        try:
            return matching_of(row)
        except (KeyError, TypeError, ValueError):  # a damaged line is a row to do again
            return None

    def add(self, games: Iterable[Game], matched: Iterable[tuple[Game, Matching]], matcher: Matcher) -> None:
        """Puts a batch on disk; what is there unchanged is not written again."""
        if self._judgments is None or self._matches is None:
            return
        fresh = [row for game in games if self._judged.get(game.key) != (row := _judgment_row(game))["digest"]]
        self._judgments.add(fresh)
        self._judged |= {key_of(row): row["digest"] for row in fresh}
        rows = [_match_row(game, matching, matcher) for game, matching in matched]
        self._matches.add(rows)
        self._done |= {key_of(row): row for row in rows}

    def close(self) -> None:
        """Closes the files."""
        for log in (self._judgments, self._matches):
            if log:
                log.close()

    def settle(self, rundir: RunDir, results: Mapping[str, list[GameResult]], bad: list[BadRow], spurious_under: float) -> None:
        """Writes the derived files (rows, failures), and leaves one current record a key in the grown ones."""
        games = [game for of in results.values() for game in of]
        rundir.write_lines("rows.jsonl", (game.to_json(spurious_under) for game in games))
        failures = [{"row": row.number, "what": "bad row", "why": str(row.error)} for row in bad]
        failures += [
            {"id": game.id, "judge": game.judge, "order": game.order, "what": "no answer", "why": "; ".join(game.notes)}
            for game in games
            if game.verdict_status == "failed" or game.rationale_status in ("no answer", "matcher failed")
        ]
        rundir.write_lines("failures.jsonl", failures)
        for log in (self._judgments, self._matches):
            if log:
                log.compact(key_of)


def key_of(row: Mapping[str, Any]) -> Key:
    """What a row of the run directory is found by."""
    return str(row.get("id")), str(row.get("judge")), str(row.get("order", "AB"))


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


def _match_row(game: Game, matching: Matching, matcher: Matcher) -> dict[str, Any]:
    return {
        "id": game.pair.id,
        "judge": game.answer.judge,
        "order": game.answer.order,
        "evaluator": matcher.name,
        "evaluator_version": matcher.version,
        "n_human": matching.n_human,
        "n_model": matching.n_model,
        "scores": [[i, j, score] for (i, j), score in sorted(matching.scores.items())],
        "human_reasons": game.human,
        "judge_reasons": game.judgment.reasons,
        "digest": game.digest,
    }


def matching_of(row: Mapping[str, Any]) -> Matching:
    """A line of matches.jsonl as a `Matching`."""
    return Matching(row["n_human"], row["n_model"], {(i, j): score for i, j, score in row["scores"]})
