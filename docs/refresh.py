"""Brings the README up to date: what `rationalerm demo` prints, and the pictures: docs/demo.svg (the map), docs/report.png and
docs/row.png (the demo's page, in Chromium).

With --toy also docs/toy.png, the curves of `rationalerm train demo` (minutes).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "tests" / "report"))

from browser import opened  # noqa: E402


def main() -> None:
    """Runs the demo, writes and draws."""
    readme = DOCS.parent / "README.md"
    with tempfile.TemporaryDirectory() as folder:
        shown = "\n".join(line.rstrip() for line in _run(folder, "demo").strip().splitlines())
        text = readme.read_text("utf-8")
        made = re.sub(r"(?<=\$ make demo\n).*?(?=```)", lambda _: shown + "\n", text, count=1, flags=re.DOTALL)
        readme.write_text(made, "utf-8")
        _run(folder, "demo", "--out", "runs/demo")
        _run(folder, "report", "runs/demo", "--plots", "plots")
        shutil.copyfile(Path(folder) / "plots" / "map.svg", DOCS / "demo.svg")
        _pictures(Path(folder) / "runs" / "demo" / "report.html")
    if "--toy" in sys.argv[1:]:
        _toy()


def _pictures(page: Path) -> None:
    """The page's first screen, and a row that is open."""
    with opened() as browser:
        shown = browser.new_page(viewport={"width": 1120, "height": 1060}, color_scheme="light")
        shown.goto(page.as_uri())
        shown.wait_for_selector("#map svg")
        shown.screenshot(path=DOCS / "report.png")
        shown.set_viewport_size({"width": 1120, "height": 1800})
        shown.goto(page.as_uri() + "#row=code-02&judge=checks&order=AB")
        shown.reload()
        shown.wait_for_selector(".detail")
        shown.wait_for_timeout(1000)
        shown.locator(".detail").screenshot(path=DOCS / "row.png")


def _toy() -> None:
    with tempfile.TemporaryDirectory() as out:
        _run(out, "train", "demo", "--out", out, "--json")
        shutil.copyfile(Path(out) / "curves.png", DOCS / "toy.png")


def _run(folder: str, *words: str) -> str:
    command = [sys.executable, "-m", "rationalerm", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
