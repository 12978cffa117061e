"""A matcher's answer into a `Matching`: lines `- R1@S3: 0.75` in a RESULT block, or JSON.

The last complete block counts. A line that starts like a score line and can't be read is an error that names it; nothing is
re-based, cut short or guessed. Notes: "two blocks", "normalised: R1@S2: 0,75 -> 0.75" (a comment dropped is one too),
"json", "unclosed think". Knows nothing of verdicts or metrics.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from rationalerm.errors import ParseError
from rationalerm.judge.clean import signs, tidy, unfence
from rationalerm.judge.jsontext import json_values
from rationalerm.judge.reasons import result_markers
from rationalerm.judge.scores import read_score
from rationalerm.judge.standard import read_standard
from rationalerm.judge.thinking import strip_thinking
from rationalerm.types import Matching

__all__ = ["parse_matching"]

Mode = Literal["best", "matrix"]

_LINE = re.compile(
    r"[\s>]*(?:[-*•–—+]|\d{1,4}[.)])?[\s*_`\"]*R\s?(\d{1,9})\s?(?:@|->|→|=>"
    r"|[-–—]\s?(?=S))\s?S\s?(\d{1,9})[\s*_`\"]*(?:[:=]|\s[-–—]\s)[\s*_`\"]*(.*)$",
    re.I,
)
_LIKE = re.compile(
    r"[\s>]*(?:[-*•–—+]|\d{1,4}[.)])?[\s*_`\"(\[]*R\s?-?\w{1,9}\s?(?:@|->|→|=>|,)\s?(?:S|none|null|\d)"
    r"|[\s>]*[-*•–—+][\s*_`]*R\s?\d{1,9}\b\s*(?:[@:=]|$)",
    re.I,
)
_NONE = re.compile(r"(?i)[\s\-*•\[\](){}.]*(?:(?:none|no matches|nothing|empty|n/a)[\s.]*)?$")
_QUOTED = 120
_MOST = 20_000  # lines of one answer; no two lists make more pairs that anybody would read


class _Score(NamedTuple):
    r: int
    s: int
    value: float
    line: int | None
    words: str


def parse_matching(text: str, n_human: int, n_model: int, mode: Mode = "best") -> Matching:
    """Read a matcher's answer.

    Args:
        text: the matcher's answer.
        n_human: number of human reasons (R1..Rn).
        n_model: number of model reasons (S1..Sm; S0 = none).
        mode: "best": one line a human reason, each exactly once. "matrix": any pairs, each at most once; absent = 0.

    Raises:
        ParseError: what is wrong, with the line (1-based, of `text`).

    >>> parse_matching("<RESULT_START>\\n- R1@S2: 0.75\\n- R2@S0: 0\\n<RESULT_END>", 2, 2).scores
    {(0, 1): 0.75}
    """
    if n_human == 0:
        return Matching(0, n_model)
    if mode == "best" and (standard := read_standard(text, n_human, n_model)) is not None:
        return Matching(n_human, n_model, standard)
    if not text or not text.strip():
        raise ParseError("empty matcher answer; ask again")
    clean = tidy(text)
    answer, notes = strip_thinking(unfence(clean))
    block, more = _block(answer)
    notes = (*notes, *more)
    if block is None:
        found, normalised = _from_json(answer, text)
        notes = (*notes, "json")
    else:
        found, normalised = _from_lines(block, clean.count("\n", 0, max(0, clean.rfind(block))))
        if not found and next(json_values(block), None) is not None:
            found, normalised = _from_json(block, text)
            notes = (*notes, "json")
        if not found and not (mode == "matrix" and all(_NONE.match(line) for line in block.split("\n"))):
            raise ParseError("no score line in the RESULT block; each must read `- R1@S2: 0.75`")
    scores = _checked(found, n_human, n_model, mode)
    return Matching(n_human, n_model, scores, (*notes, *normalised))


def _block(answer: str) -> tuple[str | None, tuple[str, ...]]:
    """The last complete block, and notes. Raises ParseError where the only block has no end (its last score may be cut)."""
    start, count = -1, 0
    complete: str | None = None
    for place, end, opens in result_markers(answer):
        if opens:
            start, count = end, count + 1
        elif start >= 0:
            inside = answer[start:place]
            if "\n" in inside or _LINE.match(inside) or not inside.strip() or len(inside.split()) > 2:
                complete = inside
            else:
                count -= 1
            start = -1
    notes = ("two blocks",) if count > 1 else ()
    if complete is not None:
        return complete, notes
    if start >= 0:
        raise ParseError("no <RESULT_END>: the answer may be cut off; ask again with a larger token limit")
    return None, notes


def _from_lines(block: str, lines_above: int) -> tuple[list[_Score], list[str]]:
    found: list[_Score] = []
    notes: list[str] = []
    for number, line in enumerate(block.split("\n"), lines_above + 1):
        if "R" not in line and "r" not in line and "Ｒ" not in line:
            continue
        view = signs(line[:2000])
        match = _LINE.match(view)
        if not match:
            if _LIKE.match(view):
                raise ParseError(f"not a score line: {_short(line)!r}; it must read `- R1@S2: 0.75`", line=number)
            continue
        value, normalised = read_score(match[3]) if len(line) <= len(view) + 500 and len(line) < 2000 else (None, False)
        if value is None:
            raise ParseError(f"no score in {_short(line)!r}; it must be one number from 0 to 1", line=number)
        if normalised:
            notes.append(f"normalised: {_short(line)} -> {value:g}")
        found.append(_Score(int(match[1]), int(match[2]), value, number, _short(line)))
        if len(found) > _MOST:
            raise ParseError(f"more than {_MOST} score lines", line=number)
    return found, notes


def _short(line: str) -> str:
    words = " ".join(line[:1000].split()).removeprefix("- ")
    return words if len(words) <= _QUOTED else words[: _QUOTED - 3] + "..."


def _from_json(answer: str, text: str) -> tuple[list[_Score], list[str]]:
    lists = [inner for value in json_values(answer) if (inner := _matches(value)) is not None]
    notes = ["two blocks"] if len(lists) > 1 else []
    if not lists:
        white = text.rstrip() != text and len(text) - len(text.rstrip()) >= 40 and answer.lstrip()[:1] in ("{", "[")
        raise ParseError(
            "truncated: white space; ask again with a smaller token limit" if white else "no RESULT block and no JSON matches"
        )
    found: list[_Score] = []
    for item in lists[-1]:
        words = _short(repr(item))
        if not isinstance(item, dict):
            raise ParseError(f"not a match: {words}; it must read {{'r': 1, 's': 2, 'score': 0.75}}")
        fields = {str(key).lower(): inner for key, inner in item.items()}
        r, s = _index(fields.get("r", fields.get("reference"))), _index(fields.get("s", 0) if fields.get("s") is not None else 0)
        score = fields.get("score", 0 if s == 0 else None)
        if isinstance(score, str):
            score, normalised = read_score(score)
            if normalised:
                notes.append(f"normalised: {words} -> {score:g}")
        if r is None or s is None or score is None or isinstance(score, bool) or not isinstance(score, int | float):
            raise ParseError(f"not a match: {words}; it must read {{'r': 1, 's': 2, 'score': 0.75}}")
        found.append(_Score(r, s, float(score), None, words))
    return found, notes


def _matches(value: object) -> list[object] | None:
    """The list of matches that a JSON value is or holds."""
    if isinstance(value, dict):
        lowered = {str(key).lower(): inner for key, inner in value.items()}
        names = ("matches", "scores", "result", "results", "matching")
        return next((inner for key in names if isinstance(inner := lowered.get(key), list)), None)
    return value if isinstance(value, list) else None


def _index(value: object) -> int | None:
    """1, "1", "R1", "S2" -> the number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int):
        return value
    match = re.fullmatch(r"\s*[RS]?\s?(\d{1,9})\s*", value, re.I) if isinstance(value, str) else None
    return int(match[1]) if match else 0 if isinstance(value, str) and value.strip().lower() in ("none", "null", "") else None


def _checked(found: Sequence[_Score], n_human: int, n_model: int, mode: Mode) -> dict[tuple[int, int], float]:
    """The positive scores, 0-based. Raises ParseError for anything outside the rules of the mode."""
    scores: dict[tuple[int, int], float] = {}
    seen: set[tuple[int, int]] = set()
    wrong: list[tuple[int | None, str]] = []
    for one in found:
        key = (one.r, one.s if mode == "matrix" else -1)
        if not 1 <= one.r <= n_human:
            wrong.append((one.line, f"R{one.r} outside 1..{n_human}"))
        elif key in seen:
            wrong.append((one.line, f"R{one.r}@S{one.s} twice" if mode == "matrix" else f"R{one.r} twice"))
        elif not 0 <= one.s <= n_model:
            wrong.append((one.line, f"S{one.s} outside 0..{n_model}"))
        elif not math.isfinite(one.value) or not 0 <= one.value <= 1:
            wrong.append((one.line, f"score outside 0..1 in {one.words!r}"))
        elif one.s == 0 and one.value > 0:
            wrong.append((one.line, f"S0 (none) with a positive score in {one.words!r}"))
        elif one.s > 0 and one.value > 0:
            scores[one.r - 1, one.s - 1] = one.value
        seen.add(key)
    if mode == "best":
        missing = sorted(set(range(1, n_human + 1)) - {r for r, _ in seen})
        wrong += [(None, f"R{r} missing") for r in missing[:20]]
    if wrong:
        line = next((line for line, _ in wrong if line is not None), None)
        raise ParseError("; ".join(dict.fromkeys(words for _, words in wrong[:20])), line=line)
    return scores
