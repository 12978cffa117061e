"""The README shows what the demo really prints, and its Python runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_demos_output_is_the_true_one() -> None:
    shown = re.search(r"\$ make demo\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    done = subprocess.run([sys.executable, "-m", "rationalerm", "demo"], capture_output=True, text=True, check=True)
    assert _lines(shown[1]) == _lines(done.stdout)


def test_the_makefile_has_what_the_readme_names() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in set(re.findall(r"(?:\$ |`)make (\w+)", README)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_every_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)h][^)#]*)", README):
        assert (ROOT / target).exists(), target


def test_the_tree_is_the_tree() -> None:
    tree = README.split("src/rationalerm/\n")[1].split("```")[0]
    for name in re.findall(r"^  (\w+(?:\.py|/))", tree, re.MULTILINE):
        assert (ROOT / "src" / "rationalerm" / name).exists(), name


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]
