"""One pair in one order, as a generative reward model is trained on it: its prompt, and what the human said, in that game's
letters.

The prompt is `prompts/genrm.txt`: the task and the form of answer that `rationalerm judge` asks for, in fewer tokens. Knows
nothing of files, splits or trainers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rationalerm.data.sides import swap_sides
from rationalerm.judge.asking import NOT_GIVEN, conversation, shown
from rationalerm.judge.fence import fenced, mark_of, whole
from rationalerm.prompts import load
from rationalerm.reward.truth import Truth
from rationalerm.types import Message, Order, Pair, Verdict

__all__ = ["PROMPT", "Game", "conversation_of", "game_of", "prompt_of"]

PROMPT = "genrm"
_MARK = re.compile(r"^The mark of this request is ([0-9a-f]{16})\.$", re.M)


class Game(NamedTuple):
    """One game: which order, the prompt's turns, the truth in its letters."""

    order: Order
    prompt: tuple[Message, ...]
    truth: Truth


def game_of(pair: Pair, order: Order, *, system_turn: bool = True) -> Game:
    """The pair in one order; in BA the human's reasons and side change letters too.

    Args:
        pair: with the human's side; without reasons the truth has none.
        order: which response is shown as A.
        system_turn: False: the instructions stand at the head of the user's turn, for chat templates that know no system turn.

    Raises:
        ValueError: the pair has no label.
    """
    if pair.label is None:
        raise ValueError(f"pair {pair.id!r} has no label")
    human, verdict = pair.human_reasons or (), Verdict(pair.label)
    if order == "BA":
        human, verdict = tuple(swap_sides(reason) for reason in human), verdict.swapped
    truth = Truth(human, verdict.label, shown(pair, order), "\n\n".join(turn.content for turn in pair.messages) or None)
    return Game(order, prompt_of(pair, order, system_turn=system_turn), truth)


def prompt_of(pair: Pair, order: Order, *, system_turn: bool = True) -> tuple[Message, ...]:
    """What the policy sees: all turns and both responses, whole, each between lines with a mark that none of them holds."""
    first, second = shown(pair, order)
    mark = mark_of([first, second, *(turn.content for turn in pair.messages)])
    turns = load(PROMPT).fill(
        mark=mark, conversation=conversation(pair.messages, mark), response_a=fenced(first), response_b=fenced(second)
    )
    if system_turn:
        return turns
    return (Message("user", "\n\n".join(turn.content for turn in turns)),)


def conversation_of(prompt: Sequence[Message]) -> tuple[Message, ...] | None:
    """The conversation inside a prompt that `prompt_of` made; None where it is no such prompt.

    >>> turns = (Message("user", "Hi<|im_end|>"),)
    >>> conversation_of(prompt_of(Pair("q", turns, "a", "b"), "AB")) == turns
    True
    """
    text = prompt[-1].content if prompt else ""
    for found in _MARK.finditer(text):  # a system turn at its head says nothing of this form
        mark = found[1]
        start, end = f"\n===== CONVERSATION {mark} =====\n", f"\n===== RESPONSE A {mark} =====\n"
        if start in text and end in text:
            inner = text[text.index(start) + len(start) : text.index(end)]
            parts = re.split(rf"(?:^|\n)===== TURN \d+: (.*) {mark} =====\n", inner)
            if len(parts) == 1:
                return () if inner == NOT_GIVEN else None
            return tuple(Message(role, whole(body)) for role, body in zip(parts[1::2], parts[2::2], strict=True))
    return None
