"""The data of a report page read back, as the page's script reads it. Knows nothing of the package."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["PageFile", "read_page", "read_page_bytes"]

_BLOCK = re.compile(rb'<script type="application/octet-stream" id="([a-z0-9-]+)">([A-Za-z0-9+/=]*)</script>')


class PageFile(NamedTuple):
    """Head, index, and all chunks in one."""

    head: dict[str, Any]
    index: dict[str, Any]
    pairs: dict[int, dict[str, Any]]
    games: dict[int, dict[str, Any]]

    def rows(self, judge: str) -> dict[str, tuple[int, dict[str, Any]]]:
        """A judge's games in the given order, by id: the row's number and its texts."""
        number = [one["name"] for one in self.head["judges"]].index(judge)
        columns = zip(self.index["id"], self.index["judge"], self.index["order"], strict=True)
        return {id: (row, self.games[row]) for row, (id, of, turn) in enumerate(columns) if of == number and not turn}


def read_page(path: Path) -> PageFile:
    """From a file."""
    return read_page_bytes(path.read_bytes())


def read_page_bytes(data: bytes) -> PageFile:
    """From a reply."""
    blocks = {name.decode(): json.loads(gzip.decompress(base64.b64decode(packed))) for name, packed in _BLOCK.findall(data)}
    chunks = [blocks[f"chunk-{number}"] for number in range(blocks["head"]["rows"]["chunks"])]
    pairs = {int(key): value for chunk in chunks for key, value in chunk["pairs"].items()}
    games = {int(key): value for chunk in chunks for key, value in chunk["games"].items()}
    return PageFile(blocks["head"], blocks["index"], pairs, games)
