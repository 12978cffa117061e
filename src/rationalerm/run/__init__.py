"""The only orchestrator: stages, resume, progress. Everything that a command does and that is more than one pure call.

evaluation pairs with human reasons and judges' answers -> a run directory and a summary
chance     the RC of reasons that can't be shared
baseline   this run against an earlier one
rescore    results files and run directories -> a table, nothing matched anew (score_rows: one row of them)
store      the rows of a run directory
progress   done, rate, time left
"""

from rationalerm.run.evaluation import EvaluateConfig, evaluate

__all__ = ["EvaluateConfig", "evaluate"]
