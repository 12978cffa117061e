"""Lists of reasons: bullets, numbers, `R1:`, `Reason 1:`, bold lead-ins; nested and continued lines belong to their item.

Markers count at line starts only. Items under a heading that names a response carry the response's name. Knows nothing of
JSON or prose.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rationalerm.judge.clean import signs
from rationalerm.judge.headings import Section, is_verdict_title, names_side, read_heading, with_side
from rationalerm.judge.marked import marked_labels
from rationalerm.judge.markers import Mark, has_letters, numbers_ahead, read_mark
from rationalerm.judge.verdict import is_verdict_line

__all__ = ["list_items"]

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_BLOCK_QUOTE = re.compile(r"^ {0,3}(?:> ?){1,5}")
_RULE = re.compile(r"[ \t]*(?:[-*_][ \t]?){3,}$")
_EMPHASIS = re.compile(r"(?<!\w)\*\*(?=\S)([^*\n]{1,400})(?<=\S)\*\*(?!\w)|(?<!\w)__(?=\S)([^_\n]{1,200})(?<=\S)__(?!\w)")
_TRAILING_MARK = re.compile(
    r"(?:[\s:;,(–—-]|so|therefore|verdict"
    r"|final)*(?:\$*\\*boxed\s*\{[^{}\n]{0,60}(?:\{[^{}\n]{0,40}\}[^{}\n]{0,40}){0,4}\}+\$*"
    r"|\[\[\s?[ABC](?:\s?[>=<]{1,2}\s?[AB])?\s?\]\])[\s.)]*$",
    re.I,
)
_MOST = 2000


@dataclass(slots=True)
class _Item:
    kind: str
    indent: int
    lines: list[str]
    side: str = ""
    title: bool = False  # its first line is a heading
    blank: bool = False  # a blank line came after its last line
    children: list[_Item] = field(default_factory=list)


class _Reader:
    """Walks the lines once; keeps the list that is open and the heading above it."""

    def __init__(self, lines: list[str]) -> None:
        self.items: list[_Item] = []
        self._lines = lines
        self._letters = has_letters(lines)
        self._current: _Item | None = None
        self._numbers: dict[tuple[str, int], int] = {}
        self._ahead = numbers_ahead(lines)
        self._section = Section()
        self._closed = False  # under a verdict's heading
        self._fence = ""

    def read(self) -> list[_Item]:
        for line in self._lines:
            self._line(_BLOCK_QUOTE.sub("", line) if line[:4].lstrip().startswith(">") else line)
            if len(self.items) >= _MOST:
                break
        return self.items

    def _line(self, line: str) -> None:
        fence = _FENCE.match(line)
        if self._fence:
            if fence and fence[1][:3] == self._fence:
                self._fence = ""
            self._continue(line, code=True)
        elif fence:
            self._fence = fence[1][:3]
            self._continue(line, code=True)
        elif not line.strip():
            if self._current:
                self._current.blank = True
        elif _RULE.match(line):
            self._current = None
        else:
            self._text(line)

    def _text(self, line: str) -> None:
        mark = read_mark(line, self._letters)
        if mark and not self._in_sequence(mark):
            mark = None
        if mark and not _heading_mark(line, mark):
            if not self._closed:
                self._start(mark)
            return
        if self._heading(line, mark):
            return
        self._continue(line, code=False)

    def _in_sequence(self, mark: Mark) -> bool:
        """A number goes on with its list, or starts one; anything else is part of a sentence."""
        if mark.kind not in ("number", "named", "letter"):
            return True
        key = (mark.kind, mark.indent)
        last = self._numbers.get(key)
        fresh = mark.number in (0, 1) or (last is None and (mark.kind == "named" or mark.number + 1 in self._ahead))
        follows = last is not None and (mark.number - last in (1, 2, 3) or (mark.number == last == 1))
        if not fresh and not follows:
            return False
        self._numbers[key] = mark.number
        return True

    def _start(self, mark: Mark) -> None:
        current = self._current
        if current is not None and self._is_child(mark, current):
            if not current.children and _short_title(current.lines[-1]) and current.lines[-1].strip(" *_")[-1:] not in ":.,;":
                current.lines[-1] = current.lines[-1].rstrip() + ":"
            current.children.append(_Item(mark.kind, mark.indent, [mark.text]))
            current.blank = False
            return
        self._current = _Item(mark.kind, mark.indent, [mark.text], self._section.label)
        self.items.append(self._current)

    def _is_child(self, mark: Mark, parent: _Item) -> bool:
        if mark.kind == "lead":
            return False
        if mark.indent >= parent.indent + 2:
            return True
        if parent.kind in ("number", "named", "lead") and mark.kind in ("bullet", "letter"):
            opens = parent.lines[0].rstrip(" *_").endswith(":") or _short_title(parent.lines[0])
            return mark.indent >= parent.indent and (opens or bool(parent.children)) and len(parent.lines) == 1
        return False

    def _heading(self, line: str, mark: Mark | None) -> bool:
        """Take a heading: it may name a response, or close the reasons."""
        heading = read_heading(line, mark.text if mark else None)
        if heading is None:
            return False
        self._section.enter(heading)
        self._closed = heading.closes
        self._current = None
        if mark and not heading.side and not self._closed and mark.kind == "number":
            self._current = _Item("number", mark.indent, [mark.text], title=True)
            self.items.append(self._current)
        return True

    def _continue(self, line: str, code: bool) -> None:
        item = self._current
        if item is None or self._closed:
            return
        indent = len(line) - len(line.lstrip())
        title_only = not item.children and len(item.lines) == 1 and _is_title(item)
        if item.blank and not code and indent <= item.indent and not title_only:
            self._current = None
            return
        if not code and is_verdict_line(line):
            self._current = None if item.blank else item
            return
        if not code and not re.search(r"[^\W_]", line):
            return
        if title_only and not code and item.lines[0].strip(" *_")[-1:] not in ":.,;":
            item.lines[0] = item.lines[0].rstrip() + ":"
        target = item.children[-1] if item.children else item
        target.lines.append(line.strip() if not code else line.rstrip())
        item.blank = False


def _short_title(text: str) -> bool:
    """Whether an item's first line is only a title, so that the paragraph under it belongs to it."""
    words = text.strip()
    return (
        len(words.split()) <= 7
        and (words.endswith((":", ":**", "**")) or not re.search(r"[.!?]$", words))
        and not re.search(r"\b(?:is|are|was|does|has|have|fails|gives|misses)\b", words)
    )


def _is_title(item: _Item) -> bool:
    """Whether an item is a heading so far: bold as a whole, or ending with a colon."""
    words = item.lines[0].strip()
    return _short_title(words) and (item.title or words.endswith(":") or words.rstrip(":").endswith("**"))


def _heading_mark(line: str, mark: Mark) -> bool:
    """A marked line that is only a heading: `1. **Response A:**`, `### 2. Verdict`."""
    words = mark.text.strip(" :*_")
    return bool(names_side(words)) or is_verdict_title(words) or (line.lstrip().startswith("#") and mark.kind == "number")


def list_items(text: str) -> list[str]:
    """The items of the lists in a text, in its order; empty where it has none."""
    items = _Reader(text.split("\n")).read()
    if any(item.kind != "lead" for item in items) and not all(item.kind == "lead" or item.indent for item in items):
        items = _without_stray_leads(items)
    found: list[str] = []
    for item in items:
        found += _texts(item)
    return found


def _without_stray_leads(items: list[_Item]) -> list[_Item]:
    """Bold lead-ins beside a real list stay only where they say something of their own (a sentence)."""
    return [item for item in items if item.kind != "lead" or len(" ".join(item.lines).split()) > 5 or item.children]


def _texts(item: _Item) -> list[str]:
    head = _plain("\n".join(item.lines))
    side = names_side(head)
    if side and item.children:
        return [text for child in item.children for text in _prefixed(_plain(_joined(child)), side)]
    if is_verdict_line(item.lines[0]) and len(item.lines) == 1 and not item.children:
        return []
    text = " ".join([head, *(_plain(_joined(child)) for child in item.children)])
    return _prefixed(text, item.side)


def _joined(item: _Item) -> str:
    return "\n".join([*item.lines, *(_joined(child) for child in item.children)])


def _prefixed(text: str, side: str) -> list[str]:
    mark = _TRAILING_MARK.search(text, max(0, len(text) - 200)) if "[[" in text or "oxed" in text else None
    if mark and marked_labels(signs(mark[0]), numbers=True):
        text = text[: mark.start()]
    text = text.strip()
    if not text or is_verdict_line(text):
        return []
    return [with_side(text, side)]


def _plain(text: str) -> str:
    if "**" in text or "__" in text:
        text = _EMPHASIS.sub(lambda m: m[1] or m[2], text)
    return text.strip().removesuffix("**").removeprefix("**").strip() if text.count("**") == 1 else text.strip()
