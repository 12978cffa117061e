"""One answer's reward, from what was read, matched and seen of it: the formula of hybrid.py. Knows no matcher."""

from __future__ import annotations

from typing import NamedTuple

from rationalerm.errors import MatcherError
from rationalerm.judge.parse import parse_judgment
from rationalerm.match.assign import assign
from rationalerm.match.leaning import Leaning
from rationalerm.reward.options import METRICS, RewardOptions
from rationalerm.reward.result import Reward
from rationalerm.reward.samples import Sample
from rationalerm.score.consistency import cut, merge_copies, rationale_scores
from rationalerm.types import Judgment, Matching

__all__ = ["Answer", "Found", "Lists", "read_answer", "reward_of"]

Lists = tuple[tuple[str, ...], tuple[str, ...]]
Found = Matching | MatcherError


class Answer(NamedTuple):
    """A sample, read: `lists` are the human's reasons and those of the answer that count; `side` is the human's."""

    judgment: Judgment
    lists: Lists
    side: int

    @property
    def matchable(self) -> bool:
        """Is there a reason on both sides?"""
        return all(self.lists)


def read_answer(sample: Sample, options: RewardOptions) -> Answer:
    """Reads a sample's text."""
    judgment = parse_judgment(sample.text, sample.responses, sample.finish_reason)
    return Answer(judgment, (sample.human, judgment.reasons[: options.max_reasons]), sample.side)


def reward_of(answer: Answer, found: Found | None, lean: Leaning, options: RewardOptions) -> Reward:
    """One reward, from its parts.

    Args:
        answer: what the policy said.
        found: the matching of its lists, or why there is none; None where there was nothing to match.
        lean: what its reasons say by themselves.
        options: what is rewarded.
    """
    judgment, (human, own), side = answer
    cause = _no_verdict(judgment)
    outcome = float(cause is None and judgment.verdict is not None and judgment.verdict.side == side)
    rationale, padding = _rationale(human, own, found, METRICS[options.rationale])
    if cause == "no verdict: truncated":  # what is there of the list is no measure of it
        rationale = padding = None
    status = cause or ("no human reasons" if not human else "matcher failed" if rationale is None else "scored")
    told = judgment.verdict.side if judgment.verdict is not None else 0
    return Reward(
        total=_total(cause, outcome, rationale, options),
        outcome=outcome,
        rationale=rationale,
        status=status,
        reasons=len(judgment.reasons),
        generic=lean.generic,
        agreement=float(lean.side == told) if lean.side and told else None,
        padding=padding,
        cause=str(found) if isinstance(found, MatcherError) else "",
    )


def _rationale(
    human: tuple[str, ...], own: tuple[str, ...], found: Found | None, metric: str
) -> tuple[float | None, float | None]:
    """The rationale part and the padding; None where there is nothing to score or the matcher failed."""
    if not human or isinstance(found, MatcherError):
        return None, None
    if not own or found is None:
        return 0.0, None
    merged = merge_copies(cut(found, None), own)
    ranks = [j for _, j, _ in assign(merged)]
    padding = 1 - (max(ranks) + 1) / len(own) if ranks else 1.0
    return float(getattr(rationale_scores(merged, "paper", None), metric)), padding


def _total(cause: str | None, outcome: float, rationale: float | None, options: RewardOptions) -> float | None:
    """The reward. Without a verdict it is 0, but where the verdict is not asked for (`rationale`)."""
    if cause == "no verdict: truncated":
        return 0.0 if options.truncated == "zero" else None
    if options.combine == "outcome":
        return outcome
    if options.combine == "rationale":
        return rationale
    if cause is not None:
        return 0.0
    if rationale is None:
        return None
    return outcome * rationale if options.combine == "product" else (outcome + rationale) / 2


def _no_verdict(judgment: Judgment) -> str | None:
    """Why the answer has no verdict that counts; None where it has one."""
    if any(note.startswith("truncated") for note in judgment.notes) or "empty content, finish_reason=length" in judgment.notes:
        return "no verdict: truncated"
    if judgment.verdict is not None:
        return None
    if judgment.status == "refused":
        return "no verdict: refused"
    said = next((note for note in judgment.notes if note.startswith("no verdict: ")), None)
    return said or ("no verdict: empty" if "empty content" in judgment.notes else "no verdict: format")
