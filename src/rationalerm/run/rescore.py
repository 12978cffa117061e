"""`score`: numbers from matchings that exist already, nothing matched anew. Reads results files of the released inference script,
folders of them, and run directories.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from rationalerm.data.fields import reason_list
from rationalerm.data.jsonl import Row, read_rows
from rationalerm.data.results import find_field, is_results_row, matched_judges, matcher_text, shows_list
from rationalerm.data.rundir import Log, RunDir
from rationalerm.errors import DataError, ParseError
from rationalerm.judge.parse import parse_matching
from rationalerm.run.store import key_of, matching_of
from rationalerm.score import released
from rationalerm.score.consistency import Scoring, cut, merge_copies, rationale_scores
from rationalerm.score.intervals import bootstrap
from rationalerm.types import Matching, RowScore

__all__ = ["SORTS", "ScoreConfig", "rescore"]

SORTS = ("recall", "precision", "f1", "average_precision")
_METRICS = (*SORTS, "average_precision_soft")
_ANOTHER = "another judge's row"
_PEEK = 64  # rows that are looked at to see which judge was matched


@dataclass(frozen=True, slots=True)
class ScoreConfig:
    """How to score. `top_k` is paper scoring's K; `max_checklist_len` is released scoring's limit."""

    scoring: Scoring = "paper"
    top_k: int | None = 5
    max_checklist_len: int = released.MAX_CHECKLIST_LEN
    judge: str | None = None


@dataclass
class _Tally:
    """One judge's rows: scores in columns with the row's cluster, and what was not scored and why."""

    scores: list[list[float]] = field(default_factory=lambda: [[] for _ in _METRICS])
    clusters: list[Hashable] = field(default_factory=list)
    total: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    empty: int = 0

    def add(self, outcome: RowScore | _Error | _Skip, cluster: Hashable) -> None:
        self.total += 1
        if isinstance(outcome, _Error):
            self.errors[outcome.why] += 1
        elif isinstance(outcome, _Skip):
            self.skipped[outcome.why] += 1
        else:
            self.clusters.append(cluster)
            for column, name in zip(self.scores, _METRICS, strict=True):
                column.append(getattr(outcome, name))

    def to_json(self) -> dict[str, Any]:
        n = len(self.scores[0])
        out: dict[str, Any] = {"n": n, "total": self.total, "errors": self.errors.total(), "skipped": self.skipped.total()}
        for column, name in zip(self.scores, _METRICS, strict=True):
            out[name] = float(np.mean(column)) if n else None
            out[f"{name}_std"] = float(np.std(column)) if n else None
        interval = bootstrap(self.scores[0], self.clusters, draws=1000) if n else None
        out["recall_ci"] = list(interval) if interval else None
        out["empty"] = self.empty
        out["error_kinds"] = dict(self.errors.most_common())
        out["skipped_kinds"] = dict(self.skipped.most_common())
        return out


@dataclass(frozen=True, slots=True)
class _Error:
    why: str


@dataclass(frozen=True, slots=True)
class _Skip:
    why: str


def rescore(path: str | Path, config: ScoreConfig) -> dict[str, Any]:
    """Scores what a path holds.

    Args:
        path: a results file, a folder of results files, a run directory, or `-`.
        config: how.

    Returns:
        {"judges": {name: metrics, each with `_std` beside it, n, errors, skipped, ...}, "scoring": ...}.

    Raises:
        DataError, UsageError: nothing to score, or no telling which judge was matched.
    """
    folder = Path(path)
    tallies: dict[str, _Tally] = {}
    if str(path) != "-" and folder.is_dir():
        if (folder / "matches.jsonl").exists():
            _run_directory(folder, config, tallies)
        else:
            for file in sorted(folder.glob("*.jsonl*")):
                _results_file(file, config, tallies)
        if not tallies:
            raise DataError("holds no results file (.jsonl) and no run (matches.jsonl)", source=str(path))
    else:
        _results_file(path, config, tallies)
    judges = {name: tally.to_json() for name, tally in tallies.items()}
    return {"scoring": config.scoring, "top_k": config.top_k if config.scoring == "paper" else released.TOP_K, "judges": judges}


def _results_file(path: str | Path, config: ScoreConfig, tallies: dict[str, _Tally]) -> None:
    rows = _results_rows(path)
    judge, seen = _matched_judge(rows, config, str(path))
    name = judge if judge not in tallies else f"{judge} ({Path(path).name})"
    tally = tallies.setdefault(name, _Tally())
    score = _released_row if config.scoring == "released" else _paper_row
    listed = False
    for number, row in enumerate(chain(seen, rows), 1):
        tally.add(_other_judge(row, judge, config, f"{path}, row {number}") or score(row, judge, config, tally), _cluster(row, number))
        listed = listed or find_field(row.get("metadata") or {}, f"{judge}-checklist") is not None
    if tally.skipped[_ANOTHER] == tally.total:
        raise DataError(f"its prompts list the reasons of other judges, not of {judge}; name the right one with --judge", source=str(path))
    if not listed:
        raise DataError("no row has this field; name another judge with --judge", source=str(path), field=f"{judge}-checklist")


def _other_judge(row: Mapping[str, Any], judge: str, config: ScoreConfig, place: str) -> _Skip | None:
    """A row whose prompt lists another judge's reasons: left out where a judge was named, refused where it was guessed.

    With a named judge `released` scoring looks at no prompt, as the script does.
    """
    if (config.judge is not None and config.scoring == "released") or shows_list(row, judge):
        return None
    found, shown = matched_judges(row)
    if not shown or not found or judge.lower() in {name.lower() for name in found}:
        return None
    if config.judge is None:
        raise DataError(f"the prompt lists the reasons of {', '.join(sorted(found))}, earlier rows those of {judge}; use --judge", source=place)
    return _Skip(_ANOTHER)


def _cluster(row: Mapping[str, Any], number: int) -> Hashable:
    """Equal for rows that share a prompt."""
    metadata = row.get("metadata")
    prompt = metadata.get("context") or metadata.get("prompt") if isinstance(metadata, dict) else None
    return hash(str(prompt)) if prompt else number


def _results_rows(path: str | Path) -> Iterator[dict[str, Any]]:
    name = "stdin" if str(path) == "-" else str(path)
    empty = True
    for row in read_rows(path):
        assert isinstance(row, Row)
        if empty and not is_results_row(row.value) and "metadata" not in row.value:
            fix = "score reads results files (prompt, samples, metadata); use `rationalerm evaluate` for pairs with reasons"
            raise DataError(f"no such field; {fix}", source=name, row=row.number, field="metadata")
        empty = False
        yield row.value
    if empty:
        raise DataError("no row left to read", source=name)


def _matched_judge(
    rows: Iterator[dict[str, Any]], config: ScoreConfig, name: str
) -> tuple[str, list[dict[str, Any]]]:
    """Which judge's list the matcher saw, and the rows read to find it."""
    seen: list[dict[str, Any]] = []
    left: set[str] | None = None
    for row in rows:
        seen.append(row)
        if config.judge is not None:
            return config.judge, seen
        found, shown = matched_judges(row)
        if found or shown:
            left = found if left is None else left & found
        if left is not None and len(left) <= 1 and shown or len(seen) >= _PEEK:
            break
    if left is not None and len(left) == 1:
        return left.pop(), seen
    many = f"its prompts fit {', '.join(sorted(left))}" if left else "no judge's list is the one in its prompts"
    raise DataError(f"can't tell which judge was matched: {many}; name it with --judge", source=name)


def _released_row(row: Mapping[str, Any], judge: str, config: ScoreConfig, tally: _Tally) -> RowScore | _Error | _Skip:
    text = matcher_text(row)
    if text is None:
        return _Error("no matcher answer")
    lines = released.read_lines(text)
    if isinstance(lines, str):
        return _Error(lines)
    metadata = row.get("metadata")
    key = find_field(metadata, f"{judge}-checklist") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or key is None or "human-checklist" not in metadata:
        return _Error("no judge's list or no human-checklist")
    human, model = metadata["human-checklist"], metadata[key]
    if not isinstance(human, list) or not isinstance(model, list):
        return _Error("a list that is not a list")
    if len(model) > config.max_checklist_len:
        return _Skip(f"more than {config.max_checklist_len} reasons")
    if not model:
        return _Skip("no reasons")
    if len(lines) != len(human):
        return _Error("as many score lines as human reasons are not there")
    return released.score_lines(lines, len(human), min(len(model), released.TOP_K))


def _paper_row(row: Mapping[str, Any], judge: str, config: ScoreConfig, tally: _Tally) -> RowScore | _Error | _Skip:
    metadata = row.get("metadata")
    key = find_field(metadata, f"{judge}-checklist") if isinstance(metadata, dict) else None
    human_key = find_field(metadata, "human-checklist") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or key is None or human_key is None:
        return _Error("no judge's list or no human-checklist")
    human, model = metadata[human_key], metadata[key]
    try:
        wanted, given = reason_list(human, human_key), reason_list(model, key)
    except DataError as error:
        return _Error(error.message)
    if not wanted:
        return _Skip("no human reasons")
    if not given:  # the judge's silence, not the matcher's failure
        tally.empty += 1
        return RowScore(0.0, 0.0, 0.0, 0.0, 0.0)
    text = matcher_text(row)
    if text is None:
        return _Error("no matcher answer")
    try:
        matching = parse_matching(text, len(human), len(model))
    except ParseError as error:
        return _Error(_kind(error))
    if len(wanted) < len(human) or len(given) < len(model):
        matching = _without_blanks(matching, human, model)
    return _paper(matching, given, config)


def _without_blanks(matching: Matching, human: list[str], model: list[str]) -> Matching:
    """The matching over the reasons that say something; the prompt had numbered the blank ones too."""
    rows = {i: k for k, i in enumerate(i for i, reason in enumerate(human) if reason.strip())}
    columns = {j: k for k, j in enumerate(j for j, reason in enumerate(model) if reason.strip())}
    scores = {(rows[i], columns[j]): score for (i, j), score in matching.scores.items() if i in rows and j in columns}
    return Matching(len(rows), len(columns), scores, matching.notes)


def _paper(matching: Matching, model: tuple[str, ...] | None, config: ScoreConfig) -> RowScore:
    kept = cut(matching, config.top_k)
    merged = merge_copies(kept, model[: kept.n_model]) if model else kept
    return rationale_scores(merged, "paper", None)


def _run_directory(folder: Path, config: ScoreConfig, tallies: dict[str, _Tally]) -> None:
    """Scores a run's matchings; a pair with two games counts once, with the mean of its games."""
    if RunDir.manifest(folder) is None:
        raise DataError("has matches.jsonl but no run.json", source=str(folder))
    reasons = {key_of(row): tuple(row.get("reasons") or ()) for row in Log(folder / "judgments.jsonl").rows()}
    current = {key_of(row): row for row in Log(folder / "rows.jsonl").rows()}  # an earlier, longer run may have left more matchings
    pairs: dict[tuple[str, str], list[RowScore]] = defaultdict(list)
    for row in Log(folder / "matches.jsonl").rows():
        key = key_of(row)
        if current and current.get(key, {}).get("rationale_status") != "scored":
            continue
        try:
            matching = matching_of(row)
        except (KeyError, TypeError, ValueError):
            raise DataError(f"holds a damaged row, id {row.get('id')!r}; run the evaluate again", source=str(folder / "matches.jsonl")) from None
        is_released = config.scoring == "released"
        scored = rationale_scores(matching, "released", released.TOP_K) if is_released else _paper(matching, reasons.get(key), config)
        pairs[key[1], key[0]].append(scored)
    judges = {judge for judge, _ in pairs}
    if config.judge is not None and config.judge not in judges:
        raise DataError(f"holds no judge {config.judge!r}, only {', '.join(sorted(judges))}", source=str(folder))
    clusters = {key[0]: row.get("cluster") for key, row in current.items()}
    for (judge, pair), of in pairs.items():
        if config.judge in (None, judge):
            tallies.setdefault(judge, _Tally()).add(_mean(of), clusters.get(pair, pair))


def _mean(scores: list[RowScore]) -> RowScore:
    return RowScore(*(sum(getattr(score, name) for score in scores) / len(scores) for name in RowScore.__slots__))


def _kind(error: ParseError) -> str:
    """An error without its numbers and quotations, for counting."""
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'|\"[^\"]*\"", "'...'", str(error)))[:80]
