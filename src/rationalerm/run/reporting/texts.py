"""A pair and its games as the page's chunks have them: texts, lists, and the lines between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rationalerm.match.assign import assign
from rationalerm.run.reporting.loaded import Detail
from rationalerm.score.evaluators import scored_matching
from rationalerm.score.rows import GameResult
from rationalerm.types import Matching, Pair

__all__ = ["TITLE", "game_texts", "pair_texts", "title_of"]

TITLE = 90  # characters of the prompt, for the list of rows


def title_of(pair: Pair) -> str:
    """The last thing that the user said, in one short line."""
    said = next((turn.content for turn in reversed(pair.messages) if turn.role == "user"), "")
    return " ".join(said[: 4 * TITLE].split())[:TITLE]


def pair_texts(pair: Pair) -> dict[str, Any]:
    """Prompt, responses (None: not at hand), the human's side and reasons."""
    return {
        "id": pair.id,
        "domain": pair.domain,
        "messages": [[turn.role, turn.content] for turn in pair.messages],
        "responses": [pair.response_a, pair.response_b] if pair.messages or pair.response_a or pair.response_b else None,
        "preference": pair.preference,
        "human": pair.human_reasons,
        "prose": pair.prose,
    }


def game_texts(game: GameResult, detail: Detail, top_k: int | None) -> dict[str, Any]:
    """Both lists, which reasons were matched one-to-one (`links`) and which scores were not chosen (`near`).

    The links are those that the scores are made of: the judge's list cut to K, copies of a reason taken for one.
    """
    chosen: list[tuple[int, int, float]] = []
    near: list[tuple[int, int, float]] = []
    if detail.matching is not None:
        kept = scored_matching(detail.matching, detail.reasons, top_k)
        chosen = assign(kept)
        near = _others(kept, chosen)
    return {
        "human": detail.human,
        "reasons": detail.reasons,
        "links": chosen,
        "near": near,
        "cut": top_k if top_k is not None and detail.matching is not None and len(detail.reasons) > top_k else None,
        "text": detail.text,
        "status": [game.verdict_status, game.rationale_status],
        "notes": [*game.notes, *([f"matcher: {game.failure}"] if game.failure else ())],
        "evaluator": detail.evaluator,
    }


def _others(matching: Matching, chosen: Sequence[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    taken = {(i, j) for i, j, _ in chosen}
    return [(i, j, score) for (i, j), score in sorted(matching.scores.items()) if (i, j) not in taken]
