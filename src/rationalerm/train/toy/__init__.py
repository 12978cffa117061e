"""The demonstration: what a reward does to a judge's reasons, on a laptop, in a world that is made for it.

world           pairs, defects, labels, human reasons, cues      model      the policy and its sampler
codec           words <-> tokens, tokens -> an answer's text     start      the supervised start that all arms share
demonstrations  what the start imitates                          grpo       training by a reward
matcher         a reason is the human's or not                   arms       a reward and a cue rate each
evaluate        held-out pairs -> metrics                        run        all of it, with resume
show, plot      a table with sentences; the curves

torch is imported where it is used, and by nothing else.
"""

from __future__ import annotations

from rationalerm.train.toy.run import ToyConfig, ToySummary, run_toy

__all__ = ["ToyConfig", "ToySummary", "run_toy"]
