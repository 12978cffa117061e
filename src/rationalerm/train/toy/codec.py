"""Words of the toy world <-> tokens of the toy model, and a token list as the text of a judge's answer.

A prompt has always the same length: `<request>` and three words, then for A and B a marker, six words and four cues (shown or
not), then `<answer>`. An answer is reasons of two tokens (whose, what), a verdict, `<end>`. What a policy writes beside that
form is put into text as it stands, for the product's parser to read. Knows nothing of models or rewards.
"""

from __future__ import annotations

from collections.abc import Sequence

from rationalerm.train.toy.world import CHOICES, CUES, FACTS, Claim, Response, ToyPair

__all__ = ["END", "PROMPT_LENGTH", "VOCABULARY", "decode", "encode_answer", "encode_prompt", "pair_text", "reason_text"]

_SIDES = {-1: "A", 1: "B"}
_VERDICTS = {-1: "A>B", 1: "B>A"}
_SAYS = {
    "language": "is written in {}, which was not asked for.",
    "unit": "measures in {}, which was not asked for.",
    "city": "describes {}, which was not asked for.",
    "sum off by one": "has a sum that is off by one.",
    "sum off by ten": "has a sum that is off by ten.",
    "sum without its sign": "has a sum that lost its minus sign.",
    "source invented": "cites a source that was invented.",
    "source misquoted": "misquotes its source.",
    "source wrong": "cites a source that is wrong.",
    "code crashes": "gives code that crashes.",
    "code fails": "gives code that fails on an empty list.",
    "code leaks memory": "gives code that leaks memory.",
    "headings": "has headings.",
    "tone": "has a friendly tone.",
    "format": "is well formatted.",
    "style": "reads well.",
}
_SENTENCE = {word: _SAYS[name].format(word) for name, words in CHOICES.items() for word in words} | {
    word: _SAYS[word] for word in (*(word for words in FACTS.values() for word in words[1:]), *CUES)
}
VOCABULARY: tuple[str, ...] = (
    *("<request>", "<A>", "<B>", "<answer>", "<end>"),
    *(word for words in (*CHOICES.values(), *FACTS.values()) for word in words),
    *CUES,
    *(f"no {cue}" for cue in CUES),
    *(f"Response {side}" for side in _SIDES.values()),
    *_VERDICTS.values(),
)
_ID = {word: number for number, word in enumerate(VOCABULARY)}
END = _ID["<end>"]
PROMPT_LENGTH = 5 + len(CHOICES) - 1 + 2 * (len(CHOICES) + len(FACTS) + len(CUES))


def encode_prompt(pair: ToyPair) -> list[int]:
    """PROMPT_LENGTH tokens."""
    words = ["<request>", *pair.request, "<A>", *_shown(pair.a), "<B>", *_shown(pair.b), "<answer>"]
    return [_ID[word] for word in words]


def encode_answer(claims: Sequence[Claim], verdict: int) -> list[int]:
    """Reasons, verdict, end."""
    words = [word for claim in claims for word in (f"Response {_SIDES[claim.side]}", claim.about)]
    return [_ID[word] for word in (*words, _VERDICTS[verdict], "<end>")]


def reason_text(claim: Claim) -> str:
    """A reason in words.

    >>> reason_text(Claim(-1, "German"))
    'Response A is written in German, which was not asked for.'
    """
    return f"Response {_SIDES[claim.side]} {_SENTENCE[claim.about]}"


def decode(tokens: Sequence[int]) -> str:
    """An answer's text: a numbered reason a line, the verdict in a box; tokens behind `<end>` are not part of it.

    >>> print(decode(encode_answer([Claim(-1, "German")], 1)))
    1. Response A is written in German, which was not asked for.
    <BLANKLINE>
    \\boxed{B>A}
    """
    lines: list[str] = []
    opened, number = False, 0  # opened: a reason has its side, and waits for what it says
    for word in (VOCABULARY[token] for token in tokens):
        if word == "<end>":
            break
        if word.startswith("Response "):
            number, opened = number + 1, True
            lines.append(f"{number}. {word}")
        elif opened and word not in _VERDICTS.values():
            lines[-1] += f" {_SENTENCE.get(word, word)}"
            opened = False
        else:
            lines.append(f"\n\\boxed{{{word}}}" if word in _VERDICTS.values() else word)
            opened = False
    return "\n".join(lines)


def pair_text(pair: ToyPair) -> dict[str, str]:
    """Request and responses in words, for a person."""
    return {
        "request": ", ".join(pair.request),
        "response_a": ", ".join((*pair.a.words, *sorted(pair.a.cues))),
        "response_b": ", ".join((*pair.b.words, *sorted(pair.b.cues))),
    }


def _shown(response: Response) -> list[str]:
    return [*response.words, *(cue if cue in response.cues else f"no {cue}" for cue in CUES)]
