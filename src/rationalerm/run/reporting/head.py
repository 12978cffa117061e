"""The page's head: what every part but the rows is drawn from. Knows nothing of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from rationalerm import __version__
from rationalerm.report.sentences import alone
from rationalerm.report.sentences import compared as compared_sentences
from rationalerm.run.reporting.benches import bench_tables
from rationalerm.run.reporting.evaluators import agreement_of
from rationalerm.run.reporting.figures import ALL, comparison_json, comparisons_of, domains_of, figures_of, games_of, measured_of
from rationalerm.run.reporting.findings import TRAP_RULE, ceiling_of, detectable_of, trap_of, why_no_trap
from rationalerm.run.reporting.joined import CATEGORIES, JudgeOfRun, short_names
from rationalerm.run.reporting.loaded import Loaded
from rationalerm.run.reporting.steadiness import hang_notes

__all__ = ["Head"]


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
        hangs = hang_notes(steadiness)
        judges = [self._judge(one, measured, hangs) for one, measured in zip(self._judges, self._measured, strict=True)]
        return {
            "version": __version__,
            "title": ", ".join(short_names([run.name for run in self._runs])),
            "live": live is not None,
            "stamp": live,
            "runs": [_run(run) for run in self._runs],
            "how": "\n\n".join(f"{run.name}\n{_text(run.manifest)}" for run in self._runs),
            "domains": self.domains,
            "judges": judges,
            **self._compared(judges),
            "ceiling": ceiling_of(self._runs, (ALL, *self.domains)),
            "reliability": steadiness,
            "kinds": kinds,
            "benches": bench_tables(self._runs, {one.run: one.name for one in self._judges}),
            "agreement": agreement_of(self._runs),
            "curves": [curve for run in self._runs for curve in run.curves] or None,
            "categories": CATEGORIES,
            "rows": rows,
        }

    def _compared(self, judges: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """What needs every two judges: by scope, of those that have a place on the map."""
        mapped = [one for one, figures in zip(self._judges, self._measured, strict=True) if "outcome_accuracy" in figures]
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
            else list(alone(mapped[0].name, only["oa"][0], only["rc"][0], only["s_corr"][0], under)),
            "comparisons": {scope: [comparison_json(one, self._number) for one in of] for scope, of in compared.items()},
            "trap": traps,
            "trap_rule": unlike or TRAP_RULE,
            "detectable": {scope: detectable_of(games_of(mapped, scope)) for scope in compared},
        }

    def _judge(self, one: JudgeOfRun, measured: Mapping[str, Any], hangs: Mapping[int, str]) -> dict[str, Any]:
        chance = self._runs[one.run].summary.get("chance") or {}
        return {
            "name": one.name,
            "run": one.run,
            "figures": figures_of(measured, chance.get(one.judge)),
            "counts": measured.get("counts") or {},
            "notes": [hangs[number]] if (number := self._number[one.name]) in hangs else [],
        }


def _run(run: Loaded) -> dict[str, Any]:
    return {
        "name": run.name,
        "command": run.command,
        "matcher": run.matcher,
        "scoring": run.config.get("scoring"),
        "top_k": run.top_k,
        "spurious_under": run.spurious_under,
        "rows": run.summary.get("rows"),
        "bad_rows": run.summary.get("bad_rows"),
        "finished": run.finished,
        "remarks": list(run.remarks),
        "how": run.manifest,
    }


def _text(manifest: Mapping[str, Any]) -> str:
    return orjson.dumps(dict(manifest), option=orjson.OPT_INDENT_2, default=str).decode("utf-8", "replace")
