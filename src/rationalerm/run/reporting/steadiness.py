"""How far RC hangs on which reasons the human happened to write, from a sample of the matchings that pass by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rationalerm.run.reporting.joined import JudgeOfRun, PairKey, Row, sample_of
from rationalerm.run.reporting.loaded import Detail, Loaded
from rationalerm.score.evaluators import scored_matching
from rationalerm.score.reliability import Split, reliability

__all__ = ["Steadiness", "hang_note"]

PAIRS = 200  # sampled; a run's own number if it has fewer
SPLITS = 25
_TELLS = 0.1  # a reliability under it says nothing of a row


class Steadiness:
    """Gathers the matchings of a sample of pairs; which ones, depends on their ids alone.

    Args:
        runs, judges: as loaded.
        pairs: all pairs' keys.
    """

    def __init__(self, runs: Sequence[Loaded], judges: Sequence[JudgeOfRun], pairs: Iterable[PairKey]) -> None:
        self._runs, self._judges = runs, judges
        self._sample = sample_of(pairs, PAIRS)
        self._splits: dict[int, list[Split]] = {}

    def add(self, key: PairKey, row: Row, detail: Detail) -> None:
        """A game with its matching."""
        if detail.matching is None or row.game.score is None or key not in self._sample or not self._runs[row.run].finished:
            return  # of a run that goes on it would be resampled with each page
        kept = scored_matching(detail.matching, detail.reasons, self._runs[row.run].top_k)
        self._splits.setdefault(row.judge, []).append(Split("\x1f".join(key), kept))

    def to_json(self) -> dict[str, Any] | None:
        """By run, since each run's lists are its own: a figure a judge (by number), and whether the ranking holds."""
        by_run: dict[int, dict[str, list[Split]]] = {}
        for number, splits in self._splits.items():
            by_run.setdefault(self._judges[number].run, {})[str(number)] = splits
        made = [reliability(of, splits=SPLITS).to_json() for of in by_run.values()]
        return {"pairs": PAIRS, "runs": made} if made else None


def hang_note(steadiness: Mapping[str, Any] | None, names: Mapping[int, str]) -> str | None:
    """One line for all judges; None where it is not defined for any.

    Args:
        steadiness: as `Steadiness.to_json` gives it.
        names: of the judges that it is to name, by number.
    """
    found = {int(number): of for run in (steadiness or {}).get("runs", ()) for number, of in run["judges"].items()}
    known = {names[number]: of for number, of in sorted(found.items()) if number in names and of["error"] is not None}
    if not known:
        return None
    moved = ", ".join(f"{_moved(of['error'])} for {name}" for name, of in known.items())
    vague = [name for name, of in known.items() if of["row"] is not None and of["row"] < _TELLS]
    whose = f" of {', '.join(vague)}" if len(vague) < len(known) else ""
    rows = f" Don't read one row's recall{whose} alone." if vague else ""
    return f"Had the human written other reasons, RC would move by about {moved}.{rows}"


def _moved(error: float) -> str:
    return f"\N{PLUS-MINUS SIGN} {error:.2f}" if error >= 0.005 else "less than \N{PLUS-MINUS SIGN} 0.01"
