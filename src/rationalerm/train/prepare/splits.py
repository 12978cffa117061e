"""Rows -> train or validation, by prompt and never by row; and which rows a benchmark holds too. Knows no file format.

Rows of one prompt (likeness.py), in one step or through others, are one group, and a group is in one split. Which one is drawn
from the seed and the group's smallest digest: never from a row's place, the other groups, or how many there are. So rows that are
added later leave the others where they are, except where one joins a group and becomes its smallest.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, NamedTuple

from rationalerm.train.prepare.likeness import Fingerprint, near_pairs

__all__ = ["Leaks", "Likeness", "Split", "leaks", "split_groups"]

Split = Literal["train", "validation"]


class Leaks(NamedTuple):
    """How many conversations, pairs of responses and near-duplicates stand on both sides of a split: none."""

    conversations: int
    responses: int
    near_duplicates: int


class Likeness:
    """Which of some rows are of one prompt.

    Args:
        prints: one a row; rows of a held-out file stand behind the own ones.
        own: how many of them are own rows.
    """

    def __init__(self, prints: Sequence[Fingerprint], own: int | None = None) -> None:
        self._prints, self._own = prints, len(prints) if own is None else own
        first: dict[bytes, int] = {}
        for k, one in enumerate(prints):
            if one.conversation is not None:
                first.setdefault(one.conversation, k)
        held = [n for n, place in enumerate(first.values()) if place >= self._own]
        near = near_pairs([prints[place] for place in first.values()], held)
        digests = list(first)  # in the order of their places
        self._near = [(digests[i], digests[j], likeness) for i, j, likeness in near]

    def near(self, rows: Sequence[int]) -> list[tuple[bytes, bytes]]:
        """The digests of conversations of some own rows that are nearly the same."""
        chosen = {self._prints[k].conversation for k in rows}
        return [(one, other) for one, other, _ in self._near if one in chosen and other in chosen]

    def held_out(self) -> dict[int, tuple[int, str]]:
        """Own rows that are in a held-out file: {row: (the held-out row, in what they are the same)}."""
        same: dict[tuple[str, bytes | None], int] = {}
        for k in range(self._own, len(self._prints)):
            same.setdefault(("the same conversation", self._prints[k].conversation), k)
            same.setdefault(("the same responses", self._prints[k].responses), k)
        close: dict[bytes | None, tuple[int, str]] = {}
        for i, j, likeness in self._near:
            for own, other in ((i, j), (j, i)):
                held = same.get(("the same conversation", other))
                if held is not None:
                    close.setdefault(own, (held, f"nearly the same conversation ({likeness:.2f})"))
        out: dict[int, tuple[int, str]] = {}
        for k in range(self._own):
            one = self._prints[k]
            for why, key in (("the same conversation", one.conversation), ("the same responses", one.responses)):
                if key is not None and k not in out and (why, key) in same:
                    out[k] = same[why, key], why
            if k not in out and one.conversation is not None and one.conversation in close:
                out[k] = close[one.conversation]
        return out

    def groups(self, rows: Sequence[int]) -> list[bytes]:
        """A key for each of some own rows, the same for rows of one prompt: the group's smallest digest."""
        union = _Union()
        for k in rows:
            nodes = self._nodes(k)
            for node in nodes[1:]:
                union.join(nodes[0], node)
        for one, other in self.near(rows):
            union.join(("c", one), ("c", other))
        smallest: dict[Hashable, bytes] = {}
        roots = [union.root(self._nodes(k)[0]) for k in rows]
        for k, root in zip(rows, roots, strict=True):
            key = min(digest for _, digest in self._nodes(k))
            smallest[root] = min(smallest.get(root, key), key)
        return [smallest[root] for root in roots]

    def _nodes(self, k: int) -> list[tuple[str, bytes]]:
        one = self._prints[k]
        known = [("c", one.conversation), ("r", one.responses)]
        return [(kind, key) for kind, key in known if key is not None] or [("k", one.row)]


def split_groups(groups: Sequence[bytes], share: float, seed: int) -> list[Split]:
    """The split of each row, from its group's key.

    Args:
        groups: a key a row.
        share: of the groups that go to validation, in expectation; 0: none. Over 0, at least one does, if there are two.
        seed: which ones.
    """
    place = {key: _place(key, seed) for key in set(groups)}
    if share <= 0:
        return ["train"] * len(groups)
    smallest = min(place.values()) if len(place) > 1 else -1.0
    return ["validation" if (p := place[key]) < share or p == smallest else "train" for key in groups]


def leaks(prints: Sequence[Fingerprint], splits: Sequence[Split], near: Iterable[tuple[bytes, bytes]]) -> Leaks:
    """Looks once more at what was split, without the groups."""
    talks = _sides((one.conversation for one in prints), splits)
    texts = _sides((one.responses for one in prints), splits)
    crossing = sum(len(talks[one] | talks[other]) > 1 for one, other in near if one in talks and other in talks)
    return Leaks(sum(len(s) > 1 for s in talks.values()), sum(len(s) > 1 for s in texts.values()), crossing)


def _sides(keys: Iterable[bytes | None], splits: Sequence[Split]) -> dict[bytes | None, set[Split]]:
    """In which splits each key stands."""
    found: defaultdict[bytes | None, set[Split]] = defaultdict(set)
    for key, split in zip(keys, splits, strict=True):
        if key is not None:
            found[key].add(split)
    return dict(found)


def _place(key: bytes, seed: int) -> float:
    """Where a group stands in [0, 1)."""
    return int.from_bytes(hashlib.sha256(b"%d\x1f" % seed + key).digest()[:8]) / 2**64


class _Union:
    """Sets that join."""

    def __init__(self) -> None:
        self._parent: dict[Hashable, Hashable] = {}

    def root(self, node: Hashable) -> Hashable:
        path = []
        while (parent := self._parent.get(node, node)) != node:
            path.append(node)
            node = parent
        for passed in path:
            self._parent[passed] = node
        return node

    def join(self, one: Hashable, other: Hashable) -> None:
        self._parent.setdefault(self.root(one), self.root(one))
        self._parent[self.root(one)] = self.root(other)
