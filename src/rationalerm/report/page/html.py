"""Puts the page together: skeleton, style, vendored scripts, the page's own scripts, then the data, a chunk at a time.

The head and the index stand before the scripts and the chunks after them: the page draws while the browser still reads the rows.
Knows nothing of where the numbers come from.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from rationalerm.data.log import replace_file
from rationalerm.errors import printable
from rationalerm.report.page.chunks import block

__all__ = ["page", "write_page"]

VENDOR = ("d3.min.js", "plot.umd.min.js")
SCRIPTS = (
    "text.js", "dom.js", "data.js", "labels.js", "plots.js", "map.js", "fallback.js", "table.js", "differences.js",
    "agreement.js", "kinds.js", "curves.js", "benches.js", "link.js", "filter.js", "list.js", "matching.js", "detail.js",
    "search.js", "rows.js", "live.js", "main.js",
)  # fmt: skip


def write_page(
    path: Path, head: Mapping[str, Any], index: Mapping[str, Any], chunks: Iterable[Mapping[str, Any] | bytes]
) -> None:
    """Writes the page at once or not at all: a full disk, or an error while the chunks are made, leaves the old file.

    Args:
        path: the file.
        head: figures of the run or runs; `head["rows"]["chunks"]` says how many chunks there are.
        index: the rows' numbers, columnar.
        chunks: the rows' texts, `{"pairs": ..., "games": ...}` each, in order; one is in memory at a time. Bytes are a
            block that was packed before.

    Raises:
        DataError: the file can't be written.
        ValueError: not as many chunks as the head says.
    """
    replace_file(path, page(head, index, chunks))


def page(head: Mapping[str, Any], index: Mapping[str, Any], chunks: Iterable[Mapping[str, Any] | bytes]) -> Iterator[bytes]:
    """The page's bytes, piece by piece, for a file or a reply; arguments as for `write_page`."""
    before, between, after = _skeleton(str(head["title"]), bool(head.get("live")))
    yield before
    yield block("head", head)
    yield block("index", index)
    yield between
    made = -1
    for made, chunk in enumerate(chunks):
        yield chunk if isinstance(chunk, bytes) else block(f"chunk-{made}", chunk)
    if (said := head["rows"]["chunks"]) != made + 1:
        raise ValueError(f"the head says {said} chunks, {made + 1} came")
    yield after


def _skeleton(title: str, live: bool) -> tuple[bytes, bytes, bytes]:
    """What stands before the head's block, between the index and the chunks, and after them."""
    scripts = _scripts()
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts)
    connect = "'self'" if live else "'none'"
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )
    text = _asset("page.html")
    for mark, value in (
        ("<!--policy-->", html.escape(policy)),
        ("<!--title-->", html.escape(printable(title))),
        ("<!--style-->", _asset("page.css")),
        ("<!--scripts-->", "".join(f"<script>{script}</script>\n" for script in scripts)),
    ):
        before, found, after = text.partition(mark)
        assert found, mark
        text = before + value + after
    before, _, rest = text.partition("<!--data-->\n")
    between, _, after = rest.partition("<!--chunks-->\n")
    return before.encode(), between.encode(), after.encode()


@cache
def _scripts() -> tuple[str, ...]:
    """Each inline script of the page: the vendored ones, then the page's own as one."""
    own = "".join(_asset(name) for name in SCRIPTS)
    scripts = (*(_read("vendor", name) for name in VENDOR), f'(() => {{\n"use strict";\n{own}}})();\n')
    assert not any("</script" in script.lower() or "<!--" in script for script in scripts)
    return scripts


@cache
def _asset(name: str) -> str:
    return _read("assets", name)


def _read(folder: str, name: str) -> str:
    return (files("rationalerm.report.page") / folder / name).read_text("utf-8")
