"""The networks of the embedded matcher: what they read, that nothing but the text decides what comes out, how a score is made."""

from __future__ import annotations

import json
import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from importlib import resources

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rationalerm import EmbeddedMatcher
from rationalerm.errors import MatcherError
from rationalerm.match import embedded, sides
from rationalerm.match.fast import FastMatcher
from rationalerm.match.learnt import networks
from rationalerm.match.learnt.framed import THAT, THIS, framed, marked
from rationalerm.match.learnt.networks import Networks, files
from rationalerm.match.learnt.scale import FLOOR, Scale, Seen, scales

TEXTS = [
    "Alice omits the unit.",
    "bob gives the unit; alice leaves the force without one, which the user asked for in the second line of the prompt",
    "wrong date",
    "",
    "回答没有单位",
    "word " * 300,
    *(f"alice skips step {k} of the proof and then goes on as if it held for every n greater than {k}" for k in range(40)),
]


@pytest.fixture(scope="module")
def nets() -> Networks:
    return Networks(files())


@pytest.mark.parametrize(
    ("text", "this", "expected"),
    [
        ("Response A omits it, B has it", -1, "alice omits it, bob has it"),
        ("Response A omits it, B has it", 1, "bob omits it, alice has it"),
        (
            "Unlike the second response, @Response 1 cites it; the other one does not",
            1,
            "Unlike alice, bob cites it; alice does not",
        ),
        ("Both responses fail", -1, "both alice and bob fail"),
        ("too long", 1, "too long"),
    ],
)
def test_the_responses_have_fixed_names(text: str, this: int, expected: str) -> None:
    assert framed(marked(text)[0], this) == expected


def test_the_side_that_is_named_first() -> None:
    assert [marked(text)[1] for text in ("Response 2 beats A", "A beats B", "both responses fail", "too long")] == [1, -1, 0, 0]


SAYS = st.lists(
    st.sampled_from(["Response A ", "Response B ", "omits ", "the unit ", "both responses ", "the other response ", ". "])
)


@given(SAYS)
def test_frames_mirror_each_other(parts: list[str]) -> None:
    """Changing the responses over in the text or in the frame is the same."""
    text = "".join(parts)
    swapped = text.replace("Response A", "X").replace("Response B", "Response A").replace("X", "Response B")
    for this in (-1, 1):
        assert framed(marked(text)[0], this) == framed(marked(swapped)[0], -this)
    assert not {sides.MARK_A, sides.MARK_B, sides.MARK_BOTH, sides.MARK_OTHER} & set(framed(marked(text)[0], 1))
    assert {THIS, THAT} == {"alice", "bob"}


def test_a_reason_reads_the_same_in_any_company(nets: Networks) -> None:
    alone = {text: next(iter(Networks(files()).read([text]).values())) for text in TEXTS[:8]}
    together = nets.read(TEXTS)
    for text, read in alone.items():
        assert all(np.array_equal(a, b) for a, b in zip(read, together[text], strict=True))


def test_pairs_compare_the_same_in_any_company(nets: Networks) -> None:
    reads = nets.read(TEXTS)
    pairs = [(reads[a], reads[b]) for a in TEXTS[:12] for b in TEXTS]
    logits = nets.compare(pairs)
    assert logits.shape == (len(pairs),)
    assert np.isfinite(logits).all()
    for k in (0, 1, 5, 77, 300):
        assert np.array_equal(nets.compare(pairs[k : k + 1])[0], logits[k])
    assert nets.compare([]).shape == (0,)


def test_no_kernel_of_this_machine_alone_computes(nets: Networks) -> None:
    """The numbers are those of the plain graph, node by node: no fusion that another machine lacks."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    plain = onnxruntime.InferenceSession(files()["encoder.onnx"], options)
    ids = np.random.default_rng(0).integers(1000, 20000, (4, 32))
    mask = np.ones((4, 32), dtype=np.float32)
    for own, expected in zip(*(one.run(None, {"ids": ids, "mask": mask}) for one in (nets._encoder, plain)), strict=True):
        assert np.abs(own - expected).max() < 1e-5


def test_threads_read_the_same(nets: Networks) -> None:
    fresh = Networks(files())
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: fresh.read(TEXTS[k : k + 9]), range(0, len(TEXTS), 3)))
    expected = nets.read(TEXTS)
    for some in found:
        assert all(np.array_equal(read.vectors, expected[text].vectors) for text, read in some.items())


def _in_a_fork(matcher: EmbeddedMatcher) -> dict[tuple[int, int], float]:
    return matcher.match(["A omits the unit."], ["Response 1 gives no unit."]).scores


def test_a_fork_goes_on() -> None:
    matcher = EmbeddedMatcher()
    expected = _in_a_fork(matcher)
    with multiprocessing.get_context("forkserver").Pool(1) as pool:
        assert pool.apply(_in_a_fork, (matcher,)) == expected


def test_only_so_much_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "_REMEMBERED", 100)
    fresh = Networks(files())
    assert len(fresh.read(TEXTS)) == len(TEXTS)
    assert fresh._tokens <= 128
    assert sum(len(read.mask) for read in fresh._known.values()) == fresh._tokens


def test_the_model_is_small_and_whole() -> None:
    assert sum(map(len, files().values())) < 30 * 2**20
    assert set(json.loads(files()["scale.json"])) == {"reasons", "others"}


def test_a_missing_file_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    root = resources.files("rationalerm.match.learnt")
    monkeypatch.setattr(networks.resources, "files", lambda _: root / "nowhere")
    with pytest.raises(MatcherError, match="reinstall rationalerm, or use --matcher fast"):
        EmbeddedMatcher().match(["a"], ["b"])


@pytest.mark.parametrize("name", ["encoder.onnx", "compare.onnx", "tokenizer.json", "scale.json"])
@pytest.mark.parametrize("text", [b"", b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 123\n"])
def test_a_damaged_file_is_one_line(monkeypatch: pytest.MonkeyPatch, name: str, text: bytes) -> None:
    whole = files()
    monkeypatch.setattr(embedded, "files", lambda: whole | {name: text})
    with pytest.raises(MatcherError, match=r"^the embedded matcher's model is damaged \(.+\); reinstall rationalerm") as caught:
        EmbeddedMatcher().match(["The unit is missing."], ["There is no unit."])
    assert "\n" not in str(caught.value)


def test_fast_leaves_the_networks_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "Networks", lambda _: pytest.fail("read"))
    human, model = ["The unit is missing."], ["Response 1 omits the unit of the force."]
    assert EmbeddedMatcher(fast=True).match(human, model) == FastMatcher().match(human, model)


def test_a_reason_about_a_response_is_for_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the networks had learnt of such reasons was how they are worded; so they are not asked, nor even read from disk."""
    monkeypatch.setattr(embedded, "Networks", lambda _: pytest.fail("read"))
    human, model = ["A omits the unit."], ["Response 1 omits the unit of the force.", "No unit.", "The unit is missing."]
    assert EmbeddedMatcher().match(human, model).scores[0, 0] > 0.5


NUMBERS = st.floats(-20, 20)


@given(NUMBERS, NUMBERS)
@settings(max_examples=200)
def test_more_evidence_never_scores_less(rules: float, heard: float) -> None:
    for scale in scales(files()["scale.json"]).values():
        low, high = scale.score(Seen(rules, heard)), scale.score(Seen(rules + 1, heard + 1))
        assert low <= high
        assert {low, high} <= {0.0, *(s for s in (low, high) if FLOOR <= s <= 1)}


@given(NUMBERS)
@settings(max_examples=200)
def test_what_is_left_out_scores_nothing(rules: float) -> None:
    for scale in scales(files()["scale.json"]).values():
        if not scale.possible(rules):
            assert scale.score(Seen(rules, 0.0)) == 0.0


def test_a_scale() -> None:
    knots = ((-1.0, 0.0), (0.0, 0.5), (2.0, 1.0))
    scale = Scale(2.0, -1.0, 0.5, knots)
    assert scale.hears
    assert scale.possible(-20.0)  # whatever the rules say, the networks are asked
    assert scale.z(Seen(1.0, 2.0)) == 2.0
    assert scale.z(Seen(1.0, 20.0)) == 5.0  # beyond 8, more says nothing
    assert [scale.score(Seen(x, 0.0)) for x in (-2.0, 0.3, 0.45, 1.0, 9.0)] == [0.0, 0.3, 0.45, 0.75, 1.0]
    silent = Scale(1.0, 0.05, 0.0, knots)
    assert not silent.hears
    assert not silent.possible(-0.66)
    assert silent.possible(-0.64)
    assert silent.score(Seen(0.2, 99.0)) == silent.score(Seen(0.2, -99.0))
