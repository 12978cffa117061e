"""A run of `evaluate` or `match`, finished or still going on, as the report takes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from rationalerm.data.located import Located
from rationalerm.data.log import Log
from rationalerm.data.pairs import PairFile
from rationalerm.data.sides import swap_sides
from rationalerm.errors import DataError, RationalermError
from rationalerm.match.base import shown
from rationalerm.run.config import EvaluateConfig
from rationalerm.run.games import Gathered, game_of, to_match
from rationalerm.run.reporting.loaded import Detail, Loaded, Source, read_summary
from rationalerm.run.store import Game, Key, key_of, match_key, matching_of
from rationalerm.score.rows import GameResult
from rationalerm.types import Answer, Judgment, Pair, Verdict

__all__ = ["load_evaluation", "rows_of", "so_far"]

_COUNTED = 1 << 30  # bytes of an input whose lines are counted


def load_evaluation(folder: Path, name: str, manifest: Mapping[str, Any], stack: ExitStack) -> Loaded:
    """Reads it.

    Args:
        folder: the run directory.
        name: as it is shown.
        manifest: its run.json.
        stack: closes its files.

    Raises:
        DataError: a file that is not a run's, or nothing that is finished yet.
    """
    summary = read_summary(folder)
    source, why = _source(manifest)
    files = _Files(folder, stack)
    remarks: list[str] = []
    games = rows_of(folder / "rows.jsonl") if summary is not None else _so_far(manifest, source, why, files, name)
    if summary is not None:
        games = {judge: games.get(judge, []) for judge in [*summary.get("judges", {}), *games]}
        remarks = _remarks(name, summary, games, files)
    return Loaded(
        name=name,
        manifest=manifest,
        games=games,
        finished=summary is not None,
        source=source,
        without_texts=why,
        detail=files.detail,
        measured=(summary or {}).get("judges", {}),
        summary=summary or {},
        remarks=remarks,
    )


def rows_of(file: Path) -> dict[str, list[GameResult]]:
    """A finished run's games by judge.

    Raises:
        DataError: a row that is not a finished run's.
    """
    games: dict[Key, GameResult] = {}
    for row in Log(file).rows():
        try:
            game = GameResult.from_json(row)
        except (KeyError, ValueError, TypeError) as error:
            raise DataError(f"holds a row that is not a finished run's ({error!r})", source=str(file)) from None
        games[game.id, game.judge, game.order] = game
    by_judge: dict[str, list[GameResult]] = {}
    for game in games.values():
        by_judge.setdefault(game.judge, []).append(game)
    return by_judge


def _remarks(name: str, summary: Mapping[str, Any], games: Mapping[str, list[GameResult]], files: _Files) -> list[str]:
    """What the summary counted and the files do not hold (any more): the figures stand, their rows can't be shown."""
    counted = sum(judge.get("games", 0) for judge in summary.get("judges", {}).values())
    there = [(game.id, game.judge, game.order) for of in games.values() for game in of if game.n_model]
    lost = sum(key not in files.matches and key not in files.judgments for key in there)
    found = sum(len(of) for of in games.values())
    lines = (
        [f"{name}: {counted - found} of {counted} rows are not in rows.jsonl; run its command again"] if found < counted else []
    )
    return lines + (
        [f"{name}: {lost} rows have no lists in judgments.jsonl or matches.jsonl; run its command again"] if lost else []
    )


class _Files:
    """The lists, scores and texts of a run's games."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.matches = stack.enter_context(Located(folder / "matches.jsonl", _first_asking))
        self.judgments = stack.enter_context(Located(folder / "judgments.jsonl", key_of))

    def detail(self, key: Key) -> Detail | None:
        """Of one game; None where the files have nothing of it."""
        match, judgment = self.matches.get(key), self.judgments.get(key)
        text = judgment.get("text") if judgment else None
        if match is not None:
            human, reasons = tuple(match["human_reasons"]), tuple(match["judge_reasons"])
            evaluator = shown(str(match.get("evaluator", "")), str(match.get("evaluator_version", "")))
            return Detail(human, reasons, matching_of(match), text, evaluator)
        return None if judgment is None else Detail(None, tuple(judgment.get("reasons") or ()), None, text)

    def game(self, pair: Pair, answer: Answer) -> Game:
        """An answer as the run has read it; read here where it has not, or has read another text."""
        row = self.judgments.get((pair.id, answer.judge, answer.order))
        changed = row is not None and (row["text"] != answer.text or answer.reasons not in (None, tuple(row["reasons"])))
        if row is None or changed or answer.text is None or answer.error is not None:
            return game_of(pair, answer)
        human = pair.human_reasons or ()
        if answer.order == "BA":
            human = tuple(swap_sides(reason) for reason in human)
        return Game(pair, answer, _judgment(row), human)


def _judgment(row: Mapping[str, Any]) -> Judgment:
    """A line of judgments.jsonl as it was read."""
    verdict = None if row["verdict"] is None else Verdict.from_label(row["verdict"])
    return Judgment(verdict, row["strength"], tuple(row["reasons"]), row["status"], tuple(row["notes"]))


def so_far(run: Loaded) -> dict[str, int | None]:
    """How far an unfinished run is: `rows` that are on disk, and `of` how many lines of its input; None where they are not
    quickly counted (a pipe, a packed or a very large file)."""
    rows = {game.id for games in run.games.values() for game in games}
    path = Path(str(run.config.get("input") or ""))
    lines = None
    if path.suffix in (".jsonl", ".ndjson") and path.is_file() and path.stat().st_size <= _COUNTED:
        with path.open("rb") as file:
            lines = sum(bool(line.strip()) for line in file)
    return {"rows": len(rows), "of": lines if lines is not None and lines >= len(rows) else None}


def _first_asking(row: dict[str, Any]) -> Key | None:
    """Where a matcher was asked several times, the first says which reason was matched."""
    key, repeat = match_key(row)
    return None if repeat else key


def config_of(manifest: Mapping[str, Any]) -> EvaluateConfig:
    """The run's scoring and field names."""
    config = manifest.get("config") or {}
    return EvaluateConfig(**{f.name: config[f.name] for f in fields(EvaluateConfig) if f.name in config})


def _source(manifest: Mapping[str, Any]) -> tuple[Source | None, str | None]:
    """The run's input, if it is still where it was."""
    config = manifest.get("config") or {}
    path = config.get("input")
    if not isinstance(path, str) or path in ("-", "stdin"):
        return None, "the rows came over standard input, and are not kept"
    if not Path(path).is_file():
        return None, f"{path} is not there any more"
    how = config_of(manifest)
    judges = tuple(config.get("judges") or ())
    return Source((path, judges, how), partial(_pairs, path, how, judges)), None


def _pairs(path: str, how: EvaluateConfig, judges: tuple[str, ...]) -> Iterator[Pair]:
    """The input's good rows. A file that has changed is read as far as it goes: the games are the run's, not the file's."""
    try:
        yield from PairFile(path, how.columns(judges), skip_bad=True, feedback=how.feedback)
    except RationalermError:
        return


def _so_far(
    manifest: Mapping[str, Any], source: Source | None, why: str | None, files: _Files, name: str
) -> dict[str, list[GameResult]]:
    """The games of an unfinished run that are finished."""
    if source is None:
        raise DataError(f"the run has not come to its end, and {why}; run its command again", source=name)
    gathered = Gathered(config_of(manifest), 0)
    judges: list[str] = []
    for pair in source.pairs():
        for place, answer in enumerate(pair.answers):
            key = (pair.id, answer.judge, answer.order)
            row = files.matches.get(key)
            if row is None and key not in files.judgments:
                continue
            game = files.game(pair, answer)
            if row is None and to_match(game):  # read, not matched yet
                continue
            gathered.add(game, [] if row is None else [matching_of(row)], place)
            judges.append(answer.judge)
    return gathered.games(list(dict.fromkeys(judges)))
