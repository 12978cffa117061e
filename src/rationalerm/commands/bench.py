"""`rationalerm bench`: the field's benchmarks, a protocol each, for judges of every kind."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from rationalerm.commands import bench_options as options
from rationalerm.commands.common import Subparsers, add_command

__all__ = ["add"]

_Options = Callable[[argparse.ArgumentParser], None]
_ACTIONS: dict[str, tuple[str, str, _Options]] = {
    "rm-bench": (
        "RM-Bench: right over wrong whatever the style; easy, normal, hard, a domain each, and their mean.",
        "rationalerm bench rm-bench --judge llm --model Qwen/Qwen3-14B --out runs/rm-bench --compare",
        options.add_rm_bench,
    ),
    "judgebench": (
        "JudgeBench: pairs that only a check decides, in both orders; knowledge, reasoning, math, coding.",
        "rationalerm bench judgebench --judge file --outputs outputs.jsonl --data pairs.jsonl --json",
        options.add_judgebench,
    ),
    "helpsteer3": (
        "HelpSteer3-Atomic: outcome accuracy and rationale consistency with the human's reasons, a domain each.",
        "rationalerm bench helpsteer3 --judge file --data helpsteer3_test_1000.jsonl",
        options.add_helpsteer3,
    ),
    "arena-hard": (
        "Arena-Hard v2: a model's win rate against the category's baseline, plain and with style controlled.",
        "rationalerm bench arena-hard --judge file --outputs model_judgment/gpt-4.1 --answers model_answer --json",
        options.add_arena_hard,
    ),
}


def add(commands: Subparsers) -> None:
    """Declares the command and its benchmarks."""
    what = "The field's benchmarks, scored exactly: RM-Bench, JudgeBench, HelpSteer3-Atomic, Arena-Hard v2."
    parser = add_command(commands, "bench", what, _ACTIONS["judgebench"][1], _never)
    actions = parser.add_subparsers(metavar="BENCHMARK", required=True, parser_class=type(parser))
    for name, (sentence, example, own) in _ACTIONS.items():
        action = add_command(actions, name, sentence, example, run)
        action.set_defaults(benchmark=name)
        options.add_common(action)
        own(action)
        options.add_judges(action)


def run(args: argparse.Namespace) -> int:
    """Runs one benchmark with one kind of judge."""
    from rationalerm.commands.bench_run import run_bench

    return run_bench(args)


def _never(args: argparse.Namespace) -> int:
    raise AssertionError("a benchmark is required")
