"""Two judges on the rows that both have: differences with their intervals, OA and RC side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rationalerm.report.plots.style import GREY, errors_of, new_figure, no_ticks, row_height, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["differences_figure"]

_MOST, _HEIGHT = 30, 8.0  # pairs on one page, and the inches that they have there
_NOISE = 0.05
_LOOKS = {"oa": ("OA", "#0072B2", "o"), "rc": ("RC", "#D55E00", "D")}


def differences_figure(data: Mapping[str, Any], scope: str = "") -> Figure | None:
    """A row a pair of judges, the largest difference in RC first; None with one judge."""
    pairs: dict[tuple[int, int], dict[str, Mapping[str, Any]]] = {}
    for one in (data.get("comparisons") or {}).get(scope) or []:
        pairs.setdefault((one["first"], one["second"]), {})[one["metric"]] = one
    if not pairs:
        return None
    order = sorted(pairs, key=lambda pair: -abs(pairs[pair].get("rc", {}).get("difference") or 0.0))[:_MOST]
    names = [wrapped(f"{data['judges'][second]['name']} \u2212 {data['judges'][first]['name']}", 44) for first, second in order]
    height = row_height(names, 0.22)
    order = order[: max(int(_HEIGHT / height), 1)]
    figure = new_figure(1.15 + height * len(order))
    panels = figure.subplots(1, 2, sharey=True)
    for axes, (metric, look) in zip(panels, _LOOKS.items(), strict=True):
        for k, pair in enumerate(order):
            if metric in pairs[pair]:
                _row(axes, k, pairs[pair][metric], look)
        axes.axvline(0, color=GREY, linewidth=0.9, zorder=1)
        axes.set_xlabel(f"difference in {look[0]}")
        axes.xaxis.set_major_locator(_few())
        no_ticks(axes)
    panels[0].set_yticks(range(len(order)), names[: len(order)])
    panels[0].set_ylim(len(order) - 0.5, -0.5)
    shown = f"the {len(order)} of {len(pairs)} pairs that differ most in RC; " if len(pairs) > len(order) else ""
    figure.suptitle(f"{shown}filled: Holm-corrected p < {_NOISE:g}", fontsize=7.5, color=GREY)
    return figure


def _few() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5)


def _row(axes: Axes, place: int, one: Mapping[str, Any], look: tuple[str, str, str]) -> None:
    _, colour, mark = look
    told = one["p_adjusted"] < _NOISE
    ends = errors_of([one["difference"], one.get("low"), one.get("high")])
    axes.errorbar(
        one["difference"],
        place,
        xerr=ends,
        fmt=mark,
        color=colour,
        markerfacecolor=colour if told else "white",
        markersize=4.5,
        elinewidth=1.0,
        zorder=3,
    )
