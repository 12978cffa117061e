"""One row of a results file in the released inference script's form. Knows nothing of files.

    {"prompt", "samples": [{"generated_text"}], "status", "extraction_result", "metadata"}        and of a failure
    {"prompt", "samples": [], "status": "error", "metadata", "error_message"}

The metadata is the input row as far as it is known, without the other judges' fields: the analysis script takes the first
`NAME-checklist` that it meets for the judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from rationalerm.data.fields import Fields, reason_list
from rationalerm.data.released import judges_of
from rationalerm.data.sides import swap_sides
from rationalerm.errors import DataError
from rationalerm.score.consistency import cut
from rationalerm.types import Matching

__all__ = ["agrees", "best_of", "failed_row", "metadata_of", "result_row"]

_NEUTRAL = ("context", "messages", "prompt", "question", "domain", "language")  # says nothing of which response is which


def result_row(
    human: Sequence[str], model: Sequence[str], best: Sequence[tuple[int, float]], metadata: Any, evaluator: str
) -> Any:
    """A finished row. `best`: each human reason's model reason, 1-based, 0 = none, and its score (`best_of`)."""
    lines = [f"- R{r}@S{s}: {_decimal(score)}" for r, (s, score) in enumerate(best, 1)]
    return {
        "prompt": _prompt(human, model),
        "samples": [{"generated_text": "\n".join(("<RESULT_START>", *lines, "<RESULT_END>"))}],
        "status": "success",
        "metadata": metadata,
        "extraction_result": {
            "scores": [[r, s, score] for r, (s, score) in enumerate(best, 1)],
            "is_ordered": True,
            "errors": [],
        },
        "evaluator": evaluator,
    }


def failed_row(human: Sequence[str], model: Sequence[str], metadata: Any, why: str) -> Any:
    """A row that has no matching."""
    return {
        "prompt": _prompt(human, model),
        "samples": [],
        "status": "error",
        "metadata": metadata,
        "error_message": why,
    }


def best_of(matching: Matching, top_k: int | None) -> tuple[list[tuple[int, float]], int]:
    """Each human reason's best model reason (1-based; 0 = none) with its score, and how many other scores that leaves out.

    Only the first K model reasons are looked at; of equal scores the first counts.

    >>> best_of(Matching(2, 3, {(0, 1): 0.5, (0, 2): 0.75}), 5)
    ([(3, 0.75), (0, 0.0)], 1)
    """
    kept = cut(matching, top_k)
    best = [(0, 0.0)] * kept.n_human
    for (i, j), score in sorted(kept.scores.items()):
        if score > best[i][1]:
            best[i] = j + 1, score
    return best, len(kept.scores) - sum(s > 0 for s, _ in best)


def metadata_of(
    place: tuple[str, str, str], human: Sequence[str] | None, model: Sequence[str] | None, row: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The row's true id, the lists that were matched, and the rest of the input row.

    Args:
        place: id, judge, order. In the swapped game the lists are in its letters, so of the input row only what is neutral stays.
        human, model: the lists; None: not known.
        row: the input row, or None.
    """
    id, judge, order = place
    out: dict[str, Any] = {"id": id}
    if order == "BA":
        out["order"] = order
    if human is not None:
        out["human-checklist"] = list(human)
    if model is not None:
        out[f"{judge}-checklist"] = list(model)
    taken = {*(name.lower() for name in out), "human-checklist", "order", f"{judge}-checklist".lower(), f"{judge}-games".lower()}
    judges = {name.lower() for name in judges_of(row or {})}
    for name, value in (row or {}).items():
        if name.lower() in taken or (order == "BA" and name.lower() not in _NEUTRAL):
            continue
        owner = name.lower().rpartition("-")[0]
        if owner == judge.lower() or owner not in judges:
            out[name] = value
    return out


def agrees(fields: Fields, human_field: str, reasons_field: str, human: Sequence[str], model: Sequence[str], order: str) -> bool:
    """Does an input row still say what was matched? At least one of the two lists must be there, and none may differ."""
    found = 0
    for name, wanted, swapped in ((human_field, human, order == "BA"), (reasons_field, model, False)):
        if fields.first(name) is None:
            continue
        try:
            listed = reason_list(fields[name], name)
        except DataError:
            return False
        if tuple(swap_sides(reason) for reason in listed) != tuple(wanted) if swapped else listed != tuple(wanted):
            return False
        found += 1
    return found > 0


def _prompt(human: Sequence[str], model: Sequence[str]) -> str:
    """The lists as a matcher is shown them: a reason a line, so that whose list it was can be seen from the file."""
    lists = (("Judge's reasons:", "S", model), ("Human's reasons:", "R", human))
    return "\n".join(
        line
        for head, letter, reasons in lists
        for line in (head, *(f"{letter}{k}: {' '.join(r.split())}" for k, r in enumerate(reasons, 1)))
    )


def _decimal(score: float) -> str:
    """All its digits, at least two of them, and no exponent."""
    if not score:
        return "0"
    text = format(Decimal(repr(float(score))), "f")
    whole, _, part = text.partition(".")
    return f"{whole}.{part:0<2}"
