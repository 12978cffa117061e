"""`rationalerm match`: judges' reasons to human reasons by an LLM, as the paper does it."""

from __future__ import annotations

import argparse

from rationalerm.commands.common import Subparsers, add_command
from rationalerm.commands.evaluate import (
    add_input_options,
    add_match_options,
    config_of,
    dry_run,
    llm_matcher,
    show,
    summary_of,
    too_many_failed,
)
from rationalerm.commands.formats import format_of
from rationalerm.commands.llm_options import add_llm_options

__all__ = ["add", "run"]


def add(commands: Subparsers) -> None:
    """Declares the command."""
    parser = add_command(
        commands,
        "match",
        "Which of the human's reasons does each judge give, by an LLM? Resumes, keeps every paid answer, stops at a budget.",
        "rationalerm match pairs.jsonl --judge my-model --model gpt-4o-mini --out runs/llm --concurrency 64 --budget 1Mtokens",
        run,
    )
    add_input_options(parser)
    add_match_options(parser)
    add_llm_options(parser)


def run(args: argparse.Namespace) -> int:
    """Runs it; exit 1 if too many rows failed."""
    from rationalerm.errors import UsageError

    form = format_of(args)
    config = config_of(args)
    matcher = llm_matcher(args)
    if args.dry_run:
        return dry_run(args, config, matcher)
    if not args.out:
        raise UsageError("--out DIR is missing: answers are paid for, and are kept there")
    summary = summary_of(args, config, matcher)
    findings = too_many_failed(summary, args)
    show(summary, args, findings, form)
    return 1 if findings else 0
