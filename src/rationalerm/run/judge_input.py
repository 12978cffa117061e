"""What a judge run is told: how to ask, and where its pairs come from. Asks nothing."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rationalerm.data.candidates import joined
from rationalerm.data.labels import parse_label_map
from rationalerm.data.orders import Orders
from rationalerm.data.pairs import Columns, PairFile
from rationalerm.data.spool import spooled
from rationalerm.errors import UsageError

__all__ = ["JudgeConfig", "JudgeInput"]


@dataclass(frozen=True, slots=True)
class JudgeConfig:
    """What changes the answers or what is made of them; it goes into run.json, and a resumed run must have the same.

    Args:
        name: the judge's name in the files; None: the model's.
        orders: `both`; `given`: Response 1 as A; `random`: one order a pair, from the seed and its id alone.
        seed: of `random`.
        votes: samples a game.
        top_k: keep only so many of the judge's reasons; None keeps all.
        max_response_chars: cut both responses behind so many characters; None leaves them whole.
        id_field, label_field, label_map: as for `evaluate`.

    Raises:
        UsageError: a value out of range.
    """

    name: str | None = None
    orders: Orders = "both"
    seed: int = 0
    votes: int = 1
    top_k: int | None = None
    max_response_chars: int | None = None
    id_field: str = "id"
    label_field: str | None = None
    label_map: str | None = None

    def __post_init__(self) -> None:
        if self.orders not in ("both", "given", "random"):
            raise UsageError(f"--orders is {self.orders!r}; both, given or random")
        for option, value in (("votes", self.votes), ("top-k", self.top_k), ("max-response-chars", self.max_response_chars)):
            if value is not None and value < 1:
                raise UsageError(f"--{option} is {value}; give 1 or more")
        if self.name is not None and (not self.name.strip() or self.name.lower() == "human"):
            raise UsageError(f"--name is {self.name!r}; a judge needs a name of its own")
        self.columns()

    def columns(self) -> Columns:
        """The fields to read."""
        return Columns(label_field=self.label_field, label_map=parse_label_map(self.label_map), id_field=self.id_field)


@dataclass(frozen=True, slots=True)
class JudgeInput:
    """Where the pairs come from.

    Args:
        path: a file of pairs, or `-`; None with `candidates`.
        candidates: two files of responses.
        response_field: where `candidates` hold their response.
        skip_bad: leave bad rows out and count them, instead of raising.
        limit: at most so many rows.
    """

    path: str | Path | None = None
    candidates: tuple[str | Path, str | Path] | None = None
    response_field: str | None = None
    skip_bad: bool = False
    limit: int | None = None

    def __post_init__(self) -> None:
        if (self.path is None) == (self.candidates is None):
            raise UsageError("give a file of pairs, or two files of responses with --candidates")
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"--limit is {self.limit}; give 1 or more")

    def open(self, stack: ExitStack, config: JudgeConfig) -> tuple[PairFile, list[str]]:
        """The pairs, readable more than once, and what was left out of the candidates."""
        if self.candidates is not None and (config.label_field or config.label_map):
            raise UsageError("--label-field and --label-map go with a file of pairs; candidates have no human's label")
        left_out: list[str] = []
        shown: str | None = None
        if self.candidates is not None:
            first, second = self.candidates
            options: dict[str, Any] = {"id_field": config.id_field, "response_field": self.response_field}
            path, left_out = stack.enter_context(joined(first, second, skip_bad=self.skip_bad, **options))
            shown = f"{first} and {second}"
        else:
            assert self.path is not None
            path = stack.enter_context(spooled(self.path))
            shown = "stdin" if str(self.path) == "-" else None
        columns = config.columns() if self.candidates is None else Columns()  # made pairs have their id in `id`
        return PairFile(path, columns, skip_bad=self.skip_bad, limit=self.limit, judged=False, shown=shown), left_out

    def to_json(self) -> dict[str, Any]:
        """For run.json: resolved paths, so that the same folder is not resumed for another file."""
        if self.candidates is not None:
            return {"candidates": [_resolved(path) for path in self.candidates]}
        return {"input": "stdin" if str(self.path) == "-" else _resolved(self.path or "")}


def _resolved(path: str | Path) -> str:
    return str(Path(path).resolve()).encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # it need not be UTF-8
