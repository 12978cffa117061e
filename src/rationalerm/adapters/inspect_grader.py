"""The model of inspect_ai's role `grader` as the matcher. Needs inspect_ai; knows nothing of rewards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, get_model

from rationalerm.errors import MatcherError, ParseError
from rationalerm.judge.parse import parse_matching
from rationalerm.llm.endpoint import Endpoint
from rationalerm.match import LLMMatcher
from rationalerm.types import Matching

__all__ = ["Grader", "turns"]

_TURNS = {"user": ChatMessageUser, "system": ChatMessageSystem, "assistant": ChatMessageAssistant}


def turns(messages: Iterable[Mapping[str, str]]) -> list[Any]:
    """Chat turns as inspect_ai has them."""
    return [_TURNS[turn["role"]](content=turn["content"]) for turn in messages]


class Grader(LLMMatcher):
    """`LLMMatcher`'s prompts, sent through inspect_ai: its connections, its limits, its cache, its log."""

    def __init__(self) -> None:
        super().__init__(Endpoint("http://grader.invalid/v1", "grader"))  # asked nothing

    async def amatch_each(self, rows: Iterable[tuple[Sequence[str], Sequence[str]]]) -> list[Matching | MatcherError]:
        """A matching or a failure for each row."""
        return [await self._grade(*row) for row in rows]

    async def _grade(self, human: Sequence[str], model: Sequence[str]) -> Matching | MatcherError:
        asked = turns({"role": turn.role, "content": turn.content} for turn in self.question(human, model).messages)
        said = await get_model(role="grader").generate(asked)
        try:
            return parse_matching(said.completion, len(human), len(model), self.mode)
        except ParseError as error:
            return MatcherError(f"the grader's answer can't be read: {error}")
