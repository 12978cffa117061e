"""What a judge run came to, for a person: verdicts, what the order does, outcome accuracy where labels are there."""

from __future__ import annotations

from collections.abc import Mapping

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from rationalerm.errors import printable
from rationalerm.score.means import Mean

__all__ = ["print_judged"]

_SAID = {
    "outcome_accuracy": "OA, over answered rows",
    "outcome_accuracy_all": "OA, missing verdicts as wrong",
    "consistent_accuracy": "right in both orders",
    "flip_rate": "flip rate: the two orders disagree",
    "consistent_wins": "consistent wins: same response in both",
    "consistent_ties": "consistent ties",
    "first_position_rate": "picks the response shown first",
}


def print_judged(
    name: str, verdicts: Mapping[str, int], counts: Mapping[str, int], means: Mapping[str, Mean], out: Console
) -> None:
    """Prints the verdicts in the row's letters, then each share with its interval and how many pairs it is over."""
    out.print(printable(f"{name}: {', '.join(f'{label} {count}' for label, count in verdicts.items())}"))
    missing = [f"{counts[status]} {status}" for status in ("none", "refused", "failed") if counts.get(status)]
    if missing:
        out.print(f"no verdict: {', '.join(missing)}")
    if counts.get("inconsistent"):
        out.print(f"inconsistent pairs (counted as no win, apart from ties): {counts['inconsistent']}")
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("share")
    for column in ("value", "95%", "n"):
        table.add_column(column, justify="right", no_wrap=True)
    for key, label in _SAID.items():
        mean = means.get(key)
        if mean is not None and mean.value is not None:
            interval = f"{mean.interval[0]:.3f} to {mean.interval[1]:.3f}" if mean.interval else "-"
            table.add_row(label, f"{mean.value:.3f}", interval, str(mean.n))
    if table.row_count:
        out.print(table)
