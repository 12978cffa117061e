"""recipes/matcher: the groups are whole, pairs carry the labels that they should, and nothing kept out is trained on."""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from rationalerm.match.learnt.framed import marked
from rationalerm.match.learnt.networks import files
from rationalerm.match.learnt.scale import Seen
from scripts import ROOT, script

RECIPE = ROOT / "recipes" / "matcher"


@pytest.fixture(scope="module")
def recipe() -> ModuleType:
    sys.path.insert(0, str(RECIPE))
    import pairs  # type: ignore[import-not-found]

    return pairs


@pytest.fixture(scope="module")
def sources(recipe: ModuleType) -> ModuleType:
    import sources  # type: ignore[import-not-found]

    return sources


def test_no_group_is_broken(sources: ModuleType) -> None:
    blocks = sum(file.read_text("utf-8").count("\n== ") + 1 for file in (RECIPE / "groups").glob("*.txt"))
    groups = sources.groups()
    assert len(groups) > 0.99 * blocks > 1000
    assert 0.06 < sum(group.held for group in groups) / len(groups) < 0.1
    assert len({group.source for group in groups}) >= 8


def test_frozen_pairs_are_in_no_group(sources: ModuleType) -> None:
    """The frozen sets stay apart from what is trained on."""
    texts = {text for group in sources.groups() for some in group.texts.values() for text in some}
    for name in ("contrast_frozen", "contrast_frozen_2"):
        import json

        for line in (ROOT / "tests" / "match" / f"{name}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            assert not {row["human"], row["model"]} & texts, row["id"]


def test_the_labels_of_a_group(recipe: ModuleType, sources: ModuleType) -> None:
    group = next(
        g for g in sources.groups() if all(marked(t)[1] == -1 for t in (*g.texts["h"], *g.texts["r"], *g.texts["x"][:0]))
    )
    first = {text: marked(text)[1] for some in group.texts.values() for text in some}
    found = recipe.of_group(group, -1, random.Random(0), first)
    h = (group.texts["h"][0], -1)
    labels = {pair.model: pair.label for pair in found if pair.human == h}
    assert {labels[text, -1] for text in group.texts["r"]} == {1.0}
    assert {labels[text, -1] for key in "ocsxk" for text in group.texts[key]} == {0.0}
    assert (labels[group.texts["p75"][0], -1], labels[group.texts["p25"][0], -1]) == (0.75, 0.25)
    assert labels[h[0], 1] == 0.0  # the same of the other response
    assert not any(pair.human == pair.model for pair in found)


def test_a_step_holds_neighbours(recipe: ModuleType, sources: ModuleType) -> None:
    groups = sources.groups()
    chosen = list(recipe.steps(groups, 5, 9, 1))
    assert [len(step) for step in chosen] == [9] * 5
    assert chosen == list(recipe.steps(groups, 5, 9, 1))
    assert all(Counter(g.source for g in step).most_common(1)[0][1] >= 3 for step in chosen)


def test_topics_are_kept_out_whole(shared: Path, sources: ModuleType) -> None:
    bags = sources.bags()
    for source in ("argkp", "metacritique", "realsumm", "summhay"):
        mine = [bag for bag in bags if bag.source == source]
        held = sum(bag.held for bag in mine) / len(mine)
        assert 0.1 < held < 0.45, source
        told = {bag.human for bag in mine if bag.held} & {bag.human for bag in mine if not bag.held}
        assert len(told) < 0.01 * len(mine)


@pytest.fixture(scope="module")
def make(shared: Path) -> ModuleType:
    assert (shared / "data").is_dir()
    sys.modules.pop("make", None)  # recipes/matcher_static has one of the same name
    return script("recipes/matcher/make.py")


def test_the_recipe_makes_a_model(make: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A short one: training, files; and it goes on from what ships, each weight to the 8 bits of the file."""
    groups, bags = [g for g in make.groups(most=13) if g.source in ("code", "stem")], make.bags()[::400]
    monkeypatch.setattr(make, "groups", lambda: groups)
    monkeypatch.setattr(make, "bags", lambda: bags)
    asked = [("reworded", "A omits it", "no unit in A", 1.0), ("other", "A omits it", "B omits it", 0.0)]
    monkeypatch.setattr(make.watch, "contrast_pairs", lambda: asked)
    monkeypatch.setattr(make, "_OTHERS", 60)
    monkeypatch.setattr(make, "BUILD", tmp_path)
    monkeypatch.setattr(make, "MODEL", tmp_path / "model")
    for on in (False, True):
        make.trained(2, on)
        make.exported()
        shipped = make.weights(make.MODEL)
        for key, trained in make.torch.load(tmp_path / "trained.pt").items():
            assert (shipped.pop(key) - trained).abs().max() <= trained.abs().max() / 250, key
        assert not shipped
    assert {file.name for file in make.MODEL.iterdir()} == {*files()} - {"scale.json"}


def test_a_scale_is_fitted() -> None:
    """Where the rules tell little and the comparison tells all, that is what weighs."""
    calibrate = script("recipes/matcher/calibrate.py")
    rng = random.Random(1)
    pairs = []
    for kind in (*calibrate._JUDGED, "sample"):
        for _ in range(60):
            label = float(kind.endswith("reworded"))
            rules = rng.gauss(label, 1) - 3 * (kind == "sample")
            seen = Seen(rules, (rng.gauss(4 * label - 2, 1), rng.gauss(0, 1)))
            pairs.append(calibrate.Known(kind, "reasons", seen, label))
    scale = calibrate.fit(pairs, "reasons")
    right = sum((scale.score(one.seen) > 0.5) == (one.label > 0.5) for one in pairs) / len(pairs)
    assert right > 0.9
    assert scale.heard[0] > 0.5 > scale.heard[1] == 0.0
    assert sum(scale.score(one.seen) > 0.5 for one in pairs if one.kind == "sample") <= 1
