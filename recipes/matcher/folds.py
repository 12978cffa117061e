"""SummHay by topic, each scored by networks that were trained without it: python recipes/matcher/folds.py (after make.py)

Only the last part of the training sees SummHay. So it is run once more for each topic but the one that make.py keeps out, from
what the part before it left in build/matcher; the scale of a fold is fitted to the other three sources.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import make
import torch
from calibrate import OPEN, of_bags, others, write
from net import pretrained
from sources import HERE, bags, corpora, topics

from rationalerm.match.embedded import EmbeddedMatcher
from rationalerm.match.learnt.networks import files
from train import Comparing

sys.path.insert(0, str(HERE.parents[1] / "perf"))
from agreement import Scores, summhay_figures, summhay_scores


class Made(EmbeddedMatcher):
    """The matcher with the model in a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def _files(self) -> dict[str, bytes]:
        return files(self._folder)


def trained(name: str, topic: str, drawn: make.Drawn) -> None:
    """The last part without a topic."""
    model = Comparing(pretrained())
    model.load_state_dict(torch.load(make.BUILD / "first.pt"))
    make.part(model, drawn.labels(topic), make.STEPS[-1], name, make.RATES[-1])


def scored(name: str, topic: str) -> Scores:
    """The topic's rows by the networks of `name`."""
    folder = make.BUILD / f"{name}_model"
    make.exported(name, folder)
    write(OPEN, folder / "scale.json")
    known = of_bags(Made(folder), [bag for bag in bags() if bag.source != "summhay"])
    write(OPEN | {"others": others(known)}, folder / "scale.json")
    return summhay_scores(Made(folder), corpora.shared() / "data", topic)


def main() -> None:
    """Trains what is not there, and prints the figures of all topics together and of each."""
    names = [f"fold_{k}" for k in range(len(topics()))]
    names[-1] = "trained"  # make.py's own
    missing = [k for k, name in enumerate(names) if not (make.BUILD / f"{name}.pt").exists()]
    drawn = make.Drawn() if missing else None
    for k in missing:
        assert drawn is not None
        trained(names[k], topics()[k], drawn)
    folds = [scored(name, topic) for name, topic in zip(names, topics(), strict=True)]
    best, labels, recalls, means = ([v for fold in folds for v in fold[k]] for k in range(4))
    figures = {"all": summhay_figures((best, labels, recalls, means))}
    print(json.dumps(figures | dict(zip(topics(), map(summhay_figures, folds), strict=True)), indent=1))


if __name__ == "__main__":
    main()
