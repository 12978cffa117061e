"""The report page: one HTML file that opens from disk with no network. `html` writes it, `chunks` packs its data."""

from rationalerm.report.page.html import page, write_page

__all__ = ["page", "write_page"]
