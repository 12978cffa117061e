"""Which reasons the judges give: kinds as stacked bars, flaws as dots with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rationalerm.report.plots.style import INK, errors_of, look, new_figure, no_ticks, row_height, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["flaws_figure", "kinds_figure"]

_KINDS = {
    "EG": ("evidence-grounded (EG)", "#0072B2", "", "white"),
    "CG": ("criterion-grounded (CG)", "#9AD0F5", "///", INK),
    "GS": ("generic or style (GS)", "#E69F00", "...", INK),
}
_FLAWS = {
    "F1": "style only",
    "F2": "generic\ncorrectness",
    "F3": "generic\nrelevance",
    "F4": "single-sided\npraise",
    "F5": "unfalsifiable",
    "F6": "non sequitur",
    "F7": "contradicts\nanother",
}
_ROOM = 0.07  # a share that has room for its number


def kinds_figure(data: Mapping[str, Any], scope: str = "") -> Figure | None:
    """A bar a judge; None where reasons were not tagged."""
    judges = _tagged(data, ("EG", "CG", "GS"))
    if not judges:
        return None
    figure = new_figure(1.1 + row_height(_names(data, judges), 0.28) * len(judges))
    axes = figure.add_subplot()
    left = [0.0] * len(judges)
    for key, (label, colour, hatch, ink) in _KINDS.items():
        shares = [entry[key][0] or 0.0 for entry in judges]
        axes.barh(range(len(judges)), shares, left=left, color=colour, hatch=hatch, edgecolor="white", height=0.72, label=label)
        for k, share in enumerate(shares):
            if share >= _ROOM:
                box = {"facecolor": colour, "edgecolor": "none", "pad": 0.8}
                axes.text(
                    left[k] + share / 2, k, f"{100 * share:.0f}%", ha="center", va="center", fontsize=7, color=ink, bbox=box
                )
        left = [a + b for a, b in zip(left, shares, strict=True)]
    _judges(axes, data, judges)
    axes.set(xlim=(0, 1), xlabel="share of the judge's reasons (behind the name: how many)")
    axes.xaxis.set_major_formatter(_percent())
    figure.legend(loc="outside upper center", ncols=3)
    return figure


def flaws_figure(data: Mapping[str, Any], scope: str = "") -> Figure | None:
    """A panel a flaw, a row a judge; None where reasons were not tagged."""
    judges = _tagged(data, tuple(_FLAWS))
    if not judges:
        return None
    figure = new_figure(1.2 + row_height(_names(data, judges), 0.24) * len(judges))
    panels = figure.subplots(1, len(_FLAWS), sharey=True)
    most = max((value for entry in judges for key in _FLAWS for value in entry[key][:3] if value is not None), default=1.0)
    for axes, (key, words) in zip(panels, _FLAWS.items(), strict=True):
        for k, entry in enumerate(judges):
            value = entry[key]
            if value[0] is not None:
                colour, mark, _ = look(entry["judge"])
                axes.errorbar(
                    value[0], k, xerr=errors_of(value), fmt=mark, color=colour, markersize=3.4, elinewidth=0.9, clip_on=False
                )
        axes.set_title(f"{key}\n{words}", fontsize=7, va="bottom")
        axes.set(xlim=(0, min(1.0, 1.08 * most) or 1.0))
        axes.xaxis.set_major_formatter(_percent())
        axes.xaxis.set_major_locator(_few())
        no_ticks(axes)
        axes.grid(visible=True, axis="y")
    _judges(panels[0], data, judges)
    panels[0].grid(visible=True, axis="y")
    figure.supxlabel("share of the judge's reasons that have the flaw (behind the name: how many reasons)", fontsize=8)
    return figure


def _tagged(data: Mapping[str, Any], keys: tuple[str, ...]) -> list[Mapping[str, Any]]:
    """The judges whose reasons were tagged, in the page's order; a share that is not there is none, not 0."""
    undefined = [None, None, None, 0]
    entries = (data.get("kinds") or {}).get("judges") or []
    known = [{**entry, **{key: entry.get(key) or undefined for key in keys}} for entry in entries]
    return [entry for entry in known if any(entry[key][0] is not None for key in keys)]


def _judges(axes: Axes, data: Mapping[str, Any], judges: list[Mapping[str, Any]]) -> None:
    """Names down the side, first on top, with how many reasons."""
    axes.set_yticks(range(len(judges)), _names(data, judges))
    axes.set_ylim(len(judges) - 0.5, -0.5)
    no_ticks(axes)


def _names(data: Mapping[str, Any], judges: list[Mapping[str, Any]]) -> list[str]:
    return [f"{wrapped(data['judges'][entry['judge']]['name'])} ({entry['n']})" for entry in judges]


def _percent() -> Any:
    from matplotlib.ticker import PercentFormatter

    return PercentFormatter(1.0, decimals=0)


def _few() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(2)
