"""Text as judges and servers deliver it, made plain: control and zero-width characters, odd spaces and line ends, escaped or
full-width signs, wrapping code fences.

Two views of an answer: `tidy` for reading reasons (letters unchanged), `signs` of it for reading verdicts (one spelling for each
sign). Knows nothing of verdicts or reasons.
"""

from __future__ import annotations

import re

__all__ = ["fold", "signs", "tidy", "unfence"]

_LINE_ENDS = "\u2028\u2029\x85\x0b\x0c"
_JOINERS = "\u200c\u200d"  # needed inside words of some scripts and inside emoji: kept in reasons


_SPACES = "\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_UNSEEN = [
    (0x00, 0x09),
    (0x0E, 0x20),
    (0x7F, 0x85),
    (0x86, 0xA0),
    (0xAD, 0xAE),
    (0x200B, 0x200C),
    (0x200E, 0x2010),
    (0x202A, 0x202F),
]
_UNSEEN += [
    (0x061C, 0x061D),
    (0x180E, 0x180F),
    (0x2060, 0x2070),
    (0xFE0E, 0xFE10),
    (0xFEFF, 0xFF00),
    (0xFFF9, 0xFFFC),
    (0xE0001, 0xE0080),
]

_TIDY: dict[int, str | None] = {code: None for start, stop in _UNSEEN for code in range(start, stop)}
_TIDY |= {ord(char): "\n" for char in _LINE_ENDS}
_TIDY |= {ord(char): " " for char in _SPACES}
_UNTIDY = re.compile(f"[{''.join(f'{chr(start)}-{chr(stop - 1)}' for start, stop in _UNSEEN)}{_LINE_ENDS}{_SPACES}]")
_SAME_SIGN = {
    "≫⋙⨠": ">>", "≻⊱⟩›": ">", "≪⋘": "<<", "≺⟨‹": "<", "≈≃≅≡≍∼〜": "=", "【⟦": "[[", "】⟧": "]]", "〔": "[", "〕": "]",
    "‘’ʼ′": "'", "“”„‟″«»「」『』": '"', "‐‑‒−": "-",
}  # fmt: skip
_SIGNS: dict[int, str | None] = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_SIGNS |= {ord(char): sign for chars, sign in _SAME_SIGN.items() for char in chars}
_SIGNS |= dict.fromkeys(map(ord, _JOINERS))
_ODD_SIGN = re.compile(f"[{''.join(map(chr, _SIGNS))}]")
_ESCAPED = re.compile(r"(?i)&(?:amp;){0,8}(gt|lt|#0?62|#0?60|#x0?3e|#x0?3c|quot|nbsp|amp|#0?39|apos);")
_ENTITY = {
    "gt": ">",
    "#62": ">",
    "#062": ">",
    "#x3e": ">",
    "#x03e": ">",
    "lt": "<",
    "#60": "<",
    "#060": "<",
    "#x3c": "<",
    "#x03c": "<",
}
_ENTITY |= {"quot": '"', "nbsp": " ", "amp": "&", "#39": "'", "#039": "'", "apos": "'"}
_UNICODE_ESCAPE = re.compile(r"(?i)\\{1,4}u00(3c|3e|26)")
_STRUCK_OUT = re.compile(r"(?<!~)~~(?=[^\s~])[^~\n]{1,200}~~(?!~)|(?i:<(del|s|strike)>)[^<\n]{0,200}(?i:</(?:del|s|strike)>)")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})[ \t]*[\w+.-]*[ \t]*\n")


def tidy(text: str) -> str:
    """The text with plain line ends and spaces, and without control, zero-width and direction characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.translate(_TIDY) if _UNTIDY.search(text) else text  # few need it, and looking is faster


def signs(text: str) -> str:
    """A tidy text with one spelling for each sign: full-width, HTML-escaped, JSON-escaped and mathematical forms unified;
    what is struck out is gone."""
    if "~~" in text or "</" in text:
        text = _STRUCK_OUT.sub(" ", text)
    if "\\" in text:
        text = _UNICODE_ESCAPE.sub(lambda m: {"3c": "<", "3e": ">", "26": "&"}[m[1].lower()], text)
    if "&" in text:
        text = _ESCAPED.sub(lambda m: _ENTITY[m[1].lower()], text)
    return text.translate(_SIGNS) if _ODD_SIGN.search(text) else text


def unfence(text: str) -> str:
    """The inside of a code fence that wraps the whole text; the text itself where none does."""
    opening = _FENCE.match(text)
    if not opening:
        return text
    body = text[opening.end() :].rstrip()
    if body.endswith(opening[1]):
        inside = body[: -len(opening[1])]
        return text if re.search(rf"^[ \t]*{re.escape(opening[1])}[ \t]*$", inside, re.M) else inside
    return text if opening[1] in body else body


def fold(text: str) -> str:
    """The text on one line, single spaces."""
    return " ".join(text.split())
