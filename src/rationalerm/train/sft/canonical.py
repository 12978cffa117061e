"""The form that an answer is asked for, made from what was read: numbered reasons and a boxed verdict between RESULT markers.

What a model learns from is so free of a judge's headings, greetings and list styles. Knows nothing of files or rewards.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rationalerm.data.sides import sub_explicit
from rationalerm.judge.fence import one_line
from rationalerm.judge.parse import parse_judgment
from rationalerm.types import Pair, Verdict

__all__ = ["canonical", "human_verdict", "lettered", "reads_back"]

_LETTERS = {"1": "A", "2": "B"}
_AT = re.compile(r"@(?=(?:Responses?|Assistants?|Answers?|Models?) [AB]\b)")
_MUCH = 3  # HelpSteer3: 1 slightly better, 2 better, 3 much better


def canonical(reasons: Sequence[str], verdict: Verdict) -> str:
    """The text; a reason is on one line, and no chat control token in it is one.

    >>> print(canonical(["Response A omits the unit."], Verdict.B_BETTER))
    <RESULT_START>
    1. Response A omits the unit.
    <BLANKLINE>
    \\boxed{B>A}
    <RESULT_END>
    """
    lines = [f"{number}. {one_line(reason)}" for number, reason in enumerate(reasons, 1)]
    return "\n".join(["<RESULT_START>", *lines, "", rf"\boxed{{{verdict.label}}}", "<RESULT_END>"])


def reads_back(text: str, n_reasons: int, verdict: Verdict, responses: Sequence[str]) -> bool:
    """Does the one parser read it as it was meant? A reason that looks like a heading, or a verdict, may be read otherwise."""
    judgment = parse_judgment(text, responses, "stop")
    return judgment.verdict == verdict and len(judgment.reasons) == n_reasons


def lettered(reason: str) -> str:
    """A human's reason in the words of the prompt: Response A and B, not 1 and 2.

    >>> lettered("@Response 1 is 2 lines long, Response 2 is not; responses 1 and 2 rhyme.")
    'Response A is 2 lines long, Response B is not; responses A and B rhyme.'
    """

    def one(match: re.Match[str]) -> str:
        if not match["head"]:
            return match[0]
        labels = [re.sub("[12]", lambda digit: _LETTERS[digit[0]], match[name] or "") for name in ("label", "label2")]
        space = match["space"] if match["space"].strip() else " "
        return match["head"] + space + labels[0] + (match["join"] or "") + labels[1]

    return _AT.sub("", sub_explicit(one, reason))


def human_verdict(pair: Pair) -> Verdict:
    """The human's verdict in the row's letters; "much better" only where the row's preference (-3..3) says so.

    Raises:
        ValueError: the pair has no label.
    """
    if pair.label is None:
        raise ValueError(f"pair {pair.id!r} has no label")
    much = pair.preference is not None and abs(pair.preference) >= _MUCH
    return Verdict(pair.label * (2 if much else 1))
