"""A benchmark's lines below its table: what is not in the score, what one benchmark has alone, position and length bias, reasons.

Everything is in percent. Knows no files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rationalerm.bench.base import BenchResult
from rationalerm.score.means import Mean

__all__ = ["bench_lines", "named", "percent"]

_MISSING = ("none", "refused", "failed")
_HELPSTEER3 = {
    "OA": "outcome_accuracy", "RC": "rationale_consistency", "AP": "average_precision", "S-Corr": "s_corr",
}  # fmt: skip
_EFFECTS = ("flip_rate", "first_position_rate", "longer_wins", "label_longer")
_SHOWN = 5  # games in which a file's verdict and the parser's differ; the JSON has them all


def bench_lines(result: BenchResult) -> Iterator[str]:
    """What the table has no room for, a line each."""
    yield from _missing(result)
    yield from _alone(result)
    by_category: Mapping[str, Any] = result.tables.get("effects", {})  # an arena's tables are a category each
    if len(by_category) > 1:
        for name, part in by_category.items():
            yield from _bias({key: named(part, key) for key in _EFFECTS if key in part}, f"{name}, ")
    else:
        yield from _bias(result.effects)
    yield from _reasons(result.tables.get("reasons", {}))
    yield from _reparsed(result.tables.get("reparsed"))


def _missing(result: BenchResult) -> Iterator[str]:
    """What is not in the score, or is in it as wrong."""
    counts = result.counts
    if "rows" in counts and counts.get("rows not run"):
        part = f", {counts['rows run in part']} of them run in part" if counts.get("rows run in part") else ""
        yield f"{counts['rows not run']} of {counts['rows']} rows not run{part}: not in the score"
    elif counts.get("pairs not run"):
        yield f"{counts['pairs not run']} of {counts['pairs']} pairs not run: not in the score"
    yield from _halves(counts)
    done = counts["games"] - counts["not run"]
    if missing := sum(counts[name] for name in _MISSING):
        said = ", ".join(f"{counts[name]} {name}" for name in _MISSING if counts[name])
        what = "their rows are dropped" if result.name == "arena-hard" else "counted as not right"
        yield f"no verdict in {missing} of {done} games ({said}): {what}"
    if counts["ties"]:
        yield f"{counts['ties']} of {done} games judged a tie"
    if outside := counts.get("results outside this run"):
        yield f"{outside} results of rows that this run leaves out"


def _halves(counts: Mapping[str, int]) -> Iterator[str]:
    """JudgeBench's pairs of which half is there."""
    if part := counts.get("pairs run in part"):
        games = "pairs on one game" in counts
        what = "of their two games one is there, and the other adds nothing" if games else "one of two scores, so no verdict"
        yield f"{part} of {counts['pairs']} pairs run in part: {what}"
    if one := counts.get("pairs on one game"):
        yield f"{one} pairs hang on one game: the other has no verdict"


def _alone(result: BenchResult) -> Iterator[str]:
    """What one benchmark has."""
    if result.groups and result.name in ("judgebench", "rm-bench"):
        scale = 1.0 if result.unit == "percent" else 100.0
        yield ", ".join(f"{name} {percent(mean, scale)} of {mean.n}" for name, mean in result.groups.items())
    if result.name == "helpsteer3":
        for name, part in (*result.tables["domains"].items(), ("all", result.tables["summary"])):
            shown = ", ".join(f"{title} {percent(named(part, key))}" for title, key in _HELPSTEER3.items())
            yield f"{name} [95%]: {shown}"
    if outcomes := result.tables.get("outcomes"):
        said = [f"{outcomes['undecided']} undecided (verdicts that cancel, or tie)"] if outcomes["undecided"] else []
        said += [f"{outcomes['no verdict']} without a verdict"] if outcomes["no verdict"] else []
        said += [f"{outcomes['failed']} failed"] if outcomes["failed"] else []
        yield ", ".join([f"{outcomes['right']} pairs right, {outcomes['wrong']} wrong", *said])
    for split, part in result.tables.get("splits", {}).items():
        if len(result.tables["splits"]) > 1:
            yield f"{split} split: {_number(part['overall']['score'], 1.0)} of {part['overall']['n']} pairs"
    if result.name == "rm-bench":
        for domain, part in result.tables["domains"].items():
            yield f"{domain}: {', '.join(f'{name} {percent(named(part[name]))}' for name in ('easy', 'normal', 'hard'))}"
        if result.overall.value is not None:
            levels = ", ".join(f"{name} {percent(named(part))}" for name, part in result.tables["difficulty"].items())
            yield f"over the four domains: {levels}"
        else:
            yield "no overall score: it is the mean of four domains (chat, math, code, safety), and not all were run"
    if (per_sample := result.tables.get("per_sample")) and per_sample["score"] is not None:
        yield f"mean over all rows, whatever their domain: {_number(per_sample['score'])} (not the benchmark's score)"
    if (summary := result.tables.get("summary")) and summary["counts"]["human tie"]:
        yield f"{summary['counts']['human tie']} pairs with a human tie left out of OA"
    if result.name == "helpsteer3":
        yield from _how(result.tables)


def _how(tables: Mapping[str, Any]) -> Iterator[str]:
    """HelpSteer3: by what the numbers were made, and what they rest on."""
    top = "all of a judge's reasons" if tables["top_k"] is None else f"a judge's first {tables['top_k']} reasons"
    yield f"RC: {tables['scoring']} scoring of {top}; matcher {tables['matcher']}; orders {tables['orders']}"
    if prose := tables["prose_rows"]:
        rows = "1 row" if prose == 1 else f"{prose} rows"
        yield (
            f"{rows}: the human reasons were split from prose (marked `prose`): rough atoms. "
            "`decompose` (an LLM) makes better ones."
        )


def _bias(effects: Mapping[str, Mean], of: str = "") -> Iterator[str]:
    first = ""
    if "first_position_rate" in effects:
        rate = effects["first_position_rate"]
        first = f"the first response is chosen in {percent(rate)}% of games (mean over {rate.n} pairs; 50 = no preference)"
    if "flip_rate" in effects:
        flips = effects["flip_rate"]
        yield f"{of}position: {percent(flips)}% of {flips.n} pairs flip when the order is turned; {first}"
    elif first:
        yield f"{of}position: {first}"
    if "longer_wins" in effects:
        longer = effects["longer_wins"]
        label = f"; it is the label's in {percent(effects['label_longer'])}%" if "label_longer" in effects else ""
        yield f"{of}length: the longer response wins in {percent(longer)}% of {longer.n} pairs{label}"


def _reasons(table: Mapping[str, Any]) -> Iterator[str]:
    for outcome, part in table.items():
        if not part["reasons"]:
            yield f"reasons, {outcome}: none in {part['games']} games"
            continue
        kinds = ", ".join(f"{_number(share)}% {kind}" for kind, share in part["kinds"].items())
        lean = part["reasons_lean_to_the_verdict"]
        said = f"; lean to the verdict's side in {_number(lean)}%" if lean is not None else ""
        silent = part["games"] - part["with_reasons"]
        none = f", {silent} without" if silent else ""
        yield f"reasons, {outcome}: {part['games']} games{none}, {part['reasons_per_game']:.1f} a game, {kinds}{said}"
    if any(part["reasons"] for part in table.values()):
        yield "EG evidence-grounded, CG criterion-grounded, GS generic or style: by rules, see docs/taxonomy.md"


def _reparsed(table: Mapping[str, Any] | None) -> Iterator[str]:
    if table is None:
        return
    yield f"read again: {table['games']} texts, the verdict differs from the file's in {table['differ']}"
    for row in table["rows"][:_SHOWN]:
        verdicts = f"file {row['file'] or 'none'}, read {row['parsed'] or 'none'}"
        yield f"  {row['id']} {row['order']}: {verdicts} ({'; '.join(row['notes'])})"
    if table["differ"] > _SHOWN:
        yield f"  and {table['differ'] - _SHOWN} more (--json has them all)"


def percent(mean: Mean, scale: float = 100.0) -> str:
    """`12.3 [10.0, 15.1]`, or - where it is undefined."""
    if mean.value is None:
        return "-"
    ends = f" [{scale * mean.interval[0]:.1f}, {scale * mean.interval[1]:.1f}]" if mean.interval else ""
    return f"{scale * mean.value:.1f}{ends}"


def named(part: Mapping[str, Any], name: str = "score") -> Mean:
    """A figure of a result's JSON: NAME, NAME_ci and NAME_n, or n."""
    ends = part[f"{name}_ci"]
    return Mean(part[name], (ends[0], ends[1]) if ends else None, part["n"] if name == "score" else part[f"{name}_n"])


def _number(value: float, scale: float = 100.0) -> str:
    return f"{scale * value:.1f}"
