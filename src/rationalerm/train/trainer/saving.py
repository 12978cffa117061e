"""The trained model on disk, in the form that the next command, and any server, takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["save_model"]


def save_model(trainer: Any, out: Path, *, lora: bool) -> None:
    """Writes `out`/model with its tokenizer. A LoRA adapter goes to `out`/adapter, and into the model's weights.

    Where the weights are spread over processes (FSDP, DeepSpeed) an adapter is not merged: model/ then holds the adapter.
    """
    spread = trainer.is_fsdp_enabled or trainer.is_deepspeed_enabled
    if not lora or spread:
        trainer.save_model(str(out / "model"))
    else:
        trainer.save_model(str(out / "adapter"))
        if trainer.args.should_save:
            merged = trainer.accelerator.unwrap_model(trainer.model).merge_and_unload()
            merged.save_pretrained(str(out / "model"))
    if trainer.args.should_save:
        trainer.processing_class.save_pretrained(str(out / "model"))
