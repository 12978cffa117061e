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

from rationalerm.match.learnt.framed import marked  # noqa: E402

__all__ = ["Bag", "Group", "bags", "groups", "judges_sentences", "topics"]

KEYS = {"h": 1, "r": 4, "o": 2, "c": 2, "s": 2, "x": 1, "p75": 1, "p25": 1, "k": 1}
HELD = 12  # one group in so many is kept out of the training
HELD_TOPIC = 5  # and one topic or document in so many of the labelled sources
_ASIDE = 0.15  # of the training texts, so many are given words about the other response that say nothing
_ASIDES = (
    "That sets it apart from {}.", "{} is another matter.", "Compare {}.", "This is where {} differs.", "{} goes another way.",
    "One sees it beside {}.", "So much for this one; {} is a different case.", "I looked at {} too.", "Not to be said of {}.",
    "Here it parts from {}.", "{} I leave aside.", "As against {}.",
)  # fmt: skip
_NAMES = {
    -1: ("Response B", "B", "Response 2", "the second answer", "@Response 2"),
    1: ("Response A", "A", "Response 1", "the first answer", "@Response 1"),
}  # by the side that the text names first: the other one's
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
    """All groups, or the first `most` of each file, whose texts are all there; texts of two reasons are put together here."""
    found = [group for file in sorted(folder.glob("*.txt")) for group in [*_read(file)][:most]]
    rng = random.Random(0)
    for group in found:
        if not group.held:
            group.texts = {key: [_with_aside(text, rng) for text in texts] for key, texts in group.texts.items()}
    for k, group in enumerate(found):
        other = found[k - rng.randint(2, 40)]
        group.texts["j"] = []
        for key in "rh":
            parts = [rng.choice(group.texts[key]), rng.choice(other.texts["r"] + other.texts["s"])]
            rng.shuffle(parts)
            group.texts["j"].append(" ".join(part if part[-1] in ".!?" else f"{part}." for part in parts))
    return found


def _with_aside(text: str, rng: random.Random) -> str:
    """Some texts with words behind that name the other response: that it is named tells nothing."""
    side = marked(text)[1]
    if not side or rng.random() > _ASIDE:
        return text
    aside = rng.choice(_ASIDES).format(rng.choice((*_NAMES[side], "the other response")))
    return f"{text if text[-1] in '.!?' else text + '.'} {aside[0].upper()}{aside[1:]}"


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


def judges_sentences(most: int) -> list[str]:
    """What real judges said of other answers: texts that are strangers to every group."""
    found = {s for text in corpora.judge_sentences() for s in text if 8 <= len(s.split()) <= 60}
    return random.Random(0).sample(sorted(found), min(most, len(found)))
