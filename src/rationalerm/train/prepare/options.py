"""What `train prepare` is told. Checked once."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rationalerm.data.labels import parse_label_map
from rationalerm.data.orders import Orders
from rationalerm.data.released import Columns
from rationalerm.errors import UsageError
from rationalerm.train.prepare.usable import Ties

__all__ = ["PrepareOptions"]


_MOST = 2**63


@dataclass(frozen=True, slots=True)
class PrepareOptions:
    """What is kept, how it is shown, how it is split.

    Args:
        orders: `both`; `given`: Response 1 as A; `random`: one order a row, from the seed and its id alone.
        ties: `drop` or `keep` rows on which the human saw no difference (kept, they want A=B).
        max_prompt_tokens: rows with a longer prompt in any of their games are left out, whole; None: none are.
        tokenizer: by what tokens are counted (lengths.py); None: an estimate.
        validation: the share of prompts held out for evaluation, in [0, 1); 0: none.
        seed: of the splits, of `random`, of the order of the rows.
        system_turn: False: the instructions stand in the user's turn.
        human_field, label_field, label_map, id_field: field names, where they are not the released ones.
        skip_bad: go on after a bad row, and count it.
        limit: only the first so many rows of each file.

    Raises:
        UsageError: a value out of range.
    """

    orders: Orders = "both"
    ties: Ties = "drop"
    max_prompt_tokens: int | None = None
    tokenizer: str | None = None
    validation: float = 0.05
    seed: int = 0
    system_turn: bool = True
    human_field: str | None = None
    label_field: str | None = None
    label_map: str | None = None
    id_field: str = "id"
    skip_bad: bool = False
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.orders not in ("both", "given", "random"):
            raise UsageError(f"--orders is {self.orders!r}; both, given or random")
        if self.ties not in ("drop", "keep"):
            raise UsageError(f"--ties is {self.ties!r}; drop or keep")
        if not 0 <= self.validation < 1:
            raise UsageError(f"--validation is {self.validation}; give a share from 0 to under 1")
        if self.max_prompt_tokens is not None and not 1 <= self.max_prompt_tokens < _MOST:
            raise UsageError(f"--max-prompt-tokens is {self.max_prompt_tokens}; give 1 or more")
        if self.limit is not None and not 1 <= self.limit < _MOST:
            raise UsageError(f"--limit is {self.limit}; give 1 or more")
        if not -_MOST <= self.seed < _MOST:
            raise UsageError("--seed is longer than 64 bits")
        parse_label_map(self.label_map)

    def columns(self) -> Columns:
        """Field names, as the reader of pairs takes them."""
        labels = parse_label_map(self.label_map)
        return Columns(human_field=self.human_field, label_field=self.label_field, label_map=labels, id_field=self.id_field)

    def to_json(self) -> dict[str, Any]:
        """For prepare.json."""
        return asdict(self)
