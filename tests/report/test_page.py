"""The page's file: where its blocks stand, what its policy says, that it is written whole or not at all."""

from __future__ import annotations

import base64
import errno
import gzip
import hashlib
import json
import re
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_data import HOSTILE, chunks, head, index, report
from test_bench_formats import CASES

from rationalerm.errors import DataError
from rationalerm.report.bench_lines import bench_lines
from rationalerm.report.bench_tables import bench_tables
from rationalerm.report.page import html, page, write_page
from rationalerm.run.reporting.benches import result_of

BLOCK = re.compile(r'<script type="application/octet-stream" id="([\w-]+)">([A-Za-z0-9+/=]*)</script>')


def blocks(text: str) -> dict[str, Any]:
    return {name: json.loads(gzip.decompress(base64.b64decode(data))) for name, data in BLOCK.findall(text)}


def test_every_block_comes_back_and_stands_in_order(tmp_path: Path) -> None:
    made_head, made_index, made_chunks = report(3, 300, hostile={5: HOSTILE})
    whole = list(made_chunks)
    write_page(tmp_path / "report.html", made_head, made_index, iter(whole))
    text = (tmp_path / "report.html").read_text("utf-8")
    found = blocks(text)
    assert list(found) == ["head", "index", "chunk-0", "chunk-1", "chunk-2"]
    assert found["head"] == made_head
    assert found["index"] == made_index
    assert [found[f"chunk-{k}"] for k in range(3)] == whole
    assert text.index('id="index"') < text.index("d3js.org") < text.index('id="chunk-0"')


@pytest.mark.parametrize(("live", "connect"), [(False, "connect-src 'none'"), (True, "connect-src 'self'")])
def test_the_policy_lets_in_the_pages_own_scripts_and_nothing_else(live: bool, connect: str) -> None:
    text = b"".join(page(*report(1, 2, live=live))).decode()
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert found is not None
    policy = found[1].replace("&#x27;", "'")
    assert policy.startswith("default-src 'none'; ")
    assert connect in policy
    scripts = re.findall(r"<script>(.*?)</script>", text, re.S)
    assert len(scripts) == 3
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts]
    assert f"script-src {' '.join(hashes)};" in policy
    assert "unsafe-eval" not in policy
    assert not re.search(r"<[a-z]+[^>]*\son[a-z]+=", re.sub(r"<script.*?</script>", "", text, flags=re.S))


def test_judged_text_is_nowhere_in_the_file_as_it_is() -> None:
    text = b"".join(page(*report(2, 3, hostile=dict.fromkeys(range(3), HOSTILE), title=HOSTILE))).decode()
    assert "window.hacked = 1</script>" not in text
    assert "\u202e" not in text
    assert "<title>&lt;/script&gt;&lt;script&gt;window.hacked" in text


def test_half_a_surrogate_pair_and_numbers_that_json_has_not() -> None:
    made = head(1, 1) | {"how": "cut \ud83d here", "odd": [float("nan"), float("inf"), 1.5]}
    text = b"".join(page(made, index(1, 1), chunks(index(1, 1)))).decode()
    found = blocks(text)["head"]
    assert found["how"] == "cut \ud83d here"
    assert found["odd"] == [None, None, 1.5]


def test_the_page_without_rows_is_small() -> None:
    assert sum(map(len, page(*report(19, 0)))) < 3_000_000


def test_the_same_data_makes_the_same_bytes() -> None:
    assert b"".join(page(*report(2, 5))) == b"".join(page(*report(2, 5)))


def test_an_error_on_the_way_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    made_head, made_index, made_chunks = report(2, 300)

    def broken() -> Iterator[dict[str, Any]]:
        yield next(made_chunks)
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(DataError, match=r"report\.html: the disk is full"):
        write_page(path, made_head, made_index, broken())
    with pytest.raises(ValueError, match="the head says 3 chunks, 1 came"):
        write_page(path, made_head, made_index, [{"pairs": {}, "games": {}}])
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_no_more_than_a_chunk_is_in_memory(tmp_path: Path) -> None:
    made_index = index(1, 2560)
    made_head = head(1, 2560)

    def texts() -> Iterator[dict[str, Any]]:
        for k in range(20):
            yield {"pairs": {str(k): {"responses": ["x" * 2_000_000, ""]}}, "games": {}}

    b"".join(page(*report(1, 1)))  # the scripts are read once and kept
    tracemalloc.start()
    write_page(tmp_path / "report.html", made_head, made_index, texts())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000  # forty of texts


def test_the_vendored_scripts_are_the_ones_named() -> None:
    vendor = Path(html.__file__).parent / "vendor"
    said = (vendor / "README.md").read_text("utf-8")
    for name in html.VENDOR:
        assert hashlib.sha256((vendor / name).read_bytes()).hexdigest() in said
        licence = (vendor / f"{name.split('.')[0]}.LICENSE").read_text("utf-8")
        assert "Permission to use, copy, modify, and/or distribute this software" in licence


def test_every_asset_is_in_the_page() -> None:
    assets = Path(html.__file__).parent / "assets"
    assert {path.name for path in assets.iterdir()} == {*html.SCRIPTS, "page.html", "page.css"}


@pytest.mark.parametrize("name", list(CASES))
def test_a_benchmarks_summary_is_read_back_whole(name: str) -> None:
    """The page's tables and lines are made of summary.json, by what makes the terminal's of the result itself."""
    results = CASES[name]()
    again = {judge: result_of(json.loads(json.dumps(result.to_json()))) for judge, result in results.items()}
    found = {judge: result for judge, result in again.items() if result is not None}
    assert [list(bench_lines(found[judge])) for judge in results] == [list(bench_lines(result)) for result in results.values()]
    assert bench_tables(found) == bench_tables(results)
    assert result_of({"benchmark": name, "overall": 1}) is None
