"""recipes/matcher: the groups are whole, pairs carry the labels that they should, and nothing kept out is trained on."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rationalerm.match.learnt.networks import files
from rationalerm.match.learnt.scale import Seen
from scripts import ROOT, script

RECIPE = ROOT / "recipes" / "matcher"


@pytest.fixture(scope="module")
def sources() -> ModuleType:
    sys.path.insert(0, str(RECIPE))
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


def test_topics_are_kept_out_whole(shared: Path, sources: ModuleType) -> None:
    bags = sources.bags()
    for source in ("argkp", "metacritique", "realsumm", "summhay"):
        mine = [bag for bag in bags if bag.source == source]
        held = sum(bag.held for bag in mine) / len(mine)
        assert 0.1 < held < 0.45, source
        told = {bag.human for bag in mine if bag.held} & {bag.human for bag in mine if not bag.held}
        assert len(told) < 0.01 * len(mine)


def test_a_topic_is_kept_out_by_name(shared: Path, sources: ModuleType) -> None:
    first, *_, last = sources.topics()
    for topic in (first, last):
        held = {bag.human for bag in sources.bags(topic) if bag.source == "summhay" and bag.held}
        used = {bag.human for bag in sources.bags(topic) if bag.source == "summhay" and not bag.held}
        assert held
        assert used
        assert not held & used
    assert sources.bags() == sources.bags(last)


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
    groups = [g for g in make.groups(most=13) if g.source in ("close_stem", "close_code")]
    bags = {topic: make.bags(topic)[::400] for topic in (None,)}
    monkeypatch.setattr(make, "groups", lambda: groups)
    monkeypatch.setattr(make, "bags", lambda topic=None: bags[topic])
    monkeypatch.setattr(make, "BUILD", tmp_path)
    monkeypatch.setattr(make, "MODEL", tmp_path / "model")
    drawn = make.Drawn()
    assert set(drawn.first().by_source) == {"argkp", "metacritique", "realsumm"}
    assert set(drawn.labels().by_source) == {"argkp", "metacritique", "realsumm", "summhay"}
    for on in (False, True):
        make.trained((2, 2), on, drawn)
        make.exported()
        shipped = make.weights(make.MODEL)
        for key, trained in make.torch.load(tmp_path / "trained.pt").items():
            assert (shipped.pop(key) - trained).abs().max() <= trained.abs().max() / 250, key
        assert not shipped
    assert {file.name for file in make.MODEL.iterdir()} == {*files()} - {"scale.json"}


def test_a_rewording_belongs_to_its_reason(make: ModuleType) -> None:
    """The loss of groups asks which rewordings of all are a reason's own."""
    groups = [["a", "a1", "a2"], ["b", "b1", "b2"]]

    def score(right: float) -> Callable[[list[tuple[str, str]]], Any]:
        return lambda pairs: make.torch.tensor([right if text[0] == human else -right for human, text in pairs])

    losses = [float(script("recipes/matcher/train.py").loss_of_groups(score(right), groups)) for right in (3.0, 0.0, -3.0)]
    assert losses[0] < 0.1 < losses[1] < 0.7 < losses[2]


def test_style_is_what_a_text_alone_gives_away(sources: ModuleType) -> None:
    """A habit of the writers is found in groups that the guess was not fitted on; texts dealt out by chance give nothing away."""
    style = script("recipes/matcher/style.py")
    groups = [g for g in sources.groups(most=12) if g.close]
    rng = random.Random(0)
    for group in groups:
        texts = [text for key in "rocsx" for text in group.texts[key]]
        rng.shuffle(texts)
        group.texts |= {key: [texts.pop() for _ in group.texts[key]] for key in "rocsx"}
    assert all(0.35 < auc < 0.65 for auc in style.given_away(groups).values())
    for group in groups:
        group.texts["o"] = [f"Verily, {text}" for text in group.texts["o"]]
    assert style.given_away(groups)["o"] > 0.8


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


def test_a_threshold_is_fitted(make: ModuleType) -> None:
    """Where the rules tell pairs apart it lies between them, and unrelated ones stay under it."""
    calibrate = script("recipes/matcher/calibrate.py")
    rng = random.Random(1)
    pairs = []
    for kind in (*calibrate._JUDGED, "sample"):
        for _ in range(60):
            label = float(kind.endswith("reworded"))
            pairs.append(
                calibrate.Known(kind, "reasons", Seen(rng.gauss(1.6 * label - 0.6 - (kind == "sample"), 0.25), 0.0), label)
            )
    scale = calibrate.reasons(pairs)
    assert not scale.hears
    assert sum((scale.score(one.seen) > 0.5) == (one.label > 0.5) for one in pairs) / len(pairs) > 0.95
    assert sum(scale.score(one.seen) > 0.5 for one in pairs if one.kind == "sample") <= 1


def test_what_tells_more_weighs_more(make: ModuleType) -> None:
    """Of claims the logit where it tells, the rules where they do."""
    calibrate = script("recipes/matcher/calibrate.py")
    rng = random.Random(2)
    for telling in (0, 1):
        known = []
        for k in range(400):
            label = float(k % 2)
            for text in range(3):
                numbers = [rng.gauss(0, 1), rng.gauss(0, 1)]
                numbers[telling] = rng.gauss(4 * label * (text == 0) - 2, 1)
                known.append(calibrate.Known("argkp", "others", Seen(*numbers), label, k))
        scale = calibrate.others(known)
        assert scale.hears
        assert (scale.rules > scale.heard) == (telling == 0)
