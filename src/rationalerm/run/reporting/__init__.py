"""Run directories to the report page: read, put together, written. The page itself is `report/page`'s."""

from rationalerm.run.reporting.writing import report, write_beside, write_report

__all__ = ["report", "write_beside", "write_report"]
