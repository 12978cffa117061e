"""What a run will ask, without asking: for --dry-run. Writes nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from rationalerm.data.pairs import PairFile
from rationalerm.data.rundir import RunDir
from rationalerm.llm.meter import estimated_tokens
from rationalerm.match import LLMMatcher
from rationalerm.run.config import EvaluateConfig
from rationalerm.run.endpoint_rows import is_open
from rationalerm.run.games import game_of, to_match
from rationalerm.run.imported import read_imported
from rationalerm.run.store import Store

__all__ = ["Forecast", "forecast"]


class Forecast(NamedTuple):
    """What a run will ask at most: the cache may hold some of it, re-asking may add to it. Tokens are estimates."""

    rows: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


def forecast(
    source: PairFile,
    matcher: LLMMatcher,
    config: EvaluateConfig,
    out: str | Path | None,
    *,
    imported: str | Path | None = None,
    every_game: bool = True,
    chance_rows: int = 0,
    audit_rows: int = 0,
) -> Forecast:
    """What matching over an endpoint would ask.

    Args:
        source, matcher, config, out, imported: as for the run.
        every_game: False where the model is only asked for the audit.
        chance_rows, audit_rows: calls beyond the games', of the games' mean length.
    """
    known = read_imported(imported) if imported is not None else None
    store = Store(None)
    if out is not None and RunDir.manifest(out) is not None:
        store = Store(RunDir.opened(out))
    rows = calls = prompt = completion = 0
    games: Counter[str] = Counter()
    all_prompt = all_completion = 0
    for pair in source:
        rows += 1
        for game in (game_of(pair, answer) for answer in pair.answers):
            if not to_match(game) or not game.judgment.reasons:
                continue
            question = matcher.question(game.human, game.judgment.reasons[: config.top_k])
            tokens = estimated_tokens(sum(len(message.content) for message in question.messages))
            games[game.answer.judge] += 1
            all_prompt, all_completion = all_prompt + tokens, all_completion + question.expected_tokens
            todo = is_open(game, store, known, config.repeats) if every_game else 0
            calls, prompt, completion = calls + todo, prompt + todo * tokens, completion + todo * question.expected_tokens
    more = sum(min(chance_rows, count) for count in games.values()) + min(audit_rows, games.total())
    if more:
        share = more / games.total()
        calls, prompt, completion = calls + more, prompt + round(share * all_prompt), completion + round(share * all_completion)
    prices = matcher.settings.prices
    return Forecast(rows, calls, prompt, completion, prices.cost(prompt, completion) if prices else None)
