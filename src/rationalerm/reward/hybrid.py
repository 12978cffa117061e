"""R = R_outcome x R_rationale (method.md section 4): rewarded only when verdict and reasons are right. One product, one function.

    R_outcome = 1 if the verdict's side is the human's, else 0        R_rationale = AP of the reasons (or soft AP, recall, F1)

A malformed answer is the policy's own fault and scores 0, a cut-off one likewise or None (`truncated`); a failure of the matcher
or the network is nobody's, and None. Everything is in the letters of the game that the policy saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rationalerm.data.labels import LabelReader
from rationalerm.errors import MatcherError
from rationalerm.judge.parse import parse_judgment
from rationalerm.match.assign import assign
from rationalerm.match.base import Matcher
from rationalerm.match.leaning import leaning
from rationalerm.reward.options import METRICS, RewardOptions
from rationalerm.reward.result import Reward
from rationalerm.score.consistency import cut, merge_copies, rationale_scores
from rationalerm.types import Judgment, Matching, Verdict

__all__ = ["HybridReward", "Label", "ahybrid_reward", "hybrid_reward"]

Label = Verdict | float | str
_AT_ONCE = 128
_Lists = tuple[tuple[str, ...], tuple[str, ...]]


def hybrid_reward(
    text: str | None,
    human_reasons: Sequence[str],
    label: Label,
    matcher: Matcher,
    *,
    responses: Sequence[str] | None = None,
    finish_reason: str | None = None,
    **options: Any,
) -> Reward:
    """One answer's reward.

    Args:
        text: the policy's answer: reasons from most to least important, then a verdict.
        human_reasons: in the letters of the game that the policy saw.
        label: the human's side: negative A, 0 tie, positive B (a `Verdict`, a preference, or a label such as "A>B").
        matcher: scores the reasons.
        responses: the judged responses; labels quoted from them are not taken for the policy's.
        finish_reason: `length` marks an answer that was cut off.
        options: of `RewardOptions`.

    Raises:
        ValueError: a label that names no side.
        StoppedError: the matcher's endpoint or budget is gone for good.

    >>> from rationalerm.match import LexicalMatcher
    >>> answer = "1. Response B gives 1912, the right year.\\n2. It reads well.\\n\\\\boxed{B>A}"
    >>> reward = hybrid_reward(answer, ["Response B gives 1912, the right year."], "B>A", LexicalMatcher())
    >>> reward.total, reward.outcome, reward.rationale, reward.reasons
    (1.0, 1.0, 1.0, 2)
    >>> hybrid_reward(answer, ["Response B gives 1912, the right year."], "A>B", LexicalMatcher()).total
    0.0
    """
    finish = None if finish_reason is None else [finish_reason]
    shown = None if responses is None else [responses]
    return HybridReward(matcher, **options)([text], [human_reasons], [label], responses=shown, finish_reasons=finish)[0]


async def ahybrid_reward(
    text: str | None,
    human_reasons: Sequence[str],
    label: Label,
    matcher: Matcher,
    *,
    responses: Sequence[str] | None = None,
    finish_reason: str | None = None,
    **options: Any,
) -> Reward:
    """`hybrid_reward` for async code: a matcher behind an endpoint is awaited, and holds nobody up."""
    finish = None if finish_reason is None else [finish_reason]
    shown = None if responses is None else [responses]
    made = await HybridReward(matcher, **options).ascore([text], [human_reasons], [label], responses=shown, finish_reasons=finish)
    return made[0]


class HybridReward:
    """The reward of many answers at once: identical lists are matched once, the human's are read once a prompt. Picklable.

    Args:
        matcher: scores the reasons.
        options: of `RewardOptions`.
    """

    def __init__(self, matcher: Matcher, **options: Any) -> None:
        self.matcher = matcher
        self.options = RewardOptions(**options)

    def __call__(
        self,
        texts: Sequence[str | None],
        human_reasons: Sequence[Sequence[str]],
        labels: Sequence[Label],
        *,
        responses: Sequence[Sequence[str]] | None = None,
        finish_reasons: Sequence[str | None] | None = None,
    ) -> list[Reward]:
        """A reward for each text, in order.

        Raises:
            ValueError: columns of different lengths (named, before anything is matched), or a label that names no side.
        """
        answers = self._read(texts, human_reasons, labels, responses, finish_reasons)
        found: dict[_Lists, Matching | MatcherError] = {}
        rewards: list[Reward] = []
        # Some at a time, where the matcher is on this machine: it remembers what it has read till the diagnostics ask for it.
        at_once = len(answers) if hasattr(self.matcher, "match_each") else _AT_ONCE
        for start in range(0, len(answers), at_once or 1):
            part = answers[start : start + at_once]
            lists = [one for one in dict.fromkeys(one for _, one, _ in part) if one[0] and one[1] and one not in found]
            found |= zip(lists, _match_each(self.matcher, lists), strict=True)
            rewards += self._rewards(part, found)
        return rewards

    async def ascore(
        self,
        texts: Sequence[str | None],
        human_reasons: Sequence[Sequence[str]],
        labels: Sequence[Label],
        *,
        responses: Sequence[Sequence[str]] | None = None,
        finish_reasons: Sequence[str | None] | None = None,
    ) -> list[Reward]:
        """The same for async code."""
        answers = self._read(texts, human_reasons, labels, responses, finish_reasons)
        lists = list(dict.fromkeys(one for _, one, _ in answers if one[0] and one[1]))
        each = getattr(self.matcher, "amatch_each", None)
        found = await each(lists) if each is not None else _match_each(self.matcher, lists)
        return self._rewards(answers, dict(zip(lists, found, strict=True)))

    def _read(
        self,
        texts: Sequence[str | None],
        human_reasons: Sequence[Sequence[str]],
        labels: Sequence[Label],
        responses: Sequence[Sequence[str]] | None,
        finish_reasons: Sequence[str | None] | None,
    ) -> list[tuple[Judgment, _Lists, int]]:
        """Each answer read, the two lists to match, the human's side."""
        columns = {"human_reasons": human_reasons, "labels": labels, "responses": responses, "finish_reasons": finish_reasons}
        for name, column in columns.items():
            if column is not None and (isinstance(column, str) or len(column) != len(texts)):
                given = "a string" if isinstance(column, str) else f"{len(column)} long"
                raise ValueError(f"{name} is {given}, and there are {len(texts)} texts; give one item a text")
        answers = []
        for k, text in enumerate(texts):
            finish = finish_reasons[k] if finish_reasons else None
            judgment = parse_judgment(text, responses[k] if responses else None, finish)
            lists = tuple(human_reasons[k]), judgment.reasons[: self.options.max_reasons]
            answers.append((judgment, lists, side_of_label(labels[k])))
        return answers

    def _rewards(
        self, answers: list[tuple[Judgment, _Lists, int]], found: Mapping[_Lists, Matching | MatcherError]
    ) -> list[Reward]:
        return [self._one(judgment, lists, side, found.get(lists)) for judgment, lists, side in answers]

    def _one(self, judgment: Judgment, lists: _Lists, side: int, found: Matching | MatcherError | None) -> Reward:
        """One reward, from its parts."""
        human, own = lists
        cause = _no_verdict(judgment)
        outcome = float(cause is None and judgment.verdict is not None and judgment.verdict.side == side)
        rationale, padding = self._rationale(human, own, found)
        status = cause or ("no human reasons" if not human else "matcher failed" if rationale is None else "scored")
        lean = leaning(judgment.reasons, self.matcher)
        told = judgment.verdict.side if judgment.verdict is not None else 0
        return Reward(
            total=self._total(cause, outcome, rationale),
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
        self, human: tuple[str, ...], own: tuple[str, ...], found: Matching | MatcherError | None
    ) -> tuple[float | None, float | None]:
        """The rationale part and the padding; None where there is nothing to score or the matcher failed."""
        if not human or isinstance(found, MatcherError):
            return None, None
        if not own or found is None:
            return 0.0, None
        merged = merge_copies(cut(found, None), own)
        ranks = [j for _, j, _ in assign(merged)]
        padding = 1 - (max(ranks) + 1) / len(own) if ranks else 1.0
        return float(getattr(rationale_scores(merged, "paper", None), METRICS[self.options.rationale])), padding

    def _total(self, cause: str | None, outcome: float, rationale: float | None) -> float | None:
        """The reward. Without a verdict it is 0, but where the verdict is not asked for (`rationale`)."""
        if cause == "no verdict: truncated":
            return 0.0 if self.options.truncated == "zero" else None
        combine = self.options.combine
        if combine == "outcome":
            return outcome
        if combine == "rationale":
            return rationale
        if cause is not None:
            return 0.0
        if rationale is None:
            return None
        return outcome * rationale if combine == "product" else (outcome + rationale) / 2


def side_of_label(label: Label) -> int:
    """-1, 0 or 1.

    Raises:
        ValueError: a label that names no side.
    """
    if isinstance(label, str):
        verdict = LabelReader().read(label)
        if verdict is None:
            raise ValueError("label is empty; give the human's side")
        return verdict.side
    if isinstance(label, bool) or label != label:  # NaN
        raise ValueError(f"label is {label!r}; negative = A, 0 = tie, positive = B")
    return (label > 0) - (label < 0)


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


def _match_each(matcher: Matcher, lists: Iterable[_Lists]) -> list[Matching | MatcherError]:
    """A matching or a failure for each; one row's failure is no other's."""
    todo = list(lists)
    each = getattr(matcher, "match_each", None)
    if each is not None:
        return list(each(todo))
    try:
        return list(matcher.match_many(todo))
    except MatcherError:
        return [_match_one(matcher, *one) for one in todo]


def _match_one(matcher: Matcher, human: tuple[str, ...], own: tuple[str, ...]) -> Matching | MatcherError:
    try:
        return matcher.match(human, own)
    except MatcherError as error:
        return error
