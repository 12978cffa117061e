"""What a policy's answers to held-out prompts come to: OA, RC, AP, EG and generic shares; one rule, whatever the reward was.

The list is cut to the first five, an answer that was cut off is unscored, a failure of the matcher is counted: the figures are
those that `evaluate` gives, and do not move with the reward's options. Knows nothing of trainers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rationalerm.errors import MatcherError
from rationalerm.judge.answers import read_answer
from rationalerm.judge.tagging import RuleTagger
from rationalerm.match import Matcher
from rationalerm.match.base import shown
from rationalerm.match.leaning import leaning
from rationalerm.reward import Truth
from rationalerm.reward.hybrid import side_of_label
from rationalerm.run.games import to_match
from rationalerm.run.store import Game
from rationalerm.score.compare import Paired, paired
from rationalerm.score.consistency import TOP_K
from rationalerm.score.means import Mean, mean_of
from rationalerm.score.rows import GameResult, result
from rationalerm.score.summary import JudgeSummary, summarise
from rationalerm.types import Answer, Matching, Order, Pair, Verdict

__all__ = ["Answered", "HeldOut", "measure"]

POLICY = "policy"
METRICS = ("outcome_accuracy", "outcome_accuracy_all", "rationale_consistency", "average_precision", "precision")


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer of the policy: to the pair `id` shown in `order`, of the prompts `cluster`; and what the human said, in the
    game's letters."""

    id: str
    order: Order
    cluster: str
    text: str | None
    truth: Truth
    domain: str | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class HeldOut:
    """An evaluation at one update. `generic`, `eg_share` (the share of evidence-grounded reasons, by the rule tagger) and
    `reasons` are means over the answers that give reasons."""

    step: int
    summary: JudgeSummary
    generic: Mean
    eg_share: Mean
    reasons: Mean
    games: Sequence[GameResult]
    matcher: str

    def to_json(self) -> dict[str, Any]:
        """A line of evaluations.jsonl."""
        whole = self.summary.to_json()
        return {
            "step": self.step,
            "matcher": self.matcher,
            **whole,
            **self.generic.to_json("generic"),
            **self.eg_share.to_json("eg_share"),
            **self.reasons.to_json("reasons"),
        }

    def figures(self) -> dict[str, float]:
        """What loggers get; a figure that nothing was scored for is not there."""
        means = {name: self.summary.means[name] for name in METRICS}
        means |= {"generic": self.generic, "eg_share": self.eg_share, "reasons": self.reasons}
        return {f"held_out/{name}": mean.value for name, mean in means.items() if mean.value is not None}

    def against(self, first: HeldOut) -> dict[str, Paired]:
        """Paired tests of this evaluation against an earlier one, on the games that both have."""
        tested = {name: paired(first.games, self.games, name) for name in ("outcome_accuracy", "rationale_consistency")}
        return {name: test for name, test in tested.items() if test is not None}


def measure(step: int, answers: Iterable[Answered], matcher: Matcher) -> HeldOut:
    """Scores the answers.

    Args:
        step: the update.
        answers: one a game; a game that is answered twice counts once, with its first answer. A pair with both games counts
            once, with the mean of the two, as everywhere here.
        matcher: the measuring one.
    """
    first: dict[tuple[str, Order], Answered] = {}
    for answer in answers:
        first.setdefault((answer.id, answer.order), answer)
    games = [_game(answer) for answer in first.values()]
    todo = [game for game in games if to_match(game)]
    found = dict(zip([game.key for game in todo], _match(matcher, todo), strict=True))
    results = [result(game.pair, game.answer, game.judgment, found.get(game.key), scoring="paper", top_k=TOP_K) for game in games]
    told = [(game.judgment.reasons, game.pair.cluster) for game in games if game.judgment.reasons]
    return HeldOut(
        step,
        summarise(results, POLICY),
        mean_of([(leaning(reasons, matcher).generic, cluster) for reasons, cluster in told], 2000),
        mean_of([(_grounded(reasons), cluster) for reasons, cluster in told], 2000),
        mean_of([(float(len(reasons)), cluster) for reasons, cluster in told], 2000),
        results,
        shown(matcher.name, matcher.version),
    )


def _grounded(reasons: Sequence[str]) -> float:
    """The share of reasons that are grounded in evidence."""
    return sum(tags.kind == "EG" for tags in RuleTagger().tag(reasons)) / len(reasons)


def _game(answered: Answered) -> Game:
    """As `evaluate` sees it: the row in its own letters, the answer and the human's reasons in the game's."""
    truth = answered.truth
    a, b = truth.responses or ("", "")
    side = Verdict(side_of_label(truth.label))
    swapped = answered.order == "BA"
    finish = "length" if answered.truncated else "stop"
    answer = Answer(POLICY, text=answered.text, order=answered.order, finish_reason=finish)
    pair = Pair(
        id=answered.id,
        response_a=b if swapped else a,
        response_b=a if swapped else b,
        label=(side.swapped if swapped else side).side,
        human_reasons=truth.human_reasons,
        domain=answered.domain,
        cluster=answered.cluster,
        answers=(answer,),
    )
    return Game(pair, answer, read_answer(answer, pair), truth.human_reasons)


def _match(matcher: Matcher, games: Sequence[Game]) -> list[Matching | None]:
    """A matching each; None where the matcher failed on that row."""
    rows = [(game.human, game.said(matcher)) for game in games]
    each = getattr(matcher, "match_each", None)
    if each is None:
        return list(matcher.match_many(rows))
    return [None if isinstance(found, MatcherError) else found for found in each(rows)]
