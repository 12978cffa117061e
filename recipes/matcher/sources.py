"""What the matcher is made from: contrast groups written for it, and human labels. Knows nothing of networks.

A group is fifteen texts about one human reason, by key:

    h the reason    r the same reworded (4)    o the opposite (2)    c one fact changed (2)    s the same topic, another issue (2)
    x the other response    k an empty hedge    p75, p25 most of it, little of it
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "matcher_static"))
import corpora  # noqa: E402

__all__ = ["TUNING", "Bag", "Group", "bags", "groups", "topics"]

TUNING = [HERE.parent / "matcher_static" / name for name in ("contrast_dev.jsonl", "contrast_dev2.jsonl")]
KEYS = {"h": 1, "r": 4, "o": 2, "c": 2, "s": 2, "x": 1, "p75": 1, "p25": 1, "k": 1}
HELD = 12  # one group in so many is kept out of the training
HELD_TOPIC = 5  # and one topic or document in so many of the labelled sources
CLOSE = ("close_", "sample_")  # files whose rewordings keep the words that anybody would use, and whose opposites don't always


@dataclass
class Group:
    """Texts by key; `held`: kept out of the training."""

    source: str
    kind: str
    held: bool
    texts: dict[str, list[str]] = field(default_factory=dict)

    @property
    def close(self) -> bool:
        """Whether shared words tell nothing in it."""
        return self.source.startswith(CLOSE)


@dataclass(frozen=True)
class Bag:
    """A text that people looked for in several others: `score` of the best of them; `named`: its place, where they said."""

    source: str
    human: str
    model: tuple[str, ...]
    score: float
    named: int | None
    held: bool


def groups(folder: Path = HERE / "groups", most: int | None = None) -> list[Group]:
    """All groups, or the first `most` of each file, whose texts are all there."""
    return [group for file in sorted(folder.glob("*.txt")) for group in [*_read(file)][:most]]


def _read(file: Path) -> Iterator[Group]:
    for k, block in enumerate(re.split(r"(?m)^== ", file.read_text(encoding="utf-8"))[1:]):
        kind, *lines = [line.strip() for line in block.split("\n") if line.strip()]
        group = Group(file.stem, kind, k % HELD == HELD - 1)
        for line in lines:
            key, _, text = line.partition(" ")
            group.texts.setdefault(key, []).append(text.strip())
        if {key: len(texts) for key, texts in group.texts.items()} == KEYS:
            yield group


def topics() -> list[str]:
    """SummHay's."""
    return sorted({e.group for row in corpora.summhay() for e in row})


def bags(topic: str | None = None) -> list[Bag]:
    """The labelled texts of the four sources, topics and documents kept out whole; of SummHay `topic`, or the last one."""
    result = []
    rng = random.Random(0)
    for source, examples in (
        ("argkp", corpora.argkp()),
        ("metacritique", corpora.metacritique()),
        ("realsumm", corpora.realsumm()),
    ):
        names = sorted({e.group for e in examples})
        rng.shuffle(names)
        held = set(names[::HELD_TOPIC])
        result += [Bag(source, e.human, e.model, e.score, None, e.group in held) for e in examples]
    out = topic or topics()[-1]
    for raw, row in zip(corpora.rows("summhay_eval/eval.jsonl"), corpora.summhay(), strict=True):
        for said, e in zip(raw["human"], row, strict=True):
            named = said["bullet"] if e.score > 0 else None
            result.append(Bag("summhay", e.human, e.model, e.score, named, e.group == out))
    return result
