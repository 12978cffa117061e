"""What people install: the wheel, in an empty environment, on every Python from 3.11 that this machine has, runs the demo."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def interpreter(version: str) -> str | None:
    """A working interpreter of that version, or None (a version manager's shim may stand on the PATH and not work)."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    homes = sorted(Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser().glob(f"versions/{version}.*/bin/python"))
    for found in (sys.executable if version == here else None, shutil.which(f"python{version}"), *map(str, homes)):
        if found and version in subprocess.run([found, "--version"], capture_output=True, text=True).stdout:
            return found
    return None


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(ROOT)], check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    return built


def test_the_wheel_holds_what_it_needs(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.endswith("sample/pairs.jsonl") for name in names)
    assert any(name.endswith("py.typed") for name in names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert any(name.endswith("licenses/NOTICE") for name in names)
    assert not any("contrast" in name or name.startswith("tests") for name in names)


@pytest.mark.parametrize("version", VERSIONS)
def test_it_runs_the_demo_in_an_empty_environment(wheel: Path, version: str, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no Python {version} on this machine")
    env = tmp_path / "env"
    subprocess.run([python, "-m", "venv", str(env)], check=True)
    bin_ = env / "bin"
    install = [
        str(bin_ / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        str(wheel),
        "-c",
        str(ROOT / "constraints.txt"),
    ]
    subprocess.run(install, check=True, capture_output=True)
    clean = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "HF_HUB_OFFLINE": "1",
        "http_proxy": "http://127.0.0.1:9",
        "https_proxy": "http://127.0.0.1:9",
    }
    ran = subprocess.run([str(bin_ / "rationalerm"), "demo", "--json"], capture_output=True, text=True, env=clean, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    judges = json.loads(ran.stdout)["judges"]
    assert judges["checks"]["rationale_consistency"] > judges["surface"]["rationale_consistency"] + 0.2
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(
        '{"human-checklist": ["Response 1 omits the unit."], "j-checklist": ["A gives no unit."], "j-label": "B>A"}\n'
    )
    asked = ["match", str(pairs), "--judge", "j", "--model", "m", "--dry-run", "--json"]
    local = clean | {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    ran = subprocess.run([str(bin_ / "rationalerm"), *asked], capture_output=True, text=True, env=local, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["calls"] == 1  # the prompts are in the wheel
    prompts = "import rationalerm.llm.client; from rationalerm.prompts import load, names; print(len([load(n) for n in names()]))"
    ran = subprocess.run([str(bin_ / "python"), "-c", prompts], capture_output=True, text=True, env=clean, cwd=tmp_path)
    assert int(ran.stdout) >= 9, ran.stderr
    (site,) = (env / "lib").glob("python*/site-packages")
    size = sum(p.stat().st_size for p in site.rglob("*") if p.is_file())
    assert size < 360e6, f"site-packages is {size / 1e6:.0f} MB"
    listed = subprocess.run([str(bin_ / "python"), "-m", "pip", "list"], capture_output=True, text=True).stdout.lower()
    assert "torch" not in listed
    assert "openai" not in listed
