"""What a GenRM training is told: one flat, frozen configuration, from a preset, a file and single words. No torch here.

A preset stands in presets/NAME.yaml; a file of the user's own may name it (`preset: paper-14b`) and change any of its values.
Names are this package's; `trl.py` says which of the trainer's they become.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from rationalerm.data.options import checked
from rationalerm.errors import UsageError
from rationalerm.reward import RewardConfig
from rationalerm.train.trainer.fields import check_trainer
from rationalerm.train.trainer.yaml import mapping, merged, read_file

__all__ = ["GenRMConfig", "load_config", "presets"]

_MOST = 1_000_000_000
# The trainer checks this name only at the first update.
_LOSSES = ("grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo", "luspo", "vespo")
# The trainer's names of what has a name here, or must stay: the card, the records and the resume go by ours.
_OURS = {
    "learning_rate": "learning_rate", "max_completion_length": "max_completion", "max_steps": "max_updates",
    "num_train_epochs": "epochs", "num_generations": "samples", "temperature": "temperature", "beta": "kl",
    "epsilon": "clip_low", "epsilon_high": "clip_high", "importance_sampling_level": "ratio", "loss_type": "loss",
    "save_strategy": "save_every", "save_steps": "save_every", "eval_strategy": "eval_every", "eval_steps": "eval_every",
    "per_device_train_batch_size": "device_batch", "gradient_accumulation_steps": "mini_batch",
    "generation_batch_size": "batch", "steps_per_generation": "mini_batch", "output_dir": "", "num_generations_eval": "",
    "shuffle_dataset": "", "remove_unused_columns": "", "save_only_model": "", "eval_on_start": "",
}  # fmt: skip


_SIZES = (
    "samples", "batch", "mini_batch", "device_batch", "max_completion", "log_every", "eval_batch", "eval_prompts", "keep"
)  # fmt: skip


@dataclass(frozen=True)
class GenRMConfig:
    """A GenRM's training by GRPO (method.md section 4).

    Sizes are in prompts; each prompt gets `samples` answers. A step generates `batch` prompts and updates once a `mini_batch`.

    Args:
        policy: a model's folder or its name on the hub.
        reward: the hybrid reward and its matcher.
        samples: answers a prompt (the paper's n).
        batch: prompts that are answered before the policy is updated.
        mini_batch: prompts of one update.
        device_batch: answers that one device holds at once.
        epochs: passes over the prompts.
        max_updates: ends the run earlier, after so many updates; None: `epochs` decides.
        learning_rate, warmup_updates, schedule, max_grad_norm, weight_decay: of the optimiser.
        max_completion: tokens of an answer; what is longer is cut off (`reward.truncated` says what it gets).
        temperature, top_p: of sampling.
        kl: weight of the KL to the policy's start; 0 loads no reference model.
        clip_low, clip_high: how far the importance ratio may leave 1, downwards and upwards.
        ratio: the importance ratio of the whole `sequence` (the paper) or of each `token`.
        loss: how losses of tokens are put together: a name that the trainer knows.
        standardise: advantages over the `group`'s spread (the paper), the `batch`'s, or `none` (mean only).
        lora: rank; 0 trains all weights. lora_alpha None: twice the rank.
        vllm: `none`, `colocate` (in the trainer's processes) or `server` (at vllm_url).
        vllm_memory: share of a device's memory that it may take.
        precision: `bf16` or `fp32`.
        cpu: train on the CPU though there is something better.
        checkpointing: recompute activations to save memory.
        thinking: the chat template's enable_thinking; None leaves it alone.
        log_every, eval_every, save_every: in updates; 0: never (an evaluation at start and end there is always).
        eval_prompts: so many of the held-out prompts, the first ones.
        keep: checkpoints that are kept.
        report_to: `none`, or loggers that the trainer knows (`wandb`, `tensorboard`, ...).
        alarm_window: updates that are put together to tell a fall from noise; alarm_drop: the relative fall that is told.
        seed: of sampling and order.
        trainer: more fields of the trainer's own configuration, by its names.

    Raises:
        UsageError: a value out of range.
    """

    policy: str = ""
    reward: RewardConfig = field(default_factory=RewardConfig)
    samples: int = 8
    batch: int = 256
    mini_batch: int = 128
    device_batch: int = 8
    epochs: float = 2.0
    max_updates: int | None = None
    learning_rate: float = 2e-6
    warmup_updates: int = 10
    schedule: str = "constant_with_warmup"
    max_grad_norm: float = 1.0
    weight_decay: float = 0.0
    max_completion: int = 12288
    temperature: float = 1.0
    top_p: float = 1.0
    kl: float = 0.001
    clip_low: float = 2e-4
    clip_high: float = 2e-4
    ratio: Literal["sequence", "token"] = "sequence"
    loss: str = "grpo"
    standardise: Literal["group", "batch", "none"] = "group"
    lora: int = 0
    lora_alpha: int | None = None
    lora_dropout: float = 0.0
    vllm: Literal["none", "colocate", "server"] = "none"
    vllm_url: str | None = None
    vllm_memory: float = 0.3
    precision: Literal["bf16", "fp32"] = "bf16"
    cpu: bool = False
    checkpointing: bool = True
    thinking: bool | None = None
    log_every: int = 1
    eval_every: int = 50
    eval_prompts: int = 512
    eval_batch: int = 8
    save_every: int = 25
    keep: int = 2
    report_to: str = "none"
    alarm_window: int = 20
    alarm_drop: float = 0.1
    seed: int = 0
    trainer: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in _SIZES:
            _at_least(self, name, 1)
        for name in ("warmup_updates", "lora", "eval_every", "save_every"):
            _at_least(self, name, 0)
        check_trainer(self.trainer, _OURS)
        if not 0 <= self.seed < 2**32:
            raise UsageError(f"seed is {str(self.seed)[:20]}; give 0 to {2**32 - 1}")
        for name in ("learning_rate", "epochs", "temperature", "clip_low", "clip_high", "max_grad_norm"):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise UsageError(f"{name} is {value}; give a number over 0")
        for name, most in (("kl", math.inf), ("weight_decay", math.inf), ("lora_dropout", 1), ("vllm_memory", 1), ("top_p", 1.0)):
            if not 0 <= getattr(self, name) <= most or getattr(self, name) == math.inf:
                raise UsageError(f"{name} is {getattr(self, name)}; give 0 {f'to {most}' if most < math.inf else 'or more'}")
        if self.samples < 2:
            raise UsageError("samples is 1; a group needs 2 or more answers, else nothing stands out from it")
        if self.batch % self.mini_batch:
            raise UsageError(f"batch is {self.batch}, mini_batch {self.mini_batch}; a batch is whole mini-batches")
        if (self.mini_batch * self.samples) % self.device_batch:
            total = self.mini_batch * self.samples
            raise UsageError(f"device_batch is {self.device_batch}; mini_batch x samples = {total} is no multiple of it")
        if self.max_updates is not None and self.max_updates < 1:
            raise UsageError(f"max_updates is {self.max_updates}; give 1 or more, or leave it out")
        if self.lora_alpha is not None and self.lora_alpha < 1:
            raise UsageError(f"lora_alpha is {self.lora_alpha}; give 1 or more, or leave it out (twice the rank)")
        if (self.vllm == "server") != (self.vllm_url is not None):
            raise UsageError("vllm: server and vllm_url go together")
        _one_of(self, "ratio", ("sequence", "token"))
        _one_of(self, "loss", _LOSSES)
        _one_of(self, "standardise", ("group", "batch", "none"))
        _one_of(self, "vllm", ("none", "colocate", "server"))
        _one_of(self, "precision", ("bf16", "fp32"))
        if self.alarm_window < 2 or not 0 < self.alarm_drop < 1:
            raise UsageError("alarm_window is 2 or more updates, alarm_drop a share between 0 and 1")

    def to_json(self) -> dict[str, Any]:
        """All of it, for run.json."""
        return asdict(self)


def presets() -> tuple[str, ...]:
    """The names of the presets."""
    return tuple(sorted(entry.name.removesuffix(".yaml") for entry in _folder().iterdir() if entry.name.endswith(".yaml")))


def load_config(preset: str | None = None, file: str | Path | None = None, said: Mapping[str, Any] | None = None) -> GenRMConfig:
    """The configuration: a preset, over it a file, over that single values; `reward` is put together name by name.

    Args:
        preset: its name; a file may name one itself.
        file: YAML.
        said: values by name, `reward.max_reasons` for the reward's.

    Raises:
        UsageError: an unknown name or preset, or a value out of range.
        DataError: the file can't be read.
    """
    own = read_file(file) if file is not None else {}
    named = own.pop("preset", None)
    values = merged(_preset(preset or named) if preset or named else {}, own, said or {})
    reward = RewardConfig.of(values.get("reward", {}))
    return GenRMConfig(**{**checked(GenRMConfig, values, "training option"), "reward": reward})


def _preset(name: str) -> dict[str, Any]:
    if name not in presets():
        raise UsageError(f"no preset {name!r}; one of {', '.join(presets())}")
    return mapping((_folder() / f"{name}.yaml").read_text("utf-8"), name)


def _folder() -> Any:
    return files(__package__) / "presets"


def _at_least(config: GenRMConfig, name: str, least: int) -> None:
    value = getattr(config, name)
    if value < least:
        raise UsageError(f"{name} is {value}; give {least} or more")
    if value > _MOST:
        raise UsageError(f"{name} is over {_MOST:,}")


def _one_of(config: GenRMConfig, name: str, values: tuple[str, ...]) -> None:
    if getattr(config, name) not in values:
        raise UsageError(f"{name} is {getattr(config, name)!r}; one of {', '.join(values)}")
