"""The only orchestrator: stages, resume, progress. Everything that a command does and that is more than one pure call.

evaluation      pairs with human reasons and judges' answers -> a run directory and a summary
endpoint_rows   the same rows through a matcher behind an endpoint
judging         pairs -> a judge's answers        decomposing   feedback or prose -> atomic reasons
agreement       two evaluators on the same rows   exporting, imported   the released script's files
rescore         results files and run directories -> a table, nothing matched anew (score_rows: one row of them)
config          what changes a run's numbers      games    a judge's answer read; a run's games gathered
chance          the RC of reasons that can't be shared
baseline        this run against an earlier one
store, writer   the rows of a run directory       session   a run over an endpoint
progress, live  done, rate, time left, cost

`evaluation` is loaded when one of its names is first used: it brings the matchers and the client, which many commands don't need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rationalerm.run.evaluation import EvaluateConfig, evaluate

__all__ = ["EvaluateConfig", "evaluate"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from rationalerm.run import evaluation

        return getattr(evaluation, name)
    raise AttributeError(f"module 'rationalerm.run' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
