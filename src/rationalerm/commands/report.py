"""`rationalerm report`: run directories to one page that opens from disk."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from rationalerm.commands.common import Subparsers, add_command, print_json
from rationalerm.commands.llm_options import add_llm_options, chat_settings, failed_finding, show_forecast
from rationalerm.errors import UsageError, printable

__all__ = ["add", "run"]


def add(commands: Subparsers) -> None:
    """Declares the command."""
    parser = add_command(
        commands,
        "report",
        "Which judge is right for the wrong reasons, and in which rows? One HTML file that opens from disk.",
        "rationalerm report runs/first runs/second --out compared.html",
        run,
    )
    parser.add_argument(
        "dirs", nargs="+", metavar="DIR", help="run directories of evaluate, match, judge, bench or train; several are compared"
    )
    parser.add_argument("--out", metavar="FILE", help="the page (default: report.html in the one DIR)")
    parser.add_argument("--plots", metavar="DIR", help="each plot as PNG and SVG too, for papers; needs the extra [report]")
    parser.add_argument(
        "--tagger",
        choices=("rules", "llm"),
        help="kinds and flaws of reasons: by rules (default), or by a model (--model), kept in each DIR/tags.jsonl",
    )
    parser.add_argument("--json", action="store_true", help="where the page is, and what was tagged, as JSON on stdout")
    add_llm_options(parser, needed=False)


def run(args: argparse.Namespace) -> int:
    """Tags where a model is to, writes the page, and says where; exit 1 if the tagger failed on too many lists."""
    from rationalerm.run.reporting import write_report

    out = _place(args)
    if args.dry_run and args.tagger != "llm":
        raise UsageError("--dry-run is for --tagger llm; without it nothing is sent")
    if args.model and args.tagger != "llm":
        raise UsageError("--model is for --tagger llm; without it no model is asked")
    if args.dry_run:
        return _forecast(args)
    tagged = _tagged(args) if args.tagger is not None else None
    write_report(args.dirs, out, plots=args.plots)
    findings = failed_finding(tagged["failed"], tagged["lists"], args.max_failed, "lists", "tag_failures.jsonl") if tagged else []
    if args.json:
        print_json({"report": str(out), "tagged": tagged, "findings": findings})
    else:
        print(printable(str(out)))
    said = [f"{count} lists were not tagged: {why}" for why, count in tagged["failures"].items()] if tagged else []
    for line in (*said, *(tagged["used"] if tagged else ()), *findings):
        print(printable(line), file=sys.stderr)
    return 1 if findings else 0


def _place(args: argparse.Namespace) -> Path:
    if args.out is None and len(args.dirs) > 1:
        raise UsageError("--out FILE is missing: a comparison belongs to none of its directories")
    out = Path(args.out if args.out is not None else Path(args.dirs[0]) / "report.html")
    if not out.name or out.is_dir() or args.out == "-":
        raise UsageError(f"--out {args.out}: name a file, e.g. report.html")
    return out


def _tagged(args: argparse.Namespace) -> dict[str, Any]:
    """Every directory's lists, by the tagger that was named; what is tagged already is kept."""
    from rationalerm.judge.tag_asking import LLMTagger
    from rationalerm.judge.tagging import RuleTagger
    from rationalerm.run.tagging import tag_rows

    tagger = LLMTagger(chat_settings(args)) if args.tagger == "llm" else RuleTagger()
    lists, kept, failures, used = 0, 0, Counter[str](), list[str]()
    for folder in args.dirs:
        made = tag_rows(folder, tagger, progress=True)
        lists, kept = lists + len(made.tags), kept + made.kept
        failures.update(made.failures)
        if made.meter is not None:
            used.append(made.meter.said())
    return {
        "tagger": tagger.version,
        "lists": lists,
        "kept": kept,
        "failed": failures.total(),
        "failures": dict(failures.most_common()),
        "used": used,
    }


def _forecast(args: argparse.Namespace) -> int:
    """What the tagger would ask; nothing is sent or written."""
    from rationalerm.judge.tag_asking import LLMTagger
    from rationalerm.run.tagging import forecast_tags

    made = forecast_tags(args.dirs, LLMTagger(chat_settings(args)))
    show_forecast(made, args)
    return 0
