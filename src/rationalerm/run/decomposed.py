"""What is made of a decompose run's answers: the input's rows with their lists, in the input's order, and what was left out.

Everything here comes from the run's files and the input, so a resumed run ends with the files of one that was never stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rationalerm.data.fields import Fields
from rationalerm.data.log import write_lines
from rationalerm.data.rundir import RunDir
from rationalerm.data.texts import HUMAN, ProseFile, ProseRow, Text
from rationalerm.llm.meter import Meter

__all__ = ["Decomposed", "Limits", "TextKey", "derive", "text_key"]

TextKey = tuple[str, str, str]  # id, target, order


class Limits(NamedTuple):
    """How many reasons a row may have."""

    least: int = 0
    most: int | None = None

    def allow(self, count: int) -> bool:
        """Is a row with so many kept?"""
        return count >= self.least and (self.most is None or count <= self.most)


@dataclass(frozen=True, slots=True)
class Decomposed:
    """A finished run. `kept` counts reasons; `dropped` remarks by why; `outside` rows that --min or --max left out."""

    rows: int
    written: int
    texts: int
    kept: int
    dropped: dict[str, int]
    outside: int
    empty: int
    failures: dict[str, int]
    bad_rows: int
    prompt_tokens: int
    completion_tokens: int
    usage: dict[str, Any]
    said: str

    @property
    def failed(self) -> int:
        """Texts without an answer that can be read."""
        return sum(self.failures.values())

    def to_json(self) -> dict[str, Any]:
        """For --json."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "said"} | {"failed": self.failed}


def text_key(text: Text | Mapping[str, Any]) -> TextKey:
    """What a text's row is found by."""
    if isinstance(text, Text):
        return text.id, text.target, text.order or ""
    return str(text.get("id")), str(text.get("target")), str(text.get("order") or "")


def derive(rundir: RunDir, path: Path, source: ProseFile, model: str, limits: Limits, meter: Meter) -> Decomposed:
    """Puts the grown file into the input's order, and writes the result and the failures."""
    places: dict[TextKey, int] = {}
    digests: dict[TextKey, str] = {}
    for row in source:
        for text in row.texts:
            places[text_key(text)] = len(places)
            digests[text_key(text)] = text.digest
    answers = rundir.log("rows.jsonl")
    answers.settle(text_key, lambda key: places.get(key, len(places)))
    good = {text_key(row) for row in answers.rows() if row.get("digest") == digests.get(text_key(row))}
    failed = {
        key: row
        for row in rundir.log("failures.jsonl").rows()
        if (key := text_key(row)) in places and key not in good and row.get("digest") == digests[key]
    }
    made = _Made(model, limits, dict(sorted(failed.items(), key=lambda item: places[item[0]])))
    write_lines(path, made.rows(source, answers.rows()))
    rundir.write_lines("failures.jsonl", made.left_out(source))
    return Decomposed(
        rows=made.seen,
        written=made.written,
        texts=len(places),
        kept=made.kept,
        dropped=dict(made.dropped.most_common()),
        outside=len(made.outside),
        empty=made.empty,
        failures=dict(sorted(Counter(str(row.get("category")) for row in failed.values()).items())),
        bad_rows=len(source.bad),
        prompt_tokens=made.tokens[0],
        completion_tokens=made.tokens[1],
        usage=meter.to_json(),
        said=meter.said(),
    )


class _Made:
    """The last pass: rows of the input with their lists."""

    def __init__(self, model: str, limits: Limits, failed: Mapping[TextKey, dict[str, Any]]) -> None:
        self._model, self._limits, self._failed = model, limits, failed
        self.seen = self.written = self.kept = self.empty = 0
        self.dropped: Counter[str] = Counter()
        self.outside: list[dict[str, Any]] = []
        self.tokens = [sum(row.get(name) or 0 for row in failed.values()) for name in ("prompt_tokens", "completion_tokens")]

    def rows(self, source: ProseFile, answers: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Each input row with its lists; both files are in the same order. A row without its human's list is left out."""
        answer = next(answers, None)
        for row in source:
            self.seen += 1
            found: dict[TextKey, dict[str, Any]] = {}
            wanted = {text_key(text): text.digest for text in row.texts}
            while answer is not None and answer.get("id") == row.id:
                if answer.get("digest") == wanted.get(text_key(answer)):
                    found[text_key(answer)] = answer
                answer = next(answers, None)
            for one in found.values():
                self._count(one)
            if (written := self._row(row, source.side, found)) is not None:
                self.written += 1
                yield written

    def left_out(self, source: ProseFile) -> Iterator[dict[str, Any]]:
        """What failures.jsonl lists: bad rows, failed calls, rows outside the limits."""
        for bad in source.bad:
            yield {"row": bad.number, "what": "bad row", "why": str(bad.error)}
        yield from self._failed.values()
        yield from self.outside

    def _row(self, row: ProseRow, side: str, found: Mapping[TextKey, dict[str, Any]]) -> dict[str, Any] | None:
        fields = Fields(row.value)
        value = row.value if fields.first("id") not in (None, "") else row.value | {"id": row.id}
        if side == "human":
            return self._human(row, value, found.get((row.id, HUMAN, "")))
        for text in row.texts:
            answer = found.get(text_key(text))
            if answer is None:  # failed: without a list, an old one too
                value = _without_list(value, text)
            elif text.order is None:
                more = {f"{text.target}-checklist": answer["kept"], f"{text.target}-decomposition": self._how(answer)}
                value = value | {fields.name(name) or name: inner for name, inner in more.items()}
            else:
                value = _with_game(value, text, {"checklist": answer["kept"], "decomposition": self._how(answer)})
        return value

    def _human(self, row: ProseRow, value: dict[str, Any], answer: dict[str, Any] | None) -> dict[str, Any] | None:
        fields = Fields(value)
        name = fields.name("human-checklist") or "human-checklist"
        if not row.texts and fields.first("human-checklist") is not None:  # a list that stays
            kept = fields.first("human-checklist")
        elif not row.texts:  # nobody said anything: nothing to ask about
            self.empty += 1
            kept, value = [], value | {name: []}
        elif answer is None:  # failed
            return None
        else:
            kept, value = answer["kept"], value | {name: answer["kept"], "decomposition": self._how(answer)}
        if isinstance(kept, list) and not self._limits.allow(len(kept)):
            why = f"{len(kept)} reasons, outside --min {self._limits.least} --max {self._limits.most or 'none'}"
            self.outside.append({"id": row.id, "what": "outside the limits", "why": why, "kept": kept})
            return None
        return value

    def _how(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        more = {"notes": answer["notes"]} if answer.get("notes") else {}
        return {"dropped": answer["dropped"], "n": len(answer["kept"]), "prompt": answer["prompt"], "model": self._model} | more

    def _count(self, answer: Mapping[str, Any]) -> None:
        self.kept += len(answer["kept"])
        self.dropped.update(str(item["why"]).lower() for item in answer["dropped"])
        self.tokens[0] += answer.get("prompt_tokens") or 0
        self.tokens[1] += answer.get("completion_tokens") or 0


def _without_list(value: dict[str, Any], text: Text) -> dict[str, Any]:
    """The row without the list that this text was to have."""
    if text.order is not None:
        return _with_game(value, text, {"checklist": None})
    name = Fields(value).name(f"{text.target}-checklist")
    return {key: inner for key, inner in value.items() if key != name}


def _with_game(value: dict[str, Any], text: Text, more: dict[str, Any]) -> dict[str, Any]:
    """The row with more in one of the judge's games."""
    name = Fields(value).name(f"{text.target}-games") or f"{text.target}-games"
    games = []
    for game in value[name]:
        order = "BA" if str(Fields(game).first("order")).lower() in ("ba", "swapped") else "AB"
        games.append(game | more if order == text.order else game)
    return value | {name: games}
