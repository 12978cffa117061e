"""What a judge is asked for one pair in one order, and how its answer is read. Sends nothing; knows no file.

In the order BA the responses change places: the judge sees Response 2 as A. Its letters stay as they are here; who puts them back
into the row's letters is `score.outcome.in_row_order` for verdicts, `data.sides` for human reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from rationalerm.errors import ParseError
from rationalerm.judge.fence import fenced, mark_of, one_line
from rationalerm.judge.parse import parse_judgment
from rationalerm.llm.question import Question, Reply
from rationalerm.prompts import load
from rationalerm.types import Judgment, Message, Order, Pair

__all__ = ["NOT_GIVEN", "Asked", "conversation", "cut_to", "judge_question", "shown"]

NOT_GIVEN = "(not given)"
_ROLE = 40
_LIMIT, _EXPECTED = 8192, 400  # tokens: room for a judge that thinks, an end for one that runs away


class Asked(NamedTuple):
    """A question for a judge, and what has to be said of how it was put."""

    question: Question[Judgment]
    notes: tuple[str, ...]


def judge_question(
    pair: Pair, order: Order, *, vote: int = 0, max_response_chars: int | None = None, top_k: int | None = None
) -> Asked:
    """The question for one game.

    Args:
        pair: both responses and the conversation.
        order: which response is shown as A.
        vote: which sample of the same question.
        max_response_chars: cut each response behind so many characters; None leaves them whole.
        top_k: keep only so many of the judge's reasons.

    Returns:
        The question, and a note for each response that was cut.
    """
    prompt = load("judge")
    texts, notes = [], []
    for letter, text in zip("AB", shown(pair, order), strict=True):
        kept = cut_to(text, max_response_chars)
        texts.append(kept)
        if kept is not text:
            notes.append(f"response {letter} cut to its first {max_response_chars} of {len(text)} characters")
    mark = mark_of([*texts, *(turn.content for turn in pair.messages)])
    messages = prompt.fill(
        mark=mark, conversation=conversation(pair.messages, mark), response_a=fenced(texts[0]), response_b=fenced(texts[1])
    )

    def read(reply: Reply) -> Judgment:
        judgment = parse_judgment(reply.text, texts, reply.finish_reason)
        if judgment.status == "failed":
            raise ParseError(f"the answer holds no verdict ({', '.join(judgment.notes) or 'nothing in it'})")
        return _first(judgment, top_k)

    # A complete answer without a verdict is the judge's own doing, and counted: it is not asked again until one comes.
    question = Question(messages, prompt.version, read, sample=vote, limit=_LIMIT, expected_tokens=_EXPECTED)
    return Asked(question, tuple(notes))


def shown(pair: Pair, order: Order) -> tuple[str, str]:
    """The responses as the judge sees them: A's text, B's text."""
    return (pair.response_a, pair.response_b) if order == "AB" else (pair.response_b, pair.response_a)


def conversation(turns: Sequence[Message], mark: str) -> str:
    """All turns of a conversation as text, each under a line with the mark that says whose it is."""
    if not turns:
        return NOT_GIVEN
    heads = (f"===== TURN {number}: {one_line(turn.role)[:_ROLE]} {mark} =====" for number, turn in enumerate(turns, 1))
    return "\n".join(f"{head}\n{fenced(turn.content)}" for head, turn in zip(heads, turns, strict=True))


def cut_to(text: str, chars: int | None) -> str:
    """The text's start, with a last line that says how much is missing; the text itself where it is short enough."""
    if chars is None or len(text) <= chars:
        return text
    return f"{text[:chars]}\n[only the first {chars} of {len(text)} characters are shown; the rest was cut off before judging]"


def _first(judgment: Judgment, top_k: int | None) -> Judgment:
    if top_k is None or len(judgment.reasons) <= top_k:
        return judgment
    note = f"{len(judgment.reasons)} reasons, the first {top_k} kept"
    return replace(judgment, reasons=judgment.reasons[:top_k], notes=(*judgment.notes, note))
