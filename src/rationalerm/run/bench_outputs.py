"""`--judge file`: results that exist already, in the shapes of the benchmarks' own tools or by id, as a protocol's games.

A verdict that a file gives is taken as it is; a text without one goes through the one parser, and with `reparse` every text does,
and the games in which the two differ are listed. Asks no judge.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rationalerm.bench.base import VERDICT_ONLY, Contest, Played
from rationalerm.data.arena_hard import Game, Judged
from rationalerm.data.by_id import Given, read_by_id
from rationalerm.data.judgebench import JudgedPair, Output, read_judgebench_outputs
from rationalerm.data.rm_bench import RMRow, RMScores, read_rm_scores
from rationalerm.errors import DataError
from rationalerm.judge.answers import read_answer
from rationalerm.judge.parse import parse_judgment
from rationalerm.types import Answer, Judgment, Order, Pair, Verdict

__all__ = ["ORDERS", "Outputs", "arena_outputs", "by_id_outputs", "judgebench_outputs", "rm_bench_outputs"]

ORDERS: tuple[Order, Order] = ("AB", "BA")


@dataclass
class Outputs:
    """What a judge's files hold.

    Attributes:
        games, scores: as a protocol takes them; one of the two is empty.
        read: texts that went through the parser beside a verdict of the file's.
        differences: of those, the games in which the parser's verdict is another side: one row each.
        outside: results of rows that the data has and this run leaves out.
    """

    games: dict[tuple[str, Order], Played] = field(default_factory=dict)
    scores: dict[str, float | None] = field(default_factory=dict)
    read: int = 0
    differences: list[dict[str, Any]] = field(default_factory=list)
    outside: int = 0

    def orders(self) -> dict[str, tuple[Order, ...]]:
        """Which games there are of each contest."""
        found: dict[str, tuple[Order, ...]] = {}
        for key, order in self.games:
            found[key] = tuple(sorted({*found.get(key, ()), order}))
        return found

    def add(
        self, key: str, order: Order, given: Judgment | None, text: str | None, pair: Pair, *, reparse: bool, reasons: bool
    ) -> None:
        """A game of which the file gives a verdict (or None within a judgment: that there is none), a text, or both."""
        parsed = None
        if text is not None and (given is None or reparse or reasons):
            parsed = parse_judgment(text, (pair.response_a, pair.response_b) if pair.response_a else ())
        if given is not None and parsed is not None and reparse:
            self.read += 1
            if _side(given.verdict) != _side(parsed.verdict):
                self.differences.append(_difference(key, order, given.verdict, parsed))
        if given is None or (reparse and parsed is not None):
            made = Played.of(parsed) if parsed is not None else Played(None, "failed", notes=("no text",))
        elif parsed is not None:
            made = Played(given.verdict, given.status, parsed.reasons, given.notes)
        else:
            made = Played(given.verdict, given.status, notes=(*given.notes, VERDICT_ONLY))
        self.games[key, order] = made


def judgebench_outputs(
    files: Sequence[str | Path],
    contests: Mapping[str, Contest],
    known: Collection[str],
    *,
    reparse: bool = False,
    reasons: bool = False,
) -> Outputs:
    """Files in JudgeBench's own shape.

    Args:
        files: of one judge.
        contests: those of this run, by pair_id.
        known: the pair_ids of the whole data.
        reparse, reasons: see the module, and whether reasons are kept.

    Raises:
        DataError: a pair that the data has not.
    """
    out = Outputs()
    for judged in read_judgebench_outputs(*files):
        if judged.pair_id not in contests:
            out.outside += _outside(judged.pair_id, known, *judged.place, "pair_id")
            continue
        _add_pair(out, judged, contests[judged.pair_id].pair, reparse=reparse, reasons=reasons)
    return out


def arena_outputs(
    rows: Iterable[Judged],
    contests: Mapping[str, Contest],
    known: Collection[str] | None = None,
    *,
    reparse: bool = False,
    reasons: bool = False,
) -> Outputs:
    """Arena-Hard's judgments; `contests` by MODEL:UID; `known`: the uids of the whole data, None where no questions are given.

    Raises:
        DataError: a question that the data has not.
    """
    out = Outputs()
    for judged in rows:
        contest = contests.get(f"{judged.model}:{judged.uid}")
        if contest is None:
            out.outside += 1 if known is None else _outside(judged.uid, known, *judged.place, "uid")
            continue
        for order, game in zip(ORDERS, judged.games, strict=True):
            if game is None:
                out.games[contest.id, order] = Played(None, "failed", notes=("no game",))
            else:
                out.add(contest.id, order, _labelled(game), game.text, contest.pair, reparse=reparse, reasons=reasons)
    return out


def rm_bench_outputs(files: Sequence[str | Path], rows: Sequence[RMRow], kept: Collection[str]) -> Outputs:
    """Files of RM-Bench scores.

    Args:
        files: of one judge.
        rows: the whole data's.
        kept: keys of the rows of this run.

    Raises:
        DataError: a row that the data has not, has twice, or that is there twice.
    """
    out = Outputs()
    find = _Finder(rows)
    seen: dict[str, tuple[str, int]] = {}
    for made in read_rm_scores(files):
        row = find(made)
        if (before := seen.setdefault(row.key, made.place)) != made.place:
            raise DataError(f"the same row as row {before[1]} of {before[0]}", source=made.place[0], row=made.place[1])
        if row.key not in kept:
            out.outside += 1
            continue
        for kind, scores in (("chosen", made.chosen), ("rejected", made.rejected)):
            out.scores |= {f"{row.key}:{kind}-{i}": score for i, score in enumerate(scores)}
        for i, line in enumerate(made.lead):
            for j, lead in enumerate(line):
                out.games[f"{row.key}:{i}-{j}", "AB"] = Played.of_scores(lead, 0.0)
    if out.scores and out.games:
        raise DataError("has scores in some rows and comparisons in others; give one kind", source=_all(files))
    return out


def by_id_outputs(
    files: Sequence[str | Path],
    contests: Mapping[str, Contest],
    candidates: Collection[str],
    aliases: Mapping[str, str],
    known: Collection[str],
) -> Outputs:
    """Plain results by id: verdicts, labels or texts of contests, or scores of candidates.

    Args:
        files: of one judge.
        contests: those of this run, by id.
        candidates: ids of this run's responses.
        aliases: other names of contests and candidates.
        known: ids of the whole data, that a choice may have left out.

    Raises:
        DataError: an id that the data has not, or that is there twice under two names; a score of a comparison, or a verdict of
            one response; scores and verdicts in one file.
    """
    out = Outputs()
    seen: dict[tuple[str, Order], Given] = {}
    for given in read_by_id(files):
        key = aliases.get(given.id, given.id)
        if (before := seen.setdefault((key, given.order), given)) is not given:
            said = f"is {before.id!r} of {before.place[0]}, row {before.place[1]}, again"
            raise DataError(f"{given.id!r} {said}", source=given.place[0], row=given.place[1], field="id")
        bare = not given.labelled and given.text is None and (given.scored or key in candidates)
        if key in (contests if bare else candidates):
            said = "names a comparison, which has no score" if bare else "names one response, which has a score, not a verdict"
            raise DataError(f"{given.id!r} {said}", source=given.place[0], row=given.place[1], field="id")
        if key not in (candidates if bare else contests):
            out.outside += _outside(key, known, given.place[0], given.place[1], "id")
        elif bare:
            out.scores[key] = given.score
        else:
            out.games[key, given.order] = _played(given, contests[key].pair)
    if out.scores and out.games:
        raise DataError("has scores in some rows and verdicts in others; give one kind", source=_all(files))
    return out


def _add_pair(out: Outputs, judged: JudgedPair, pair: Pair, *, reparse: bool, reasons: bool) -> None:
    for order, game in zip(ORDERS, judged.games, strict=False):
        if game is None:
            out.games[judged.pair_id, order] = Played(None, "failed", notes=("no game",))
        elif game.decided or game.text is not None:
            out.add(judged.pair_id, order, _decided(game), game.text, pair, reparse=reparse, reasons=reasons)
        else:
            out.games[judged.pair_id, order] = Played.of_scores(*(game.scores or (None, None)))


def _decided(game: Output) -> Judgment | None:
    if not game.decided:
        return None
    return Judgment(game.decision, None, (), "none" if game.decision is None else "given", ("rule: decision field",))


def _labelled(game: Game) -> Judgment | None:
    if not game.labelled:
        return None
    return Judgment(game.label, None, (), "none" if game.label is None else "given", ("rule: score field",))


def _played(given: Given, pair: Pair) -> Played:
    """Text before label, as everywhere; the label's null is no verdict."""
    answer = Answer("judge", given.text, given.reasons, given.label, given.order, given.finish_reason, given.error)
    if given.scored and given.score is None and not given.labelled and given.text is None:
        return Played(None, "failed", notes=("no score",))
    if given.text is None and given.labelled and given.label is None and given.error is None:
        return Played(None, "none", given.reasons or (), ("rule: label field",))
    made = Played.of(read_answer(answer, pair))
    return made if given.text is not None or given.reasons is not None else replace(made, notes=(*made.notes, VERDICT_ONLY))


def _all(files: Sequence[str | Path]) -> str:
    return ", ".join(map(str, files))


def _side(verdict: Verdict | None) -> int | None:
    return None if verdict is None else verdict.side


def _difference(key: str, order: Order, given: Verdict | None, parsed: Judgment) -> dict[str, Any]:
    return {
        "id": key,
        "order": order,
        "file": None if given is None else given.label,
        "parsed": None if parsed.verdict is None else parsed.verdict.label,
        "status": parsed.status,
        "notes": list(parsed.notes),
    }


def _outside(key: str, known: Collection[str], source: str, row: int, name: str) -> int:
    """1 for a row that this run leaves out. Raises DataError for one that the data has not."""
    if key in known:
        return 1
    raise DataError(
        f"{key!r} is not in the data; are these outputs of another split or benchmark?", source=source, row=row, field=name
    )


class _Finder:
    """A row of scores to its row of the data: by domain and id, by an id that is there once, or by the prompt."""

    def __init__(self, rows: Sequence[RMRow]) -> None:
        self._by_key = {(row.domain, row.id): row for row in rows}
        self._by_id: dict[str, list[RMRow]] = {}
        self._by_prompt: dict[str, list[RMRow]] = {}
        for row in rows:
            self._by_id.setdefault(row.id, []).append(row)
            self._by_prompt.setdefault(row.prompt, []).append(row)

    def __call__(self, made: RMScores) -> RMRow:
        if made.domain is not None and made.id is not None and (made.domain, made.id) in self._by_key:
            found = [self._by_key[made.domain, made.id]]
        else:
            found = self._by_id.get(made.id, []) if made.id is not None else []
        if made.prompt is not None:
            named, found = found, [row for row in found or self._by_prompt.get(made.prompt, []) if _same(row.prompt, made.prompt)]
            if named and not found:  # the numbers are of another text: another version of the data, or rows out of step
                said = f"is another text than that of {named[0].key} in the data; are these scores of other rows?"
                raise DataError(said, source=made.place[0], row=made.place[1], field="prompt")
        if len(found) == 1:
            return found[0]
        why = "is not in the data" if not found else "is in more than one domain; add the field domain or prompt"
        raise DataError(f"{made.id!r} {why}", source=made.place[0], row=made.place[1], field="id")


def _same(one: str, other: str) -> bool:
    """The same text; tools strip and re-wrap, which changes no word."""
    return one == other or one.split() == other.split()
