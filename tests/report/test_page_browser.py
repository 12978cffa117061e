"""The page in a real browser: what it draws, what it never does, that it works by keyboard, with 22,000 rows, for everyone."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from browser import axe, chromium, opened, screenshots
from page_data import HOSTILE, NAMES, report

from rationalerm.report.page import page as made_page
from rationalerm.report.page import write_page

pytest.importorskip("playwright", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(chromium() is None, reason="no chromium on the PATH (or name one in RATIONALERM_CHROMIUM)")

SPURIOUS = "right verdict, wrong reasons"
BOXES = "nodes => nodes.map(n => { const r = n.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; })"


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    with opened() as browser:
        yield browser


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "small.html"
    write_page(path, *report(3, 69, orders=2, hostile={7: HOSTILE}))
    return path


@contextmanager
def showing(chrome: Any, path: Path, fragment: str = "", **context: Any) -> Iterator[Any]:
    """The page, open and ready; fails on anything in the console and on any request but the file's."""
    opened_context = chrome.new_context(**({"viewport": {"width": 1360, "height": 900}} | context))
    page = opened_context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(f"console {message.type}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on(
        "request", lambda request: wrong.append(f"request: {request.url}") if not request.url.startswith(path.as_uri()) else None
    )
    page.on("dialog", lambda dialog: wrong.append(f"dialog: {dialog.message}"))
    page.goto(f"{path.as_uri()}{fragment}")
    until(page, "document.documentElement.dataset.ready || !document.querySelector('#failed').hidden")
    yield page
    opened_context.close()
    assert wrong == []


def until(page: Any, true: str) -> None:
    """Waits for an expression to come true (Playwright's own waiting evaluates strings, which the page's policy forbids)."""
    for _ in range(400):
        if page.evaluate(true):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never came true: {true}")


def overlaps(a: list[float], b: list[float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def listed(page: Any) -> int:
    """How many rows the list says it has."""
    said = page.text_content(".count")
    return int(said.split(" ")[0].replace(",", ""))


def open_row(page: Any) -> str:
    page.wait_for_selector("#detail-title")
    return str(page.text_content("#detail-title bdi"))


@pytest.mark.parametrize("cluster", [True, False])
@pytest.mark.parametrize("width", [1360, 900])
def test_the_map_names_every_judge_and_no_label_overlaps(chrome: Any, tmp_path: Path, cluster: bool, width: int) -> None:
    write_page(tmp_path / "many.html", *report(19, 20, cluster=cluster))
    with showing(chrome, tmp_path / "many.html", viewport={"width": width, "height": 900}) as page:
        page.screenshot(path=screenshots() / f"map-{'cluster' if cluster else 'spread'}-{width}.png", full_page=True)
        for _ in range(2):  # the axes fitted to all, then to the marks alone
            names = page.locator("#map-plot text.name")
            assert sorted(int(names.nth(k).get_attribute("data-judge")) for k in range(names.count())) == list(range(19))
            labels = page.eval_on_selector_all("#map-plot text.name, #map-plot text.said", BOXES)
            for k, label in enumerate(labels):
                assert not [other for other in labels[k + 1 :] if overlaps(label, other)]
            marks = page.eval_on_selector_all("#map-plot .part-dot path", BOXES)
            assert len(marks) == 19
            assert not [
                1 for label in page.eval_on_selector_all("#map-plot text.name", BOXES) for mark in marks if overlaps(label, mark)
            ]
            frame = page.locator("#map-plot").bounding_box()
            assert all(frame["x"] <= left and right <= frame["x"] + frame["width"] for left, _, right, _ in labels)
            page.click("#zoom")


def test_every_part_is_there_and_the_domain_switches_them(chrome: Any, small: Path) -> None:
    with showing(chrome, small) as page:
        page.screenshot(path=screenshots() / "light.png", full_page=True)
        assert page.eval_on_selector_all("section[data-nav]", "all => all.filter(one => one.hidden).length") == 0
        assert page.eval_on_selector_all(".plot svg", "all => all.length") == 9
        assert "surface" in page.text_content("#meaning")
        assert (
            "A gap under 0.11 in OA (27 common rows), or under 0.04 in RC (69 common rows), can’t be seen"
            in page.text_content("#differences")
        )
        before = page.text_content("#table-body tbody")
        page.click("#scope button[data-domain=code]")
        assert page.url.endswith("#domain=code")
        assert page.text_content("#table-body tbody") != before
        assert listed(page) < 69 * 6
        assert page.input_value("#filter-domain") == "code"
        page.go_back()
        assert page.text_content("#table-body tbody") == before
        page.goto(f"{small.as_uri()}#domain=stem")
        page.wait_for_selector("#scope button[data-domain=stem][aria-pressed=true]")
        assert page.text_content("#map-caption").startswith("No trap is drawn here.")


def test_the_table_sorts_and_explains_its_columns(chrome: Any, small: Path) -> None:
    with showing(chrome, small) as page:
        first = "#table-body tbody tr:first-child th"
        assert page.get_attribute("#table-body thead th:has(button:text-is('RC'))", "aria-sort") == "descending"
        assert page.text_content(first) == "checks"
        page.click("#table-body thead button:text-is('RC')")
        assert page.text_content(first) == "surface"
        page.focus("#table-body thead button:text-is('S-Corr')")
        tip = page.get_attribute("#table-body thead button:text-is('S-Corr')", "aria-describedby")
        assert page.is_visible(f"#{tip}")
        page.keyboard.press("Enter")
        assert page.get_attribute("#table-body thead th:has(button:text-is('S-Corr'))", "aria-sort") == "descending"


def test_filters_search_and_order(chrome: Any, small: Path) -> None:
    with showing(chrome, small) as page:
        assert page.input_value("#filter-category") == SPURIOUS
        spurious = listed(page)
        assert 0 < spurious < 69 * 6
        page.select_option("#filter-category", "")
        assert listed(page) == 69 * 6
        page.select_option("#filter-judge", "surface")
        assert listed(page) == 69 * 2
        page.select_option("#filter-sort", "-recall")
        assert "recall 0.60" in page.text_content(".list [role=option][data-at='0']")
        page.fill("#filter-query", "stem-00002")
        assert listed(page) == 2
        page.fill("#filter-query", "window.hacked=3")
        assert listed(page) == 0
        page.click("button:text-is('Search all texts')")
        until(page, "document.querySelector('.count').textContent.includes('searched: all texts')")
        assert listed(page) == 2


def test_deep_links_back_and_forward(chrome: Any, small: Path) -> None:
    with showing(chrome, small, "#row=code-00003&judge=noisy&order=BA") as page:
        assert open_row(page) == "code-00003"
        assert "Asked in the swapped order" in page.text_content(".detail")
        assert "or 1 (the row’s B)" in page.text_content(".detail")
        assert "(swapped)" in page.text_content(".matching .human")
        assert page.get_attribute(".games button[aria-pressed=true]", "aria-pressed") == "true"
        assert page.evaluate("document.querySelector('.explorer').getBoundingClientRect().top < innerHeight / 2")
        page.click(".games button:has-text('checks'):has-text('AB')")
        until(page, "location.hash === '#row=code-00003&judge=checks&order=AB'")
        page.go_back()
        page.wait_for_selector(".detail :text('Asked in the swapped order')")
        page.go_forward()
        page.wait_for_selector(".detail :text('Asked in the swapped order')", state="detached")
        page.evaluate("location.hash = 'row=no%20such&judge=checks'")
        page.wait_for_selector("[role=alert]:text('No row no such by checks in this report.')")


def test_the_keyboard_is_enough(chrome: Any, small: Path) -> None:
    with showing(chrome, small) as page:
        page.focus(".list")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("j")
        page.keyboard.press("ArrowUp")
        assert page.get_attribute(".list [aria-selected=true]", "data-at") == "1"
        assert page.get_attribute(".list", "aria-activedescendant") == page.get_attribute(".list [aria-selected=true]", "id")
        page.keyboard.press("Enter")
        first = open_row(page)
        assert first in page.url
        assert page.evaluate("document.activeElement.className").startswith("detail")
        page.keyboard.press("j")
        page.keyboard.press("j")
        until(page, "document.querySelector('.list [aria-selected=true]').dataset.at === '3'")
        until(page, f"!location.hash.includes({json.dumps(first + '&')})")
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.className") == "list"
        assert "row=" not in page.url
        page.keyboard.press("End")
        until(page, f"document.querySelector('.list [aria-selected=true]').dataset.at === '{listed(page) - 1}'")
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "filter-query"
        page.keyboard.type("jk")
        assert page.input_value("#filter-query") == "jk"
        visible = "getComputedStyle(document.activeElement).outlineStyle"
        reached = []
        while True:
            page.keyboard.press("Shift+Tab")
            if page.evaluate("document.activeElement === document.body"):
                break
            reached.append(page.evaluate("document.activeElement.textContent"))
            assert page.evaluate(visible) != "none", reached[-1]
        assert {"Skip to the report", "Dark", "code", "Rows"} <= set(reached)


def test_a_row_shows_lists_lines_and_near_misses(chrome: Any, small: Path) -> None:
    with showing(chrome, small, "#row=stem-00005&judge=checks&order=AB") as page:
        index = report(3, 69, orders=2)[1]
        row = next(k for k, name in enumerate(index["id"]) if name == "stem-00005" and index["judge"][k] == 0)
        links = round(5 * index["recall"][row])
        assert page.locator(".matching path.match").count() == links
        assert page.locator(".matching path.near").count() == 0
        page.check(".detail h4 input")
        assert page.locator(".matching path.near").count() == 2
        assert page.locator(".matching .human li").count() == 5
        assert page.locator(".matching .model li").count() == 6
        assert page.locator(".matching .model li.off").count() == 1
        page.screenshot(path=screenshots() / "row-light.png")
        page.pdf(path=screenshots() / "print.pdf", format="A4")
        page.emulate_media(media="print")
        assert not page.is_visible(".controls")
        assert page.is_visible(".matching")


@pytest.mark.parametrize("order", ["AB", "BA"])
def test_a_hostile_row_is_text(chrome: Any, small: Path, order: str) -> None:
    with showing(chrome, small, f"#row=general-00007&judge=checks&order={order}") as page:
        page.wait_for_selector("#detail-title")
        assert page.evaluate("window.hacked") is None
        shown = page.text_content(".matching .model li")
        for text in (
            "</script><script>window.hacked = 1</script><img src=x onerror",
            "⟦U+202E⟧evil",
            "␀␇␛[31mred␡",
            "⟦U+200B⟧zero",
            "⟦U+E0041⟧tag",
            "ابجد",
            "🧪",
        ):
            assert text in shown
        everything = page.evaluate("document.querySelector('.detail').textContent + document.querySelector('.list').textContent")
        assert not set(everything) & set("\u202e\u2066\x00\x07\x1b\x7f\u200b\ufeff\U000e0041\u2028")
        assert page.locator(".detail img, .detail script, .detail style, .detail a").count() == 0


def test_hostile_names_and_ids(chrome: Any, tmp_path: Path) -> None:
    evil = "<b onclick=x>\u202e&judge=a#%zz"
    made_head, made_index, made_chunks = report(2, 4)
    made_head["judges"][0]["name"] = evil
    made_index["id"] = [f"{evil} {name}" for name in made_index["id"]]
    made_head["domains"] = [evil, "general", "stem"]
    made_head["judges"] = [one | {"figures": one["figures"] | {evil: one["figures"]["code"]}} for one in made_head["judges"]]
    write_page(tmp_path / "evil.html", made_head, made_index, made_chunks)
    with showing(chrome, tmp_path / "evil.html") as page:
        page.select_option("#filter-category", "")
        page.click(".list [role=option][data-at='0']")
        page.wait_for_selector("#detail-title")
        shown = open_row(page)
        assert shown.startswith("<b onclick=x>⟦U+202E⟧&judge=a#%zz")
        page.reload()
        assert open_row(page) == shown


def test_huge_lines_and_long_texts(chrome: Any, tmp_path: Path) -> None:
    huge = "x" * 400_000 + "🧪" * 10
    write_page(tmp_path / "huge.html", *report(1, 2, hostile={0: huge}))
    with showing(chrome, tmp_path / "huge.html", "#row=code-00000") as page:
        page.wait_for_selector("#detail-title")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("document.querySelector('.detail').scrollWidth <= document.querySelector('.detail').clientWidth")
        page.click(".box.raw .more")
        assert page.text_content(".box.raw").endswith("🧪" * 10)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(chrome: Any, small: Path, scheme: str) -> None:
    with showing(chrome, small, "#row=general-00007&judge=surface&order=BA", color_scheme=scheme) as page:
        page.wait_for_selector("#detail-title")
        page.screenshot(path=screenshots() / f"row-{scheme}.png")
        for details in page.query_selector_all("details"):
            details.evaluate("one => { one.open = true; }")
        assert axe(page) == []
        assert page.get_attribute("html", "data-theme") == scheme
        page.click("#theme")
        assert page.get_attribute("html", "data-theme") != scheme
        assert axe(page) == []
        levels = page.eval_on_selector_all(
            "h1, h2, h3, h4", "all => all.filter(one => one.checkVisibility()).map(one => +one.tagName[1])"
        )
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_a_phone_has_no_sideways_scroll(chrome: Any, small: Path) -> None:
    with showing(chrome, small, "#row=code-00003", viewport={"width": 390, "height": 844}) as page:
        page.wait_for_selector("#detail-title")
        page.screenshot(path=screenshots() / "phone.png")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert axe(page) == []


def test_many_judges_with_long_names_on_a_phone(chrome: Any, tmp_path: Path) -> None:
    made_head, made_index, made_chunks = report(19, 6)
    for number, judge in enumerate(made_head["judges"][:5]):
        judge["name"] = f"{number}{'a_very_long_name' * 18}"
    write_page(tmp_path / "many.html", made_head, made_index, made_chunks)
    for width in (400, 1360):
        with showing(chrome, tmp_path / "many.html", viewport={"width": width, "height": 844}) as page:
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_is_not_there_is_not_shown(chrome: Any, tmp_path: Path) -> None:
    none = dict.fromkeys(("agreement", "kinds", "curves", "benches", "ceiling", "meaning"))
    made_head, made_index, _ = report(2, 3, comparisons={}, detectable={}, trap={}, trap_rule="", **none)
    for judge in made_head["judges"]:
        for figures in judge["figures"].values():
            figures |= {"oa": [None, None, None, 0], "chance": None, "s_corr": None}
    made_index |= {"label": [None] * 6, "category": [6] * 6}
    made_head["rows"] |= {"texts": False, "why_no_texts": "pairs.jsonl is not where it was"}
    bare = {
        "pairs": {str(k): {"id": f"code-{k}", "human": ["one"]} for k in range(3)},
        "games": {str(k): {"reasons": [], "links": [], "status": ["given", "scored"]} for k in range(6)},
    }
    write_page(tmp_path / "bare.html", made_head, made_index, [bare])
    with showing(chrome, tmp_path / "bare.html", f"#row={made_index['id'][0]}") as page:
        page.wait_for_selector("#detail-title")
        assert page.eval_on_selector_all("#nav a", "all => all.map(one => one.textContent)") == ["Map", "Table", "Rows", "How"]
        assert "there is no map" in page.text_content("#map-caption")
        assert "pairs.jsonl is not where it was" in page.text_content(".detail")
        assert axe(page) == []


def bench_page(compare: bool = False) -> tuple[Any, Any, Any]:
    """Of a benchmark's run: nothing was matched, no judge has an OA or an RC of games, no texts are at hand."""
    none = dict.fromkeys(("agreement", "curves", "ceiling", "meaning"))
    made_head, made_index, _ = report(2, 3, comparisons={}, detectable={}, trap={}, trap_rule="", domains=[], **none)
    made_head["runs"][0] |= {"command": "bench judgebench", "matcher": "", "scoring": None, "top_k": None, "own_table": True}
    made_head["benches"][0]["published"]["compare"] = compare
    for judge in made_head["judges"]:
        judge["figures"] = {"": {"n": 3, "no_verdict": 0, "unscored": 0}}
    made_index |= {name: [None] * 6 for name in ("recall", "precision", "ap")} | {"n_human": [0] * 6, "title": [""] * 3}
    made_index |= {"category": [4, 4, 7, 4, 4, 4], "order": [0, 1] * 3, "verdict": [1, 1, 0, 1, 1, 1]}
    made_head["categories"] = [*made_head["categories"], "judge's tie"]
    made_head["rows"] |= {"texts": False, "why_no_texts": "kept without the texts"}
    texts = {
        "pairs": {str(k): {"id": f"code-{k}", "messages": [], "responses": None, "human": None} for k in range(3)},
        "games": {str(k): {"reasons": [], "links": [], "status": ["given", "no human reasons"]} for k in range(6)},
    }
    return made_head, made_index, [texts]


def test_a_benchmarks_page_begins_with_its_table(chrome: Any, tmp_path: Path) -> None:
    """No empty map, no table of figures that a benchmark has not; what papers say only where it is opened."""
    write_page(tmp_path / "bench.html", *bench_page())
    with showing(chrome, tmp_path / "bench.html") as page:
        page.screenshot(path=screenshots() / "bench.png", full_page=True)
        assert page.eval_on_selector_all("#nav a", "all => all.map(one => one.textContent)") == [
            "Benchmarks",
            "Reasons",
            "Rows",
            "How",
        ]
        assert page.eval_on_selector_all("section[data-nav]:not([hidden])", "all => all[0].id") == "benches"
        table = "#benches-body > .scroll table"
        heads = page.eval_on_selector_all(f"{table} thead th", "all => all.map(one => one.firstChild.textContent)")
        assert heads == ["Judge", "knowledge", "overall", "n"]
        assert page.text_content(f"{table} tbody tr:first-child td:last-child") == "178"
        assert page.text_content(f"{table} tbody tr:first-child td:nth-child(2)") == "58.4[47.2, 68.9]"
        assert "30.9 of 178 pairs flip" in page.text_content("#benches-body .lines")
        assert "o1-mini" not in page.text_content(table)
        assert not page.is_visible("#benches-body details table")
        page.click("#benches-body summary")
        assert page.is_visible("#benches-body details table")
        assert "all 350 pairs" in page.text_content("#benches-body details .note")
        assert "65.7" in page.text_content("#benches-body details table")
        assert "matcher" not in page.text_content("#facts")
        assert axe(page) == []
    write_page(tmp_path / "compared.html", *bench_page(compare=True))
    with showing(chrome, tmp_path / "compared.html") as page:
        assert "o1-mini" in page.text_content("#benches-body > .scroll table")
        assert "all 350 pairs" in page.text_content("#benches-body > .note:has-text('350')")
        assert page.locator("#benches-body details").count() == 0


def test_a_row_of_a_benchmark_shows_what_there_is(chrome: Any, tmp_path: Path) -> None:
    made = bench_page()
    write_page(tmp_path / "bench.html", *made)
    row = f"#row={made[1]['id'][1]}&judge=surface&order=BA"
    made[1]["judge"] = [0, 1] * 3
    with showing(chrome, tmp_path / "bench.html", row) as page:
        page.wait_for_selector("#detail-title")
        assert page.locator(".detail .box").count() == 0
        detail = page.text_content(".detail")
        assert "kept without the texts" in detail
        assert "Shared reasons" not in detail
        assert "Recall" not in detail
        assert "not scored" not in page.text_content(".list").replace("reasons not scored", "")
        assert page.text_content("#filter-sort option") == "by category"
        first = page.text_content(".list [role=option][data-at='0']")
        assert first.count(made[1]["id"][0]) == 1
        assert "= tie" in page.text_content(".list")
        page.select_option("#filter-category", "judge's tie")
        assert listed(page) == 1


def test_both_runs_judges_stand_where_they_have_figures(chrome: Any, tmp_path: Path) -> None:
    """A page of `evaluate` and a benchmark: the map and the table are of the first, the benchmark has its own."""
    made_head, made_index, made_chunks = report(3, 6)
    bench = made_head["runs"][0] | {"name": "runs/bench", "matcher": "", "top_k": None, "scoring": None, "own_table": True}
    made_head["runs"].append(bench)
    made_head["judges"][2] |= {"run": 1, "figures": {"": {"n": 6, "no_verdict": 0, "unscored": 0}}}
    made_head["remarks"] = ["These runs have no row in common: nothing is compared between them"]
    write_page(tmp_path / "both.html", made_head, made_index, made_chunks)
    with showing(chrome, tmp_path / "both.html") as page:
        assert "noisy" not in page.text_content("#table-body tbody")
        assert "Not on the map" not in page.text_content("#map-caption")
        assert page.text_content("#unlike") == "These runs have no row in common: nothing is compared between them."
        assert page.eval_on_selector_all("section[data-nav]:not([hidden])", "all => all[0].id") == "map"


def test_a_cross_at_no_shared_reasons_is_seen(chrome: Any, tmp_path: Path) -> None:
    """At RC 0 the interval of OA is a line of its own, above the axis; and the trap says whose verdicts are missing."""
    made_head, made_index, made_chunks = report(3, 6)
    made_head["judges"][1]["figures"][""] |= {"rc": [0.0, 0.0, 0.0, 69]}
    made_head["trap"][""]["missing"] = ["noisy: no verdict in 19 of 69"]
    made_head["hang"] = "Had the human written other reasons, RC would move by about ± 0.06 (checks)."
    write_page(tmp_path / "zero.html", made_head, made_index, made_chunks)
    with showing(chrome, tmp_path / "zero.html") as page:
        for _ in range(2):
            (mark,) = page.eval_on_selector_all("#map-plot .part-dot path:nth-child(2)", BOXES)
            axis = page.eval_on_selector_all("#map-plot .part-frame", BOXES)
            assert (mark[1] + mark[3]) / 2 + 5 < max(box[3] for box in axis)
            page.click("#zoom")
        assert "noisy: no verdict in 19 of 69 rows" in page.text_content("#map-caption")
        assert "RC from 0.00 to" in page.text_content("#map-caption")
        assert page.text_content("#table-body").count("Had the human written other reasons") == 1


def test_no_rows_at_all(chrome: Any, tmp_path: Path) -> None:
    write_page(tmp_path / "none.html", *report(0, 0, kinds=None, agreement=None, comparisons={}))
    with showing(chrome, tmp_path / "none.html") as page:
        assert page.eval_on_selector_all("#nav a", "all => all.map(one => one.textContent)") == ["Benchmarks", "Training", "How"]
        page.evaluate("location.hash = 'row=a'")


def test_a_file_that_was_cut_off_says_so(chrome: Any, small: Path, tmp_path: Path) -> None:
    text = small.read_text("utf-8")
    (tmp_path / "cut.html").write_text(text[: text.index('id="chunk-0"') - 40], "utf-8")
    with showing(chrome, tmp_path / "cut.html", "#row=code-00003") as page:
        page.wait_for_selector("[role=alert]:text('it was cut off')")


def test_22000_rows(chrome: Any, tmp_path: Path) -> None:
    """They open, the last is reached by its link, and scrolling through the list decodes nothing."""
    made_head, made_index, made_chunks = report(1, 22_000, sizes=(1000, 5000))
    write_page(tmp_path / "long.html", made_head, made_index, made_chunks)
    marks = "performance.getEntriesByType('mark').filter(one => one.name.startsWith('chunk')).map(one => one.name)"
    with showing(chrome, tmp_path / "long.html", f"#row={made_index['id'][21_999]}") as page:
        assert open_row(page) == made_index["id"][21_999]
        assert page.evaluate(marks) == ["chunk 171"]
        assert listed(page) == 22_000
        for k in range(40):
            page.evaluate(f"document.querySelector('.list').scrollTop = {k * 33_000}")
            page.wait_for_timeout(20)
        assert page.locator(".list [role=option]").count() < 60
        assert page.evaluate(marks) == ["chunk 171"]


class Server(BaseHTTPRequestHandler):
    """Serves one page and its stamp, as `view` does."""

    def __init__(self, state: dict[str, Any], *args: Any) -> None:
        self.state = state
        super().__init__(*args)

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json" if self.path == "/state" else "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(json.dumps({"stamp": self.state["stamp"]}).encode() if self.path == "/state" else self.state["page"])

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_a_live_page_takes_new_rows_in_and_keeps_the_place(chrome: Any) -> None:
    running = {"runs": [report(3, 1)[0]["runs"][0] | {"finished": False, "so_far": {"rows": 30, "of": 90}}]}
    state = {"stamp": "1", "page": b"".join(made_page(*report(3, 30, live=True, stamp="1", **running)))}
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Server, state))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    context = chrome.new_context(viewport={"width": 1360, "height": 900})
    try:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/#row=stem-00005&judge=checks&order=AB")
        page.wait_for_selector("#detail-title")
        page.evaluate("document.querySelector('.detail').scrollTop = 150")
        before = page.evaluate("scrollY")
        assert "30 of 90 rows so far" in page.text_content("#facts")
        assert page.is_visible("#live")
        assert "is worked out at its end" in page.text_content("#table-body")
        new = report(3, 40, live=True, stamp="2", title="runs/on", **running)
        state |= {"page": b"".join(made_page(*new)), "stamp": "2"}
        until(page, "document.querySelector('#title').textContent === 'runs/on'")
        until(page, "document.querySelector('.count').textContent.includes('120')")
        assert open_row(page) == "stem-00005"
        assert abs(page.evaluate("scrollY") - before) < 3
        assert page.evaluate("document.querySelector('.detail').scrollTop") == 150
        state |= {"page": b"".join(made_page(*report(3, 41, live=True, stamp="3", title="runs/done"))), "stamp": "3"}
        until(page, "document.querySelector('#title').textContent === 'runs/done'")
        until(page, "document.querySelector('#live').hidden")
        assert "so far" not in page.text_content("#facts")
        again = report(3, 42, live=True, stamp="4", title="runs/again", **running)
        state |= {"page": b"".join(made_page(*again)), "stamp": "4"}
        until(page, "document.querySelector('#title').textContent === 'runs/again'")
        until(page, "!document.querySelector('#live').hidden")
        server.shutdown()
        server.server_close()
        page.wait_for_selector("#live.off", timeout=20_000)
    finally:
        context.close()


def test_names_are_told_apart_by_colour_and_symbol(chrome: Any, tmp_path: Path) -> None:
    write_page(tmp_path / "many.html", *report(19, 2))
    with showing(chrome, tmp_path / "many.html") as page:
        marks = page.eval_on_selector_all(
            "#table-body tbody .who path", "all => all.map(one => one.getAttribute('d') + one.getAttribute('style'))"
        )
        assert len(set(marks)) == len(NAMES) == 19
