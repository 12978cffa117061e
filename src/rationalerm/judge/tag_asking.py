"""The tagger that asks a model: the question about one list (prompts/tag.txt), and its answer read. Sends nothing; knows no file.

The answer is one RESULT block of lines `- S1: EG F3 F4`: each reason exactly once, one kind, flaws that exist. Read as the other
answers are: thinking is left out, the last complete block counts, odd bullets, bold and commas pass. Anything else is a
ParseError, so that it is asked for once more, and then a failure: never a kind.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from rationalerm.errors import ParseError
from rationalerm.judge.clean import fold, tidy, unfence
from rationalerm.judge.fence import fenced, mark_of, one_line
from rationalerm.judge.reasons import result_markers
from rationalerm.judge.tagging import FLAWS, KINDS, Kind, Tags
from rationalerm.judge.thinking import strip_thinking
from rationalerm.llm.question import Question, Reply
from rationalerm.llm.settings import ChatSettings
from rationalerm.prompts import load
from rationalerm.types import Verdict

__all__ = ["LLMTagger", "parse_tags", "tag_question"]

_LINE = re.compile(r"(?i)[\s>]*(?:[-*•–—+]\s?|\d{1,4}[.)]\s)?[*_`]{0,3}\[?S ?(\d{1,6})\]?[*_`]{0,3} ?[:：=-][*_`]{0,3} ?(.*)$")
_LIKE = re.compile(r"(?i)[\s>]*(?:[-*•–—+]\s?)?[*_`]{0,3}\[?S ?\d|[\s>]*[-*•–—+] \S")
_NONE = frozenset(("none", "no", "flaws", "-", "–", "—", "∅", "/", "n/a"))
_KIND: dict[str, Kind] = {kind: kind for kind in KINDS}
_QUOTED = 100
_LIMIT, _TOKENS_A_LINE, _TOKENS_AROUND = 4096, 12, 40


@dataclass(frozen=True)
class LLMTagger:
    """Tags by asking a model, one list a call.

    Args:
        settings: the model, how fast, for how much.
    """

    settings: ChatSettings
    name = "llm"

    @property
    def version(self) -> str:
        """The model, the prompt's version, and a hash of the endpoint and its sampling."""
        endpoint = self.settings.endpoint
        asked = orjson.dumps(endpoint.identity(), option=orjson.OPT_SORT_KEYS)
        return f"llm {endpoint.model} {load('tag').version.split()[-1]} {hashlib.sha256(asked).hexdigest()[:8]}"

    @property
    def prompts(self) -> list[str]:
        """The versions of the prompts, for run.json."""
        return [load("tag").version, load("match_again").version]


def tag_question(reasons: Sequence[str], verdict: Verdict | None = None) -> Question[list[Tags]]:
    """What is asked about one list; it has a reason or more."""
    prompt = load("tag")
    lines = [f"S{k}: {one_line(reason)}" for k, reason in enumerate(reasons, 1)]
    messages = prompt.fill(
        mark=mark_of(lines),
        n=str(len(reasons)),
        verdict="not given" if verdict is None else verdict.label,
        reasons="\n".join(lines),
    )

    def read(reply: Reply) -> list[Tags]:
        return parse_tags(reply.text or "", len(reasons))

    return Question(
        messages,
        prompt.version,
        read,
        limit=_LIMIT + _TOKENS_A_LINE * len(reasons),
        again=lambda problem: load("match_again").fill(problem=fenced(fold(problem)))[-1].content,
        expected_tokens=_TOKENS_AROUND + _TOKENS_A_LINE * len(reasons),
    )


def parse_tags(text: str, n: int) -> list[Tags]:
    """Reads an answer about a list of `n` reasons.

    Raises:
        ParseError: what is wrong, with the line quoted.

    >>> parse_tags("<RESULT_START>\\n- S1: EG\\n- S2: GS F3, F1\\n<RESULT_END>", 2)
    [Tags(kind='EG', flaws=()), Tags(kind='GS', flaws=('F1', 'F3'))]
    """
    answer, _ = strip_thinking(unfence(tidy(text)))
    if not answer.strip():
        raise ParseError("the answer is empty")
    found: dict[int, Tags] = {}
    for line in _block(answer).split("\n"):
        match = _LINE.match(line[:1000])
        if match is None:
            if _LIKE.match(line):
                raise ParseError(f"not a label line: {_short(line)!r}; it must read `- S1: EG F3 F4`")
            continue
        number = int(match[1])
        if not 1 <= number <= n:
            raise ParseError(f"S{number} outside 1..{n}")
        if number in found:
            raise ParseError(f"S{number} twice")
        found[number] = _tags(match[2], line)
    missing = [f"S{number}" for number in range(1, n + 1) if number not in found]
    if missing:
        more = f" and {len(missing) - 20} more" if len(missing) > 20 else ""
        raise ParseError(f"no line for {', '.join(missing[:20])}{more}")
    return [found[number] for number in range(1, n + 1)]


def _block(answer: str) -> str:
    """The last complete block."""
    start, complete = -1, None
    for place, end, opens in result_markers(answer):
        if opens:
            start = end
        elif start >= 0:
            complete, start = answer[start:place], -1
    if complete is None:
        raise ParseError("no complete RESULT block; answer with one from <RESULT_START> to <RESULT_END>")
    return complete


def _tags(labels: str, line: str) -> Tags:
    words = [word for word in re.split(r"[\s,;+|()\[\]*_`.]+", labels.strip()) if word and word.casefold() not in _NONE]
    kinds = [_KIND[word.upper()] for word in words if word.upper() in _KIND]
    flaws = {word.upper() for word in words if word.upper() not in _KIND}
    if unknown := sorted(flaws - set(FLAWS)):
        raise ParseError(f"{fold(unknown[0])[:_QUOTED]!r} in {_short(line)!r} is neither a kind nor a flaw")
    if len(kinds) != 1:
        raise ParseError(f"{_short(line)!r} has {len(kinds) or 'no'} kinds; give one of EG, CG, GS")
    return Tags(kinds[0], tuple(flaw for flaw in FLAWS if flaw in flaws))


def _short(line: str) -> str:
    return fold(line[:1000])[:_QUOTED]
