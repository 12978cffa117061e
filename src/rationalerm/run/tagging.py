"""Tags for the reasons of a run's games: by the rules at once, by a model over an endpoint with the cache, a budget and resume.

Resume = the same call again: lists that the same tagger has tagged and that
have not changed are kept. Nothing here says what a kind is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rationalerm.data.rundir import RunDir
from rationalerm.judge.tag_asking import LLMTagger, tag_question
from rationalerm.judge.tagging import RuleTagger, Tags
from rationalerm.llm.client import Chat
from rationalerm.llm.meter import Meter, estimated_tokens
from rationalerm.llm.question import Outcome
from rationalerm.llm.sweep import sweep
from rationalerm.run.forecast import Forecast
from rationalerm.run.live import Live
from rationalerm.run.progress import say
from rationalerm.run.session import run_chat, run_logged
from rationalerm.run.store import Key, key_of
from rationalerm.run.tags import FAILURES, TAGS, ToTag, judged_lists, manifest_of, read_tags, tags_of
from rationalerm.run.writer import Writer

__all__ = ["Tagged", "forecast_tags", "tag_rows"]

Tagger = RuleTagger | LLMTagger


@dataclass(frozen=True, slots=True)
class Tagged:
    """What tagging came to. `tags`: of each game, None where it failed; `failures`: how many, by category; `kept`: lists that
    were on disk already; `meter`: what the endpoint was used for."""

    tagger: str
    tags: Mapping[Key, list[Tags] | None]
    failures: Mapping[str, int] = field(default_factory=dict)
    kept: int = 0
    meter: Meter | None = None


def tag_rows(
    source: str | Path | RunDir | Iterable[ToTag],
    tagger: Tagger,
    out: str | Path | RunDir | None = None,
    *,
    progress: bool = False,
) -> Tagged:
    """Tags every list.

    Args:
        source: a run directory (its judgments.jsonl), or the lists, an id, judge and order once.
        tagger: the rules, or a model.
        out: where tags.jsonl is, a run directory that is there; None: in `source` if that is one, else nowhere. A path is locked
            while it is written; an open RunDir is the caller's.
        progress: shown on stderr while a model is asked.

    Raises:
        UsageError: no such run.
        ResumeError: another run is writing there.
        StoppedError: the endpoint or the budget ended it; what is finished is on disk.
    """
    place = source if out is None and isinstance(source, str | Path | RunDir) else out
    lists = judged_lists(source) if isinstance(source, str | Path | RunDir) else source
    if isinstance(place, str | Path):
        manifest = manifest_of(place)
        with RunDir(place, manifest, finished=str(manifest.get("finished", "matches.jsonl"))) as rundir:
            return _Run(list(lists), tagger, rundir).all(progress)
    return _Run(list(lists), tagger, place).all(progress)


def forecast_tags(sources: Iterable[str | Path], tagger: LLMTagger) -> Forecast:
    """What tagging run directories would ask at most, without asking: for --dry-run. Writes nothing."""
    lists = calls = prompt = answers = 0
    for source in sources:
        known = read_tags(source)
        for one in judged_lists(source):
            lists += 1
            found = known.get(one.key)
            if not one.reasons or (found is not None and (found.tagger, found.digest) == (tagger.version, one.digest)):
                continue
            question = tag_question(one.reasons, one.verdict)
            calls += 1
            prompt += estimated_tokens(sum(len(message.content) for message in question.messages))
            answers += question.expected_tokens
    prices = tagger.settings.prices
    return Forecast(lists, calls, prompt, answers, prices.cost(prompt, answers) if prices else None)


class _Run:
    """One tagging of all lists."""

    def __init__(self, lists: Sequence[ToTag], tagger: Tagger, rundir: RunDir | None) -> None:
        self._lists, self._tagger, self._version, self._rundir = lists, tagger, tagger.version, rundir
        self._log = rundir.log(TAGS) if rundir else None
        self._failed = rundir.log(FAILURES) if rundir else None
        self._found: dict[Key, list[Tags] | None] = {}
        self._failures: Counter[str] = Counter()
        self._finish_from_disk()

    def _finish_from_disk(self) -> None:
        if self._log is None:
            return
        wanted = {one.key: one.digest for one in self._lists}
        for row in self._log.rows():
            same = row.get("tagger") == self._version and row.get("digest") == wanted.get(key_of(row))
            if same and (tags := tags_of(row)) is not None:
                self._found[key_of(row)] = tags
        for line in self._log.complaints():
            say(line)

    def all(self, progress: bool) -> Tagged:
        """Tags what is left, and leaves one line a game, in order, so that a resumed run's file is that of an unbroken one."""
        kept = len(self._found)
        todo = [one for one in self._lists if one.key not in self._found]
        try:
            meter = None
            if isinstance(self._tagger, LLMTagger):
                meter = self._ask(self._tagger, todo, progress)
            else:
                self._tag(self._tagger, todo)
        finally:
            for log in (self._log, self._failed):
                if log is not None:
                    log.close()
        self._settle()
        tags = {one.key: self._found.get(one.key) for one in self._lists}
        return Tagged(self._version, tags, dict(self._failures), kept, meter)

    def _tag(self, tagger: RuleTagger, todo: Sequence[ToTag]) -> None:
        for one in todo:
            self._found[one.key] = tagger.tag(one.reasons, one.verdict)
        if self._log is not None:
            self._log.add(self._row(one) for one in todo)

    def _ask(self, tagger: LLMTagger, todo: Sequence[ToTag], progress: bool) -> Meter | None:
        empty = [one for one in todo if not one.reasons]  # nothing to ask about
        self._found |= {one.key: [] for one in empty}
        if self._log is not None:
            self._log.add(self._row(one) for one in empty)
        todo = [one for one in todo if one.reasons]
        if not todo:
            return None
        shown: dict[str, Any] = {"what": "lists", "total": len(todo), "show": progress}
        if self._rundir is None or self._log is None or self._failed is None:
            return run_chat(tagger.settings, lambda chat, live: self._sweep(chat, live, None, todo), **shown)[1]
        usage = self._rundir.log("usage.jsonl")
        return run_logged(
            tagger.settings,
            lambda chat, live, writer: self._sweep(chat, live, writer, todo),
            (self._log, self._failed),
            usage=usage,
            **shown,
        )

    async def _sweep(self, chat: Chat, live: Live, writer: Writer | None, todo: Sequence[ToTag]) -> None:
        async def work(one: ToTag) -> None:
            outcome = await chat.ask(tag_question(one.reasons, one.verdict))
            if outcome.value is None:
                self._failures[outcome.failure or "failed"] += 1
            else:
                self._found[one.key] = outcome.value
            if writer is not None and self._log is not None and self._failed is not None:
                failed = outcome.value is None
                writer.put(
                    self._failed if failed else self._log, self._failure(one, outcome) if failed else self._row(one, outcome)
                )
            live.done(failed=outcome.value is None)

        await sweep(todo, work, min(len(todo), chat.limits.concurrency))

    def _row(self, one: ToTag, outcome: Outcome[Any] | None = None) -> dict[str, Any]:
        tags = self._found[one.key] or []
        row = self._named(one) | {
            "kinds": [tag.kind for tag in tags],
            "flaws": [list(tag.flaws) for tag in tags],
            "digest": one.digest,
        }
        return row if outcome is None else row | _used(outcome)

    def _failure(self, one: ToTag, outcome: Outcome[Any]) -> dict[str, Any]:
        said = {
            "what": "tagger failed",
            "category": outcome.failure,
            "why": outcome.detail,
            "finish_reason": outcome.finish_reason,
        }
        return self._named(one) | said | {"digest": one.digest} | _used(outcome) | {"raw": outcome.raw}

    def _named(self, one: ToTag) -> dict[str, Any]:
        return {"id": one.id, "judge": one.judge, "order": one.order, "tagger": self._version}

    def _settle(self) -> None:
        """One current line a game in both files; a game that has been tagged has failed no more."""
        if self._rundir is None or self._log is None or self._failed is None:
            return
        place = {one.key: number for number, one in enumerate(self._lists)}
        self._log.settle(key_of, lambda key: place.get(key, len(place)))
        left = {
            key_of(row): row
            for row in self._failed.rows()
            if key_of(row) in place and key_of(row) not in self._found and row.get("tagger") == self._version
        }
        if left or self._failed.path.exists():
            self._rundir.write_lines(FAILURES, (left[key] for key in sorted(left, key=lambda key: place[key])))


def _used(outcome: Outcome[Any]) -> dict[str, int]:
    return {"calls": outcome.calls, "prompt_tokens": outcome.prompt_tokens, "completion_tokens": outcome.completion_tokens}
