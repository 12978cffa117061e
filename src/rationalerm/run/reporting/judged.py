"""Runs of `judge` and of `bench` as the report takes them: verdicts and texts, and a benchmark's own figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, get_args

from rationalerm.data.located import Located
from rationalerm.data.log import Log
from rationalerm.data.pairs import Columns, PairFile
from rationalerm.errors import DataError, RationalermError
from rationalerm.run.judge_input import JudgeConfig
from rationalerm.run.reporting.loaded import Detail, Loaded, Source, read_summary
from rationalerm.run.store import Key
from rationalerm.score.outcome import in_row_order
from rationalerm.score.rows import GameResult
from rationalerm.types import Order, Pair, Verdict, VerdictStatus

__all__ = ["load_bench", "load_judging"]

_STATUSES = get_args(VerdictStatus)


def load_judging(folder: Path, name: str, manifest: Mapping[str, Any], stack: ExitStack) -> Loaded:
    """A run of `judge`: its verdicts, finished or not. Where labels are there, they are in the input.

    Raises:
        DataError: nothing is finished yet.
    """
    config = manifest.get("config") or {}
    judge = str(config.get("name") or config.get("model") or "judge")
    pairs = folder / "pairs.jsonl"
    path = pairs if pairs.is_file() else Path(str(config.get("input") or ""))
    columns = JudgeConfig(
        **{name: config[name] for name in ("label_field", "label_map", "id_field") if config.get(name)}
    ).columns()
    source = Source((str(path), "judge"), partial(_pairs, path, columns)) if path.is_file() else None
    texts = _Texts(folder / "judgments.jsonl", judge, stack)
    known = {pair.id: pair for pair in source.pairs()} if source else {}
    games = [_game(key[0], key[2], row, judge, known.get(key[0])) for key, row in texts.rows()]
    if not games:
        raise DataError("holds no answer yet; run its command again", source=name)
    summary = read_summary(folder)
    return Loaded(
        name=name,
        manifest=manifest,
        games={judge: games},
        finished=summary is not None,
        source=source,
        without_texts=None if source else f"{path} is not there any more",
        detail=texts.detail,
        summary=summary or {},
    )


def load_bench(folder: Path, name: str, manifest: Mapping[str, Any], stack: ExitStack) -> Loaded:
    """A run of `bench`, finished or not.

    Raises:
        DataError: nothing is finished yet.
    """
    summary = read_summary(folder)
    config = manifest.get("config") or {}
    judge = str((summary or {}).get("judge") or config.get("judge") or config.get("name") or config.get("model") or "judge")
    contests, judged = folder / "contests.jsonl", folder / "judge" / "judgments.jsonl"
    source = Source((str(contests),), partial(_pairs, contests, Columns())) if contests.is_file() else None
    texts = _Texts(judged, judge, stack)
    rows = {
        (str(row.get("id")), judge, str(row.get("order", "AB"))): row
        for row in Log(folder / "rows.jsonl").rows()
        if "order" in row
    }
    known = {pair.id: pair for pair in source.pairs()} if source else {}
    found: Iterator[tuple[Key, Mapping[str, Any]]] = iter(rows.items()) if rows else texts.rows()
    games = [_game(key[0], key[2], row, judge, known.get(key[0])) for key, row in found]
    if summary is None and not games:
        raise DataError("holds no answer yet; run its command again", source=name)

    def detail(key: Key) -> Detail | None:
        row = rows.get(key)
        return texts.detail(key) or (None if row is None else Detail(None, tuple(row.get("reasons") or ())))

    return Loaded(
        name=name,
        manifest=manifest,
        games={judge: games},
        finished=summary is not None,
        source=source,
        without_texts=None if source else "a benchmark's results from files are kept without the texts",
        detail=detail,
        measured={judge: _measured(summary)} if summary else {},
        summary=summary or {},
        bench=summary,
    )


class _Texts:
    """judgments.jsonl of a judge's run: the first vote of each game that is there."""

    def __init__(self, path: Path, judge: str, stack: ExitStack) -> None:
        self._judge = judge
        self._rows = stack.enter_context(Located(path, self._key))

    def _key(self, row: dict[str, Any]) -> Key | None:
        return None if row.get("vote") else (str(row.get("id")), self._judge, str(row.get("order", "AB")))

    def rows(self) -> Iterator[tuple[Key, Mapping[str, Any]]]:
        """Each game's."""
        for key in self._rows:
            row = self._rows.get(key)
            assert row is not None
            yield key, row

    def detail(self, key: Key) -> Detail | None:
        """Reasons and text."""
        row = self._rows.get(key)
        return None if row is None else Detail(None, tuple(row.get("reasons") or ()), None, row.get("text"))


def _pairs(path: Path, columns: Columns) -> Iterator[Pair]:
    try:
        yield from PairFile(path, columns, skip_bad=True, judged=False)
    except RationalermError:
        return


def _game(id: str, order: str, row: Mapping[str, Any], judge: str, pair: Pair | None) -> GameResult:
    verdict = row.get("verdict")
    turn: Order = "BA" if order == "BA" else "AB"
    status: VerdictStatus = row["status"] if row.get("status") in _STATUSES else "failed"
    return GameResult(
        id=id,
        judge=judge,
        order=turn,
        cluster=pair.cluster if pair else id,
        domain=pair.domain if pair else row.get("domain"),
        label=pair.label if pair else row.get("label"),
        verdict=None if verdict is None else in_row_order(Verdict.from_label(verdict), turn),
        verdict_status=status,
        rationale_status="no human reasons",
        score=None,
        n_human=0,
        n_model=len(row.get("reasons") or ()),
        notes=tuple(row.get("notes") or ()),
    )


def _measured(summary: Mapping[str, Any]) -> dict[str, Any]:
    """HelpSteer3 has an evaluation's figures, by domain too. The others have their own tables, and no place on the map: what is
    right there is not a game but a pair, or a cell of a matrix."""
    counts = {"counts": dict(summary.get("counts") or {})}
    whole = summary.get("summary")
    if not isinstance(whole, dict):
        return {"n": summary.get("overall", {}).get("n", 0)} | counts
    return whole | {"domains": summary.get("domains") or {}}
