"""Names at their marks so that none overlaps another; numbers and a key where there is no room for names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rationalerm.report.plots.style import GREY, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["place"]

Line = tuple[Sequence[float], Sequence[float]]


_SIZE = 7  # points


class _How(NamedTuple):
    """What a name stays clear of beside the other names and the marks, and how far it may be from its mark."""

    lines: bool
    leaders: bool
    distance: float


_TRIES = (
    _How(True, True, 0.12),
    _How(True, True, 0.3),
    _How(False, True, 0.15),
    _How(False, True, 0.4),
)
_LAST = _How(False, False, 0.4)


def place(
    axes: Axes, points: Sequence[tuple[float, float]], names: Sequence[str], lines: Sequence[Line], *, anyhow: bool = False
) -> bool:
    """Writes the names, with a thin line to a mark that is not beside.

    Args:
        axes: with its final limits, in a figure with its final layout.
        points: the marks.
        names: theirs.
        lines: not to be written over if it can be helped.
        anyhow: lines to the marks may run behind names, if there is no other way.

    Returns:
        False, and nothing is written, where not every name finds a place.
    """
    return any(_try(axes, points, names, lines if how.lines else (), how) for how in (*_TRIES, *((_LAST,) if anyhow else ())))


def _try(
    axes: Axes,
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    lines: Sequence[Line],
    how: _How,
) -> bool:
    import textalloc
    from matplotlib.patheffects import withStroke

    x, y = [point[0] for point in points], [point[1] for point in points]
    _, _, texts, leaders = textalloc.allocate(
        axes,
        x,
        y,
        list(names),
        x_scatter=x,
        y_scatter=y,
        x_lines=[list(line[0]) for line in lines] or None,
        y_lines=[list(line[1]) for line in lines] or None,
        textsize=_SIZE,
        textcolor=INK,
        linecolor=GREY,
        linewidth=0.5,
        margin=0.006,
        min_distance=0.012,
        max_distance=how.distance,
        nbr_candidates=400,
        draw_all=False,
        avoid_label_lines_overlap=how.leaders,
        avoid_crossing_label_lines=how.leaders,
        priority_strategy="largest",
        path_effects=[withStroke(linewidth=2, foreground="white")],
        zorder=5,
    )
    placed = sum(text is not None for text in texts) == len(names)
    if not placed:
        for artist in (*texts, *leaders):
            if artist is not None:
                artist.remove()
    return placed
