"""One game's result and its two statuses (design.md, "Two statuses a row, independent").

A game is one answer of one judge to one pair in one order; most rows hold one. The status of the verdict and that of the
rationale are independent: OA needs the first, RC the second. Knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rationalerm.score.consistency import Scoring, cut, merge_copies, rationale_scores
from rationalerm.score.outcome import correct, in_row_order
from rationalerm.types import Answer, Judgment, Matching, Order, Pair, RationaleStatus, RowScore, Side, Verdict, VerdictStatus

__all__ = ["SPURIOUS", "GameResult", "category", "rationale_status", "result"]

SPURIOUS = "right verdict, wrong reasons"
_CUT_OFF = ("truncated", "content filter", "unclosed think")  # the parser's notes on an answer that is not all there
_METRICS = ("recall", "precision", "f1", "average_precision", "average_precision_soft")


@dataclass(frozen=True, slots=True)
class GameResult:
    """What one game came to. `verdict` is in the row's letters; `score` is None where the rationale is not scored."""

    id: str
    judge: str
    order: Order
    cluster: str
    domain: str | None
    label: Side | None
    verdict: Verdict | None
    verdict_status: VerdictStatus
    rationale_status: RationaleStatus
    score: RowScore | None
    n_human: int
    n_model: int
    prose: bool = False
    judge_prose: bool = False
    copies: int = 0
    notes: tuple[str, ...] = ()
    failure: str | None = None  # why the matcher failed, where it says: "unparsed", "timeout", ...
    repeats: tuple[float, ...] = ()  # row recall by each asking of a matcher that was asked several times

    @property
    def correct(self) -> bool | None:
        """Right, wrong, or not in OA."""
        return correct(self.verdict, self.label)

    def to_json(self, spurious_under: float) -> dict[str, Any]:
        """A line of rows.jsonl."""
        return {
            "id": self.id,
            "judge": self.judge,
            "order": self.order,
            "domain": self.domain,
            "cluster": self.cluster,
            "label": self.label,
            "verdict": self.verdict.label if self.verdict is not None else None,
            "correct": self.correct,
            "verdict_status": self.verdict_status,
            "rationale_status": self.rationale_status,
            "category": category(self, spurious_under),
            **{name: getattr(self.score, name) if self.score else None for name in _METRICS},
            "n_human": self.n_human,
            "n_model": self.n_model,
            "notes": list(self.notes),
            **({"failure": self.failure} if self.failure else {}),
            **({"recall_repeats": list(self.repeats)} if self.repeats else {}),
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> GameResult:
        """A line of rows.jsonl read back. Raises KeyError or ValueError on any other row."""
        score = None if row["recall"] is None else RowScore(*(float(row[name]) for name in _METRICS))
        return cls(
            id=row["id"],
            judge=row["judge"],
            order=row["order"],
            cluster=row["cluster"],
            domain=row["domain"],
            label=row["label"],
            verdict=None if row["verdict"] is None else Verdict.from_label(row["verdict"]),
            verdict_status=row["verdict_status"],
            rationale_status=row["rationale_status"],
            score=score,
            n_human=row["n_human"],
            n_model=row["n_model"],
            notes=tuple(row["notes"]),
            failure=row.get("failure"),
            repeats=tuple(row.get("recall_repeats", ())),
        )


def rationale_status(pair: Pair, answer: Answer, judgment: Judgment, *, matched: bool = True) -> RationaleStatus:
    """Which of the four a game is in, before any number is made; "scored" games are those that go to the matcher.

    No answer: the call failed, the text is empty, or it was cut off (a list that may be half there can't be scored). A refusal or
    a complete answer without reasons is an answer, and scores 0: a judge can't raise its RC by silence.
    """
    if not pair.human_reasons:
        return "no human reasons"
    if answer.error is not None or any(note.startswith(_CUT_OFF) for note in judgment.notes):
        return "no answer"
    if answer.reasons is None and (answer.text is None or judgment.status == "failed"):
        return "no answer"
    return "scored" if matched else "matcher failed"


def result(
    pair: Pair,
    answer: Answer,
    judgment: Judgment,
    matching: Matching | None,
    *more: Matching,
    scoring: Scoring,
    top_k: int | None,
) -> GameResult:
    """Scores one game.

    Args:
        pair, answer, judgment: the game.
        matching: over the human reasons and the judge's whole list, both in the game's letters; None: the matcher failed, or
            there was nothing to match.
        more: what the same matcher gave when asked again; the scores are then means.
        scoring, top_k: as for `rationale_scores`.
    """
    status = rationale_status(pair, answer, judgment, matched=matching is not None)
    score: RowScore | None = None
    copies = 0
    repeats: tuple[float, ...] = ()
    if status == "scored" and matching is not None:
        score, copies = _scored(matching, judgment, scoring, top_k)
        if more:
            each = [score, *(_scored(other, judgment, scoring, top_k)[0] for other in more)]
            repeats = tuple(one.recall for one in each)
            score = RowScore(*(sum(getattr(one, name) for one in each) / len(each) for name in _METRICS))
    return GameResult(
        id=pair.id,
        judge=answer.judge,
        order=answer.order,
        cluster=pair.cluster,
        domain=pair.domain,
        label=pair.label,
        verdict=in_row_order(judgment.verdict, answer.order),
        verdict_status=judgment.status,
        rationale_status=status,
        score=score,
        n_human=len(pair.human_reasons or ()),
        n_model=len(judgment.reasons),
        prose=pair.prose,
        judge_prose="prose" in judgment.notes,
        copies=copies,
        notes=judgment.notes,
        repeats=repeats,
    )


def _scored(matching: Matching, judgment: Judgment, scoring: Scoring, top_k: int | None) -> tuple[RowScore, int]:
    """The scores of one matching, and how many reasons of the list are copies."""
    kept = cut(matching, top_k)
    merged = merge_copies(kept, judgment.reasons[: kept.n_model])
    copies = sum(int(note.split(": ")[1]) for note in merged.notes if note.startswith("copies: "))
    return rationale_scores(merged, scoring, None), copies


def category(game: GameResult, spurious_under: float) -> str:
    """What a reader filters rows by.

    `right verdict, wrong reasons` = the verdict is the human's side and the row recall is under `spurious_under`.
    """
    if game.verdict is None:
        return f"no verdict ({game.verdict_status})"
    if not game.label:
        return "human tie" if game.label == 0 else "unlabelled"
    if game.score is None:
        reasons = "reasons not scored"
    else:
        reasons = "wrong reasons" if game.score.recall < spurious_under else "shared reasons"
    return f"{'right' if game.correct else 'wrong'} verdict, {reasons}"
