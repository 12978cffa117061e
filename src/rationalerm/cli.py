"""The command line: parses words, calls `run`. A command's words and what it prints stand in one file of `commands/`.

Exit 0 done; 1 a finding; 2 wrong use or bad input (one line, no traceback); 3 stopped early (endpoint, quota, budget); 130
Ctrl-C, results kept. Imports here are light: `--help` answers before any model, array or table is loaded.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from rationalerm import __version__
from rationalerm.commands import (
    agree,
    bench,
    cache,
    decompose,
    demo,
    evaluate,
    export,
    judge,
    match,
    parse,
    report,
    score,
    train,
    view,
)
from rationalerm.errors import RationalermError, printable

__all__ = ["main"]

_COMMANDS = (demo, evaluate, decompose, judge, match, score, agree, report, view, bench, train, parse, export, cache)


_UNKNOWN = "unrecognized arguments: "
_SECRET = re.compile(r"(?i)-k|--?(?:[a-z]+[-_])?(?:api[-_]?key|api|key|token|secret|password|auth|bearer|credentials?)")


class _Parser(argparse.ArgumentParser):
    """One line for wrong use, and never the value of a secret that someone typed."""

    def error(self, message: str) -> NoReturn:
        names = [word.split("=")[0] for word in sys.argv[1:] if word.startswith("-")]
        secret = [name for name in names if _SECRET.fullmatch(name)]
        if secret:
            message = f"keys are read from the environment only (OPENAI_API_KEY); take {secret[0]} off the command line"
        elif message.startswith(_UNKNOWN):  # what stands behind an unknown option may be a secret
            unknown = message.removeprefix(_UNKNOWN).split()
            message = _UNKNOWN + " ".join([w.split("=")[0] for w in unknown if w.startswith("-")] or unknown)
        self.exit(2, f"rationalerm: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    # Our matrix products are small: a second BLAS thread makes them slower, and much slower on a busy machine.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _mend_streams()
    args = _parser().parse_args(argv)
    try:
        return int(args.run(args))
    except RationalermError as error:
        return _say(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _say("stopped; what was finished is kept, the same command goes on from there", 130)
    except BrokenPipeError:  # the reader of our output has closed: `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except OSError as error:
        return _say(f"{error.filename or 'output'}: {error.strerror or error}", 2)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="rationalerm",
        description="Is a judge or reward model right for the right reasons?",
        epilog="example: rationalerm demo",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"rationalerm {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    for module in _COMMANDS:
        module.add(commands)
    return parser


def _mend_streams() -> None:
    """Closed streams become empty ones, and a terminal that can't show a character shows its escape."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _say(line: str, code: int) -> int:
    print(f"rationalerm: {printable(line)}", file=sys.stderr)  # noqa: T201
    return code


if __name__ == "__main__":
    sys.exit(main())
