"""`rationalerm evaluate`: the main job, on files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rationalerm.commands.common import Subparsers, add_command, number, print_json, share, top_k
from rationalerm.errors import printable

if TYPE_CHECKING:
    from rationalerm.score.summary import Summary

__all__ = ["add", "run"]


def add(commands: Subparsers) -> None:
    """Declares the command."""
    parser = add_command(
        commands,
        "evaluate",
        "How often is each judge right, and how often for the human's reasons? Offline.",
        "rationalerm evaluate pairs.jsonl --judge my-model --judge gpt-4o --out runs/first",
        run,
    )
    parser.add_argument("input", help="pairs with human reasons and judges' answers: .jsonl, .json, .gz, .zst, or - for stdin")
    parser.add_argument(
        "--judge", action="append", default=[], metavar="NAME", help="a judge, as in NAME-checklist; repeat it (default: all)"
    )
    parser.add_argument("--out", metavar="DIR", help="the run directory; the same command resumes it")
    parser.add_argument("--matcher", choices=("embedded", "fast", "lexical"), default="embedded", help="default: %(default)s")
    parser.add_argument("--scoring", choices=("paper", "released"), default="paper", help="default: %(default)s")
    parser.add_argument(
        "--top-k", type=top_k, default=5, metavar="K", help="only a judge's first K reasons count; none: all (default: 5)"
    )
    parser.add_argument(
        "--s-corr", type=number, default=0.25, metavar="T", help="right for wrong reasons = row recall under T (default: 0.25)"
    )
    fields = parser.add_argument_group("field names, where they are not the released ones")
    fields.add_argument("--human-field", metavar="F", help="the human's reasons (human-checklist)")
    fields.add_argument("--reasons-field", metavar="F", default="{judge}-checklist", help="a judge's reasons ({judge}-checklist)")
    fields.add_argument(
        "--text-field", metavar="F", default="{judge}-generated_text", help="a judge's text ({judge}-generated_text)"
    )
    fields.add_argument("--label-field", metavar="F", help="the human's side (overall_preference, then label)")
    fields.add_argument("--label-map", metavar="MAP", help="what the human's codes mean, e.g. 0=A,1=B,2=tie")
    fields.add_argument("--judge-label-field", metavar="F", default="{judge}-label", help="a judge's verdict ({judge}-label)")
    fields.add_argument("--judge-label-map", metavar="MAP", help="what the judges' codes mean")
    fields.add_argument("--id-field", metavar="F", default="id", help="a row's id (id; else its line number)")
    fields.add_argument("--feedback", metavar="FILE", help="HelpSteer3's feedback config, beside its preference config")
    parser.add_argument("--skip-bad", action="store_true", help="go on after a bad row, and count it")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N rows")
    parser.add_argument("--domains", action="store_true", help="a table a domain too")
    parser.add_argument("--json", action="store_true", help="the summary as JSON on stdout")
    parser.add_argument("--fail-under-rc", type=share, metavar="X", help="exit 1 if any judge's RC is under X")
    parser.add_argument(
        "--baseline", metavar="DIR", help="an earlier run: exit 1 if a judge is worse than there by more than noise"
    )


def run(args: argparse.Namespace) -> int:
    """Runs it; exit 1 for a finding of --fail-under-rc or --baseline."""
    from rationalerm.run import EvaluateConfig, evaluate

    baseline = None
    if args.baseline is not None:
        from rationalerm.run.baseline import Baseline

        baseline = Baseline(args.baseline)
    config = EvaluateConfig(
        scoring=args.scoring,
        top_k=args.top_k,
        spurious_under=args.s_corr,
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
    options = {"skip_bad": args.skip_bad, "limit": args.limit, "progress": True}
    summary = evaluate(args.input, args.judge, args.matcher, args.out, config=config, **options)
    findings = _under(summary, args.fail_under_rc) + (baseline.worse(summary) if baseline else [])
    show(summary, args, findings)
    return 1 if findings else 0


def show(summary: Summary, args: argparse.Namespace, findings: list[str]) -> None:
    """The table or the JSON, then the findings on stderr."""
    from rationalerm.report.terminal import console, print_summary

    if args.json:
        print_json(summary.to_json() | {"findings": findings})
    else:
        print_summary(summary, console(), domains=args.domains)
        if args.out:
            console().print(printable(f"Run directory: {args.out} (every row with its category in rows.jsonl)"))
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
