"""LoRA, in peft's words."""

from __future__ import annotations

from typing import Any

__all__ = ["lora_config"]


def lora_config(rank: int, alpha: int | None, dropout: float) -> Any:
    """peft's LoraConfig on every linear layer; None where all weights are trained (rank 0). alpha None: twice the rank."""
    if not rank:
        return None
    from peft import LoraConfig

    return LoraConfig(
        r=rank, lora_alpha=alpha or 2 * rank, lora_dropout=dropout, target_modules="all-linear", task_type="CAUSAL_LM"
    )
