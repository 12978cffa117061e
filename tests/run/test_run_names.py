"""What `rationalerm.run` brings with it: its names when they are used, and not before."""

from __future__ import annotations

import subprocess
import sys

import pytest

import rationalerm
from rationalerm import run


def test_the_names_are_there() -> None:
    from rationalerm.run import EvaluateConfig, evaluate
    from rationalerm.run import evaluation as module

    assert (EvaluateConfig, evaluate) == (module.EvaluateConfig, module.evaluate)
    assert rationalerm.evaluate is evaluate
    assert dir(run) == run.__all__ == ["EvaluateConfig", "evaluate"]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        run.nothing  # noqa: B018


@pytest.mark.parametrize("module", ["rationalerm.run", "rationalerm.run.bench_file"])
def test_scoring_files_loads_no_client_and_no_evaluation(module: str) -> None:
    code = f"import sys, {module}; print([m for m in ('aiohttp', 'rationalerm.run.evaluation') if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
