"""`rationalerm evaluate`: the main job, on files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rationalerm.commands.common import (
    NOT_RELEASED,
    Subparsers,
    add_command,
    add_field_options,
    number,
    print_json,
    share,
    top_k,
)
from rationalerm.commands.formats import add_format_option, format_of, print_tables
from rationalerm.commands.llm_options import add_llm_options, chat_settings, failed_finding, say_usage, show_forecast
from rationalerm.errors import printable

if TYPE_CHECKING:
    from rationalerm.match import LLMMatcher, Matcher
    from rationalerm.run import EvaluateConfig
    from rationalerm.score.summary import Summary

__all__ = ["add", "add_input_options", "config_of", "run", "show"]


def add(commands: Subparsers) -> None:
    """Declares the command."""
    parser = add_command(
        commands,
        "evaluate",
        "How often is each judge right, and how often for the human's reasons? Offline, unless --matcher llm.",
        "rationalerm evaluate pairs.jsonl --judge my-model --judge gpt-4o --out runs/first",
        run,
    )
    add_input_options(parser)
    parser.add_argument(
        "--matcher",
        choices=("embedded", "fast", "lexical", "llm"),
        default="embedded",
        help="default: embedded; llm needs --model",
    )
    parser.add_argument("--fail-under-rc", type=share, metavar="X", help="exit 1 if any judge's RC is under X")
    parser.add_argument(
        "--baseline", metavar="DIR", help="an earlier run: exit 1 if a judge is worse than there by more than noise"
    )
    parser.add_argument("--audit", type=int, metavar="N", help="N random rows to a second evaluator too: do they agree?")
    parser.add_argument(
        "--audit-matcher",
        choices=("embedded", "fast", "lexical", "llm"),
        help="the second evaluator (llm; embedded if the first is llm)",
    )
    add_match_options(parser)
    add_llm_options(parser, needed=False)


def add_input_options(parser: argparse.ArgumentParser) -> None:
    """What is read, how it is scored, what is printed: for `match` too."""
    parser.add_argument("input", help="pairs with human reasons and judges' answers: .jsonl, .json, .gz, .zst, or - for stdin")
    parser.add_argument(
        "--judge", action="append", default=[], metavar="NAME", help="a judge, as in NAME-checklist; repeat it (default: all)"
    )
    parser.add_argument("--out", metavar="DIR", help="the run directory; the same command resumes it")
    parser.add_argument("--scoring", choices=("paper", "released"), default="paper", help="default: %(default)s")
    parser.add_argument(
        "--top-k", type=top_k, default=5, metavar="K", help="only a judge's first K reasons count; none: all (default: 5)"
    )
    parser.add_argument(
        "--s-corr", type=number, default=0.25, metavar="T", help="right for wrong reasons = row recall under T (default: 0.25)"
    )
    add_field_options(
        parser.add_argument_group(NOT_RELEASED),
        *("--human-field", "--reasons-field", "--text-field", "--label-field", "--label-map"),
        *("--judge-label-field", "--judge-label-map", "--id-field", "--feedback"),
    )
    parser.add_argument("--skip-bad", action="store_true", help="go on after a bad row, and count it")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N rows")
    parser.add_argument("--domains", action="store_true", help="a table a domain too")
    parser.add_argument("--no-report", action="store_true", help="leave out DIR/report.html")
    parser.add_argument("--json", action="store_true", help="the summary as JSON on stdout")
    add_format_option(parser)


def add_match_options(parser: argparse.ArgumentParser) -> None:
    """How an LLM is asked to match: for `match` too."""
    how = parser.add_argument_group("matching by an LLM")
    how.add_argument(
        "--mode", choices=("best", "matrix"), default="best", help="each human reason's best, or every pair (default: best)"
    )
    how.add_argument("--repeats", type=int, default=1, metavar="K", help="ask K times a game; means, and the matcher's own noise")
    how.add_argument("--chance", type=int, metavar="N", help="measure the chance level on N rows (default for an LLM: 0)")
    how.add_argument("--import", dest="imported", metavar="FILE", help="results files of the released script: finished rows")


def run(args: argparse.Namespace) -> int:
    """Runs it; exit 1 for a finding of --fail-under-rc or --baseline."""
    from rationalerm.report.terminal import console

    form = format_of(args)
    baseline = None
    if args.baseline is not None:
        from rationalerm.run.baseline import Baseline

        baseline = Baseline(args.baseline)
    config = config_of(args)
    matcher = llm_matcher(args) if args.matcher == "llm" else args.matcher
    if args.dry_run:
        return dry_run(args, config, matcher, _auditor(args))
    summary = summary_of(args, config, matcher, _auditor(args))
    findings = _under(summary, args.fail_under_rc) + too_many_failed(summary, args)
    worse = baseline.worse(summary) if baseline else []
    findings += worse
    show(summary, args, findings, form)
    if baseline and not worse:
        console(stderr=True).print(printable(f"{baseline.compared}: none is worse by more than noise"))
    return 1 if findings else 0


def summary_of(
    args: argparse.Namespace, config: EvaluateConfig, matcher: str | Matcher, auditor: Matcher | None = None
) -> Summary:
    """Runs `evaluate` as the options say."""
    from rationalerm.run import evaluate

    return evaluate(
        args.input,
        args.judge,
        matcher,
        args.out,
        config=config,
        skip_bad=args.skip_bad,
        limit=args.limit,
        progress=True,
        chance_rows=args.chance,
        imported=args.imported,
        audit_rows=getattr(args, "audit", None) or 0,
        auditor=auditor,
        report=not args.no_report,
    )


def config_of(args: argparse.Namespace) -> EvaluateConfig:
    """Scoring and field names."""
    from rationalerm.run import EvaluateConfig

    return EvaluateConfig(
        scoring=args.scoring,
        top_k=args.top_k,
        spurious_under=args.s_corr,
        repeats=args.repeats,
        human_field=args.human_field,
        reasons_field=args.reasons_field,
        text_field=args.text_field,
        label_field=args.label_field,
        label_map=args.label_map,
        judge_label_field=args.judge_label_field,
        judge_label_map=args.judge_label_map,
        id_field=args.id_field,
        feedback=args.feedback,
    )


def llm_matcher(args: argparse.Namespace) -> LLMMatcher:
    """The matcher that the options say."""
    from rationalerm.match import LLMMatcher

    return LLMMatcher(chat_settings(args), mode=args.mode)


def _auditor(args: argparse.Namespace) -> Matcher | None:
    """The second evaluator of --audit."""
    from rationalerm.errors import UsageError
    from rationalerm.match import make_matcher

    if args.audit is None:
        return None
    if args.audit < 1:
        raise UsageError(f"--audit is {args.audit}; give 1 or more")
    name = args.audit_matcher or ("embedded" if args.matcher == "llm" else "llm")
    if name == args.matcher:
        raise UsageError(f"--audit-matcher {name} is the matcher of the run; name another")
    return llm_matcher(args) if name == "llm" else make_matcher(name)


def dry_run(args: argparse.Namespace, config: EvaluateConfig, matcher: object, auditor: object = None) -> int:
    """Prints what would be asked."""
    from rationalerm.data.pairs import PairFile
    from rationalerm.data.spool import spooled
    from rationalerm.errors import UsageError
    from rationalerm.match import LLMMatcher
    from rationalerm.run.forecast import forecast

    asked = matcher if isinstance(matcher, LLMMatcher) else auditor
    if not isinstance(asked, LLMMatcher):
        raise UsageError("--dry-run is for --matcher llm and --audit; the other matchers send nothing")
    with spooled(args.input) as path:
        options = {"skip_bad": args.skip_bad, "feedback": args.feedback, "limit": args.limit}
        source = PairFile(path, config.columns(args.judge), shown=args.input, **options)
        audited = args.audit or 0 if asked is auditor else 0
        made = forecast(
            source,
            asked,
            config,
            args.out,
            imported=args.imported if asked is matcher else None,
            every_game=asked is matcher,
            chance_rows=args.chance or 0 if asked is matcher else 0,
            audit_rows=audited,
        )
    show_forecast(made, args)
    return 0


def too_many_failed(summary: Summary, args: argparse.Namespace) -> list[str]:
    """The finding of --max-failed."""
    if summary.audit_failures and getattr(args, "audit", None):
        failed = sum(summary.audit_failures.values())
        return failed_finding(failed, args.audit, args.max_failed, "audited games")
    failed = sum(judge.counts["matcher failed"] for judge in summary.judges.values())
    scored = sum(judge.counts["scored"] - judge.counts["no reasons"] for judge in summary.judges.values())
    return failed_finding(failed, failed + scored, args.max_failed)


def show(summary: Summary, args: argparse.Namespace, findings: list[str], form: str) -> None:
    """The tables as --format says, then the findings on stderr."""
    from rationalerm.report.agreement import agreement_tables
    from rationalerm.report.tables import summary_tables
    from rationalerm.report.terminal import console, print_summary

    if args.json:
        more: dict[str, object] = {"usage": summary.usage} if summary.usage else {}
        more |= {"audit": summary.audit.to_json() | {"failures": summary.audit_failures}} if summary.audit else {}
        print_json(summary.to_json() | more | {"findings": findings})
    elif form != "table":
        audited = agreement_tables(summary.audit) if summary.audit else []
        print_tables([*summary_tables(summary, domains=args.domains), *audited], form)
    else:
        print_summary(summary, console(), domains=args.domains)
        if summary.audit:
            from rationalerm.report.agreement import print_agreement

            console().print()
            print_agreement(summary.audit, console())
        if args.out:
            page = "" if getattr(args, "no_report", False) else "report.html: the page; "
            console().print(printable(f"Run directory: {args.out} ({page}rows.jsonl: every row with its category)"))
    if summary.usage:
        console(stderr=True).print(printable(say_usage(summary.usage)))
    for line in findings:
        console(stderr=True).print(printable(line))


def _under(summary: Summary, limit: float | None) -> list[str]:
    if limit is None:
        return []
    found = []
    for name, judge in summary.judges.items():
        rc = judge["rationale_consistency"].value
        if rc is None or rc < limit:
            shown = "not defined (no row scored)" if rc is None else f"{rc:.4f}"
            found.append(f"{name}: RC is {shown}, under {limit:g}")
    return found
