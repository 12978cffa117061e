"""A run's lists of reasons, and the tags that a tagger has put beside them (tags.jsonl). Tags nothing, asks nobody.

tags.jsonl has a line a game: {"id", "judge", "order", "tagger", "kinds", "flaws", "digest", ...}, in the game's letters;
what failed is in tag_failures.jsonl and in no share.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rationalerm.data.rundir import RunDir
from rationalerm.errors import UsageError
from rationalerm.judge.tagging import FLAWS, KINDS, Tags
from rationalerm.run.store import Game, Key, key_of
from rationalerm.score.rows import GameResult
from rationalerm.score.taxonomy import TaggedList
from rationalerm.types import Verdict

__all__ = [
    "FAILURES",
    "TAGS",
    "TagsRow",
    "ToTag",
    "game_lists",
    "judged_lists",
    "manifest_of",
    "read_tags",
    "tagged_lists",
    "tags_of",
]

TAGS, FAILURES = "tags.jsonl", "tag_failures.jsonl"


class ToTag(NamedTuple):
    """A judge's list in one game, with the game's verdict, both in the game's letters."""

    id: str
    judge: str
    order: str
    reasons: Sequence[str]
    verdict: Verdict | None

    @property
    def key(self) -> Key:
        """What its line is found by."""
        return self.id, self.judge, self.order

    @property
    def digest(self) -> str:
        """Changes with any text, and with the verdict."""
        verdict = "" if self.verdict is None else self.verdict.label
        joined = "\x1e".join((verdict, "\x1f".join(self.reasons)))
        return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:16]


class TagsRow(NamedTuple):
    """A line of tags.jsonl: by which tagger, of which texts (`ToTag.digest`), and the tags."""

    tagger: str
    digest: str
    tags: list[Tags]


def manifest_of(place: str | Path) -> dict[str, Any]:
    """What run.json of a directory says. Raises UsageError where it holds no run."""
    manifest = RunDir.manifest(place)
    if manifest is None or "config" not in manifest:
        raise UsageError(f"{place}: holds no run (no run.json); name a run directory")
    return manifest


def judged_lists(source: str | Path | RunDir) -> Iterator[ToTag]:
    """The lists in a run directory's judgments.jsonl; an answer that failed has none.

    Raises:
        UsageError: no such run.
    """
    if not isinstance(source, RunDir):
        manifest_of(source)
        RunDir.refuse_judges_run(source)
        if not (Path(source) / "judgments.jsonl").is_file():
            raise UsageError(f"{source}: holds no lists to tag; name a run of evaluate or match")
        source = RunDir.opened(source)
    last = {key_of(row): row for row in source.log("judgments.jsonl").rows()}
    for key, row in last.items():
        if row.get("status") != "failed":
            reasons = [reason for reason in row.get("reasons") or () if isinstance(reason, str)]
            verdict = row.get("verdict")
            yield ToTag(*key, reasons, None if verdict is None else Verdict.from_label(verdict))


def game_lists(games: Iterable[Game]) -> Iterator[ToTag]:
    """The lists of games in memory."""
    for game in games:
        if game.judgment.status != "failed":
            yield ToTag(*game.key, game.judgment.reasons, game.judgment.verdict)


def read_tags(source: str | Path | RunDir) -> dict[Key, TagsRow]:
    """What tags.jsonl of a run directory holds of each game; a line that is damaged is left out."""
    rundir = source if isinstance(source, RunDir) else RunDir.opened(source)
    found = {}
    for row in rundir.log(TAGS).rows():
        if (tags := tags_of(row)) is not None:
            found[key_of(row)] = TagsRow(str(row.get("tagger")), str(row.get("digest")), tags)
    return found


def tagged_lists(tags: Mapping[Key, list[Tags] | None], games: Iterable[GameResult]) -> Iterator[TaggedList]:
    """For score/taxonomy.py: tags with what is known of their games. A game that was not to be tagged is left out."""
    for game in games:
        key = game.id, game.judge, game.order
        if key in tags:
            of = tags[key]
            kinds = None if of is None else tuple(one.kind for one in of)
            flaws = () if of is None else tuple(one.flaws for one in of)
            yield TaggedList(game.id, game.judge, game.cluster, game.domain, game.correct, kinds, flaws)


def tags_of(row: Mapping[str, Any]) -> list[Tags] | None:
    """A line's tags; a damaged one is a line to do again."""
    kinds, flaws = row.get("kinds"), row.get("flaws")
    if not isinstance(kinds, list) or not isinstance(flaws, list) or len(kinds) != len(flaws):
        return None
    if not all(kind in KINDS for kind in kinds) or not all(isinstance(of, list) and set(of) <= set(FLAWS) for of in flaws):
        return None
    return [Tags(kind, tuple(of)) for kind, of in zip(kinds, flaws, strict=True)]
