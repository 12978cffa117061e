"""The report page: its size without rows, how long after navigation 22,000 rows have their map drawn and their last row open, the
longest frame while the list scrolls, a search in all texts, and what writing 1,000 rows of two judges costs. Chromium, headless.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "report"))

from browser import chromium, opened
from page_data import report

from rationalerm.report.page import page as made_page
from rationalerm.report.page import write_page

TIMES = 5
FRAMES = """() => new Promise(done => {
  const list = document.querySelector('.list'), gaps = [];
  let last = performance.now(), step = 0;
  const frame = now => {
    gaps.push(now - last); last = now;
    if (step > 1) list.scrollTop = step < 150 ? step * 45 : step * 8000 % (list.scrollHeight - list.clientHeight);
    if (++step < 300) requestAnimationFrame(frame); else done(gaps.slice(2));
  };
  requestAnimationFrame(frame);
})"""
READ = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
MARK = "name => performance.getEntriesByName(name)[0].startTime"


def main() -> None:
    if chromium() is None:
        print("report page: no chromium here, nothing measured")
        return
    print(f"page without rows, 19 judges: {sum(map(len, made_page(*report(19, 0)))) / 1e6:.2f} MB")
    head, index, chunks = report(2, 1000)
    texts = list(chunks)
    start = time.perf_counter()
    size = sum(map(len, made_page(head, index, texts)))
    print(f"writing 1,000 rows x 2 judges: {time.perf_counter() - start:.2f} s, {size / 1e6:.1f} MB")
    with tempfile.TemporaryDirectory() as folder, opened() as browser:
        path = Path(folder) / "report.html"
        head, index, chunks = report(1, 22_000, sizes=(1000, 5000))
        start = time.perf_counter()
        write_page(path, head, index, chunks)
        size, took = path.stat().st_size / 1e6, time.perf_counter() - start
        print(f"22,000 rows of 2 to 10 KB of responses: {size:.0f} MB, made and written in {took:.1f} s")
        seconds(browser, path, index["id"][-1])


def seconds(browser: Any, path: Path, last: str) -> None:
    """Opens the page several times, each in a fresh context."""
    found: dict[str, list[float]] = {}
    frames: list[float] = []
    for _ in range(TIMES):
        context = browser.new_context(viewport={"width": 1360, "height": 900})
        page = context.new_page()
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", state="attached")
        for name in ("map drawn", "rows ready"):
            found.setdefault(name, []).append(page.evaluate(MARK, name))
        found.setdefault("whole file read", []).append(
            page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
        )
        page.select_option("#filter-category", "")
        frames += page.evaluate(FRAMES)
        page.fill("#filter-query", "lemma the lemma a lemma")
        start = time.perf_counter()
        page.click("button:text-is('Search all texts')")
        page.wait_for_selector(".count:text('searched: all texts')")
        found.setdefault("all texts searched", []).append(1000 * (time.perf_counter() - start))
        context.close()
        context = browser.new_context(viewport={"width": 1360, "height": 900})
        page = context.new_page()
        page.goto(f"{path.as_uri()}#row={last}")
        page.wait_for_selector("#detail-title")
        found.setdefault("last row open by its link", []).append(page.evaluate(MARK, "row shown"))
        context.close()
    for name, times in found.items():
        middle, longest = statistics.median(times) / 1000, max(times) / 1000
        print(f"  {name}: {middle:.2f} s (median of {TIMES}; longest {longest:.2f} s)")
    middle, late = statistics.median(frames), sorted(frames)[len(frames) * 99 // 100]
    print(f"  scrolling: frames of {middle:.1f} ms (median), 99 of 100 under {late:.1f} ms, longest {max(frames):.1f} ms")


if __name__ == "__main__":
    main()
