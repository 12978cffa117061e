"""`rationalerm parse`: what the one parser reads from judge outputs, a line each."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from rationalerm.commands.common import Subparsers, add_command
from rationalerm.errors import DataError

__all__ = ["add", "run"]


def add(commands: Subparsers) -> None:
    """Declares the command."""
    parser = add_command(
        commands,
        "parse",
        "Verdict, reasons and notes of each judge output, as JSON lines.",
        "rationalerm parse outputs.jsonl   |   echo 'So: [[B]]' | rationalerm parse - --text",
        run,
    )
    parser.add_argument("input", help="JSON lines with a field text, or - for stdin")
    parser.add_argument("--text", action="store_true", help="the whole file is one judge output, not JSON lines")
    parser.add_argument("--text-field", metavar="F", default="text", help="the field with the output (default: text)")


def run(args: argparse.Namespace) -> int:
    """Prints {"verdict", "side", "strength", "reasons", "status", "notes"} a line; a row's id is kept where it has one."""
    from rationalerm.data.jsonl import dumps, open_bytes, read_rows

    out = sys.stdout.buffer
    if args.text:
        with open_bytes(args.input) as handle:
            out.write(dumps(_parsed(handle.read().decode("utf-8", "replace"), {})) + b"\n")
    else:
        for row in read_rows(args.input):
            if args.text_field not in row.value:  # type: ignore[union-attr]
                fix = "point --text-field at the judge's output, or use --text for plain text"
                raise DataError(f"no such field; {fix}", source=args.input, row=row.number, field=args.text_field)
            value: dict[str, Any] = row.value  # type: ignore[union-attr]
            text = value[args.text_field]
            if text is not None and not isinstance(text, str):
                raise DataError("is not a string", source=args.input, row=row.number, field=args.text_field)
            out.write(dumps(_parsed(text, value)) + b"\n")
    out.flush()
    return 0


def _parsed(text: str | None, row: dict[str, Any]) -> dict[str, Any]:
    from rationalerm.judge.parse import parse_judgment

    responses = [row[name] for name in ("response1", "response2", "response_a", "response_b") if isinstance(row.get(name), str)]
    finish = row.get("finish_reason")
    judgment = parse_judgment(text, responses or None, finish if isinstance(finish, str) else None)
    verdict = judgment.verdict
    kept = {"id": row["id"]} if "id" in row else {}
    return kept | {
        "verdict": verdict.label if verdict is not None else None,
        "side": verdict.side if verdict is not None else None,
        "strength": judgment.strength,
        "reasons": judgment.reasons,
        "status": judgment.status,
        "notes": judgment.notes,
    }
