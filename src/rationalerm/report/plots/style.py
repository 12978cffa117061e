"""How plots look: fonts that have the names' characters, a colour and a mark for each judge, sizes for a paper's column."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rationalerm.report.tables import shown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["GREY", "INK", "Look", "drawable", "errors_of", "look", "new_figure", "no_ticks", "row_height", "settings", "wrapped"]

WIDTH = 7.0  # inches: a page's text
INK, GREY = "#222222", "#767676"
# Okabe and Ito's, which people with any colour vision can tell apart; yellow is too pale for thin lines on white.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)))
_BOXES = "Last Resort"  # a font of boxes that say what is missing
_FONT = "DejaVu Sans"  # comes with matplotlib


class Look(NamedTuple):
    """One judge's (or run's): no two of the first 84 share both colour and mark."""

    colour: str
    mark: str
    dash: Any


def look(number: int) -> Look:
    """The number's, from 0."""
    return Look(_COLOURS[number % len(_COLOURS)], _MARKS[number % len(_MARKS)], _DASHES[number % len(_DASHES)])


def settings(names: Iterable[str]) -> dict[str, Any]:
    """For matplotlib's rcParams.

    Args:
        names: what will be drawn: fonts of this machine that have their characters stand behind the one that matplotlib has.
    """
    return {
        "font.family": _families("".join(names)),
        "font.size": 8,
        "axes.titlesize": 8.5,
        "axes.labelsize": 8,
        "xtick.labelsize": 7.5,
        "ytick.labelsize": 7.5,
        "legend.fontsize": 7.5,
        "legend.frameon": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": GREY,
        "axes.axisbelow": True,
        "axes.grid": True,
        "grid.color": "#e6e6e6",
        "grid.linewidth": 0.6,
        "lines.linewidth": 1.4,
        "hatch.linewidth": 0.5,
        "text.color": INK,
        "axes.labelcolor": INK,
        "text.parse_math": False,  # a name with two $ is a name
        "text.hinting": "none",  # as wide in the SVG as where the labels were placed
        "svg.fonttype": "path",
        "svg.hashsalt": "rationalerm",
    }


def new_figure(height: float) -> Figure:
    """A figure of a page's width, laid out by itself; `height` in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def drawable(name: str) -> str:
    """A name as these fonts can draw it: a character that none of them has is its escape, never an empty box."""
    known = _characters()
    return "".join(c if ord(c) in known else c.encode("unicode_escape").decode() for c in shown_name(name))


def wrapped(name: str, width: int = 30) -> str:
    """A drawable name on lines of at most `width` characters."""
    return "\n".join(textwrap.wrap(drawable(name), width, break_on_hyphens=True)) or "(no name)"


def errors_of(value: Sequence[float | None]) -> list[list[float]] | None:
    """How far an interval's ends are from [value, low, high, n], as `errorbar` takes it; None without an interval."""
    middle, low, high = value[:3]
    if middle is None or low is None or high is None:
        return None
    return [[max(middle - low, 0.0)], [max(high - middle, 0.0)]]


def row_height(names: Iterable[str], least: float) -> float:
    """Inches for a row, so that the longest name's lines fit."""
    return max(least, 0.06 + 0.125 * max((1 + name.count("\n") for name in names), default=1))


def no_ticks(axes: Axes) -> None:
    """Names need no ticks, and rows no lines up and down."""
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")


def _families(text: str) -> list[str]:
    """The font that comes along, and of this machine's the first by name that has what it has not."""
    from matplotlib import font_manager

    families, missing = [_FONT], {ord(c) for c in shown_name(text)} - _charmap(_file(_FONT))
    for entry in sorted(font_manager.fontManager.ttflist, key=lambda font: (font.name, font.fname)) if missing else ():
        plain = entry.style == "normal" and entry.variant == "normal" and str(entry.weight) in ("400", "normal", "regular")
        if plain and not entry.name.startswith(_BOXES) and missing & (has := _charmap(entry.fname)):
            families.append(entry.name)
            missing -= has
    return families


def _characters() -> frozenset[int]:
    """What the fonts of these settings have."""
    import matplotlib

    return frozenset().union(*(_charmap(_file(name)) for name in matplotlib.rcParams["font.family"]))


@cache
def _file(family: str) -> str:
    from matplotlib import font_manager

    return str(font_manager.findfont(font_manager.FontProperties(family=[family])))


@cache
def _charmap(path: str) -> frozenset[int]:
    """Which characters a font has; none where it can't be drawn with (bitmaps of emoji)."""
    from matplotlib import font_manager

    try:
        font = font_manager.get_font(path)
        return frozenset(font.get_charmap()) if font.scalable else frozenset()
    except (RuntimeError, OSError):
        return frozenset()
