"""The judges' figures as the page's head has them: all rows, and each domain.

Figures of a finished run are those of its summary.json; what is not there is made of the games. Knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rationalerm.run.reporting.joined import JudgeOfRun
from rationalerm.run.reporting.loaded import Loaded
from rationalerm.score.compare import Comparison, compare
from rationalerm.score.rows import GameResult
from rationalerm.score.summary import summarise

__all__ = ["ALL", "comparisons_json", "comparisons_of", "domains_of", "figures_of", "games_of", "measured_of", "value_of"]

ALL = ""  # the scope of all rows
_NAMES = {
    "oa": "outcome_accuracy",
    "oa_all": "outcome_accuracy_all",
    "rc": "rationale_consistency",
    "ap": "average_precision",
    "precision": "precision",
    "f1": "f1",
    "s_corr": "s_corr",
}
_SHORT = {"outcome_accuracy": "oa", "rationale_consistency": "rc"}
_UNSCORED = ("no human reasons", "no answer", "matcher failed")
_NO_VERDICT = ("none", "refused", "failed")


def measured_of(run: Loaded, judge: str) -> Mapping[str, Any]:
    """A judge's figures as `JudgeSummary.to_json` gives them."""
    found = run.measured.get(judge)
    if found is not None:
        return found
    return summarise(run.games[judge], judge, spurious_under=run.spurious_under).to_json()


def domains_of(measured: Sequence[Mapping[str, Any]]) -> list[str]:
    """All judges' domains, in order of the alphabet."""
    return sorted({domain for judge in measured for domain in judge.get("domains", {})})


def figures_of(measured: Mapping[str, Any], chance: float | None) -> dict[str, Any]:
    """A judge's figures by scope. `chance`: of all rows only, where it was measured."""
    scopes = {ALL: measured} | dict(measured.get("domains", {}))
    return {scope: _figures(part, chance if scope == ALL else None) for scope, part in scopes.items()}


def _figures(part: Mapping[str, Any], chance: float | None) -> dict[str, Any]:
    counts = part.get("counts") or {}
    return {
        "n": part.get("n", part.get("outcome_accuracy_all_n", 0)),
        **{short: value_of(part, name) for short, name in _NAMES.items()},
        "chance": chance,
        "unscored": sum(counts.get(name, 0) for name in _UNSCORED),
        "no_verdict": sum(counts.get(name, 0) for name in _NO_VERDICT),
    }


def value_of(part: Mapping[str, Any], name: str) -> list[float | int | None]:
    """[value, low, high, n] of a figure in `Mean.to_json`'s form."""
    return [part.get(name), *(part.get(f"{name}_ci") or (None, None)), part.get(f"{name}_n", part.get("n", 0))]


def comparisons_of(runs: Sequence[Loaded], judges: Sequence[JudgeOfRun], domains: Sequence[str]) -> dict[str, list[Comparison]]:
    """Every two judges on the rows that both have, corrected within a scope; RC only within one evaluator.

    Those without an OA and an RC of their own are left out: what a benchmark calls right is not a game (judged.py).
    """
    evaluator = {one.name: runs[one.run].evaluator for one in judges}
    return {scope: compare(games_of(judges, scope), lambda a, b: evaluator[a] == evaluator[b]) for scope in (ALL, *domains)}


def games_of(judges: Sequence[JudgeOfRun], scope: str) -> dict[str, Sequence[GameResult]]:
    """Each judge's games in a scope."""
    return {one.name: one.games if scope == ALL else [game for game in one.games if game.domain == scope] for one in judges}


def comparisons_json(found: Sequence[Comparison], judges: Mapping[str, int]) -> list[dict[str, Any]]:
    """For the page: short metric names, judges by number. Each is second less first, and of two judges the one with the higher
    mean is the second: by RC, or by OA where RC is not compared or the same."""
    by_pair: dict[tuple[str, str], dict[str, Comparison]] = {}
    for one in found:
        by_pair.setdefault((one.first, one.second), {})[one.metric] = one
    down = {pair for pair, of in by_pair.items() if _gap(of) < 0}
    return [_comparison_json(one, judges, turned=(one.first, one.second) in down) for one in found]


def _gap(of: Mapping[str, Comparison]) -> float:
    gaps = [
        of[metric].mean_second - of[metric].mean_first for metric in ("rationale_consistency", "outcome_accuracy") if metric in of
    ]
    return next((gap for gap in gaps if gap), 0.0)


def _comparison_json(found: Comparison, judges: Mapping[str, int], *, turned: bool) -> dict[str, Any]:
    out = found.to_json() | {"metric": _SHORT[found.metric], "first": judges[found.first], "second": judges[found.second]}
    if not turned:
        return out
    for one, other in (("first", "second"), ("mean_first", "mean_second"), ("low", "high")):
        out[one], out[other] = out[other], out[one]
    for name in ("difference", "low", "high"):
        out[name] = None if out[name] is None else -out[name]
    return out
