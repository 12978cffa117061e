"""`rationalerm bench`, run: options to a protocol and a judge, and what came, as --format says."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from rationalerm.commands import bench_policy
from rationalerm.commands.common import print_json
from rationalerm.commands.formats import format_of, print_tables
from rationalerm.commands.llm_options import chat_settings, failed_finding, show_forecast
from rationalerm.errors import UsageError, printable

if TYPE_CHECKING:
    from rationalerm.bench.base import BenchResult, Protocol
    from rationalerm.bench.published import PublishedRow
    from rationalerm.data.orders import Orders
    from rationalerm.llm.scoring import ScoringSettings
    from rationalerm.run.bench_data import BenchData
    from rationalerm.run.benching import Benched, BenchRun

__all__ = ["run_bench"]


def run_bench(args: argparse.Namespace) -> int:
    """Exit 1 if too many calls failed."""
    from rationalerm.bench.choose import Choice
    from rationalerm.run.bench_data import BenchData

    args.format = format_of(args)
    if args.compare and args.benchmark not in ("rm-bench", "judgebench"):
        raise UsageError(f"--compare: there are no published rows for {args.benchmark}")
    choice = Choice(args.domains, args.sample, args.limit, args.seed or 0)
    data = BenchData(
        tuple(args.data),
        getattr(args, "split", "gpt"),
        choice,
        getattr(args, "feedback", None),
        tuple(getattr(args, "answers", ())),
        getattr(args, "models", ()),
    )
    if args.judge == "file":
        return _files(args, data)
    if args.outputs or args.reparse:
        raise UsageError("--outputs and --reparse are for --judge file")
    return _asked(args, data)


def _files(args: argparse.Namespace, data: BenchData) -> int:
    from rationalerm.run.bench_file import FileOptions, bench_file, keep

    options = FileOptions(args.reparse, args.reasons, args.name)
    if args.benchmark == "helpsteer3":
        options = FileOptions(args.reparse, args.reasons, args.name, args.matcher, args.reasons_top_k, args.scoring)
    made = bench_file(args.benchmark, data, args.outputs, options)
    if args.out:
        keep(made, args.out, args.benchmark, data, args.outputs, options, compare=args.compare, report=not args.no_report)
    _show(args, {one.judge: one.result for one in made}, {one.judge: one.to_json() for one in made}, data)
    return 0


def _asked(args: argparse.Namespace, data: BenchData) -> int:
    from rationalerm.run.benching import BenchRun, bench_llm, forecast_llm

    if not args.out and not args.dry_run:
        raise UsageError("--out DIR is missing: answers are paid for, and are kept there")
    if args.local and args.judge != "scalar":
        raise UsageError("--local is for --judge scalar")
    protocol = bench_policy.protocol(args, data) if args.benchmark == "arena-hard" else _protocol(args, data)
    if protocol is None:  # a dry run of the policy: what the judge is asked depends on its answers
        return 0
    orders: Orders = getattr(args, "orders", "both")
    run = BenchRun(
        args.out or "",
        identity=data.identity() | {"orders": orders, "seed": args.seed or 0},
        notes=_notes(args, data, orders),
        name=args.name,
        orders=orders,
        seed=args.seed or 0,
        votes=args.votes,
        top_k=args.top_k,
        max_response_chars=args.max_response_chars,
        report=not args.no_report,
    )
    if args.judge == "scalar":
        return _scalar(args, protocol, run, data)
    settings = chat_settings(args)
    if args.dry_run:
        show_forecast(forecast_llm(protocol, settings, run), args)
        return 0
    return _done(args, protocol, bench_llm(protocol, settings, run, progress=True), data)


def _notes(args: argparse.Namespace, data: BenchData, orders: str) -> dict[str, Any]:
    """What run.json says beside the run's configuration."""
    made: dict[str, Any] = {"sources": data.sources(), "compare": args.compare}
    if args.benchmark == "helpsteer3":
        made["scored by"] = {"scoring": args.scoring, "top_k": args.reasons_top_k, "matcher": args.matcher, "orders": orders}
    return made


def _scalar(args: argparse.Namespace, protocol: Protocol, run: BenchRun, data: BenchData) -> int:
    from rationalerm.run.bench_scalar import bench_local, bench_scalar, forecast_scalar

    if args.reasons:
        raise UsageError("--reasons: a scalar judge gives none")
    if args.local:
        from rationalerm.adapters.classifier import LocalClassifier

        if not args.model:
            raise UsageError("--local: name the classifier with --model")
        if args.dry_run:
            raise UsageError("--dry-run: a model that runs here costs nothing")
        judge = LocalClassifier(args.model, device=args.device, class_index=args.class_index)
        identity = {"model": args.model, "class_index": args.class_index}
        made = bench_local(protocol, judge, run, model=args.model, identity=identity, batch=args.batch, progress=True)
        return _done(args, protocol, made, data)
    settings = _scoring_settings(args)
    if args.dry_run:
        show_forecast(forecast_scalar(protocol, settings, run), args)
        return 0
    return _done(args, protocol, bench_scalar(protocol, settings, run, progress=True), data)


def _scoring_settings(args: argparse.Namespace) -> ScoringSettings:
    from rationalerm.llm.scoring import ScoringSettings
    from rationalerm.llm.settings import ChatSettings

    chat = chat_settings(args)
    options: dict[str, Any] = {one.name: getattr(chat, one.name) for one in fields(ChatSettings)}
    if args.tokenizer:
        from rationalerm.adapters.classifier import template_of

        options |= {"render": template_of(args.tokenizer), "template": args.tokenizer}
    return ScoringSettings(**options, dialect=args.dialect, batch=args.batch, class_index=args.class_index)


def _protocol(args: argparse.Namespace, data: BenchData) -> Protocol:
    from rationalerm.run import bench_data

    seed = args.seed or 0
    if args.benchmark == "rm-bench":
        return bench_data.rm_bench(data, args.orders, seed)[0]
    if args.benchmark == "judgebench":
        return bench_data.judgebench(data)[0]
    from rationalerm.match import make_matcher

    more: dict[str, Any] = {"scoring": args.scoring, "top_k": args.reasons_top_k}
    return bench_data.helpsteer3(data, make_matcher(args.matcher), args.orders, seed, **more)


def _done(args: argparse.Namespace, protocol: Protocol, made: Benched, data: BenchData) -> int:
    """Prints a run over an endpoint; what it cost stands below."""
    from rationalerm.report.terminal import console
    from rationalerm.run.bench_file import with_reasons

    result = with_reasons(made.result, protocol, made.games) if args.reasons else made.result
    findings = failed_finding(made.failed, made.calls, args.max_failed, "calls")
    used = {"usage": dict(made.usage), "seconds": made.seconds, "findings": findings}
    _show(args, {made.judge: result}, {made.judge: made.to_json() | result.to_json() | used}, data)
    if not args.json:
        out = console(stderr=args.format != "table")
        for category, count in made.failures.items():
            out.print(printable(f"{count} calls failed: {category}"))
        out.print(printable(f"{made.usage['said']}; {made.seconds:.0f} s"))
    for line in findings:
        console(stderr=True).print(printable(line))
    return 1 if findings else 0


def _show(args: argparse.Namespace, results: dict[str, BenchResult], values: dict[str, dict[str, Any]], data: BenchData) -> None:
    from rationalerm.bench.published import published

    rows = published(args.benchmark) if args.compare else []
    if not args.json:
        _print(args.format, results, rows, data.remarks())
        return
    more = {"published": [{"model": row.model, "scores": row.scores, "measured": False} for row in rows]} if rows else {}
    only = next(iter(values.values())) if len(values) == 1 else {"benchmark": args.benchmark, "judges": values}
    print_json(only | more | {"sources": data.sources()})


def _print(form: str, results: dict[str, BenchResult], rows: Sequence[PublishedRow], remarks: Sequence[str]) -> None:
    """For a person, a paper or another program; CSV has no lines but figures, so the remarks go to stderr."""
    from rationalerm import __version__
    from rationalerm.report.bench import bench_csv, print_bench, print_line
    from rationalerm.report.bench_tables import bench_tables
    from rationalerm.report.terminal import console

    if form in ("md", "latex"):
        print_tables(bench_tables(results, rows, remarks), form)
        return
    if form == "csv":
        sys.stdout.flush()
        sys.stdout.buffer.write(bench_csv(results, rows, version=__version__).encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()
    else:
        print_bench(results, console(), published=rows)
    out = console(stderr=form == "csv")
    for line in remarks:
        print_line(line, out)
