"""A benchmark's data as its protocol: from files that are named, or from the Hub. Asks no judge."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rationalerm.bench.arena_hard import Bout
from rationalerm.bench.arena_style import features
from rationalerm.bench.base import Drawn
from rationalerm.bench.choose import Choice
from rationalerm.bench.helpsteer3 import HelpSteer3
from rationalerm.bench.judgebench import JudgeBench, group_of
from rationalerm.bench.rm_bench import Item, RMBench, domain_of
from rationalerm.data.arena_hard import (
    BASELINES,
    Answered,
    Judged,
    Question,
    read_arena_answers,
    read_arena_questions,
    style_of,
)
from rationalerm.data.datafiles import files_of
from rationalerm.data.judgebench import BenchPair, read_judgebench
from rationalerm.data.pairs import PairFile
from rationalerm.data.rm_bench import RMRow, read_rm_bench
from rationalerm.errors import DataError, UsageError
from rationalerm.types import Message, Pair

if TYPE_CHECKING:
    from rationalerm.data.hub import HubCopy, HubFile

__all__ = [
    "ArenaData",
    "BenchData",
    "arena_bouts",
    "arena_data",
    "arena_from_judgments",
    "helpsteer3",
    "item_of",
    "judgebench",
    "pairs_of",
    "rm_bench",
]

SPLITS = ("gpt", "claude", "both")


@dataclass(frozen=True, slots=True)
class BenchData:
    """Which rows of a benchmark are run.

    Args:
        data: files or folders; none: the Hub's.
        split: JudgeBench's, where the data comes from the Hub: gpt, claude or both.
        choice: domains, a sample, a limit.
        feedback: HelpSteer3's feedback config, joined to the preference rows.
        answers: Arena-Hard's answers of models and baselines, files or folders.
        models: Arena-Hard's models to judge; none: all that answered, but for the baselines.
        fetched: files that came from the Hub, as far as they were read.
    """

    data: tuple[str, ...] = ()
    split: str = "gpt"
    choice: Choice = field(default_factory=Choice)
    feedback: str | None = None
    answers: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    fetched: dict[HubFile, HubCopy] = field(default_factory=dict, compare=False, repr=False)

    def identity(self) -> dict[str, Any]:
        """What makes the rows what they are, for run.json, once they were read: the files' contents, wherever they lie."""
        from_hub = [str(copy.path) for copy in self.fetched.values()]
        return {"data sha256": _digests([*self.data, *from_hub]), "answers sha256": _digests(self.answers)}

    def sources(self) -> dict[str, Any]:
        """Where the rows came from, for run.json and --json: paths, or of the Hub's files commit and checks."""
        hub = [
            {"file": file.name, "revision": file.revision, "commit": copy.commit, "checked": copy.checked}
            for file, copy in self.fetched.items()
        ]
        return {"data": list(self.data), "answers": list(self.answers), "hub": hub}

    def remarks(self) -> list[str]:
        """A line for each file that is not pinned."""
        return [
            f"data: {file.name} of the Hub's branch {file.revision}, commit {copy.commit or 'not stated'}: neither commit nor "
            f"checksum is pinned; checked against {copy.checked}"
            for file, copy in self.fetched.items()
            if len(file.revision) != 40
        ]


@dataclass(frozen=True)
class ArenaData:
    """Arena-Hard's questions (by uid) and answers (by model and uid), as far as they are known."""

    questions: Mapping[str, Question]
    answers: Mapping[str, Mapping[str, Answered]]


def rm_bench(data: BenchData, orders: Drawn = "random", seed: int = 0) -> tuple[RMBench, list[RMRow]]:
    """The protocol over the chosen rows, and all rows.

    Raises:
        DataError, UsageError: data that can't be read, or had; a choice that leaves nothing.
    """
    rows = read_rm_bench(data.data or _hub(data, "rm-bench"))
    kept = data.choice.of(rows, lambda row: row.key, lambda row: (domain_of(row.domain), row.domain))
    return RMBench([item_of(row) for row in kept], orders, seed), rows


def item_of(row: RMRow) -> Item:
    """A row as the protocol has it."""
    return Item(row.key, row.domain, row.prompt, row.chosen, row.rejected)


def judgebench(data: BenchData) -> tuple[JudgeBench, list[BenchPair]]:
    """As `rm_bench`."""
    if data.split not in SPLITS:
        raise UsageError(f"--split is {data.split!r}; one of {', '.join(SPLITS)}")
    names = ("gpt", "claude") if data.split == "both" else (data.split,)
    rows = read_judgebench(data.data or [path for name in names for path in _hub(data, f"judgebench-{name}")])
    kept = data.choice.of(rows, lambda row: row.pair.id, lambda row: (group_of(row.pair.domain or ""), row.pair.domain or ""))
    splits = {row.pair.id: row.written_by.split("-")[0].lower() for row in kept if row.written_by}
    return JudgeBench([row.pair for row in kept], splits), rows


def helpsteer3(data: BenchData, matcher: Any, orders: Drawn = "both", seed: int = 0, **options: Any) -> HelpSteer3:
    """The protocol over the chosen rows of a file of pairs in any shape that `evaluate` reads."""
    from_hub = not data.data
    paths = files_of(data.data or _hub(data, "helpsteer3"))
    feedback = data.feedback or (_hub(data, "helpsteer3-feedback")[0] if from_hub else None)
    pairs = pairs_of([PairFile(path, feedback=feedback, judged=False) for path in paths])
    kept = data.choice.of(pairs, lambda pair: pair.id, lambda pair: (pair.domain or "",))
    return HelpSteer3(kept, matcher, orders, seed, **options)


def pairs_of(files: Sequence[PairFile]) -> list[Pair]:
    """The pairs of all files. Raises DataError for an id that two of them have (rows without one are numbered a file)."""
    pairs: dict[str, Pair] = {}
    for file in files:
        for pair in file:
            if pair.id in pairs:
                raise DataError(
                    f"{pair.id!r} is the id of a row in another file too; give one file", source=file.name, field="id"
                )
            pairs[pair.id] = pair
    return list(pairs.values())


def arena_data(data: BenchData, *, from_hub: bool) -> ArenaData:
    """Questions and answers. `from_hub`: questions and baselines' answers that are not named come from there."""
    if not data.data and not from_hub:
        return ArenaData({}, read_arena_answers(data.answers) if data.answers else {})
    questions = read_arena_questions(data.data or _hub(data, "arena-hard-v2"))
    kept = data.choice.of(
        questions.values(), lambda q: q.uid, lambda q: (q.category, *([q.subcategory] if q.subcategory else []))
    )
    answers: dict[str, dict[str, Answered]] = read_arena_answers(data.answers) if data.answers else {}
    if from_hub:
        for baseline in sorted({_baseline(question.category) for question in kept} - set(answers)):
            answers |= read_arena_answers(_hub_answers(data, baseline))
    return ArenaData({question.uid: question for question in kept}, answers)


def arena_bouts(arena: ArenaData, models: Sequence[str] = ()) -> list[Bout]:
    """What a judge is to play: each model's answers against its category's baseline.

    Raises:
        DataError: a model, or a baseline, that has not answered a question.
    """
    baselines = {_baseline(question.category) for question in arena.questions.values()}
    named = list(models) or [model for model in arena.answers if model not in baselines]
    if missing := [model for model in models if not _answers_of(arena.answers, model)]:
        there = ", ".join(model for model in arena.answers if model not in baselines) or "none but the baselines"
        raise UsageError(f"--models: no answers of {', '.join(missing)}; there are {there}")
    if not named:
        raise UsageError("no model's answers; give them with --answers FILE, or have them made with --policy MODEL")
    return [
        _bout(arena, question, _answer(arena, model, question), _answer(arena, _baseline(question.category), question))
        for model in named
        for question in arena.questions.values()
    ]


def arena_from_judgments(rows: Sequence[Judged], arena: ArenaData, choice: Choice) -> list[Bout]:
    """The bouts of judgments that exist; texts and style where the answers are known."""

    def category(row: Judged) -> str | None:
        known = arena.questions.get(row.uid)
        return row.category or (known.category if known else None)

    rows = [row for row in rows if not arena.questions or row.uid in arena.questions]
    if not arena.questions:  # else the questions are chosen already
        if choice.domains and not any(map(category, rows)):
            raise UsageError("--domains: these judgments name no category; give the questions with --data")
        kept = set(
            choice.of(dict.fromkeys(row.uid for row in rows), str, {r.uid: (category(r) or "",) for r in rows}.__getitem__)
        )
        rows = [row for row in rows if row.uid in kept]
    bouts = []
    for row in rows:
        of = category(row)
        baseline = row.baseline or BASELINES.get(of or "", "baseline")
        mine, theirs = _find(arena.answers, row.model, row.uid), _find(arena.answers, baseline, row.uid)
        question = arena.questions.get(row.uid)
        pair = _pair(row.uid, of, question.prompt if question else None, mine, theirs)
        bouts.append(Bout(row.uid, row.model, baseline, of, pair, *_features(mine, theirs)))
    return bouts


def _bout(arena: ArenaData, question: Question, mine: Answered, theirs: Answered) -> Bout:
    pair = _pair(question.uid, question.category, question.prompt, mine, theirs)
    return Bout(question.uid, mine.model, theirs.model, question.category, pair, *_features(mine, theirs))


def _pair(uid: str, category: str | None, prompt: str | None, mine: Answered | None, theirs: Answered | None) -> Pair:
    return Pair(
        id=uid,
        messages=() if prompt is None else (Message("user", prompt),),
        response_a=theirs.text if theirs and mine else "",
        response_b=mine.text if theirs and mine else "",
        domain=category,
        cluster=uid,
    )


def _features(mine: Answered | None, theirs: Answered | None) -> tuple[tuple[float, float, float, float] | None, bool]:
    """None where an answer is not known. Tokens counted in two ways are not compared: if one is estimated (True), both are."""
    if mine is None or theirs is None:
        return None, False
    if mine.style.estimated or theirs.style.estimated:
        return features(style_of(mine.text), style_of(theirs.text)), True
    return features(mine.style, theirs.style), False


def _answer(arena: ArenaData, model: str, question: Question) -> Answered:
    found = _find(arena.answers, model, question.uid)
    if found is None:
        raise DataError(f"{model} has no answer to {question.uid}; give all answers, or fewer questions", source="--answers")
    return found


def _find(answers: Mapping[str, Mapping[str, Answered]], model: str, uid: str) -> Answered | None:
    of = _answers_of(answers, model)
    return of.get(uid) if of else None


def _answers_of(answers: Mapping[str, Mapping[str, Answered]], model: str) -> Mapping[str, Answered] | None:
    """By the model's whole name, or by the part behind its owner's."""
    return answers.get(model) or answers.get(model.rsplit("/", 1)[-1])


def _baseline(category: str) -> str:
    if (found := BASELINES.get(category)) is None:
        raise DataError(f"no baseline for the category {category!r}; those of Arena-Hard v2 are {', '.join(BASELINES)}")
    return found


def _hub(data: BenchData, name: str) -> list[str]:
    from rationalerm.data.hub import FILES

    return [_fetched(data, FILES[name])]


def _hub_answers(data: BenchData, model: str) -> list[str]:
    from rationalerm.data.hub import arena_hard_answers

    return [_fetched(data, arena_hard_answers(model))]


def _fetched(data: BenchData, file: HubFile) -> str:
    from rationalerm.data.hub import hub_file

    data.fetched[file] = copy = hub_file(file, tell=_say)
    return str(copy.path)


def _digests(paths: Sequence[str]) -> list[str]:
    """The start of each file's SHA-256, sorted; stdin, which can't be read again, by its name."""
    found = []
    for path in files_of(paths) if paths else []:
        if str(path) == "-":
            found.append("-")
            continue
        with Path(path).open("rb") as handle:
            found.append(hashlib.file_digest(handle, "sha256").hexdigest()[:16])
    return sorted(found)


def _say(line: object) -> None:
    print(f"rationalerm: {line}", file=sys.stderr)  # noqa: T201
