"""A judge's answer as it stands in a file -> a `Judgment`: a list beside the text outranks the text's own, the text's verdict
outranks a label beside it. Knows nothing of files."""

from __future__ import annotations

from dataclasses import replace

from rationalerm.judge.parse import end_notes, parse_judgment
from rationalerm.types import Answer, Judgment, Pair, VerdictStatus

__all__ = ["contradicts_label", "read_answer"]


def read_answer(answer: Answer, pair: Pair) -> Judgment:
    """Reads one answer.

    A label counts only where there is no text: a text without a verdict stays without one, since the label beside it may be
    another reader's guess.
    """
    if answer.error is not None:
        return Judgment(None, None, answer.reasons or (), "failed", (f"error: {answer.error}",))
    if answer.text is None:
        judgment = _without_text(answer)
    else:
        judgment = parse_judgment(answer.text, (pair.response_a, pair.response_b), answer.finish_reason)
    if answer.reasons is not None:
        notes = tuple(note for note in judgment.notes if note != "prose")
        judgment = replace(judgment, reasons=answer.reasons, notes=notes)
    return judgment


def contradicts_label(answer: Answer, judgment: Judgment) -> bool | None:
    """Does the label beside a text name another side than the text? None where there is nothing to check."""
    if answer.text is None or answer.label is None or judgment.verdict is None:
        return None
    return answer.label.side != judgment.verdict.side


def _without_text(answer: Answer) -> Judgment:
    notes = tuple(end_notes(answer.finish_reason))
    if answer.label is not None:
        return Judgment(answer.label, None, (), "given", ("rule: label field", *notes))
    status: VerdictStatus = "failed" if answer.reasons is None or notes else "none"
    return Judgment(None, None, (), status, ("no text", *notes))
