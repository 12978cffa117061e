"""`rationalerm train prepare`: rows with human reasons -> prompts and truths that trainers read."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rationalerm.commands.common import NOT_RELEASED, Subparsers, add_command, add_field_options, print_json, share
from rationalerm.errors import printable

if TYPE_CHECKING:
    from rationalerm.train.prepare.prepared import Report

__all__ = ["add", "run"]


def add(actions: Subparsers) -> None:
    """Declares the action."""
    parser = add_command(
        actions,
        "prepare",
        "Pairs with human reasons -> prompts for a GenRM, in both orders, split by prompt, as Parquet for TRL and verl.",
        "rationalerm train prepare atoms.jsonl --out data --tokenizer Qwen/Qwen3-14B --max-prompt-tokens 8192",
        run,
    )
    parser.add_argument(
        "inputs", nargs="+", metavar="IN", help="pairs with human reasons: .jsonl, .json, .gz, .zst, or - for stdin"
    )
    parser.add_argument("--out", metavar="DIR", required=True, help="the folder; the same command writes it anew")
    parser.add_argument(
        "--orders",
        choices=("both", "given", "random"),
        default="both",
        help="as for judge; random: one order a row (default: both)",
    )
    parser.add_argument(
        "--ties", choices=("drop", "keep"), default="drop", help="rows that the human called equal (default: drop)"
    )
    parser.add_argument("--max-prompt-tokens", type=int, metavar="N", help="leave out rows with a longer prompt in any order")
    parser.add_argument(
        "--tokenizer",
        metavar="T",
        help="what counts tokens: a model's name or folder, or a tokenizer.json (default: an estimate)",
    )
    parser.add_argument(
        "--validation", type=share, default=0.05, metavar="X", help="share of the prompts held out for evaluation (default: 0.05)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="of splits, random orders and the rows' order (default: 0)"
    )
    parser.add_argument(
        "--held-out", nargs="+", action="extend", default=[], metavar="FILE", help="benchmark rows: leave out what is in them"
    )
    parser.add_argument(
        "--no-system-turn", action="store_true", help="instructions in the user's turn, for templates without a system turn"
    )
    add_field_options(
        parser.add_argument_group(NOT_RELEASED), "--human-field", "--label-field", "--label-map", "--id-field", "--feedback"
    )
    parser.add_argument("--skip-bad", action="store_true", help="go on after a bad row, and count it")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N rows of each file")
    parser.add_argument("--json", action="store_true", help="the account as JSON on stdout")


def run(args: argparse.Namespace) -> int:
    """Runs it."""
    from rationalerm.train.prepare.options import PrepareOptions
    from rationalerm.train.prepare.running import prepare

    options = PrepareOptions(
        orders=args.orders,
        ties=args.ties,
        max_prompt_tokens=args.max_prompt_tokens,
        tokenizer=args.tokenizer,
        validation=args.validation,
        seed=args.seed,
        system_turn=not args.no_system_turn,
        human_field=args.human_field,
        label_field=args.label_field,
        label_map=args.label_map,
        id_field=args.id_field,
        skip_bad=args.skip_bad,
        limit=args.limit,
    )
    report = prepare(args.inputs, args.out, options, held_out=args.held_out, feedback=args.feedback, progress=True)
    if args.json:
        print_json(report.to_json())
    _show(report, args)
    return 0


def _show(report: Report, args: argparse.Namespace) -> None:
    """The table (not with --json), then what should be known: both on stderr."""
    from rationalerm.report.terminal import console

    out = console(stderr=True)
    if not args.json:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table

        table = Table(box=SIMPLE_HEAD)
        table.add_column("pairs")
        for name in ("train", "validation"):
            table.add_column(name, justify="right")
        for domain, counts in report.domains.items():
            table.add_row(printable(domain), *(f"{counts[name]:,}" for name in ("train", "validation")))
        table.add_section()
        table.add_row("all", *(f"{report.pairs[name]:,}" for name in ("train", "validation")))
        table.add_row("games", *(f"{report.games[name]:,}" for name in ("train", "validation")))
        out.print(table)
        for line in _lines(report):
            out.print(printable(line))
        files = ", ".join(f"{name}.parquet" for name, games in report.games.items() if games)
        out.print(printable(f"{args.out}: {files}, prepare.json (the account), dropped.jsonl (what was left out, and why)"))
    for line in report.warnings:
        out.print(printable(line))


def _lines(report: Report) -> list[str]:
    rows, tokens, groups = report.rows, report.prompt_tokens, report.groups
    causes = [*report.dropped.items(), *([("bad", rows["bad"])] if rows["bad"] else [])]
    left = f"; left out: {', '.join(f'{count:,} {why}' for why, count in causes)}" if causes else ""
    lines = [f"{rows['read']:,} rows read, {rows['kept']:,} kept{left}"]
    lines += [f"{one['file']}: {one['rows']:,} rows, {one['dropped']:,} of ours held out for it" for one in report.held_out]
    sizes = f"{tokens['median']:,} tokens (median), {tokens['p95']:,} (95%), {tokens['max']:,} (most)"
    lines.append(f"prompts: {sizes}; {tokens['counted_by']}")
    lines.append(
        f"{groups['conversations']:,} conversations, {groups['near_duplicates']:,} nearly the same as another, "
        f"{groups['repeated_rows']:,} rows repeated; none in both splits"
    )
    return lines
