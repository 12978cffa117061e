"""What a warm start is told; and the same in the trainer's words (TRL's SFTConfig). No torch here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from rationalerm.data.options import checked
from rationalerm.errors import UsageError
from rationalerm.reward import RewardConfig
from rationalerm.train.trainer.fields import check_trainer
from rationalerm.train.trainer.processes import world_size

__all__ = ["SFTOptions", "sft_arguments"]

# The trainer's names of what has a name here, or must stay: the resume goes by ours.
_OURS = {
    "learning_rate": "learning_rate", "num_train_epochs": "epochs", "save_strategy": "save_every", "save_steps": "save_every",
    "max_length": "max_length", "output_dir": "", "save_only_model": "",
}  # fmt: skip


@dataclass(frozen=True)
class SFTOptions:
    """The reward that picks the demonstrations, and how the policy learns from them.

    Args:
        reward: picks them.
        epochs: passes over them.
        batch: demonstrations of one update; device_batch: how many one device holds at once.
        learning_rate, warmup_updates, schedule: of the optimiser.
        max_length: tokens of prompt and answer together; what is longer is left out, and counted.
        lora: rank; 0 trains all weights. lora_alpha None: twice the rank.
        precision, cpu, checkpointing: as for `train genrm`.
        log_every, save_every, keep: in updates.
        report_to: loggers that the trainer knows.
        seed: of the order.
        trainer: more fields of the trainer's own configuration.

    Raises:
        UsageError: a value out of range.
    """

    reward: RewardConfig = field(default_factory=RewardConfig)
    epochs: float = 2.0
    batch: int = 32
    device_batch: int = 4
    learning_rate: float = 1e-5
    warmup_updates: int = 5
    schedule: str = "cosine"
    max_length: int = 12288
    lora: int = 0
    lora_alpha: int | None = None
    lora_dropout: float = 0.0
    precision: Literal["bf16", "fp32"] = "bf16"
    cpu: bool = False
    checkpointing: bool = True
    log_every: int = 1
    save_every: int = 100
    keep: int = 1
    report_to: str = "none"
    seed: int = 0
    trainer: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("batch", "device_batch", "max_length", "log_every", "save_every", "keep"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; give 1 or more")
        for name in ("epochs", "learning_rate"):
            if not 0 < getattr(self, name) < math.inf:
                raise UsageError(f"{name} is {getattr(self, name)}; give a number over 0")
        if self.batch % self.device_batch:
            raise UsageError(f"device_batch is {self.device_batch}; batch = {self.batch} is no multiple of it")
        if self.precision not in ("bf16", "fp32"):
            raise UsageError(f"precision is {self.precision!r}; bf16 or fp32")
        for name in ("warmup_updates", "lora"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} is {getattr(self, name)}; give 0 or more")
        if self.lora_alpha is not None and self.lora_alpha < 1:
            raise UsageError(f"lora_alpha is {self.lora_alpha}; give 1 or more, or leave it out (twice the rank)")
        if not 0 <= self.lora_dropout <= 1:
            raise UsageError(f"lora_dropout is {self.lora_dropout}; give 0 to 1")
        if not 0 <= self.seed < 2**32:
            raise UsageError(f"seed is {str(self.seed)[:20]}; give 0 to {2**32 - 1}")
        check_trainer(self.trainer, _OURS)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> SFTOptions:
        """The options of a mapping.

        Raises:
            UsageError: an unknown name or a value of the wrong kind.
        """
        reward = RewardConfig.of(values.get("reward") or {})
        return cls(**{**checked(cls, values, "training option"), "reward": reward})

    def to_json(self) -> dict[str, Any]:
        """All of it, for run.json."""
        return asdict(self)


def sft_arguments(options: SFTOptions, out: Path) -> dict[str, Any]:
    """The arguments of SFTConfig.

    Raises:
        UsageError: sizes that do not go into the number of processes.
    """
    per_pass = options.device_batch * world_size()
    if options.batch % per_pass:
        raise UsageError(f"batch = {options.batch} is no multiple of device_batch x processes = {per_pass}; change one of them")
    ours = {
        "output_dir": str(out),
        "per_device_train_batch_size": options.device_batch,
        "gradient_accumulation_steps": options.batch // per_pass,
        "num_train_epochs": options.epochs,
        "learning_rate": options.learning_rate,
        "warmup_steps": options.warmup_updates,
        "lr_scheduler_type": options.schedule,
        "max_length": None,  # what is too long was left out and counted: nothing is cut in silence
        "bf16": options.precision == "bf16",
        "use_cpu": options.cpu,
        "gradient_checkpointing": options.checkpointing,
        "logging_steps": options.log_every,
        "save_strategy": "steps",
        "save_steps": options.save_every,
        "save_total_limit": options.keep,
        "report_to": options.report_to,
        "seed": options.seed,
        "disable_tqdm": True,
        "logging_nan_inf_filter": False,  # it would show a loss that is no number as 0
        "completion_only_loss": True,
    }
    return ours | dict(options.trainer)
