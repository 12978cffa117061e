"""What the matcher is trained on: contrast groups written for it, and human labels. Knows nothing of networks.

A group is seventeen texts about one human reason, by key:

    h the reason    r the same reworded (4)    j the reason or a rewording, and another group's reason, in one text (2)
    o the opposite (2)    c one fact changed (2)    s the same topic, another issue (2)    x the other response    k an empty
    hedge p75, p25 most of it, little of it

`x` read with the responses changed over says h's reason again; `h` and `r` read so don't.
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

__all__ = ["Bag", "Group", "bags", "groups", "judges_sentences"]

KEYS = {"h": 1, "r": 4, "o": 2, "c": 2, "s": 2, "x": 1, "p75": 1, "p25": 1, "k": 1}
HELD = 12  # one group in so many is kept out of the training
HELD_TOPIC = 5  # and one topic or document in so many of the labelled sources


@dataclass
class Group:
    """Texts by key; `held`: kept out of the training."""

    source: str
    kind: str
    held: bool
    texts: dict[str, list[str]] = field(default_factory=dict)


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
    """All groups, or the first `most` of each file, whose texts are all there; texts of two reasons are put together here."""
    found = [group for file in sorted(folder.glob("*.txt")) for group in [*_read(file)][:most]]
    rng = random.Random(0)
    for k, group in enumerate(found):
        other = found[k - rng.randint(2, 40)]
        group.texts["j"] = []
        for key in "rh":
            parts = [rng.choice(group.texts[key]), rng.choice(other.texts["r"] + other.texts["s"])]
            rng.shuffle(parts)
            group.texts["j"].append(" ".join(part if part[-1] in ".!?" else f"{part}." for part in parts))
    return found


def _read(file: Path) -> Iterator[Group]:
    for k, block in enumerate(re.split(r"(?m)^== ", file.read_text(encoding="utf-8"))[1:]):
        kind, *lines = [line.strip() for line in block.split("\n") if line.strip()]
        group = Group(file.stem, kind, k % HELD == HELD - 1)
        for line in lines:
            key, _, text = line.partition(" ")
            group.texts.setdefault(key, []).append(text.strip())
        if {key: len(texts) for key, texts in group.texts.items()} == KEYS:
            yield group


def bags() -> list[Bag]:
    """The labelled texts of the four sources, topics and documents kept out whole."""
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
    topics = sorted({e.group for row in corpora.summhay() for e in row})
    for raw, row in zip(corpora.rows("summhay_eval/eval.jsonl"), corpora.summhay(), strict=True):
        for said, e in zip(raw["human"], row, strict=True):
            named = said["bullet"] if e.score > 0 else None
            result.append(Bag("summhay", e.human, e.model, e.score, named, e.group == topics[-1]))
    return result


def judges_sentences(most: int) -> list[str]:
    """What real judges said of other answers: texts that are strangers to every group."""
    found = {s for text in corpora.judge_sentences() for s in text if 8 <= len(s.split()) <= 60}
    return random.Random(0).sample(sorted(found), min(most, len(found)))
