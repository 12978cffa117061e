"""recipes/matcher: the groups are whole, pairs carry the labels that they should, and nothing kept out is trained on."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

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


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for each other on a busy machine take six times as long."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def make(shared: Path) -> ModuleType:
    assert (shared / "data").is_dir()
    sys.modules.pop("make", None)  # recipes/matcher_static has one of the same name
    return script("recipes/matcher/make.py")


def test_the_recipe_makes_a_model(make: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A short one: training, files; and it goes on from what ships, each weight to the 8 bits of the file."""
    groups, bags = [g for g in make.groups(most=13) if g.source in ("code", "stem", "close_code")], make.bags()[::400]
    monkeypatch.setattr(make, "groups", lambda: groups)
    monkeypatch.setattr(make, "bags", lambda topic=None: bags)
    asked = [("reworded", "A omits it", "no unit in A", 1.0), ("other", "A omits it", "B omits it", 0.0)]
    monkeypatch.setattr(make.watch, "contrast_pairs", lambda: asked)
    monkeypatch.setattr(make, "_OTHERS", 60)
    monkeypatch.setattr(make, "BUILD", tmp_path)
    monkeypatch.setattr(make, "MODEL", tmp_path / "model")
    drawn = make.Drawn()
    for on in (False, True):
        make.trained((2, 2, 2), on, drawn)
        make.exported()
        shipped = make.weights(make.MODEL)
        for key, trained in make.torch.load(tmp_path / "trained.pt").items():
            assert (shipped.pop(key) - trained).abs().max() <= trained.abs().max() / 250, key
        assert not shipped
    assert {file.name for file in make.MODEL.iterdir()} == {*files()} - {"scale.json"}


def test_a_words_aside_tells_nothing(sources: ModuleType) -> None:
    """Some texts of the training name the other response behind their reason, whatever their label; no kept-out one does."""
    groups = sources.groups(most=60)
    asides = tuple(text.partition("{}")[0] or text.partition("{}")[2] for text in sources._ASIDES)

    def share(held: bool, keys: str) -> float:
        texts = [t for g in groups if g.held == held for key in keys for t in g.texts[key]]
        return sum(any(part in t for part in asides) for t in texts) / len(texts)

    assert 0.08 < share(False, "r") < 0.2
    assert abs(share(False, "r") - share(False, "ocsx")) < 0.03
    assert share(True, "rocsx") < 0.01


def test_style_is_what_the_text_alone_gives_away(recipe: ModuleType, sources: ModuleType) -> None:
    """A habit of one kind of text is found in groups that the guess was not fitted on."""
    style = script("recipes/matcher/style.py")
    groups = [g for g in sources.groups(most=30) if not g.held]
    for group in groups:
        group.texts["r"] = [f"Verily, {text}" for text in group.texts["r"]]
    found = style.style(groups)
    better, worse = ([found[t] for g in groups for key in keys for t in g.texts[key]] for keys in ("r", "ocsx"))
    least = sorted(better)[len(better) // 10]
    assert sum(logit < least for logit in worse) > 0.8 * len(worse)


def test_a_fold_is_scored_by_its_own_networks(make: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The scale is fitted without SummHay, and each insight of the topic gets a score."""
    folds = script("recipes/matcher/folds.py")
    seen = []

    def exported(name: str, folder: Path) -> None:
        folder.mkdir()
        for file, data in files().items():
            (folder / file).write_bytes(data)

    def of_bags(matcher: object, bags: list[Any]) -> list[Any]:
        seen.extend({bag.source for bag in bags})
        found: list[Any] = folds_of_bags(matcher, bags[::60])
        return found

    folds_of_bags = folds.of_bags
    monkeypatch.setattr(folds, "of_bags", of_bags)
    monkeypatch.setattr(folds.make, "exported", exported)
    monkeypatch.setattr(folds.make, "BUILD", tmp_path)
    best, labels, recalls, means = folds.scored("fold_9", folds.topics()[0])
    assert set(seen) == {"argkp", "metacritique", "realsumm"}
    assert len(best) == len(labels) > 100
    assert len(recalls) == len(means) == 49
    assert 0.4 < folds.summhay_figures((best, labels, recalls, means))["labels"] < 1


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
