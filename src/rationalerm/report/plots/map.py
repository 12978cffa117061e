"""The map: outcome accuracy across, rationale consistency up. Far right and low is right for the wrong reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rationalerm.report.plots.labels import Line, place
from rationalerm.report.plots.style import GREY, INK, drawable, errors_of, look, new_figure, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["map_figure"]

_TRAP = "#D55E00"
_PAD = 0.1  # of the data's range: room for names


def map_figure(data: Mapping[str, Any], scope: str = "") -> Figure | None:
    """The map of one scope; None where no judge has both figures."""
    judges = [(k, judge, judge["figures"].get(scope) or {}) for k, judge in enumerate(data["judges"])]
    found = [(k, judge["name"], figures) for k, judge, figures in judges if _both(figures)]
    if not found:
        return None
    figure = new_figure(min(5.0 + 0.1 * max(len(found) - 8, 0), 7.5))
    axes = figure.add_subplot()
    ceiling, trap = ((data.get(name) or {}).get(scope) for name in ("ceiling", "trap"))
    _limits(axes, [figures for _, _, figures in found], ceiling, trap)
    chance = _chance([figures for _, _, figures in found])
    handles = [*_trap(axes, trap), *_ceiling(axes, ceiling), *_by_chance(axes, chance), *_bars([f for _, _, f in found])]
    crosses = [
        *_upright(axes, ceiling),
        *_level(axes, chance),
        *(line for k, _, figures in found for line in _mark(axes, k, figures)),
    ]
    axes.set_xlabel("outcome accuracy (OA): how often the verdict is the human's")
    axes.set_ylabel("rationale consistency (RC): share of the human's reasons given")
    if left_out := [judge["name"] for _, judge, figures in judges if not _both(figures)]:
        axes.set_title(
            f"not on the map, OA or RC is not defined: {', '.join(map(drawable, left_out))}", loc="left", fontsize=7, wrap=True
        )
    points = [(figures["oa"][0], figures["rc"][0]) for _, _, figures in found]
    _finish(figure, handles)
    if not place(axes, points, [wrapped(name) for _, name, _ in found], crosses):
        _numbered(figure, axes, points, [name for _, name, _ in found], [k for k, _, _ in found], handles, crosses)
    return figure


def _both(figures: Mapping[str, Any]) -> bool:
    return all((figures.get(name) or [None])[0] is not None for name in ("oa", "rc"))


def _finish(figure: Figure, handles: Sequence[Any], columns: int = 1) -> None:
    """The key below, then the layout for good: labels are placed in it."""
    if handles:
        figure.legend(handles=list(handles), loc="outside lower center", ncols=columns, handlelength=2.4)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def _limits(
    axes: Axes, found: Sequence[Mapping[str, Any]], ceiling: Mapping[str, Any] | None, trap: Mapping[str, Any] | None
) -> None:
    """Around all that is drawn, within 0 and 1 and a little."""
    for name, border, change in (("oa", "oa_from", axes.set_xlim), ("rc", "rc_to", axes.set_ylim)):
        values = [value for figures in found for value in figures[name][:3] if value is not None]
        values += [value for value in ((ceiling or {}).get(name) or ())[:1] if value is not None]
        values += [trap[border]] if trap else []
        low, high = min(values), max(values)
        room = max(_PAD * (high - low), 0.03)
        change(max(low - room, -0.03), min(high + room, 1.03))


def _mark(axes: Axes, number: int, figures: Mapping[str, Any]) -> list[Line]:
    """A judge's mark and cross; the cross's lines."""
    oa, rc = figures["oa"], figures["rc"]
    colour, mark, _ = look(number)
    axes.errorbar(oa[0], rc[0], xerr=errors_of(oa), yerr=errors_of(rc), fmt="none", ecolor=colour, elinewidth=0.8, alpha=0.55)
    axes.plot(
        oa[0],
        rc[0],
        mark,
        color=colour,
        markersize=6.5 if mark != "*" else 9,
        markeredgecolor="white",
        markeredgewidth=0.6,
        zorder=4,
    )
    across = [((oa[1], oa[2]), (rc[0], rc[0]))] if errors_of(oa) else []
    return [*across, *([((oa[0], oa[0]), (rc[1], rc[2]))] if errors_of(rc) else [])]


def _trap(axes: Axes, trap: Mapping[str, Any] | None) -> list[Any]:
    """The region, and its entry in the key."""
    if not trap:
        return []
    from matplotlib.patches import Rectangle

    left, bottom = trap["oa_from"], axes.get_ylim()[0]
    right = min(axes.get_xlim()[1], 1.0)  # no judge is right more often than always
    region = Rectangle(
        (left, bottom),
        right - left,
        trap["rc_to"] - bottom,
        facecolor=(*_rgb(_TRAP), 0.07),
        edgecolor=(*_rgb(_TRAP), 0.45),
        hatch="///",
        linewidth=0.8,
        zorder=0.5,
        label=f"the trap, right for the wrong reasons: OA from {left:.2f}, RC to {trap['rc_to']:.2f}",
    )
    axes.add_patch(region)
    return [region]


def _rgb(colour: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    return to_rgb(colour)


def _ceiling(axes: Axes, ceiling: Mapping[str, Any] | None) -> list[Any]:
    """Human against human: lines across and up."""
    lines = []
    over = "" if not ceiling else f" ({ceiling['annotators']} annotators, {ceiling['rows']} rows)"
    for name, dash, draw in (("rc", "--", axes.axhline), ("oa", ":", axes.axvline)):
        value = (ceiling or {}).get(name)
        if value and value[0] is not None:
            label = f"human against human{over}: {name.upper()} {value[0]:.2f}"
            lines.append(draw(value[0], color=INK, linestyle=dash, linewidth=1.1, label=label, zorder=1))
    return lines


def _upright(axes: Axes, ceiling: Mapping[str, Any] | None) -> list[Line]:
    """The same lines, for the names to stay clear of."""
    rc, oa = ((ceiling or {}).get(name) for name in ("rc", "oa"))
    across = [(axes.get_xlim(), (rc[0], rc[0]))] if rc and rc[0] is not None else []
    return [*across, *([((oa[0], oa[0]), axes.get_ylim())] if oa and oa[0] is not None else [])]


def _chance(found: Sequence[Mapping[str, Any]]) -> tuple[float, float] | None:
    """The lowest and the highest RC of reasons for another row; None where it was not measured."""
    values = [value for figures in found if (value := figures.get("chance")) is not None]
    return (min(values), max(values)) if values else None


def _by_chance(axes: Axes, chance: tuple[float, float] | None) -> list[Any]:
    """The line of the highest, where the axes have it, and its entry in the key."""
    if not _level(axes, chance) or chance is None:
        return []
    low, high = chance
    said = f"{high:.3f}" if low == high else f"{low:.3f} to {high:.3f}"
    label = f"by chance, reasons for another row: RC {said}"
    return [axes.axhline(high, color=GREY, linestyle=(0, (1, 3)), linewidth=1.1, label=label, zorder=1)]


def _level(axes: Axes, chance: tuple[float, float] | None) -> list[Line]:
    low, high = axes.get_ylim()
    return [(axes.get_xlim(), (chance[1], chance[1]))] if chance and low <= chance[1] <= high else []


def _bars(found: Sequence[Mapping[str, Any]]) -> list[Any]:
    """What the crosses are, for the key."""
    from matplotlib.lines import Line2D

    if not any(errors_of(figures[name]) for figures in found for name in ("oa", "rc")):
        return []
    return [Line2D([], [], color=GREY, linewidth=0.8, label="bars: 95% intervals")]


def _numbered(
    figure: Figure,
    axes: Axes,
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    numbers: Sequence[int],
    handles: Sequence[Any],
    crosses: Sequence[Line],
) -> None:
    """Numbers at the marks, names in the key: for names that are too long, or too many in one place."""
    from matplotlib.lines import Line2D

    marks, lines = [], 0
    for place_of, (name, number) in enumerate(zip(names, numbers, strict=True), 1):
        colour, mark, _ = look(number)
        label = f"{place_of}  {wrapped(name, 44)}"
        marks.append(Line2D([], [], color=colour, marker=mark, linestyle="none", label=label))
        lines += 1 + label.count("\n")
    for legend in list(figure.legends):
        legend.remove()
    figure.set_layout_engine("constrained")
    figure.set_figheight(figure.get_figheight() + 0.06 * lines)
    _finish(figure, [*handles, *marks], columns=2)
    if not place(axes, points, [str(k) for k in range(1, len(names) + 1)], crosses, anyhow=True):
        for k, point in enumerate(points, 1):  # marks on one spot: no library can part them
            axes.annotate(str(k), point, xytext=(4, 4), textcoords="offset points", fontsize=6, color=GREY)
