"""How far a half-trained network is: the tuning sets and the groups that were kept out, by kind. Knows nothing of training.

The share on the right side is at the threshold that is best for the mean over kinds of that very set: a figure to compare steps
by, no more.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sources import Group
from states import States

__all__ = ["Asked", "contrast_pairs", "framed_pairs", "held_pairs", "rights", "strangers"]

Asked = tuple[str, str, str, float]  # kind, human, model, label
_TUNING = Path(__file__).resolve().parents[1] / "matcher_static"
_KINDS = {"r": "reworded", "j": "joined", "o": "opposite", "c": "changed", "s": "same_topic", "x": "other", "k": "hedge"}


def contrast_pairs() -> list[Asked]:
    """The pairs of the two tuning sets."""
    lines = [
        line for name in ("contrast_dev", "contrast_dev2") for line in (_TUNING / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    return [(row["kind"], row["human"], row["model"], float(row["score"])) for row in map(json.loads, lines)]


def held_pairs(groups: Sequence[Group]) -> list[Asked]:
    """Each kept-out reason against the other texts of its group."""
    return [
        (_KINDS.get(key, key), g.texts["h"][0], text, {"r": 1.0, "j": 1.0, "p75": 0.75, "p25": 0.25}.get(key, 0.0))
        for g in groups
        if g.held
        for key, texts in g.texts.items()
        if key != "h"
        for text in texts
    ]


def strangers(groups: Sequence[Group]) -> list[Asked]:
    """Each kept-out reason against texts of the next kept-out groups of its file."""
    held = [g for g in groups if g.held]
    return [
        ("stranger", a.texts["h"][0], text, 0.0)
        for a, b in zip(held, held[1:] + held[:1], strict=True)
        for key in "hrsoj"
        for text in b.texts[key]
    ]


def rights(asked: Sequence[Asked], logits: Sequence[float]) -> dict[str, float]:
    """By kind the share on the right side, at the threshold best for the mean of what matches and what doesn't."""
    by_kind: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for (kind, _, _, label), z in zip(asked, logits, strict=True):
        if label != 0.5 and kind not in ("p75", "p25"):
            by_kind[kind].append((float(z), label > 0.5))
    best: dict[str, float] = {"balanced": 0.0}
    for at in np.quantile(np.array(logits), np.linspace(0.05, 0.95, 91)):
        found = {kind: sum((z > at) == good for z, good in pairs) / len(pairs) for kind, pairs in by_kind.items()}
        good = [found[kind] for kind, pairs in by_kind.items() if pairs[0][1]]
        bad = [found[kind] for kind, pairs in by_kind.items() if not pairs[0][1]]
        balanced = (sum(good) / len(good) + sum(bad) / len(bad)) / 2
        if balanced > best["balanced"]:
            best = {"balanced": balanced, "mean": sum(found.values()) / len(found), "at": float(at), **found}
    return {key: round(float(value), 3) for key, value in best.items()}


def framed_pairs(asked: Sequence[Asked], states: States) -> list[tuple[tuple[str, int], tuple[str, int]]]:
    """The pairs as a network asks for them: both in the frame of the human reason."""
    states.add(text for _, human, model, _ in asked for text in (human, model))
    return [((h, states.first[h] or -1), (m, states.first[h] or -1)) for _, h, m, _ in asked]
