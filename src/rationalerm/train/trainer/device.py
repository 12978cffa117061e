"""Is there something to train on? Said before anything is loaded."""

from __future__ import annotations

from rationalerm.errors import UsageError

__all__ = ["check_device"]


def check_device(cpu: bool, precision: str) -> None:
    """Raises UsageError where there is no accelerator and the CPU is not asked for, or can't do the precision."""
    import torch

    if not cpu and not torch.accelerator.is_available():
        raise UsageError("no GPU was found; to train on the CPU all the same: --set cpu=true --set precision=fp32")
    if not cpu and precision == "bf16" and torch.cuda.is_available() and not torch.cuda.is_bf16_supported():
        raise UsageError("this GPU can't train in bf16; --set precision=fp32")
