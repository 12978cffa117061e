"""Kinds and flaws of the reasons: of tags.jsonl where a tagger has been over the run, else by the rules as rows pass by."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from rationalerm.judge.tagging import RuleTagger, Tags
from rationalerm.run.reporting.joined import JudgeOfRun, PairKey, Row, key_of_pair, sample_of
from rationalerm.run.reporting.loaded import Detail, Loaded
from rationalerm.run.tags import TAGS, ToTag, read_tags
from rationalerm.score.outcome import in_row_order
from rationalerm.score.taxonomy import TaggedList, taxonomy

__all__ = ["Kinds"]

# perf/tags.py, on lists that the rules were not fitted on; docs/taxonomy.md
AGREEMENT = "kappa .63 [.52, .73] with two model readers, not people, where the two agree"
PAIRS = 250  # of the sample
_NAMES = ("EG", "CG", "GS", "F1", "F2", "F3", "F4", "F5", "F6", "F7")


class Kinds:
    """Gathers the tags of every list.

    Args:
        runs, judges: as loaded.
        pairs: all pairs' keys.
        every: tag all lists; else those of a sample of pairs, so that the page of a large run costs little.
    """

    def __init__(self, runs: Sequence[Loaded], judges: Sequence[JudgeOfRun], pairs: Collection[PairKey], *, every: bool) -> None:
        self._judges = judges
        self._rules = RuleTagger()
        self._read = [read_tags(run.name) if (Path(run.name) / TAGS).is_file() else None for run in runs]
        self._going_on = [not run.finished for run in runs]  # its pages come one after the other: tags are most of their time
        self._sample = None if every or len(pairs) <= PAIRS else sample_of(pairs, PAIRS)
        self._of = len(pairs)
        self._taggers: set[str] = set()
        self._lists: list[TaggedList] = []

    def add(self, row: Row, detail: Detail) -> dict[str, Any]:
        """One game's; gives what its row shows. A list that a model was to tag and did not is counted, and not guessed."""
        if not detail.reasons or self._left_out(row):
            return {"kinds": None, "flaws": None}
        tags = self._tags(row, detail)
        game, name = row.game, self._judges[row.judge].name
        kinds = None if tags is None else tuple(one.kind for one in tags)
        flaws = None if tags is None else tuple(one.flaws for one in tags)
        self._lists.append(TaggedList(game.id, name, game.cluster, game.domain, game.correct, kinds, flaws or ()))
        return {"kinds": kinds, "flaws": flaws}

    def _left_out(self, row: Row) -> bool:
        if self._read[row.run] is not None:  # tagged already
            return False
        return self._going_on[row.run] or (self._sample is not None and key_of_pair(row.game) not in self._sample)

    def _tags(self, row: Row, detail: Detail) -> list[Tags] | None:
        """None where the tagger that has been over the run has nothing of this list as it is now."""
        game, judge, known = row.game, self._judges[row.judge].judge, self._read[row.run]
        verdict = in_row_order(game.verdict, game.order)  # turned a second time: in the game's letters again
        one = ToTag(game.id, judge, game.order, detail.reasons, verdict)
        if known is None:
            self._taggers.add(self._rules.version)
            return self._rules.tag(one.reasons, one.verdict)
        found = known.get(one.key)
        if found is None or found.digest != one.digest:
            return None
        self._taggers.add(found.tagger)
        return found.tags

    def to_json(self) -> dict[str, Any] | None:
        """Shares a judge, as the page takes them; None without any reason."""
        if not self._lists:
            return None
        number = {one.name: number for number, one in enumerate(self._judges)}
        found = taxonomy(self._lists)
        return {
            "tagger": ", ".join(sorted(self._taggers)) + self._sampled(),
            "agreement": AGREEMENT if any(name.startswith("rules") for name in self._taggers) else None,
            "judges": [
                {"judge": number[name], "n": of.reasons, "failed": of.failed, **{tag: list(of.shares[tag]) for tag in _NAMES}}
                for name, of in sorted(found.items(), key=lambda item: number[item[0]])
            ],
        }

    def _sampled(self) -> str:
        if self._sample is None or all(read is not None for read in self._read):
            return ""
        return f", on a sample of {PAIRS} of the {self._of} pairs (rationalerm report DIR tags all)"
