"""In which orders a pair is shown: one rule for judges, benchmarks and training prompts. Knows nothing of any of them."""

from __future__ import annotations

import hashlib
from typing import Literal

from rationalerm.types import Order

__all__ = ["Orders", "orders_of"]

Orders = Literal["both", "given", "random"]


def orders_of(orders: Orders, seed: int, id: str) -> tuple[Order, ...]:
    """The orders of a pair: `both`; `given`: Response 1 as A; `random`: one, by the seed and the id alone, never by a place in a
    file or a run.

    >>> orders_of("both", 0, "q1"), orders_of("random", 7, "q1") == orders_of("random", 7, "q1")
    (('AB', 'BA'), True)
    """
    if orders == "random":
        drawn = hashlib.sha256(f"{seed}\x1f{id}".encode("utf-8", "surrogatepass")).digest()[0] & 1
        return ("BA",) if drawn else ("AB",)
    return ("AB", "BA") if orders == "both" else ("AB",)
