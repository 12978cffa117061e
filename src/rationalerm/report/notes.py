"""The lines below a run's table: what was not scored and why, which rows are right for the wrong reasons, what RC can reach."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rationalerm.score.rows import SPURIOUS, category
from rationalerm.score.summary import Summary

__all__ = ["notes"]

_CLEAR_OF_CEILING = 0.95
_SHOWN = 3  # ids of rows; rows.jsonl has them all


def notes(summary: Summary) -> list[str]:
    """One line a judge that has something missing, then the lines about the whole run. Names are as they came."""
    return [*_not_scored(summary), *_whole_run(summary)]


def _not_scored(summary: Summary) -> list[str]:
    """One line a judge that has something missing: what, how often, and OA with missing verdicts as wrong."""
    lines = []
    for name, judge in summary.judges.items():
        counts = judge.counts
        verdicts = _listed(counts, ("none", "refused", "failed"))
        reasons = _listed(counts, ("no human reasons", "no answer", "matcher failed"))
        games = f" of {judge.games} games" if judge.games != judge.n else ""
        parts = []
        if verdicts:
            every = judge["outcome_accuracy_all"].value
            counted = f"; OA {every:.2f} if counted as wrong" if every is not None else ""
            missing = sum(counts[k] for k in ("none", "refused", "failed"))
            parts.append(f"no verdict in {missing}{games} ({verdicts}{counted})")
        if reasons:
            why = ", ".join(f"{count} {kind}" for kind, count in judge.failures.items())
            parts.append(f"reasons not scored in {judge.games - counts['scored']}{games} ({reasons}{f': {why}' if why else ''})")
        parts += [f"{counts[key]} {words}" for key, words in _REMARKS.items() if counts.get(key)]
        if judge.means.get("consistent_accuracy") and (consistent := judge["consistent_accuracy"].value) is not None:
            parts.append(f"right in both orders {consistent:.2f}")
        if parts:
            lines.append(f"{name}: {'; '.join(parts)}")
    return lines


_REMARKS = {
    "judge tie": "judged a tie",
    "no reasons": "without reasons, scored 0",
    "prose": "with reasons split from prose",
    "copied reasons": "copies of a reason",
    "inconsistent": "whose two orders disagree",
    "incomplete pair": "pairs without a verdict in one order or both",
}


def _listed(counts: Mapping[str, int], names: Sequence[str]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in names if counts.get(name))


def _spurious(summary: Summary) -> list[str]:
    """Which rows are right for the wrong reasons: how many, and the first few by id."""
    parts = []
    for name, games in summary.games.items():
        rows = list(dict.fromkeys(game.id for game in games if category(game, summary.spurious_under) == SPURIOUS))
        if rows:
            parts.append(f"{name} {len(rows)} ({', '.join(rows[:_SHOWN])}{', ...' if len(rows) > _SHOWN else ''})")
    what = f"Right verdict, wrong reasons (row recall under {summary.spurious_under:g} by this matcher; read them)"
    return [f"{what}: {'; '.join(parts)}"] if parts else []


def _humans(summary: Summary) -> list[str]:
    """What annotators reach against each other: what a judge can hope for."""
    found = summary.ceiling
    if found is None or not found.rows:
        return []
    parts = [
        f"{short} {mean.value:.2f}" + (f" [{mean.interval[0]:.2f}, {mean.interval[1]:.2f}]" if mean.interval else "")
        for short, mean in (("OA", found["outcome_accuracy"]), ("RC", found["rationale_consistency"]))
        if mean.value is not None
    ]
    over = f"{found.annotators} annotators over {_rows(found.rows)}"
    return [f"Human ceiling (an annotator against the others of the row, {over}): {', '.join(parts) or 'not defined'}"]


def _longest(summary: Summary) -> list[str]:
    """What RC can reach where the human's lists are longer than the K reasons of a judge that count."""
    lists = {game.id: game.n_human for games in summary.games.values() for game in games if game.score}
    if summary.top_k is None or not lists:
        return []
    ceiling = sum(min(n, summary.top_k) / n for n in lists.values()) / len(lists)
    if ceiling > _CLEAR_OF_CEILING:
        return []
    mean = sum(lists.values()) / len(lists)
    line = f"The human's lists are long ({mean:.1f} reasons a row): with --top-k {summary.top_k}, RC can't exceed {ceiling:.2f}."
    most = summary.top_k / summary.spurious_under if summary.spurious_under else math.inf
    if forced := sum(n > most for n in lists.values()):
        line += f" {_rows(forced)} with more than {most:g} are under S-Corr's threshold whatever the judge says."
    return [line]


def _rows(count: int, kind: str = "") -> str:
    return f"{count} {kind}row{'s' if count != 1 else ''}"


def _whole_run(summary: Summary) -> list[str]:
    first = next(iter(summary.judges.values()), None)
    lines = _spurious(summary) + _longest(summary) + _humans(summary)
    levels = [f"{name} {level:.3f}" for name, level in summary.chance.items() if level is not None]
    if levels:
        lines.append(f"Chance level of RC (human reasons against another row's reasons): {', '.join(levels)}")
    lines += [
        f"{name}: asked {noise.repeats} times, RC {min(noise.values):.3f} to {max(noise.values):.3f} "
        f"(SD {noise.sd:.4f}; of a row {noise.row_sd:.3f} on average): the matcher's own noise."
        for name, noise in summary.noise.items()
    ]
    if first and first.counts["human tie"]:
        lines.append(f"{_rows(first.counts['human tie'])} with a human tie left out of OA.")
    if first and first.counts["unlabelled"]:
        lines.append(f"{_rows(first.counts['unlabelled'])} without a human label left out of OA.")
    if summary.bad_rows:
        lines.append(f"{_rows(summary.bad_rows, 'bad ')} skipped (failures.jsonl of the run directory says which and why).")
    if summary.prose_rows:
        lines.append(
            f"{_rows(summary.prose_rows)}: the human reasons were split from prose (marked `prose`): rough atoms. "
            "`decompose` (an LLM) makes better ones."
        )
    for judge, (wrong, checked) in summary.label_contradictions.items():
        if wrong:
            lines.append(f"{judge}-label names another side than its text in {wrong} of {checked} rows; the text counts.")
    return lines
