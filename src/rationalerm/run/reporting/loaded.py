"""A run directory as the report takes it, whatever command wrote it. Knows nothing of the page."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rationalerm.run.store import Key
from rationalerm.score.rows import GameResult
from rationalerm.score.summary import SPURIOUS_UNDER
from rationalerm.types import Matching, Pair

__all__ = ["Detail", "Loaded", "Source", "no_detail"]


class Detail(NamedTuple):
    """What a game's files say: both lists in the game's letters, the matching (None: not matched), the judge's text."""

    human: tuple[str, ...] | None
    reasons: tuple[str, ...]
    matching: Matching | None = None
    text: str | None = None
    evaluator: str = ""


class Source(NamedTuple):
    """Where the pairs' texts are. Runs with one `key` have one input, read in one way."""

    key: Hashable
    pairs: Callable[[], Iterable[Pair]]


def no_detail(key: Key) -> Detail | None:
    """Of a run that keeps no texts."""
    return None


@dataclass(frozen=True)
class Loaded:
    """One run.

    Args:
        name: the folder as the user named it.
        manifest: its run.json.
        games: a judge's results, in the order of the input.
        finished: is summary.json there?
        source: the pairs' texts; None where they are not to be had: `without_texts` says why.
        detail: a game's lists and text.
        measured: a judge's figures as summary.json has them (`JudgeSummary.to_json`); what is missing is made of the games.
        summary: what summary.json says, {} without one.
        bench: the result of a benchmark, as its summary.json has it.
        curves: of trainings.
        remarks: a line each, on what could not be read.
    """

    name: str
    manifest: Mapping[str, Any]
    games: Mapping[str, Sequence[GameResult]]
    finished: bool
    source: Source | None = None
    without_texts: str | None = None
    detail: Callable[[Key], Detail | None] = no_detail
    measured: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    bench: Mapping[str, Any] | None = None
    curves: Sequence[Mapping[str, Any]] = ()
    remarks: Sequence[str] = ()

    @property
    def command(self) -> str:
        """The command that made it: `evaluate`, `bench judgebench`, ..."""
        return str(self.manifest.get("command", "?"))

    @property
    def config(self) -> Mapping[str, Any]:
        """Of run.json."""
        config = self.manifest.get("config")
        return config if isinstance(config, dict) else {}

    @property
    def matcher(self) -> str:
        """Name and version; empty where nothing was matched."""
        name, version = str(self.config.get("matcher") or ""), str(self.config.get("matcher_version") or "")
        return version if version.startswith(f"{name}-") else f"{name} {version}".strip()

    @property
    def evaluator(self) -> tuple[object, ...]:
        """Matcher and scoring: RC can be compared between runs in which it is equal."""
        return self.matcher, self.config.get("scoring"), self.top_k

    @property
    def spurious_under(self) -> float:
        """T of s_corr@T."""
        return float(self.config.get("spurious_under", SPURIOUS_UNDER))

    @property
    def top_k(self) -> int | None:
        """How many of a judge's reasons counted; None: all."""
        found = self.config.get("top_k")
        return found if isinstance(found, int) else None


def read_summary(folder: Path) -> dict[str, Any] | None:
    """summary.json; None where the run has not come to its end."""
    import orjson

    from rationalerm.errors import DataError

    try:
        value = orjson.loads((folder / "summary.json").read_bytes())
    except FileNotFoundError:
        return None
    except (orjson.JSONDecodeError, OSError) as error:
        raise DataError(f"can't be read: {error}", source=str(folder / "summary.json")) from None
    return value if isinstance(value, dict) else None
