"""The size of a core install: a fresh environment, the wheel built from this checkout, site-packages without pip."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main() -> None:
    """Prints megabytes, largest first."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", folder, str(ROOT)], check=True, capture_output=True)
        (wheel,) = Path(folder).glob("*.whl")
        home = Path(folder) / "env"
        venv.create(home, with_pip=True)
        pip = [home / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, wheel, "-c", ROOT / "constraints.txt"], check=True, capture_output=True)
        (site,) = (home / "lib").glob("python*/site-packages")
        sizes = {
            p.name: _megabytes(p)
            for p in site.iterdir()
            if not p.name.startswith(("pip", "setuptools", "_distutils", "pkg_resources"))
        }
        largest = ", ".join(f"{name} {size:.0f}" for name, size in sorted(sizes.items(), key=lambda kv: -kv[1])[:6])
        print(f"install: wheel {wheel.stat().st_size / 1e6:.1f} MB, site-packages {sum(sizes.values()):.0f} MB ({largest})")


def _megabytes(path: Path) -> float:
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return sum(p.stat().st_size for p in files) / 1e6


if __name__ == "__main__":
    main()
