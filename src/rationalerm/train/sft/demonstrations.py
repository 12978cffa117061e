"""Demonstrations for `train sft`: of all that judges answered in a game, the best by the hybrid reward, if it is good enough.

Each answer (several judges, several votes) is put into the canonical form and scored as a policy's answer would be: right
verdict, the human's reasons. The best one of a game is kept if it reaches the least reward; among equals the one with fewer
reasons, then the first. Prompts of the validation split, and those of a prepared folder's, never enter. Every answer is counted
somewhere.

Knows nothing of trainers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rationalerm.errors import UsageError
from rationalerm.judge.answers import read_answer
from rationalerm.judge.fence import fenced
from rationalerm.judge.reasons import PROSE
from rationalerm.reward import FailureGuard, HybridReward, Reward
from rationalerm.train.prepare.games import Game, game_of
from rationalerm.train.prepare.held_out import held_out_prints, kept_out_prints
from rationalerm.train.prepare.likeness import Fingerprint, fingerprint
from rationalerm.train.prepare.splits import Likeness, split_groups
from rationalerm.train.prepare.usable import Ties, stays_behind, unusable
from rationalerm.train.sft.canonical import canonical, human_verdict, lettered, reads_back
from rationalerm.types import Answer, Order, Pair

__all__ = ["Demonstration", "DemonstrationOptions", "Demonstrations", "demonstrations", "validation_prints"]

_AT_ONCE = 64  # games scored together


@dataclass(frozen=True, slots=True)
class DemonstrationOptions:
    """Which answers are good enough, and how they are written.

    Args:
        min_reward: the least reward, in [0, 1]; a wrong verdict is never good enough.
        max_reasons: only an answer's first so many reasons are kept, and scored; None: all.
        verbatim: the judge's text as it is (but for chat control tokens), not the canonical form; answers with more than
            `max_reasons` are then left out.
        gold: where no answer is good enough, the human's own reasons and verdict.
        ties: `drop` or `keep` rows on which the human saw no difference.
        validation: the share of prompts that stay out, as in `train prepare`; 0 where a prepared folder says which.
        seed: of that split.
        system_turn: as in `train prepare`.

    Raises:
        UsageError: a value out of range.
    """

    min_reward: float = 0.3
    max_reasons: int | None = None
    verbatim: bool = False
    gold: bool = False
    ties: Ties = "drop"
    validation: float = 0.05
    seed: int = 0
    system_turn: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.min_reward <= 1:
            raise UsageError(f"--min-reward is {self.min_reward}; give a reward from 0 to 1")
        if self.max_reasons is not None and self.max_reasons < 1:
            raise UsageError(f"--max-reasons is {self.max_reasons}; give 1 or more")
        if not 0 <= self.validation < 1:
            raise UsageError(f"--validation is {self.validation}; give a share from 0 to under 1")
        if self.ties not in ("drop", "keep"):
            raise UsageError(f"--ties is {self.ties!r}; drop or keep")


class Demonstration(NamedTuple):
    """One game's best answer. `judge` is "human" for gold, whose reward is None: it was not scored."""

    id: str
    order: Order
    judge: str
    reward: float | None
    game: Game
    text: str

    def row(self) -> dict[str, Any]:
        """As a trainer reads it: prompt and completion, both in chat form."""
        prompt = [{"role": turn.role, "content": turn.content} for turn in self.game.prompt]
        return {"prompt": prompt, "completion": [{"role": "assistant", "content": self.text}]}


class Demonstrations(NamedTuple):
    """What was made, and where everything else went.

    `rows`: read = used + a cause each. `games` (of used rows): read = kept + gold + none. `answers`: read = kept + a cause each.
    """

    made: list[Demonstration]
    rows: dict[str, int]
    games: dict[str, int]
    answers: dict[str, int]


class _Candidate(NamedTuple):
    judge: str
    text: str
    reasons: int


class _Open(NamedTuple):
    """A game with its answers, to be scored."""

    pair: Pair
    game: Game
    candidates: list[_Candidate]


def demonstrations(
    pairs: Iterable[Pair],
    reward: HybridReward,
    options: DemonstrationOptions | None = None,
    *,
    held_out: Sequence[Fingerprint] = (),
    guard: FailureGuard | None = None,
) -> Demonstrations:
    """The demonstrations of judged pairs.

    Args:
        pairs: with judges' answers (`JudgedPairs`, `PairFile`, a list); gone through twice.
        reward: scores the answers.
        options: which are good enough.
        held_out: prompts that must not enter (`validation_prints`).
        guard: stops it where the matcher fails too often.

    Raises:
        UsageError: pairs that can be gone through only once.
        StoppedError: the matcher's endpoint is gone, or the guard's share is passed.
    """
    options = options or DemonstrationOptions()
    if iter(pairs) is pairs:
        raise UsageError("demonstrations need pairs that can be read twice: a list, a PairFile or JudgedPairs")
    rows, out = _first_pass(pairs, options, held_out)
    made = _Maker(reward, options, guard)
    waiting: list[_Open] = []
    for number, pair in enumerate(pairs):
        if number not in out:
            waiting += made.games(pair)
        if len(waiting) >= _AT_ONCE:
            made.score(waiting)
            waiting = []
    made.score(waiting)
    games, answers = dict(made.counts["games"]), dict(made.counts["answers"])
    return Demonstrations(made.made, rows, {"read": sum(games.values()), **games}, {"read": sum(answers.values()), **answers})


def validation_prints(folder: str | Path) -> list[Fingerprint]:
    """What must not be learnt, by a folder that `train prepare` wrote: its validation split, and the files that it kept out.

    Raises:
        DataError: it is no such folder, or a file that was kept out is not there any more as it was read.
    """
    path = Path(folder) / "validation.parquet"
    found = list(kept_out_prints(folder))
    if not path.exists() and (Path(folder) / "train.parquet").exists():
        return found
    return [one for _, one in held_out_prints(path)] + found


def _first_pass(
    pairs: Iterable[Pair], options: DemonstrationOptions, held_out: Sequence[Fingerprint]
) -> tuple[dict[str, int], set[int]]:
    """Rows a cause, and the numbers of those that stay out."""
    causes: dict[int, str] = {}
    numbers, prints = [], []
    count = 0
    for number, pair in enumerate(pairs):
        count += 1
        if (why := unusable(pair, options.ties)) is not None:
            causes[number] = why
            continue
        numbers.append(number)
        prints.append(fingerprint(pair.messages, (pair.response_a, pair.response_b)))
    likeness = Likeness([*prints, *held_out], len(prints))
    causes |= dict.fromkeys((numbers[k] for k in likeness.held_out()), "held out")
    left = [k for k in range(len(numbers)) if numbers[k] not in causes]
    splits = split_groups(likeness.groups(left), options.validation, options.seed)
    causes |= {numbers[k]: "validation" for k, split in zip(left, splits, strict=True) if split == "validation"}
    return {"read": count, "used": count - len(causes), **dict(sorted(Counter(causes.values()).items()))}, set(causes)


class _Maker:
    """Scores games and keeps the best."""

    def __init__(self, reward: HybridReward, options: DemonstrationOptions, guard: FailureGuard | None) -> None:
        self._reward, self._options, self._guard = reward, options, guard
        self.made: list[Demonstration] = []
        self.counts: dict[str, Counter[str]] = {"games": Counter(), "answers": Counter()}

    def games(self, pair: Pair) -> Iterator[_Open]:
        """The pair's games, each with its answers in a form to score."""
        orders: tuple[Order, ...] = ("AB", "BA")
        for order in orders:
            answers = [answer for answer in pair.answers if answer.order == order]
            if not answers:
                continue
            game = game_of(pair, order, system_turn=self._options.system_turn)
            found: dict[str, _Candidate] = {}
            for answer in answers:
                candidate = self._candidate(answer, pair, game)
                if isinstance(candidate, str):
                    self.counts["answers"][candidate] += 1
                elif candidate.text in found:
                    self.counts["answers"]["same as another"] += 1
                else:
                    found[candidate.text] = candidate
            yield _Open(pair, game, list(found.values()))

    def score(self, games: Sequence[_Open]) -> None:
        """Rewards all answers of some games, and keeps each game's best."""
        flat = [(one, candidate) for one in games for candidate in one.candidates]
        rewards = self._reward(
            [candidate.text for _, candidate in flat],
            [one.game.truth.human_reasons for one, _ in flat],
            [one.game.truth.label for one, _ in flat],
            responses=[one.game.truth.responses or () for one, _ in flat],
            tasks=[one.game.truth.task for one, _ in flat],
        )
        if self._guard is not None:
            self._guard.saw(rewards)
        scored = iter(rewards)
        for one in games:
            self._keep(one, [(candidate, next(scored)) for candidate in one.candidates])

    def _keep(self, one: _Open, scored: Sequence[tuple[_Candidate, Reward]]) -> None:
        answers = self.counts["answers"]
        good: list[tuple[float, int, int]] = []
        for k, (candidate, reward) in enumerate(scored):
            if reward.total is None:
                answers["not scored"] += 1
            elif not reward.outcome:  # whatever the reward makes of it: a wrong verdict is not to be learnt
                answers["wrong verdict"] += 1
            elif reward.total < self._options.min_reward:
                answers["under the least reward"] += 1
            else:
                good.append((reward.total, -candidate.reasons, -k))
        if not good:
            self._keep_gold(one)
            return
        total, _, place = max(good)
        best = scored[-place][0]
        answers["kept"] += 1
        if len(good) > 1:
            answers["not the best"] += len(good) - 1
        self.counts["games"]["kept"] += 1
        self.made.append(Demonstration(one.pair.id, one.game.order, best.judge, total, one.game, best.text))

    def _keep_gold(self, one: _Open) -> None:
        text = _gold(one.pair, one.game, self._options) if self._options.gold else None
        self.counts["games"]["none" if text is None else "gold"] += 1
        if text is not None:
            self.made.append(Demonstration(one.pair.id, one.game.order, "human", None, one.game, text))

    def _candidate(self, answer: Answer, pair: Pair, game: Game) -> _Candidate | str:
        """An answer in the form to score, or why it is none."""
        options = self._options
        if answer.error is not None:
            return "failed"
        judgment = read_answer(answer, pair)
        if any(note.startswith("truncated") or "finish_reason=length" in note for note in judgment.notes):
            return "truncated"
        if judgment.verdict is None:
            return {"failed": "failed", "refused": "refused"}.get(judgment.status, "no verdict")
        if not judgment.reasons:
            return "no reasons"
        if PROSE in judgment.notes:
            return "prose"
        if options.verbatim:
            if answer.text is None:
                return "no text"
            if options.max_reasons is not None and len(judgment.reasons) > options.max_reasons:
                return "too many reasons"
            return _Candidate(answer.judge, fenced(answer.text), len(judgment.reasons))
        reasons = judgment.reasons[: options.max_reasons]
        text = canonical(reasons, judgment.verdict)
        if not reads_back(text, len(reasons), judgment.verdict, game.truth.responses or ()):
            return "no canonical form"
        return _Candidate(answer.judge, text, len(reasons))


def _gold(pair: Pair, game: Game, options: DemonstrationOptions) -> str | None:
    """The human's own reasons and verdict; None where they are rough, can't be put into the game's letters, or would be cut."""
    reasons = [lettered(reason) for reason in game.truth.human_reasons]
    if pair.prose or not reasons or (options.max_reasons is not None and len(reasons) > options.max_reasons):
        return None
    if game.order == "BA" and any(map(stays_behind, pair.human_reasons or ())):
        return None
    verdict = human_verdict(pair)
    verdict = verdict.swapped if game.order == "BA" else verdict
    text = canonical(reasons, verdict)
    return text if reads_back(text, len(reasons), verdict, game.truth.responses or ()) else None
