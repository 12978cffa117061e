"""Draws docs/demo.svg, the README's picture, from `rationalerm demo --json`: OA across, RC up, crosses = 95% intervals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
mpl.rcParams["svg.hashsalt"] = "rationalerm"  # the same picture from the same figures
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = {"checks": "#0072b2", "surface": "#d55e00", "noisy": "#666666"}  # told apart by colour-blind eyes too
WORDS = {"checks": "looks for evidence", "surface": "right for other reasons", "noisy": "ties, refusals, broken answers"}


def main() -> None:
    """Runs the demo and draws."""
    done = subprocess.run([sys.executable, "-m", "rationalerm", "demo", "--json"], capture_output=True, text=True, check=True)
    judges = json.loads(done.stdout)["judges"]
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    for name, judge in judges.items():
        x, y = judge["outcome_accuracy"], judge["rationale_consistency"]
        (x0, x1), (y0, y1) = judge["outcome_accuracy_ci"], judge["rationale_consistency_ci"]
        axes.errorbar(x, y, xerr=[[x - x0], [x1 - x]], yerr=[[y - y0], [y1 - y]], fmt="o", color=COLOURS[name], capsize=3)
        axes.annotate(f"{name}: {WORDS[name]}", (x, y1), xytext=(0, 5), textcoords="offset points", color=COLOURS[name], ha="center")
    axes.set(xlim=(0.5, 1.0), ylim=(-0.015, 0.33), xlabel="outcome accuracy: right verdicts", ylabel="rationale consistency")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    out = Path(__file__).with_name("demo.svg")
    figure.savefig(out, metadata={"Date": None})
    print(out)


if __name__ == "__main__":
    main()
