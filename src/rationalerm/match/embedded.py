"""The default matcher: the rules of the static one, and a small model of our own where they don't reach. (docs/matcher.md)

A human reason that names a response is matched by the rules: sides, polarity, facts, words. A text that names none (a claim, a
key point, an insight) by the rules and two networks: every text is read once, pairs are compared by what was kept of both.
Offline.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

from rationalerm.errors import MatcherError
from rationalerm.match.calibration import too_vague
from rationalerm.match.fast import FastMatcher
from rationalerm.match.learnt.framed import Marked, framed, marked
from rationalerm.match.learnt.networks import REPAIR, Networks, Read, files
from rationalerm.match.learnt.scale import Scale, Seen, scales
from rationalerm.match.rows import Rows
from rationalerm.match.static import by_human, negated
from rationalerm.types import Matching

__all__ = ["EmbeddedMatcher", "Looked"]

RULES = "2"  # raise it whenever a change of this file or of learnt/ changes a score
_THREADS = 4
_AT_ONCE = 128  # reasons that one human list meets at once
Pair = tuple[int, int]


class Looked(NamedTuple):
    """A pair with all that is known of it; recipes/matcher fits the scales to these. `scale`: which one weighs it."""

    human: int
    model: int
    scale: str
    seen: Seen
    features: list[float]


class EmbeddedMatcher(FastMatcher):
    """Scores by the rules and, of human texts that name no response, the shipped networks.

    Args:
        fast: leave the networks and the scales that were fitted with them out: what ships as "fast", which is `.name` then.

    Raises:
        MatcherError: at the first match, if a file or a package that reads it is missing.
    """

    def __init__(self, fast: bool = False) -> None:
        super().__init__()
        self.fast = fast
        self._networks: Networks | None = None
        self._scales: dict[str, Scale] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"fast": self.fast}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    @property
    def name(self) -> str:  # type: ignore[override]
        """What the command line calls it."""
        return "fast" if self.fast else "embedded"

    @property
    def version(self) -> str:
        """Changes with the networks, their scales, and whatever the static matcher's version changes with."""
        if self.fast:
            return super().version
        if self._version is None:
            digest = hashlib.sha256(b"\0".join([*self._files().values(), FastMatcher().version.encode()])).hexdigest()
            self._version = f"embedded-{RULES}-{digest[:8]}"
        return self._version

    def _files(self) -> dict[str, bytes]:
        """What it reads; in recipes/matcher also what was made and doesn't ship."""
        return files()

    def _weighing(self) -> dict[str, Scale]:
        """The scales by name."""
        with self._lock:
            if not self._scales:
                with _readable():
                    self._scales = scales(self._files()["scale.json"])
            return self._scales

    def _reading(self) -> Networks:
        """The networks: read when a text first needs them."""
        with self._lock:
            if self._networks is None:
                with _readable():
                    self._networks = Networks(self._files())
            return self._networks

    def match_many(self, rows: Iterable[tuple[Sequence[str], Sequence[str]]]) -> list[Matching]:
        """`match` of each row, in order, on up to four cores."""
        if self.fast:
            return super().match_many(rows)
        todo = list(rows)
        groups = by_human(todo)
        found: dict[int, Matching] = {}
        with ThreadPoolExecutor(max(1, min(_THREADS, len(groups), _cores()))) as pool:
            matched = pool.map(lambda item: self._together(item[0], [todo[k][1] for k in item[1]]), groups.items())
            for places, some in zip(groups.values(), matched, strict=True):
                found |= zip(places, some, strict=True)
        return [found[k] for k in range(len(todo))]

    def _together(self, human: Sequence[str], models: Sequence[Sequence[str]]) -> list[Matching]:
        if self.fast:
            return super()._together(human, models)
        reasons = list(dict.fromkeys(reason for model in models for reason in model))
        scores: dict[str, dict[int, float]] = {reason: {} for reason in reasons}  # reason -> human -> score
        for start in range(0, len(reasons), _AT_ONCE):
            part = reasons[start : start + _AT_ONCE]
            for (i, j), score in self._scored(human, part).items():
                scores[part[j]][i] = score
        return [
            Matching(len(human), len(model), {(i, j): s for j, reason in enumerate(model) for i, s in scores[reason].items()})
            for model in models
        ]

    def _scored(self, human: Sequence[str], reasons: Sequence[str]) -> dict[Pair, float]:
        """The scores of one human list with one list; absent = 0."""
        scores = {}
        by_name = self._weighing()
        readings, calibration = self.readings([*human, *reasons]), self._load()[1]
        for looked in self.look(human, reasons):
            i, j = looked.human, looked.model
            worth = readings[len(human) + j].claim.against(readings[i].claim)
            score = calibration.worth(by_name[looked.scale].score(looked.seen), worth)
            if score > 0 and not negated(looked.features, human[i], reasons[j]):
                scores[i, j] = score
        scores.update(dict.fromkeys(self._copies(human, reasons), 1.0))
        return scores

    def look(self, human: Sequence[str], model: Sequence[str], everything: bool = False) -> list[Looked]:
        """All that is known of each pair that could match; of each but the vague ones, if `everything`."""
        if not human or not model:
            return []
        by_name = self._weighing()
        reader, calibration = self._load()
        readings, vectors, stems = reader.read([*human, *model])
        rows = Rows(readings[: len(human)], readings[len(human) :], vectors, stems)
        named = ["reasons" if reading.claim.about else "others" for reading in readings[: len(human)]]
        weighed = [by_name[name] for name in named]
        closest = calibration.at_most(rows.known)
        pairs: list[tuple[Pair, list[float], float]] = []
        for j in range(len(model)):
            if too_vague(rows.known.known[-1][0, j]):
                continue
            for i in range(len(human)):
                if everything or weighed[i].possible(closest[i, j]):
                    features = rows.features(i, j)
                    pairs.append(((i, j), features, calibration.evidence(features)))
        if not everything:
            pairs = [pair for pair in pairs if weighed[pair[0][0]].possible(pair[2])]
        heard = self._heard(human, model, [pair for pair, *_ in pairs if weighed[pair[0]].hears])
        return [Looked(i, j, named[i], Seen(rules, heard.get((i, j), 0.0)), features) for (i, j), features, rules in pairs]

    def _heard(self, human: Sequence[str], model: Sequence[str], pairs: Sequence[Pair]) -> dict[Pair, float]:
        """What the networks say of these pairs."""
        if not pairs:
            return {}
        networks = self._reading()
        reads = _read_in_frames(networks, [marked(t) for t in human], [marked(t) for t in model], pairs)
        return dict(zip(pairs, networks.compare(reads).tolist(), strict=True))


@contextmanager
def _readable() -> Iterator[None]:
    """Whatever a file of the model can't be read for is one error.

    Raises:
        MatcherError: it can't be.
    """
    try:
        yield
    except MatcherError:
        raise
    except Exception as e:  # the readers of three formats, each with errors of its own
        why = str(e).splitlines()[0][:200]
        raise MatcherError(f"the embedded matcher's model is damaged ({why}); {REPAIR}") from e


def _read_in_frames(
    networks: Networks, human: Sequence[Marked], model: Sequence[Marked], pairs: Sequence[Pair]
) -> list[tuple[Read, Read]]:
    """Both reasons of each pair, read in the frame of the human one; one that names no response takes the other's."""
    texts: dict[tuple[str, int], str] = {}

    def of(text: str, this: int) -> str:
        return texts.get((text, this)) or texts.setdefault((text, this), framed(text, this))

    wanted = []
    for i, j in pairs:
        (ours, side), (theirs, other) = human[i], model[j]
        wanted.append((of(ours, side), of(theirs, side or other)))
    found = networks.read([text for pair in wanted for text in pair])
    return [(found[h], found[m]) for h, m in wanted]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
