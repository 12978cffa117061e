"""`evaluate`: pairs with human reasons and judges' answers -> a run directory and a `Summary`. No key, no network.

Rows stream: a batch is read, parsed, matched, put on disk, and forgotten but for its numbers. Resume is the same call again: a
row whose texts have not changed keeps its matching.
"""

from __future__ import annotations

import platform
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from rationalerm import __version__
from rationalerm.data.labels import parse_label_map
from rationalerm.data.pairs import Columns, PairFile
from rationalerm.data.rundir import RunDir
from rationalerm.data.sides import swap_sides
from rationalerm.errors import DataError, UsageError
from rationalerm.judge.answers import contradicts_label, read_answer
from rationalerm.match import Matcher, make_matcher
from rationalerm.run.chance import ChanceSample
from rationalerm.run.progress import Progress
from rationalerm.run.store import Game, Store
from rationalerm.score.compare import compare
from rationalerm.score.consistency import TOP_K, Scoring
from rationalerm.score.rows import GameResult, rationale_status, result
from rationalerm.score.summary import SPURIOUS_UNDER, Summary, summarise
from rationalerm.types import Answer, Pair

__all__ = ["EvaluateConfig", "evaluate"]

_BATCH = 256


@dataclass(frozen=True, slots=True)
class EvaluateConfig:
    """What changes a run's numbers; it goes into run.json, and a resumed run must have the same.

    `top_k` None counts all of a judge's reasons. `label_map` (the human's column) and `judge_label_map` are written as for
    `--label-map`.

    Raises:
        UsageError: a value out of range.
    """

    scoring: Scoring = "paper"
    top_k: int | None = TOP_K
    spurious_under: float = SPURIOUS_UNDER
    human_field: str | None = None
    reasons_field: str = "{judge}-checklist"
    text_field: str = "{judge}-generated_text"
    label_field: str | None = None
    label_map: str | None = None
    judge_label_field: str = "{judge}-label"
    judge_label_map: str | None = None
    id_field: str = "id"
    feedback: str | None = None

    def __post_init__(self) -> None:
        if self.scoring not in ("paper", "released"):
            raise UsageError(f"no scoring {self.scoring!r}; paper or released")
        if self.top_k is not None and (not isinstance(self.top_k, int) or self.top_k < 1):
            raise UsageError(f"--top-k is {self.top_k!r}; give 1 or more, or none for all reasons")
        if not 0 <= self.spurious_under <= 1:  # NaN too
            raise UsageError(f"--s-corr is {self.spurious_under!r}; give a number from 0 to 1")
        self.columns(())

    def columns(self, judges: Sequence[str]) -> Columns:
        """The fields to read."""
        return Columns(
            judges=tuple(judges),
            human_field=self.human_field,
            reasons_field=self.reasons_field,
            text_field=self.text_field,
            label_field=self.label_field,
            label_map=parse_label_map(self.label_map),
            judge_label_field=self.judge_label_field,
            judge_label_map=parse_label_map(self.judge_label_map, "--judge-label-map"),
            id_field=self.id_field,
        )

    def to_json(self) -> dict[str, Any]:
        """For run.json."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass
class _Sums:
    """What stays in memory of the rows that have gone by."""

    games: dict[str, list[GameResult]] = field(default_factory=lambda: defaultdict(list))
    chance: dict[str, ChanceSample] = field(default_factory=lambda: defaultdict(ChanceSample))
    labels: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    rows: int = 0


def evaluate(
    input: str | Path,
    judges: str | Sequence[str] = (),
    matcher: str | Matcher = "embedded",
    out: str | Path | None = None,
    *,
    config: EvaluateConfig | None = None,
    skip_bad: bool = False,
    limit: int | None = None,
    progress: bool = False,
) -> Summary:
    """Are the judges' reasons the human's reasons?

    Args:
        input: a file of pairs with human reasons and judges' answers, or `-`.
        judges: which judges; none means all that the first row has.
        matcher: `embedded`, `fast`, `lexical`, or a `Matcher`.
        out: the run directory; None keeps nothing on disk.
        config: scoring and field names.
        skip_bad: leave bad rows out and count them, instead of raising.
        limit: at most so many rows.
        progress: a line on stderr while it runs.

    Returns:
        OA, RC and the rest a judge, comparisons, the chance level.

    Raises:
        RationalermError: bad input or options, in one line.
    """
    config = config or EvaluateConfig()
    judges = [judges] if isinstance(judges, str) else judges
    if not isinstance(input, str | Path):
        raise UsageError(f"input is {type(input).__name__}; give the path of a file, or -")
    chosen = make_matcher(matcher) if isinstance(matcher, str) else matcher
    if out is not None and not str(out):
        raise UsageError("--out is empty; name a folder")
    if limit is not None and limit < 1:
        raise UsageError(f"--limit is {limit}; give 1 or more")
    source = PairFile(input, config.columns(_distinct(judges)), skip_bad=skip_bad, feedback=config.feedback, limit=limit)
    rundir = RunDir(out, _manifest(source, judges, chosen, config)) if out is not None else None
    shown = Progress("rows") if progress else None
    sums = _Sums()
    store = Store(rundir)
    try:
        for pairs in _batches(source, _BATCH):
            _batch(pairs, chosen, config, store, sums)
            if shown:
                shown.add(len(pairs))
    finally:
        store.close()
        if shown:
            shown.close()
    _check_labels(source, sums, config)
    summary = _finish(sums.games, config, chosen, sums, source)
    if rundir:
        store.settle(rundir, sums.games, source.bad, config.spurious_under)
        rundir.write("summary.json", summary.to_json())
    return summary


def _finish(
    games: dict[str, list[GameResult]], config: EvaluateConfig, matcher: Matcher, sums: _Sums, source: PairFile
) -> Summary:
    """The numbers, from the games."""
    return Summary(
        judges={judge: summarise(of, judge, spurious_under=config.spurious_under) for judge, of in games.items()},
        comparisons=compare(games),
        chance={judge: sample.level(matcher, config.scoring) for judge, sample in sums.chance.items()},
        rows=sums.rows,
        bad_rows=len(source.bad),
        prose_rows=source.prose_rows,
        spurious_under=config.spurious_under,
        scoring=config.scoring,
        top_k=config.top_k,
        matcher=f"{matcher.name} {matcher.version}",
        label_contradictions={judge: (wrong, checked) for judge, (wrong, checked) in sums.labels.items() if checked},
        games=games,
    )


def _batch(pairs: list[Pair], matcher: Matcher, config: EvaluateConfig, store: Store, sums: _Sums) -> None:
    games = [_game(pair, answer) for pair in pairs for answer in pair.answers]
    matchings = {game.key: found for game in games if (found := store.finished(game)) is not None}
    todo = [game for game in games if game.key not in matchings and _to_match(game)]
    fresh = matcher.match_many([(game.human, game.judgment.reasons) for game in todo])
    matchings |= {game.key: matching for game, matching in zip(todo, fresh, strict=True)}
    store.add(games, zip(todo, fresh, strict=True), matcher)
    sums.rows += len(pairs)
    for game in games:
        judge = game.answer.judge
        done = result(game.pair, game.answer, game.judgment, matchings.get(game.key), scoring=config.scoring, top_k=config.top_k)
        sums.games[judge].append(done)
        if done.rationale_status == "scored" and game.judgment.reasons:
            sums.chance[judge].add(game.pair.id, game.pair.cluster, game.human, game.judgment.reasons[: config.top_k])
        if (wrong := contradicts_label(game.answer, game.judgment)) is not None:
            sums.labels[judge][0] += wrong
            sums.labels[judge][1] += 1


def _to_match(game: Game) -> bool:
    return rationale_status(game.pair, game.answer, game.judgment) == "scored"


def _game(pair: Pair, answer: Answer) -> Game:
    human = pair.human_reasons or ()
    if answer.order == "BA":
        human = tuple(swap_sides(reason) for reason in human)
    return Game(pair, answer, read_answer(answer, pair), human)


def _distinct(judges: Sequence[str]) -> list[str]:
    """Each judge once. Fields are found in any case, so names that differ in case only are one judge's."""
    named: dict[str, str] = {}
    for judge in judges:
        if named.setdefault(judge.lower(), judge) != judge:
            raise UsageError(f"--judge {named[judge.lower()]} and --judge {judge} name the same fields; give one of them")
    return list(named.values())


def _check_labels(source: PairFile, sums: _Sums, config: EvaluateConfig) -> None:
    for judge, (wrong, checked) in sums.labels.items():
        if wrong * 2 > checked:
            text, label = (name.replace("{judge}", judge) for name in (config.text_field, config.judge_label_field))
            raise DataError(
                f"contradicts the verdict in {text} in {wrong} of {checked} rows, so its coding is not negative = Response 1; "
                "say what it means with --judge-label-map, or leave the field out",
                source=source.name,
                field=label,
            )


def _manifest(source: PairFile, judges: Sequence[str], matcher: Matcher, config: EvaluateConfig) -> dict[str, Any]:
    path = source.name if str(source.path) == "-" else str(Path(source.path).resolve())
    name = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # a path need not be UTF-8
    named = {"matcher": matcher.name, "matcher_version": matcher.version, "judges": list(judges), "input": name}
    return {
        "command": "evaluate",
        "rationalerm": __version__,
        "python": platform.python_version(),
        "config": named | config.to_json(),
        "prompts": {},
    }


def _batches(pairs: Iterable[Pair], size: int) -> Iterator[list[Pair]]:
    it = iter(pairs)
    while batch := list(islice(it, size)):
        yield batch
