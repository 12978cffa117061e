"""What an arm's policy is worth on held-out pairs: one answer a pair, read and scored as `evaluate` scores a judge's.

An answer without a verdict is missing from outcome accuracy, and one that was cut off from rationale consistency; both are
counted. Knows nothing of arms or training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rationalerm.judge.parse import parse_judgment
from rationalerm.reward.hybrid import HybridReward
from rationalerm.reward.result import Reward
from rationalerm.score.consistency import TOP_K
from rationalerm.score.means import VALUES, mean
from rationalerm.score.rows import GameResult, result
from rationalerm.train.toy.codec import END, encode_prompt, pair_text, reason_text
from rationalerm.train.toy.grpo import Answers, answers_of, rewards_of
from rationalerm.train.toy.matcher import ExactMatcher
from rationalerm.train.toy.model import Policy, sample
from rationalerm.train.toy.start import STEPS
from rationalerm.train.toy.world import ToyPair
from rationalerm.types import Answer, Pair

__all__ = ["answered", "evaluated", "examples"]

_METRICS = ("outcome_accuracy", "outcome_accuracy_all", "rationale_consistency", "precision", "average_precision")
_DRAWS = 1000  # of the bootstrap


def answered(policy: Policy, pairs: Sequence[ToyPair], seed: int) -> Answers:
    """One sampled answer a pair."""
    import torch

    prompts = torch.tensor([encode_prompt(pair) for pair in pairs])
    return answers_of(sample(policy, prompts, 1, STEPS, END, torch.Generator().manual_seed(seed)))


def evaluated(pairs: Sequence[ToyPair], answers: Answers) -> dict[str, Any]:
    """The metrics over pairs, each None where nothing was scored, and the counts of what was not."""
    games = [_game(number, pair, answers) for number, pair in enumerate(pairs)]
    made = rewards_of(HybridReward(ExactMatcher()), pairs, answers)
    out: dict[str, Any] = {}
    for name in _METRICS:
        out |= mean(games, VALUES[name], _DRAWS).to_json(name)
    parts: dict[str, Callable[[Reward], float | None]] = {
        "reasons": lambda one: one.reasons,
        "generic": lambda one: one.generic if one.reasons else None,
        "padding": lambda one: one.padding,
        "agreement": lambda one: one.agreement,
    }
    out |= {name: _mean([value for one in made if (value := part(one)) is not None]) for name, part in parts.items()}
    return out | {
        "answers": len(games),
        "no_verdict": sum(game.verdict is None for game in games),
        "truncated": sum(reason == "length" for reason in answers.finish_reasons),
        "not_scored": sum(game.score is None for game in games),
    }


def examples(pairs: Sequence[ToyPair], answers: Answers, arm: str, count: int) -> list[dict[str, Any]]:
    """The first pairs with the human's side and reasons and the arm's answer, in words."""
    return [
        {
            "id": number + 1,
            "arm": arm,
            **pair_text(pair),
            "human": "A>B" if pair.label < 0 else "B>A",
            "human_reasons": [reason_text(claim) for claim in pair.reasons],
            "cues_mislead": pair.styled != pair.label,
            "answer": text,
        }
        for number, (pair, text) in enumerate(zip(pairs[:count], answers.texts, strict=False))
    ]


def _game(number: int, pair: ToyPair, answers: Answers) -> GameResult:
    text, finish = answers.texts[number], answers.finish_reasons[number]
    reasons = tuple(reason_text(claim) for claim in pair.reasons)
    row = Pair(id=str(number), label=pair.label, human_reasons=reasons, cluster=str(number))
    judgment = parse_judgment(text, None, finish)
    matching = ExactMatcher().match(reasons, judgment.reasons)
    return result(row, Answer("toy", text, finish_reason=finish), judgment, matching, scoring="paper", top_k=TOP_K)


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
