"""Our configuration in the trainer's words (TRL's GRPOConfig), and vLLM's. No torch here.

Sizes: the configuration counts prompts, the trainer counts answers, over all processes; an update is `mini_batch` x `samples`
answers, put together from `device_batch` at a time on each of the processes.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rationalerm.errors import UsageError
from rationalerm.train.genrm.config import GenRMConfig
from rationalerm.train.trainer.processes import world_size

__all__ = ["check_vllm", "grpo_arguments"]

_NEVER = 1_000_000_000


def grpo_arguments(config: GenRMConfig, out: Path, *, fresh: bool = True) -> dict[str, Any]:
    """The arguments of GRPOConfig.

    Args:
        config: ours.
        out: the folder of the checkpoints.
        fresh: the run begins (then the start is evaluated).

    Raises:
        UsageError: sizes that do not go into the number of processes.
    """
    ours = {
        "output_dir": str(out),
        **_sizes(config),
        **_optimiser(config),
        **_sampling(config),
        **_objective(config),
        **_hardware(config),
        **_logs_and_checkpoints(config, fresh),
        **_vllm(config),
    }
    if config.thinking is not None:
        ours["chat_template_kwargs"] = {"enable_thinking": config.thinking}
    return ours | dict(config.trainer)


def check_vllm(config: GenRMConfig) -> None:
    """Raises UsageError where vLLM is wanted and not there."""
    if config.vllm != "none" and find_spec("vllm") is None:
        raise UsageError(f"vllm is {config.vllm!r}, and vLLM is not installed; pip install vllm, or set vllm to none")


def _sizes(config: GenRMConfig) -> dict[str, Any]:
    """How many answers a pass, an update and a batch of sampling take, and for how long."""
    per_pass = config.device_batch * world_size()
    answers = config.mini_batch * config.samples
    if answers % per_pass:
        raise UsageError(
            f"mini_batch x samples = {answers} is no multiple of device_batch x processes = {per_pass}; change one of them"
        )
    return {
        "num_generations": config.samples,
        "num_generations_eval": 1,
        "per_device_train_batch_size": config.device_batch,
        "per_device_eval_batch_size": config.eval_batch,
        "gradient_accumulation_steps": answers // per_pass,
        "generation_batch_size": config.batch * config.samples,
        "num_train_epochs": 1,  # the data set holds all epochs, in order
        "shuffle_dataset": False,
        "max_steps": config.max_updates or -1,
    }


def _optimiser(config: GenRMConfig) -> dict[str, Any]:
    return {
        "learning_rate": config.learning_rate,
        "warmup_steps": config.warmup_updates,
        "lr_scheduler_type": config.schedule,
        "max_grad_norm": config.max_grad_norm,
        "weight_decay": config.weight_decay,
    }


def _sampling(config: GenRMConfig) -> dict[str, Any]:
    return {"max_completion_length": config.max_completion, "temperature": config.temperature, "top_p": config.top_p}


def _objective(config: GenRMConfig) -> dict[str, Any]:
    """What is maximised: the penalty, the clip range, the importance ratio, the loss, the advantage."""
    return {
        "beta": config.kl,
        "epsilon": config.clip_low,
        "epsilon_high": config.clip_high,
        "importance_sampling_level": config.ratio,
        "loss_type": config.loss,
        "scale_rewards": config.standardise,
    }


def _hardware(config: GenRMConfig) -> dict[str, Any]:
    return {"bf16": config.precision == "bf16", "use_cpu": config.cpu, "gradient_checkpointing": config.checkpointing}


def _logs_and_checkpoints(config: GenRMConfig, fresh: bool) -> dict[str, Any]:
    """When is logged, measured and saved, and where that goes; the seed."""
    return {
        "logging_steps": config.log_every,
        "eval_strategy": "steps",
        "eval_steps": config.eval_every or _NEVER,
        "eval_on_start": fresh,
        "save_strategy": "steps",
        "save_steps": config.save_every or _NEVER,
        "save_total_limit": config.keep,
        "report_to": config.report_to,
        "seed": config.seed,
        "disable_tqdm": True,
        "logging_nan_inf_filter": False,  # it would show a loss that is no number as 0
    }


def _vllm(config: GenRMConfig) -> dict[str, Any]:
    if config.vllm == "none":
        return {}
    where = {"vllm_server_base_url": config.vllm_url} if config.vllm == "server" else {}
    return {"use_vllm": True, "vllm_mode": config.vllm, "vllm_gpu_memory_utilization": config.vllm_memory, **where}
