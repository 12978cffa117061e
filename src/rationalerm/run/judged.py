"""What is made of a judge run's answers: its files in the input's order, `pairs.jsonl` for `evaluate`, and the numbers.

Everything here comes from the files of the run directory and the input, so a resumed run ends with the files of one that was
never stopped. Rows stream; in memory are keys, places and a small result a game.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from rationalerm.data import helpsteer3
from rationalerm.data.fields import Fields
from rationalerm.data.pairs import PairFile
from rationalerm.data.rundir import RunDir
from rationalerm.judge.reasons import PROSE
from rationalerm.judge.votes import decide
from rationalerm.llm.meter import Meter
from rationalerm.score.means import Mean
from rationalerm.score.orders import order_effects
from rationalerm.score.rows import GameResult, result
from rationalerm.score.summary import JudgeSummary, summarise
from rationalerm.types import Answer, Judgment, Order, Pair, Verdict, VerdictStatus

__all__ = ["DRAWS", "CallKey", "EachGame", "Judged", "Made", "call_key", "derive", "digest_of", "is_answer"]

CallKey = tuple[str, str, int]  # id, order, vote
EachGame = Callable[[str, Order, Judgment], object]  # a pair's id, which game, what came of its votes in the game's letters
DRAWS = 2000
_STATUSES = get_args(VerdictStatus)
_MEANS = ("outcome_accuracy", "outcome_accuracy_all", "consistent_accuracy")
_COUNTS = (
    "given", "none", "refused", "failed", "judge tie", "human tie", "unlabelled", "no reasons", "prose", "inconsistent",
    "consistent tie", "incomplete pair",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Judged:
    """A finished run. `failures`: failed calls a category; `effects`: of the order (score/orders.py)."""

    name: str
    summary: JudgeSummary
    effects: dict[str, Mean]
    verdicts: dict[str, int]
    failures: dict[str, int]
    calls: int
    prompt_tokens: int
    completion_tokens: int
    bad_rows: int
    left_out: list[str]
    usage: dict[str, Any]
    said: str

    @property
    def failed(self) -> int:
        """Failed calls."""
        return sum(self.failures.values())

    def to_json(self) -> dict[str, Any]:
        """summary.json: what depends on the answers, nothing that depends on how often the run was stopped."""
        out: dict[str, Any] = {
            "judge": self.name,
            "pairs": self.summary.n,
            "games": self.summary.games,
            "bad_rows": self.bad_rows,
        }
        out |= {"left_out": len(self.left_out), "calls": self.calls, "failed_calls": self.failed, "failures": self.failures}
        out |= {"verdicts": self.verdicts, "prompt_tokens": self.prompt_tokens, "completion_tokens": self.completion_tokens}
        for name in _MEANS:
            if name in self.summary.means:
                out |= self.summary.means[name].to_json(name)
        for name, value in self.effects.items():
            out |= value.to_json(name)
        return out | {"counts": {name: self.summary.counts[name] for name in _COUNTS if name in self.summary.counts}}


def call_key(row: Mapping[str, Any]) -> CallKey:
    """What a call's row is found by."""
    vote = row.get("vote", 0)
    return str(row.get("id")), str(row.get("order", "AB")), vote if isinstance(vote, int) else 0


def digest_of(pair: Pair) -> str:
    """Changes with any text that the judge is shown."""
    texts = [*(part for turn in pair.messages for part in (turn.role, turn.content)), pair.response_a, pair.response_b]
    hashed = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        hashed.update(b"%d:" % len(data) + data)
    return hashed.hexdigest()[:16]


def derive(
    rundir: RunDir,
    pairs: PairFile,
    places: Mapping[str, int],
    digests: Mapping[str, str],
    made: Made,
    meter: Meter,
    left_out: list[str],
) -> Judged:
    """Puts the grown files into the input's order, and writes pairs.jsonl and summary.json."""
    answers = rundir.log("judgments.jsonl")
    answers.settle(call_key, lambda key: (places.get(key[0], len(places)), key[1], key[2]))
    made.fail(rundir, places, digests, answers.rows())
    rundir.write_lines("pairs.jsonl", made.rows(pairs, digests, answers.rows()))
    rundir.write_lines("failures.jsonl", _failure_rows(pairs, left_out, made, places))
    judged = Judged(
        name=made.name,
        summary=_summary(made.results, made.name, made.draws),
        effects=order_effects(made.results, made.draws),
        verdicts=made.verdicts(),
        failures=dict(sorted(Counter(str(row.get("category")) for row in made.failed.values()).items())),
        calls=made.calls,
        prompt_tokens=made.tokens[0],
        completion_tokens=made.tokens[1],
        bad_rows=len(pairs.bad),
        left_out=left_out,
        usage=meter.to_json(),
        said=meter.said(),
    )
    rundir.write("summary.json", judged.to_json())
    return judged


def _summary(results: Sequence[GameResult], name: str, draws: int) -> JudgeSummary:
    """As `evaluate` has it, but for what only a matching can say; an answer without reasons is one here too."""
    made = summarise(results, name, by_domain=False, draws=draws)  # a domain each is what `evaluate` shows
    silent = sum(game.verdict_status != "failed" and not game.n_model for game in results)
    return replace(made, counts=made.counts | {"no reasons": silent})


class Made:
    """The third pass: rows of the input with their games.

    Args:
        name: the judge's.
        games_of: a pair's id -> its games.
        votes, top_k: as for the run.
        each: gets every game's answer.
        draws: of the intervals' bootstrap.
    """

    def __init__(
        self,
        name: str,
        games_of: Callable[[str], Sequence[Order]],
        votes: int,
        top_k: int | None,
        each: EachGame | None = None,
        draws: int = DRAWS,
    ) -> None:
        self.name, self.draws = name, draws
        self._games_of, self._votes, self._top_k, self._each = games_of, votes, top_k, each
        self.results: list[GameResult] = []
        self.failed: dict[CallKey, dict[str, Any]] = {}
        self.calls = 0
        self.tokens = [0, 0]

    def fail(self, rundir: RunDir, places: Mapping[str, int], digests: Mapping[str, str], answers: Iterable[Any]) -> None:
        """Reads the current failures: of calls that have no answer to the present texts."""
        failed = [row for row in rundir.log("failures.jsonl").rows() if "category" in row and call_key(row)[0] in places]
        if not failed:
            return
        good = {call_key(row) for row in answers if is_answer(row) and row.get("digest") == digests.get(row["id"])}
        for row in failed:
            key = call_key(row)
            if key not in good and row.get("digest") == digests[key[0]]:
                self.failed[key] = row

    def rows(self, pairs: PairFile, digests: Mapping[str, str], answers: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Each input row with its games; both files are in the same order."""
        row = next(answers, None)
        for pair, value in pairs.rows():
            found: dict[CallKey, dict[str, Any]] = {}
            while row is not None and call_key(row)[0] == pair.id:
                if is_answer(row) and row["digest"] == digests[pair.id]:
                    found[call_key(row)] = row
                row = next(answers, None)
            games = [self._game(pair, order, found) for order in self._games_of(pair.id)]
            yield _with_games(pair, value, self.name, games)

    def verdicts(self) -> dict[str, int]:
        """How often each verdict was given, in the row's letters."""
        counted = Counter(game.verdict for game in self.results)
        return {verdict.label: counted[verdict] for verdict in Verdict} | {"no verdict": counted[None]}

    def _game(self, pair: Pair, order: Order, found: Mapping[CallKey, dict[str, Any]]) -> dict[str, Any]:
        """One game, from its votes; its result is kept."""
        keys = [(pair.id, order, vote) for vote in range(self._votes)]
        rows = [found.get(key) for key in keys]
        self.calls += len(keys)
        for asked in (row or self.failed.get(key, {}) for row, key in zip(rows, keys, strict=True)):
            self.tokens[0] += asked.get("prompt_tokens") or 0
            self.tokens[1] += asked.get("completion_tokens") or 0
        judgments = [None if row is None else _judgment(row) for row in rows]
        vote = decide(judgments)
        failed = next((self.failed[key] for key in keys if key in self.failed), {})
        if vote.speaker is None:
            error = ": ".join(str(failed[name]) for name in ("category", "why") if failed.get(name)) or "no answer"
            game: dict[str, Any] = {"order": order, "error": error}
            judgment = Judgment(None, status="failed", notes=(f"error: {error}",))
        else:
            spoken = judgments[vote.speaker]
            assert spoken is not None
            judgment = replace(spoken, notes=(*spoken.notes, *vote.notes))
            if not vote.counts:
                judgment = replace(judgment, verdict=None, strength=None, status="none")
            game = _game_field(order, judgment, (rows[vote.speaker] or {}) if vote.counts else {}, self._top_k)
        if self._each is not None:
            self._each(pair.id, order, judgment)
        answer = Answer(self.name, order=order)
        unmatched = replace(pair, human_reasons=None)  # no matching here, so no rationale to count
        self.results.append(result(unmatched, answer, judgment, None, scoring="paper", top_k=None))
        return game


def _game_field(order: Order, judgment: Judgment, row: Mapping[str, Any], top_k: int | None) -> dict[str, Any]:
    """A game as the released fields have it. Sentences taken for reasons are left to the reader of the text, who says so, unless
    they had to be cut to K."""
    game: dict[str, Any] = {"order": order, "generated_text": row.get("text")}
    if PROSE not in judgment.notes or not row or len(judgment.reasons) == top_k:
        game["checklist"] = judgment.reasons
    game["label"] = judgment.verdict.label if judgment.verdict is not None else None
    return game | {"finish_reason": row.get("finish_reason"), "notes": judgment.notes}


def is_answer(row: Mapping[str, Any]) -> bool:
    """Is it a whole row of judgments.jsonl? One that somebody damaged is a row to do again."""
    try:
        _judgment(row)
    except (KeyError, ValueError, TypeError, AttributeError):
        return False
    return isinstance(row.get("id"), str) and row.get("status") in _STATUSES and isinstance(row.get("digest"), str)


def _judgment(row: Mapping[str, Any]) -> Judgment:
    verdict = row.get("verdict")
    return Judgment(
        verdict=None if verdict is None else Verdict.from_label(verdict),
        strength=row.get("strength"),
        reasons=tuple(row.get("reasons") or ()),
        status=row["status"],
        notes=tuple(row.get("notes") or ()),
    )


def _with_games(pair: Pair, value: dict[str, Any], name: str, games: list[dict[str, Any]]) -> dict[str, Any]:
    """The row as `evaluate` reads it: with an id that does not change when rows are left out, and the human's field."""
    fields = Fields(value)
    out = value if fields.first("id") not in (None, "") else value | {"id": pair.id}
    if "human-checklist" not in fields and not helpsteer3.is_helpsteer3(fields):
        out = out | {"human-checklist": None}
    return out | {f"{name}-games": games}


def _failure_rows(pairs: PairFile, left_out: list[str], made: Made, places: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    for why in left_out:
        yield {"what": "left out", "why": why}
    for bad in pairs.bad:
        yield {"row": bad.number, "what": "bad row", "why": str(bad.error)}
    for key in sorted(made.failed, key=lambda key: (places[key[0]], key[1], key[2])):
        yield made.failed[key]
