"""A policy that learns from demonstrations, on TRL's SFTTrainer. Knows nothing of where they come from."""

from __future__ import annotations

import math
from contextlib import ExitStack, suppress
from typing import Any

from rationalerm.data.log import Log
from rationalerm.data.rundir import RunDir
from rationalerm.errors import StoppedError, UsageError
from rationalerm.run.progress import say
from rationalerm.train.sft.config import SFTOptions, sft_arguments
from rationalerm.train.trainer.checkpoints import AlreadyTrainedError, drop_torn, last_whole
from rationalerm.train.trainer.device import check_device
from rationalerm.train.trainer.loading import loading, training
from rationalerm.train.trainer.lora import lora_config
from rationalerm.train.trainer.processes import rank
from rationalerm.train.trainer.quiet import quiet
from rationalerm.train.trainer.saving import save_model
from rationalerm.train.trainer.stop import Stop

__all__ = ["DEMONSTRATIONS", "learn"]

DEMONSTRATIONS = "demonstrations.jsonl"


def learn(rundir: RunDir, policy: str, options: SFTOptions, *, show: bool) -> dict[str, Any]:
    """Trains on demonstrations.jsonl, or goes on.

    Returns:
        `updates`, `too_long` (demonstrations that were left out), `first_loss`, `last_loss` (None where none was logged).

    Raises:
        UsageError: a package that is missing, nothing that fits, or a configuration that the trainer refuses.
        DataError: the policy can't be loaded.
        StoppedError: the training diverged.
        KeyboardInterrupt: asked to stop; a checkpoint was written.
    """
    try:
        from transformers import AutoConfig, AutoTokenizer
        from trl import SFTConfig, SFTTrainer
    except ImportError:
        raise UsageError('training needs more packages; pip install "rationalerm[train]"') from None
    check_device(options.cpu, options.precision)
    out = rundir.path / "checkpoints"
    with ExitStack() as stack:
        stop = stack.enter_context(Stop())
        stack.enter_context(quiet())
        log = rundir.log("steps.jsonl")
        stack.callback(log.close)
        stack.enter_context(training(str(rundir.path)))
        with loading(policy):
            tokenizer = AutoTokenizer.from_pretrained(policy)
            room = getattr(AutoConfig.from_pretrained(policy), "max_position_embeddings", None) or options.max_length
            data, too_long = _dataset(rundir, tokenizer, min(options.max_length, room))
            trainer = SFTTrainer(
                model=policy,
                args=SFTConfig(**sft_arguments(options, out)),
                train_dataset=data,
                processing_class=tokenizer,
                peft_config=lora_config(options.lora, options.lora_alpha, options.lora_dropout),
                callbacks=[_callback(log, stop, show)],
            )
        _without_printer(trainer)
        if rank() == 0:
            drop_torn(out)
        checkpoint = last_whole(out)
        if not checkpoint:
            log.close()
            rundir.write_lines("steps.jsonl", ())
        with suppress(AlreadyTrainedError):
            trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        if stop.wanted:
            raise KeyboardInterrupt
        save_model(trainer, rundir.path, lora=options.lora > 0)
        losses = [row["loss"] for row in {row["step"]: row for row in log.rows()}.values()] or [None]
        return {"updates": trainer.state.global_step, "too_long": too_long, "first_loss": losses[0], "last_loss": losses[-1]}


def _without_printer(trainer: Any) -> None:
    from transformers import PrinterCallback

    trainer.remove_callback(PrinterCallback)


def _dataset(rundir: RunDir, tokenizer: Any, most: int) -> tuple[Any, int]:
    """Prompts and completions that fit, and how many do not."""
    from datasets import Dataset

    rows = [{"prompt": row["prompt"], "completion": row["completion"]} for row in rundir.log(DEMONSTRATIONS).rows()]
    fitting = [row for row in rows if _tokens(tokenizer, row) <= most]
    if not fitting:
        raise UsageError(f"all {len(rows)} demonstrations are longer than {most} tokens (max_length, or the policy's positions)")
    return Dataset.from_list(fitting), len(rows) - len(fitting)


def _tokens(tokenizer: Any, row: dict[str, Any]) -> int:
    return len(tokenizer.apply_chat_template([*row["prompt"], *row["completion"]], tokenize=True, return_dict=False))


def _callback(log: Log, stop: Stop, show: bool) -> Any:
    from transformers import TrainerCallback

    class _Callback(TrainerCallback):  # type: ignore[misc]
        def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
            if state.global_step and state.global_step >= state.max_steps:
                raise AlreadyTrainedError

            if show and state.max_steps <= args.warmup_steps:
                say(f"warning: {state.max_steps} updates, and warmup_updates is {args.warmup_steps}: all of them warm up")

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any) -> None:
            if state.is_world_process_zero and "loss" in (logs or {}):
                if not math.isfinite(logs["loss"]):
                    raise StoppedError(
                        f"the loss of update {state.global_step} is no number: the training diverged; lower learning_rate"
                    )
                log.add([{"step": state.global_step, **logs}])
                if show:
                    say(f"update {state.global_step}/{state.max_steps}, loss {logs['loss']:.3f}")

        def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> Any:
            if stop.wanted:
                control.should_save = control.should_training_stop = True
            return control

    return _Callback()
