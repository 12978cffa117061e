"""One row of a results file, or one matching of a run, scored as `score` scores it. Knows no file and no table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rationalerm.data.fields import reason_list
from rationalerm.data.results import find_field, matcher_text
from rationalerm.errors import DataError, ParseError
from rationalerm.judge.parse import parse_matching
from rationalerm.score import released
from rationalerm.score.consistency import Scoring, cut, merge_copies, rationale_scores
from rationalerm.types import Matching, RowScore

__all__ = [
    "SILENCE",
    "Failed",
    "ScoreConfig",
    "Skipped",
    "error_kind",
    "paper_matching",
    "paper_row",
    "released_row",
    "without_blanks",
]

SILENCE = RowScore(0.0, 0.0, 0.0, 0.0, 0.0)  # a judge's empty list: its own failure and no matcher's, so it counts


@dataclass(frozen=True, slots=True)
class ScoreConfig:
    """How to score. `top_k` is paper scoring's K; `max_checklist_len` is released scoring's limit;
    `skip_bad` counts a row that can't be read as an error row, instead of raising."""

    scoring: Scoring = "paper"
    top_k: int | None = 5
    max_checklist_len: int = released.MAX_CHECKLIST_LEN
    judge: str | None = None
    skip_bad: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """The matcher's failure, or a row that can't be read: an error row."""

    why: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row that the scoring leaves out, counted neither way."""

    why: str


def released_row(row: Mapping[str, Any], judge: str, config: ScoreConfig) -> RowScore | Failed | Skipped:
    """As the released analysis script has it."""
    text = matcher_text(row)
    if text is None:
        return Failed("no matcher answer")
    lines = released.read_lines(text)
    if isinstance(lines, str):
        return Failed(lines)
    metadata = row.get("metadata")
    key = find_field(metadata, f"{judge}-checklist") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or key is None or "human-checklist" not in metadata:
        return Failed("no judge's list or no human-checklist")
    human, model = metadata["human-checklist"], metadata[key]
    if not isinstance(human, list) or not isinstance(model, list):
        return Failed("a list that is not a list")
    if len(model) > config.max_checklist_len:
        return Skipped(f"more than {config.max_checklist_len} reasons")
    if not model:
        return Skipped("no reasons")
    if len(lines) != len(human):
        return Failed("as many score lines as human reasons are not there")
    return released.score_lines(lines, len(human), min(len(model), released.TOP_K))


def paper_row(row: Mapping[str, Any], judge: str, config: ScoreConfig) -> RowScore | Failed | Skipped:
    """One-to-one, the judge's silence 0, an unread answer an error."""
    metadata = row.get("metadata")
    key = find_field(metadata, f"{judge}-checklist") if isinstance(metadata, dict) else None
    human_key = find_field(metadata, "human-checklist") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or key is None or human_key is None:
        return Failed("no judge's list or no human-checklist")
    human, model = metadata[human_key], metadata[key]
    try:
        wanted, given = reason_list(human, human_key), reason_list(model, key)
    except DataError as error:
        return Failed(error.message)
    if not wanted:
        return Skipped("no human reasons")
    if not given:
        return SILENCE
    text = matcher_text(row)
    if text is None:
        return Failed("no matcher answer")
    try:
        matching = parse_matching(text, len(human), len(model))
    except ParseError as error:
        return Failed(error_kind(error))
    if len(wanted) < len(human) or len(given) < len(model):
        matching = without_blanks(matching, human, model)
    return paper_matching(matching, given, config)


def without_blanks(matching: Matching, human: list[str], model: list[str]) -> Matching:
    """The matching over the reasons that say something; the prompt had numbered the blank ones too."""
    rows = {i: k for k, i in enumerate(i for i, reason in enumerate(human) if reason.strip())}
    columns = {j: k for k, j in enumerate(j for j, reason in enumerate(model) if reason.strip())}
    scores = {(rows[i], columns[j]): score for (i, j), score in matching.scores.items() if i in rows and j in columns}
    return Matching(len(rows), len(columns), scores, matching.notes)


def paper_matching(matching: Matching, model: tuple[str, ...] | None, config: ScoreConfig) -> RowScore:
    """Cuts the list to K, takes copies for one reason, scores."""
    kept = cut(matching, config.top_k)
    merged = merge_copies(kept, model[: kept.n_model]) if model else kept
    return rationale_scores(merged, "paper", None)


def error_kind(error: ParseError) -> str:
    """An error without its numbers and quotations, for counting."""
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'|\"[^\"]*\"", "'...'", str(error)))[:80]
