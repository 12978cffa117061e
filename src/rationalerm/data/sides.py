"""Which response a text speaks of by explicit mention, and the same text with the responses changed over.

Explicit: `Response 1`, `Response A`, `@Response 1`, `Responses 1 and 2`, `Output (a)`, `Assistant B`, `the first response`,
`Antwort A`, `la segunda respuesta`, `回答1`. Never a bare letter: "A" may be an article, an option, a vitamin. Knows nothing of
polarity or of what a text claims.
"""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["EXPLICIT", "SWAPPED", "side_of", "sub_explicit", "swap_sides"]

# Heads that take a label. "Answer" counts only with a capital or after @ ("picks answer B" is an option of the question).
_HEADS = (
    r"(?:responses?|assistants?|outputs?|candidates?|completions?|repl(?:y|ies)|chatbots?|antwort(?:en)?|respuestas?|r[ée]ponses?"
    r"|respostas?|rispost[ae]|antwoord(?:en)?|odpowied[źz]i?|ответ[аеуы]?|відповід[ьі]|yanıt|cevap|svar|válasz)"
)
_CASED = r"(?:@?Answers?|ANSWERS?|Models?|MODELS?|@[Mm]odels?)"
_LABEL = r"(?:[12](?![0-9A-Za-z_]|[.,]\d)|[AB](?!\w)|\([12ABab]\)|\[[12ABab]\]|\"[AB12]\"|'[AB12]'|(?i:one|two)(?!\w))"
_JOIN = r"\s*(?:,|/|&|and|or|vs\.?|versus|und|oder|y|o|et|ou|e|en|и|与|和)\s*"
_ORDINAL = (
    r"(?:first|second|1st|2nd)(?=\s+(?:response|assistant|output|candidate|completion|reply|answer|chatbot|model)(?:['’]s|s['’]?)?(?!\w))"
    r"|(?:erste|zweite)(?=(?:[nrs]|)\s+antwort)"
    r"|(?:primera|segunda)(?=\s+respuesta)|(?:primeira|segunda)(?=\s+resposta)|(?:prima|seconda)(?=\s+risposta)"
    r"|(?:première|deuxième)(?=\s+réponse)|(?:eerste|tweede)(?=\s+antwoord)|(?:перв|втор)(?=(?:ый|ом|ого|ому)\s+ответ)"
)
_CJK = (
    r"(?:回答|响应|回应|回覆|回复|応答|答え|답변|응답)\s*[12AB一二](?![0-9A-Za-z_]|[.,]\d)"
    r"|第[一二](?=个?(?:回答|响应|回应|回复|答案|の回答))"
)


def _mention(head: str) -> str:
    return rf"(?P<head>{head})(?P<space>[\s_#:-]{{0,2}})(?P<label>{_LABEL})(?:(?P<join>{_JOIN})(?P<label2>{_LABEL}))?"


EXPLICIT = re.compile(rf"(?<![\w-])(?:{_mention(f'@?(?i:{_HEADS})|{_CASED}')}|(?P<ordinal>(?i:{_ORDINAL})))|(?P<cjk>{_CJK})")
# Most texts speak of "Response 1" only, and a pattern that begins with a letter is fast; its empty groups keep the names.
_COMMON = re.compile(_mention(r"[Rr](?<![\w-][Rr])(?:esponses?|ESPONSES?)") + r"(?P<ordinal>(?!))?(?P<cjk>(?!))?")
_OTHER_HEADS = (
    "assist", "output", "candid", "complet", "repl", "chatbot", "antwo", "respues", "réponse", "reponse", "respost",
    "rispost", "odpowied", "ответ", "відпов", "yanıt", "cevap", "svar", "válasz", "answer", "model", "first",
    "second", "1st", "2nd", "erste", "zweite", "prim", "segund", "deuxi", "premi", "tweede", "перв", "втор", "答",
    "响", "回", "応", "第", "답", "응",
)  # fmt: skip


def sub_explicit(replace: Callable[[re.Match[str]], str], text: str) -> str:
    """`EXPLICIT.sub(replace, text)`, by a cheaper pattern where the text allows it."""
    low = text.casefold()
    if any(map(low.__contains__, _OTHER_HEADS)):
        return EXPLICIT.sub(replace, text)
    return _COMMON.sub(replace, text) if "response" in low else text


# `primeira`/`segunda` and `primera`/`segunda` share their second word, so the noun after it decides.
_PAIRS = (
    ("1", "2"), ("A", "B"), ("a", "b"), ("one", "two"), ("first", "second"), ("1st", "2nd"), ("erste", "zweite"),
    ("prima", "seconda"), ("première", "deuxième"), ("eerste", "tweede"), ("перв", "втор"), ("一", "二"), ("primera",
    "segunda"),
)  # fmt: skip
SWAPPED = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])} | {"primeira": "segunda"}
_FIRST = frozenset(a for a, _ in _PAIRS) | {"primeira"}


def side_of(label: str) -> int:
    """-1 (A) or +1 (B) of a label, an ordinal or a CJK mention: `2`, `(a)`, `Second`, `回答1`."""
    bare = re.sub(r"[^\w]", "", label)
    key = bare if bare in SWAPPED else bare.casefold()
    if key not in SWAPPED:  # a CJK mention: the label is one of its characters
        key = next(c for c in bare if c in SWAPPED)
    return -1 if key in _FIRST else 1


def _like(word: str, model: str) -> str:
    """`word` in the case of `model`."""
    return word.upper() if len(model) > 1 and model.isupper() else word.capitalize() if model[:1].isupper() else word


def _swap_label(label: str, after: str = "") -> str:
    def one(match: re.Match[str]) -> str:
        text = match[0]
        if text.casefold() == "segunda":
            return _like("primeira" if "resposta" in after.casefold() else "primera", text)
        return SWAPPED[text] if text in SWAPPED else _like(SWAPPED[text.casefold()], text)

    return re.sub(r"[^\W_]+", one, label)


def _swap(match: re.Match[str]) -> str:
    if match["ordinal"]:
        return _swap_label(match["ordinal"], match.string[match.end() : match.end() + 12])
    if match["cjk"]:
        return re.sub(r"[12AB一二]", lambda m: SWAPPED[m[0]], match["cjk"])
    start = match["head"] + match["space"] + _swap_label(match["label"])
    return start + (match["join"] + _swap_label(match["label2"]) if match["label2"] else "")


def swap_sides(text: str) -> str:
    """The text with Response 1 and Response 2 changed over wherever they are named outright; its own inverse.

    >>> swap_sides("@Response 1 omits the unit; Response B's answer has it, unlike the first response.")
    "@Response 2 omits the unit; Response A's answer has it, unlike the second response."
    """
    return sub_explicit(_swap, text)
