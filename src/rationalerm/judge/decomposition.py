"""Prose into atomic reasons by a model: the question (method.md section 2.1), and its answer read. Sends nothing; knows no file.

The answer is one RESULT block of lines `- KEEP: reason` and `- DROP (why): remark`. Read as the other answers are: thinking is
left out, the last complete block counts, odd bullets, bold and JSON (`{"kept": [...], "dropped": [{"text", "why"}]}`) pass. An
answer that is no such list is a ParseError, so that it is asked for again; a list with nothing kept is a good answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rationalerm.data.sides import sub_explicit
from rationalerm.errors import ParseError
from rationalerm.judge.asking import NOT_GIVEN, conversation
from rationalerm.judge.clean import fold, tidy, unfence
from rationalerm.judge.fence import fenced, mark_of
from rationalerm.judge.jsontext import json_value
from rationalerm.judge.reasons import result_block, result_markers
from rationalerm.judge.thinking import strip_thinking
from rationalerm.llm.question import Question, Reply
from rationalerm.prompts import load
from rationalerm.types import Message

__all__ = ["Decomposition", "Dropped", "Passage", "Side", "decompose_question", "parse_decomposition"]

Side = Literal["human", "judge"]

_PLACES: dict[Side, tuple[str, str]] = {"human": ("response_1", "response_2"), "judge": ("response_a", "response_b")}
_NAMES: dict[Side, dict[str, str]] = {
    "human": {"A": "1", "a": "1", "B": "2", "b": "2"},
    "judge": {"1": "A", "a": "A", "2": "B", "b": "B"},
}
_BULLET = r"(?:> ?){0,3}(?:[-*•–—+]|\d{1,4}[.)])? ?[*_`]{0,3}"
_ITEM = re.compile(  # of a line with single spaces
    rf"{_BULLET}(?:(KEEP|KEPT)|(DROP(?:PED)?))[*_`]{{0,3}} ?(?:[(\[]([^()\[\]\n]{{0,200}})[)\]])?[*_`]{{0,3}}"
    r"(?: ?[:：]| [-–—] )(?:[*_`]{1,3}(?= |$))? ?(.*)$",
    re.I,
)
_LIKE = re.compile(r"(?:> ?){0,3}(?:[-*•–—+]|\d{1,4}[.)]) \S")
_NOTHING = re.compile(r"(?i)[\s\-*•.()\[\]<]*(?:none|nothing(?: kept| to keep)?|no reasons?|empty|n/a)[\s.)\]>]*")
_WHYS = r"vague|neutral|verdict|duplicat|contradict|not about|prais|subjectiv|detail"
_WHY_BEHIND = re.compile(rf"(?i)\s*[(\[]([^()\[\]]{{0,40}}(?:{_WHYS})[^()\[\]]{{0,60}})[)\]]\s*$")
_AT = re.compile(r"(?<!\w)@(?=[Rr]esponse)")
_EXAMPLES = frozenset({"the reason", "the remark, in the words of the text"})  # the prompt's own lines, sent back
_MOST = 500  # items; no feedback holds so many points
_QUOTED = 100
_LIMIT, _EXPECTED = 4096, 300  # tokens of an answer


class Passage(NamedTuple):
    """A piece of the prose, and what it is: a comparison, a comment on Response 1."""

    title: str
    text: str


class Dropped(NamedTuple):
    """A remark that is no atomic reason, and why."""

    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Decomposition:
    """What a text came to."""

    kept: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()


def decompose_question(
    side: Side, passages: Sequence[Passage], turns: Sequence[Message] = (), responses: tuple[str, str] = ("", "")
) -> Question[Decomposition]:
    """The question for one text.

    Args:
        side: whose the text is; human atoms speak of Response 1 and 2, a judge's of Response A and B.
        passages: the text; several are put one after the other, each under its title.
        turns: the conversation, where there is one.
        responses: as the writer saw them, first and second.
    """
    prompt = load(f"decompose_{side}")
    mark = mark_of([*(passage.text for passage in passages), *responses, *(turn.content for turn in turns)])
    first, second = _PLACES[side]
    parts = {
        "mark": mark,
        "conversation": conversation(turns, mark),
        first: fenced(responses[0]) or NOT_GIVEN,
        second: fenced(responses[1]) or NOT_GIVEN,
        "text": _passages(passages, mark),
    }

    def read(reply: Reply) -> Decomposition:
        return parse_decomposition(reply.text or "", side)

    return Question(prompt.fill(**parts), prompt.version, read, limit=_LIMIT, again=_again, expected_tokens=_EXPECTED)


def parse_decomposition(text: str, side: Side = "human") -> Decomposition:
    """Reads an answer.

    Raises:
        ParseError: no list in it, or, in a list with marks, a line that is neither kept nor dropped.

    >>> parse_decomposition("<RESULT_START>\\n- KEEP: @Response A is 20 words too long.\\n- DROP (vague): nice\\n<RESULT_END>")
    Decomposition(kept=('Response 1 is 20 words too long.',), dropped=(Dropped(text='nice', why='vague'),), notes=())
    """
    answer, notes = strip_thinking(unfence(tidy(text)))
    if not answer.strip():
        raise ParseError("the answer is empty")
    block = _block(answer)
    if block is None:
        notes = (*notes, "no RESULT block")
    body = answer if block is None else block
    items = _from_json(body)
    if items is None and (items := _plain_list(body)) is not None:
        notes = (*notes, "plain list: all kept")
    if items is None:
        items = _lines(body, strict=block is not None)
        if not items and block is None:
            raise ParseError("no RESULT block; answer with one from <RESULT_START> to <RESULT_END>")
    return _settled(items, side, notes)


def _again(problem: str) -> str:
    return load("decompose_again").fill(problem=fenced(fold(problem)))[0].content


def _passages(passages: Sequence[Passage], mark: str) -> str:
    if len(passages) == 1 and not passages[0].title:
        return fenced(passages[0].text)
    return "\n".join(f"===== {passage.title} {mark} =====\n{fenced(passage.text)}" for passage in passages)


def _block(answer: str) -> str | None:
    """The inside of the last complete block. Raises ParseError where one was begun and not ended: its last line may be cut."""
    block, opened = result_block(answer)
    if block is not None and opened and not any(not opens for _, _, opens in result_markers(answer)):
        raise ParseError("no <RESULT_END>: the answer may be cut off")
    return block


def _lines(block: str, *, strict: bool) -> list[tuple[str, str | None]]:
    """(text, why) of each line; why None = kept. Not strict: lines that are no items are the answer's other words."""
    found: list[tuple[str, str | None]] = []
    lines = block.split("\n")
    if len(lines) > 10 * _MOST:
        raise ParseError(f"{len(lines)} lines; no text holds so many reasons")
    for line in map(fold, lines):
        if not line or line.startswith("```"):
            continue
        if match := _ITEM.match(line):
            found.append(_item(match))
            if len(found) > _MOST:
                raise ParseError(f"more than {_MOST} lines")
        elif _NOTHING.fullmatch(line) or (not found and line.endswith(":")):
            continue
        elif strict and (_LIKE.match(line) or not found):
            raise ParseError(f"neither KEEP nor DROP: {line[:_QUOTED]!r}; write `- KEEP: ...` or `- DROP (why): ...`")
        elif strict:  # a reason that goes on in the next line
            found[-1] = (f"{found[-1][0]} {line}", found[-1][1])
    return found


def _plain_list(text: str) -> list[tuple[str, str | None]] | None:
    """A list of items only, none of them marked (a model that forgot KEEP, and left the rest out); None for anything else."""
    found: list[tuple[str, str | None]] = []
    for line in map(fold, text.split("\n")):
        if not line or line.startswith("```") or (not found and line.endswith(":")):
            continue
        if _ITEM.match(line) or not (bullet := _LIKE.match(line)) or _NOTHING.fullmatch(line):
            return None
        found.append((line[bullet.end() - 1 :], None))
    return found if 0 < len(found) <= _MOST else None


def _item(match: re.Match[str]) -> tuple[str, str | None]:
    keep, _, why, text = match.groups()
    text = text.strip()
    if text.count("**") % 2:  # `- **KEEP: text**`
        text = text.removesuffix("**").strip()
    if keep:
        return ("" if _NOTHING.fullmatch(text) else text), None
    if not why and (behind := _WHY_BEHIND.search(text)):
        text, why = text[: behind.start()], behind[1]
    return text, (why or "").strip() or "not said"


def _from_json(answer: str) -> list[tuple[str, str | None]] | None:
    value = json_value(answer)
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return [(str(item), None) for item in value]
    if not isinstance(value, dict):
        return None
    fields = {str(key).lower(): inner for key, inner in value.items()}
    kept = next((fields[name] for name in ("kept", "keep", "reasons", "checklist", "atoms") if name in fields), None)
    if not isinstance(kept, list):
        return None
    lists = (fields.get(name) for name in ("dropped", "drop", "ignored"))
    dropped: list[Any] = next((found for found in lists if isinstance(found, list)), [])
    items: list[tuple[str, str | None]] = [(_text_of(item)[0], None) for item in kept]
    return items + [(text, why or "not said") for text, why in map(_text_of, dropped)]


def _text_of(item: Any) -> tuple[str, str]:
    """A JSON item's text, and why it was left out."""
    if isinstance(item, str):
        return item, ""
    if isinstance(item, list) and len(item) == 2 and all(isinstance(part, str) for part in item):
        return item[0], item[1]
    if isinstance(item, dict):
        fields = {str(key).lower(): inner for key, inner in item.items() if isinstance(inner, str)}
        text = next((fields[name] for name in ("text", "reason", "remark", "atom", "point") if name in fields), None)
        if text is not None:
            given = ("why", "because", "cause", "reason") if fields.get("reason") != text else ("why", "because", "cause")
            return text, next((fields[name] for name in given if name in fields), "")
    raise ParseError(f"not an item: {repr(item)[:_QUOTED]}; it must be a string, or an object with text and why")


def _settled(items: Sequence[tuple[str, str | None]], side: Side, notes: tuple[str, ...]) -> Decomposition:
    """Sides named as the released data names them, exact repeats once."""
    kept: dict[str, str] = {}
    dropped: list[Dropped] = []
    for raw, why in items:
        text = fold(raw)
        if text.lower() in _EXAMPLES:
            raise ParseError(f"{text!r} is the form's own line; put the text's reasons there")
        if not text or (why is None and not any(c.isalnum() for c in text)):
            continue
        named = sub_explicit(lambda mention: _named(mention, side), _AT.sub("", text))
        if why is not None:
            dropped.append(Dropped(text, fold(why)))
        elif kept.setdefault(named.casefold(), named) is not named:
            dropped.append(Dropped(named, "duplicate"))
    return Decomposition(tuple(kept.values()), tuple(dropped), notes)


def _named(mention: re.Match[str], side: Side) -> str:
    """`Response A` -> `Response 1` for the human side, the other way round for a judge's; other mentions stay as they are."""
    head = mention["head"]
    if not head or head.lower() not in ("response", "responses") or mention["label"].lower() in ("one", "two"):
        return mention[0]
    names = _NAMES[side]
    rest = mention[0][len(head) :]
    labels = re.sub(r"(?<!\w)[12ABab](?!\w)", lambda label: names.get(label[0], label[0]), rest)
    return head + labels
