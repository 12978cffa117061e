"""Brings the README up to date: what `rationalerm demo` prints, and docs/demo.svg (OA across, RC up) from its figures.

With --toy also docs/toy.png, the curves of `rationalerm train demo` (minutes).
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")
mpl.rcParams["svg.hashsalt"] = "rationalerm"  # the same picture from the same figures
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = {"checks": "#0072b2", "surface": "#d55e00", "noisy": "#666666"}  # told apart by colour-blind eyes too
WORDS = {"checks": "looks for evidence", "surface": "right for other reasons", "noisy": "ties, refusals, broken answers"}


def main() -> None:
    """Runs the demo, writes and draws."""
    readme = Path(__file__).parent.parent / "README.md"
    shown = "\n".join(line.rstrip() for line in _demo().strip().splitlines())
    text = readme.read_text("utf-8")
    readme.write_text(re.sub(r"(?<=\$ make demo\n).*?(?=```)", lambda _: shown + "\n", text, count=1, flags=re.DOTALL), "utf-8")
    _draw(json.loads(_demo("--json"))["judges"])
    if "--toy" in sys.argv[1:]:
        _toy()


def _toy() -> None:
    with tempfile.TemporaryDirectory() as out:
        subprocess.run(
            [sys.executable, "-m", "rationalerm", "train", "demo", "--out", out, "--json"], check=True, stdout=subprocess.DEVNULL
        )
        shutil.copyfile(Path(out) / "curves.png", Path(__file__).with_name("toy.png"))


def _demo(*options: str) -> str:
    command = [sys.executable, "-m", "rationalerm", "demo", *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _draw(judges: dict[str, dict[str, Any]]) -> None:
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    for name, judge in judges.items():
        x, y = judge["outcome_accuracy"], judge["rationale_consistency"]
        (x0, x1), (y0, y1) = judge["outcome_accuracy_ci"], judge["rationale_consistency_ci"]
        axes.errorbar(x, y, xerr=[[x - x0], [x1 - x]], yerr=[[y - y0], [y1 - y]], fmt="o", color=COLOURS[name], capsize=3)
        high = y1 if name != "surface" else y0  # under its bar: over it stands another's
        place = {"xy": (x, high), "xytext": (0, 5 if high == y1 else -14), "ha": "center"}
        axes.annotate(f"{name}: {WORDS[name]}", textcoords="offset points", color=COLOURS[name], **place)
    axes.set(xlim=(0.5, 1.0), ylim=(-0.04, 0.42), xlabel="outcome accuracy: right verdicts", ylabel="rationale consistency")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    out = Path(__file__).with_name("demo.svg")
    figure.savefig(out, metadata={"Date": None})


if __name__ == "__main__":
    main()
