"""The words of `rationalerm bench`: which rows, which judge, what is shown; and those of one benchmark alone."""

from __future__ import annotations

import argparse

from rationalerm.commands.common import top_k
from rationalerm.commands.formats import add_format_option
from rationalerm.commands.llm_options import add_llm_options

__all__ = ["add_arena_hard", "add_common", "add_helpsteer3", "add_judgebench", "add_judges", "add_rm_bench"]


def add_common(parser: argparse.ArgumentParser) -> None:
    """Which rows, which kind of judge, what is shown."""
    parser.add_argument(
        "--judge",
        required=True,
        choices=("llm", "scalar", "file"),
        help="llm: a chat endpoint; scalar: a reward model that scores one response; file: results that exist (--outputs)",
    )
    parser.add_argument("--out", metavar="DIR", help="the run directory; the same command resumes it")
    parser.add_argument("--name", metavar="NAME", help="the judge's name in the tables (default: the model's, or the file's)")
    rows = parser.add_argument_group("which rows")
    rows.add_argument(
        "--data",
        action="extend",
        nargs="+",
        default=[],
        metavar="PATH",
        help="the benchmark's rows; repeat it (default: the Hub's)",
    )
    rows.add_argument("--domains", type=_names, default=(), metavar="A,B", help="only these domains, groups or categories")
    rows.add_argument("--sample", type=int, metavar="N", help="N rows, drawn by --seed and their ids: the same everywhere")
    rows.add_argument("--limit", type=int, metavar="N", help="only the first N rows")
    files = parser.add_argument_group("--judge file")
    files.add_argument(
        "--outputs",
        action="extend",
        nargs="+",
        default=[],
        metavar="[NAME=]PATH",
        help="a judge's results, under a name; repeat it for more judges",
    )
    files.add_argument("--reparse", action="store_true", help="read texts anew by our parser, and list where the file differs")
    shown = parser.add_argument_group("what is shown")
    shown.add_argument("--compare", action="store_true", help="published rows beside the table, marked as published")
    shown.add_argument("--reasons", action="store_true", help="the judge's reasons, kept and counted by right and wrong verdict")
    shown.add_argument("--no-report", action="store_true", help="leave out DIR/report.html")
    shown.add_argument("--json", action="store_true", help="full precision as JSON on stdout")
    add_format_option(shown)


def add_rm_bench(parser: argparse.ArgumentParser) -> None:
    """RM-Bench's own."""
    _orders(parser, "random", "one order a comparison, from --seed and its id")


def add_judgebench(parser: argparse.ArgumentParser) -> None:
    """JudgeBench's own."""
    parser.add_argument(
        "--split", choices=("gpt", "claude", "both"), default="gpt", help="which of the Hub's splits (default: gpt, the papers')"
    )


def add_helpsteer3(parser: argparse.ArgumentParser) -> None:
    """HelpSteer3's own."""
    _orders(parser, "both", "both games a pair")
    parser.add_argument("--feedback", metavar="FILE", help="the feedback config, joined to preference rows")
    parser.add_argument("--matcher", choices=("embedded", "fast", "lexical"), default="embedded", help="default: embedded")
    parser.add_argument("--reasons-top-k", type=top_k, default=5, metavar="K", help="the first K reasons count (default: 5)")
    parser.add_argument("--scoring", choices=("paper", "released"), default="paper", help="default: %(default)s")


def add_arena_hard(parser: argparse.ArgumentParser) -> None:
    """Arena-Hard's own."""
    parser.add_argument(
        "--answers",
        action="extend",
        nargs="+",
        default=[],
        metavar="PATH",
        help="answers of models and baselines; repeat it",
    )
    parser.add_argument("--policy", metavar="M", help="have this model answer the questions first, through its endpoint")
    parser.add_argument("--policy-base-url", metavar="URL", help="the policy's endpoint (default: the judge's)")
    parser.add_argument("--policy-api-key-env", metavar="NAME", help="the variable that holds its key (default: the judge's)")
    parser.add_argument("--models", type=_names, default=(), metavar="A,B", help="only these models (default: all that answered)")


def add_judges(parser: argparse.ArgumentParser) -> None:
    """How a judge is asked."""
    ask = parser.add_argument_group("--judge llm")
    ask.add_argument("--votes", type=int, default=1, metavar="K", help="samples a game; most name the side (default: 1)")
    ask.add_argument("--top-k", type=top_k, default=None, metavar="K", help="keep a judge's first K reasons (default: all)")
    ask.add_argument("--max-response-chars", type=int, metavar="N", help="cut responses behind N characters (default: whole)")
    scalar = parser.add_argument_group("--judge scalar")
    scalar.add_argument(
        "--dialect", default="auto", metavar="D", help="how the server is spoken to (default: auto, the first that it answers)"
    )
    scalar.add_argument("--batch", type=int, default=16, metavar="N", help="most responses a request (default: 16)")
    scalar.add_argument("--class-index", type=int, metavar="N", help="which output is the score, where a model has several")
    scalar.add_argument("--tokenizer", metavar="M", help="its chat template, for servers that are sent texts (extra [train])")
    scalar.add_argument("--device", metavar="D", help="with --local: cuda, cpu, ... (default: cuda where there is one)")
    scalar.add_argument("--local", action="store_true", help="--model is a classifier to run here (extra [train])")
    add_llm_options(parser, needed=False)


def _orders(parser: argparse.ArgumentParser, default: str, what: str) -> None:
    parser.add_argument(
        "--orders",
        choices=("random", "both", "given"),
        default=default,
        help=f"in which order a pair is shown (default: {default}, {what})",
    )


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise argparse.ArgumentTypeError("names nothing")
    return names
