"""Two evaluators on the same judges: RC by one across, by the other up. On the diagonal both say the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rationalerm.report.plots.labels import place
from rationalerm.report.plots.style import GREY, drawable, look, new_figure, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["agreement_figure"]

_PAD = 0.15  # of the data's range: room for names
_FIGURES = (("r2", "R²"), ("rmse", "RMSE"), ("slope", "slope"), ("spearman", "Spearman"))


def agreement_figure(data: Mapping[str, Any], scope: str = "") -> Figure | None:
    """The scatter; None without two evaluators, or with no judge that both have scored. `scope` changes nothing."""
    found = data.get("agreement")
    judges = [one for one in (found or {}).get("judges", ()) if one["x"] is not None and one["y"] is not None]
    if not found or not judges:
        return None
    figure = new_figure(5.0)
    axes = figure.add_subplot()
    low, high = _range([value for one in judges for value in (one["x"], one["y"])])
    axes.set(xlim=(low, high), ylim=(low, high), aspect="equal")
    axes.plot([low, high], [low, high], color=GREY, linewidth=0.8, linestyle="--", zorder=1)
    known = [judge["name"] for judge in data["judges"]]
    for number, one in enumerate(judges):
        colour, mark, _ = look(known.index(one["name"]) if one["name"] in known else number)
        size = 6.5 if mark != "*" else 9
        axes.plot(one["x"], one["y"], mark, color=colour, markersize=size, markeredgecolor="white", markeredgewidth=0.6, zorder=4)
    axes.set_xlabel(f"RC by {drawable(found['first'])}")
    axes.set_ylabel(f"RC by {drawable(found['second'])}")
    axes.set_title(f"{_said(found)}; {found['rows']} rows; dashed: both say the same", loc="left", fontsize=8)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    diagonal = [((low, high), (low, high))]
    place(axes, [(one["x"], one["y"]) for one in judges], [wrapped(one["name"]) for one in judges], diagonal, anyhow=True)
    return figure


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    room = max(_PAD * (high - low), 0.02)
    return max(low - room, -0.02), min(high + room, 1.02)


def _said(found: Mapping[str, Any]) -> str:
    """The figures that are defined."""
    return ", ".join(f"{title} {found[name][0]:.3f}" for name, title in _FIGURES if found[name][0] is not None) or "no figure"
