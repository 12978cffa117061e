"""The plots as files: what is in them, no label over another, the same bytes twice."""

from __future__ import annotations

import random
import re
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from rationalerm.errors import UsageError
from rationalerm.report.plots import write_plots

NAMES = (
    "gpt-4o-2024-11-20", "gpt-4o-mini", "o1-mini", "o3-mini-high", "claude-3-5-sonnet", "claude-3-opus", "gemini-1.5-pro",
    "gemini-2.0-flash", "llama-3.1-405b-instruct", "llama-3.1-70b-instruct", "llama-3.1-8b-instruct", "qwen2.5-72b-instruct",
    "qwen3-14b (outcome only)", "qwen3-14b (hybrid)", "qwen3-30b-a3b", "deepseek-r1", "deepseek-v3", "mistral-large-2411",
    "skywork-critic-70b",
)  # fmt: skip
PLOTS = ("map", "differences", "agreement", "kinds", "flaws", "curves")


def around(value: float, half: float, n: int = 400) -> list[float | int | None]:
    return [value, max(value - half, 0.0), min(value + half, 1.0), n]


def head(names: tuple[str, ...] = NAMES, *, seed: int = 3, spread: float = 1.0) -> dict[str, Any]:
    """A page's head with everything in it; `spread` 0 puts all judges on one spot of the map."""
    draw = random.Random(seed)
    judges, kinds = [], []
    for k, name in enumerate(names):
        oa, rc = 0.75 + spread * draw.uniform(-0.15, 0.14), 0.28 + spread * draw.uniform(-0.2, 0.15)
        figures = {"n": 400, "oa": around(oa, 0.04), "rc": around(rc, 0.025), "s_corr": around(0.4, 0.05)}
        judges.append({"name": name, "run": 0, "figures": {"": figures, "code": figures}, "counts": {}, "notes": []})
        eg = draw.uniform(0.2, 0.9)
        tags = {"EG": around(eg, 0.03), "CG": around((1 - eg) * 0.6, 0.03), "GS": around((1 - eg) * 0.4, 0.03)}
        flaws = {f"F{f}": around(draw.uniform(0, 0.6 if f == 4 else 0.25), 0.03) for f in range(1, 8)}
        kinds.append({"judge": k, "n": 2000 + k, **tags, **flaws})
    comparisons = [
        {"metric": metric, "first": a, "second": b, "difference": (d := draw.uniform(-0.2, 0.2)), "low": d - 0.05,
         "high": d + 0.05, "p_adjusted": draw.choice((0.001, 0.3)), "n": 400}
        for metric in ("oa", "rc") for a in range(len(names)) for b in range(a + 1, len(names))
    ]  # fmt: skip
    steps = [[step, 0.5 + step / 1000 + draw.uniform(-0.03, 0.03)] for step in range(0, 300, 5)]
    held = [[step, 0.52 + step / 1000, 0.48 + step / 1000, 0.56 + step / 1000] for step in (0, 100, 200, 295)]
    sinking = [[step, 0.4 - step / 1500] for step in range(0, 300, 5)]
    curves = [
        {"name": "outcome", "metrics": {"outcome": {"train": steps, "held out": held}, "rationale": {"train": sinking}},
         "alarms": [{"step": 120, "text": "rationale sinks"}]},
        {"name": "hybrid", "metrics": {"outcome": {"train": steps}, "rationale": {"train": steps, "held out": held}},
         "alarms": []},
    ]  # fmt: skip
    rc = [judge["figures"][""]["rc"][0] for judge in judges]
    agreement = {
        "first": "embedded-4", "second": "llm m", "rows": 380, "r2": [0.98, 0.9, 1.0, 19], "rmse": [0.006, None, None, 19],
        "slope": [0.97, 0.9, 1.0, 19], "spearman": [None, None, None, 19],
        "judges": [{"name": name, "x": x, "y": 0.97 * x + 0.004} for name, x in zip(names, rc, strict=True)],
    }  # fmt: skip
    return {
        "version": "0.1.0", "title": "runs/first", "domains": ["code"], "judges": judges,
        "trap": {"": {"rule": "stated", "oa_from": 0.78, "rc_to": 0.2, "judges": [1]}},
        "trap_rule": "OA as good as the best, RC under half",
        "ceiling": {"": {"rc": around(0.46, 0.02), "oa": around(0.87, 0.02), "annotators": 3, "rows": 380}},
        "comparisons": {"": comparisons}, "agreement": agreement, "curves": curves,
        "kinds": {"tagger": "rules 1", "judges": kinds},
    }  # fmt: skip


def overlaps(figure: Any) -> list[tuple[str, str]]:
    """Texts that the renderer puts over one another, in the map's plane or across the figure."""
    renderer = figure.canvas.get_renderer()
    texts = [text for axes in figure.axes for text in axes.texts if text.get_text()]
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts]
    return [(a, b) for k, (a, one) in enumerate(boxes) for b, other in boxes[k + 1 :] if one.overlaps(other)]


def drawn(name: str, data: dict[str, Any]) -> Any:
    """A figure as `write_plots` draws it."""
    import matplotlib

    from rationalerm.report.plots.style import settings
    from rationalerm.report.plots.writing import _names, _plots

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(settings(_names(data)))
        figure = _plots()[name](data, "")
        figure.draw_without_rendering()
        return figure


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All plots of 19 judges."""
    folder = tmp_path_factory.mktemp("plots")
    written = write_plots(folder, head())
    assert [path.name for path in written] == [f"{name}.{form}" for name in PLOTS for form in ("svg", "png")]
    return folder


@pytest.mark.parametrize("name", PLOTS)
def test_the_svg_holds_its_letters_and_names(files: Path, name: str) -> None:
    text = (files / f"{name}.svg").read_text("utf-8")
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg")
    assert not root.findall(".//{*}text")  # paths: no font is asked for
    assert not re.search(r"""(?:href|src)=["'](?!#)""", text)
    assert "<dc:date>" not in text
    said = "".join(root.find(".//{*}metadata").itertext())  # type: ignore[union-attr]
    assert all(judge in said for judge in NAMES)
    if name in ("kinds", "flaws"):  # a comment before its letters' paths
        assert all(re.search(rf"<!-- {re.escape(judge)}(?: \(\d+\))? -->", text) for judge in NAMES)


@pytest.mark.parametrize("name", PLOTS)
def test_the_png_is_for_print(files: Path, name: str) -> None:
    head_of = (files / f"{name}.png").read_bytes()[:24]
    assert head_of[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head_of[16:24])
    assert width == 2100  # 7 inches at 300 dpi
    assert 300 <= height <= 3000


def test_the_same_data_make_the_same_bytes(files: Path, tmp_path: Path) -> None:
    for path in write_plots(tmp_path, head()):
        assert path.read_bytes() == (files / path.name).read_bytes(), path.name


@pytest.mark.parametrize("spread", [1.0, 0.12, 0.0], ids=["apart", "dense", "one spot"])
def test_no_label_of_the_map_lies_over_another(spread: float) -> None:
    figure = drawn("map", head(spread=spread))
    assert overlaps(figure) == []
    labels = {text.get_text() for text in figure.axes[0].texts}
    key = {text.get_text() for legend in figure.legends for text in legend.get_texts()}
    if labels != set(NAMES):  # no room: numbers, and names in the key
        assert labels == {str(k) for k in range(1, 20)}
        assert {f"{k}  {name}" for k, name in enumerate(NAMES, 1)} <= key
    assert spread < 1 or labels == set(NAMES)
    box = figure.axes[0].get_window_extent()
    assert all(box.contains(*text.get_window_extent().get_points()[k]) for text in figure.axes[0].texts for k in (0, 1))


def test_trap_and_ceiling_are_drawn_where_they_are() -> None:
    from matplotlib.patches import Rectangle

    axes = drawn("map", head()).axes[0]
    (trap,) = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert (trap.get_x(), trap.get_y() + trap.get_height()) == pytest.approx((0.78, 0.2))
    assert trap.get_x() + trap.get_width() == pytest.approx(min(axes.get_xlim()[1], 1.0))
    straight = [line for line in axes.lines if line.get_label().startswith("human against human")]
    assert [line.get_label()[-7:] for line in straight] == ["RC 0.46", "OA 0.87"]
    bare = head() | {"trap": None, "ceiling": {"": None}}
    assert not drawn("map", bare).axes[0].patches


def test_the_map_says_what_its_bars_are_and_where_chance_is() -> None:
    """As the page does; and no part of the trap lies where no judge can be."""
    from matplotlib.patches import Rectangle

    data = head(("a", "b"))
    for judge, chance in zip(data["judges"], (0.101, 0.113), strict=True):
        judge["figures"][""] |= {"chance": chance, "oa": around(0.97, 0.03), "rc": around(0.15, 0.05)}
    figure = drawn("map", data)
    (axes,) = figure.axes
    said = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert "bars: 95% intervals" in said
    assert "by chance, reasons for another row: RC 0.101 to 0.113" in said
    assert any(line.get_ydata()[0] == 0.113 for line in axes.lines if line.get_label().startswith("by chance"))
    (trap,) = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert axes.get_xlim()[1] > 1.0
    assert trap.get_x() + trap.get_width() == pytest.approx(1.0)


def test_no_two_judges_look_alike() -> None:
    from rationalerm.report.plots.style import look

    assert len({look(k)[:2] for k in range(84)}) == 84


LONG = tuple(f"organisation-{k}/a-very-long-model-name-of-sixty-characters-{k:02d}-it" for k in range(19))


@pytest.mark.parametrize("name", ["kinds", "flaws", "differences"])
@pytest.mark.parametrize("names", [NAMES, LONG, LONG[:2]], ids=["short", "long", "two"])
def test_names_down_the_side_have_room(name: str, names: tuple[str, ...]) -> None:
    figure = drawn(name, head(names))
    renderer = figure.canvas.get_renderer()
    boxes = [label.get_window_extent(renderer) for label in figure.axes[0].get_yticklabels()]
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[k + 1 :])
    for axes in figure.axes:
        ticks = [label.get_window_extent(renderer) for label in axes.get_xticklabels() if label.get_text()]
        assert not any(one.overlaps(other) for one, other in pairwise(ticks))


def test_any_name_is_drawn_as_text(tmp_path: Path) -> None:
    """Fonts differ from machine to machine: a character is drawn or written as its escape, and never an empty box."""
    names = ("モデル", "$x$ & <b>", "مودل", "👩‍👩‍👧 fam", "a\x1b[31m\nb", "e\u0301t\ud800", "", "--><script>")
    written = write_plots(tmp_path, head(names))  # a missing glyph warns, and a warning is an error here
    assert len(written) == 12
    for path in written[::2]:
        root = ElementTree.parse(path).getroot()
        assert not root.findall(".//{*}script")
        assert "--><script>" in "".join(root.find(".//{*}metadata").itertext())  # type: ignore[union-attr]
    texts = [text.get_text() for text in drawn("map", head(names)).axes[0].texts]
    assert "$x$ & <b>" in texts
    assert "a\\x1b[31m\\nb" in texts
    assert "(no name)" in texts


def test_what_is_not_there_is_not_drawn(tmp_path: Path) -> None:
    data = head(("a", "b")) | {"kinds": None, "curves": None, "trap": {}, "ceiling": None, "agreement": None}
    data["judges"][1]["figures"][""]["rc"] = [None, None, None, 0]
    assert [path.stem for path in write_plots(tmp_path, data)][::2] == ["map", "differences"]
    figure = drawn("map", data)
    assert [text.get_text() for text in figure.axes[0].texts] == ["a"]
    assert figure.axes[0].get_title(loc="left") == "not on the map, OA or RC is not defined: b"
    alone = head(("a",)) | {"kinds": None, "curves": None, "comparisons": {}, "agreement": None}
    alone["judges"][0]["figures"][""]["oa"] = [0.5, None, None, 1]
    assert [path.name for path in write_plots(tmp_path, alone)] == ["map.svg", "map.png"]


def test_two_evaluators_are_drawn_with_their_figures() -> None:
    figure = drawn("agreement", head(NAMES[:5]))
    axes = figure.axes[0]
    assert {text.get_text() for text in axes.texts} == set(NAMES[:5])
    assert overlaps(figure) == []
    assert axes.get_title(loc="left").startswith("R² 0.980, RMSE 0.006, slope 0.970; 380 rows")
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("RC by embedded-4", "RC by llm m")
    assert sum(line.get_marker() not in ("None", "", None) for line in axes.lines) == 5
    nothing = head() | {"agreement": None}
    from rationalerm.report.plots.agreement import agreement_figure

    assert agreement_figure(nothing) is None


def test_a_share_that_is_not_known_is_no_dot() -> None:
    data = head(("a", "b"))
    data["kinds"]["judges"][0] |= {"F3": None, "F4": [None, None, None, 0]}
    panels = drawn("flaws", data).axes
    assert [len(axes.lines) for axes in panels[:4]] == [2, 2, 1, 1]


def test_a_domain_has_a_map_of_its_own(tmp_path: Path) -> None:
    assert [path.stem for path in write_plots(tmp_path, head(), scope="code")][::2] == [
        "map",
        "agreement",
        "kinds",
        "flaws",
        "curves",
    ]
    with pytest.raises(UsageError, match="no rows of domain law; there are code"):
        write_plots(tmp_path, head(), scope="law")


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "textalloc", None)
    with pytest.raises(UsageError, match=r'plots need textalloc: pip install "rationalerm\[report\]"'):
        write_plots(tmp_path, head())


def test_the_users_own_settings_stay_and_do_not_matter(files: Path, tmp_path: Path) -> None:
    import matplotlib

    with matplotlib.rc_context({"font.size": 20, "axes.facecolor": "red", "svg.fonttype": "none"}):
        written = write_plots(tmp_path, head())
        assert matplotlib.rcParams["font.size"] == 20
    assert written[0].read_bytes() == (files / "map.svg").read_bytes()
