"""A real browser for the page's tests: Debian's chromium, headless, driven by Playwright; nothing is downloaded."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["axe", "chromium", "opened", "screenshots"]


def chromium() -> str | None:
    """Where Chromium is: $RATIONALERM_CHROMIUM, or on the PATH."""
    named = os.environ.get("RATIONALERM_CHROMIUM")
    return named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def screenshots() -> Path:
    """The folder that screenshots go to: $RATIONALERM_SCREENSHOTS, or one of its own in the temporary folder."""
    folder = Path(os.environ.get("RATIONALERM_SCREENSHOTS") or Path(tempfile.gettempdir()) / "rationalerm-screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def opened() -> Iterator[Any]:
    """A browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


def axe(page: Any) -> list[dict[str, Any]]:
    """What axe finds on a page that is serious or critical: rule, what it says, where."""
    import axe_playwright_python

    source = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
    page.evaluate(source)  # by the debugger, which no policy of the page binds
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        {
            "rule": one["id"],
            "says": one["help"],
            "where": [node["html"][:160] for node in one["nodes"][:5]],
            "why": [node["failureSummary"] for node in one["nodes"][:3]],
        }
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]
