"""`score`: numbers from matchings that exist already, nothing matched anew. Reads results files of the released inference script,
folders of them, and run directories.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from rationalerm.data.jsonl import BadRow, read_rows
from rationalerm.data.log import Log
from rationalerm.data.results import find_field, is_results_row, matched_judges, shows_list
from rationalerm.data.rundir import RunDir
from rationalerm.errors import DataError
from rationalerm.run.score_rows import SILENCE, Failed, ScoreConfig, Skipped, paper_matching, paper_row, released_row
from rationalerm.run.store import key_of, matching_of
from rationalerm.score import released
from rationalerm.score.consistency import rationale_scores
from rationalerm.score.intervals import bootstrap
from rationalerm.types import RowScore

__all__ = ["SORTS", "ScoreConfig", "rescore"]

SORTS = ("recall", "precision", "f1", "average_precision")
_METRICS = (*SORTS, "average_precision_soft")
_ANOTHER = "another judge's row"
_BAD: dict[str, Any] = {}  # stands for a row that can't be read
_PEEK = 64  # rows that are looked at to see which judge was matched


@dataclass
class _Tally:
    """One judge's rows: scores in columns with the row's cluster, and what was not scored and why."""

    scores: list[list[float]] = field(default_factory=lambda: [[] for _ in _METRICS])
    clusters: list[Hashable] = field(default_factory=list)
    total: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    empty: int = 0

    def add(self, outcome: RowScore | Failed | Skipped, cluster: Hashable) -> None:
        """Counts a row. `cluster`: equal for rows that share a prompt; only a scored row's is kept."""
        self.total += 1
        if isinstance(outcome, Failed):
            self.errors[outcome.why] += 1
        elif isinstance(outcome, Skipped):
            self.skipped[outcome.why] += 1
        else:
            self.empty += outcome is SILENCE
            self.clusters.append(cluster)
            for column, name in zip(self.scores, _METRICS, strict=True):
                column.append(getattr(outcome, name))

    def to_json(self) -> dict[str, Any]:
        """Means over scored rows, each with `_std` beside it (None where no row was scored), and the counts of the others."""
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
    RunDir.refuse_judges_run(folder)
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
    unfinished = (folder / "matches.jsonl").exists() and not (folder / "summary.json").exists()
    return {
        "unfinished": unfinished,
        "scoring": config.scoring,
        "top_k": config.top_k if config.scoring == "paper" else released.TOP_K,
        "judges": judges,
    }


def _results_file(path: str | Path, config: ScoreConfig, tallies: dict[str, _Tally]) -> None:
    rows = _results_rows(path, config.skip_bad)
    judge, seen = _matched_judge(rows, config, str(path))
    name = judge if judge not in tallies else f"{judge} ({Path(path).name})"
    tally = tallies.setdefault(name, _Tally())
    score = released_row if config.scoring == "released" else paper_row
    listed = False
    for number, row in enumerate(chain(seen, rows), 1):
        if row is _BAD:
            tally.add(Failed("a row that can't be read"), number)
            continue
        tally.add(_other_judge(row, judge, config, f"{path}, row {number}") or score(row, judge, config), _cluster(row, number))
        listed = listed or find_field(_metadata(row), f"{judge}-checklist") is not None
    if tally.skipped[_ANOTHER] == tally.total:
        raise DataError(
            f"its prompts list the reasons of other judges, not of {judge}; name the right one with --judge", source=str(path)
        )
    if not listed:
        raise DataError("no row has this field; name another judge with --judge", source=str(path), field=f"{judge}-checklist")


def _other_judge(row: Mapping[str, Any], judge: str, config: ScoreConfig, place: str) -> Skipped | None:
    """A row whose prompt lists another judge's reasons: left out where a judge was named, refused where it was guessed.

    With a named judge `released` scoring looks at no prompt, as the script does.
    """
    if (config.judge is not None and config.scoring == "released") or shows_list(row, judge):
        return None
    found, shown = matched_judges(row)
    if not shown or not found or judge.lower() in {name.lower() for name in found}:
        return None
    if config.judge is None:
        raise DataError(
            f"the prompt lists the reasons of {', '.join(sorted(found))}, earlier rows those of {judge}; use --judge",
            source=place,
        )
    return Skipped(_ANOTHER)


def _cluster(row: Mapping[str, Any], number: int) -> Hashable:
    """Equal for rows that share a prompt."""
    metadata = _metadata(row)
    prompt = metadata.get("context") or metadata.get("prompt")
    return hash(str(prompt)) if prompt else number


def _metadata(row: Mapping[str, Any]) -> dict[str, Any]:
    metadata = row.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _results_rows(path: str | Path, skip_bad: bool) -> Iterator[dict[str, Any]]:
    name = "stdin" if str(path) == "-" else str(path)
    empty = True
    for row in read_rows(path, skip_bad=skip_bad):
        if isinstance(row, BadRow):
            yield _BAD
            continue
        if empty and not is_results_row(row.value) and "metadata" not in row.value:
            fix = "score reads results files (prompt, samples, metadata); use `rationalerm evaluate` for pairs with reasons"
            raise DataError(f"no such field; {fix}", source=name, row=row.number, field="metadata")
        empty = False
        yield row.value
    if empty:
        raise DataError("no row left to read", source=name)


def _matched_judge(rows: Iterator[dict[str, Any]], config: ScoreConfig, name: str) -> tuple[str, list[dict[str, Any]]]:
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
        if (left is not None and len(left) <= 1 and shown) or len(seen) >= _PEEK:
            break
    if left is not None and len(left) == 1:
        return left.pop(), seen
    many = f"its prompts fit {', '.join(sorted(left))}" if left else "no judge's list is the one in its prompts"
    raise DataError(f"can't tell which judge was matched: {many}; name it with --judge", source=name)


def _run_directory(folder: Path, config: ScoreConfig, tallies: dict[str, _Tally]) -> None:
    """Scores a run's matchings; a pair with two games counts once, with the mean of its games."""
    if RunDir.manifest(folder) is None:
        raise DataError("has matches.jsonl but no run.json", source=str(folder))
    reasons = {key_of(row): tuple(row.get("reasons") or ()) for row in Log(folder / "judgments.jsonl").rows()}
    current = {
        key_of(row): row for row in Log(folder / "rows.jsonl").rows()
    }  # an earlier, longer run may have left more matchings
    pairs: dict[tuple[str, str], list[RowScore]] = defaultdict(list)
    for row in Log(folder / "matches.jsonl").rows():
        key = key_of(row)
        if current and current.get(key, {}).get("rationale_status") != "scored":
            continue
        try:
            matching = matching_of(row)
        except (KeyError, TypeError, ValueError):
            raise DataError(
                f"holds a damaged row, id {row.get('id')!r}; run the evaluate again", source=str(folder / "matches.jsonl")
            ) from None
        is_released = config.scoring == "released"
        scored = (
            rationale_scores(matching, "released", released.TOP_K)
            if is_released
            else paper_matching(matching, reasons.get(key), config)
        )
        pairs[key[1], key[0]].append(scored)
    judges = {judge for judge, _ in pairs}
    if config.judge is not None and config.judge not in judges:
        raise DataError(f"holds no judge {config.judge!r}, only {', '.join(sorted(judges))}", source=str(folder))
    clusters = {key[0]: row.get("cluster") for key, row in current.items()}
    for (judge, pair), of in pairs.items():
        if config.judge in (None, judge):
            tallies.setdefault(judge, _Tally()).add(_mean(of), clusters.get(pair, pair))
    for (pair, judge, _), row in current.items():
        status = row.get("rationale_status")
        if status != "scored" and config.judge in (None, judge):
            outcome = Skipped(str(status)) if status == "no human reasons" else Failed(str(status))
            tallies.setdefault(judge, _Tally()).add(outcome, clusters.get(pair, pair))


def _mean(scores: list[RowScore]) -> RowScore:
    return RowScore(*(sum(getattr(score, name) for score in scores) / len(scores) for name in RowScore.__slots__))
