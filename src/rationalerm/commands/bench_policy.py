"""Arena-Hard's answers before its judge: given in files, or made by a policy through its endpoint."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rationalerm.commands.llm_options import chat_settings, show_forecast
from rationalerm.errors import UsageError, printable

if TYPE_CHECKING:
    from rationalerm.bench.arena_hard import ArenaHard
    from rationalerm.llm.settings import ChatSettings
    from rationalerm.run.bench_data import ArenaData, BenchData

__all__ = ["protocol"]


def protocol(args: argparse.Namespace, data: BenchData) -> ArenaHard | None:
    """The bouts to judge; None after a dry run of a policy, since what the judge is asked depends on its answers."""
    from rationalerm.bench.arena_hard import ArenaHard
    from rationalerm.run.bench_data import arena_bouts, arena_data

    if args.policy and data.models:
        raise UsageError("--policy and --models: one or the other")
    arena = arena_data(data, from_hub=True)
    if not args.policy:
        return ArenaHard(arena_bouts(arena, data.models))
    made = _answered(args, arena)
    return None if made is None else ArenaHard(arena_bouts(made, (args.policy,)))


def _answered(args: argparse.Namespace, arena: ArenaData) -> ArenaData | None:
    """The questions that the policy has answered, with its answers; those that it has not are left out, and said."""
    from rationalerm.data.arena_hard import read_arena_answers
    from rationalerm.data.names import file_name
    from rationalerm.report.terminal import console
    from rationalerm.run.bench_answers import Prompt, answer_prompts, forecast_answers
    from rationalerm.types import Message

    prompts = [Prompt(question.uid, (Message("user", question.prompt),)) for question in arena.questions.values()]
    settings = _settings(args)
    if args.dry_run:
        show_forecast(forecast_answers(prompts, settings, ""), args)
        return None
    path = Path(args.out) / "answers" / f"{file_name(args.policy)}.jsonl"
    made = answer_prompts(prompts, settings, path, name=args.policy, progress=True)
    screen = console(stderr=True)
    screen.print(printable(f"{args.policy}: {made.written} answers, in {path}"), soft_wrap=True)
    if made.cut:
        screen.print(f"{made.cut} answers were cut off at the token limit; they are judged as they are")
    for category, count in made.failures.items():
        screen.print(printable(f"{count} questions have no answer and are left out: {category}"))
    answers = read_arena_answers([path])
    known = answers.get(args.policy, {})
    questions = {uid: question for uid, question in arena.questions.items() if uid in known}
    return replace(arena, questions=questions, answers={**arena.answers, **answers})


def _settings(args: argparse.Namespace) -> ChatSettings:
    own = vars(args) | {"model": args.policy}
    own |= {"base_url": args.policy_base_url or args.base_url, "api_key_env": args.policy_api_key_env or args.api_key_env}
    return chat_settings(argparse.Namespace(**own))
