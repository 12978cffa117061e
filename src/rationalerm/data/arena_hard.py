"""Arena-Hard's files (benchmarks.md): questions, models' answers with their style, and judgments of two games a question.

Game 0 shows the baseline's answer as A and the model's as B, game 1 the other way round; labels are in the game's own letters.
Knows nothing of win rates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rationalerm.data.datafiles import Place, each_row
from rationalerm.data.fields import Fields
from rationalerm.data.labels import LabelReader
from rationalerm.errors import DataError
from rationalerm.types import Verdict

__all__ = [
    "BASELINES",
    "Answered",
    "Game",
    "Judged",
    "Question",
    "Style",
    "markdown_counts",
    "read_arena_answers",
    "read_arena_judgments",
    "read_arena_questions",
    "style_of",
]  # fmt: skip

BASELINES = {"hard_prompt": "o3-mini-2025-01-31", "creative_writing": "gemini-2.0-flash-001"}

_CODE = re.compile(r"```[^`]*```")  # what looks like markdown in a code block is code
_MARKDOWN = {
    "header_count": {f"h{level}": re.compile(rf"^#{{{level}}}\s", re.MULTILINE) for level in range(1, 7)},
    "list_count": {"ordered": re.compile(r"^\s*\d+\.\s", re.MULTILINE), "unordered": re.compile(r"^\s*[-*+]\s", re.MULTILINE)},
    "bold_count": {"**": re.compile(r"\*\*[^*\n]+\*\*"), "__": re.compile(r"__[^_\n]+__")},
}
_PIECES = re.compile(r"\s*(?:\w{1,6}|[^\w\s]{1,3})|\s+")


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `category`: hard_prompt or creative_writing."""

    uid: str
    category: str
    subcategory: str | None
    prompt: str


@dataclass(frozen=True, slots=True)
class Style:
    """How an answer looks: its tokens, and how many headers, list items and bold passages it has (code blocks left out).

    `estimated`: the tokens were counted here, without the tokenizer that the benchmark's own counts come from.
    """

    tokens: int
    headers: int
    lists: int
    bolds: int
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer of one model; `style` from the file's metadata, counted from the text where there is none."""

    uid: str
    model: str
    text: str
    style: Style


@dataclass(frozen=True, slots=True)
class Game:
    """One game: the label that the file gives (`labelled`: it has such a field; None: its reader found none in the text), and the
    judge's text where it is kept."""

    labelled: bool
    label: Verdict | None
    text: str | None


@dataclass(frozen=True, slots=True)
class Judged:
    """One model's two games on one question; None is a game that was not judged."""

    uid: str
    model: str
    judge: str | None
    baseline: str | None
    category: str | None
    games: tuple[Game | None, Game | None]
    place: Place


def read_arena_questions(paths: Iterable[str | Path]) -> dict[str, Question]:
    """The questions by uid, in file order.

    Raises:
        DataError: a row of another shape, or a uid that is there twice.
    """
    found: dict[str, Question] = {}

    def read(fields: Fields, place: Place) -> None:
        made = _question(fields)
        if made.uid in found:
            raise DataError(f"{made.uid} is there already", field="uid")
        found[made.uid] = made

    for _ in each_row(paths, read):
        pass
    return found


def read_arena_answers(paths: Iterable[str | Path]) -> dict[str, dict[str, Answered]]:
    """The answers by model and uid, in file order.

    Raises:
        DataError: a row of another shape, or a model that answers a question twice.
    """
    found: dict[str, dict[str, Answered]] = {}

    def read(fields: Fields, place: Place) -> None:
        made = _answered(fields)
        if made.uid in found.setdefault(made.model, {}):
            raise DataError(f"{made.model} has answered {made.uid} already", field="uid")
        found[made.model][made.uid] = made

    for _ in each_row(paths, read):
        pass
    return found


def read_arena_judgments(paths: Iterable[str | Path]) -> Iterator[Judged]:
    """All rows of some judgment files (or of a folder of them).

    Raises:
        DataError: a row of another shape, a label that is no verdict, a question that is there twice for one model (of two
            judges: give one judge's files).
    """
    seen: dict[tuple[str, str], Place] = {}

    def read(fields: Fields, place: Place) -> Judged:
        made = _judged(fields, place)
        if (before := seen.setdefault((made.model, made.uid), place)) != place:
            where = f"{before[0]}, row {before[1]}"
            raise DataError(f"{made.model} on {made.uid} is in {where} too; give one judge's files, each once", field="uid")
        return made

    return each_row(paths, read)


def style_of(text: str, tokens: int | None = None) -> Style:
    """An answer's style, counted from its text.

    >>> style_of("# Title\\n\\n- **one**\\n- two\\n```\\n# not a header\\n```", tokens=20)
    Style(tokens=20, headers=1, lists=2, bolds=1, estimated=False)
    """
    headers, lists, bolds = (sum(kinds.values()) for kinds in markdown_counts(text).values())
    return Style(_estimated(text) if tokens is None else tokens, headers, lists, bolds, estimated=tokens is None)


def markdown_counts(text: str) -> dict[str, dict[str, int]]:
    """Headers, list items and bold passages as Arena-Hard's metadata has them; what is in a code block is none.

    >>> markdown_counts("# A\\n- **b**\\n1. c\\n```\\n# d\\n```")["list_count"]
    {'ordered': 1, 'unordered': 1}
    """
    prose = _CODE.sub("``````", text)
    return {name: {kind: len(pattern.findall(prose)) for kind, pattern in kinds.items()} for name, kinds in _MARKDOWN.items()}


def _estimated(text: str) -> int:
    return len(_PIECES.findall(text))


def _question(fields: Fields) -> Question:
    uid, prompt = fields.first("uid", "question_id"), fields.first("prompt")
    if uid is None or not isinstance(prompt, str):
        raise DataError("no such field; a question has uid, category and prompt", field="uid" if uid is None else "prompt")
    sub = fields.first("subcategory", "cluster")
    return Question(str(uid), str(fields.first("category") or "hard_prompt"), None if sub is None else str(sub), prompt)


def _answered(fields: Fields) -> Answered:
    uid, model = fields.first("uid", "question_id"), fields.first("model", "model_id")
    if uid is None or not isinstance(model, str):
        raise DataError("no such field; an answer has uid, model and messages", field="uid" if uid is None else "model")
    text = _text_of(fields)
    if text is None:
        raise DataError("holds no answer; the last message's content is the text, or {answer: text}", field="messages")
    return Answered(str(uid), model, text, _style(Fields(_mapping(fields.first("metadata", "conv_metadata"))), text))


def _text_of(fields: Fields) -> str | None:
    """The last message's text; of older files the first choice's last turn."""
    turns = fields.first("messages")
    if turns is None:
        choices = fields.first("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        turns = first.get("turns") if isinstance(first, dict) else None
    if isinstance(turns, list) and turns and isinstance(turns[-1], dict):
        return _answer_of(turns[-1].get("content"))
    return _answer_of(fields.first("answer", "response", "output"))


def _answer_of(content: Any) -> str | None:
    if isinstance(content, dict):
        content = content.get("answer")
    return content if isinstance(content, str) else None


def _style(metadata: Fields, text: str) -> Style:
    """What the metadata says; single figures that it has not are counted."""
    tokens = _count(metadata.first("token_len", "token_count"))
    counted = style_of(text, tokens)
    headers, lists, bolds = (_count(metadata.first(f"{name}_count", f"{name}s")) for name in ("header", "list", "bold"))
    return Style(
        counted.tokens,
        counted.headers if headers is None else headers,
        counted.lists if lists is None else lists,
        counted.bolds if bolds is None else bolds,
        counted.estimated,
    )


def _count(value: Any) -> int | None:
    """A number, or the sum of an object or a list of numbers ({h1: 2, h2: 1})."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        parts = [_count(part) for part in value]
        return sum(part or 0 for part in parts) if all(part is not None for part in parts) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e12:
        return None
    return int(value)


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _judged(fields: Fields, place: Place) -> Judged:
    uid, model = fields.first("uid", "question_id"), fields.first("model", "model_id")
    if uid is None or not isinstance(model, str):
        raise DataError("no such field; a judgment has uid, model and games", field="uid" if uid is None else "model")
    games = fields.first("games")
    if not isinstance(games, list) or len(games) > 2:
        raise DataError("is not a list of two games", field="games")
    first, second = (_game(games[k]) if k < len(games) else None for k in range(2))
    judge, baseline, category = (
        None if (v := fields.first(name)) is None else str(v) for name in ("judge", "baseline", "category")
    )
    return Judged(str(uid), model, judge, baseline, category, (first, second), place)


def _game(game: Any) -> Game | None:
    if game is None:
        return None
    if not isinstance(game, dict):
        raise DataError("holds a game that is not an object", field="games")
    fields = Fields(game)
    given = fields.first("score", "label")
    if given is not None and not isinstance(given, str):
        raise DataError(f"a game's score is {str(given)[:20]}; it is a label, as A>B", field="games")
    try:
        label = LabelReader().read(given)
    except ValueError as error:
        said = str(error).replace("; say it with --label-map", "; write A>B, A=B or B>A")
        raise DataError(f"a game's score {said}", field="games") from None
    return Game("score" in fields or "label" in fields, label, _answer_of(fields.first("judgment", "text")))
