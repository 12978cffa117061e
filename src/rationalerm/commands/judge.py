"""`rationalerm judge`: ask a model for reasons and a verdict on each pair, in both orders."""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

from rationalerm.commands.common import Subparsers, add_command, add_field_options, print_json, top_k
from rationalerm.commands.llm_options import add_llm_options, chat_settings, failed_finding, show_forecast
from rationalerm.errors import printable

if TYPE_CHECKING:
    from rationalerm.run.judged import Judged
    from rationalerm.run.judging import JudgeConfig

__all__ = ["add", "run"]


def add(commands: Subparsers) -> None:
    """Declares the command."""
    parser = add_command(
        commands,
        "judge",
        "Ordered reasons and one of five verdicts on each pair, by an LLM, in both orders. Resumes, keeps every paid answer.",
        "rationalerm judge pairs.jsonl --model gpt-4o-mini --out runs/judged --concurrency 64 --budget 1Mtokens",
        run,
    )
    parser.add_argument("input", nargs="?", help="pairs: .jsonl, .json, .gz, .zst, or - for stdin")
    parser.add_argument(
        "--candidates", nargs=2, metavar="FILE", help="two files of responses in place of pairs, joined by id or prompt"
    )
    parser.add_argument("--out", metavar="DIR", help="the run directory; the same command resumes it")
    parser.add_argument("--name", metavar="NAME", help="the judge's name in the files (default: the model's)")
    ask = parser.add_argument_group("how to ask")
    ask.add_argument(
        "--orders",
        choices=("both", "given", "random"),
        default="both",
        help="both; given: Response 1 as A; random: one order a pair, from --seed and its id (default: both)",
    )
    ask.add_argument(
        "--votes", type=int, default=1, metavar="K", help="samples a game; the side that most name counts (default: 1)"
    )
    ask.add_argument("--top-k", type=top_k, default=None, metavar="K", help="keep a judge's first K reasons (default: all)")
    ask.add_argument(
        "--max-response-chars", type=int, metavar="N", help="cut both responses behind N characters (default: whole)"
    )
    fields = parser.add_argument_group("field names")
    add_field_options(fields, "--id-field")
    fields.add_argument("--response-field", metavar="F", help="with --candidates: the response (response, output, answer, ...)")
    add_field_options(fields, "--label-field", "--label-map")
    parser.add_argument("--skip-bad", action="store_true", help="go on after a bad row, and count it")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N rows")
    parser.add_argument("--json", action="store_true", help="the summary as JSON on stdout")
    add_llm_options(parser)


def run(args: argparse.Namespace) -> int:
    """Runs it; exit 1 if too many calls failed."""
    from rationalerm.errors import UsageError
    from rationalerm.report.terminal import console
    from rationalerm.run.judging import JudgeConfig, JudgeInput, forecast_judging, judge

    config = JudgeConfig(
        name=args.name,
        orders=args.orders,
        seed=args.seed or 0,
        votes=args.votes,
        top_k=args.top_k,
        max_response_chars=args.max_response_chars,
        id_field=args.id_field,
        label_field=args.label_field,
        label_map=args.label_map,
    )
    candidates = tuple(args.candidates) if args.candidates else None
    source = JudgeInput(args.input, candidates, args.response_field, args.skip_bad, args.limit)
    settings = chat_settings(args)
    if args.dry_run:
        show_forecast(forecast_judging(source, settings, args.out, config, settings.prices), args)
        return 0
    if not args.out:
        raise UsageError("--out DIR is missing: answers are paid for, and are kept there")
    if config.votes > 1 and not settings.endpoint.temperature:
        console(stderr=True).print(
            "--votes at temperature 0 asks for the same answer again; --temperature 0.7 makes votes differ"
        )
    judged = judge(source, settings, args.out, config, progress=True)
    findings = failed_finding(judged.failed, judged.calls, args.max_failed)
    _show(judged, args, config, findings)
    return 1 if findings else 0


def _show(judged: Judged, args: argparse.Namespace, config: JudgeConfig, findings: list[str]) -> None:
    from rationalerm.report.judged import print_judged
    from rationalerm.report.terminal import console

    if args.json:
        print_json(judged.to_json() | {"usage": judged.usage, "findings": findings})
    else:
        out = console()
        print_judged(judged.name, judged.verdicts, judged.summary.counts, judged.summary.means | judged.effects, out)
        for category, count in judged.failures.items():
            out.print(printable(f"{count} calls failed: {category}"))
        if judged.bad_rows or judged.left_out:
            out.print(f"{judged.bad_rows + len(judged.left_out)} rows left out (failures.jsonl says why)")
        out.print(printable(f"{judged.said}; {judged.usage['from_cache']:,} answers from the cache"))
        out.print(printable(f"next: {_next(args, config, judged.name)}"), soft_wrap=True)  # to be copied: one line
    for line in findings:
        console(stderr=True).print(printable(line))


def _next(args: argparse.Namespace, config: JudgeConfig, name: str) -> str:
    words = ["rationalerm", "evaluate", f"{args.out.rstrip('/')}/pairs.jsonl", "--judge", name]
    own_id = config.id_field if config.id_field != "id" and not args.candidates else None
    given = (("--id-field", own_id), ("--label-field", config.label_field), ("--label-map", config.label_map))
    return shlex.join([*words, *(word for option, value in given if value for word in (option, value))])
