"""The report's plots as SVG and PNG, for papers. Needs the extra [report]: matplotlib, and textalloc for the labels."""

from rationalerm.report.plots.writing import write_plots

__all__ = ["write_plots"]
