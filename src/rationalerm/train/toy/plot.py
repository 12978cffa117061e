"""The curves of the trained arms in one PNG: both parts of the reward, by step. Knows nothing of how they came about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rationalerm.train.toy.run import ToySummary

__all__ = ["draw"]

# Okabe and Ito's colours, which people with any colour vision can tell apart; each arm has a dash of its own too.
_LOOKS = {
    "outcome": ("#D55E00", "-"),
    "hybrid": ("#0072B2", "-"),
    "control": ("#009E73", "--"),
    "additive": ("#56B4E9", "-."),
    "rationale": ("#CC79A7", ":"),
    "capped": ("#E69F00", (0, (5, 1))),
}
_NAMES = {
    "outcome": "outcome (verdict alone)",
    "hybrid": "hybrid (verdict x reasons)",
    "control": "control (verdict alone, cues at chance)",
    "additive": "additive",
    "rationale": "reasons alone",
    "capped": "hybrid, reasons capped",
}
_WINDOW = 15  # steps of the moving mean: a step is 128 answers to 16 prompts


def draw(summary: ToySummary, path: Path) -> None:
    """Writes the picture at once; nothing where no arm was trained.

    Args:
        summary: its curves are drawn, a moving mean over the pale steps.
        path: the PNG.
    """
    if not summary.curves:
        return
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.6), dpi=140, layout="constrained")
    FigureCanvasAgg(figure)
    titles = {"outcome": "Verdict is the human's (outcome)", "rationale": "Reasons are the human's (average precision)"}
    for axes, (part, title) in zip(figure.subplots(1, 2, sharey=True), titles.items(), strict=True):
        for name, look in _LOOKS.items():
            if name in summary.curves:
                _line(
                    axes, [(row["step"], row[part]) for row in summary.curves[name] if row[part] is not None], _NAMES[name], look
                )
        axes.set(title=title, xlabel="step of GRPO", ylim=(0, 1))
        axes.grid(alpha=0.25)
    figure.axes[0].set_ylabel("mean over the step's answers")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(3, len(handles)), frameon=False)
    figure.suptitle(f"A toy with a shortcut on purpose, seed {summary.config.seed}", fontsize=11)
    fresh = path.with_name(f".{path.name}.new")
    figure.savefig(fresh, format="png")
    fresh.replace(path)


def _line(axes: Any, points: list[tuple[int, float]], label: str, look: tuple[str, Any]) -> None:
    colour, dash = look
    steps, values = [step for step, _ in points], [value for _, value in points]
    smooth = [sum(part) / len(part) for k in range(len(values)) if (part := values[max(0, k - _WINDOW + 1) : k + 1])]
    axes.plot(steps, values, color=colour, alpha=0.18, linewidth=0.8)
    axes.plot(steps, smooth, color=colour, linestyle=dash, linewidth=2.2, label=label)
