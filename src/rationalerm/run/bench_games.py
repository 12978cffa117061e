"""A game as a line of rows.jsonl. Asks nothing, scores nothing."""

from __future__ import annotations

from typing import Any

from rationalerm.bench.base import Contest, Played
from rationalerm.types import Order

__all__ = ["row_of"]


def row_of(contest: Contest, order: Order, played: Played) -> dict[str, Any]:
    """A line of rows.jsonl. `label` is the gold side in the row's letters, `verdict` stands in the game's."""
    row: dict[str, Any] = {"id": contest.id, "order": order, "domain": contest.pair.domain, "label": contest.pair.label}
    row |= {"status": played.status, "verdict": played.verdict.label if played.verdict is not None else None}
    return row | {"reasons": played.reasons, "notes": played.notes}
