"""The page's head: what every part but the rows is drawn from. Knows nothing of files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from rationalerm import __version__
from rationalerm.report.sentences import alone
from rationalerm.report.sentences import compared as compared_sentences
from rationalerm.run.reporting.benches import bench_tables, own_table
from rationalerm.run.reporting.evaluated import so_far
from rationalerm.run.reporting.evaluators import agreement_of
from rationalerm.run.reporting.figures import ALL, comparisons_json, comparisons_of, domains_of, figures_of, games_of, measured_of
from rationalerm.run.reporting.findings import TRAP_RULE, ceiling_of, detectable_of, trap_of, why_no_trap
from rationalerm.run.reporting.joined import CATEGORIES, JudgeOfRun, copies_of, short_names, strangers
from rationalerm.run.reporting.loaded import Loaded
from rationalerm.run.reporting.steadiness import hang_note

__all__ = ["Head"]

_NAMED = 3  # as many judges a title names


class Head:
    """Figures of all judges of all runs.

    Args:
        runs: as loaded.
        judges: under their names on the page.
    """

    def __init__(self, runs: Sequence[Loaded], judges: Sequence[JudgeOfRun]) -> None:
        self._runs, self._judges = runs, judges
        self._number = {one.name: number for number, one in enumerate(judges)}
        self._measured = [measured_of(runs[one.run], one.judge) for one in judges]
        self._copies = {copy: of for copy, of in copies_of(runs, judges).items() if self._mapped(copy)}
        self.domains = domains_of(self._measured)

    def to_json(
        self, *, live: str | None, rows: Mapping[str, Any], steadiness: Mapping[str, Any] | None, kinds: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """The head as the page takes it.

        Args:
            live: the stamp of a page that is served, and asks for the next one.
            rows: how many rows, pairs and chunks there are.
            steadiness: how far RC hangs on which reasons the human wrote.
            kinds: shares of the reasons' kinds and flaws.
        """
        judges = [self._judge(one, measured) for one, measured in zip(self._judges, self._measured, strict=True)]
        return {
            "version": __version__,
            "title": self._title(),
            "live": live is not None,
            "stamp": live,
            "runs": [_run(run) for run in self._runs],
            "remarks": [*strangers(self._runs), *self._said_of_copies()],
            "how": "\n\n".join(f"{run.name}\n{_text(run.manifest)}" for run in self._runs),
            "domains": self.domains,
            "judges": judges,
            **self._compared(judges),
            "ceiling": ceiling_of(self._runs, (ALL, *self.domains)),
            "reliability": steadiness,
            "hang": hang_note(steadiness, {k: one.name for k, one in enumerate(self._judges) if k not in self._copies}),
            "kinds": kinds,
            "benches": bench_tables(self._runs, {one.run: one.name for one in self._judges}),
            "agreement": agreement_of(self._runs),
            "curves": [curve for run in self._runs for curve in run.curves] or None,
            "categories": CATEGORIES,
            "rows": rows,
        }

    def _compared(self, judges: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """What needs every two judges: by scope, of those that have a place on the map."""
        mapped = [one for number, one in enumerate(self._judges) if self._mapped(number) and number not in self._copies]
        compared = comparisons_of(self._runs, mapped, self.domains)
        figures = {one.name: judges[self._number[one.name]]["figures"] for one in mapped}
        unlike = why_no_trap([self._runs[one.run] for one in mapped], compared[ALL], len(mapped))
        traps = {
            scope: None if unlike else trap_of({k: of[scope] for k, of in figures.items() if scope in of}, found, self._number)
            for scope, found in compared.items()
        }
        only = judges[self._number[mapped[0].name]]["figures"][ALL] if len(mapped) == 1 else None
        under = self._runs[mapped[0].run].spurious_under if mapped else 0.0
        return {
            "meaning": compared_sentences(compared[ALL])
            if only is None
            else [*alone(mapped[0].name, only["oa"][0], only["rc"][0], only["s_corr"][0], under), *_rows_of(only)],
            "comparisons": {scope: comparisons_json(of, self._number) for scope, of in compared.items()},
            "trap": traps,
            "trap_rule": unlike or TRAP_RULE,
            "detectable": {scope: detectable_of(games_of(mapped, scope)) for scope in compared},
        }

    def _mapped(self, number: int) -> bool:
        return "outcome_accuracy" in self._measured[number]

    def _said_of_copies(self) -> list[str]:
        """One answer twice is one judge: else it would be compared with itself, and make every other p larger."""
        names = [one.name for one in self._judges]
        return [
            f"{names[copy]} has the same answers and scores as {names[of]}: it is shown, and takes part in no comparison"
            for copy, of in self._copies.items()
        ]

    def _title(self) -> str:
        """The runs' folders; a benchmark's is named by the benchmark and the judges."""
        shown = short_names([run.name for run in self._runs])
        benches: dict[str, list[str]] = {}
        for one in self._judges:
            if (run := self._runs[one.run]).command.startswith("bench "):
                benches.setdefault(run.command.removeprefix("bench "), []).append(one.name)
        said = [f"{name}: {', '.join(of) if len(of) <= _NAMED else f'{len(of)} judges'}" for name, of in benches.items()]
        return ", ".join(
            [*(name for name, run in zip(shown, self._runs, strict=True) if not run.command.startswith("bench ")), *said]
        )

    def _judge(self, one: JudgeOfRun, measured: Mapping[str, Any]) -> dict[str, Any]:
        chance = self._runs[one.run].summary.get("chance") or {}
        return {
            "name": one.name,
            "run": one.run,
            "figures": figures_of(measured, chance.get(one.judge)),
            "counts": measured.get("counts") or {},
            "notes": [],
        }


def _rows_of(figures: Mapping[str, Any]) -> Iterator[str]:
    """Of how many rows one judge's figures are."""
    (oa, *_, right), (rc, *_, shared) = figures["oa"], figures["rc"]
    if oa is not None and rc is not None:
        yield f"OA is over {right} of {figures['n']} rows, those with a verdict and without a human tie; RC is over {shared}."


def _run(run: Loaded) -> dict[str, Any]:
    """`matcher` to `spurious_under`: of a run that matched; its configuration may name them all the same."""
    matched = bool(run.matcher) and not own_table(run)
    return {
        "name": run.name,
        "command": run.command,
        "matcher": run.matcher if matched else "",
        "scoring": run.config.get("scoring") if matched else None,
        "top_k": run.top_k if matched else None,
        "spurious_under": run.spurious_under if matched else None,
        "own_table": run.bench is not None and own_table(run),
        "rows": run.summary.get("rows"),
        "bad_rows": run.summary.get("bad_rows"),
        "finished": run.finished,
        "so_far": None if run.finished else so_far(run),
        "remarks": list(run.remarks),
        "how": run.manifest,
    }


def _text(manifest: Mapping[str, Any]) -> str:
    return orjson.dumps(dict(manifest), option=orjson.OPT_INDENT_2, default=str).decode("utf-8", "replace")
