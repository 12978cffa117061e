"""`make adapters`: each framework with all of its own dependencies, in an environment of its own, and its test file in it.

Writes docs/adapters_result.md: what was resolved, what ran, what could not be installed here and why. Slow (minutes a framework)
and large (gigabytes), so it is no part of the gate; .ci/adapters is.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENTS, RESULT = ROOT / ".venv-adapters", ROOT / "docs" / "adapters_result.md"
FRAMEWORKS = {
    "trl": "trl==1.16.0",
    "verl": "verl==0.9.1",
    "openrlhf": "openrlhf==0.11.2",
    "verifiers": "verifiers==0.4.0",
    "ms_swift": "ms-swift==4.6.0",
    "inspect": "inspect-ai==0.3.285",
}
WATCHED = ("torch", "transformers", "trl", "ray", "openai", "datasets")  # what they can't agree on
NEEDS_CUDA = {"openrlhf": "flash-attn"}
TORCH = "torch==2.13.0"  # elsewhere the newest one brings several GB of CUDA


class Done(NamedTuple):
    """One framework's row."""

    spec: str
    resolved: str
    ran: str
    result: str


def main() -> None:
    """Runs the named frameworks, or all, and writes the rows of those that ran over the old ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FRAMEWORKS)}; without one all")
    parser.add_argument("--keep", action="store_true", help="keep the environments")
    args = parser.parse_args()
    if unknown := set(args.names) - set(FRAMEWORKS):
        parser.error(f"no framework {', '.join(unknown)}")
    rows = _old_rows()
    for name in args.names or FRAMEWORKS:
        here = ENVIRONMENTS / f"full-{name}"
        done = one(name, here)
        rows[name] = f"| {name} | {done.spec} | {done.resolved} | {done.ran} | {done.result} | {datetime.date.today()} |"
        sys.stdout.write(f"{name}: {done.result}\n")
        _write(rows)
        if not args.keep:
            shutil.rmtree(here, ignore_errors=True)


def one(name: str, here: Path) -> Done:
    """Makes the environment and runs the test file in it."""
    spec, start = FRAMEWORKS[name], time.monotonic()
    shutil.rmtree(here, ignore_errors=True)
    _run([sys.executable, "-m", "venv", "--without-pip", str(here)])
    limits = here / "constraints.txt"
    limits.write_text(TORCH + "\n")
    made, without = _install(here, spec, ["-c", str(limits)]), ""
    if made.returncode and name in NEEDS_CUDA:
        without = f"without {NEEDS_CUDA[name]}, which builds only where CUDA's compiler is; "
        made = _install_rest(here, spec, ["-c", str(limits)], NEEDS_CUDA[name])
    if made.returncode:
        return Done(spec, "", "", f"not installed: {without}{_why(made.stderr + made.stdout)}")
    seconds = time.monotonic() - start
    test = f"tests/adapters/test_{name}_adapter.py"
    said = _run([str(here / "bin" / "python"), "-m", "pytest", test, "-q", "-p", "no:cacheprovider"])
    last = said.stdout.strip().splitlines()[-1] if said.stdout.strip() else said.stderr.strip()[-200:]
    if said.returncode:
        sys.stdout.write(said.stdout + said.stderr)
    return Done(spec, _versions(here), f"`{test}`", f"{last} ({without}installed in {seconds:.0f} s)")


def _install(here: Path, *what: str | list[str]) -> subprocess.CompletedProcess[str]:
    """The framework with all it asks for, this package, and what the tests read files with."""
    pip = [sys.executable, "-m", "pip", "--python", str(here / "bin" / "python"), "install", "-qq", "--disable-pip-version-check"]
    words = [word for one in what for word in ([one] if isinstance(one, str) else one)]
    return _run([*pip, *words, "-e", str(ROOT), "pytest", "pyarrow", "datasets", "torch", "transformers"])


def _install_rest(here: Path, spec: str, limits: list[str], but: str) -> subprocess.CompletedProcess[str]:
    """The same, without one of its dependencies."""
    python = str(here / "bin" / "python")
    made = _install(here, limits, "setuptools", "wheel", "ninja", "hatchling", "editables")
    if made.returncode:
        return made
    made = _run([sys.executable, "-m", "pip", "--python", python, "install", "-qq", "--no-deps", spec])
    asked = f"from importlib.metadata import requires; print(chr(10).join(requires({spec.split('==')[0]!r})))"
    wanted = [line for line in _run([python, "-c", asked]).stdout.splitlines() if "extra ==" not in line and but not in line]
    return _install(here, limits, "--no-build-isolation", wanted) if not made.returncode else made


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "RAY_USAGE_STATS_ENABLED": "0", "TOKENIZERS_PARALLELISM": "false"}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def _versions(here: Path) -> str:
    found = []
    for package in WATCHED:
        places = list(here.glob(f"lib/python*/site-packages/{package}-*.dist-info"))
        found += [f"{package} {places[0].name.removesuffix('.dist-info').split('-')[1]}"] if places else []
    return ", ".join(found)


def _why(said: str) -> str:
    """The line of pip's output that says it."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    told = [line for line in lines if re.search(r"(?i)error|no module named|could not find|conflict", line)]
    named = [line for line in told if re.search(r"(?i)no module named|CUDA_HOME|nvcc|conflict|could not find", line)]
    return (named or told or lines or ["pip said nothing"])[-1][:200].replace("|", "/")


def _old_rows() -> dict[str, str]:
    if not RESULT.exists():
        return {}
    rows = re.findall(r"(?m)^(\| (\w+) \| .*\|)$", RESULT.read_text("utf-8"))
    return {name: row for row, name in rows if name in FRAMEWORKS}


def _write(rows: dict[str, str]) -> None:
    machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, {os.cpu_count()} cores, no GPU"
    text = [
        "# The adapters in full environments",
        "",
        "`make adapters` installs each framework with all of its own dependencies and runs its test file against it. The gate",
        "runs the same test files against the same packages without their GPU dependencies (`.ci/adapters`).",
        "",
        f"Machine of the last run: {machine}.",
        "",
        "| adapter | installed | resolved with | ran | result | date |",
        "|---|---|---|---|---|---|",
        *(rows[name] for name in FRAMEWORKS if name in rows),
        "",
    ]
    RESULT.write_text("\n".join(text), encoding="utf-8")


if __name__ == "__main__":
    main()
