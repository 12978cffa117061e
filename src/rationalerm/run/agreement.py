"""`agree`: two evaluators' finished work, read from run directories or from results files of the released inference script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rationalerm.data.log import Log
from rationalerm.data.rundir import RunDir
from rationalerm.errors import DataError, UsageError
from rationalerm.match.base import shown
from rationalerm.run.imported import EVALUATOR, FinishedRow, read_finished, results_files, texts_digest
from rationalerm.run.store import Key, key_of, matching_of
from rationalerm.score.consistency import TOP_K, rationale_scores
from rationalerm.score.evaluators import METRICS, Compared, Evaluator, Rated, compare_evaluators, scored_matching
from rationalerm.score.rows import GameResult
from rationalerm.types import Matching, RationaleStatus, RowScore

__all__ = ["METRICS", "agree"]


def agree(a: str | Path, b: str | Path, metric: str = "rationale_consistency", judges: Sequence[str] = ()) -> Compared:
    """How far two evaluators agree on the same judges' rows.

    Args:
        a, b: run directories of `evaluate` or `match`, or results files (or folders of them) of the released inference script.
            Those hold no scores: they are scored as the other side is, or as the paper has it.
        metric: one of `METRICS`.
        judges: only these; none means all that both have.

    Raises:
        UsageError, DataError: not comparable, or can't be read.
    """
    if metric not in METRICS:
        raise UsageError(f"no metric {metric!r}; one of {', '.join(METRICS)}")
    for path in (a, b):
        RunDir.refuse_judges_run(path)
    first, second = (_is_run(path) for path in (a, b))
    left = _run(a) if first else None
    right = _run(b) if second else None
    left = left or _results(a, right, judges)
    right = right or _results(b, left, judges)
    return compare_evaluators(left, right, metric, judges)


def _is_run(path: str | Path) -> bool:
    folder = Path(path)
    return str(path) != "-" and any((folder / name).exists() for name in ("run.json", "matches.jsonl"))


def _run(path: str | Path) -> Evaluator:
    """A run directory. An unfinished one has no rows.jsonl; what it has matched is scored as its run.json says."""
    folder = Path(path)
    manifest = RunDir.manifest(folder)
    if manifest is None:
        raise DataError("has matches.jsonl but no run.json", source=str(path))
    config = manifest.get("config") or {}
    evaluator = Evaluator(str(path), "", config.get("scoring", "paper"), config.get("top_k", TOP_K))
    matched: dict[Key, Rated] = {}
    kinds: Counter[str] = Counter()
    for row in Log(folder / "matches.jsonl").rows():
        if row.get("repeat"):
            continue  # scores are means over the repeats; which reason was matched is the first one's to say
        try:
            matched[key_of(row)] = _matched(row, evaluator)
        except (KeyError, TypeError, ValueError):
            why = f"holds a damaged row, id {row.get('id')!r}; run its command again"
            raise DataError(why, source=str(folder / "matches.jsonl")) from None
        kinds[shown(str(row.get("evaluator", EVALUATOR)), str(row.get("evaluator_version", "")))] += 1
    games = list(_games(folder))
    for game in games:
        found = matched.get((game.id, game.judge, game.order)) if game.score is not None else None
        evaluator.rows.append(Rated(game) if found is None else found._replace(game=game))
    if not games:
        evaluator.rows.extend(matched.values())
    if not evaluator.rows:
        raise DataError("holds no finished row; run its command again", source=str(path))
    evaluator.what = ", ".join(kind for kind, _ in kinds.most_common()) or EVALUATOR
    if not (folder / "summary.json").exists():
        evaluator.what += " (unfinished run)"
    return evaluator


def _matched(row: dict[str, Any], evaluator: Evaluator) -> Rated:
    human, model = tuple(row["human_reasons"]), tuple(row["judge_reasons"])
    return _rated(key_of(row), matching_of(row), human, model, evaluator)


def _games(folder: Path) -> Iterator[GameResult]:
    file = folder / "rows.jsonl"
    for row in Log(file).rows():
        try:
            yield GameResult.from_json(row)
        except (KeyError, ValueError, TypeError) as error:
            raise DataError(f"holds a row that is not a finished run's ({error!r})", source=str(file)) from None


def _results(path: str | Path, other: Evaluator | None, judges: Sequence[str]) -> Evaluator:
    """Results files. A file is of one judge; a row whose list is several judges' is that judge's."""
    evaluator = Evaluator(str(path), EVALUATOR, other.scoring if other else "paper", other.top_k if other else TOP_K)
    for file in results_files(path):
        usual = Counter(judge.lower() for judge in judges)
        shared: list[tuple[tuple[str, ...], Rated]] = []
        for row in read_finished(file):
            if not row.judges or (not row.model and row.matching is None):
                evaluator.unread[row.why or "no judge's list"] += 1
                continue
            evaluator.ids = evaluator.ids and row.id is not None
            rated = _finished(row, evaluator)
            if len(row.judges) == 1:
                usual[row.judges[0].lower()] += 1
                evaluator.rows.append(rated)
            else:
                shared.append((row.judges, rated))
        for names, rated in shared:
            judge = max(names, key=lambda name: usual[name.lower()])
            evaluator.rows.append(rated._replace(game=replace(rated.game, judge=judge)))
    return evaluator


def _finished(row: FinishedRow, evaluator: Evaluator) -> Rated:
    key = (row.id or "", row.judges[0], row.order)
    if row.matching is not None:
        return _rated(key, row.matching, row.human, row.model, evaluator, row.cluster, row.domain)
    game = _game(key, row.cluster, row.domain, row.status, None, row.human, row.model)
    return Rated(game, None, texts_digest(row.human, row.model))


def _rated(
    key: Key,
    matching: Matching,
    human: tuple[str, ...],
    model: tuple[str, ...],
    evaluator: Evaluator,
    cluster: str = "",
    domain: str | None = None,
) -> Rated:
    kept = scored_matching(matching, model, evaluator.top_k)
    score = rationale_scores(kept, evaluator.scoring, None)
    return Rated(_game(key, cluster, domain, "scored", score, human, model), kept, texts_digest(human, model))


def _game(
    key: Key, cluster: str, domain: str | None, status: RationaleStatus, score: RowScore | None, human: Any, model: Any
) -> GameResult:
    """A game of which only the reasons are known."""
    id, judge, order = key
    return GameResult(
        id=id,
        judge=judge,
        order="BA" if order == "BA" else "AB",
        cluster=cluster,
        domain=domain,
        label=None,
        verdict=None,
        verdict_status="none",
        rationale_status=status,
        score=score,
        n_human=len(human),
        n_model=len(model),
    )
