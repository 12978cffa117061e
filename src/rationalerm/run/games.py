"""Pairs to games: a judge's answer read, the human's reasons in the game's letters; and a run's games gathered to its numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rationalerm.data.pairs import PairFile
from rationalerm.data.sides import swap_sides
from rationalerm.errors import DataError
from rationalerm.judge.answers import contradicts_label, read_answer
from rationalerm.match.pasted import shown_of
from rationalerm.run.audit import AuditSample
from rationalerm.run.chance import ChanceSample
from rationalerm.run.config import EvaluateConfig
from rationalerm.run.store import Game
from rationalerm.score.ceiling import Ceiling
from rationalerm.score.compare import compare
from rationalerm.score.noise import noise
from rationalerm.score.rows import GameResult, rationale_status, result
from rationalerm.score.summary import Summary, summarise
from rationalerm.types import Answer, Matching, Pair

__all__ = ["Gathered", "game_of", "to_match"]


def game_of(pair: Pair, answer: Answer) -> Game:
    """One answer, read."""
    human = pair.human_reasons or ()
    if answer.order == "BA":
        human = tuple(swap_sides(reason) for reason in human)
    return Game(pair, answer, read_answer(answer, pair), human)


def to_match(game: Game) -> bool:
    """Does it go to the matcher?"""
    return rationale_status(game.pair, game.answer, game.judgment) == "scored"


class Gathered:
    """What stays in memory of the games that have gone by, in whatever order they came."""

    def __init__(self, config: EvaluateConfig, chance_rows: int, audit_rows: int = 0) -> None:
        self.config = config
        self._chance_rows = chance_rows
        self.audit = AuditSample(audit_rows)
        self._games: dict[str, list[tuple[int, int, GameResult]]] = defaultdict(list)
        self.chance: dict[str, ChanceSample] = {}
        self._labels: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        self.rows = 0

    def add(self, game: Game, matchings: Sequence[Matching], place: int, failure: str | None = None) -> GameResult:
        """A finished game.

        Args:
            game: the answer, read.
            matchings: none, or one a repeat.
            place: which of its pair's answers it is.
            failure: why there is no matching.
        """
        config, judge = self.config, game.answer.judge
        first, more = (matchings[0], matchings[1:]) if matchings else (None, ())
        done = result(game.pair, game.answer, game.judgment, first, *more, scoring=config.scoring, top_k=config.top_k)
        if failure is not None and done.rationale_status == "matcher failed":
            done = replace(done, failure=failure)
        self._games[judge].append((game.pair.row, place, done))
        if first is not None and done.score is not None:
            self.audit.offer(game, first, done)
        if done.rationale_status == "scored" and game.judgment.reasons and self._chance_rows:
            sample = self.chance.setdefault(judge, ChanceSample(self._chance_rows))
            said = game.judgment.reasons[: config.top_k]
            sample.add(game.pair.id, game.pair.cluster, game.human, said, shown_of(game.pair))
        if (wrong := contradicts_label(game.answer, game.judgment)) is not None:
            self._labels[judge][0] += wrong
            self._labels[judge][1] += 1
        return done

    def games(self, judges: Sequence[str]) -> dict[str, list[GameResult]]:
        """A judge's results in the order of the file, judges as they were named."""
        order = [judge for judge in judges if judge in self._games]
        order += [judge for judge in self._games if judge not in order]
        ranked = {judge: sorted(self._games[judge], key=lambda item: item[:2]) for judge in order}
        return {judge: [done for _, _, done in of] for judge, of in ranked.items()}

    def check_labels(self, source: PairFile) -> None:
        """Raises DataError where a judge's label column says the opposite of its texts in most rows."""
        for judge, (wrong, checked) in self._labels.items():
            if wrong * 2 > checked:
                text, label = (n.replace("{judge}", judge) for n in (self.config.text_field, self.config.judge_label_field))
                raise DataError(
                    f"contradicts the verdict in {text} in {wrong} of {checked} rows, so its coding is not "
                    "negative = Response 1; say what it means with --judge-label-map, or leave the field out",
                    source=source.name,
                    field=label,
                )

    def summary(
        self,
        games: dict[str, list[GameResult]],
        source: PairFile,
        matcher: str,
        chance: Mapping[str, float | None],
        ceiling: Ceiling | None = None,
    ) -> Summary:
        """The numbers, from the games."""
        config = self.config
        return Summary(
            judges={judge: summarise(of, judge, spurious_under=config.spurious_under) for judge, of in games.items()},
            comparisons=compare(games),
            chance=dict(chance),
            rows=self.rows,
            bad_rows=len(source.bad),
            prose_rows=source.prose_rows,
            spurious_under=config.spurious_under,
            scoring=config.scoring,
            top_k=config.top_k,
            matcher=matcher,
            label_contradictions={judge: (wrong, checked) for judge, (wrong, checked) in self._labels.items() if checked},
            games=games,
            ceiling=ceiling,
            noise={judge: found for judge, of in games.items() if (found := noise(of)) is not None},
        )
