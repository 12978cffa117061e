"""Training curves: a panel a metric, a line a run, held-out points with their intervals, alarms as upright lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rationalerm.report.plots.style import drawable, look, new_figure, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["curves_figure"]

_ACROSS = 3


def curves_figure(data: Mapping[str, Any], scope: str = "") -> Figure | None:
    """All runs' curves; None where nothing was trained."""
    runs = data.get("curves") or []
    metrics = list(dict.fromkeys(name for run in runs for name, of in run["metrics"].items() if any(of.values())))
    if not metrics:
        return None
    across = min(_ACROSS, len(metrics))
    down = -(-len(metrics) // across)
    figure = new_figure(0.9 + 2.2 * down)
    panels = list(figure.subplots(down, across, squeeze=False).flat)
    for axes, metric in zip(panels, metrics, strict=False):
        for number, run in enumerate(runs):
            _run(axes, number, run, metric)
        axes.set_title(drawable(metric), loc="left")
        axes.set_xlabel("step")
    for axes in panels[len(metrics) :]:
        axes.set_axis_off()
    figure.legend(handles=_key(runs), loc="outside lower center", ncols=3)
    return figure


def _run(axes: Axes, number: int, run: Mapping[str, Any], metric: str) -> None:
    of = run["metrics"].get(metric) or {}
    colour, mark, dash = look(number)
    train = _defined(of.get("train"))
    if train:
        axes.plot([point[0] for point in train], [point[1] for point in train], color=colour, linestyle=dash, linewidth=1.1)
    held_out = _defined(of.get("held out"))
    for step, value, *ends in held_out:
        error = [[max(value - ends[0], 0.0)], [max(ends[1] - value, 0.0)]] if len(ends) == 2 and None not in ends else None
        axes.errorbar(step, value, yerr=error, fmt=mark, color=colour, markersize=4.5, elinewidth=0.9, zorder=3)
    if not train and held_out:
        axes.plot([point[0] for point in held_out], [point[1] for point in held_out], color=colour, linestyle=dash, linewidth=0.9)
    for alarm in run.get("alarms") or []:
        axes.axvline(alarm["step"], color=colour, linestyle=(0, (1, 2)), linewidth=1.2)


def _defined(points: Sequence[Sequence[Any]] | None) -> list[Sequence[Any]]:
    return [point for point in points or () if point[1] is not None]


def _key(runs: Sequence[Mapping[str, Any]]) -> list[Any]:
    from matplotlib.lines import Line2D

    key = []
    for number, run in enumerate(runs):
        colour, mark, dash = look(number)
        label = f"{wrapped(run['name'])} (marks: held out)" if _held_out(run) else wrapped(run["name"])
        key.append(Line2D([], [], color=colour, linestyle=dash, marker=mark if _held_out(run) else None, label=label))
    if any(run.get("alarms") for run in runs):
        key.append(Line2D([], [], color="#222222", linestyle=(0, (1, 2)), label="alarm: rationale degeneration"))
    return key


def _held_out(run: Mapping[str, Any]) -> bool:
    return any(of.get("held out") for of in run["metrics"].values())
