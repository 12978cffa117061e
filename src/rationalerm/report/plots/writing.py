"""Each plot of a report as SVG and PNG: which there are, and the files. The same data makes the same bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rationalerm.data.log import replace_file
from rationalerm.errors import UsageError
from rationalerm.report.tables import shown_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["DPI", "write_plots"]

DPI = 300


def write_plots(folder: Path | str, data: Mapping[str, Any], *, scope: str = "") -> list[Path]:
    """Writes map, differences, agreement, kinds, flaws and curves as .svg and .png, those of which there are data.

    Letters are paths in the SVG: it looks the same wherever it is read. Its description has the names as text.

    Args:
        folder: where to; it is made. A plot of an earlier call that has no data now stays.
        data: the head of the report's page (`figures`, `trap`, `ceiling`, `comparisons`, `agreement`, `kinds`, `curves`).
        scope: a domain, for the map and the differences; empty for all rows. The others are of all rows.

    Returns:
        The files, in order.

    Raises:
        UsageError: matplotlib or textalloc is missing, or no such domain.
        DataError: a file can't be written.
    """
    try:
        import matplotlib
        import textalloc  # noqa: F401
    except ImportError as error:
        raise UsageError(f'plots need {error.name or "matplotlib"}: pip install "rationalerm[report]"') from None
    if scope and scope not in data["domains"]:
        raise UsageError(f"no rows of domain {scope}; there are {', '.join(data['domains']) or 'none'}")
    from rationalerm.report.plots.style import settings

    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    with matplotlib.rc_context():  # whatever the user's matplotlibrc says
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(settings(_names(data)))
        for name, draw in _plots().items():
            figure = draw(data, scope)
            if figure is not None:
                written += _save(figure, out / name, _about(name, data))
    return written


def _plots() -> dict[str, Callable[[Mapping[str, Any], str], Figure | None]]:
    from rationalerm.report.plots.agreement import agreement_figure
    from rationalerm.report.plots.curves import curves_figure
    from rationalerm.report.plots.differences import differences_figure
    from rationalerm.report.plots.kinds import flaws_figure, kinds_figure
    from rationalerm.report.plots.map import map_figure

    return {
        "map": map_figure,
        "differences": differences_figure,
        "agreement": agreement_figure,
        "kinds": kinds_figure,
        "flaws": flaws_figure,
        "curves": curves_figure,
    }


def _names(data: Mapping[str, Any]) -> list[str]:
    """All names that are drawn."""
    curves = [name for curve in data.get("curves") or () for name in (curve["name"], *curve["metrics"])]
    return [*(judge["name"] for judge in data["judges"]), *curves]


def _about(name: str, data: Mapping[str, Any]) -> dict[str, str]:
    judges = ", ".join(shown_name(judge["name"]) for judge in data["judges"])
    rule = f" Trap: {data['trap_rule']}" if name == "map" and data.get("trap_rule") else ""
    title = f"{name}: {shown_name(str(data.get('title', '')))}"
    return {"Title": title, "Description": f"Judges: {judges}.{shown_name(rule)} rationalerm {data.get('version', '')}".strip()}


def _save(figure: Figure, stem: Path, about: Mapping[str, str]) -> list[Path]:
    made = []
    for form, more in (("svg", {"Date": None}), ("png", {})):
        drawn = io.BytesIO()
        figure.savefig(drawn, format=form, dpi=DPI, metadata={**about, **more})
        made.append(stem.with_name(f"{stem.name}.{form}"))
        replace_file(made[-1], [drawn.getvalue()])
    return made
